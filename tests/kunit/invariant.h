/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What holds between any two transitions of the core: for suites, fuzzers and
 * the simulator. The answer is what is wrong, or NULL.
 */
#ifndef CROCE_TESTS_INVARIANT_H
#define CROCE_TESTS_INVARIANT_H

#include "../../kernel/core/psn.h"
#include "../../kernel/core/req.h"
#include "../../kernel/core/resp.h"

static inline u32 psn_span(u32 first, u32 next)
{
	return (next - first) & CROCE_PSN_MASK;
}

/* Ends of requests with a response in [una_psn, send_psn), counted anew. */
static inline u32 count_requests(const struct croce_req *req)
{
	u32 flight = psn_span(req->una_psn, req->send_psn);
	u32 count = 0;
	u32 index;

	for (index = req->cons; index != req->prod; index++) {
		const struct croce_wqe *wqe = croce_req_wqe(req, index);
		u32 total = psn_span(wqe->first_psn, wqe->next_psn);
		u32 end;

		if (!(wqe->flags & CROCE_WQE_STARTED))
			break;
		if (!croce_kind_has_response(wqe->kind))
			continue;
		for (end = 0; end < total;) {
			u32 ahead;

			end = min(end + CROCE_REQ_READ_CHUNK, total);
			ahead = psn_span(req->una_psn,
					 croce_psn_add(wqe->first_psn, end));
			count += ahead && ahead <= flight;
		}
	}
	return count;
}

static inline const char *check_chain(const struct croce_req *req)
{
	bool started = true;
	u32 index, psn = 0;

	for (index = req->cons; index != req->prod; index++) {
		const struct croce_wqe *wqe = croce_req_wqe(req, index);

		if (!(wqe->flags & CROCE_WQE_STARTED)) {
			started = false;
			continue;
		}
		if (!started)
			return "a WQE is started behind one that is not";
		if (index != req->cons && wqe->first_psn != psn)
			return "PSNs of WQEs do not follow each other";
		psn = wqe->next_psn;
	}
	return NULL;
}

static inline const char *invariant_req(const struct croce_req *req)
{
	u32 flight = psn_span(req->una_psn, req->send_psn);

	if (flight > psn_span(req->una_psn, req->next_psn))
		return "una, send and next are not in order";
	if (req->send - req->cons > req->prod - req->cons)
		return "cons, send and prod are not in order";
	if (req->prod - req->cons > req->mask + 1)
		return "more WQEs than slots";
	if (req->cfg.reliable &&
	    flight > CROCE_REQ_WINDOW_MAX + CROCE_REQ_READ_CHUNK)
		return "more in flight than the window allows";
	if (req->window < CROCE_REQ_WINDOW_MIN ||
	    req->window > CROCE_REQ_WINDOW_MAX)
		return "window out of bounds";
	if (req->rd_atomic > req->cfg.max_rd_atomic)
		return "more requests than max_rd_atomic";
	if (req->state != CROCE_REQ_ERROR &&
	    req->rd_atomic != count_requests(req))
		return "rd_atomic miscounted";
	if (req->retries > req->cfg.retry_cnt ||
	    req->rnr_retries > req->cfg.rnr_retry)
		return "retries out of nothing";
	if (req->state == CROCE_REQ_ERROR && req->deadline_ns)
		return "a timer in error";
	return check_chain(req);
}

static inline const char *check_replay(const struct croce_resp *resp, u32 slot)
{
	const struct croce_replay *entry = &resp->replay[slot];
	u32 total = psn_span(entry->first_psn, entry->next_psn);

	if (!entry->pending)
		return NULL;
	if (psn_span(entry->first_psn, entry->base_psn) >= total)
		return "a response begins outside of its request";
	if (psn_span(entry->base_psn, entry->tx_psn) >=
	    psn_span(entry->base_psn, entry->end_psn))
		return "a response is owed that was sent";
	if (psn_span(entry->first_psn, entry->end_psn) > total)
		return "a response ends after its request";
	return NULL;
}

static inline const char *invariant_resp(const struct croce_resp *resp)
{
	u32 pending = 0;
	u32 slot;

	for (slot = 0; slot < resp->replay_slots; slot++) {
		const char *wrong = check_replay(resp, slot);

		if (wrong)
			return wrong;
		pending += resp->replay[slot].pending;
	}
	if (pending != resp->replay_pending)
		return "replay_pending miscounted";
	if (resp->in_message && resp->class >= CROCE_RESP_READ)
		return "in the middle of something that has no middle";
	return NULL;
}

#endif /* CROCE_TESTS_INVARIANT_H */
