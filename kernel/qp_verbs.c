// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Verbs of queue pairs. Attributes are checked by the RDMA core's table of
 * legal state changes and here, before anything is changed; the change itself
 * is made by the owner of the task.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>
#include "fault.h"
#include "qp.h"
#include "reorder.h"
#include "sq.h"
#include "task.h"
#include "turn.h"
#include "wire/opcode.h"

/* What a queue pair is made with. */
#define PD		BIT(0)
#define SEND_CQ		BIT(1)
#define RECV_CQ		BIT(2)
#define SRQ		BIT(3)
#define XRCD		BIT(4)
#define PROCESS		BIT(5)	/* kernel consumers have no such thing */

/**
 * struct qp_kind - legality of a queue pair type
 * @needs: what it must be made with; none for an unknown type
 * @takes: what it can be made with beside that
 * @transport: CROCE_TRANSPORT_*
 */
struct qp_kind {
	u8 needs;
	u8 takes;
	u8 transport;
};

static const struct qp_kind qp_kinds[] = {
	[IB_QPT_GSI] = {
		.needs = PD | SEND_CQ | RECV_CQ,
		.transport = CROCE_TRANSPORT_UD,
	},
	[IB_QPT_RC] = {
		.needs = PD | SEND_CQ | RECV_CQ, .takes = SRQ | PROCESS,
		.transport = CROCE_TRANSPORT_RC,
	},
	[IB_QPT_UC] = {
		.needs = PD | SEND_CQ | RECV_CQ, .takes = SRQ | PROCESS,
		.transport = CROCE_TRANSPORT_UC,
	},
	[IB_QPT_UD] = {
		.needs = PD | SEND_CQ | RECV_CQ, .takes = SRQ | PROCESS,
		.transport = CROCE_TRANSPORT_UD,
	},
	[IB_QPT_XRC_INI] = {
		.needs = PD | SEND_CQ | PROCESS,
		.transport = CROCE_TRANSPORT_XRC,
	},
	/* The RDMA core's own: processes only open it. */
	[IB_QPT_XRC_TGT] = {
		.needs = XRCD,
		.transport = CROCE_TRANSPORT_XRC,
	},
};

static u8 given(const struct ib_qp *ibqp, const struct ib_qp_init_attr *init,
		bool user)
{
	return (ibqp->pd ? PD : 0) | (init->send_cq ? SEND_CQ : 0) |
	       (init->recv_cq ? RECV_CQ : 0) | (init->srq ? SRQ : 0) |
	       (init->xrcd ? XRCD : 0) | (user ? PROCESS : 0);
}

static int check_init(const struct ib_qp *ibqp,
		      const struct ib_qp_init_attr *init, bool user)
{
	const struct ib_qp_cap *cap = &init->cap;
	u8 has = given(ibqp, init, user);
	const struct qp_kind *kind;

	if (init->qp_type >= ARRAY_SIZE(qp_kinds))
		return -EOPNOTSUPP;
	kind = &qp_kinds[init->qp_type];
	if (!kind->needs || init->create_flags)
		return -EOPNOTSUPP;
	if ((has & kind->needs) != kind->needs ||
	    (has & ~(kind->needs | kind->takes)))
		return -EINVAL;
	if (cap->max_send_wr > CROCE_MAX_WR ||
	    cap->max_send_sge > CROCE_MAX_SGE ||
	    cap->max_inline_data > CROCE_MAX_INLINE)
		return -EINVAL;
	if (!init->srq && (cap->max_recv_wr > CROCE_MAX_WR ||
			   cap->max_recv_sge > CROCE_MAX_SGE))
		return -EINVAL;
	return 0;
}

static int read_request(struct ib_udata *udata)
{
	struct croce_create_qp_req req = {};

	if (!udata)
		return 0;
	if (udata->inlen < sizeof(req))
		return -EINVAL;
	if (udata->inlen > sizeof(req) &&
	    !ib_is_udata_cleared(udata, sizeof(req),
				 udata->inlen - sizeof(req)))
		return -EOPNOTSUPP;
	if (ib_copy_from_udata(&req, udata, sizeof(req)))
		return -EFAULT;
	return req.comp_mask ? -EOPNOTSUPP : 0;
}

static struct croce_qp *alloc_qp(struct ib_qp *ibqp,
				 const struct ib_qp_init_attr *init, bool user)
{
	struct croce_qp *qp = kzalloc(sizeof(*qp), GFP_KERNEL_ACCOUNT);

	if (!qp)
		return NULL;
	qp->ibqp = ibqp;
	qp->dev = croce_dev(ibqp->device);
	qp->pd = ibqp->pd;
	qp->send_cq = init->send_cq ? croce_cq(init->send_cq) : NULL;
	qp->recv_cq = init->recv_cq ? croce_cq(init->recv_cq) : NULL;
	qp->srq = init->srq ? croce_srq(init->srq) : NULL;
	qp->xrcd = init->xrcd;
	qp->type = init->qp_type;
	qp->transport = qp_kinds[qp->type].transport;
	qp->user = user;
	qp->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->state = IB_QPS_RESET;
	qp->attr.qp_state = IB_QPS_RESET;
	qp->path.ip_id = get_random_u16();
	mutex_init(&qp->modify_mutex);
	spin_lock_init(&qp->sq_post_lock);
	spin_lock_init(&qp->rq_post_lock);
	croce_resp_init(&qp->resp);
	croce_task_init(qp);
	return qp;
}

/**
 * croce_create_qp - create_qp verb
 * @ibqp: RDMA core's part
 * @init: attributes; cap is updated
 * @udata: provider's, or NULL
 *
 * Return: 0 or -errno: -EINVAL beyond a limit, -EOPNOTSUPP for a type or flag
 * we do not have, -ENOMEM. Context: process, may sleep.
 */
int croce_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		    struct ib_udata *udata)
{
	struct croce_ucontext *uc = rdma_udata_to_drv_context(udata,
						struct croce_ucontext, ibuc);
	struct croce_qp_obj *obj = container_of(ibqp, struct croce_qp_obj,
						ibqp);
	struct croce_create_qp_resp resp = {};
	struct croce_qp *qp;
	int err;

	err = check_init(ibqp, init, udata);
	if (!err)
		err = read_request(udata);
	if (err)
		return err;
	qp = alloc_qp(ibqp, init, udata);
	if (!qp)
		return -ENOMEM;
	/* It has no queues, whatever was asked for. */
	if (qp->type == IB_QPT_XRC_TGT)
		memset(&init->cap, 0, sizeof(init->cap));
	err = croce_qp_alloc_queues(qp, uc ? &uc->ibuc : NULL, &init->cap,
				    &resp);
	if (err)
		goto err_free;
	qp->attr.cap = init->cap;
	err = croce_qp_insert(qp);
	if (err)
		goto err_free_queues;
	obj->qp = qp;
	ibqp->qp_num = qp->qpn;
	if (udata)
		err = ib_copy_to_udata(udata, &resp,
				       min(sizeof(resp), udata->outlen));
	if (err)
		goto err_erase;
	return 0;

err_erase:
	croce_qp_erase(qp);
	croce_task_stop(qp);
err_free_queues:
	croce_qp_free_queues(qp);
err_free:
	kfree_rcu(qp, rcu);
	return err;
}

/**
 * croce_destroy_qp - destroy_qp verb
 * @ibqp: RDMA core's part
 * @udata: provider's, or NULL
 *
 * Return: 0. Context: process, may sleep.
 */
int croce_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct croce_qp *qp = croce_qp(ibqp);

	/* After this no new packet finds the QP. */
	croce_qp_erase(qp);
	/* After this nothing touches its queues, its CQs and its memory. */
	croce_task_stop(qp);
	/* Kernel consumers are handed the QP with a completion: no more. */
	if (qp->send_cq)
		croce_cq_clean(qp->send_cq, qp->qpn);
	if (qp->recv_cq)
		croce_cq_clean(qp->recv_cq, qp->qpn);
	croce_path_drop(&qp->path);
	croce_qp_free_queues(qp);
	kfree(qp->replay);
	kfree_rcu(qp, rcu);
	return 0;
}

/* Time between two regular timeouts: two nominal ones (IBA 9.7.6.1.3: 4.096 us *
 * 2^n, 0 for never), but no less than with n = 16, as measured on ConnectX-6 with
 * the firmware's defaults: 537 ms. Losses are found long before, by NAKs and early
 * retransmissions; a shorter one would only punish paths that are slow.
 */
static u64 ack_timeout_ns(u8 exponent)
{
	return exponent ? 8192ULL << max_t(u8, exponent, 16) : 0;
}

static int check_path(struct croce_qp *qp, const struct ib_qp_attr *attr,
		      int mask)
{
	const struct ib_global_route *grh;

	if (!(mask & IB_QP_AV))
		return 0;
	grh = rdma_ah_read_grh(&attr->ah_attr);
	if (attr->ah_attr.type != RDMA_AH_ATTR_TYPE_ROCE ||
	    !(rdma_ah_get_ah_flags(&attr->ah_attr) & IB_AH_GRH) ||
	    !grh->sgid_attr)
		return -EINVAL;
	return 0;
}

static int check_values(struct croce_qp *qp, const struct ib_qp_attr *attr,
			int mask)
{
	if ((mask & IB_QP_PORT) && attr->port_num != 1)
		return -EINVAL;
	if ((mask & IB_QP_PKEY_INDEX) && attr->pkey_index)
		return -EINVAL;
	if ((mask & IB_QP_ALT_PATH))
		return -EOPNOTSUPP;
	if ((mask & IB_QP_PATH_MIG_STATE) &&
	    attr->path_mig_state != IB_MIG_MIGRATED)
		return -EOPNOTSUPP;
	if ((mask & IB_QP_MAX_QP_RD_ATOMIC) &&
	    attr->max_rd_atomic > CROCE_MAX_RD_ATOMIC)
		return -EINVAL;
	if ((mask & IB_QP_MAX_DEST_RD_ATOMIC) &&
	    attr->max_dest_rd_atomic > CROCE_MAX_RD_ATOMIC)
		return -EINVAL;
	if ((mask & IB_QP_PATH_MTU) &&
	    (attr->path_mtu < IB_MTU_256 || attr->path_mtu > IB_MTU_4096 ||
	     attr->path_mtu > croce_dev_active_mtu(qp->dev)))
		return -EINVAL;
	if ((mask & IB_QP_TIMEOUT) && attr->timeout > 31)
		return -EINVAL;
	if ((mask & IB_QP_RETRY_CNT) && attr->retry_cnt > 7)
		return -EINVAL;
	if ((mask & IB_QP_RNR_RETRY) && attr->rnr_retry > 7)
		return -EINVAL;
	if ((mask & IB_QP_MIN_RNR_TIMER) && attr->min_rnr_timer > 31)
		return -EINVAL;
	return check_path(qp, attr, mask);
}

/* The attributes as query returns them. */
static void store_attributes(struct croce_qp *qp,
			     const struct ib_qp_attr *attr, int mask)
{
	struct ib_qp_attr *to = &qp->attr;

	if (mask & IB_QP_ACCESS_FLAGS)
		to->qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_PKEY_INDEX)
		to->pkey_index = attr->pkey_index;
	if (mask & IB_QP_PORT)
		to->port_num = attr->port_num;
	if (mask & IB_QP_QKEY)
		to->qkey = attr->qkey;
	if (mask & IB_QP_AV)
		to->ah_attr = attr->ah_attr;
	if (mask & IB_QP_PATH_MTU)
		to->path_mtu = attr->path_mtu;
	if (mask & IB_QP_TIMEOUT)
		to->timeout = attr->timeout;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = attr->rnr_retry;
	if (mask & IB_QP_RQ_PSN)
		to->rq_psn = attr->rq_psn & 0xffffff;
	if (mask & IB_QP_SQ_PSN)
		to->sq_psn = attr->sq_psn & 0xffffff;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qp_num = attr->dest_qp_num & 0xffffff;
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		to->en_sqd_async_notify = attr->en_sqd_async_notify;
	to->path_mig_state = IB_MIG_MIGRATED;
}

static u32 mtu_of(struct croce_qp *qp)
{
	return ib_mtu_enum_to_int(croce_qp_is_connected(qp) ?
				  qp->attr.path_mtu :
				  croce_dev_active_mtu(qp->dev));
}

/* ECN: data of connected QPs is ECN-capable, ECT(0), as on mlx5. */
static int set_path(struct croce_qp *qp)
{
	struct croce_av av = {};
	int err;

	err = croce_av_init(&av, &qp->attr.ah_attr, qp->qpn,
			    qp->attr.dest_qp_num, 2);
	if (!err)
		qp->path.av = av;
	return err;
}

static void reset(struct croce_qp *qp)
{
	struct croce_req *req = &qp->req;
	u32 posted = READ_ONCE(qp->sq.ctl->prod);

	croce_fault_forget(qp);
	croce_req_init(req, req->ring, qp->sq.slots);
	req->cons = posted;
	req->send = posted;
	req->prod = posted;
	WRITE_ONCE(qp->sq.ctl->cons, posted);
	if (qp->rq.slots) {
		qp->rq.cons = READ_ONCE(qp->rq.ctl->prod);
		WRITE_ONCE(qp->rq.ctl->cons, qp->rq.cons);
		WRITE_ONCE(qp->rq.ctl->state, 0);
	}
	croce_resp_init(&qp->resp);
	croce_reorder_purge(qp);
	/* Those that waited for a page, and nobody took in since. */
	croce_backlog_purge(&qp->rx_backlog);
	croce_path_drop(&qp->path);
	qp->sq_broken = false;
	qp->rqe_valid = false;
	qp->retry_local = false;
	qp->cc_choice = NULL;
	qp->comm_est = false;
	qp->fatal = false;
}

static void ready_to_receive(struct croce_qp *qp, struct croce_replay *replay)
{
	struct croce_resp_config cfg = {
		.mtu = mtu_of(qp),
		.reliable = croce_qp_is_reliable(qp),
	};

	qp->dest_qpn = qp->attr.dest_qp_num;
	kfree(qp->replay);
	qp->replay = replay;
	croce_resp_start(&qp->resp, &cfg, replay,
			 replay ? qp->attr.max_dest_rd_atomic : 0,
			 qp->attr.rq_psn);
}

static struct croce_req_config requester_config(struct croce_qp *qp)
{
	return (struct croce_req_config) {
		.mtu = mtu_of(qp),
		.max_rd_atomic = qp->attr.max_rd_atomic,
		.retry_cnt = qp->attr.retry_cnt,
		.rnr_retry = qp->attr.rnr_retry,
		.timeout_ns = ack_timeout_ns(qp->attr.timeout),
		.reliable = croce_qp_is_reliable(qp),
	};
}

static void ready_to_send(struct croce_qp *qp, u8 from)
{
	struct croce_req_config cfg = requester_config(qp);

	if (from == IB_QPS_RTR) {
		croce_req_start(&qp->req, &cfg, qp->attr.sq_psn);
	} else if (from == IB_QPS_SQE || from == IB_QPS_SQD) {
		qp->req.state = CROCE_REQ_RUN;
		qp->req.cfg = cfg;
	} else {
		qp->req.cfg = cfg;
	}
}

/* The change itself: everything was checked and allocated. */
static void enter_state(struct croce_qp *qp, u8 from, u8 to,
			struct croce_replay *replay)
{
	qp->qkey = qp->attr.qkey;
	switch (to) {
	case IB_QPS_RESET:
		reset(qp);
		break;
	case IB_QPS_RTR:
		ready_to_receive(qp, replay);
		break;
	case IB_QPS_RTS:
		ready_to_send(qp, from);
		break;
	case IB_QPS_SQD:
		qp->req.state = CROCE_REQ_DRAIN;
		qp->sqd_notify = qp->attr.en_sqd_async_notify;
		break;
	case IB_QPS_ERR:
		croce_turn_error(qp);
		break;
	}
	WRITE_ONCE(qp->state, to);
}

static struct croce_replay *alloc_replay(const struct croce_qp *qp)
{
	if (!croce_qp_is_reliable(qp) || !qp->attr.max_dest_rd_atomic)
		return NULL;
	return kcalloc(qp->attr.max_dest_rd_atomic,
		       sizeof(struct croce_replay), GFP_KERNEL_ACCOUNT);
}

static int change_state(struct croce_qp *qp, u8 from, u8 to,
			const struct ib_qp_attr *attr, int mask)
{
	struct ib_qp_attr before = qp->attr;
	struct croce_replay *replay = NULL;
	struct croce_av av;
	int err;

	store_attributes(qp, attr, mask);
	if (from == IB_QPS_INIT && to == IB_QPS_RTR) {
		replay = alloc_replay(qp);
		if (!replay && croce_qp_is_reliable(qp) &&
		    qp->attr.max_dest_rd_atomic) {
			err = -ENOMEM;
			goto err_restore;
		}
	}
	croce_task_enter(qp);
	av = qp->path.av;
	err = mask & IB_QP_AV ? set_path(qp) : 0;
	if (!err)
		enter_state(qp, from, to, replay);
	else
		qp->path.av = av;
	atomic_or(CROCE_TASK_SEND, &qp->work);
	croce_task_leave(qp);
	/* The RDMA core holds the GID for us, not for this copy. */
	qp->attr.ah_attr.grh.sgid_attr = NULL;
	if (!err)
		return 0;
	kfree(replay);
err_restore:
	qp->attr = before;
	return err;
}

/**
 * croce_modify_qp - modify_qp verb
 * @ibqp: RDMA core's part
 * @attr: attributes
 * @mask: which of them are given
 * @udata: provider's, or NULL; unused
 *
 * Return: 0 or -errno: -EINVAL for an illegal change or value, -EOPNOTSUPP for
 * attributes we do not have. Context: process, may sleep.
 */
int croce_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_udata *udata)
{
	struct croce_qp *qp = croce_qp(ibqp);
	u8 from, to;
	int err = -EINVAL;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	mutex_lock(&qp->modify_mutex);
	from = mask & IB_QP_CUR_STATE ? attr->cur_qp_state :
	       READ_ONCE(qp->state);
	to = mask & IB_QP_STATE ? attr->qp_state : from;
	if (from == READ_ONCE(qp->state) &&
	    ib_modify_qp_is_ok(from, to, ibqp->qp_type, mask)) {
		err = check_values(qp, attr, mask);
		if (!err)
			err = change_state(qp, from, to, attr, mask);
	}
	mutex_unlock(&qp->modify_mutex);
	return err;
}

/**
 * croce_query_qp - query_qp verb
 * @ibqp: RDMA core's part
 * @attr: filled
 * @mask: unused: everything is filled
 * @init: filled
 *
 * Return: 0. Context: process, may sleep.
 */
int croce_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init)
{
	struct croce_qp *qp = croce_qp(ibqp);

	mutex_lock(&qp->modify_mutex);
	*attr = qp->attr;
	croce_task_enter(qp);
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	if (qp->state >= IB_QPS_RTR && qp->resp.active)
		attr->rq_psn = qp->resp.epsn;
	if (qp->state >= IB_QPS_RTS)
		attr->sq_psn = qp->req.next_psn;
	attr->sq_draining = qp->state == IB_QPS_SQD &&
			    !croce_req_is_drained(&qp->req);
	croce_task_leave(qp);
	mutex_unlock(&qp->modify_mutex);

	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = attr->cap;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR :
			    IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	return 0;
}

static void run_or_defer(struct croce_qp *qp, unsigned int work)
{
	/* Turns run with interrupts on; core_locking.rst lets posters not. */
	if (irqs_disabled() || in_hardirq())
		croce_task_defer(qp, work);
	else
		croce_task_run(qp, work, CROCE_IN_POST);
}

/**
 * croce_post_send - post_send verb, and the doorbell of a process
 * @ibqp: RDMA core's part
 * @wr: work requests of a kernel consumer; NULL from a process, whose WRs are
 *	in the mapped queue
 * @bad_wr: first one that was not posted
 *
 * Return: 0 or -errno: -EINVAL for a WR or state that cannot be, -ENOMEM when
 * the queue is full. Context: any.
 */
int croce_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad_wr)
{
	struct croce_qp *qp = croce_qp(ibqp);
	unsigned long flags;
	int err = 0;

	*bad_wr = wr;
	if (qp->user) {
		if (wr)
			return -EINVAL;
		croce_task_run(qp, CROCE_TASK_SEND, CROCE_IN_POST);
		return 0;
	}
	if (qp->type == IB_QPT_XRC_TGT || READ_ONCE(qp->state) < IB_QPS_RTS)
		return -EINVAL;
	spin_lock_irqsave(&qp->sq_post_lock, flags);
	for (; wr && !err; wr = wr->next) {
		*bad_wr = wr;
		err = croce_sq_write(qp, wr);
	}
	/* A: pairs with the acquire in croce_sq_fetch(). */
	smp_store_release(&qp->sq.ctl->prod, qp->sq.prod);
	spin_unlock_irqrestore(&qp->sq_post_lock, flags);
	run_or_defer(qp, CROCE_TASK_SEND);
	return err;
}

/**
 * croce_post_recv - post_recv verb of kernel consumers
 * @ibqp: RDMA core's part
 * @wr: work requests
 * @bad_wr: first one that was not posted
 *
 * Return: 0 or -errno: -EINVAL for a WR or state that cannot be, -ENOMEM when
 * the queue is full. Context: any.
 */
int croce_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad_wr)
{
	struct croce_qp *qp = croce_qp(ibqp);
	unsigned long flags;
	int err = 0;

	*bad_wr = wr;
	if (qp->user || !qp->rq.slots || READ_ONCE(qp->state) < IB_QPS_INIT)
		return -EINVAL;
	spin_lock_irqsave(&qp->rq_post_lock, flags);
	for (; wr && !err; wr = wr->next) {
		*bad_wr = wr;
		err = croce_rqe_write(&qp->rq, wr);
	}
	/* A: pairs with the acquire in croce_rqe_fetch(). */
	smp_store_release(&qp->rq.ctl->prod, qp->rq.prod);
	spin_unlock_irqrestore(&qp->rq_post_lock, flags);
	/* C: the store of prod, then the load of state. */
	smp_mb();
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		run_or_defer(qp, CROCE_TASK_SEND);
	return err;
}
