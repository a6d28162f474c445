// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One turn of a queue pair's task. The order is fixed: what arrived is taken
 * in, what is owed to the peer is sent, then own requests, then completions.
 * So one acknowledgement covers all packets of a batch, and a completion is
 * seen after the memory it speaks of. A process that sleeps is woken as soon as
 * there is something for it: that takes longer than the acknowledgement.
 */
#include <linux/ktime.h>
#include "fault.h"
#include "mr.h"
#include "pacer.h"
#include "recv.h"
#include "reorder.h"
#include "send.h"
#include "sq.h"
#include "turn.h"
#include "wire/aeth.h"

/* Work of one turn at most; the rest is another turn's. */
#define TURN_PKTS	64U
/* Pause after the local queue refused a packet, and when nothing passes; an ACK
 * waits for it, too, and a peer may send again after 4 ms.
 */
#define LOCAL_RETRY_NS		(200ULL * NSEC_PER_USEC)
#define LOCAL_RETRY_MAX_NS	(2ULL * NSEC_PER_MSEC)
/* A timer waits so long for what has arrived. */
#define TIMER_HOLD_NS	(2 * NSEC_PER_MSEC)

static unsigned int take_in(struct croce_qp *qp)
{
	struct sk_buff *skb;
	u32 pkts = 0;

	while (pkts < TURN_PKTS) {
		/* The end of the page fault asks for more. */
		if (unlikely(qp->stalled))
			return 0;
		skb = croce_backlog_take(&qp->rx_backlog);
		if (!skb)
			return 0;
		pkts += croce_recv_pkts(skb);
		croce_recv_skb(qp, skb);
	}
	return CROCE_TASK_RECV;
}

static void on_timer(struct croce_qp *qp)
{
	struct croce_comp_record rec;

	qp->timer_ns = KTIME_MAX;
	qp->retry_local = false;
	/* Nobody is late: what arrived was not looked at. */
	if (unlikely(qp->stalled))
		return;
	croce_reorder_on_timer(qp, ktime_get_ns());
	rec = croce_req_on_timer(&qp->req, ktime_get_ns());
	if (unlikely(qp->cc.limited))
		croce_pacer_on_response(qp, &rec);
	croce_completer_count(qp, &rec);
}

/*
 * Nobody is late who is in the backlog. But a peer that sends all the time must
 * not keep us from sending again.
 */
static bool timer_can_wait(const struct croce_qp *qp, unsigned int left)
{
	return left & CROCE_TASK_RECV && !qp->retry_local &&
	       ktime_get_ns() < qp->timer_ns + TIMER_HOLD_NS;
}

static unsigned int respond(struct croce_qp *qp)
{
	u8 nak = croce_aeth_nak(CROCE_NAK_REM_ACCESS);
	u32 max = croce_send_max_pkts(qp);
	u32 sent = 0;

	while (croce_resp_owes(&qp->resp) && !qp->retry_local) {
		u32 room = croce_pacer_limits_responses(qp) ?
			   croce_pacer_room(qp, max) : max;
		struct croce_resp_run run = croce_resp_next(&qp->resp,
							    max(room, 1U));
		int err;

		if (unlikely(!room) && run.tx == CROCE_RESP_TX_READ)
			break;
		err = croce_send_response(qp, &run);
		if (err == -EAGAIN) {
			qp->retry_local = true;
			break;
		}
		/* The page fault does not change what is owed. */
		if (err == -EINPROGRESS)
			break;
		if (err) {
			if (!croce_resp_abandon(&qp->resp, &run, nak))
				continue;
			qp->fatal = true;
			qp->fatal_event = IB_EVENT_QP_ACCESS_ERR;
			continue;
		}
		croce_resp_on_sent(&qp->resp, &run);
		croce_pacer_on_respond(qp, &run);
		croce_task_note_bytes(qp, run.length);
		sent += run.npkts;
		if (sent >= TURN_PKTS)
			return CROCE_TASK_RESPOND;
	}
	return 0;
}

static int bind_window(struct croce_qp *qp, const struct croce_wqe *wqe,
		       const struct croce_sq_slot *slot)
{
	struct croce_mw_bind bind = {
		.old_rkey = slot->ah,
		.new_rkey = wqe->rkey,
		.lkey = wqe->swap >> 32,
		.access = (u32)wqe->swap,
		.addr = wqe->remote_addr,
		.length = wqe->compare_add,
	};

	return croce_mw_bind(qp->dev, qp->pd, qp->qpn, &bind);
}

/* Local operations: memory keys of this host. */
static u8 perform_local(struct croce_qp *qp, u32 index)
{
	const struct croce_wqe *wqe = croce_req_wqe(&qp->req, index);
	const struct croce_sq_slot *slot = croce_sq_slot(qp, index);

	switch (wqe->opcode) {
	case CROCE_WR_BIND_MW:
		return bind_window(qp, wqe, slot) ?
		       CROCE_STATUS_MW_BIND_ERR : CROCE_STATUS_SUCCESS;
	case CROCE_WR_REG_MR:
		return croce_mr_reg(qp->dev,
				    (struct croce_mr *)(uintptr_t)wqe->swap,
				    wqe->rkey, (u32)wqe->compare_add) ?
		       CROCE_STATUS_LOC_QP_OP_ERR : CROCE_STATUS_SUCCESS;
	default:
		return croce_mr_invalidate(qp->dev, qp->pd, wqe->inv_rkey,
					   qp->qpn, false) ?
		       CROCE_STATUS_LOC_QP_OP_ERR : CROCE_STATUS_SUCCESS;
	}
}

/* The local queue is full. */
static void refused(const struct croce_batch *batch)
{
	croce_req_unsend(&batch->qp->req, batch->unsent_psn);
	batch->qp->retry_local = true;
}

/*
 * Returns 0 when the run is on its way, -EAGAIN or -EINPROGRESS when it is to
 * be tried later, anything else when its WQE is going to fail.
 */
static int send_one(struct croce_batch *batch, struct croce_req_run *run)
{
	struct croce_qp *qp = batch->qp;
	u8 status = CROCE_STATUS_SUCCESS;
	int err = 0;

	/* Data of a key that ends here must not be needed again by our doing. */
	if (run->verdict == CROCE_REQ_LOCAL) {
		err = croce_send_flush(batch);
		if (!err)
			status = perform_local(qp, run->wqe);
	} else {
		err = croce_send_request(batch, run);
	}
	if (err == -EAGAIN)
		refused(batch);
	if (err == -EAGAIN || err == -EINPROGRESS)
		return err;
	if (err == -EFAULT)
		status = CROCE_STATUS_LOC_PROT_ERR;
	else if (err)
		status = CROCE_STATUS_LOC_QP_OP_ERR;
	if (status) {
		/* Not failed yet: earlier WQEs complete first. */
		croce_req_wqe(&qp->req, run->wqe)->status = status;
		return -EIO;
	}
	croce_pacer_on_request(qp, run);
	if (run->npkts > 1)
		croce_task_note_bytes(qp, run->length);
	croce_req_on_sent(&qp->req, run, ktime_get_ns());
	return 0;
}

static unsigned int send_requests(struct croce_batch *batch, u8 *verdict)
{
	struct croce_qp *qp = batch->qp;
	u32 max = croce_send_max_pkts(qp);
	struct croce_req_run run;
	u32 sent = 0, room;
	int err;

	for (;;) {
		if (qp->req.send == qp->req.prod ||
		    qp->req.send + 1 == qp->req.prod)
			croce_sq_fetch(qp);
		if (qp->req.send != qp->req.prod)
			croce_sq_report(qp, CROCE_SQ_BUSY);
		room = croce_pacer_room(qp, max);
		run = croce_req_next(&qp->req, max(room, 1U));
		*verdict = run.verdict;
		if (run.verdict < CROCE_REQ_SEND || qp->retry_local)
			return 0;
		if (unlikely(qp->cc.limited) &&
		    !croce_pacer_allows(qp, &run, room)) {
			*verdict = CROCE_REQ_BLOCKED;
			return 0;
		}
		err = send_one(batch, &run);
		if (err == -EAGAIN || err == -EINPROGRESS)
			return 0;
		/* It failed: what went before has to ask for an ACK. */
		if (err)
			continue;
		sent += max(run.npkts, 1U);
		if (sent >= TURN_PKTS)
			return CROCE_TASK_SEND;
	}
}

static unsigned int request(struct croce_qp *qp, u8 *verdict)
{
	struct croce_batch batch = { .qp = qp };
	unsigned int left = send_requests(&batch, verdict);

	if (croce_send_flush(&batch))
		refused(&batch);
	return left;
}

static const u8 wc_opcode[] = {
	[CROCE_WR_RDMA_WRITE]		= CROCE_WC_RDMA_WRITE,
	[CROCE_WR_RDMA_WRITE_WITH_IMM]	= CROCE_WC_RDMA_WRITE,
	[CROCE_WR_SEND]			= CROCE_WC_SEND,
	[CROCE_WR_SEND_WITH_IMM]	= CROCE_WC_SEND,
	[CROCE_WR_SEND_WITH_INV]	= CROCE_WC_SEND,
	[CROCE_WR_RDMA_READ]		= CROCE_WC_RDMA_READ,
	[CROCE_WR_ATOMIC_CMP_AND_SWP]	= CROCE_WC_COMP_SWAP,
	[CROCE_WR_ATOMIC_FETCH_AND_ADD]	= CROCE_WC_FETCH_ADD,
	[CROCE_WR_LOCAL_INV]		= CROCE_WC_LOCAL_INV,
	[CROCE_WR_BIND_MW]		= CROCE_WC_BIND_MW,
	[CROCE_WR_FLUSH]		= CROCE_WC_FLUSH,
	[CROCE_WR_ATOMIC_WRITE]		= CROCE_WC_ATOMIC_WRITE,
	[CROCE_WR_REG_MR]		= CROCE_WC_REG_MR,
};

static void complete_wqe(struct croce_qp *qp, const struct croce_wqe *wqe,
			 u8 status)
{
	struct croce_cqe cqe = { .wr_id = wqe->wr_id, .status = status };

	if (!status && !(wqe->flags & CROCE_WQE_SIGNALED))
		return;
	if (wqe->opcode < ARRAY_SIZE(wc_opcode))
		cqe.opcode = wc_opcode[wqe->opcode];
	if (wqe->kind >= CROCE_KIND_READ && wqe->kind <= CROCE_KIND_FETCH_ADD)
		cqe.byte_len = wqe->length;
	if (status == CROCE_STATUS_WR_FLUSH_ERR)
		croce_count(qp->dev, CROCE_CNT_REQ_CQE_FLUSH_ERROR);
	else if (status)
		croce_count(qp->dev, CROCE_CNT_REQ_CQE_ERROR);
	croce_qp_complete(qp, qp->send_cq, &cqe, status);
}

static void release_slots(struct croce_qp *qp)
{
	/* B: pairs with the acquire of whoever posts. */
	smp_store_release(&qp->sq.ctl->cons, qp->req.cons);
}

/* In error every WR completes, signalled or not, also those yet to come. */
static void flush_sends(struct croce_qp *qp)
{
	struct croce_req *req = &qp->req;

	do {
		while (req->cons != req->prod) {
			struct croce_wqe *wqe = croce_req_wqe(req, req->cons);

			req->cons++;
			release_slots(qp);
			complete_wqe(qp, wqe, CROCE_STATUS_WR_FLUSH_ERR);
		}
		req->send = req->cons;
		croce_sq_fetch(qp);
	} while (req->cons != req->prod);
}

static void flush_one_receive(struct croce_qp *qp)
{
	struct croce_cqe cqe = {
		.opcode = CROCE_WC_RECV,
		.status = CROCE_STATUS_WR_FLUSH_ERR,
	};

	croce_count(qp->dev, CROCE_CNT_RESP_CQE_FLUSH_ERROR);
	croce_qp_complete_rqe(qp, &cqe, true);
}

static void flush_receives(struct croce_qp *qp)
{
	u32 n;

	if (qp->rqe_valid)
		flush_one_receive(qp);
	/* No more than the queue has, whatever the process says it posted. */
	for (n = 0; n < qp->rq.slots; n++) {
		if (!croce_rqe_fetch(&qp->rq, &qp->rqe))
			break;
		flush_one_receive(qp);
	}
}

/* Letter C for the receive queue: in error the poster has to ring. */
static void ask_for_receive_doorbells(struct croce_qp *qp)
{
	if (qp->rq.slots)
		WRITE_ONCE(qp->rq.ctl->state, CROCE_RQ_KICK);
	/* C: the store of state, then the loads of prod in flush(). */
	smp_mb();
}

/**
 * croce_turn_error - move a queue pair to error
 * @qp: queue pair
 *
 * UD and UC go to SQE after a failed send, and to error otherwise; that is the
 * caller's choice through qp->state.
 *
 * Context: owner of the QP's task.
 */
void croce_turn_error(struct croce_qp *qp)
{
	if (qp->state == IB_QPS_ERR)
		return;
	WRITE_ONCE(qp->state, IB_QPS_ERR);
	qp->retry_local = false;
	qp->req.state = CROCE_REQ_ERROR;
	qp->req.deadline_ns = 0;
	croce_resp_stop(&qp->resp);
	croce_reorder_purge(qp);
	croce_fault_forget(qp);
	ask_for_receive_doorbells(qp);
	if (qp->srq || qp->type == IB_QPT_XRC_TGT)
		croce_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
}

static void send_queue_error(struct croce_qp *qp)
{
	qp->req.state = CROCE_REQ_ERROR;
	qp->req.deadline_ns = 0;
	if (croce_qp_is_reliable(qp))
		croce_turn_error(qp);
	else
		WRITE_ONCE(qp->state, IB_QPS_SQE);
}

static void reap(struct croce_qp *qp)
{
	struct croce_wqe *wqe;

	while ((wqe = croce_req_reap(&qp->req))) {
		/* First the slot: who sees the completion may post again. */
		release_slots(qp);
		complete_wqe(qp, wqe, wqe->status);
		if (wqe->status) {
			send_queue_error(qp);
			break;
		}
	}
}

static void flush(struct croce_qp *qp)
{
	if (qp->state == IB_QPS_ERR || qp->state == IB_QPS_SQE)
		flush_sends(qp);
	if (qp->state == IB_QPS_ERR)
		flush_receives(qp);
}

static void report_drained(struct croce_qp *qp)
{
	if (!qp->sqd_notify || qp->state != IB_QPS_SQD ||
	    !croce_req_is_drained(&qp->req))
		return;
	qp->sqd_notify = false;
	croce_qp_event(qp, IB_EVENT_SQ_DRAINED);
}

/*
 * Thousands of queue pairs may wait for the same queue. An eighth of the time
 * spent so far is soon enough.
 */
static u64 local_retry_ns(struct croce_qp *qp)
{
	u64 now = ktime_get_ns();

	if (!qp->refused_ns)
		qp->refused_ns = now;
	return now + clamp((now - qp->refused_ns) / 8, LOCAL_RETRY_NS,
			   LOCAL_RETRY_MAX_NS);
}

static void set_timer(struct croce_qp *qp)
{
	u64 due = KTIME_MAX;

	/* The end of the page fault sets it, when what arrived is known. */
	if (likely(!qp->stalled)) {
		due = qp->req.deadline_ns ?: KTIME_MAX;
		if (qp->early_ns)
			due = min(due, qp->early_ns);
	}
	if (qp->pace_ns)
		due = min(due, qp->pace_ns);
	if (unlikely(qp->retry_local))
		due = min(due, local_retry_ns(qp));
	else
		qp->refused_ns = 0;
	/* A timer that fires early finds nothing due and is set again; one
	 * that is moved with every acknowledgement would cost much more.
	 */
	if (due >= qp->timer_ns)
		return;
	qp->timer_ns = due;
	hrtimer_start(&qp->timer, ns_to_ktime(due), HRTIMER_MODE_ABS_SOFT);
}

/* WRs posted while we were busy rang no bell. */
static unsigned int look_again(struct croce_qp *qp)
{
	croce_sq_report(qp, 0);
	/* C: the store of state, then the load of prod. */
	smp_mb();
	/* What waits for something else, waits; see croce_sq_fetch(). */
	if (qp->req.send != qp->req.prod || qp->sq_broken)
		return 0;
	return READ_ONCE(qp->sq.ctl->prod) != qp->req.prod ?
	       CROCE_TASK_SEND : 0;
}

/* Nothing of the process runs here, unlike the handler of a kernel consumer. */
static void notify_process(struct croce_qp *qp)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(qp->notify); i++) {
		struct croce_cq *cq = qp->notify[i];

		if (!cq || !cq->user)
			continue;
		qp->notify[i] = NULL;
		croce_cq_notify(cq, true);
	}
}

static void notify(struct croce_qp *qp, enum croce_context context)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(qp->notify); i++) {
		struct croce_cq *cq = qp->notify[i];

		qp->notify[i] = NULL;
		if (cq)
			croce_cq_notify(cq, context != CROCE_IN_POST);
	}
}

static void fail_qp(struct croce_qp *qp)
{
	qp->fatal = false;
	croce_turn_error(qp);
	croce_qp_event(qp, qp->fatal_event);
}

/**
 * croce_turn - one turn of the task
 * @qp: queue pair
 * @work: CROCE_TASK_* bits that were set
 * @context: where it runs
 *
 * Return: CROCE_TASK_* bits of work that is left.
 * Context: owner of the QP's task, bottom halves off, RCU read section.
 */
unsigned int croce_turn(struct croce_qp *qp, unsigned int work,
			enum croce_context context)
{
	unsigned int left = 0;
	u8 verdict = CROCE_REQ_IDLE;

	if (unlikely(qp->dead)) {
		croce_backlog_purge(&qp->rx_backlog);
		croce_reorder_purge(qp);
		return 0;
	}
	croce_pacer_begin(qp);
	if (unlikely(work & CROCE_TASK_FAULT)) {
		qp->stalled = false;
		work |= CROCE_TASK_RECV;
	}
	if (work & CROCE_TASK_RECV)
		left |= take_in(qp);
	if (unlikely(work & CROCE_TASK_TIMER)) {
		if (timer_can_wait(qp, left))
			left |= CROCE_TASK_TIMER;
		else
			on_timer(qp);
	}
	notify_process(qp);
	left |= respond(qp);
	if (unlikely(qp->fatal) && !croce_resp_owes(&qp->resp))
		fail_qp(qp);
	left |= request(qp, &verdict);
	if (unlikely(qp->sq_broken) && qp->state != IB_QPS_ERR) {
		qp->fatal_event = IB_EVENT_QP_FATAL;
		fail_qp(qp);
	}
	if (likely(!qp->held.verdict))
		reap(qp);
	if (unlikely(qp->state == IB_QPS_ERR || qp->state == IB_QPS_SQE))
		flush(qp);
	report_drained(qp);
	set_timer(qp);
	notify(qp, context);
	/* Blocked means that an acknowledgement or the timer comes. Who posts
	 * while we are not reported busy rings.
	 */
	if (qp->sq_busy && !left && verdict != CROCE_REQ_BLOCKED &&
	    !qp->retry_local)
		left |= look_again(qp);
	return left;
}
