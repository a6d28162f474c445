/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Multicast groups of the devices and the queue pairs attached to them. L3.
 */
#ifndef CROCE_MCAST_H
#define CROCE_MCAST_H

#include <linux/skbuff.h>
#include "dev.h"

void croce_mcast_deliver(struct net *net, struct sk_buff *skb);

int croce_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int croce_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

#endif /* CROCE_MCAST_H */
