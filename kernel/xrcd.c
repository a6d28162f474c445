// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRC domains; see xrcd.h. Sharing between processes, by the inode of a file,
 * and the list of a domain's target queue pairs are the RDMA core's.
 */
#include "udata.h"
#include "xrcd.h"

/**
 * croce_xrc_find - give a target queue pair what belongs to an SRQ
 * @qp: XRC target
 * @srqn: number from the wire
 *
 * Return: false when there is no such SRQ in the domain of @qp.
 * Context: owner of the QP's task, RCU read section.
 */
bool croce_xrc_find(struct croce_qp *qp, u32 srqn)
{
	struct croce_srq *srq = xa_load(&qp->dev->srqs, srqn);

	if (!srq || srq->xrcd != qp->xrcd)
		return false;
	qp->srq = srq;
	qp->pd = srq->ibsrq.pd;
	qp->recv_cq = srq->cq;
	return true;
}

/**
 * croce_xrc_find_rqe_owner - the same for the SRQ that the WQE is from
 * @qp: XRC target; its rqe is or was in use
 *
 * Return: false when that SRQ was destroyed.
 * Context: owner of the QP's task, RCU read section.
 */
bool croce_xrc_find_rqe_owner(struct croce_qp *qp)
{
	if (!croce_xrc_find(qp, qp->rqe.srq_num))
		return false;
	if (qp->srq->serial == qp->rqe.srq_serial)
		return true;
	croce_xrc_forget(qp);
	return false;
}

/**
 * croce_xrc_forget - what belongs to an SRQ is out of reach
 * @qp: XRC target
 *
 * Context: owner of the QP's task.
 */
void croce_xrc_forget(struct croce_qp *qp)
{
	qp->srq = NULL;
	qp->pd = NULL;
	qp->recv_cq = NULL;
}

/**
 * croce_alloc_xrcd - alloc_xrcd verb
 * @ibxrcd: RDMA core's part
 * @udata: provider's, or NULL; nothing is known in it
 *
 * Return: 0, -ENOMEM when there are too many, -EOPNOTSUPP or -EFAULT.
 * Context: process, may sleep.
 */
int croce_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	struct croce_dev *dev = croce_dev(ibxrcd->device);
	int err;

	if (udata && udata->inlen &&
	    !ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EOPNOTSUPP;
	if (!atomic_add_unless(&dev->num_xrcds, 1, CROCE_MAX_XRCD))
		return -ENOMEM;
	err = croce_udata_out(udata, NULL, 0);
	if (err)
		atomic_dec(&dev->num_xrcds);
	return err;
}

/**
 * croce_dealloc_xrcd - dealloc_xrcd verb
 * @ibxrcd: domain; nothing is in it any more
 * @udata: provider's, or NULL
 *
 * Return: 0. Context: process.
 */
int croce_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	atomic_dec(&croce_dev(ibxrcd->device)->num_xrcds);
	return 0;
}
