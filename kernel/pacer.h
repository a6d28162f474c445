/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Congestion control of a queue pair at work: what may leave, and when. A
 * queue pair that is not limited pays one branch for each run of packets. L3.
 */
#ifndef CROCE_PACER_H
#define CROCE_PACER_H

#include "qp.h"

struct croce_cc_env croce_pacer_env(const struct croce_qp *qp);
void croce_pacer_choose(struct croce_qp *qp);
void croce_pacer_trace_limit(struct croce_qp *qp,
			     const struct croce_cc_limit *before);
u32 croce_pacer_limited_room(struct croce_qp *qp, u32 max_pkts);
bool croce_pacer_allows(struct croce_qp *qp, struct croce_req_run *run,
			u32 room);
void croce_pacer_limited_sent(struct croce_qp *qp, u32 pkts, u32 bytes);
void croce_pacer_limited_request(struct croce_qp *qp,
				 const struct croce_req_run *run);
void croce_pacer_on_response(struct croce_qp *qp,
			     const struct croce_comp_record *rec);

/**
 * croce_pacer_begin - a turn begins, or a CNP came
 * @qp: queue pair
 *
 * Begins anew where the device's algorithm is another one than before.
 *
 * Context: owner of the QP's task, RCU read section.
 */
static inline void croce_pacer_begin(struct croce_qp *qp)
{
	qp->pace_ns = 0;
	if (unlikely(qp->cc_choice != READ_ONCE(qp->dev->cc_ops)))
		croce_pacer_choose(qp);
}

/**
 * croce_pacer_room - packets with data that may leave now
 * @qp: queue pair
 * @max_pkts: of one run at most
 *
 * Return: number of packets; 0 when the turn has to end, and the timer or an
 * acknowledgement begins the next one.
 * Context: owner of the QP's task, RCU read section.
 */
static inline u32 croce_pacer_room(struct croce_qp *qp, u32 max_pkts)
{
	if (likely(!qp->cc.limited))
		return max_pkts;
	return croce_pacer_limited_room(qp, max_pkts);
}

/**
 * croce_pacer_limits_responses - do READ responses wait for their turn?
 * @qp: queue pair
 *
 * Return: true when they do, and are charged; see struct croce_cc_limit.
 * Context: owner of the QP's task.
 */
static inline bool croce_pacer_limits_responses(const struct croce_qp *qp)
{
	return unlikely(qp->cc.limited) && !qp->cc.now.window;
}

/**
 * croce_pacer_on_request - a run of the requester has left
 * @qp: queue pair
 * @run: what was sent of it
 *
 * Context: owner of the QP's task, RCU read section.
 */
static inline void croce_pacer_on_request(struct croce_qp *qp,
					  const struct croce_req_run *run)
{
	if (unlikely(qp->cc.limited))
		croce_pacer_limited_request(qp, run);
}

/**
 * croce_pacer_on_respond - a run of the responder has left
 * @qp: queue pair
 * @run: what was sent of it
 *
 * Context: owner of the QP's task, RCU read section.
 */
static inline void croce_pacer_on_respond(struct croce_qp *qp,
					  const struct croce_resp_run *run)
{
	if (croce_pacer_limits_responses(qp))
		croce_pacer_limited_sent(qp, run->npkts, run->length);
}

#endif /* CROCE_PACER_H */
