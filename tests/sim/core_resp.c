// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Executes what the responder of the core decides. */
#include "core.h"

#include <wire/aeth.h>

static u8 nak_for(struct core *core, const struct croce_pkt *pkt,
		  const struct croce_resp_record *rec)
{
	struct endpoint *ep = &core->ep;

	if (rec->takes_rqe && !core->rqe_valid) {
		if (!ep->receives) {
			ep->rnrs++;
			return croce_aeth_rnr(ep->cfg.rnr_code);
		}
		core->rqe_valid = true;
	}
	if (rec->class != CROCE_RESP_SEND && rec->first &&
	    pkt->rkey == RKEY_BAD)
		return croce_aeth_nak(CROCE_NAK_REM_ACCESS);
	return 0;
}

static void execute_bytes(struct core *core, const struct croce_pkt *pkt,
			  const struct croce_resp_record *rec, const u8 *bytes)
{
	u32 flags = croce_opcode_info(pkt->opcode)->flags;
	struct piece piece = {
		.kind = rec->class == CROCE_RESP_SEND ? CROCE_KIND_SEND :
							CROCE_KIND_WRITE,
		.va = rec->va,
		.rkey = rec->rkey,
		.offset = rec->offset,
		.length = rec->length,
		.last = rec->last,
		.has_imm = flags & CROCE_OPF_IMM,
		.imm = pkt->imm,
		.tag = pkt->pkey,
	};

	flow_execute(core->ep.rx, &piece, bytes);
}

static u64 execute(struct core *core, const struct croce_pkt *pkt,
		   const struct croce_resp_record *rec, const u8 *bytes)
{
	switch (rec->class) {
	case CROCE_RESP_SEND:
	case CROCE_RESP_WRITE:
		execute_bytes(core, pkt, rec, bytes);
		return 0;
	case CROCE_RESP_READ:
		flow_execute_read(core->ep.rx, rec->va, rec->dma_len);
		return 0;
	case CROCE_RESP_ATOMIC:
		return flow_execute_atomic(core->ep.rx,
					   pkt->opcode == CROCE_OP_RC_CMP_SWAP ?
					   CROCE_KIND_CMP_SWAP :
					   CROCE_KIND_FETCH_ADD, pkt->va,
					   pkt->swap_add, pkt->compare);
	default:
		oracle_fail("%s: class %u", core->ep.name, rec->class);
	}
}

static void refuse(struct core *core, u8 syndrome)
{
	trace(&core->ep, "refuses with %02x", syndrome);
	croce_resp_refuse(&core->resp, syndrome);
	if (croce_aeth_kind(syndrome) != CROCE_AETH_RNR &&
	    core->ep.cfg.reliable)
		core->fatal = true;
}

static void on_execute(struct core *core, const struct croce_pkt *pkt,
		       const struct croce_resp_record *rec, const u8 *bytes)
{
	u8 syndrome = nak_for(core, pkt, rec);
	u64 orig;

	if (syndrome) {
		refuse(core, syndrome);
		return;
	}
	orig = execute(core, pkt, rec, bytes);
	croce_resp_accept(&core->resp, pkt, rec, orig);
	if (!rec->completes_rqe)
		return;
	if (!core->rqe_valid)
		oracle_fail("%s: completes no receive WQE", core->ep.name);
	core->rqe_valid = false;
	core->ep.receives--;
	core->ep.received++;
}

void core_on_request(struct core *core, const struct croce_pkt *pkt,
		     const u8 *bytes)
{
	struct croce_resp_record rec = croce_resp_decide(&core->resp, pkt);

	switch (rec.verdict) {
	case CROCE_RESP_EXECUTE:
		on_execute(core, pkt, &rec, bytes);
		break;
	case CROCE_RESP_DUPLICATE:
		core->ep.retransmits++;
		croce_resp_repeat(&core->resp, pkt);
		break;
	case CROCE_RESP_OUT_OF_ORDER:
		core->ep.retransmits++;
		croce_resp_on_gap(&core->resp, pkt);
		break;
	case CROCE_RESP_INVALID:
		oracle_fail("%s: refuses op %02x psn %06x as invalid",
			    core->ep.name, pkt->opcode, pkt->psn);
	default:
		break;
	}
}

static void send_response(struct core *core, const struct croce_resp_run *run,
			  u32 i)
{
	u32 mtu = core->ep.cfg.mtu;
	struct croce_pkt pkt = {
		.opcode = croce_resp_opcode(run, i),
		.dest_qpn = core->ep.cfg.dest_qpn,
		.psn = (run->psn + i) & 0xffffff,
		.syndrome = run->syndrome,
		.msn = run->msn,
		.atomic_orig = run->orig,
		.payload_len = min(run->length - i * mtu, mtu),
	};
	struct frame *frame;
	u8 *payload;

	frame = frame_build(&pkt, &payload);
	if (pkt.payload_len)
		flow_read(core->ep.rx, run->va + i * mtu, payload,
			  pkt.payload_len);
	trace_packet(&core->ep, "answers", &pkt);
	endpoint_send(&core->ep, frame);
}

/* Returns false when nothing was sent; shortens the run to what was. */
static bool send_response_run(struct core *core, struct croce_resp_run *run)
{
	u32 i;

	for (i = 0; i < run->npkts && !core_queue_is_full(core); i++)
		send_response(core, run, i);
	if (i < run->npkts) {
		core->retry_local = true;
		run->npkts = i;
		run->last = false;
	}
	return i;
}

/* Returns false when there is nothing to read any more. */
static bool can_respond(struct core *core, const struct croce_resp_run *run)
{
	if (run->tx != CROCE_RESP_TX_READ || !run->length ||
	    flow_can_read(core->ep.rx, run->va))
		return true;
	trace(&core->ep, "finds no memory at psn %06x", run->psn);
	if (croce_resp_abandon(&core->resp, run,
			       croce_aeth_nak(CROCE_NAK_REM_ACCESS))) {
		if (!core->ep.rx->failed &&
		    (run->va >> REGION_SHIFT) <= core->ep.rx->done)
			oracle_fail("%s: repeats of what is done are fatal",
				    core->ep.name);
		core->fatal = true;
	}
	return false;
}

bool core_respond(struct core *core)
{
	u32 sent = 0, room;

	while (croce_resp_owes(&core->resp) && !core->retry_local) {
		struct croce_resp_run run;

		room = core_cc_limits_responses(core) ?
		       core_cc_room(core, core->ep.cfg.max_pkts) :
		       core->ep.cfg.max_pkts;
		run = croce_resp_next(&core->resp, max(room, 1U));
		if (run.tx == CROCE_RESP_TX_NONE)
			oracle_fail("%s: owes nothing", core->ep.name);
		if (!room && run.tx == CROCE_RESP_TX_READ)
			return false;
		if (!can_respond(core, &run))
			continue;
		if (!send_response_run(core, &run))
			return false;
		croce_resp_on_sent(&core->resp, &run);
		if (core_cc_limits_responses(core))
			core_cc_on_sent(core, run.npkts, run.length);
		sent += run.npkts;
		if (sent >= core->ep.cfg.budget)
			return true;
	}
	return false;
}
