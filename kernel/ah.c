// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address vectors and handles; see ah.h. Everything here may be called in any
 * context, since kernel consumers create handles where they please.
 */
#include <linux/hash.h>
#include <linux/slab.h>
#include <net/ip.h>
#include <rdma/croce-abi.h>
#include <rdma/ib_cache.h>
#include "ah.h"
#include "udata.h"

#define FLOW_LABEL_BITS		20
#define ECN_MASK		0x3

static int av_ifindex(const struct ib_gid_attr *sgid)
{
	struct net_device *ndev;
	int ifindex = 0;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(sgid);
	if (!IS_ERR_OR_NULL(ndev))
		ifindex = ndev->ifindex;
	rcu_read_unlock();
	return ifindex;
}

static __be16 av_sport(const struct croce_av *av, u32 lqpn, u32 rqpn)
{
	u32 entropy = av->flow_label;

	if (!entropy && lqpn && rqpn)
		entropy = rdma_calc_flow_label(lqpn, rqpn);
	else if (!entropy)
		entropy = hash_64(av->serial, FLOW_LABEL_BITS);
	return htons(rdma_flow_label_to_udp_sport(entropy));
}

/**
 * croce_av_init - fill an address vector
 * @av: vector, zeroed
 * @attr: attribute; its sgid_attr is set
 * @lqpn: own number of a connected QP, else 0
 * @rqpn: the peer's number, else 0
 * @ecn: bits 0..1 of the traffic class to send
 *
 * The UDP source port spreads flows over paths as mlx5 does it: from the flow
 * label, where that is 0 from the pair of QP numbers, and where there is no
 * pair (UD) from the vector itself.
 *
 * Return: 0 or -EINVAL. Context: any.
 */
int croce_av_init(struct croce_av *av, const struct rdma_ah_attr *attr,
		  u32 lqpn, u32 rqpn, u8 ecn)
{
	static atomic64_t serials = ATOMIC64_INIT(0);
	const struct ib_global_route *grh = &attr->grh;

	if (attr->type != RDMA_AH_ATTR_TYPE_ROCE || !grh->sgid_attr)
		return -EINVAL;
	memcpy(&av->saddr, &grh->sgid_attr->gid, sizeof(av->saddr));
	memcpy(&av->daddr, &grh->dgid, sizeof(av->daddr));
	av->is_ipv4 = ipv6_addr_v4mapped(&av->daddr);
	if (av->is_ipv4 != ipv6_addr_v4mapped(&av->saddr))
		return -EINVAL;
	av->ifindex = av_ifindex(grh->sgid_attr);
	if (!av->ifindex)
		return -EINVAL;

	av->attr = *attr;
	/* Referenced by the consumer's object only, which may go first. */
	av->attr.grh.sgid_attr = NULL;
	av->serial = atomic64_inc_return(&serials);
	av->flow_label = grh->flow_label & (BIT(FLOW_LABEL_BITS) - 1);
	av->sport = av_sport(av, lqpn, rqpn);
	av->traffic_class = (grh->traffic_class & ~ECN_MASK) | (ecn & ECN_MASK);
	av->hop_limit = grh->hop_limit ?: IPDEFTTL;
	av->sl = attr->sl;
	return 0;
}

static int insert_av(struct croce_ah *ah)
{
	struct croce_dev *dev = croce_dev(ah->ibah.device);
	unsigned long flags;
	int err;

	xa_lock_irqsave(&dev->ahs, flags);
	err = __xa_alloc_cyclic(&dev->ahs, &ah->handle, ah->av,
				XA_LIMIT(1, CROCE_MAX_AH), &dev->ah_next,
				GFP_ATOMIC);
	xa_unlock_irqrestore(&dev->ahs, flags);
	return err < 0 ? -ENOMEM : 0;
}

static void erase_av(struct croce_ah *ah)
{
	struct croce_dev *dev = croce_dev(ah->ibah.device);
	unsigned long flags;

	xa_lock_irqsave(&dev->ahs, flags);
	__xa_erase(&dev->ahs, ah->handle);
	xa_unlock_irqrestore(&dev->ahs, flags);
	kfree_rcu(ah->av, rcu);
}

/**
 * croce_create_ah - create an address handle
 * @ibah: handle
 * @init: attribute and flags
 * @udata: of the call, or NULL
 *
 * Return: 0 or -errno. Context: any; sleeps for a process only.
 */
int croce_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		    struct ib_udata *udata)
{
	bool may_sleep = init->flags & RDMA_CREATE_AH_SLEEPABLE;
	const struct rdma_ah_attr *attr = init->ah_attr;
	struct croce_create_ah_resp resp = {};
	struct croce_ah *ah = croce_ah(ibah);
	int err;

	ah->av = kzalloc(sizeof(*ah->av), may_sleep ? GFP_KERNEL : GFP_ATOMIC);
	if (!ah->av)
		return -ENOMEM;
	ah->av->pd = ibah->pd;
	/* Nobody answers congestion marks for datagrams: as the sender says. */
	err = croce_av_init(ah->av, attr, 0, 0, attr->grh.traffic_class);
	if (err)
		goto err_free_av;
	err = insert_av(ah);
	if (err)
		goto err_free_av;

	resp.ah = ah->handle;
	err = croce_udata_out(udata, &resp, sizeof(resp));
	if (err)
		goto err_erase_av;
	return 0;

err_erase_av:
	erase_av(ah);
	return err;
err_free_av:
	kfree(ah->av);
	return err;
}

/**
 * croce_query_ah - attribute of an address handle
 * @ibah: handle
 * @attr: filled; without a reference to the source GID
 *
 * Return: 0. Context: any.
 */
int croce_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = croce_ah(ibah)->av->attr;
	return 0;
}

/**
 * croce_destroy_ah - destroy an address handle
 * @ibah: handle
 * @flags: RDMA_DESTROY_AH_*
 *
 * WRs that were posted with it and are not sent yet fail.
 *
 * Return: 0. Context: any.
 */
int croce_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	erase_av(croce_ah(ibah));
	return 0;
}
