/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tracepoints of congestion control, in events/croce/. L3.
 *
 * Queue pair numbers are unique on a host, so no event names a device.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM croce

#if !defined(CROCE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CROCE_TRACE_H

#include <linux/tracepoint.h>

#ifndef CROCE_TRACE_ONCE
#define CROCE_TRACE_ONCE
#include "pacer.h"
#include "core/dcqcn.h"

/* Alpha of DCQCN in thousandths; 0 with other algorithms. */
static inline u32 croce_trace_alpha(struct croce_qp *qp)
{
	struct croce_cc_env env = croce_pacer_env(qp);
	u32 alpha;

	if (qp->cc.ops != &croce_cc_dcqcn)
		return 0;
	alpha = croce_dcqcn_alpha_q31(croce_dcqcn(&qp->cc), env.params,
				      env.now_ns);
	return ((u64)alpha * 1000) >> 31;
}
#endif

TRACE_EVENT(croce_cnp_sent,
	TP_PROTO(struct croce_qp *qp),
	TP_ARGS(qp),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, dest_qpn)
	),
	TP_fast_assign(
		__entry->qpn = qp->qpn;
		__entry->dest_qpn = qp->dest_qpn;
	),
	TP_printk("qpn=0x%06x dest_qpn=0x%06x", __entry->qpn, __entry->dest_qpn)
);

TRACE_EVENT(croce_cnp_received,
	TP_PROTO(struct croce_qp *qp, bool handled),
	TP_ARGS(qp, handled),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(bool, handled)
	),
	TP_fast_assign(
		__entry->qpn = qp->qpn;
		__entry->handled = handled;
	),
	TP_printk("qpn=0x%06x %s", __entry->qpn,
		  __entry->handled ? "handled" : "ignored")
);

/* The rate or the window has changed; 0 is without limit. */
TRACE_EVENT(croce_cc_limit,
	TP_PROTO(struct croce_qp *qp),
	TP_ARGS(qp),
	TP_STRUCT__entry(
		__field(u64, rate)
		__field(u32, qpn)
		__field(u32, window)
		__field(u32, alpha)
	),
	TP_fast_assign(
		__entry->rate = qp->cc.now.rate;
		__entry->qpn = qp->qpn;
		__entry->window = qp->cc.now.window;
		__entry->alpha = croce_trace_alpha(qp);
	),
	TP_printk("qpn=0x%06x bytes_per_second=%llu window=%u alpha=%u.%03u",
		  __entry->qpn, __entry->rate, __entry->window,
		  __entry->alpha / 1000, __entry->alpha % 1000)
);

/* Data waits for its departure time. */
TRACE_EVENT(croce_pace_wait,
	TP_PROTO(struct croce_qp *qp, u64 wait_ns),
	TP_ARGS(qp, wait_ns),
	TP_STRUCT__entry(
		__field(u64, wait_ns)
		__field(u32, qpn)
	),
	TP_fast_assign(
		__entry->wait_ns = wait_ns;
		__entry->qpn = qp->qpn;
	),
	TP_printk("qpn=0x%06x ns=%llu", __entry->qpn, __entry->wait_ns)
);

#endif /* CROCE_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
