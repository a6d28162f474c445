// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Pacing of a queue pair; see pacer.h. Requests and READ responses share one
 * rate: whoever sends data towards the peer takes from the same bucket. What
 * carries no data (acknowledgements, READ requests, atomics) never waits,
 * because the peer waits for it, but is charged.
 */
#include <linux/ktime.h>
#include "pacer.h"
#include "trace.h"
#include "core/psn.h"

/* Ethernet, IP, UDP, BTH and ICRC, about. */
#define PACKET_OVERHEAD	64U
/* Who waits looks this often at most whether its rate has risen. */
#define RISE_NS		(50 * NSEC_PER_USEC)

/**
 * croce_pacer_env - what congestion control is to know of the world
 * @qp: queue pair
 *
 * Return: it, valid in the RCU read section.
 * Context: owner of the QP's task, RCU read section.
 */
struct croce_cc_env croce_pacer_env(const struct croce_qp *qp)
{
	return (struct croce_cc_env) {
		.params = &rcu_dereference(qp->dev->cc_conf)->params,
		.now_ns = ktime_get_ns(),
		.line_rate = qp->dev->line_rate,
		.mtu = max(qp->req.cfg.mtu, qp->resp.cfg.mtu),
	};
}

/* Datagrams are not controlled; a window needs acknowledgements. */
static const struct croce_cc_ops *ops_for(const struct croce_qp *qp,
					  const struct croce_cc_ops *ops)
{
	if (croce_qp_is_reliable(qp) ||
	    (croce_qp_is_connected(qp) && ops->on_cnp))
		return ops;
	return &croce_cc_none;
}

/**
 * croce_pacer_choose - begin with the algorithm of the device
 * @qp: queue pair
 *
 * Context: owner of the QP's task, RCU read section.
 */
void croce_pacer_choose(struct croce_qp *qp)
{
	struct croce_cc_env env = croce_pacer_env(qp);

	qp->cc_choice = READ_ONCE(qp->dev->cc_ops);
	croce_cc_start(&qp->cc, ops_for(qp, qp->cc_choice), &env);
	croce_pace_start(&qp->pace, env.now_ns);
}

/**
 * croce_pacer_trace_limit - tell who traces what is allowed, if it changed
 * @qp: queue pair
 * @before: what was allowed before
 *
 * Context: owner of the QP's task.
 */
void croce_pacer_trace_limit(struct croce_qp *qp,
			     const struct croce_cc_limit *before)
{
	if (trace_croce_cc_limit_enabled() &&
	    (qp->cc.now.rate != before->rate ||
	     qp->cc.now.window != before->window))
		trace_croce_cc_limit(qp);
}

static struct croce_pace_rule rule_of(const struct croce_qp *qp,
				      const struct croce_cc_env *env)
{
	return (struct croce_pace_rule) {
		.rate = qp->cc.now.rate,
		.quantum = env->params->pace_quantum,
		.packet = env->mtu + PACKET_OVERHEAD,
	};
}

static u32 room_of_rate(struct croce_qp *qp, const struct croce_cc_env *env)
{
	struct croce_pace_rule rule = rule_of(qp, env);
	u32 room = croce_pace_room(&qp->pace, &rule, env->now_ns);
	u64 until = qp->cc.now.until_ns;

	if (room)
		return max(room / rule.packet, 1U);
	if (until)
		until = max_t(u64, until, env->now_ns + RISE_NS);
	qp->pace_ns = min_not_zero(croce_pace_when(&qp->pace, &rule), until);
	trace_croce_pace_wait(qp, qp->pace_ns - env->now_ns);
	return 0;
}

static u32 room_of_window(const struct croce_qp *qp)
{
	u32 flight = (qp->req.send_psn - qp->req.una_psn) & CROCE_PSN_MASK;
	u32 window = qp->cc.now.window;

	return window - min(flight, window);
}

/**
 * croce_pacer_limited_room - croce_pacer_room() of a limited queue pair
 * @qp: queue pair
 * @max_pkts: of one run at most
 *
 * Return: number of packets. Context: owner of the QP's task, RCU read section.
 */
u32 croce_pacer_limited_room(struct croce_qp *qp, u32 max_pkts)
{
	struct croce_cc_env env = croce_pacer_env(qp);
	struct croce_cc_limit before = qp->cc.now;
	u32 pkts = max_pkts;

	croce_cc_update(&qp->cc, &env);
	croce_pacer_trace_limit(qp, &before);
	if (qp->cc.now.window)
		pkts = min(pkts, room_of_window(qp));
	if (pkts && qp->cc.now.rate)
		pkts = min(pkts, room_of_rate(qp, &env));
	return pkts;
}

/**
 * croce_pacer_allows - may this run of the requester leave?
 * @qp: limited queue pair
 * @run: from croce_req_next(), within @room
 * @room: from croce_pacer_room()
 *
 * The next run may be long in coming, so each asks for its acknowledgement:
 * otherwise the retransmission timer would run while nothing is sent.
 *
 * Return: true when it may. Context: owner of the QP's task.
 */
bool croce_pacer_allows(struct croce_qp *qp, struct croce_req_run *run,
			u32 room)
{
	const struct croce_wqe *wqe = croce_req_wqe(&qp->req, run->wqe);

	if (run->verdict != CROCE_REQ_SEND ||
	    croce_kind_has_response(wqe->kind))
		return true;
	run->ackreq = qp->req.cfg.reliable;
	return room;
}

/**
 * croce_pacer_limited_sent - packets of a limited queue pair have left
 * @qp: queue pair
 * @pkts: packets
 * @bytes: of payload in them
 *
 * Context: owner of the QP's task, RCU read section.
 */
void croce_pacer_limited_sent(struct croce_qp *qp, u32 pkts, u32 bytes)
{
	struct croce_cc_env env = croce_pacer_env(qp);
	struct croce_cc_limit before = qp->cc.now;
	u32 charge = bytes + pkts * PACKET_OVERHEAD;

	if (qp->cc.now.rate) {
		struct croce_pace_rule rule = rule_of(qp, &env);

		croce_pace_on_sent(&qp->pace, &rule, charge, env.now_ns);
	}
	croce_cc_on_sent(&qp->cc, &env, charge);
	croce_pacer_trace_limit(qp, &before);
}

/**
 * croce_pacer_limited_request - a run of a limited queue pair has left
 * @qp: queue pair
 * @run: what was sent of it
 *
 * It has, because such a queue pair puts no two requests into one skb.
 *
 * Context: owner of the QP's task, RCU read section.
 */
void croce_pacer_limited_request(struct croce_qp *qp,
				 const struct croce_req_run *run)
{
	const struct croce_wqe *wqe = croce_req_wqe(&qp->req, run->wqe);
	bool has_data = !croce_kind_has_response(wqe->kind);

	if (run->verdict == CROCE_REQ_SEND)
		croce_pacer_limited_sent(qp, run->npkts,
					 has_data ? run->length : 0);
}

/**
 * croce_pacer_on_response - the completer has decided about a packet or timer
 * @qp: limited queue pair
 * @rec: decision
 *
 * Context: owner of the QP's task, RCU read section.
 */
void croce_pacer_on_response(struct croce_qp *qp,
			     const struct croce_comp_record *rec)
{
	struct croce_cc_env env = croce_pacer_env(qp);
	struct croce_cc_limit before = qp->cc.now;
	struct croce_cc_sample sample = {
		.acked = rec->acked,
		.rtt_ns = rec->rtt_ns,
	};

	switch (rec->verdict) {
	case CROCE_COMP_SEQ_NAK:
	case CROCE_COMP_IMPLIED_NAK:
		croce_cc_on_loss(&qp->cc, &env, false);
		break;
	case CROCE_COMP_EARLY:
	case CROCE_COMP_TIMEOUT:
		croce_cc_on_loss(&qp->cc, &env, true);
		break;
	default:
		if (rec->acked)
			croce_cc_on_ack(&qp->cc, &env, &sample);
	}
	croce_pacer_trace_limit(qp, &before);
}
