// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life of a shared receive queue: create, modify, query, destroy. recv.c posts
 * to it.
 */

#include <errno.h>
#include <stdlib.h>

#include "croce.h"
#include "croce_abi.h"

static int map_queue(struct croce_srq *srq, struct ibv_context *ctx,
		     const struct croce_create_srq_resp *resp)
{
	int err;

	err = croce_map_init(&srq->map, ctx, resp->map_offset,
			     resp->map_length);
	if (err)
		return err;

	croce_wq_init(&srq->wq, srq->map.addr, &resp->rq);
	return 0;
}

static struct ibv_srq *create(struct ibv_context *ctx,
			      struct ibv_srq_init_attr_ex *attr)
{
	struct croce_cmd_create_srq_ex_resp resp = {};
	struct croce_cmd_create_srq_ex cmd = {};
	struct croce_srq *srq;
	int err;

	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;

	err = ibv_cmd_create_srq_ex(ctx, &srq->vsrq, attr, &cmd.ibv_cmd,
				    sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (err)
		goto err_free_srq;

	err = map_queue(srq, ctx, &resp.drv_payload);
	if (err)
		goto err_destroy_srq;

	srq->vsrq.srq_num = resp.drv_payload.srq_num;
	srq->wq.max_sge = attr->attr.max_sge;
	croce_lock_init(&srq->lock, !croce_pd_is_single_threaded(attr->pd));
	return &srq->vsrq.srq;

err_destroy_srq:
	ibv_cmd_destroy_srq(&srq->vsrq.srq);
err_free_srq:
	free(srq);
	errno = err;
	return NULL;
}

struct ibv_srq *croce_create_srq(struct ibv_pd *pd,
				 struct ibv_srq_init_attr *attr)
{
	struct ibv_srq_init_attr_ex ex = {
		.attr = attr->attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_srq *srq = create(pd->context, &ex);

	if (srq)
		attr->attr = ex.attr;
	return srq;
}

static int check_attr(const struct ibv_srq_init_attr_ex *attr)
{
	uint32_t needs = IBV_SRQ_INIT_ATTR_PD;
	enum ibv_srq_type type = IBV_SRQT_BASIC;

	if (attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE)
		type = attr->srq_type;
	if (type == IBV_SRQT_XRC)
		needs |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	else if (type != IBV_SRQT_BASIC)
		return EOPNOTSUPP;

	if (attr->comp_mask & ~(needs | IBV_SRQ_INIT_ATTR_TYPE))
		return EOPNOTSUPP;
	return (attr->comp_mask & needs) == needs ? 0 : EINVAL;
}

struct ibv_srq *croce_create_srq_ex(struct ibv_context *ctx,
				    struct ibv_srq_init_attr_ex *attr)
{
	int err = check_attr(attr);

	if (err) {
		errno = err;
		return NULL;
	}
	return create(ctx, attr);
}

/*
 * The module has moved the receives to the same indices of a new mapping. The
 * old one stays where the new one finds no place; nobody looks at it then.
 */
static int move(struct croce_srq *srq, struct ibv_context *ctx,
		const struct croce_create_srq_resp *resp)
{
	struct croce_map old = srq->map;
	int err;

	err = map_queue(srq, ctx, resp);
	if (err)
		return err;

	croce_map_cleanup(&old);
	return 0;
}

static int modify(struct croce_srq *srq, struct ibv_srq_attr *attr,
		  int attr_mask)
{
	struct croce_create_srq_resp resp = {};
	struct croce_cmd_modify_srq cmd = {
		.drv_payload.resp_addr = (uintptr_t)&resp,
	};
	struct ibv_srq *ibsrq = &srq->vsrq.srq;
	int err;

	err = ibv_cmd_modify_srq(ibsrq, attr, attr_mask, &cmd.ibv_cmd,
				 sizeof(cmd));
	if (err || !(attr_mask & IBV_SRQ_MAX_WR))
		return err;
	return move(srq, ibsrq->context, &resp);
}

/*
 * The lock keeps posters off the old mapping while it is replaced. The resize
 * has a command of its own, so that its failure always means that the queue
 * has not moved, and that of the rest never does.
 */
int croce_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr,
		     int attr_mask)
{
	struct croce_srq *srq = to_croce_srq(ibsrq);
	int rest = attr_mask & ~IBV_SRQ_MAX_WR;
	int err = 0;

	croce_lock(&srq->lock);
	if (attr_mask & IBV_SRQ_MAX_WR)
		err = modify(srq, attr, IBV_SRQ_MAX_WR);
	if (!err && rest)
		err = modify(srq, attr, rest);
	croce_unlock(&srq->lock);
	return err;
}

int croce_query_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd;

	return ibv_cmd_query_srq(ibsrq, attr, &cmd, sizeof(cmd));
}

int croce_get_srq_num(struct ibv_srq *ibsrq, uint32_t *srq_num)
{
	*srq_num = to_croce_srq(ibsrq)->vsrq.srq_num;
	return 0;
}

int croce_destroy_srq(struct ibv_srq *ibsrq)
{
	struct croce_srq *srq = to_croce_srq(ibsrq);
	int err;

	err = ibv_cmd_destroy_srq(ibsrq);
	if (err)
		return err;

	croce_map_cleanup(&srq->map);
	free(srq);
	return 0;
}
