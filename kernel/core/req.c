// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: which packets to send next, and what a packet sent, a timer
 * expired or a WQE finished means for the window. The reading of responses is
 * in comp.c.
 *
 * A long READ is asked for in chunks, each an ordinary READ request of its
 * own: the responder has no flow control of its own, so the requester opens
 * the tap only as far as its window. On the wire this looks like the partial
 * repeat that IBA 9.7.5.1.9 has for lost responses.
 */
#include "req.h"
#include "psn.h"
#include "../wire/opcode.h"

/**
 * croce_req_init - empty requester over a send queue
 * @req: to initialise
 * @ring: private images of the send queue, owned by the caller
 * @slots: their number, a power of two
 *
 * Context: any; the caller owns @req.
 */
void croce_req_init(struct croce_req *req, struct croce_wqe *ring, u32 slots)
{
	memset(req, 0, sizeof(*req));
	req->ring = ring;
	req->mask = slots - 1;
}

/**
 * croce_req_start - begin at the first PSN (transition to RTS)
 * @req: requester
 * @cfg: configuration, copied
 * @first_psn: sq_psn of the QP
 *
 * Context: any; the caller owns @req.
 */
void croce_req_start(struct croce_req *req, const struct croce_req_config *cfg,
		     u32 first_psn)
{
	req->cfg = *cfg;
	req->state = CROCE_REQ_RUN;
	req->retries = cfg->retry_cnt;
	req->rnr_retries = cfg->rnr_retry;
	req->una_psn = first_psn;
	req->send_psn = first_psn;
	req->next_psn = first_psn;
	req->window = CROCE_REQ_WINDOW_MAX;
	req->rto_ns = CROCE_REQ_RTO_INIT_NS;
}

/**
 * croce_req_wqe - private image of a WQE
 * @req: requester
 * @index: free-running index
 *
 * Return: the image; never NULL. Context: any.
 */
struct croce_wqe *croce_req_wqe(const struct croce_req *req, u32 index)
{
	return &req->ring[index & req->mask];
}

static u32 in_flight(const struct croce_req *req)
{
	return (req->send_psn - req->una_psn) & CROCE_PSN_MASK;
}

static bool wqe_is_sent(const struct croce_req *req,
			const struct croce_wqe *wqe)
{
	if (!(wqe->flags & CROCE_WQE_STARTED))
		return false;
	if (wqe->kind == CROCE_KIND_LOCAL)
		return wqe->flags & CROCE_WQE_DONE;
	return croce_psn_diff(req->send_psn, wqe->next_psn) >= 0;
}

/**
 * croce_req_skip_sent - move the send pointer over what needs no sending
 * @req: requester
 *
 * Context: any; the caller owns @req.
 */
void croce_req_skip_sent(struct croce_req *req)
{
	while (req->send != req->prod &&
	       wqe_is_sent(req, croce_req_wqe(req, req->send)))
		req->send++;
}

/* A slow start ends with the first loss that the peer reports. */
static void halve_window(struct croce_req *req)
{
	if (req->window > CROCE_REQ_WINDOW_LOSS)
		req->window = max(req->window / 2, CROCE_REQ_WINDOW_LOSS);
	req->slow_start = min(req->slow_start, max(req->window,
						   CROCE_REQ_WINDOW_LOSS));
}

/**
 * croce_req_rewind - send again from the oldest unacknowledged packet
 * @req: requester
 *
 * Context: any; the caller owns @req.
 */
void croce_req_rewind(struct croce_req *req)
{
	req->send = req->cons;
	req->send_psn = req->una_psn;
	req->rd_atomic = 0;
	req->unasked = 0;
	req->rtt_armed = false;
	if (!req->recovering)
		halve_window(req);
	req->recovering = true;
	croce_req_skip_sent(req);
}

static bool is_in_early_phase(const struct croce_req *req)
{
	return req->rto_ns <= req->cfg.timeout_ns / 2;
}

/**
 * croce_req_arm - start the acknowledgement timer over
 * @req: requester
 * @now_ns: current time
 *
 * Early, adaptive retransmissions follow the round-trip time, and double; when
 * they reach the nominal timeout, the regular ones begin, which are two nominal
 * timeouts apart. So do the NICs that count roce_adp_retrans (measured on
 * ConnectX-6); IBA 9.7.6.1.3 lets the timer run for one to four.
 *
 * Context: any; the caller owns @req.
 */
void croce_req_arm(struct croce_req *req, u64 now_ns)
{
	req->deadline_ns = 0;
	if (!req->cfg.reliable || !req->cfg.timeout_ns || !in_flight(req))
		return;
	req->deadline_ns = now_ns + (is_in_early_phase(req) ?
				     req->rto_ns : req->cfg.timeout_ns);
}

static bool begin_wqe(struct croce_req *req, struct croce_wqe *wqe)
{
	if (wqe->flags & CROCE_WQE_STARTED)
		return true;
	if ((wqe->flags & CROCE_WQE_FENCE) && req->rd_atomic)
		return false;
	wqe->flags |= CROCE_WQE_STARTED;
	wqe->first_psn = req->send_psn;
	wqe->next_psn = req->send_psn;
	if (wqe->kind == CROCE_KIND_LOCAL)
		return true;
	if (croce_kind_has_response(wqe->kind) && wqe->kind != CROCE_KIND_READ)
		wqe->next_psn = croce_psn_add(wqe->first_psn, 1);
	else
		wqe->next_psn = croce_psn_add(wqe->first_psn,
					      croce_psn_count(wqe->length,
							      req->cfg.mtu));
	return true;
}

/* Local operations send nothing that could ask in the run's place. */
static bool run_is_last_for_now(const struct croce_req *req,
				const struct croce_req_run *run,
				const struct croce_wqe *wqe)
{
	u32 index = run->wqe + 1;

	if (run->offset + run->length != wqe->length)
		return false;
	if (req->state != CROCE_REQ_RUN)
		return true;
	while (index != req->prod &&
	       croce_req_wqe(req, index)->kind == CROCE_KIND_LOCAL &&
	       !croce_req_wqe(req, index)->status)
		index++;
	return index == req->prod || croce_req_wqe(req, index)->status;
}

/* SEND and WRITE: as many packets as the window has room for. */
static void plan_data(const struct croce_req *req, const struct croce_wqe *wqe,
		      u32 max_pkts, struct croce_req_run *run)
{
	u32 room = req->window - min(in_flight(req), req->window);
	u32 left = croce_psn_count(wqe->length - run->offset, req->cfg.mtu);

	run->npkts = min3(left, room, max_pkts);
	if (!run->npkts)
		return;
	run->verdict = CROCE_REQ_SEND;
	run->npsn = run->npkts;
	run->length = (u32)min_t(u64, (u64)run->npkts * req->cfg.mtu,
				 wqe->length - run->offset);
	run->ackreq = req->cfg.reliable &&
		      (run->npkts == room ||
		       req->unasked + run->npkts >= CROCE_REQ_ACK_FREQ ||
		       run_is_last_for_now(req, run, wqe));
}

/* READ, atomics and Annex A19: one request packet, npsn response packets. */
static void plan_request(const struct croce_req *req,
			 const struct croce_wqe *wqe,
			 struct croce_req_run *run)
{
	u32 flight = in_flight(req);
	u32 index = (run->psn - wqe->first_psn) & CROCE_PSN_MASK;
	u32 left = 1;

	if (req->rd_atomic >= req->cfg.max_rd_atomic)
		return;
	if (wqe->kind == CROCE_KIND_READ)
		left = min(croce_psn_count(wqe->length - run->offset,
					   req->cfg.mtu),
			   CROCE_REQ_READ_CHUNK -
			   (index & (CROCE_REQ_READ_CHUNK - 1)));
	/* What did not ask for an ACK needs this response to open the window. */
	if (flight && !req->unasked && flight + left > req->window)
		return;
	run->verdict = CROCE_REQ_SEND;
	run->npkts = 1;
	run->npsn = left;
	run->ackreq = true;
	if (wqe->kind == CROCE_KIND_READ)
		run->length = (u32)min_t(u64, (u64)left * req->cfg.mtu,
					 wqe->length - run->offset);
}

static bool may_begin(const struct croce_req *req, struct croce_wqe *wqe)
{
	/* It would wait for ever. */
	if (croce_kind_has_response(wqe->kind) && !req->cfg.max_rd_atomic &&
	    !wqe->status)
		wqe->status = CROCE_STATUS_LOC_QP_OP_ERR;
	return !wqe->status && (req->state == CROCE_REQ_RUN ||
				(wqe->flags & CROCE_WQE_STARTED));
}

/* What was to follow and ask for an ACK does not: it failed, perhaps half
 * sent, or the queue is being drained. Go back over the last packet before it,
 * which then asks.
 */
static bool step_back_to_ask(struct croce_req *req)
{
	const struct croce_wqe *wqe = croce_req_wqe(req, req->send);
	u32 index = req->send;
	u32 psn = req->send_psn;

	if (!req->cfg.reliable || !req->unasked)
		return false;
	if (req->send != req->prod && (wqe->flags & CROCE_WQE_STARTED))
		psn = wqe->first_psn;
	if (croce_psn_diff(psn, req->una_psn) <= 0)
		return false;
	do {
		wqe = croce_req_wqe(req, --index);
	} while (wqe->kind == CROCE_KIND_LOCAL);
	if (croce_kind_has_response(wqe->kind))
		return false;
	req->unasked = CROCE_REQ_ACK_FREQ;
	req->send_psn = croce_psn_add(psn, -1);
	req->send = index;
	return true;
}

/**
 * croce_req_next - decide what to send next
 * @req: requester
 * @max_pkts: packets of one run at most, at least 1
 *
 * Asking again without croce_req_on_sent() gives the same answer, so a run
 * that could not be transmitted is simply asked for later.
 *
 * Return: the run; see struct croce_req_run.
 * Context: any; the caller owns @req.
 */
struct croce_req_run croce_req_next(struct croce_req *req, u32 max_pkts)
{
	struct croce_req_run run = { .verdict = CROCE_REQ_IDLE };
	struct croce_wqe *wqe;

	if (req->rnr_wait ||
	    (req->state != CROCE_REQ_RUN && req->state != CROCE_REQ_DRAIN))
		return run;
	if (req->send == req->prod ||
	    !may_begin(req, croce_req_wqe(req, req->send))) {
		if (!step_back_to_ask(req))
			return run;
	}

	wqe = croce_req_wqe(req, req->send);
	run.verdict = CROCE_REQ_BLOCKED;
	if (!begin_wqe(req, wqe))
		return run;
	run.wqe = req->send;
	run.psn = req->send_psn;
	run.offset = ((run.psn - wqe->first_psn) & CROCE_PSN_MASK) *
		     req->cfg.mtu;
	if (wqe->kind == CROCE_KIND_LOCAL)
		run.verdict = CROCE_REQ_LOCAL;
	else if (croce_kind_has_response(wqe->kind))
		plan_request(req, wqe, &run);
	else
		plan_data(req, wqe, max_pkts, &run);
	return run;
}

static void time_round_trip(struct croce_req *req,
			    const struct croce_req_run *run, u64 now_ns)
{
	if (req->rtt_armed || !run->ackreq || run->psn != req->next_psn)
		return;
	req->rtt_armed = true;
	req->rtt_psn = croce_psn_add(run->psn, run->npsn - 1);
	req->rtt_start_ns = now_ns;
}

/**
 * croce_req_on_sent - the run is on its way, or performed
 * @req: requester
 * @run: the answer of croce_req_next() just before
 * @now_ns: current time
 *
 * Context: any; the caller owns @req.
 */
void croce_req_on_sent(struct croce_req *req, const struct croce_req_run *run,
		       u64 now_ns)
{
	struct croce_wqe *wqe = croce_req_wqe(req, run->wqe);

	if (run->verdict == CROCE_REQ_LOCAL) {
		wqe->flags |= CROCE_WQE_DONE;
		croce_req_skip_sent(req);
		return;
	}
	time_round_trip(req, run, now_ns);
	if (croce_kind_has_response(wqe->kind))
		req->rd_atomic++;
	req->unasked = run->ackreq ? 0 : req->unasked + run->npkts;
	req->send_psn = croce_psn_add(req->send_psn, run->npsn);
	if (croce_psn_diff(req->send_psn, req->next_psn) > 0)
		req->next_psn = req->send_psn;
	croce_req_skip_sent(req);
	if (!req->cfg.reliable)
		req->una_psn = req->send_psn;
	else if (!req->deadline_ns)
		croce_req_arm(req, now_ns);
}

/**
 * croce_req_unsend - packets that were on their way have not left after all
 * @req: reliable requester
 * @psn: the first of them; they carry data, and none asks for a response
 *
 * Nothing is lost, so no window is halved. The packet before them may have
 * counted on one of them to ask for its ACK. next_psn stays: a queue that
 * refuses the rest of what was segmented has passed the beginning on, whose
 * ACK is then expected.
 *
 * Context: any; the caller owns @req.
 */
void croce_req_unsend(struct croce_req *req, u32 psn)
{
	if (croce_psn_diff(req->send_psn, psn) <= 0)
		return;
	req->send_psn = psn;
	req->send = req->cons;
	req->unasked = CROCE_REQ_ACK_FREQ;
	if (croce_psn_diff(req->rtt_psn, psn) >= 0)
		req->rtt_armed = false;
	if (!in_flight(req))
		req->deadline_ns = 0;
	croce_req_skip_sent(req);
}

/* Opcodes by position: only, first, middle, last. */
static const u8 send_opcode[4] = {
	CROCE_OP_RC_SEND_ONLY, CROCE_OP_RC_SEND_FIRST,
	CROCE_OP_RC_SEND_MIDDLE, CROCE_OP_RC_SEND_LAST,
};

static const u8 write_opcode[4] = {
	CROCE_OP_RC_WRITE_ONLY, CROCE_OP_RC_WRITE_FIRST,
	CROCE_OP_RC_WRITE_MIDDLE, CROCE_OP_RC_WRITE_LAST,
};

static const u8 single_opcode[] = {
	[CROCE_KIND_READ]	  = CROCE_OP_RC_READ_REQ,
	[CROCE_KIND_CMP_SWAP]	  = CROCE_OP_RC_CMP_SWAP,
	[CROCE_KIND_FETCH_ADD]	  = CROCE_OP_RC_FETCH_ADD,
	[CROCE_KIND_ATOMIC_WRITE] = CROCE_OP_RC_ATOMIC_WRITE,
	[CROCE_KIND_FLUSH]	  = CROCE_OP_RC_FLUSH,
};

static u8 last_send_opcode(const struct croce_wqe *wqe, bool only)
{
	if (wqe->flags & CROCE_WQE_IMM)
		return only ? CROCE_OP_RC_SEND_ONLY_IMM :
			      CROCE_OP_RC_SEND_LAST_IMM;
	if (wqe->flags & CROCE_WQE_INV)
		return only ? CROCE_OP_RC_SEND_ONLY_INV :
			      CROCE_OP_RC_SEND_LAST_INV;
	return send_opcode[only ? 0 : 3];
}

static u8 last_write_opcode(const struct croce_wqe *wqe, bool only)
{
	if (wqe->flags & CROCE_WQE_IMM)
		return only ? CROCE_OP_RC_WRITE_ONLY_IMM :
			      CROCE_OP_RC_WRITE_LAST_IMM;
	return write_opcode[only ? 0 : 3];
}

/**
 * croce_req_opcode - RC opcode of one packet of a run
 * @wqe: the WQE
 * @run: the run
 * @i: packet, counted from 0
 *
 * Return: the opcode with the RC transport prefix; UC and XRC replace it.
 * Context: any.
 */
u8 croce_req_opcode(const struct croce_wqe *wqe,
		    const struct croce_req_run *run, u32 i)
{
	u32 psn = croce_psn_add(run->psn, i);
	bool first = psn == wqe->first_psn;
	bool last = croce_psn_add(psn, 1) == wqe->next_psn;
	const u8 *table;

	if (wqe->kind != CROCE_KIND_SEND && wqe->kind != CROCE_KIND_WRITE)
		return single_opcode[wqe->kind];
	if (last && wqe->kind == CROCE_KIND_SEND)
		return last_send_opcode(wqe, first);
	if (last)
		return last_write_opcode(wqe, first);
	table = wqe->kind == CROCE_KIND_SEND ? send_opcode : write_opcode;
	return table[first ? 1 : 2];
}

static bool wqe_is_finished(const struct croce_req *req,
			    const struct croce_wqe *wqe)
{
	bool started = wqe->flags & CROCE_WQE_STARTED;

	/* One that is bad from the start fails when its time has come. */
	if (wqe->status)
		return started || req->state != CROCE_REQ_DRAIN;
	if (!started)
		return false;
	if (wqe->kind == CROCE_KIND_LOCAL && !(wqe->flags & CROCE_WQE_DONE))
		return false;
	return croce_psn_diff(req->una_psn, wqe->next_psn) >= 0;
}

/**
 * croce_req_reap - take the oldest WQE if it is finished
 * @req: requester
 *
 * Call until NULL. A WQE with a status other than success ends the work of
 * the queue: the caller moves the QP to error.
 *
 * Return: the WQE, valid until its slot is filled again, or NULL.
 * Context: any; the caller owns @req.
 */
struct croce_wqe *croce_req_reap(struct croce_req *req)
{
	struct croce_wqe *wqe;

	if (req->cons == req->prod)
		return NULL;
	wqe = croce_req_wqe(req, req->cons);
	if (!wqe_is_finished(req, wqe))
		return NULL;
	if (req->send == req->cons)
		req->send++;
	req->cons++;
	return wqe;
}

/**
 * croce_req_fail - fail one WQE and stop
 * @req: requester
 * @index: index of the WQE
 * @status: enum croce_status, not success
 *
 * Context: any; the caller owns @req.
 */
void croce_req_fail(struct croce_req *req, u32 index, u8 status)
{
	croce_req_wqe(req, index)->status = status;
	req->state = CROCE_REQ_ERROR;
	req->rnr_wait = false;
	req->deadline_ns = 0;
}

/**
 * croce_req_is_drained - is the send queue quiet (SQD)?
 * @req: requester
 *
 * Return: true when nothing that was begun is unfinished.
 * Context: any; the caller owns @req.
 */
bool croce_req_is_drained(const struct croce_req *req)
{
	return req->una_psn == req->next_psn &&
	       (req->cons == req->prod ||
		!(croce_req_wqe(req, req->cons)->flags & CROCE_WQE_STARTED));
}

/**
 * croce_req_oldest - index of the oldest WQE that is not acknowledged
 * @req: requester
 *
 * Return: its index, or prod. Context: any; the caller owns @req.
 */
u32 croce_req_oldest(const struct croce_req *req)
{
	u32 index = req->cons;

	while (index != req->prod) {
		const struct croce_wqe *wqe = croce_req_wqe(req, index);

		if (!(wqe->flags & CROCE_WQE_STARTED) ||
		    croce_psn_diff(req->una_psn, wqe->next_psn) < 0)
			break;
		index++;
	}
	return index;
}

static void back_off(struct croce_req *req, struct croce_comp_record *rec)
{
	if (is_in_early_phase(req)) {
		/* The whole early phase costs one retry, as on ConnectX. */
		if (!req->early && req->retries)
			req->retries--;
		req->early = true;
		req->rto_ns *= 2;
		rec->verdict = CROCE_COMP_EARLY;
		return;
	}
	/* Behind an early phase, the last of the retries is the error. */
	if (req->retries <= req->early) {
		rec->verdict = CROCE_COMP_ERROR;
		rec->status = CROCE_STATUS_RETRY_EXC_ERR;
		return;
	}
	req->retries--;
	rec->verdict = CROCE_COMP_TIMEOUT;
}

/*
 * Nothing came back at all: the peer or the path may just be slow, and each
 * copy of the window that is sent again stands in front of what would be
 * progress. So one packet asks how far the peer is, and its answer begins a
 * slow start.
 */
static void rewind_after_silence(struct croce_req *req)
{
	/* A second expiry knows no more than the first. */
	if (req->window > CROCE_REQ_WINDOW_MIN)
		req->slow_start = max(req->window / 2, CROCE_REQ_WINDOW_LOSS);
	req->window = CROCE_REQ_WINDOW_MIN;
	req->credit = 0;
	req->recovering = true;
	croce_req_rewind(req);
}

/**
 * croce_req_on_timer - the timer may have expired
 * @req: requester
 * @now_ns: current time
 *
 * Return: CROCE_COMP_DROP when it was not due, CROCE_COMP_RESUME after an RNR
 * wait, CROCE_COMP_EARLY or CROCE_COMP_TIMEOUT when packets are to be sent
 * again, CROCE_COMP_ERROR when the retries are used up.
 * Context: any; the caller owns @req.
 */
struct croce_comp_record croce_req_on_timer(struct croce_req *req, u64 now_ns)
{
	struct croce_comp_record rec = { .verdict = CROCE_COMP_DROP };

	if (!req->deadline_ns || now_ns < req->deadline_ns)
		return rec;
	req->deadline_ns = 0;
	if (req->rnr_wait) {
		req->rnr_wait = false;
		rec.verdict = CROCE_COMP_RESUME;
		return rec;
	}
	if (!in_flight(req))
		return rec;
	back_off(req, &rec);
	if (rec.verdict == CROCE_COMP_ERROR)
		croce_req_fail(req, croce_req_oldest(req), rec.status);
	else
		rewind_after_silence(req);
	return rec;
}
