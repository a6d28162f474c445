// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting of receives, to the queue of a QP or to a shared one. The kernel
 * looks at these queues when a message arrives; only a QP in error wants the
 * doorbell, to flush what is posted to it.
 */

#include <errno.h>
#include <string.h>

#include "croce.h"
#include "sqe.h"

static_assert(sizeof(struct croce_rqe) == 16, "rqe");

static int push(struct croce_wq *wq, uint32_t index,
		const struct ibv_recv_wr *wr)
{
	struct croce_rqe *rqe;

	if ((uint32_t)wr->num_sge > wq->max_sge)
		return EINVAL;
	if (croce_wq_is_full(wq, index))
		return ENOMEM;

	rqe = croce_wq_slot(wq, index);
	*rqe = (struct croce_rqe){
		.wr_id = wr->wr_id,
		.num_sge = wr->num_sge,
	};
	if (wr->num_sge)
		memcpy(rqe + 1, wr->sg_list,
		       wr->num_sge * sizeof(struct croce_sge));
	return 0;
}

/* Return: 0, or the error of *@bad_wr; all before it are posted. */
static int push_list(struct croce_wq *wq, struct ibv_recv_wr *wr,
		     struct ibv_recv_wr **bad_wr, bool *posted)
{
	uint32_t index = wq->prod;
	int err = 0;

	for (; wr; wr = wr->next) {
		err = push(wq, index, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
		index++;
	}

	*posted = index != wq->prod;
	if (*posted)
		croce_wq_publish(wq, index);
	return err;
}

int croce_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		    struct ibv_recv_wr **bad_wr)
{
	struct croce_qp *qp = to_croce_qp(ibqp);
	int err, kick_err;
	bool posted;

	if (!qp->rq.slots || ibqp->state == IBV_QPS_RESET) {
		*bad_wr = wr;
		return EINVAL;
	}

	croce_lock(&qp->rq_lock);
	err = push_list(&qp->rq, wr, bad_wr, &posted);
	croce_unlock(&qp->rq_lock);
	if (!posted || !croce_wq_needs_kick(&qp->rq))
		return err;

	kick_err = croce_qp_kick(qp);
	if (kick_err) {
		*bad_wr = wr;
		return kick_err;
	}
	return err;
}

int croce_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad_wr)
{
	struct croce_srq *srq = to_croce_srq(ibsrq);
	bool posted;
	int err;

	croce_lock(&srq->lock);
	err = push_list(&srq->wq, wr, bad_wr, &posted);
	croce_unlock(&srq->lock);
	return err;
}
