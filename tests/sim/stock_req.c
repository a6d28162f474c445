// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "stock.h"

#include <stdint.h>

#define WINDOW		128
#define ACK_EVERY	64

static bool has_answer(const struct message *message)
{
	return message->kind == CROCE_KIND_READ ||
	       message->kind == CROCE_KIND_CMP_SWAP ||
	       message->kind == CROCE_KIND_FETCH_ADD;
}

static struct message *message_of(const struct stock *stock, u32 index)
{
	return &stock->ep.tx->messages[index];
}

static u32 end_of(const struct stock *stock, u32 index)
{
	return (stock->extents[index].psn + stock->extents[index].count) & STOCK_MASK;
}

static void assign(struct stock *stock)
{
	u32 mtu = stock->ep.cfg.mtu;

	while (stock->assigned < stock->ep.tx->posted) {
		struct message *message = message_of(stock, stock->assigned);
		struct extent *extent = &stock->extents[stock->assigned];

		extent->psn = stock->assigned ?
			      end_of(stock, stock->assigned - 1) :
			      stock->ep.cfg.first_psn;
		extent->count = message->length ?
				(message->length + mtu - 1) / mtu : 1;
		if (message->kind == CROCE_KIND_LOCAL)
			extent->count = 0;
		stock->assigned++;
	}
}

static void on_timer(void *context, void *argument);

static void start_timer(struct stock *stock)
{
	stock->timer++;
	if (stock->una == stock->top || !stock->ep.cfg.timeout_ns)
		return;
	vtime_in(stock->ep.vt, stock->ep.cfg.timeout_ns, on_timer, stock,
		 (void *)(uintptr_t)stock->timer);
}

static u8 opcode_of(const struct message *message, u32 i, u32 count)
{
	bool write = message->kind == CROCE_KIND_WRITE;
	bool imm = message->flags & CROCE_WQE_IMM;

	switch (message->kind) {
	case CROCE_KIND_READ:
		return CROCE_OP_RC_READ_REQ;
	case CROCE_KIND_CMP_SWAP:
		return CROCE_OP_RC_CMP_SWAP;
	case CROCE_KIND_FETCH_ADD:
		return CROCE_OP_RC_FETCH_ADD;
	}
	if (count == 1)
		return write ? CROCE_OP_RC_WRITE_ONLY + imm :
			       CROCE_OP_RC_SEND_ONLY + imm;
	if (i + 1 == count)
		return write ? CROCE_OP_RC_WRITE_LAST + imm :
			       CROCE_OP_RC_SEND_LAST + imm;
	if (i)
		return write ? CROCE_OP_RC_WRITE_MIDDLE :
			       CROCE_OP_RC_SEND_MIDDLE;
	return write ? CROCE_OP_RC_WRITE_FIRST : CROCE_OP_RC_SEND_FIRST;
}

/* Sends one packet; the operands of FetchAdd are in compare_add. */
static void send_packet(struct stock *stock, u32 i)
{
	const struct message *message = message_of(stock, stock->at);
	const struct extent *extent = &stock->extents[stock->at];
	bool add = message->kind == CROCE_KIND_FETCH_ADD;
	u32 offset = i * stock->ep.cfg.mtu;
	struct croce_pkt pkt = {
		.opcode = opcode_of(message, i, extent->count),
		.psn = stock->psn,
		.va = message->va,
		.rkey = message->rkey,
		.dma_len = message->length,
		.swap_add = add ? message->compare_add : message->swap,
		.compare = message->compare_add,
		.imm = message->imm,
		.ackreq = i + 1 == extent->count ||
			  stock->since_ack + 1 >= ACK_EVERY,
	};
	struct frame *frame;
	u8 *payload;

	if (message->kind == CROCE_KIND_READ) {
		pkt.va += offset;
		pkt.dma_len -= offset;
	}
	if (!has_answer(message))
		pkt.payload_len = min(message->length - offset,
				      stock->ep.cfg.mtu);
	stock->since_ack = pkt.ackreq ? 0 : stock->since_ack + 1;
	frame = frame_build(&pkt, &payload);
	frame->tag = stock->at;
	flow_payload(stock->ep.tx, stock->at, offset, payload,
		     pkt.payload_len);
	trace_packet(&stock->ep, "asks", &pkt);
	endpoint_send(&stock->ep, frame);
}

static void reap(struct stock *stock)
{
	struct flow *tx = stock->ep.tx;

	while (tx->done < stock->at &&
	       !is_before(stock->una, end_of(stock, tx->done)))
		flow_complete(tx, tx->done, CROCE_STATUS_SUCCESS);
}

static bool must_wait(const struct stock *stock)
{
	const struct message *message = message_of(stock, stock->at);

	if (stock->ep.vt->now_ns < stock->wait_ns)
		return true;
	if ((message->flags & CROCE_WQE_FENCE) && stock->reads)
		return true;
	if (has_answer(message))
		return stock->reads >= stock->ep.cfg.max_rd_atomic;
	return ((stock->psn - stock->una) & STOCK_MASK) >= WINDOW;
}

static void send_next(struct stock *stock)
{
	const struct message *message = message_of(stock, stock->at);
	u32 i = (stock->psn - stock->extents[stock->at].psn) & STOCK_MASK;
	bool idle = stock->una == stock->top;

	if (!i && (message->kind != CROCE_KIND_LOCAL || !message->is_begun))
		flow_begin(stock->ep.tx, stock->at);
	if (message->kind != CROCE_KIND_LOCAL)
		send_packet(stock, i);
	if (has_answer(message)) {
		stock->reads++;
		stock->psn = end_of(stock, stock->at);
	} else if (message->kind != CROCE_KIND_LOCAL) {
		stock->psn = (stock->psn + 1) & STOCK_MASK;
	}
	if (stock->psn == end_of(stock, stock->at))
		stock->at++;
	if (is_before(stock->top, stock->psn))
		stock->top = stock->psn;
	if (idle)
		start_timer(stock);
}

void stock_send_all(struct stock *stock)
{
	assign(stock);
	while (stock->at < stock->assigned && !must_wait(stock))
		send_next(stock);
	reap(stock);
}

static void go_back(struct stock *stock)
{
	stock->ep.retransmits++;
	stock->is_back = true;
	stock->since_ack = 0;
	stock->reads = 0;
	stock->psn = stock->una;
	stock->at = stock->ep.tx->done;
	while (stock->at < stock->assigned &&
	       !is_before(stock->una, end_of(stock, stock->at)) &&
	       message_of(stock, stock->at)->is_begun)
		stock->at++;
	start_timer(stock);
	stock_send_all(stock);
}

static void on_timer(void *context, void *argument)
{
	struct stock *stock = context;

	if ((uintptr_t)argument != stock->timer || stock->una == stock->top)
		return;
	trace(&stock->ep, "timeout");
	stock->ep.timeouts++;
	go_back(stock);
}

static void on_rnr_over(void *context, void *argument)
{
	struct stock *stock = context;

	(void)argument;
	if (stock->wait_ns && stock->ep.vt->now_ns >= stock->wait_ns) {
		stock->wait_ns = 0;
		go_back(stock);
	}
}

static void advance(struct stock *stock, u32 una)
{
	stock->una = una;
	stock->is_back = false;
	if (is_before(stock->psn, una)) {
		stock->psn = una;
		while (stock->at < stock->assigned &&
		       !is_before(una, end_of(stock, stock->at)) &&
		       message_of(stock, stock->at)->is_begun)
			stock->at++;
	}
	start_timer(stock);
}

/* Acknowledge up to @target, as far as no answer is missing. */
static bool acknowledge(struct stock *stock, u32 target)
{
	u32 una = stock->una;
	u32 i;

	for (i = stock->ep.tx->done; i < stock->assigned; i++) {
		u32 end = end_of(stock, i);

		if (!is_before(una, target))
			break;
		if (!is_before(una, end))
			continue;
		if (has_answer(message_of(stock, i)))
			break;
		una = is_before(target, end) ? target : end;
	}
	if (una != stock->una)
		advance(stock, una);
	return !is_before(una, target);
}

static void on_missing_answer(struct stock *stock)
{
	if (!stock->is_back && !stock->wait_ns)
		go_back(stock);
}

static void on_rnr(struct stock *stock, u8 syndrome)
{
	u64 wait = croce_rnr_timer_ns(croce_aeth_value(syndrome));

	if (stock->wait_ns)
		return;
	stock->wait_ns = stock->ep.vt->now_ns + wait;
	stock->timer++;
	vtime_at(stock->ep.vt, stock->wait_ns, on_rnr_over, stock, NULL);
}

static void on_ack(struct stock *stock, const struct croce_pkt *pkt)
{
	enum croce_aeth_kind kind = croce_aeth_kind(pkt->syndrome);
	bool ack = kind == CROCE_AETH_ACK;
	u32 target = (pkt->psn + ack) & STOCK_MASK;

	if (!acknowledge(stock, target)) {
		on_missing_answer(stock);
		return;
	}
	if (ack || target != stock->una)
		return;
	if (kind == CROCE_AETH_RNR)
		on_rnr(stock, pkt->syndrome);
	else if (croce_aeth_value(pkt->syndrome))
		oracle_fail("%s: NAK %02x", stock->ep.name, pkt->syndrome);
	else if (!stock->wait_ns)
		go_back(stock);
}

static void on_answer(struct stock *stock, const struct croce_pkt *pkt,
		      const u8 *bytes)
{
	u32 i = stock->ep.tx->done;
	u32 offset;

	while (i < stock->assigned &&
	       !is_before(pkt->psn, end_of(stock, i)))
		i++;
	if (i == stock->assigned || !has_answer(message_of(stock, i)))
		oracle_fail("%s: answer to nothing", stock->ep.name);
	acknowledge(stock, stock->extents[i].psn);
	if (stock->una != pkt->psn) {
		on_missing_answer(stock);
		return;
	}
	offset = ((pkt->psn - stock->extents[i].psn) & STOCK_MASK) *
		 stock->ep.cfg.mtu;
	if (pkt->opcode == CROCE_OP_RC_ATOMIC_ACK)
		flow_place_atomic(stock->ep.tx, i, pkt->atomic_orig);
	else
		flow_place(stock->ep.tx, i, offset, bytes, pkt->payload_len);
	advance(stock, (pkt->psn + 1) & STOCK_MASK);
	if (stock->una == end_of(stock, i) && stock->reads)
		stock->reads--;
}

void stock_on_response(struct stock *stock, const struct croce_pkt *pkt,
		       const u8 *bytes)
{
	if (is_before(pkt->psn, stock->una) ||
	    !is_before(pkt->psn, stock->top))
		return;
	if (pkt->opcode == CROCE_OP_RC_ACK)
		on_ack(stock, pkt);
	else
		on_answer(stock, pkt, bytes);
	reap(stock);
	stock_send_all(stock);
}
