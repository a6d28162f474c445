// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A queue pair with the module's core: a small performer of its decisions, in
 * the order in which the module has it: take in, respond, request, reap.
 */
#include "core.h"
#include "../kunit/invariant.h"

#include <stdlib.h>
#include <string.h>

#define LOCAL_RETRY_NS	200000

static void check(const struct core *core)
{
	const char *wrong = invariant_req(&core->req);

	if (!wrong)
		wrong = invariant_resp(&core->resp);
	if (wrong)
		oracle_fail("%s: %s", core->ep.name, wrong);
}

bool core_queue_is_full(struct core *core)
{
	struct endpoint *ep = &core->ep;

	return !ep->out.has_room(ep->out.to) ||
	       rng_chance(&ep->rng, ep->cfg.local_fail);
}

static void to_error(struct core *core)
{
	trace(&core->ep, "goes to error");
	core->fatal = false;
	core->is_error = true;
	core->is_held = false;
	core->req.state = CROCE_REQ_ERROR;
	core->req.deadline_ns = 0;
	croce_resp_stop(&core->resp);
}

/* Returns true when that made room for messages that are waiting. */
static bool reap(struct core *core)
{
	struct croce_req *req = &core->req;
	u32 before = req->cons;
	struct croce_wqe *wqe;

	while (!core->is_error && (wqe = croce_req_reap(req))) {
		if (core->is_held)
			oracle_fail("%s: completes while drained",
				    core->ep.name);
		flow_complete(core->ep.tx, wqe->wr_id, wqe->status);
		if (wqe->status)
			to_error(core);
	}
	if (req->cons != before && core->ep.on_done)
		core->ep.on_done(core->ep.context);
	return req->cons != before && req->prod != core->ep.tx->posted;
}

static void flush(struct core *core)
{
	struct flow *tx = core->ep.tx;

	if (!core->is_error)
		return;
	if (!tx->failed)
		tx->failed = CROCE_STATUS_WR_FLUSH_ERR;
	while (tx->done < tx->posted)
		flow_complete(tx, tx->done, CROCE_STATUS_WR_FLUSH_ERR);
}

static void take_packet(struct core *core, const struct croce_pkt *pkt,
			const u8 *bytes, bool is_marked)
{
	u32 flags = croce_opcode_info(pkt->opcode)->flags;

	if (flags & CROCE_OPF_CNP)
		core_cc_on_cnp(core);
	else if (flags & CROCE_OPF_REQUEST)
		core_on_request(core, pkt, bytes);
	else
		core_on_response(core, pkt, bytes);
	if (is_marked)
		core_cc_on_mark(core, pkt);
	check(core);
}

static void take_in(struct core *core)
{
	struct frame *frame;
	struct croce_pkt pkt;

	while ((frame = core->backlog)) {
		core->backlog = frame->next;
		if (!core->backlog)
			core->last = &core->backlog;
		if (!frame_parse(frame, &pkt)) {
			frame_free(frame);
			continue;
		}
		/* Only for the oracle of UC, see struct piece. */
		pkt.pkey = frame->tag;
		take_packet(core, &pkt, frame->bytes + pkt.hdr_len,
			    frame->ecn == FRAME_CE);
		frame_free(frame);
	}
}

static void turn(void *context, void *argument);

static void schedule(struct core *core, u64 delay_ns)
{
	u64 at = core->ep.vt->now_ns + delay_ns;

	if (at >= core->turn_ns)
		return;
	core->turn_ns = at;
	vtime_at(core->ep.vt, at, turn, core, NULL);
}

static void wake(void *context, void *argument)
{
	struct core *core = context;

	(void)argument;
	core->wake_ns = U64_MAX;
	schedule(core, 0);
}

static void set_timer(struct core *core)
{
	u64 due = core->req.deadline_ns ? core->req.deadline_ns : U64_MAX;

	if (core->pace_ns)
		due = min(due, core->pace_ns);
	if (core->retry_local)
		due = min(due, core->ep.vt->now_ns + LOCAL_RETRY_NS);
	if (due >= core->wake_ns)
		return;
	core->wake_ns = due;
	vtime_at(core->ep.vt, due, wake, core, NULL);
}

static void resume(void *context, void *argument)
{
	struct core *core = context;

	(void)argument;
	if (core->is_error)
		return;
	trace(&core->ep, "resumes");
	core->is_held = false;
	core->req.state = CROCE_REQ_RUN;
	schedule(core, 0);
}

/* SQD: hold still for a while once all that was begun is finished. */
static void drain(struct core *core)
{
	struct endpoint *ep = &core->ep;

	if (core->is_error || core->is_held)
		return;
	if (core->req.state != CROCE_REQ_DRAIN &&
	    rng_chance(&ep->rng, ep->cfg.drain)) {
		trace(ep, "drains");
		core->req.state = CROCE_REQ_DRAIN;
		schedule(core, 0);
	}
	if (core->req.state != CROCE_REQ_DRAIN ||
	    !croce_req_is_drained(&core->req))
		return;
	core->is_held = true;
	vtime_in(ep->vt, rng_in(&ep->rng, 0, 30000000), resume, core, NULL);
}

static void turn(void *context, void *argument)
{
	struct core *core = context;
	bool again;

	(void)argument;
	/* An earlier one did its work. */
	if (core->turn_ns != core->ep.vt->now_ns)
		return;
	core->turn_ns = U64_MAX;
	core->retry_local = false;
	core->pace_ns = 0;
	take_in(core);
	core_on_timer(core);
	check(core);
	again = core_respond(core);
	if (core->fatal && !core->retry_local && !again)
		to_error(core);
	again |= core_request(core);
	again |= reap(core);
	flush(core);
	drain(core);
	check(core);
	set_timer(core);
	if (again)
		schedule(core, 1);
}

static void core_kick(struct endpoint *ep)
{
	schedule((struct core *)ep, 0);
}

static void core_receive(void *to, void *argument)
{
	struct frame *frame = argument;
	struct core *core = to;
	struct endpoint *ep = to;

	frame->next = NULL;
	*core->last = frame;
	core->last = &frame->next;
	schedule(core, rng_in(&ep->rng, 0, ep->cfg.turn_ns));
}

static void core_check_idle(struct endpoint *ep)
{
	struct core *core = (struct core *)ep;

	if (core->is_error)
		return;
	if (core->req.deadline_ns)
		oracle_fail("%s: idle, but a timer runs", ep->name);
	if (core->req.una_psn != core->req.next_psn || core->req.rd_atomic)
		oracle_fail("%s: idle, but not acknowledged", ep->name);
	if (croce_resp_owes(&core->resp))
		oracle_fail("%s: idle, but owes", ep->name);
	if (ep->received != ep->rx->received)
		oracle_fail("%s: %u receive WQEs completed, not %u", ep->name,
			    ep->received, ep->rx->received);
}

static void core_destroy(struct endpoint *ep)
{
	struct core *core = (struct core *)ep;

	while (core->backlog) {
		struct frame *frame = core->backlog;

		core->backlog = frame->next;
		frame_free(frame);
	}
	free(core->ring);
	free(core->replay);
	free(core);
}

static const struct endpoint_ops core_ops = {
	.kick = core_kick,
	.receive = core_receive,
	.check_idle = core_check_idle,
	.destroy = core_destroy,
};

static void start(struct core *core)
{
	const struct endpoint_config *cfg = &core->ep.cfg;
	struct croce_req_config req = {
		.mtu = cfg->mtu,
		.max_rd_atomic = cfg->max_rd_atomic,
		.retry_cnt = cfg->retry_cnt,
		.rnr_retry = cfg->rnr_retry,
		.timeout_ns = cfg->timeout_ns,
		.reliable = cfg->reliable,
	};
	struct croce_resp_config resp = {
		.mtu = cfg->mtu,
		.reliable = cfg->reliable,
	};

	croce_req_init(&core->req, core->ring, cfg->sq_depth);
	croce_req_start(&core->req, &req, cfg->first_psn);
	croce_resp_start(&core->resp, &resp, core->replay, cfg->peer_rd_atomic,
			 cfg->peer_psn);
	core_cc_start(core);
}

struct endpoint *core_create(const struct endpoint *common)
{
	struct core *core = calloc(1, sizeof(*core));

	if (!core)
		abort();
	core->ep = *common;
	core->ep.ops = &core_ops;
	core->last = &core->backlog;
	core->wake_ns = U64_MAX;
	core->turn_ns = U64_MAX;
	core->ring = calloc(common->cfg.sq_depth, sizeof(*core->ring));
	core->replay = calloc(common->cfg.peer_rd_atomic,
			      sizeof(*core->replay));
	if (!core->ring || !core->replay)
		abort();
	start(core);
	return &core->ep;
}
