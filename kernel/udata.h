/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Command structs of the uverbs calls, by the growth rules of croce-abi.h. L2.
 */
#ifndef CROCE_UDATA_H
#define CROCE_UDATA_H

#include <linux/string.h>
#include <linux/uaccess.h>
#include <rdma/croce-abi.h>
#include <rdma/ib_verbs.h>

/* Least sizes: structs grow at their end. */
static_assert(sizeof(struct croce_queue_map) == 0x10);
static_assert(sizeof(struct croce_alloc_ucontext_req) >= 0x10);
static_assert(sizeof(struct croce_alloc_ucontext_resp) >= 0x10);
static_assert(sizeof(struct croce_alloc_pd_resp) >= 0x08);
static_assert(sizeof(struct croce_create_cq_resp) >= 0x28);
static_assert(offsetof(struct croce_create_cq_resp, cq) == 0x18);
static_assert(sizeof(struct croce_create_qp_req) >= 0x08);
static_assert(sizeof(struct croce_create_qp_resp) >= 0x40);
static_assert(offsetof(struct croce_create_qp_resp, rq) == 0x28);
static_assert(offsetof(struct croce_create_qp_resp, reserved_3c) == 0x3c);
static_assert(sizeof(struct croce_create_srq_resp) >= 0x30);
static_assert(offsetof(struct croce_create_srq_resp, srq_num) == 0x28);
static_assert(sizeof(struct croce_modify_srq_req) >= 0x10);
static_assert(sizeof(struct croce_create_ah_resp) >= 0x08);

/**
 * croce_udata_in - read a request
 * @udata: of the call
 * @req: filled; members the provider does not know read as zero
 * @size: bytes of @req
 *
 * Return: 0, -EOPNOTSUPP when the provider asks for something unknown here,
 * or -EFAULT. Context: process.
 */
static inline int croce_udata_in(struct ib_udata *udata, void *req, size_t size)
{
	size_t known = min(size, udata->inlen);

	memset(req, 0, size);
	if (ib_copy_from_udata(req, udata, known))
		return -EFAULT;
	if (udata->inlen > size &&
	    !ib_is_udata_cleared(udata, size, udata->inlen - size))
		return -EOPNOTSUPP;
	return 0;
}

/**
 * croce_udata_out - write a response
 * @udata: of the call, or NULL for a kernel consumer, who wants none
 * @resp: response; members the provider does not know are left out
 * @size: bytes of @resp
 *
 * Return: 0 or -EFAULT. Context: process.
 */
static inline int croce_udata_out(struct ib_udata *udata, void *resp,
				  size_t size)
{
	size_t known;

	if (!udata)
		return 0;
	known = min(size, udata->outlen);
	if (ib_copy_to_udata(udata, resp, known))
		return -EFAULT;
	if (clear_user(udata->outbuf + known, udata->outlen - known))
		return -EFAULT;
	return 0;
}

#endif /* CROCE_UDATA_H */
