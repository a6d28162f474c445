// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester, completer and responder under arbitrary packets and events: the
 * invariants hold after each, and nothing goes on for ever. Input: events of
 * four bytes, what it is and what it is about. Packets lie near what is
 * expected, so that they are not all dropped.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../../kernel/wire/aeth.h"
#include "../../../kernel/wire/opcode.h"
#include "../../kunit/invariant.h"

#define SQ_SLOTS	16
#define REPLAY_SLOTS	3
#define MTU		256U
/* More runs than any window or READ can ask for. */
#define MANY		40000

struct state {
	struct croce_req req;
	struct croce_wqe ring[SQ_SLOTS];
	struct croce_resp resp;
	struct croce_replay replay[REPLAY_SLOTS];
	u64 now_ns;
};

static void fail(const char *what)
{
	fprintf(stderr, "core_fuzz: %s\n", what);
	abort();
}

static void check(const struct state *state)
{
	const char *wrong = invariant_req(&state->req);

	if (!wrong)
		wrong = invariant_resp(&state->resp);
	if (wrong)
		fail(wrong);
}

static void start(struct state *state, u8 choice)
{
	struct croce_req_config cfg = {
		.mtu = MTU,
		.max_rd_atomic = choice >> 1 & 3,
		.retry_cnt = choice >> 2 & 7,
		.rnr_retry = choice >> 5,
		.timeout_ns = 4096ULL << (choice & 0xf),
		.reliable = choice & 1,
	};
	struct croce_resp_config resp_cfg = {
		.mtu = MTU,
		.reliable = choice & 1,
	};

	memset(state, 0, sizeof(*state));
	croce_req_init(&state->req, state->ring, SQ_SLOTS);
	croce_req_start(&state->req, &cfg, 0xffffff);
	croce_resp_start(&state->resp, &resp_cfg, state->replay,
			 choice & 2 ? REPLAY_SLOTS : choice >> 7, 0xffffff);
}

static u32 some_length(u8 choice)
{
	static const u32 lengths[] = { 0, 1, MTU - 1, MTU, MTU + 1, 65 * MTU,
				       128 * MTU, 300 * MTU + 5 };

	return lengths[choice & 7];
}

static void on_post(struct state *state, u8 kind, u8 flags, u8 length)
{
	struct croce_req *req = &state->req;
	struct croce_wqe *wqe = croce_req_wqe(req, req->prod);

	if (req->prod - req->cons == SQ_SLOTS)
		return;
	memset(wqe, 0, sizeof(*wqe));
	wqe->kind = kind % (CROCE_KIND_LOCAL + 1);
	if (!req->cfg.reliable && croce_kind_has_response(wqe->kind))
		wqe->kind = CROCE_KIND_SEND;
	wqe->flags = flags & ~(CROCE_WQE_STARTED | CROCE_WQE_DONE);
	wqe->length = some_length(length);
	wqe->status = length > 240 ? CROCE_STATUS_LOC_PROT_ERR : 0;
	req->prod++;
}

/* What is together in one skb: data of a reliable requester. */
static bool is_together(const struct state *state, const struct croce_req_run *run)
{
	const struct croce_wqe *wqe = croce_req_wqe(&state->req, run->wqe);

	return state->req.cfg.reliable && run->verdict == CROCE_REQ_SEND &&
	       !croce_kind_has_response(wqe->kind);
}

/* The local queue refuses all that is together, and it is sent once more. */
static void refuse(struct state *state, u32 first)
{
	u32 flight = croce_psn_diff(state->req.send_psn, first);

	croce_req_unsend(&state->req, first);
	check(state);
	if ((s32)flight > 0 && state->req.send_psn != first)
		fail("unsent, and not to be sent next");
}

static void send_some(struct state *state, u8 max_pkts, u8 fault)
{
	bool refuses = fault > 200 && fault <= 250;
	struct croce_req_run run;
	bool together = false;
	u32 first = 0;
	u32 n = 0;

	for (;;) {
		run = croce_req_next(&state->req, max_pkts % 64 + 1);
		if (run.verdict < CROCE_REQ_SEND) {
			if (refuses && together)
				refuse(state, first);
			return;
		}
		if (fault > 250) {
			croce_req_wqe(&state->req, run.wqe)->status =
				CROCE_STATUS_LOC_PROT_ERR;
			fault = 0;
			continue;
		}
		if (run.verdict == CROCE_REQ_SEND && !run.npkts)
			fail("a run of nothing");
		if (!together)
			first = run.psn;
		together = is_together(state, &run);
		croce_req_on_sent(&state->req, &run, state->now_ns);
		check(state);
		if (++n > MANY)
			fail("sends for ever");
		if (max_pkts & 0x80)
			return;
	}
}

static void reap(struct state *state)
{
	const struct croce_wqe *wqe;

	while ((wqe = croce_req_reap(&state->req)))
		if (wqe->status)
			state->req.state = CROCE_REQ_ERROR;
	if (state->req.state == CROCE_REQ_ERROR)
		state->req.deadline_ns = 0;
}

static const u8 responses[] = {
	CROCE_OP_RC_ACK, CROCE_OP_RC_ACK, CROCE_OP_RC_ACK,
	CROCE_OP_RC_READ_RESP_FIRST, CROCE_OP_RC_READ_RESP_MIDDLE,
	CROCE_OP_RC_READ_RESP_LAST, CROCE_OP_RC_READ_RESP_ONLY,
	CROCE_OP_RC_ATOMIC_ACK,
};

/* The PSN of the end of WQEs is more likely to do something than others. */
static u32 some_psn(const struct state *state, u8 choice)
{
	const struct croce_req *req = &state->req;

	if (choice & 0x80)
		return croce_psn_add(req->una_psn, (s8)(choice << 1) >> 1);
	if (choice & 0x40)
		return croce_psn_add(req->next_psn, -1 - (choice & 0x3f));
	return croce_psn_add(croce_req_wqe(req, choice)->next_psn, -1);
}

static void on_response(struct state *state, u8 what, u8 where, u8 detail)
{
	struct croce_pkt pkt = {
		.opcode = responses[what & 7],
		.psn = some_psn(state, where),
		.syndrome = detail & 0x80 ? croce_aeth_ack(31) : detail & 0x7f,
		.payload_len = detail & 0x40 ? MTU : detail & 7,
	};
	u32 una = state->req.una_psn;
	struct croce_comp_record rec;
	bool early = pkt.psn == una || state->req.recovering ||
		     croce_comp_is_early(&state->req,
					 croce_opcode_flags(pkt.opcode),
					 pkt.psn);

	if (pkt.opcode == CROCE_OP_RC_READ_RESP_MIDDLE)
		pkt.syndrome = 0;
	rec = croce_comp_on_packet(&state->req, &pkt, state->now_ns);
	if (rec.verdict == CROCE_COMP_DROP && una != state->req.una_psn)
		fail("progress that nobody was told of");
	if (rec.verdict == CROCE_COMP_IMPLIED_NAK && !early)
		fail("an implied NAK that was not early");
	if (rec.acked != ((state->req.una_psn - una) & CROCE_PSN_MASK))
		fail("acknowledgements miscounted");
	if (rec.verdict == CROCE_COMP_PLACE &&
	    (rec.wqe - state->req.cons >= SQ_SLOTS ||
	     (u64)rec.offset + rec.length >
	     max(croce_req_wqe(&state->req, rec.wqe)->length, 8U)))
		fail("places where there is no room");
}

static void on_timer(struct state *state, u8 later)
{
	state->now_ns += (u64)later << 18;
	if (later & 1 && state->req.deadline_ns)
		state->now_ns = max(state->now_ns, state->req.deadline_ns);
	croce_req_on_timer(&state->req, state->now_ns);
}

static void on_request(struct state *state, u8 opcode, u8 where, u8 detail)
{
	struct croce_resp *resp = &state->resp;
	struct croce_pkt pkt = {
		.opcode = opcode & 0x1f,
		.psn = croce_psn_add(resp->epsn, (s8)where >> 2),
		.ackreq = detail & 1,
		.payload_len = detail & 2 ? MTU : detail >> 4,
		.dma_len = detail & 4 ? some_length(detail >> 3) :
					0x80000000U + 256 * (detail >> 3) - 16,
		.va = (u64)detail << 56,
	};
	struct croce_resp_record rec;

	if (!resp->cfg.reliable)
		pkt.opcode |= CROCE_TRANSPORT_UC;
	if (!(croce_opcode_flags(pkt.opcode) & CROCE_OPF_REQUEST))
		return;
	rec = croce_resp_decide(resp, &pkt);
	if (rec.verdict == CROCE_RESP_INVALID)
		croce_resp_refuse(resp, croce_aeth_nak(CROCE_NAK_INV_REQ));
	else if (rec.verdict == CROCE_RESP_EXECUTE && (where & 3) == 3)
		croce_resp_refuse(resp, croce_aeth_rnr(detail & 31));
	else if (rec.verdict == CROCE_RESP_EXECUTE)
		croce_resp_accept(resp, &pkt, &rec, detail);
	else if (rec.verdict == CROCE_RESP_DUPLICATE)
		croce_resp_repeat(resp, &pkt);
	else if (rec.verdict == CROCE_RESP_OUT_OF_ORDER)
		croce_resp_on_gap(resp, &pkt);
}

static void respond(struct state *state, u8 max_pkts, u8 fault, u8 shorter)
{
	struct croce_resp *resp = &state->resp;
	u32 n = 0;

	while (croce_resp_owes(resp)) {
		struct croce_resp_run run;

		run = croce_resp_next(resp, (max_pkts & 0x7f) * 1024U + 1);
		if (run.tx == CROCE_RESP_TX_NONE || !run.npkts)
			fail("owes nothing");
		if (run.tx == CROCE_RESP_TX_READ && fault > 250) {
			croce_resp_abandon(resp, &run, croce_aeth_nak(2));
			fault = 0;
			continue;
		}
		if (run.tx == CROCE_RESP_TX_READ && shorter % 4 == 3 &&
		    run.npkts > 1) {
			run.npkts--;
			run.last = false;
		}
		croce_resp_on_sent(resp, &run);
		check(state);
		if (max_pkts & 0x80)
			return;
		if (++n > MANY && max_pkts & 0x7f)
			fail("answers for ever");
		if (n > MANY)
			return;
	}
	if (resp->replay_pending || resp->ack_owed)
		fail("owes after all");
}

static void on_event(struct state *state, const u8 *event)
{
	switch (event[0] & 0xf) {
	case 0:
	case 1:
	case 2:
		on_post(state, event[1], event[2], event[3]);
		break;
	case 3:
	case 4:
		send_some(state, event[1], event[2]);
		break;
	case 5:
	case 6:
	case 7:
	case 8:
		on_response(state, event[1], event[2], event[3]);
		break;
	case 9:
		on_timer(state, event[1]);
		break;
	case 10:
		if (state->req.state != CROCE_REQ_ERROR)
			state->req.state = event[1] & 1 ? CROCE_REQ_DRAIN :
							  CROCE_REQ_RUN;
		break;
	case 11:
		respond(state, event[1], event[2], event[3]);
		break;
	default:
		on_request(state, event[1], event[2], event[3]);
		break;
	}
	reap(state);
	check(state);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct state state;
	size_t i;

	if (!size)
		return 0;
	start(&state, data[0]);
	for (i = 1; i + 4 <= size; i += 4)
		on_event(&state, data + i);
	return 0;
}
