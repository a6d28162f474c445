// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life of a queue pair: create, modify, query, destroy. send.c, wr.c and recv.c
 * post to it.
 */

#include <errno.h>
#include <stdlib.h>

#include "compat.h"
#include "croce.h"
#include "croce_abi.h"

/* Bits of device_cap_flags_ex that stand for optional requests. */
#define CAP_FLUSH (3ULL << 38) /* global, persistent */
#define CAP_ATOMIC_WRITE (1ULL << 40)

static uint8_t type_bit(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return CROCE_QPT_RC;
	case IBV_QPT_UC:
		return CROCE_QPT_UC;
	case IBV_QPT_UD:
		return CROCE_QPT_UD;
	case IBV_QPT_XRC_SEND:
		return CROCE_QPT_XRC_SEND;
	case IBV_QPT_XRC_RECV:
		return CROCE_QPT_XRC_RECV;
	default:
		return 0;
	}
}

/* What the device has of the requests that not every device has. */
static uint64_t optional_send_ops(struct ibv_context *ctx)
{
	struct ibv_device_attr_ex attr;
	uint64_t ops = 0;

	if (ibv_cmd_query_device_any(ctx, NULL, &attr, sizeof(attr), NULL,
				     NULL))
		return 0;

#ifdef CROCE_HAVE_FLUSH
	if (attr.device_cap_flags_ex & CAP_FLUSH)
		ops |= IBV_QP_EX_WITH_FLUSH;
#endif
	if (attr.device_cap_flags_ex & CAP_ATOMIC_WRITE)
		ops |= IBV_QP_EX_WITH_ATOMIC_WRITE;
	return ops;
}

static bool has_send_ops(struct ibv_context *ctx, enum ibv_qp_type type,
			 uint64_t ops)
{
	uint64_t optional = ops & CROCE_OPTIONAL_SEND_OPS;

	if (ops & ~croce_qp_supported_send_ops(type))
		return false;
	return !optional || !(optional & ~optional_send_ops(ctx));
}

static int check_attr(struct ibv_context *ctx,
		      const struct ibv_qp_init_attr_ex *attr)
{
	enum {
		SUPPORTED = IBV_QP_INIT_ATTR_PD |
			    IBV_QP_INIT_ATTR_XRCD |
			    IBV_QP_INIT_ATTR_CREATE_FLAGS |
			    IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
	};
	uint32_t home = attr->qp_type == IBV_QPT_XRC_RECV ?
			IBV_QP_INIT_ATTR_XRCD : IBV_QP_INIT_ATTR_PD;

	if (!(attr->comp_mask & home))
		return EINVAL;
	if (!type_bit(attr->qp_type) ||
	    (attr->comp_mask & ~(uint32_t)SUPPORTED))
		return EOPNOTSUPP;
	if ((attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) &&
	    !has_send_ops(ctx, attr->qp_type, attr->send_ops_flags))
		return EOPNOTSUPP;
	return 0;
}

static int map_queues(struct croce_qp *qp, struct ibv_context *ctx,
		      const struct ibv_qp_cap *cap,
		      const struct croce_create_qp_resp *resp)
{
	int err;

	if (qp->vqp.qp.qp_type == IBV_QPT_XRC_RECV)
		return 0;
	err = croce_map_init(&qp->map, ctx, resp->map_offset, resp->map_length);
	if (err)
		return err;

	croce_wq_init(&qp->sq, qp->map.addr, &resp->sq);
	qp->sq.max_sge = cap->max_send_sge;
	qp->sq.max_inline = resp->max_inline;
	if (resp->rq.slots) {
		croce_wq_init(&qp->rq, qp->map.addr, &resp->rq);
		qp->rq.max_sge = cap->max_recv_sge;
	}
	return 0;
}

static int create_and_map(struct croce_qp *qp, struct ibv_context *ctx,
			  struct ibv_qp_init_attr_ex *attr)
{
	struct croce_cmd_create_qp_resp resp = {};
	struct croce_cmd_create_qp cmd = {};
	int err;

	err = croce_ibv_cmd_create_qp_ex2(ctx, &qp->vqp, attr, &cmd.ibv_cmd,
					  sizeof(cmd), &resp.ibv_resp,
					  sizeof(resp));
	if (err)
		return err;

	err = map_queues(qp, ctx, &attr->cap, &resp.drv_payload);
	if (err)
		ibv_cmd_destroy_qp(&qp->vqp.qp);
	return err;
}

static void init_user_part(struct croce_qp *qp,
			   const struct ibv_qp_init_attr_ex *attr)
{
	bool has_pd = attr->comp_mask & IBV_QP_INIT_ATTR_PD;
	bool locked = !has_pd || !croce_pd_is_single_threaded(attr->pd);

	croce_lock_init(&qp->sq_lock, locked);
	croce_lock_init(&qp->rq_lock, locked);
	qp->sig_flag = attr->sq_sig_all ? CROCE_WR_SIGNALED : 0;
	qp->type_bit = type_bit(attr->qp_type);
	atomic_init(&qp->fd_refused, false);

	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		croce_qp_set_wr_ops(qp, attr->send_ops_flags);
		qp->vqp.comp_mask |= VERBS_QP_EX;
	}
}

struct ibv_qp *croce_create_qp_ex(struct ibv_context *ctx,
				  struct ibv_qp_init_attr_ex *attr)
{
	struct croce_qp *qp;
	int err;

	err = check_attr(ctx, attr);
	if (err) {
		errno = err;
		return NULL;
	}

	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;

	err = create_and_map(qp, ctx, attr);
	if (err) {
		free(qp);
		errno = err;
		return NULL;
	}

	init_user_part(qp, attr);
	return &qp->vqp.qp;
}

struct ibv_qp *croce_create_qp(struct ibv_pd *pd,
			       struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_qp *qp = croce_create_qp_ex(pd->context, &ex);

	if (qp)
		attr->cap = ex.cap;
	return qp;
}

/* No completion of the QP is left for a poller to find. */
static void clean_cqs(struct ibv_qp *ibqp)
{
	if (ibqp->send_cq)
		croce_cq_clean(to_croce_cq(ibqp->send_cq), ibqp->qp_num);
	if (ibqp->recv_cq && ibqp->recv_cq != ibqp->send_cq)
		croce_cq_clean(to_croce_cq(ibqp->recv_cq), ibqp->qp_num);
}

/* RESET forgets every request and every completion. */
static void reset(struct croce_qp *qp)
{
	clean_cqs(&qp->vqp.qp);

	if (!qp->sq.slots)
		return;
	croce_lock(&qp->sq_lock);
	croce_wq_reset(&qp->sq);
	croce_unlock(&qp->sq_lock);

	if (!qp->rq.slots)
		return;
	croce_lock(&qp->rq_lock);
	croce_wq_reset(&qp->rq);
	croce_unlock(&qp->rq_lock);
}

int croce_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		    int attr_mask)
{
	struct ibv_modify_qp cmd = {};
	int err;

	err = ibv_cmd_modify_qp(ibqp, attr, attr_mask, &cmd, sizeof(cmd));
	if (err)
		return err;

	if ((attr_mask & IBV_QP_STATE) && attr->qp_state == IBV_QPS_RESET)
		reset(to_croce_qp(ibqp));
	return 0;
}

int croce_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int attr_mask,
		   struct ibv_qp_init_attr *init_attr)
{
	struct ibv_query_qp cmd;

	return ibv_cmd_query_qp(ibqp, attr, attr_mask, init_attr, &cmd,
				sizeof(cmd));
}

/*
 * The module hands out QP numbers in turn, so no new queue pair has this one
 * before its completions are gone.
 */
int croce_destroy_qp(struct ibv_qp *ibqp)
{
	struct croce_qp *qp = to_croce_qp(ibqp);
	int err;

	err = ibv_cmd_destroy_qp(ibqp);
	if (err)
		return err;

	clean_cqs(ibqp);
	croce_map_cleanup(&qp->map);
	free(qp);
	return 0;
}
