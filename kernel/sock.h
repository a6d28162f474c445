/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The edge to the IP stack: one pair of UDP sockets per network namespace,
 * the table of local addresses, routes, and the IP and UDP headers. L3.
 */
#ifndef CROCE_SOCK_H
#define CROCE_SOCK_H

#include <linux/skbuff.h>
#include <net/dst.h>
#include "ah.h"
#include "dev.h"

/**
 * struct croce_path - a way to one peer, with its cached route
 * @av: address vector (T)
 * @dst: route, or NULL (T)
 * @cookie: of @dst (T)
 * @ip_id: IPv4 identification of the next packet (T)
 * @serial: of the vector that @dst belongs to (T)
 * @used: jiffies of the last packet (T)
 * @cpu: whose transmit queue it takes, from 1 (T)
 */
struct croce_path {
	struct croce_av av;
	struct dst_entry *dst;
	u32 cookie;
	u16 ip_id;
	u64 serial;
	unsigned long used;
	u32 cpu;
};

/* Room in front of the UDP payload, link layer excluded. */
#define CROCE_IP_UDP_LEN	(sizeof(struct ipv6hdr) + sizeof(struct udphdr))

int croce_sock_init(void);
void croce_sock_exit(void);

struct croce_net *croce_net_get(struct net *net);
void croce_net_put(struct croce_net *cn);

int croce_addr_add(struct croce_dev *dev, const union ib_gid *gid);
void croce_addr_del(struct croce_dev *dev, const union ib_gid *gid);
struct croce_dev *croce_addr_dev(const struct net *net,
				 const struct in6_addr *addr, int ifindex);

struct dst_entry *croce_path_route(struct croce_dev *dev,
				   struct croce_path *path);
void croce_path_drop(struct croce_path *path);
struct sk_buff *croce_path_alloc(struct croce_dev *dev,
				 struct croce_path *path, u32 payload);
void croce_path_seal(struct croce_dev *dev, struct croce_path *path,
		     struct sk_buff *skb, u32 seg_len);
int croce_path_xmit(struct croce_dev *dev, struct croce_path *path,
		    struct sk_buff *skb, u32 pkts);

#endif /* CROCE_SOCK_H */
