// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Congestion notification packets (IBA Annex A17): answers to packets that
 * carry a congestion mark, with the bytes that a ConnectX-4 Lx has in them.
 */
#include <linux/ktime.h>
#include <net/inet_ecn.h>
#include <net/ipv6.h>
#include "cnp.h"
#include "pacer.h"
#include "trace.h"
#include "core/np.h"

/* Sent at most once in the minimum time for everything that shares @last. */
static bool claim(atomic64_t *last, u64 min_time_ns, u64 now_ns)
{
	s64 was = atomic64_read(last);

	return croce_np_is_due(was, min_time_ns, now_ns) &&
	       atomic64_try_cmpxchg(last, &was, now_ns);
}

static bool is_due(struct croce_qp *qp, const struct croce_cc_params *p)
{
	u64 min_time_ns = (u64)p->np_min_time_between_cnps * NSEC_PER_USEC;
	struct croce_dev *dev = qp->dev;
	u64 now_ns = ktime_get_ns();
	u32 hash;

	switch (p->np_cnp_scope) {
	case CROCE_NP_PER_PORT:
		return claim(&dev->cnp_ns[0], min_time_ns, now_ns);
	case CROCE_NP_PER_IP:
		hash = ipv6_addr_hash(&qp->path.av.daddr);
		return claim(&dev->cnp_ns[hash % CROCE_CNP_SCOPES],
			     min_time_ns, now_ns);
	}
	if (!croce_np_is_due(qp->cnp_ns, min_time_ns, now_ns))
		return false;
	qp->cnp_ns = now_ns;
	return true;
}

static struct sk_buff *build(struct croce_qp *qp, struct croce_path *path,
			     u16 pkey)
{
	u32 len = croce_opcode_info(CROCE_OP_CNP)->hdr_len + CROCE_ICRC_LEN;
	struct croce_pkt cnp = {
		.opcode = CROCE_OP_CNP,
		.becn = true,
		.pkey = pkey,
		.dest_qpn = qp->dest_qpn,
	};
	struct sk_buff *skb = croce_path_alloc(qp->dev, path, len);

	if (IS_ERR(skb))
		return NULL;
	croce_pkt_build(skb_put(skb, len), &cnp);
	croce_path_seal(qp->dev, path, skb, len);
	return skb;
}

static void send(struct croce_qp *qp, const struct croce_cc_params *p,
		 u16 pkey, u32 priority)
{
	struct croce_path path;
	struct sk_buff *skb;

	if (!croce_path_route(qp->dev, &qp->path))
		return;
	/* The route of the data, but a class of its own. */
	path = qp->path;
	dst_hold(path.dst);
	path.av.traffic_class = p->np_cnp_dscp << 2 | INET_ECN_ECT_0;
	path.av.sport = 0;
	skb = build(qp, &path, pkey);
	if (skb) {
		skb->priority = priority;
		if (!croce_path_xmit(qp->dev, &path, skb, 1)) {
			croce_count(qp->dev, CROCE_CNT_NP_CNP_SENT);
			trace_croce_cnp_sent(qp);
		}
		qp->path.ip_id = path.ip_id;
	}
	croce_path_drop(&path);
}

/**
 * croce_cnp_on_mark - a packet with a congestion mark has arrived
 * @qp: queue pair
 * @pkt: the packet, which is good in every respect
 * @priority: of its skb
 *
 * Marked acknowledgements and CNPs are not answered: their sender has nothing
 * that it could slow down.
 *
 * Context: owner of the QP's task, RCU read section.
 */
void croce_cnp_on_mark(struct croce_qp *qp, const struct croce_pkt *pkt,
		       u32 priority)
{
	const struct croce_cc_params *p =
		&rcu_dereference(qp->dev->cc_conf)->params;
	u32 flags = croce_opcode_info(pkt->opcode)->flags;

	if (!croce_qp_is_connected(qp) ||
	    !(flags & (CROCE_OPF_REQUEST | CROCE_OPF_READ_RESP)))
		return;
	if (is_due(qp, p))
		send(qp, p, pkt->pkey,
		     p->np_cnp_prio_mode ? priority : p->np_cnp_prio);
}

/**
 * croce_cnp_received - a CNP came from the peer
 * @qp: connected queue pair
 *
 * Context: owner of the QP's task, RCU read section.
 */
void croce_cnp_received(struct croce_qp *qp)
{
	struct croce_cc_limit before;
	struct croce_cc_env env;
	bool was_limited, handled;

	croce_pacer_begin(qp);
	env = croce_pacer_env(qp);
	was_limited = qp->cc.limited;
	before = qp->cc.now;
	handled = croce_cc_on_cnp(&qp->cc, &env);
	trace_croce_cnp_received(qp, handled);
	if (!handled) {
		croce_count(qp->dev, CROCE_CNT_RP_CNP_IGNORED);
		return;
	}
	croce_pacer_trace_limit(qp, &before);
	if (!was_limited)
		croce_pace_start(&qp->pace, env.now_ns);
	croce_count(qp->dev, CROCE_CNT_RP_CNP_HANDLED);
}
