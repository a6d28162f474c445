// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Provider of the croce software RoCEv2 transport: which devices are ours, how
 * one is opened, and the table of verbs.
 */

#include <errno.h>
#include <stdlib.h>

#include "compat.h"
#include "croce.h"
#include "croce_abi.h"

static void free_context(struct ibv_context *ibctx)
{
	struct croce_context *ctx = to_croce_context(ibctx);

	verbs_uninit_context(&ctx->ibv_ctx);
	free(ctx);
}

static const struct verbs_context_ops context_ops = {
	.advise_mr = ibv_cmd_advise_mr,
	.alloc_mw = croce_alloc_mw,
	.alloc_parent_domain = croce_alloc_parent_domain,
	.alloc_pd = croce_alloc_pd,
	.alloc_td = croce_alloc_td,
	.attach_mcast = ibv_cmd_attach_mcast,
	.bind_mw = croce_bind_mw,
	.close_xrcd = croce_close_xrcd,
	.create_ah = croce_create_ah,
	.create_cq = croce_create_cq,
	.create_cq_ex = croce_create_cq_ex,
	.create_qp = croce_create_qp,
	.create_qp_ex = croce_create_qp_ex,
	.create_srq = croce_create_srq,
	.create_srq_ex = croce_create_srq_ex,
	.dealloc_mw = croce_dealloc_mw,
	.dealloc_pd = croce_dealloc_pd,
	.dealloc_td = croce_dealloc_td,
	.dereg_mr = croce_dereg_mr,
	.destroy_ah = croce_destroy_ah,
	.destroy_cq = croce_destroy_cq,
	.destroy_qp = croce_destroy_qp,
	.destroy_srq = croce_destroy_srq,
	.detach_mcast = ibv_cmd_detach_mcast,
	.free_context = free_context,
	.get_srq_num = croce_get_srq_num,
	.modify_qp = croce_modify_qp,
	.modify_srq = croce_modify_srq,
	.open_qp = croce_open_qp,
	.open_xrcd = croce_open_xrcd,
	.poll_cq = croce_poll_cq,
	.post_recv = croce_post_recv,
	.post_send = croce_post_send,
	.post_srq_recv = croce_post_srq_recv,
	.query_device_ex = croce_query_device_ex,
	.query_port = croce_query_port,
#ifdef CROCE_HAVE_PORT_SPEED
	.query_port_speed = ibv_cmd_query_port_speed,
#endif
	.query_qp = croce_query_qp,
	.query_rt_values = croce_query_rt_values,
	.query_srq = croce_query_srq,
	.reg_dmabuf_mr = croce_reg_dmabuf_mr,
	.reg_mr = croce_reg_mr,
	.req_notify_cq = croce_req_notify_cq,
	.rereg_mr = croce_rereg_mr,
	.resize_cq = croce_resize_cq,
};

/* Asks the module for the one queue layout that this provider knows. */
static int open_context(struct croce_context *ctx)
{
	struct croce_cmd_alloc_ucontext cmd = {
		.drv_payload.abi_version = CROCE_ABI_VERSION,
	};
	struct croce_cmd_alloc_ucontext_resp resp = {};
	int err;

	err = croce_ibv_cmd_get_context(&ctx->ibv_ctx, &cmd.ibv_cmd,
					sizeof(cmd), &resp.ibv_resp,
					sizeof(resp));
	if (!err && resp.abi_version != CROCE_ABI_VERSION)
		err = EPROTONOSUPPORT;
	if (err == EPROTONOSUPPORT)
		verbs_err(&ctx->ibv_ctx,
			  "croce.ko does not speak queue layout %u of this provider; install module and provider of one release\n",
			  CROCE_ABI_VERSION);
	if (err)
		return err;

	ctx->max_inline = resp.max_inline;
	return 0;
}

static struct verbs_context *alloc_context(struct ibv_device *ibdev, int cmd_fd,
					   void *private_data)
{
	struct croce_context *ctx;
	int err;

	ctx = verbs_init_and_alloc_context(ibdev, cmd_fd, ctx, ibv_ctx,
					   CROCE_DRIVER_ID);
	if (!ctx)
		return NULL;

	err = open_context(ctx);
	if (err) {
		free_context(&ctx->ibv_ctx.context);
		errno = err;
		return NULL;
	}

	verbs_set_ops(&ctx->ibv_ctx, &context_ops);
	return &ctx->ibv_ctx;
}

static struct verbs_device *alloc_device(struct verbs_sysfs_dev *sysfs_dev)
{
	struct croce_device *dev = calloc(1, sizeof(*dev));

	return dev ? &dev->ibv_dev : NULL;
}

static void uninit_device(struct verbs_device *vdev)
{
	free(container_of(vdev, struct croce_device, ibv_dev));
}

/*
 * By number alone: a device may have any name. The number is private, so the
 * macro's argument is no member of enum rdma_driver_id, which the library
 * compares as an integer.
 */
static const struct verbs_match_ent match_table[] = {
	VERBS_DRIVER_ID(CROCE_DRIVER_ID),
	{},
};

/* Any uverbs ABI number matches; open_context() settles what is spoken. */
static const struct verbs_device_ops device_ops = {
	.name = "croce",
	.match_min_abi_version = 0,
	.match_max_abi_version = UINT32_MAX,
	.match_table = match_table,
	.alloc_device = alloc_device,
	.uninit_device = uninit_device,
	.alloc_context = alloc_context,
};

PROVIDER_DRIVER(croce, device_ops);
