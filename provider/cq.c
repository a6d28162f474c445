// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life of a completion queue: create, resize, destroy. poll.c uses it.
 */

#include <errno.h>
#include <stdlib.h>

#include "compat.h"
#include "croce.h"
#include "croce_abi.h"

enum {
	SUPPORTED_WC_FLAGS = IBV_WC_STANDARD_FLAGS |
			     IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
			     IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
	TIMESTAMP_WC_FLAGS = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
			     IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
	SUPPORTED_COMP_MASK = IBV_CQ_INIT_ATTR_MASK_FLAGS |
			      IBV_CQ_INIT_ATTR_MASK_PD,
};

static bool is_supported(const struct ibv_cq_init_attr_ex *attr)
{
	if (attr->wc_flags & ~(uint64_t)SUPPORTED_WC_FLAGS)
		return false;
	if (attr->comp_mask & ~(uint32_t)SUPPORTED_COMP_MASK)
		return false;
	return !(attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) ||
	       !(attr->flags & ~(uint32_t)IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
}

static bool is_single_threaded(const struct ibv_cq_init_attr_ex *attr)
{
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
	    (attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED))
		return true;
	return (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD) &&
	       croce_pd_is_single_threaded(attr->parent_domain);
}

/*
 * Every CQE carries a timestamp and locking is ours alone, so the module hears
 * of neither.
 */
static int create_and_map(struct croce_cq *cq, struct ibv_context *ctx,
			  const struct ibv_cq_init_attr_ex *attr)
{
	struct croce_cmd_create_cq_resp resp = {};
	struct ibv_cq_init_attr_ex plain = *attr;
	struct croce_cmd_create_cq cmd = {};
	int err;

	plain.wc_flags &= ~(uint64_t)TIMESTAMP_WC_FLAGS;
	plain.comp_mask = 0;
	err = croce_ibv_cmd_create_cq_ex(ctx, &plain, &cq->vcq, &cmd.ibv_cmd,
					 sizeof(cmd), &resp.ibv_resp,
					 sizeof(resp));
	if (err)
		return err;

	err = croce_map_init(&cq->map, ctx, resp.map_offset, resp.map_length);
	if (err) {
		ibv_cmd_destroy_cq(&cq->vcq.cq);
		return err;
	}

	croce_cq_ring_init(&cq->ring, cq->map.addr, &resp.cq);
	return 0;
}

static struct croce_cq *create(struct ibv_context *ctx,
			       const struct ibv_cq_init_attr_ex *attr)
{
	bool locked = !is_single_threaded(attr);
	struct croce_cq *cq;
	int err;

	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;

	err = create_and_map(cq, ctx, attr);
	if (err) {
		free(cq);
		errno = err;
		return NULL;
	}

	croce_lock_init(&cq->lock, locked);
	croce_lock_init(&cq->arm_lock, locked);
	return cq;
}

struct ibv_cq *croce_create_cq(struct ibv_context *ctx, int cqe,
			       struct ibv_comp_channel *channel,
			       int comp_vector)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe,
		.channel = channel,
		.comp_vector = comp_vector,
	};
	struct croce_cq *cq;

	if (cqe <= 0) {
		errno = EINVAL;
		return NULL;
	}

	cq = create(ctx, &attr);
	return cq ? &cq->vcq.cq : NULL;
}

struct ibv_cq_ex *croce_create_cq_ex(struct ibv_context *ctx,
				     struct ibv_cq_init_attr_ex *attr)
{
	struct croce_cq *cq;

	if (!is_supported(attr)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (!attr->cqe) {
		errno = EINVAL;
		return NULL;
	}

	cq = create(ctx, attr);
	if (!cq)
		return NULL;

	croce_cq_set_poll_ops(cq, attr->wc_flags);
	return &cq->vcq.cq_ex;
}

/*
 * The module has moved the CQEs to the same indices of a new mapping, so the
 * indices of the ring stay as they are and only its place changes.
 */
static int move(struct croce_cq *cq, struct ibv_context *ctx,
		const struct croce_create_cq_resp *resp)
{
	struct croce_map map;
	int err;

	err = croce_map_init(&map, ctx, resp->map_offset, resp->map_length);
	if (err)
		return err;

	croce_cq_ring_move(&cq->ring, map.addr, &resp->cq);
	croce_map_cleanup(&cq->map);
	cq->map = map;
	return 0;
}

/*
 * Both locks keep pollers and armers off the old mapping until it is gone.
 * Should the new one not fit into the address space, the CQ stays as it was
 * for the user and receives nothing more; the module has no way back.
 */
int croce_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	struct croce_cmd_resize_cq_resp resp = {};
	struct croce_cq *cq = to_croce_cq(ibcq);
	struct croce_cmd_resize_cq cmd = {};
	int err;

	if (cqe <= 0)
		return EINVAL;

	croce_lock(&cq->lock);
	croce_lock(&cq->arm_lock);
	err = ibv_cmd_resize_cq(ibcq, cqe, &cmd.ibv_cmd, sizeof(cmd),
				&resp.ibv_resp, sizeof(resp));
	if (!err)
		err = move(cq, ibcq->context, &resp.drv_payload);
	croce_unlock(&cq->arm_lock);
	croce_unlock(&cq->lock);
	return err;
}

int croce_destroy_cq(struct ibv_cq *ibcq)
{
	struct croce_cq *cq = to_croce_cq(ibcq);
	int err;

	err = ibv_cmd_destroy_cq(ibcq);
	if (err)
		return err;

	croce_map_cleanup(&cq->map);
	free(cq);
	return 0;
}
