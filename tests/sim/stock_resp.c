// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "stock.h"

static void respond(struct stock *stock, struct croce_pkt *pkt, u64 va)
{
	struct frame *frame;
	u8 *payload;

	pkt->msn = stock->msn;
	frame = frame_build(pkt, &payload);
	if (pkt->payload_len)
		flow_read(stock->ep.rx, va, payload, pkt->payload_len);
	trace_packet(&stock->ep, "answers", pkt);
	endpoint_send(&stock->ep, frame);
}

static void send_ack(struct stock *stock, u32 psn, u8 syndrome)
{
	struct croce_pkt pkt = {
		.opcode = CROCE_OP_RC_ACK,
		.psn = psn & STOCK_MASK,
		.syndrome = syndrome,
	};

	respond(stock, &pkt, 0);
}

static void send_bytes(struct stock *stock, u32 psn, u64 va, u32 length)
{
	u32 mtu = stock->ep.cfg.mtu;
	u32 count = length ? (length + mtu - 1) / mtu : 1;
	u32 i;

	for (i = 0; i < count; i++) {
		struct croce_pkt pkt = {
			.opcode = count == 1 ? CROCE_OP_RC_READ_RESP_ONLY :
				  !i ? CROCE_OP_RC_READ_RESP_FIRST :
				  i + 1 == count ? CROCE_OP_RC_READ_RESP_LAST :
				  CROCE_OP_RC_READ_RESP_MIDDLE,
			.psn = (psn + i) & STOCK_MASK,
			.syndrome = croce_aeth_ack(CROCE_CREDIT_UNLIMITED),
			.payload_len = min(length - i * mtu, mtu),
		};

		respond(stock, &pkt, va + (u64)i * mtu);
	}
}

static void send_result(struct stock *stock, const struct answer *answer)
{
	struct croce_pkt pkt = {
		.opcode = CROCE_OP_RC_ATOMIC_ACK,
		.psn = answer->psn,
		.syndrome = croce_aeth_ack(CROCE_CREDIT_UNLIMITED),
		.atomic_orig = answer->orig,
	};

	respond(stock, &pkt, 0);
}

static struct answer *remember(struct stock *stock, u32 psn, u32 count)
{
	struct answer *answer;

	answer = &stock->answers[stock->answered++ %
				 stock->ep.cfg.peer_rd_atomic];
	answer->psn = psn;
	answer->count = count;
	return answer;
}

static void on_duplicate(struct stock *stock, const struct croce_pkt *pkt)
{
	u32 flags = croce_opcode_info(pkt->opcode)->flags;
	u32 i;

	stock->ep.retransmits++;
	if (flags & (CROCE_OPF_SEND | CROCE_OPF_WRITE)) {
		send_ack(stock, stock->expected - 1,
			 croce_aeth_ack(CROCE_CREDIT_UNLIMITED));
		return;
	}
	for (i = 0; i < stock->ep.cfg.peer_rd_atomic; i++) {
		struct answer *answer = &stock->answers[i];

		if (((pkt->psn - answer->psn) & STOCK_MASK) >= answer->count)
			continue;
		if (answer->atomic)
			send_result(stock, answer);
		else
			send_bytes(stock, pkt->psn, pkt->va, pkt->dma_len);
	}
}

static bool take_receive(struct stock *stock, u32 flags)
{
	bool takes = flags & CROCE_OPF_SEND ?
		     flags & CROCE_OPF_START : flags & CROCE_OPF_IMM;

	return !takes || stock->ep.receives;
}

static void execute_bytes(struct stock *stock, const struct croce_pkt *pkt,
			  const u8 *bytes)
{
	u32 flags = croce_opcode_info(pkt->opcode)->flags;
	struct piece piece = {
		.kind = flags & CROCE_OPF_SEND ? CROCE_KIND_SEND :
						 CROCE_KIND_WRITE,
		.length = pkt->payload_len,
		.last = flags & CROCE_OPF_END,
		.has_imm = flags & CROCE_OPF_IMM,
		.imm = pkt->imm,
	};

	if (flags & CROCE_OPF_START) {
		stock->done = 0;
		stock->write_va = pkt->va;
		stock->write_key = pkt->rkey;
	}
	piece.offset = stock->done;
	piece.va = stock->write_va + stock->done;
	piece.rkey = stock->write_key;
	flow_execute(stock->ep.rx, &piece, bytes);
	stock->done += pkt->payload_len;
	stock->expected = (stock->expected + 1) & STOCK_MASK;
	if (!piece.last)
		return;
	stock->msn++;
	if (piece.has_imm || piece.kind == CROCE_KIND_SEND) {
		stock->ep.receives--;
		stock->ep.received++;
	}
}

static void execute_read(struct stock *stock, const struct croce_pkt *pkt)
{
	u32 mtu = stock->ep.cfg.mtu;
	u32 count = pkt->dma_len ? (pkt->dma_len + mtu - 1) / mtu : 1;

	flow_execute_read(stock->ep.rx, pkt->va, pkt->dma_len);
	remember(stock, pkt->psn, count)->atomic = false;
	stock->expected = (stock->expected + count) & STOCK_MASK;
	stock->msn++;
	send_bytes(stock, pkt->psn, pkt->va, pkt->dma_len);
}

static void execute_atomic(struct stock *stock, const struct croce_pkt *pkt)
{
	struct answer *answer = remember(stock, pkt->psn, 1);

	answer->atomic = true;
	answer->orig = flow_execute_atomic(stock->ep.rx,
					   pkt->opcode ==
					   CROCE_OP_RC_CMP_SWAP ?
					   CROCE_KIND_CMP_SWAP :
					   CROCE_KIND_FETCH_ADD, pkt->va,
					   pkt->swap_add, pkt->compare);
	stock->expected = (stock->expected + 1) & STOCK_MASK;
	stock->msn++;
	send_result(stock, answer);
}

static void on_next(struct stock *stock, const struct croce_pkt *pkt,
		    const u8 *bytes)
{
	u32 flags = croce_opcode_info(pkt->opcode)->flags;

	if (!take_receive(stock, flags)) {
		stock->ep.rnrs++;
		send_ack(stock, stock->expected,
			 croce_aeth_rnr(stock->ep.cfg.rnr_code));
		return;
	}
	stock->nak_given = false;
	if (flags & CROCE_OPF_READ_REQ) {
		execute_read(stock, pkt);
	} else if (flags & CROCE_OPF_ATOMIC) {
		execute_atomic(stock, pkt);
	} else {
		execute_bytes(stock, pkt, bytes);
		if (pkt->ackreq)
			send_ack(stock, stock->expected - 1,
				 croce_aeth_ack(CROCE_CREDIT_UNLIMITED));
	}
}

void stock_on_request(struct stock *stock, const struct croce_pkt *pkt,
		      const u8 *bytes)
{
	if (pkt->psn == stock->expected) {
		on_next(stock, pkt, bytes);
	} else if (is_before(pkt->psn, stock->expected)) {
		on_duplicate(stock, pkt);
	} else if (!stock->nak_given) {
		stock->ep.retransmits++;
		stock->nak_given = true;
		send_ack(stock, stock->expected,
			 croce_aeth_nak(CROCE_NAK_PSN_SEQ));
	}
}
