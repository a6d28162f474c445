/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Goes when 7.3 is the oldest supported release. */
#ifndef CROCE_COMPAT_RDMA_IB_VERBS_H
#define CROCE_COMPAT_RDMA_IB_VERBS_H

#include_next <rdma/ib_verbs.h>
#include <linux/version.h>

struct ib_dmah;
struct uverbs_attr_bundle;

/* 6.12 is the oldest: FLUSH and ATOMIC WRITE; nobody asks for them before. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define IB_DEVICE_FLUSH_GLOBAL		0
#define IB_DEVICE_ATOMIC_WRITE		0
#define IB_ACCESS_FLUSH_GLOBAL		BIT(8)
#define IB_SPEED_XDR			256

static inline void *ib_virt_dma_to_ptr(u64 dma_addr)
{
	return (void *)(uintptr_t)dma_addr;
}

static inline void ib_mark_name_assigned_by_user(struct ib_device *ibdev)
{
}
#endif

/* 7.3 is the oldest: the bits for FLUSH and ATOMIC WRITE to regions on demand. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
#define IB_ODP_SUPPORT_FLUSH		0
#define IB_ODP_SUPPORT_ATOMIC_WRITE	0
#endif

/* 7.3 is the oldest: a device may begin in another namespace. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
static inline struct ib_device *compat_place_device(struct ib_device *ibdev,
						    struct net *net)
{
	/* Nobody but the caller knows it, so this is no move. */
	if (ibdev && !rdma_dev_access_netns(ibdev, net))
		write_pnet(&ibdev->coredev.rdma_net, net);
	return ibdev;
}

#define ib_alloc_device_with_net(drv_struct, member, net)		\
	container_of(compat_place_device(				\
			&ib_alloc_device(drv_struct, member)->member,	\
			net), struct drv_struct, member)
#endif

#endif /* CROCE_COMPAT_RDMA_IB_VERBS_H */
