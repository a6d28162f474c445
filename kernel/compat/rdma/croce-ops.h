/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Members of struct ib_device_ops whose name or shape depends on the release:
 * the functions behind them have the shape of 7.3. For verbs.c alone.
 *
 * Goes when 7.3 is the oldest supported release.
 */
#ifndef CROCE_COMPAT_RDMA_CROCE_OPS_H
#define CROCE_COMPAT_RDMA_CROCE_OPS_H

#include <linux/version.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 3, 0)

#define COMPAT_DEVICE_OPS						\
	.uverbs_robust_udata = true,					\
	.create_cq = croce_create_cq,					\
	.create_user_cq = croce_create_user_cq,				\
	.resize_user_cq = croce_resize_user_cq,				\
	.reg_user_mr = croce_reg_user_mr,				\
	.report_port_event = report_port_event

#else

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
static int compat_create_cq(struct ib_cq *ibcq,
			    const struct ib_cq_init_attr *attr,
			    struct uverbs_attr_bundle *attrs)
{
	return attrs ? croce_create_user_cq(ibcq, attr, attrs) :
		       croce_create_cq(ibcq, attr, NULL);
}
#else
static int compat_create_cq(struct ib_cq *ibcq,
			    const struct ib_cq_init_attr *attr,
			    struct ib_udata *udata)
{
	return udata ? croce_create_user_cq(ibcq, attr,
				rdma_udata_to_uverbs_attr_bundle(udata)) :
		       croce_create_cq(ibcq, attr, NULL);
}
#endif

static int compat_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata)
{
	return croce_resize_user_cq(ibcq, cqe, udata);
}

static struct ib_mr *compat_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
					u64 iova, int access,
					struct ib_udata *udata)
{
	return croce_reg_user_mr(pd, start, length, iova, access, NULL, udata);
}

/* The device's own notifier does what report_port_event does later. */
#define COMPAT_DEVICE_OPS						\
	.create_cq = compat_create_cq,					\
	.resize_cq = compat_resize_cq,					\
	.reg_user_mr = compat_reg_user_mr

#endif

#endif /* CROCE_COMPAT_RDMA_CROCE_OPS_H */
