// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Executes what the requester and the completer of the core decide. */
#include "core.h"

static void fetch(struct core *core)
{
	struct endpoint *ep = &core->ep;
	struct croce_req *req = &core->req;

	while (req->prod - req->cons < ep->cfg.sq_depth &&
	       req->prod < ep->tx->posted) {
		struct message *message = &ep->tx->messages[req->prod];
		struct croce_wqe *wqe = croce_req_wqe(req, req->prod);

		*wqe = (struct croce_wqe){
			.wr_id = req->prod,
			.remote_addr = message->va,
			.compare_add = message->compare_add,
			.swap = message->swap,
			.length = message->length,
			.rkey = message->rkey,
			.imm = message->imm,
			.kind = message->kind,
			.flags = message->flags,
			.status = message->fetch_status,
		};
		req->prod++;
	}
}

static struct croce_pkt request_packet(const struct core *core,
				       const struct croce_req_run *run, u32 i)
{
	const struct croce_wqe *wqe = croce_req_wqe(&core->req, run->wqe);
	bool read = wqe->kind == CROCE_KIND_READ;
	u32 mtu = core->ep.cfg.mtu;
	struct croce_pkt pkt = {
		.opcode = croce_req_opcode(wqe, run, i),
		.dest_qpn = core->ep.cfg.dest_qpn,
		.psn = (run->psn + i) & 0xffffff,
		.ackreq = run->ackreq && i + 1 == run->npkts,
		.va = wqe->remote_addr + run->offset,
		.rkey = wqe->rkey,
		.dma_len = read ? run->length : wqe->length,
		.swap_add = wqe->kind == CROCE_KIND_FETCH_ADD ?
			    wqe->compare_add : wqe->swap,
		.compare = wqe->compare_add,
		.imm = wqe->imm,
	};

	if (!core->ep.cfg.reliable)
		pkt.opcode |= CROCE_TRANSPORT_UC;
	if (!croce_kind_has_response(wqe->kind))
		pkt.payload_len = min(run->length - i * mtu, mtu);
	return pkt;
}

static void send_request(struct core *core, const struct croce_req_run *run,
			 u32 i)
{
	struct croce_pkt pkt = request_packet(core, run, i);
	struct frame *frame;
	u8 *payload;

	if (core->req.cons == core->req.prod || core->is_held)
		oracle_fail("%s: an idle endpoint sends", core->ep.name);
	frame = frame_build(&pkt, &payload);
	frame->tag = run->wqe;
	if (pkt.payload_len)
		flow_payload(core->ep.tx, run->wqe,
			     run->offset + i * core->ep.cfg.mtu, payload,
			     pkt.payload_len);
	trace_packet(&core->ep, "asks", &pkt);
	endpoint_send(&core->ep, frame);
}

/* Returns false when nothing was sent; shortens the run to what was. */
static bool send_request_run(struct core *core, struct croce_req_run *run)
{
	u32 i;

	for (i = 0; i < run->npkts && !core_queue_is_full(core); i++) {
		if (!run->offset && !i)
			flow_begin(core->ep.tx, run->wqe);
		send_request(core, run, i);
	}
	if (i < run->npkts) {
		core->retry_local = true;
		run->npkts = i;
		run->npsn = i;
		run->length = i * core->ep.cfg.mtu;
		run->ackreq = false;
	}
	return i;
}

/* Not failed yet: earlier WQEs complete first. */
static bool faults(struct core *core, const struct croce_req_run *run)
{
	const struct message *message = &core->ep.tx->messages[run->wqe];

	if (!message->faults || message->kind > CROCE_KIND_WRITE ||
	    run->offset + run->length < message->fault_at)
		return false;
	croce_req_wqe(&core->req, run->wqe)->status =
		CROCE_STATUS_LOC_PROT_ERR;
	return true;
}

static struct croce_req_run next_run(struct core *core, u32 max)
{
	struct croce_req_run run, again;

	run = croce_req_next(&core->req, max);
	again = croce_req_next(&core->req, max);
	if (run.verdict != again.verdict || run.wqe != again.wqe ||
	    run.psn != again.psn || run.npkts != again.npkts ||
	    run.ackreq != again.ackreq)
		oracle_fail("%s: asked again, another answer", core->ep.name);
	return run;
}

static u32 data_bytes(const struct core *core, const struct croce_req_run *run)
{
	u8 kind = croce_req_wqe(&core->req, run->wqe)->kind;

	return croce_kind_has_response(kind) ? 0 : run->length;
}

bool core_request(struct core *core)
{
	u32 sent = 0, room;

	while (!core->retry_local) {
		struct croce_req_run run;

		fetch(core);
		room = core_cc_room(core, core->ep.cfg.max_pkts);
		run = next_run(core, max(room, 1U));
		if (run.verdict < CROCE_REQ_SEND)
			return false;
		if (core->cc.limited && !core_cc_allows(core, &run, room))
			return false;
		if (run.verdict == CROCE_REQ_LOCAL && core_queue_is_full(core)) {
			core->retry_local = true;
			return false;
		}
		/* Asked once more: an ACK may be wanted for what was sent. */
		if (faults(core, &run))
			continue;
		if (run.verdict == CROCE_REQ_LOCAL)
			flow_begin(core->ep.tx, run.wqe);
		else if (!send_request_run(core, &run))
			return false;
		if (run.verdict == CROCE_REQ_SEND)
			core_cc_on_sent(core, run.npkts, data_bytes(core, &run));
		croce_req_on_sent(&core->req, &run, core->ep.vt->now_ns);
		sent += max(run.npkts, 1U);
		if (sent >= core->ep.cfg.budget)
			return true;
	}
	return false;
}

static void count(struct core *core, const struct croce_comp_record *rec)
{
	if (rec->verdict >= CROCE_COMP_SEQ_NAK)
		trace(&core->ep, "verdict %u status %u", rec->verdict,
		      rec->status);
	/* One more than was wanted. */
	if (rec->verdict == CROCE_COMP_DROP)
		core->ep.retransmits++;
	if (rec->verdict == CROCE_COMP_SEQ_NAK ||
	    rec->verdict == CROCE_COMP_IMPLIED_NAK)
		core->ep.retransmits++;
	if (rec->verdict == CROCE_COMP_EARLY ||
	    rec->verdict == CROCE_COMP_TIMEOUT)
		core->ep.timeouts++;
}

void core_on_response(struct core *core, const struct croce_pkt *pkt,
		      const u8 *bytes)
{
	struct endpoint *ep = &core->ep;
	struct croce_comp_record rec;
	u32 index;

	rec = croce_comp_on_packet(&core->req, pkt, ep->vt->now_ns);
	count(core, &rec);
	core_cc_on_record(core, &rec);
	if (rec.verdict != CROCE_COMP_PLACE)
		return;
	index = croce_req_wqe(&core->req, rec.wqe)->wr_id;
	if (pkt->opcode == CROCE_OP_RC_ATOMIC_ACK)
		flow_place_atomic(ep->tx, index, pkt->atomic_orig);
	else
		flow_place(ep->tx, index, rec.offset, bytes, rec.length);
}

void core_on_timer(struct core *core)
{
	struct croce_comp_record rec;

	rec = croce_req_on_timer(&core->req, core->ep.vt->now_ns);
	core_cc_on_record(core, &rec);
	if (rec.verdict != CROCE_COMP_DROP)
		count(core, &rec);
}
