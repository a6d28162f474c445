// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completer: what an acknowledgement, a NAK or a response means for the
 * window of the requester (IBA 9.7.5.2).
 */
#include "req.h"
#include "psn.h"
#include "../wire/aeth.h"
#include "../wire/opcode.h"

/* The timer stays backed off until a packet that was sent once has told how long
 * the way is (Karn): else a path longer than the timer would never be measured.
 */
static void sample_round_trip(struct croce_req *req, u64 now_ns,
			      struct croce_comp_record *rec)
{
	if (!req->rtt_armed || croce_psn_diff(req->una_psn, req->rtt_psn) <= 0)
		return;
	req->rtt_armed = false;
	rec->rtt_ns = max_t(u64, now_ns - req->rtt_start_ns, 1);
	if (!req->srtt_ns)
		req->srtt_ns = rec->rtt_ns;
	else
		req->srtt_ns += (rec->rtt_ns >> 3) - (req->srtt_ns >> 3);
	req->rto_ns = max_t(u64, 4 * max(req->srtt_ns, rec->rtt_ns),
			    CROCE_REQ_RTO_MIN_NS);
}

static void open_window(struct croce_req *req, u32 acked)
{
	if (req->window < req->slow_start) {
		req->window = min(req->window + acked, req->slow_start);
		return;
	}
	req->credit += acked;
	if (req->credit < req->window)
		return;
	req->credit = 0;
	req->window = min(req->window + max(req->window >> 3, 1U),
			  CROCE_REQ_WINDOW_MAX);
}

/* Forward progress (IBA 9.7.6.1.3): the budgets start over. */
static void progress(struct croce_req *req, u32 una_psn, u64 now_ns,
		     struct croce_comp_record *rec)
{
	u32 acked = (una_psn - req->una_psn) & CROCE_PSN_MASK;

	if (!acked)
		return;
	req->una_psn = una_psn;
	rec->verdict = CROCE_COMP_PROGRESS;
	rec->acked += acked;
	sample_round_trip(req, now_ns, rec);
	open_window(req, acked);
	req->retries = req->cfg.retry_cnt;
	req->rnr_retries = req->cfg.rnr_retry;
	req->early = false;
	req->recovering = false;
	if (croce_psn_diff(req->una_psn, req->send_psn) > 0)
		req->send_psn = req->una_psn;
	croce_req_skip_sent(req);
	req->unasked = min(req->unasked,
			   (req->send_psn - una_psn) & CROCE_PSN_MASK);
	/* The packet that the peer was not ready for got through after all. */
	req->rnr_wait = false;
	req->rnr_since_ns = 0;
	croce_req_arm(req, now_ns);
}

/* How far an ACK of everything before @target reaches: no further than the
 * first response that is still missing (IBA 9.7.5.1.4, implied NAK).
 */
static u32 reach(const struct croce_req *req, u32 target)
{
	u32 una = req->una_psn;
	u32 index;

	for (index = req->cons; index != req->prod; index++) {
		const struct croce_wqe *wqe = croce_req_wqe(req, index);

		if (croce_psn_diff(una, target) >= 0 ||
		    !(wqe->flags & CROCE_WQE_STARTED))
			break;
		if (croce_psn_diff(una, wqe->next_psn) >= 0)
			continue;
		if (croce_kind_has_response(wqe->kind))
			break;
		una = croce_psn_diff(target, wqe->next_psn) < 0 ?
		      target : wqe->next_psn;
	}
	return una;
}

/* Returns true when everything before @target is acknowledged now. */
static bool acknowledge(struct croce_req *req, u32 target, u64 now_ns,
			struct croce_comp_record *rec)
{
	if (croce_psn_diff(target, req->una_psn) <= 0)
		return true;
	progress(req, reach(req, target), now_ns, rec);
	return req->una_psn == target;
}

/* Nothing was sent since the last retransmission began: what comes now speaks
 * of packets from before, and what it asks for is about to happen anyway.
 */
static bool nothing_resent(const struct croce_req *req)
{
	return req->send_psn == req->una_psn;
}

static void implied_nak(struct croce_req *req, u64 now_ns,
			struct croce_comp_record *rec)
{
	if (req->recovering || nothing_resent(req))
		return;
	croce_req_rewind(req);
	croce_req_arm(req, now_ns);
	rec->verdict = CROCE_COMP_IMPLIED_NAK;
}

static void fail(struct croce_req *req, u8 status,
		 struct croce_comp_record *rec)
{
	u32 index = croce_req_oldest(req);

	if (index == req->prod)
		return;
	rec->verdict = CROCE_COMP_ERROR;
	rec->status = status;
	croce_req_fail(req, index, status);
}

static void on_seq_nak(struct croce_req *req, struct croce_comp_record *rec)
{
	if (nothing_resent(req))
		return;
	if (!req->retries) {
		fail(req, CROCE_STATUS_RETRY_EXC_ERR, rec);
		return;
	}
	req->retries--;
	croce_req_rewind(req);
	req->deadline_ns = 0;
	rec->verdict = CROCE_COMP_SEQ_NAK;
}

/*
 * IBA 9.7.5.2.8: not sooner than told, but later if we like. Where a CPU is so
 * slow that each copy of the window takes it as long as the wait, the peer's
 * process would never get to post its receive. An eighth of the time spent so
 * far costs little, and the 6 retries that can be counted seldom reach it.
 */
static u64 rnr_pause_ns(struct croce_req *req, u8 code, u64 now_ns)
{
	u64 told = croce_rnr_timer_ns(code);

	if (!req->rnr_since_ns)
		req->rnr_since_ns = now_ns;
	return max(told, min((now_ns - req->rnr_since_ns) / 8,
			     croce_rnr_timer_ns(0)));
}

static void on_rnr_nak(struct croce_req *req, u8 code, u64 now_ns,
		       struct croce_comp_record *rec)
{
	if (nothing_resent(req))
		return;
	if (!req->rnr_retries) {
		fail(req, CROCE_STATUS_RNR_RETRY_EXC_ERR, rec);
		return;
	}
	if (req->rnr_retries != 7)
		req->rnr_retries--;
	/* Not a sign of congestion: the window stays as it is. */
	req->recovering = true;
	croce_req_rewind(req);
	req->rnr_wait = true;
	req->deadline_ns = now_ns + rnr_pause_ns(req, code, now_ns);
	rec->verdict = CROCE_COMP_RNR_NAK;
}

static const u8 nak_status[] = {
	[CROCE_NAK_INV_REQ]	= CROCE_STATUS_REM_INV_REQ_ERR,
	[CROCE_NAK_REM_ACCESS]	= CROCE_STATUS_REM_ACCESS_ERR,
	[CROCE_NAK_REM_OP]	= CROCE_STATUS_REM_OP_ERR,
};

static void on_nak(struct croce_req *req, const struct croce_pkt *pkt,
		   u64 now_ns, struct croce_comp_record *rec)
{
	u8 code = croce_aeth_value(pkt->syndrome);

	/* A NAK acknowledges everything before its PSN. */
	if (!acknowledge(req, pkt->psn, now_ns, rec)) {
		implied_nak(req, now_ns, rec);
		return;
	}
	if (croce_aeth_kind(pkt->syndrome) == CROCE_AETH_RNR)
		on_rnr_nak(req, code, now_ns, rec);
	else if (code == CROCE_NAK_PSN_SEQ)
		on_seq_nak(req, rec);
	else if (code < ARRAY_SIZE(nak_status))
		fail(req, nak_status[code], rec);
}

static void on_acknowledge(struct croce_req *req, const struct croce_pkt *pkt,
			   u64 now_ns, struct croce_comp_record *rec)
{
	switch (croce_aeth_kind(pkt->syndrome)) {
	case CROCE_AETH_ACK:
		if (!acknowledge(req, croce_psn_add(pkt->psn, 1), now_ns, rec))
			implied_nak(req, now_ns, rec);
		break;
	case CROCE_AETH_RNR:
	case CROCE_AETH_NAK:
		on_nak(req, pkt, now_ns, rec);
		break;
	case CROCE_AETH_RESERVED:
		break;
	}
}

static const struct croce_wqe *wqe_of(const struct croce_req *req, u32 psn,
				      u32 *index)
{
	for (*index = req->cons; *index != req->prod; (*index)++) {
		const struct croce_wqe *wqe = croce_req_wqe(req, *index);

		if (!(wqe->flags & CROCE_WQE_STARTED))
			break;
		if (croce_psn_in(psn, wqe->first_psn, wqe->next_psn))
			return wqe;
	}
	return NULL;
}

static u32 expected_length(const struct croce_req *req,
			   const struct croce_wqe *wqe, u32 offset)
{
	if (wqe->kind != CROCE_KIND_READ)
		return 0;
	return min(wqe->length - offset, req->cfg.mtu);
}

static bool response_fits(const struct croce_wqe *wqe,
			  const struct croce_pkt *pkt, u32 length)
{
	u32 flags = croce_opcode_info(pkt->opcode)->flags;
	bool atomic = wqe->kind == CROCE_KIND_CMP_SWAP ||
		      wqe->kind == CROCE_KIND_FETCH_ADD;

	if ((flags & CROCE_OPF_AETH) && croce_aeth_kind(pkt->syndrome) != CROCE_AETH_ACK)
		return false;
	if (atomic)
		return flags & CROCE_OPF_ATOMIC_ACK;
	return (flags & CROCE_OPF_READ_RESP) && pkt->payload_len == length;
}

/* rd_atomic counts requests sent in this pass; send_psn behind the end of the
 * request means that this one was not sent again yet.
 */
static void request_done(struct croce_req *req, const struct croce_wqe *wqe,
			 u32 next_psn)
{
	u32 index = (next_psn - wqe->first_psn) & CROCE_PSN_MASK;

	if (next_psn != wqe->next_psn && index % CROCE_REQ_READ_CHUNK)
		return;
	if (req->rd_atomic && croce_psn_diff(req->send_psn, next_psn) >= 0)
		req->rd_atomic--;
}

static void on_response(struct croce_req *req, const struct croce_pkt *pkt,
			u64 now_ns, struct croce_comp_record *rec)
{
	const struct croce_wqe *wqe;
	u32 index, offset, length;

	wqe = wqe_of(req, pkt->psn, &index);
	if (!wqe || !croce_kind_has_response(wqe->kind))
		return;
	/* A response acknowledges the requests before its own. */
	acknowledge(req, wqe->first_psn, now_ns, rec);
	if (req->una_psn != pkt->psn) {
		implied_nak(req, now_ns, rec);
		return;
	}
	offset = ((pkt->psn - wqe->first_psn) & CROCE_PSN_MASK) *
		 req->cfg.mtu;
	length = expected_length(req, wqe, offset);
	if (!response_fits(wqe, pkt, length)) {
		if (croce_aeth_kind(pkt->syndrome) == CROCE_AETH_NAK)
			on_nak(req, pkt, now_ns, rec);
		else
			fail(req, CROCE_STATUS_BAD_RESP_ERR, rec);
		return;
	}
	request_done(req, wqe, croce_psn_add(pkt->psn, 1));
	progress(req, croce_psn_add(pkt->psn, 1), now_ns, rec);
	if (wqe->kind == CROCE_KIND_CMP_SWAP ||
	    wqe->kind == CROCE_KIND_FETCH_ADD)
		length = sizeof(u64);
	if (!length)
		return;
	rec->verdict = CROCE_COMP_PLACE;
	rec->wqe = index;
	rec->offset = offset;
	rec->length = length;
}

/**
 * croce_comp_is_early - would this response mean that an earlier one is lost?
 * @req: requester
 * @flags: CROCE_OPF_* of the packet
 * @psn: its PSN
 *
 * A caller that can wait keeps such a packet for a while: the earlier one may
 * only have been overtaken. An Acknowledge is early when it covers a response
 * that is still missing, a response when it is not the next one.
 *
 * Return: true when it would. Context: any; the caller owns @req.
 */
bool croce_comp_is_early(const struct croce_req *req, u32 flags, u32 psn)
{
	const struct croce_wqe *wqe;
	u32 index, target;

	if (psn == req->una_psn || req->recovering ||
	    !croce_psn_in(psn, req->una_psn, req->next_psn))
		return false;
	if (flags & CROCE_OPF_ACK) {
		target = croce_psn_add(psn, 1);
		return reach(req, target) != target;
	}
	wqe = wqe_of(req, psn, &index);
	if (!wqe || !croce_kind_has_response(wqe->kind))
		return false;
	if (croce_psn_diff(req->una_psn, wqe->first_psn) >= 0)
		return true;
	return reach(req, wqe->first_psn) != wqe->first_psn ||
	       psn != wqe->first_psn;
}

/**
 * croce_comp_on_packet - an acknowledgement or response has arrived
 * @req: requester
 * @pkt: parsed packet with an opcode that is a response
 * @now_ns: current time
 *
 * Packets outside the window, ghosts of earlier connections included, change
 * nothing. The caller places first (CROCE_COMP_PLACE), then reaps, then
 * sends; when placing fails it calls croce_req_fail() for the WQE.
 *
 * Return: the decision. Context: any; the caller owns @req.
 */
struct croce_comp_record croce_comp_on_packet(struct croce_req *req,
					      const struct croce_pkt *pkt,
					      u64 now_ns)
{
	struct croce_comp_record rec = { .verdict = CROCE_COMP_DROP };
	u32 flags = croce_opcode_info(pkt->opcode)->flags;

	if (req->state == CROCE_REQ_OFF || req->state == CROCE_REQ_ERROR)
		return rec;
	if (!croce_psn_in(pkt->psn, req->una_psn, req->next_psn))
		return rec;
	if (flags & CROCE_OPF_ACK)
		on_acknowledge(req, pkt, now_ns, &rec);
	else if (flags & (CROCE_OPF_READ_RESP | CROCE_OPF_ATOMIC_ACK))
		on_response(req, pkt, now_ns, &rec);
	return rec;
}
