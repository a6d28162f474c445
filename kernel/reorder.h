/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packets that came too early wait here for those before them. L3.
 */
#ifndef CROCE_REORDER_H
#define CROCE_REORDER_H

#include "qp.h"

/**
 * struct croce_rx_cb - what is noted on an skb that belongs to a queue pair
 * @psn: of its first packet
 * @flags: CROCE_OPF_* of its first packet
 * @offset: of the packet to take in next
 * @index: of that packet in the run
 * @verified: the ICRCs are good
 * @stalled: it waited for a page, and is taken in from @offset on
 */
struct croce_rx_cb {
	u32 psn;
	u32 flags;
	u32 offset;
	u32 index;
	bool verified;
	bool stalled;
};

static inline struct croce_rx_cb *croce_rx_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct croce_rx_cb) > sizeof(skb->cb));
	return (struct croce_rx_cb *)skb->cb;
}

void croce_reorder_init(struct croce_qp *qp);
bool croce_reorder_hold(struct croce_qp *qp, struct sk_buff *skb);
struct sk_buff *croce_reorder_next(struct croce_qp *qp);
void croce_reorder_on_timer(struct croce_qp *qp, u64 now_ns);
void croce_reorder_purge(struct croce_qp *qp);

#endif /* CROCE_REORDER_H */
