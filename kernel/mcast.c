// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast: which queue pairs of which device hear a group.
 *
 * The netdev joins the group as the IP stack does it, so that its filter, the
 * switches and the routers (IGMP, MLD) let the packets through. Members are
 * known by number, and a number that means nothing any more is passed over.
 */
#include <linux/hash.h>
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/ipv6.h>
#include "mcast.h"
#include "qp.h"
#include "task.h"

#define BUCKETS		64

/**
 * struct member - a queue pair in a group
 * @node: in group.members (R)
 * @rcu: freed after a grace period
 * @qpn: its number (I)
 */
struct member {
	struct hlist_node node;
	struct rcu_head rcu;
	u32 qpn;
};

/**
 * struct group - a group that queue pairs of a device hear
 * @node: in groups (R)
 * @rcu: freed after a grace period
 * @dev: device (I)
 * @addr: address, IPv4 as ::ffff:a.b.c.d (I)
 * @members: struct member (R, L: groups_mutex)
 * @num_members: their number (L: groups_mutex)
 */
struct group {
	struct hlist_node node;
	struct rcu_head rcu;
	struct croce_dev *dev;
	struct in6_addr addr;
	struct hlist_head members;
	unsigned int num_members;
};

/* Groups of all devices by address (R, L: groups_mutex). */
static struct hlist_head groups[BUCKETS];
static DEFINE_MUTEX(groups_mutex);

static struct hlist_head *bucket_of(const struct in6_addr *addr)
{
	return &groups[hash_32(ipv6_addr_hash(addr), ilog2(BUCKETS))];
}

static struct group *find_group_locked(const struct croce_dev *dev,
				       const struct in6_addr *addr)
{
	struct group *group;

	lockdep_assert_held(&groups_mutex);
	hlist_for_each_entry(group, bucket_of(addr), node)
		if (group->dev == dev && ipv6_addr_equal(&group->addr, addr))
			return group;
	return NULL;
}

static struct member *find_member_locked(const struct group *group, u32 qpn)
{
	struct member *member;

	lockdep_assert_held(&groups_mutex);
	hlist_for_each_entry(member, &group->members, node)
		if (member->qpn == qpn)
			return member;
	return NULL;
}

static int join4(struct net_device *ndev, __be32 addr)
{
	struct in_device *in_dev = __in_dev_get_rtnl(ndev);

	if (!in_dev)
		return -ENODEV;
	ip_mc_inc_group(in_dev, addr);
	return 0;
}

static void leave4(struct net_device *ndev, __be32 addr)
{
	struct in_device *in_dev = __in_dev_get_rtnl(ndev);

	/* A netdev that lost its addresses has left all groups. */
	if (in_dev)
		ip_mc_dec_group(in_dev, addr);
}

static int join(struct net_device *ndev, const struct in6_addr *addr)
{
	int err = -EAFNOSUPPORT;

	rtnl_lock();
	if (ipv6_addr_v4mapped(addr))
		err = join4(ndev, addr->s6_addr32[3]);
	else if (IS_REACHABLE(CONFIG_IPV6))
		err = ipv6_dev_mc_inc(ndev, addr);
	rtnl_unlock();
	return err;
}

static void leave(struct net_device *ndev, const struct in6_addr *addr)
{
	rtnl_lock();
	if (ipv6_addr_v4mapped(addr))
		leave4(ndev, addr->s6_addr32[3]);
	else if (IS_REACHABLE(CONFIG_IPV6))
		ipv6_dev_mc_dec(ndev, addr);
	rtnl_unlock();
}

static struct group *get_group_locked(struct croce_dev *dev,
				      const struct in6_addr *addr)
{
	struct group *group = find_group_locked(dev, addr);
	int err = -ENOMEM;

	if (group)
		return group;
	if (dev->num_groups == CROCE_MAX_MCAST_GRP)
		return ERR_PTR(-ENOMEM);
	group = kzalloc(sizeof(*group), GFP_KERNEL);
	if (!group)
		return ERR_PTR(-ENOMEM);
	group->dev = dev;
	group->addr = *addr;
	err = join(dev->netdev, addr);
	if (err)
		goto err_free_group;
	dev->num_groups++;
	hlist_add_head_rcu(&group->node, bucket_of(addr));
	return group;

err_free_group:
	kfree(group);
	return ERR_PTR(err);
}

static void put_group_locked(struct group *group)
{
	lockdep_assert_held(&groups_mutex);
	if (group->num_members)
		return;
	hlist_del_rcu(&group->node);
	group->dev->num_groups--;
	leave(group->dev->netdev, &group->addr);
	kfree_rcu(group, rcu);
}

static int add_member_locked(struct group *group, u32 qpn)
{
	struct member *member;

	lockdep_assert_held(&groups_mutex);
	if (find_member_locked(group, qpn))
		return 0;
	if (group->num_members == CROCE_MAX_MCAST_QP)
		return -ENOMEM;
	member = kzalloc(sizeof(*member), GFP_KERNEL);
	if (!member)
		return -ENOMEM;
	member->qpn = qpn;
	hlist_add_head_rcu(&member->node, &group->members);
	group->num_members++;
	return 0;
}

/**
 * croce_attach_mcast - a queue pair hears a group (IBA 11.3.1)
 * @ibqp: UD queue pair
 * @gid: the group: a multicast IP address
 * @lid: means nothing in RoCEv2
 *
 * Return: 0, -ENOMEM beyond a limit, -ENODEV, -EAFNOSUPPORT.
 * Context: process, may sleep; takes RTNL.
 */
int croce_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	const struct in6_addr *addr = (const struct in6_addr *)gid;
	struct group *group;
	int err;

	mutex_lock(&groups_mutex);
	group = get_group_locked(croce_dev(ibqp->device), addr);
	err = PTR_ERR_OR_ZERO(group);
	if (!err) {
		err = add_member_locked(group, ibqp->qp_num);
		put_group_locked(group);
	}
	mutex_unlock(&groups_mutex);
	return err;
}

/**
 * croce_detach_mcast - a queue pair hears a group no more (IBA 11.3.2)
 * @ibqp: UD queue pair
 * @gid: the group
 * @lid: means nothing in RoCEv2
 *
 * Return: 0, or -EINVAL when it did not hear it.
 * Context: process, may sleep; takes RTNL.
 */
int croce_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	const struct in6_addr *addr = (const struct in6_addr *)gid;
	struct member *member = NULL;
	struct group *group;

	mutex_lock(&groups_mutex);
	group = find_group_locked(croce_dev(ibqp->device), addr);
	if (group)
		member = find_member_locked(group, ibqp->qp_num);
	if (member) {
		hlist_del_rcu(&member->node);
		group->num_members--;
		kfree_rcu(member, rcu);
		put_group_locked(group);
	}
	mutex_unlock(&groups_mutex);
	return member ? 0 : -EINVAL;
}

/* A group is heard on the device's netdev, and on what is stacked upon it. */
static bool came_through(const struct croce_dev *dev, const struct net *net,
			 struct net_device *in)
{
	return net_eq(dev_net(dev->netdev), net) &&
	       (in == dev->netdev ||
		netdev_has_upper_dev_all_rcu(dev->netdev, in));
}

static void deliver_one(u32 qpn, const struct sk_buff *skb)
{
	struct croce_qp *qp = croce_qp_find(qpn);
	struct sk_buff *copy;

	if (!qp)
		return;
	copy = skb_clone((struct sk_buff *)skb, GFP_ATOMIC);
	if (!copy) {
		croce_count(qp->dev, CROCE_CNT_DROP_MEMORY);
		return;
	}
	croce_count(qp->dev, CROCE_CNT_RCVD_PKTS);
	croce_count_add(qp->dev, CROCE_CNT_RCVD_BYTES, copy->len);
	croce_task_receive(qp, copy);
}

/**
 * croce_mcast_deliver - give a packet for the multicast QPN to who hears it
 * @net: namespace
 * @skb: packet or run of packets; consumed
 *
 * Context: receive softirq, RCU read section.
 */
void croce_mcast_deliver(struct net *net, struct sk_buff *skb)
{
	struct member *member;
	struct in6_addr addr;
	struct group *group;

	if (ip_hdr(skb)->version == 4)
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, &addr);
	else
		addr = ipv6_hdr(skb)->daddr;
	hlist_for_each_entry_rcu(group, bucket_of(&addr), node) {
		if (!ipv6_addr_equal(&group->addr, &addr) ||
		    !came_through(group->dev, net, skb->dev))
			continue;
		hlist_for_each_entry_rcu(member, &group->members, node)
			deliver_one(member->qpn, skb);
	}
	consume_skb(skb);
}
