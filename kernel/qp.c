// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The queue pair as an object: its number, its queues, its completions and
 * events. The verbs are in qp_verbs.c.
 */
#include <linux/random.h>
#include <linux/vmalloc.h>
#include "qp.h"
#include "xrcd.h"

#define QPN_FIRST	0x10
#define QPN_LAST	0xfffffe

struct workqueue_struct *croce_wq;
struct workqueue_struct *croce_local_wq;

/* Queue pairs of all devices by number (R, L: xa_lock): a packet names no
 * device, and a number that is unique on the host needs none.
 */
static DEFINE_XARRAY_ALLOC(qps);
static u32 qpn_next;

/**
 * croce_qp_init - prepare for queue pairs
 *
 * Return: 0 or -ENOMEM. Context: process, may sleep.
 */
int croce_qp_init(void)
{
	qpn_next = get_random_u32_below(QPN_LAST - QPN_FIRST) + QPN_FIRST;
	/* MEM_RECLAIM: storage consumers make progress through it. */
	croce_wq = alloc_workqueue("croce", WQ_MEM_RECLAIM | WQ_HIGHPRI |
				   WQ_UNBOUND, 0);
	if (!croce_wq)
		return -ENOMEM;
	croce_local_wq = alloc_workqueue("croce_local", WQ_MEM_RECLAIM |
					 WQ_HIGHPRI | WQ_PERCPU, 0);
	if (croce_local_wq)
		return 0;
	destroy_workqueue(croce_wq);
	return -ENOMEM;
}

/**
 * croce_qp_exit - no queue pair is left
 *
 * Context: process, may sleep.
 */
void croce_qp_exit(void)
{
	destroy_workqueue(croce_local_wq);
	destroy_workqueue(croce_wq);
	WARN_ON(!xa_empty(&qps));
}

/**
 * croce_qp_find - queue pair by number
 * @qpn: number from the wire
 *
 * Return: the queue pair, or NULL; valid in the RCU read section, and may be
 * dead. Context: RCU read section.
 */
struct croce_qp *croce_qp_find(u32 qpn)
{
	return xa_load(&qps, qpn);
}

/**
 * croce_qp_insert - give a queue pair its number and make it known
 * @qp: complete queue pair; qpn is set here unless it is the GSI
 *
 * Return: 0, -EBUSY for a second GSI, -ENOMEM, -EAGAIN when numbers are used
 * up. Context: process, may sleep.
 */
int croce_qp_insert(struct croce_qp *qp)
{
	struct croce_qp *none = NULL;
	int err;

	if (qp->type == IB_QPT_GSI) {
		qp->qpn = 1;
		return try_cmpxchg((struct croce_qp **)&qp->dev->gsi, &none,
				   qp) ? 0 : -EBUSY;
	}
	/* Reserve first: nobody may find a QP that does not know its number. */
	err = xa_alloc_cyclic(&qps, &qp->qpn, NULL,
			      XA_LIMIT(QPN_FIRST, QPN_LAST), &qpn_next,
			      GFP_KERNEL);
	if (err < 0)
		return err == -EBUSY ? -EAGAIN : err;
	xa_store(&qps, qp->qpn, qp, GFP_KERNEL);
	return 0;
}

/**
 * croce_qp_erase - make a queue pair unknown
 * @qp: queue pair
 *
 * Readers that have it already keep it until a grace period later.
 *
 * Context: process, may sleep.
 */
void croce_qp_erase(struct croce_qp *qp)
{
	if (qp->type == IB_QPT_GSI)
		RCU_INIT_POINTER(qp->dev->gsi, NULL);
	else
		xa_erase(&qps, qp->qpn);
}

static u32 slots_for(u32 max_wr)
{
	return roundup_pow_of_two(max(max_wr, 1U));
}

static int alloc_private(struct croce_qp *qp, u32 slots, u32 payload)
{
	struct croce_wqe *wqes;

	wqes = kvcalloc(slots, sizeof(*wqes), GFP_KERNEL_ACCOUNT);
	if (!wqes)
		return -ENOMEM;
	qp->sq_slot_size = sizeof(struct croce_sq_slot) + payload;
	qp->sq_slots = kvcalloc(slots, qp->sq_slot_size, GFP_KERNEL_ACCOUNT);
	if (!qp->sq_slots) {
		kvfree(wqes);
		return -ENOMEM;
	}
	croce_req_init(&qp->req, wqes, slots);
	return 0;
}

static void free_private(struct croce_qp *qp)
{
	kvfree(qp->sq_slots);
	kvfree(qp->req.ring);
}

static void init_wq(struct croce_wq *wq, u32 slots, u32 stride, u32 max_sge)
{
	wq->slots = slots;
	wq->mask = slots - 1;
	wq->stride = stride;
	wq->max_wr = slots;
	wq->max_sge = max_sge;
}

/**
 * croce_qp_alloc_queues - rings of a queue pair, shared and private
 * @qp: queue pair; srq is set
 * @ibuc: context of the process, or NULL for a kernel consumer
 * @cap: limits asked for, within those of the device; updated to what is
 * @resp: filled with the places of the rings
 *
 * An XRC target gets a send queue of one slot that nobody can post to, so that
 * its turns are like all others.
 *
 * Return: 0 or -ENOMEM. Context: process, may sleep.
 */
int croce_qp_alloc_queues(struct croce_qp *qp, struct ib_ucontext *ibuc,
			  struct ib_qp_cap *cap,
			  struct croce_create_qp_resp *resp)
{
	u32 payload = ALIGN(max_t(u32, cap->max_send_sge *
				  sizeof(struct croce_sge),
				  cap->max_inline_data), 64);
	u32 sq_stride = sizeof(struct croce_sqe) + payload;
	u32 rq_stride = sizeof(struct croce_rqe) +
			cap->max_recv_sge * sizeof(struct croce_sge);
	u32 sq_slots = slots_for(cap->max_send_wr);
	u32 rq_slots = qp->srq || croce_qp_is_xrc(qp) ? 0 :
		       slots_for(cap->max_recv_wr);
	size_t offset;
	int err;

	err = alloc_private(qp, sq_slots, payload);
	if (err)
		return err;
	init_wq(&qp->sq, sq_slots, sq_stride, cap->max_send_sge);
	init_wq(&qp->rq, rq_slots, rq_stride, cap->max_recv_sge);
	qp->max_inline = payload;
	offset = croce_wq_size(sq_slots, sq_stride);
	qp->umap = croce_umap_create(ibuc, offset + (rq_slots ?
				     croce_wq_size(rq_slots, rq_stride) : 0));
	if (IS_ERR(qp->umap)) {
		free_private(qp);
		return PTR_ERR(qp->umap);
	}
	offset = croce_wq_place(&qp->sq, qp->umap, 0, &resp->sq);
	if (rq_slots)
		croce_wq_place(&qp->rq, qp->umap, offset, &resp->rq);
	resp->map_offset = croce_umap_offset(qp->umap);
	resp->map_length = qp->umap->size;
	resp->max_inline = payload;
	cap->max_send_wr = qp->type == IB_QPT_XRC_TGT ? 0 : sq_slots;
	cap->max_recv_wr = rq_slots;
	cap->max_inline_data = payload;
	return 0;
}

/**
 * croce_qp_free_queues - mirror of croce_qp_alloc_queues()
 * @qp: queue pair whose task was stopped
 *
 * Context: process, may sleep.
 */
void croce_qp_free_queues(struct croce_qp *qp)
{
	croce_umap_destroy(qp->umap);
	free_private(qp);
}

/*
 * What logs of ConnectX show beside these statuses, and what people look for;
 * 0 where nothing is known.
 */
static const u8 vendor_err[] = {
	[CROCE_STATUS_LOC_PROT_ERR]	= 0x51,
	[CROCE_STATUS_WR_FLUSH_ERR]	= 0xf9,
	[CROCE_STATUS_REM_INV_REQ_ERR]	= 0x8a,
	[CROCE_STATUS_REM_ACCESS_ERR]	= 0x88,
	[CROCE_STATUS_REM_OP_ERR]	= 0x89,
	[CROCE_STATUS_RETRY_EXC_ERR]	= 0x81,
};

/* One CQ for each direction, but an XRC target has as many as there are SRQs. */
static void notify_later(struct croce_qp *qp, struct croce_cq *cq)
{
	struct croce_cq **slot = &qp->notify[cq != qp->send_cq];

	if (unlikely(*slot && *slot != cq))
		croce_cq_notify(*slot, false);
	*slot = cq;
}

/**
 * croce_qp_complete - post a completion of this queue pair
 * @qp: queue pair
 * @cq: its send or receive CQ
 * @cqe: completion; queue pair number and vendor error are filled in here
 * @solicited: satisfies a consumer who waits for solicited events only
 *
 * The consumer is told later in the turn.
 *
 * Context: owner of the QP's task.
 */
void croce_qp_complete(struct croce_qp *qp, struct croce_cq *cq,
		       struct croce_cqe *cqe, bool solicited)
{
	cqe->qp_num = qp->qpn;
	if (cqe->status < ARRAY_SIZE(vendor_err))
		cqe->vendor_err = vendor_err[cqe->status];
	if (croce_cq_post(cq, cqe, solicited))
		notify_later(qp, cq);
}

/**
 * croce_qp_complete_rqe - complete the receive WQE that was in use
 * @qp: queue pair
 * @cqe: completion; as croce_qp_complete(), and the wr_id is filled in here
 * @solicited: satisfies a consumer who waits for solicited events only
 *
 * XRC: in the CQ of the SRQ that the WQE is from. Where that was destroyed, its
 * WQEs went with it, and nobody waits.
 *
 * Context: owner of the QP's task, RCU read section.
 */
void croce_qp_complete_rqe(struct croce_qp *qp, struct croce_cqe *cqe,
			   bool solicited)
{
	cqe->wr_id = qp->rqe.wr_id;
	qp->rqe_valid = false;
	if (!croce_xrc_enter_for_rqe(qp))
		return;
	croce_qp_complete(qp, qp->recv_cq, cqe, solicited);
	croce_xrc_leave(qp);
}

/**
 * croce_qp_event - raise an asynchronous event
 * @qp: queue pair
 * @event: event
 *
 * Context: any; the queue pair is not dead.
 */
void croce_qp_event(struct croce_qp *qp, enum ib_event_type event)
{
	struct ib_event record = {
		.device = &qp->dev->ibdev,
		.element.qp = qp->ibqp,
		.event = event,
	};

	if (qp->ibqp->event_handler)
		qp->ibqp->event_handler(&record, qp->ibqp->qp_context);
}
