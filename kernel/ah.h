/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Address vectors: where a packet goes and with which IP and UDP fields. L2.
 */
#ifndef CROCE_AH_H
#define CROCE_AH_H

#include "dev.h"

/**
 * struct croce_av - address vector, immutable
 * @rcu: the object is found in croce_dev.ahs without a reference
 * @attr: as the consumer gave it
 * @pd: protection domain
 * @serial: unique for ever, so that a route cache can tell vectors apart
 * @saddr: own address (IPv4 as ::ffff:a.b.c.d)
 * @daddr: peer's address, likewise
 * @ifindex: netdev of the source GID
 * @flow_label: 20 bits, 0 when unset
 * @sport: UDP source port
 * @is_ipv4: addresses are IPv4
 * @traffic_class: DSCP in bits 2..7; ECN bits as they shall be sent
 * @hop_limit: TTL or hop limit, never 0
 * @sl: service level
 */
struct croce_av {
	struct rcu_head rcu;
	struct rdma_ah_attr attr;
	struct ib_pd *pd;
	u64 serial;
	struct in6_addr saddr;
	struct in6_addr daddr;
	int ifindex;
	u32 flow_label;
	__be16 sport;
	bool is_ipv4;
	u8 traffic_class;
	u8 hop_limit;
	u8 sl;
};

/**
 * struct croce_ah - address handle
 * @ibah: RDMA core's part
 * @handle: index in croce_dev.ahs (I)
 * @av: the vector; freed by RCU (I)
 */
struct croce_ah {
	struct ib_ah ibah;
	u32 handle;
	struct croce_av *av;
};

static inline struct croce_ah *croce_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct croce_ah, ibah);
}

int croce_av_init(struct croce_av *av, const struct rdma_ah_attr *attr,
		  u32 lqpn, u32 rqpn, u8 ecn);

int croce_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		    struct ib_udata *udata);
int croce_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int croce_destroy_ah(struct ib_ah *ibah, u32 flags);

#endif /* CROCE_AH_H */
