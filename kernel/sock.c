// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UDP sockets, local addresses, routes, IP and UDP headers; see sock.h.
 *
 * The sockets of a namespace are opened with its first device and closed with
 * its last. They carry no device: a packet is attributed by its addresses and
 * its queue pair number, so it may come in through any interface (asymmetric
 * routes, bond and bridge members, macvlan).
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/netns/generic.h>
#include <net/route.h>
#include <net/udp.h>
#include <net/udp_tunnel.h>
#include "sock.h"
#include "hook.h"
#include "qp.h"
#include "recv.h"
#include "wire/icrc.h"
#include "wire/parse.h"

/* A pause that is longer than what a packet waits in a transmit queue. */
#define PATH_PAUSE	(HZ / 100 + 1)

#define ADDR_BUCKETS	64

/**
 * struct croce_net - what a network namespace has of croce
 * @net: the namespace (I)
 * @sock4: IPv4 socket on port 4791, or NULL (L: @mutex)
 * @sock6: IPv6 socket, or NULL where the host has no IPv6 (L: @mutex)
 * @users: devices (L: @mutex)
 * @mutex: of the above
 * @lock: writers of @addrs
 * @addrs: local addresses, struct croce_addr (R)
 */
struct croce_net {
	struct net *net;
	struct socket *sock4;
	struct socket *sock6;
	unsigned int users;
	struct mutex mutex;
	spinlock_t lock;
	struct hlist_head addrs[ADDR_BUCKETS];
};

/**
 * struct croce_addr - one local address of one device
 * @node: in croce_net.addrs (R)
 * @rcu: freed after a grace period
 * @dev: device (I)
 * @addr: address, IPv4 as ::ffff:a.b.c.d (I)
 * @uses: GIDs with this address (L: croce_net.lock)
 */
struct croce_addr {
	struct hlist_node node;
	struct rcu_head rcu;
	struct croce_dev *dev;
	struct in6_addr addr;
	unsigned int uses;
};

static unsigned int croce_net_id __read_mostly;

static struct socket *open_socket(struct net *net, u8 family)
{
	struct udp_tunnel_sock_cfg tunnel = {
		.encap_type = 1,
		.encap_rcv = croce_recv_udp,
	};
	struct udp_port_cfg port = {
		.family = family,
		.local_udp_port = htons(CROCE_UDP_PORT),
		.ipv6_v6only = family == AF_INET6,
	};
	struct socket *sock;
	int err;

	err = udp_sock_create(net, &port, &sock);
	if (err)
		return ERR_PTR(err);
	udp_allow_gso(sock->sk);
	setup_udp_tunnel_sock(net, sock->sk, &tunnel);
	return sock;
}

static void close_socket(struct socket **sock)
{
	if (*sock)
		udp_tunnel_sock_release((*sock)->sk);
	*sock = NULL;
}

static int open_sockets(struct croce_net *cn)
{
	struct socket *sock;
	int err;

	err = croce_hook_open(cn->net);
	if (err)
		return err;
	sock = open_socket(cn->net, AF_INET);
	if (IS_ERR(sock))
		goto err_close_hook;
	cn->sock4 = sock;
	sock = open_socket(cn->net, AF_INET6);
	if (!IS_ERR(sock)) {
		cn->sock6 = sock;
		return 0;
	}
	/* A host booted without IPv6 is a host nevertheless. */
	if (PTR_ERR(sock) == -EAFNOSUPPORT)
		return 0;
	close_socket(&cn->sock4);
err_close_hook:
	croce_hook_close(cn->net);
	return PTR_ERR(sock);
}

/**
 * croce_net_get - open the sockets of a namespace, or use the open ones
 * @net: namespace
 *
 * Return: handle for croce_net_put(), or ERR_PTR: -EADDRINUSE when somebody
 * else (rdma_rxe) has the port.
 * Context: process, may sleep.
 */
struct croce_net *croce_net_get(struct net *net)
{
	struct croce_net *cn = net_generic(net, croce_net_id);
	int err = 0;

	mutex_lock(&cn->mutex);
	if (!cn->users)
		err = open_sockets(cn);
	if (!err)
		cn->users++;
	mutex_unlock(&cn->mutex);
	return err ? ERR_PTR(err) : cn;
}

/**
 * croce_net_put - a device does not need the sockets any more
 * @cn: from croce_net_get()
 *
 * After the last one no packet is in croce_recv_udp() and none will come.
 *
 * Context: process, may sleep.
 */
void croce_net_put(struct croce_net *cn)
{
	mutex_lock(&cn->mutex);
	if (!--cn->users) {
		close_socket(&cn->sock6);
		close_socket(&cn->sock4);
		croce_hook_close(cn->net);
		synchronize_net();
	}
	mutex_unlock(&cn->mutex);
}

static struct hlist_head *addr_bucket(struct croce_net *cn,
				      const struct in6_addr *addr)
{
	return &cn->addrs[jhash2((const u32 *)addr, 4, 0) % ADDR_BUCKETS];
}

static struct croce_addr *addr_find_locked(struct croce_net *cn,
					   const struct croce_dev *dev,
					   const struct in6_addr *addr)
{
	struct croce_addr *entry;

	lockdep_assert_held(&cn->lock);
	hlist_for_each_entry(entry, addr_bucket(cn, addr), node)
		if (entry->dev == dev && ipv6_addr_equal(&entry->addr, addr))
			return entry;
	return NULL;
}

/**
 * croce_addr_add - a device got a GID
 * @dev: device
 * @gid: GID, which for RoCEv2 is an IP address
 *
 * Return: 0 or -ENOMEM. Context: process, may sleep.
 */
int croce_addr_add(struct croce_dev *dev, const union ib_gid *gid)
{
	const struct in6_addr *addr = (const struct in6_addr *)gid;
	struct croce_net *cn = dev->net;
	struct croce_addr *entry, *new;

	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	new->dev = dev;
	new->addr = *addr;
	new->uses = 1;
	spin_lock_bh(&cn->lock);
	entry = addr_find_locked(cn, dev, addr);
	if (entry)
		entry->uses++;
	else
		hlist_add_head_rcu(&new->node, addr_bucket(cn, addr));
	spin_unlock_bh(&cn->lock);
	if (entry)
		kfree(new);
	return 0;
}

/**
 * croce_addr_del - a device lost a GID
 * @dev: device
 * @gid: GID
 *
 * Context: process.
 */
void croce_addr_del(struct croce_dev *dev, const union ib_gid *gid)
{
	const struct in6_addr *addr = (const struct in6_addr *)gid;
	struct croce_net *cn = dev->net;
	struct croce_addr *entry;

	spin_lock_bh(&cn->lock);
	entry = addr_find_locked(cn, dev, addr);
	if (entry && !--entry->uses) {
		hlist_del_rcu(&entry->node);
		kfree_rcu(entry, rcu);
	}
	spin_unlock_bh(&cn->lock);
}

/**
 * croce_addr_dev - the device that a local address belongs to
 * @net: namespace
 * @addr: address, IPv4 as ::ffff:a.b.c.d
 * @ifindex: interface the packet came through; decides between devices that
 *	have the same address (IPv6 link-local)
 *
 * Return: the device, or NULL; valid in the RCU read section.
 * Context: RCU read section.
 */
struct croce_dev *croce_addr_dev(const struct net *net,
				 const struct in6_addr *addr, int ifindex)
{
	struct croce_net *cn = net_generic(net, croce_net_id);
	struct croce_dev *found = NULL;
	struct croce_addr *entry;

	hlist_for_each_entry_rcu(entry, addr_bucket(cn, addr), node) {
		if (!ipv6_addr_equal(&entry->addr, addr))
			continue;
		found = entry->dev;
		if (READ_ONCE(found->netdev->ifindex) == ifindex)
			break;
	}
	return found;
}

static struct dst_entry *route4(struct net *net, const struct croce_av *av)
{
	struct flowi4 fl4 = {
		.flowi4_oif = av->ifindex,
		.flowi4_proto = IPPROTO_UDP,
		.saddr = av->saddr.s6_addr32[3],
		.daddr = av->daddr.s6_addr32[3],
		.fl4_sport = av->sport,
		.fl4_dport = htons(CROCE_UDP_PORT),
	};
	struct rtable *rt = ip_route_output_key(net, &fl4);

	return IS_ERR(rt) ? NULL : &rt->dst;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct dst_entry *route6(struct net *net, const struct croce_av *av,
				u32 *cookie)
{
	struct flowi6 fl6 = {
		.flowi6_oif = av->ifindex,
		.flowi6_proto = IPPROTO_UDP,
		.saddr = av->saddr,
		.daddr = av->daddr,
		.flowlabel = ip6_make_flowinfo(av->traffic_class,
					       htonl(av->flow_label)),
		.fl6_sport = av->sport,
		.fl6_dport = htons(CROCE_UDP_PORT),
	};
	struct dst_entry *dst = ip6_route_output(net, NULL, &fl6);

	if (dst->error) {
		dst_release(dst);
		return NULL;
	}
	*cookie = rt6_get_cookie(container_of(dst, struct rt6_info, dst));
	return dst;
}
#else
static struct dst_entry *route6(struct net *net, const struct croce_av *av,
				u32 *cookie)
{
	return NULL;
}
#endif

/**
 * croce_path_drop - forget the cached route
 * @path: path
 *
 * Context: owner of the QP's task.
 */
void croce_path_drop(struct croce_path *path)
{
	dst_release(path->dst);
	path->dst = NULL;
}

/**
 * croce_path_route - route of a path, looked up when the cached one is stale
 * @dev: device
 * @path: path
 *
 * Return: the route, referenced by @path, or NULL when there is none.
 * Context: owner of the QP's task.
 */
struct dst_entry *croce_path_route(struct croce_dev *dev,
				   struct croce_path *path)
{
	struct net *net = dev_net(dev->netdev);

	if (path->dst && path->serial == path->av.serial &&
	    (!path->dst->obsolete || dst_check(path->dst, path->cookie)))
		return path->dst;
	croce_path_drop(path);
	path->cookie = 0;
	path->serial = path->av.serial;
	path->dst = path->av.is_ipv4 ? route4(net, &path->av) :
		    route6(net, &path->av, &path->cookie);
	return path->dst;
}

/*
 * Packets that follow each other take one transmit queue whichever CPU they are
 * sent from, for two queues do not keep their order, and most peers take what
 * comes early for a loss. After a pause the queue is that of the CPU at hand.
 */
static void choose_queue(struct croce_path *path, struct sk_buff *skb)
{
	if (!path->cpu || time_after(jiffies, path->used + PATH_PAUSE))
		path->cpu = raw_smp_processor_id() + 1;
#ifdef CONFIG_XPS
	skb->sender_cpu = path->cpu;
#endif
}

/**
 * croce_path_alloc - empty packet towards a peer
 * @dev: device
 * @path: path
 * @payload: bytes of UDP payload to come
 *
 * Return: skb with room for the headers in front and @payload behind, or
 * ERR_PTR: -EHOSTUNREACH without a route, -ENOMEM.
 * Context: owner of the QP's task.
 */
struct sk_buff *croce_path_alloc(struct croce_dev *dev,
				 struct croce_path *path, u32 payload)
{
	struct dst_entry *dst = croce_path_route(dev, path);
	struct sk_buff *skb;
	u32 headroom;

	if (!dst)
		return ERR_PTR(-EHOSTUNREACH);
	headroom = LL_RESERVED_SPACE(dst->dev) + CROCE_IP_UDP_LEN;
	skb = alloc_skb(headroom + payload, GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return ERR_PTR(-ENOMEM);
	skb_reserve(skb, headroom);
	skb_dst_set(skb, dst_clone(dst));
	/* What a VLAN's PCP, mqprio and the like are derived from. */
	skb->priority = path->av.sl;
	choose_queue(path, skb);
	return skb;
}

static void push_udp(struct sk_buff *skb, __be16 sport)
{
	struct udphdr *uh = __skb_push(skb, sizeof(*uh));

	skb_reset_transport_header(skb);
	uh->source = sport;
	uh->dest = htons(CROCE_UDP_PORT);
	uh->len = htons(skb->len);
	uh->check = 0;
}

static void push_ip4(struct sk_buff *skb, struct croce_path *path, u32 ids)
{
	const struct croce_av *av = &path->av;
	struct iphdr *ip = __skb_push(skb, sizeof(*ip));

	skb_reset_network_header(skb);
	skb->protocol = htons(ETH_P_IP);
	ip->version = 4;
	ip->ihl = sizeof(*ip) / 4;
	ip->tos = av->traffic_class;
	ip->tot_len = htons(skb->len);
	ip->id = htons(path->ip_id);
	ip->frag_off = htons(IP_DF);
	ip->ttl = av->hop_limit;
	ip->protocol = IPPROTO_UDP;
	ip->check = 0;
	ip->saddr = av->saddr.s6_addr32[3];
	ip->daddr = av->daddr.s6_addr32[3];
	path->ip_id += ids;
}

static void push_ip6(struct sk_buff *skb, const struct croce_av *av)
{
	u32 payload = skb->len;
	struct ipv6hdr *ip6 = __skb_push(skb, sizeof(*ip6));

	skb_reset_network_header(skb);
	skb->protocol = htons(ETH_P_IPV6);
	ip6_flow_hdr(ip6, av->traffic_class, htonl(av->flow_label));
	ip6->payload_len = htons(payload);
	ip6->nexthdr = IPPROTO_UDP;
	ip6->hop_limit = av->hop_limit;
	ip6->saddr = av->saddr;
	ip6->daddr = av->daddr;
}

/* The first byte of the UDP payload, all of which is in one piece. */
static u8 *payload_of(const struct sk_buff *skb)
{
	return skb_is_nonlinear(skb) ?
	       skb_frag_address(&skb_shinfo(skb)->frags[0]) : skb->data;
}

/* Headers as segment @i of the packet has, or will have once segmented. */
static u32 icrc_begin4(const struct sk_buff *skb, u32 i, u32 udp_len,
		       const u8 *bth)
{
	struct udphdr uh = *udp_hdr(skb);
	struct iphdr ip = *ip_hdr(skb);

	uh.len = htons(udp_len);
	ip.id = htons(ntohs(ip.id) + i);
	ip.tot_len = htons(sizeof(ip) + udp_len);
	return croce_icrc_begin4(&ip, sizeof(ip), &uh, bth);
}

static u32 icrc_begin6(const struct sk_buff *skb, u32 udp_len, const u8 *bth)
{
	struct udphdr uh = *udp_hdr(skb);
	struct ipv6hdr ip6 = *ipv6_hdr(skb);

	uh.len = htons(udp_len);
	ip6.payload_len = uh.len;
	return croce_icrc_begin6(&ip6, &uh, bth);
}

static void write_icrc(struct sk_buff *skb, bool is_ipv4, u32 i, u8 *bth,
		       u32 len)
{
	u32 udp_len = sizeof(struct udphdr) + len;
	__le32 icrc;
	u32 crc;

	crc = is_ipv4 ? icrc_begin4(skb, i, udp_len, bth) :
			icrc_begin6(skb, udp_len, bth);
	crc = croce_icrc_update(crc, bth + sizeof(struct croce_bth),
				len - sizeof(struct croce_bth) - CROCE_ICRC_LEN);
	icrc = croce_icrc_final(crc);
	memcpy(bth + len - CROCE_ICRC_LEN, &icrc, CROCE_ICRC_LEN);
}

/* One skb, many packets: see Documentation/notes on segmentation. */
static void prepare_segmentation(struct sk_buff *skb, bool is_ipv4,
				 u32 seg_len, u32 segs)
{
	struct udphdr *uh = udp_hdr(skb);
	u32 len = skb->len - skb_transport_offset(skb);

	skb_shinfo(skb)->gso_size = seg_len;
	skb_shinfo(skb)->gso_segs = segs;
	skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
	if (is_ipv4)
		uh->check = ~udp_v4_check(len, ip_hdr(skb)->saddr,
					  ip_hdr(skb)->daddr, 0);
	else
		uh->check = ~udp_v6_check(len, &ipv6_hdr(skb)->saddr,
					  &ipv6_hdr(skb)->daddr, 0);
}

/**
 * croce_path_seal - put the IP and UDP headers on, and the ICRCs in
 * @dev: device
 * @path: path, with the route that @skb was allocated for
 * @skb: UDP payload: transport packets back to back, with room for ICRCs; all
 *	linear, or all in one fragment
 * @seg_len: bytes of every packet but the last, which may be shorter
 *
 * Context: owner of the QP's task.
 */
void croce_path_seal(struct croce_dev *dev, struct croce_path *path,
		     struct sk_buff *skb, u32 seg_len)
{
	bool is_ipv4 = path->av.is_ipv4;
	u32 left = skb->len;
	u8 *bth = payload_of(skb);
	u32 segs = DIV_ROUND_UP(left, seg_len);
	u32 i;

	push_udp(skb, path->av.sport);
	if (is_ipv4)
		push_ip4(skb, path, segs);
	else
		push_ip6(skb, &path->av);
	for (i = 0; i < segs; i++) {
		u32 len = min(left, seg_len);

		if (likely(READ_ONCE(dev->icrc)))
			write_icrc(skb, is_ipv4, i, bth, len);
		else
			memset(bth + len - CROCE_ICRC_LEN, 0, CROCE_ICRC_LEN);
		bth += len;
		left -= len;
	}
	if (segs > 1)
		prepare_segmentation(skb, is_ipv4, seg_len, segs);
}

/**
 * croce_path_xmit - hand a sealed packet to the IP stack
 * @dev: device
 * @path: path
 * @skb: packet; consumed
 * @pkts: transport packets in it, for the counters
 *
 * Return: 0 when it left or must be taken for lost on the way, -EAGAIN when
 * the local queue refused it and it should be sent again.
 * Context: owner of the QP's task.
 */
int croce_path_xmit(struct croce_dev *dev, struct croce_path *path,
		    struct sk_buff *skb, u32 pkts)
{
	struct net *net = dev_net(dev->netdev);
	u32 bytes = skb->len;
	int err;

	memset(skb->cb, 0, sizeof(skb->cb));
	if (path->av.is_ipv4)
		err = ip_local_out(net, NULL, skb);
	else
		err = ip6_local_out(net, NULL, skb);
	path->used = jiffies;
	if (likely(!err)) {
		croce_count_add(dev, CROCE_CNT_SENT_PKTS, pkts);
		croce_count_add(dev, CROCE_CNT_SENT_BYTES, bytes);
		return 0;
	}
	croce_count(dev, CROCE_CNT_SEND_ERR);
	return err == NET_XMIT_DROP || err == -ENOBUFS ? -EAGAIN : 0;
}

static int __net_init net_init(struct net *net)
{
	struct croce_net *cn = net_generic(net, croce_net_id);

	cn->net = net;
	mutex_init(&cn->mutex);
	spin_lock_init(&cn->lock);
	return 0;
}

static struct pernet_operations net_ops = {
	.init = net_init,
	.id = &croce_net_id,
	.size = sizeof(struct croce_net),
};

/**
 * croce_sock_init - get a place in every network namespace
 *
 * Return: 0 or -errno. Context: process, may sleep.
 */
int croce_sock_init(void)
{
	return register_pernet_subsys(&net_ops);
}

/**
 * croce_sock_exit - give it back; no device is left
 *
 * Context: process, may sleep.
 */
void croce_sock_exit(void)
{
	unregister_pernet_subsys(&net_ops);
}
