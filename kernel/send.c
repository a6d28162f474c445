// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From runs to packets. Packets of equal size that follow each other share an
 * skb, up to what one may hold; the last of it may be shorter. The bytes are
 * copied before the ICRC is computed, so an application that writes to memory
 * under transmission cannot make a packet that is wrong for ever.
 */
#include "buffer.h"
#include "place.h"
#include "send.h"
#include "xrcd.h"
#include "core/psn.h"
#include "wire/aeth.h"

/* Bytes of transport packets in one skb: those of an IPv4 packet. */
#define SKB_PAYLOAD_MAX	(65535U - sizeof(struct iphdr) - sizeof(struct udphdr))
/* Packets of one run; bounds the time between two looks at the clock. */
#define RUN_PKTS_MAX	64U

/* Packets that go one by one after a refusal. */
#define SINGLES		64U

/* Without a route it counts as sent, and the timer finds out. */
static int batch_flush(struct croce_batch *batch)
{
	struct croce_qp *qp = batch->qp;
	struct sk_buff *skb = batch->skb;
	int err;

	if (!skb)
		return 0;
	batch->skb = NULL;
	croce_path_seal(qp->dev, &qp->path, skb, batch->seg_len);
	err = croce_path_xmit(qp->dev, &qp->path, skb, batch->pkts);
	/* That a short one passes, an ACK say, tells nothing of long ones. */
	if (err) {
		qp->single = SINGLES;
		return err;
	}
	if (batch->restricted)
		qp->single--;
	/* What the queue refuses next, it has only begun to refuse. */
	qp->refused_ns = 0;
	batch->unsent_psn = (batch->unsent_psn + batch->pkts) & CROCE_PSN_MASK;
	return 0;
}

static u32 packet_len(const struct croce_pkt *pkt)
{
	return croce_opcode_info(pkt->opcode)->hdr_len + pkt->payload_len +
	       pkt->pad + CROCE_ICRC_LEN;
}

/* Headers in the middle of a message. */
static u32 least_hdr_len(u8 opcode)
{
	return sizeof(struct croce_bth) +
	       (croce_opcode_flags(opcode) & CROCE_OPF_XRCETH ?
		sizeof(struct croce_xrceth) : 0);
}

/*
 * Packets for the next skb, when so many follow: not a full skb and a small
 * rest, but some of the same size. Those that follow are shorter behind one
 * with more headers, unless each is a message of its own.
 */
static u32 pkts_of_skb(const struct croce_qp *qp, const struct croce_pkt *pkt,
		       u32 follow, bool alike)
{
	u32 most = READ_ONCE(qp->dev->gso) ?
		   SKB_PAYLOAD_MAX / packet_len(pkt) : 1;

	if (!alike &&
	    croce_opcode_info(pkt->opcode)->hdr_len > least_hdr_len(pkt->opcode))
		most = min(most, 2U);
	if (follow <= 1 || most <= 1)
		return 1;
	return DIV_ROUND_UP(follow, DIV_ROUND_UP(follow, most));
}

static int open_single(struct croce_batch *batch, u32 len)
{
	struct croce_qp *qp = batch->qp;
	struct sk_buff *skb = croce_path_alloc(qp->dev, &qp->path, len);

	if (IS_ERR(skb))
		return PTR_ERR(skb);
	batch->skb = skb;
	batch->end = skb->data;
	batch->room = len;
	return 0;
}

static int open_run(struct croce_batch *batch, u32 bytes)
{
	struct croce_qp *qp = batch->qp;
	struct sk_buff *skb = croce_path_alloc(qp->dev, &qp->path, 0);

	if (IS_ERR(skb))
		return PTR_ERR(skb);
	batch->end = croce_buffer_attach(skb, bytes);
	if (!batch->end) {
		kfree_skb(skb);
		return -ENOMEM;
	}
	batch->skb = skb;
	batch->room = bytes;
	return 0;
}

/* Room for as many packets of this size as follow and fit, or for one. */
static int batch_open(struct croce_batch *batch, const struct croce_pkt *pkt,
		      u32 follow, bool alike)
{
	u32 pkts = pkts_of_skb(batch->qp, pkt, follow, alike);
	u32 len = packet_len(pkt);
	int err = -ENOMEM;

	batch->unsent_psn = pkt->psn;
	batch->restricted = batch->qp->single && pkts > 1;
	if (batch->restricted)
		pkts = 1;
	if (pkts > 1)
		err = open_run(batch, pkts * len);
	if (err == -ENOMEM)
		err = open_single(batch, len);
	if (err)
		return err;
	batch->seg_len = len;
	batch->pkts = 0;
	batch->closed = false;
	return 0;
}

static void extend_skb(struct sk_buff *skb, u32 len)
{
	if (!skb_shinfo(skb)->nr_frags) {
		skb_put(skb, len);
		return;
	}
	skb_frag_size_add(&skb_shinfo(skb)->frags[0], len);
	skb->len += len;
	skb->data_len += len;
}

/* Returns where the payload of the packet goes. */
static void *batch_add(struct croce_batch *batch, const struct croce_pkt *pkt,
		       u32 follow, bool alike)
{
	u32 len = packet_len(pkt);
	u8 *bytes;
	int err;

	if (batch->skb && (batch->closed || len > batch->seg_len ||
			   len > batch->room)) {
		err = batch_flush(batch);
		if (err)
			return ERR_PTR(err);
	}
	if (!batch->skb) {
		err = batch_open(batch, pkt, follow, alike);
		if (err)
			return ERR_PTR(err);
	}
	batch->closed = len < batch->seg_len;
	batch->room -= len;
	batch->pkts++;
	extend_skb(batch->skb, len);
	bytes = batch->end + croce_pkt_build(batch->end, pkt);
	batch->end += len;
	memset(bytes + pkt->payload_len, 0, pkt->pad);
	return bytes;
}

/* The packet added last is not to go. */
static void batch_take_back(struct croce_batch *batch, u32 len)
{
	struct sk_buff *skb = batch->skb;

	batch->closed = false;
	if (!--batch->pkts) {
		kfree_skb(skb);
		batch->skb = NULL;
		return;
	}
	/* One of several, so the bytes are in the fragment. */
	skb_frag_size_sub(&skb_shinfo(skb)->frags[0], len);
	skb->len -= len;
	skb->data_len -= len;
	batch->end -= len;
	batch->room += len;
}

/* The packets before one that was taken back have to ask for their ACK: what
 * follows may be long in coming. They all have the same length.
 */
static bool batch_ask(struct croce_batch *batch)
{
	struct croce_bth *bth;

	if (!batch->skb || !croce_qp_is_reliable(batch->qp))
		return false;
	bth = (struct croce_bth *)(batch->end - batch->seg_len);
	bth->psn |= cpu_to_be32(CROCE_BTH_ACKREQ);
	return true;
}

/**
 * croce_send_max_pkts - packets of one run at most
 * @qp: queue pair
 *
 * Return: number of packets, at least 1. Context: owner of the QP's task.
 */
u32 croce_send_max_pkts(const struct croce_qp *qp)
{
	return RUN_PKTS_MAX;
}

static void fill_request(const struct croce_qp *qp,
			 const struct croce_wqe *wqe,
			 const struct croce_sq_slot *slot,
			 const struct croce_req_run *run,
			 struct croce_pkt *pkt)
{
	pkt->migreq = true;
	pkt->pkey = CROCE_PKEY;
	pkt->dest_qpn = qp->dest_qpn;
	pkt->va = wqe->remote_addr + run->offset;
	pkt->rkey = wqe->rkey;
	pkt->imm = wqe->imm;
	pkt->inv_rkey = wqe->inv_rkey;
	pkt->dma_len = wqe->length;
	pkt->xrc_srqn = slot->remote_qpn;
	switch (wqe->kind) {
	case CROCE_KIND_READ:
		pkt->dma_len = run->length;
		break;
	case CROCE_KIND_CMP_SWAP:
		pkt->compare = wqe->compare_add;
		pkt->swap_add = wqe->swap;
		break;
	case CROCE_KIND_FETCH_ADD:
		pkt->swap_add = wqe->compare_add;
		break;
	case CROCE_KIND_ATOMIC_WRITE:
		pkt->dma_len = sizeof(u64);
		break;
	case CROCE_KIND_FLUSH:
		pkt->dma_len = (u32)wqe->compare_add;
		pkt->flush_plt = wqe->swap & 0xf;
		pkt->flush_sel = wqe->swap >> 8 & 0x3;
		break;
	}
	if (croce_qp_is_connected(qp))
		return;
	pkt->dest_qpn = slot->remote_qpn & 0xffffff;
	pkt->qkey = slot->remote_qkey & BIT(31) ? qp->qkey : slot->remote_qkey;
	pkt->src_qpn = qp->qpn;
}

static u32 request_payload(const struct croce_qp *qp,
			   const struct croce_wqe *wqe,
			   const struct croce_req_run *run, u32 i)
{
	if (wqe->kind == CROCE_KIND_ATOMIC_WRITE)
		return sizeof(u64);
	if (croce_kind_has_response(wqe->kind))
		return 0;
	return min(run->length - i * qp->req.cfg.mtu, qp->req.cfg.mtu);
}

static int copy_request(struct croce_cursor *cursor,
			const struct croce_wqe *wqe,
			const struct croce_sq_slot *slot, u32 offset,
			void *to, u32 len)
{
	if (wqe->kind == CROCE_KIND_ATOMIC_WRITE) {
		memcpy(to, &wqe->swap, sizeof(wqe->swap));
		return 0;
	}
	if (wqe->flags & CROCE_WQE_INLINE) {
		memcpy(to, (const u8 *)slot->sge + offset, len);
		return 0;
	}
	return croce_cursor_read(cursor, to, len);
}

/*
 * What asks for a response goes alone: it would have to be counted back. So
 * would what congestion control has counted, which sends a little at a time.
 */
static bool goes_alone(const struct croce_qp *qp, const struct croce_wqe *wqe)
{
	return !croce_qp_is_reliable(qp) || qp->cc.limited ||
	       croce_kind_has_response(wqe->kind);
}

/* Messages that are one packet each, and as long as this one, as far as seen. */
static u32 alike_requests(const struct croce_qp *qp,
			  const struct croce_wqe *wqe,
			  const struct croce_req_run *run)
{
	const struct croce_req *req = &qp->req;
	u32 flight = (req->send_psn - req->una_psn) & CROCE_PSN_MASK;
	const struct croce_wqe *next;

	if (goes_alone(qp, wqe) || wqe->length > req->cfg.mtu ||
	    run->wqe + 1 == req->prod || flight + 1 >= req->window)
		return 1;
	next = croce_req_wqe(req, run->wqe + 1);
	if (next->kind != wqe->kind || next->length != wqe->length)
		return 1;
	return min3(req->prod - run->wqe, req->window - flight, RUN_PKTS_MAX);
}

/* Returns the number of packets in the batch or sent, or -errno. */
static int build_requests(struct croce_batch *batch,
			  const struct croce_wqe *wqe,
			  const struct croce_sq_slot *slot,
			  const struct croce_req_run *run)
{
	struct croce_qp *qp = batch->qp;
	u32 alike = alike_requests(qp, wqe, run);
	struct croce_pkt pkt = {};
	struct croce_cursor cursor;
	u32 offset = run->offset;
	int err = 0;
	u32 i;

	fill_request(qp, wqe, slot, run, &pkt);
	croce_cursor_init(&cursor, qp, slot->sge,
			  wqe->flags & CROCE_WQE_INLINE ? 0 : wqe->num_sge,
			  offset, 0);
	for (i = 0; i < run->npkts; i++) {
		u32 psn = (run->psn + i) & CROCE_PSN_MASK;
		void *to;

		pkt.opcode = croce_opcode_on(qp->transport,
					     croce_req_opcode(wqe, run, i));
		pkt.psn = psn;
		pkt.payload_len = request_payload(qp, wqe, run, i);
		pkt.pad = croce_pad_len(pkt.payload_len);
		pkt.ackreq = run->ackreq && i + 1 == run->npkts;
		pkt.solicited = (wqe->flags & CROCE_WQE_SOLICITED) &&
				((psn + 1) & CROCE_PSN_MASK) == wqe->next_psn;
		to = batch_add(batch, &pkt, max(run->npkts - i, alike),
			       alike > 1);
		if (IS_ERR(to)) {
			err = PTR_ERR(to);
			break;
		}
		err = copy_request(&cursor, wqe, slot, offset, to,
				   pkt.payload_len);
		if (err) {
			batch_take_back(batch, packet_len(&pkt));
			break;
		}
		offset += pkt.payload_len;
	}
	croce_cursor_end(&cursor);
	/* With a bad key, nothing of the run goes that has not gone yet. */
	for (; err == -EFAULT && i && batch->skb; i--)
		batch_take_back(batch, batch->seg_len);
	/* What has gone counts; the rest meets its error at its beginning. */
	if (i && (err == -EINPROGRESS || err == -EFAULT))
		return i;
	return err ?: run->npkts;
}

/* Datagrams: the path is that of the address handle. */
static int select_path(struct croce_qp *qp, const struct croce_sq_slot *slot)
{
	const struct croce_av *av;

	if (croce_qp_is_connected(qp))
		return 0;
	av = xa_load(&qp->dev->ahs, slot->ah);
	if (!av || av->pd != qp->pd)
		return -EINVAL;
	if (qp->path.av.serial != av->serial)
		qp->path.av = *av;
	return 0;
}

/* The rest is a run of its own. */
static void shorten(struct croce_req_run *run, u32 pkts, u32 mtu)
{
	run->npkts = pkts;
	run->npsn = pkts;
	run->length = pkts * mtu;
	run->ackreq = false;
}

static int add_request(struct croce_batch *batch, struct croce_req_run *run)
{
	struct croce_qp *qp = batch->qp;
	const struct croce_wqe *wqe = croce_req_wqe(&qp->req, run->wqe);
	const struct croce_sq_slot *slot = croce_sq_slot(qp, run->wqe);
	int pkts;

	pkts = build_requests(batch, wqe, slot, run);
	if (pkts == -EINPROGRESS)
		batch_ask(batch);
	if (pkts < 0)
		return pkts;
	if ((u32)pkts < run->npkts) {
		shorten(run, pkts, qp->req.cfg.mtu);
		run->ackreq = batch_ask(batch);
	}
	return goes_alone(qp, wqe) ? batch_flush(batch) : 0;
}

/**
 * croce_send_request - send a run of the requester
 * @batch: of the turn
 * @run: from croce_req_next(); shortened to what was taken
 *
 * Packets of RC that carry data may stay in the batch until croce_send_flush()
 * or a packet that does not fit. Without a route the run counts as sent, and
 * the timer finds out.
 *
 * Return: 0 taken; -EAGAIN nothing from @batch->unsent_psn on was sent, also
 * of runs before this one, try again after a pause; -EINPROGRESS nothing of
 * the run was sent, the task is run again when a page has come; -EFAULT a local
 * key does not fit; -EINVAL the address handle does not fit.
 * Context: owner of the QP's task, RCU read section.
 */
int croce_send_request(struct croce_batch *batch, struct croce_req_run *run)
{
	struct croce_qp *qp = batch->qp;
	s32 sent;
	int err;

	err = select_path(qp, croce_sq_slot(qp, run->wqe));
	if (err)
		return err;
	if (goes_alone(qp, croce_req_wqe(&qp->req, run->wqe)))
		err = batch_flush(batch);
	if (!err)
		err = add_request(batch, run);
	if (!err || err == -EINPROGRESS || err == -EFAULT)
		return err;
	if (err == -EHOSTUNREACH)
		return 0;
	sent = croce_psn_diff(batch->unsent_psn, run->psn);
	if (sent <= 0)
		return -EAGAIN;
	shorten(run, sent, qp->req.cfg.mtu);
	return 0;
}

/**
 * croce_send_flush - send what is in the batch
 * @batch: of the turn
 *
 * Return: 0; -EAGAIN nothing from @batch->unsent_psn on was sent.
 * Context: owner of the QP's task, RCU read section.
 */
int croce_send_flush(struct croce_batch *batch)
{
	return batch_flush(batch) ? -EAGAIN : 0;
}

static void fill_response(const struct croce_qp *qp,
			  const struct croce_resp_run *run, u32 i,
			  struct croce_pkt *pkt)
{
	u32 mtu = qp->resp.cfg.mtu;

	pkt->opcode = croce_opcode_on(qp->transport,
				      croce_resp_opcode(run, i));
	pkt->migreq = true;
	pkt->pkey = CROCE_PKEY;
	pkt->dest_qpn = qp->dest_qpn;
	pkt->psn = (run->psn + i) & 0xffffff;
	pkt->syndrome = run->syndrome;
	pkt->msn = run->msn;
	pkt->atomic_orig = run->orig;
	pkt->payload_len = min(run->length - i * mtu, mtu);
	pkt->pad = croce_pad_len(pkt->payload_len);
}

static int build_responses(struct croce_batch *batch,
			   const struct croce_resp_run *run)
{
	struct croce_cursor cursor;
	struct croce_pkt pkt = {};
	int err = 0;
	u32 i;

	croce_cursor_init_remote(&cursor, batch->qp, run->va, run->rkey,
				 run->length, IB_ACCESS_REMOTE_READ);
	for (i = 0; i < run->npkts && !err; i++) {
		void *to;

		fill_response(batch->qp, run, i, &pkt);
		to = batch_add(batch, &pkt, run->npkts - i, false);
		if (IS_ERR(to)) {
			err = PTR_ERR(to);
			break;
		}
		err = croce_cursor_read(&cursor, to, pkt.payload_len);
		if (err == -EINPROGRESS)
			batch_take_back(batch, packet_len(&pkt));
	}
	croce_cursor_end(&cursor);
	return err;
}

/* What is complete goes, also where the packet after it waits for a page. */
static int batch_end(struct croce_batch *batch, int err)
{
	if (!err || err == -EINPROGRESS)
		err = batch_flush(batch) ?: err;
	kfree_skb(batch->skb);
	return err;
}

/**
 * croce_send_response - send a run of the responder
 * @qp: queue pair
 * @run: from croce_resp_next(); shortened to what was sent
 *
 * Return: 0 sent; -EAGAIN nothing was sent, try again after a pause;
 * -EINPROGRESS nothing was sent, the task is run again when a page has come;
 * -EFAULT the key of a READ, or its SRQ, does not fit any more.
 * Context: owner of the QP's task, RCU read section.
 */
int croce_send_response(struct croce_qp *qp, struct croce_resp_run *run)
{
	struct croce_batch batch = { .qp = qp, .unsent_psn = run->psn };
	bool has_data = run->tx == CROCE_RESP_TX_READ;
	u32 sent;
	int err;

	if (has_data && !croce_xrc_enter(qp, run->srqn))
		return -EFAULT;
	err = batch_end(&batch, build_responses(&batch, run));
	if (has_data)
		croce_xrc_leave(qp);
	if (!err || err == -EHOSTUNREACH)
		return 0;
	sent = (batch.unsent_psn - run->psn) & CROCE_PSN_MASK;
	if (!sent)
		return err == -EINPROGRESS || err == -EFAULT ? err : -EAGAIN;
	/* What has gone counts; the rest meets its error at its beginning. */
	run->npkts = sent;
	run->length = sent * qp->resp.cfg.mtu;
	run->last = false;
	return 0;
}
