/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRC domains, and the SRQ that a target queue pair works for (IBA Annex A14).
 * L2.
 *
 * A target queue pair has no protection domain, no SRQ and no CQ of its own:
 * each request names the SRQ whose they are. Between croce_xrc_enter() and
 * croce_xrc_leave() it has those of that SRQ, and everything else works as for
 * any queue pair. Both are within one RCU read section, and the destruction of
 * an SRQ waits for those (croce_destroy_srq()), so nobody counts references.
 */
#ifndef CROCE_XRCD_H
#define CROCE_XRCD_H

#include "qp.h"

/**
 * struct croce_xrcd - XRC domain
 *
 * What is in it knows it by its address.
 *
 * @ibxrcd: RDMA core's part
 */
struct croce_xrcd {
	struct ib_xrcd ibxrcd;
};

bool croce_xrc_find(struct croce_qp *qp, u32 srqn);
bool croce_xrc_find_rqe_owner(struct croce_qp *qp);
void croce_xrc_forget(struct croce_qp *qp);

/**
 * croce_xrc_enter - begin to work for the SRQ that a packet names
 * @qp: queue pair; any but an XRC target has what it needs already
 * @srqn: number of the SRQ
 *
 * Return: false when there is no such SRQ in the domain of @qp.
 * Context: owner of the QP's task, RCU read section that lasts until
 * croce_xrc_leave().
 */
static inline bool croce_xrc_enter(struct croce_qp *qp, u32 srqn)
{
	return qp->type != IB_QPT_XRC_TGT || croce_xrc_find(qp, srqn);
}

/**
 * croce_xrc_enter_for_rqe - begin to work for the SRQ that the WQE is from
 * @qp: queue pair; its rqe is or was in use
 *
 * Return: false when that SRQ was destroyed, and the WQE with it.
 * Context: as croce_xrc_enter().
 */
static inline bool croce_xrc_enter_for_rqe(struct croce_qp *qp)
{
	return qp->type != IB_QPT_XRC_TGT || croce_xrc_find_rqe_owner(qp);
}

/**
 * croce_xrc_leave - end what one of those began
 * @qp: queue pair
 *
 * Context: owner of the QP's task.
 */
static inline void croce_xrc_leave(struct croce_qp *qp)
{
	if (qp->type == IB_QPT_XRC_TGT)
		croce_xrc_forget(qp);
}

int croce_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);
int croce_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);

#endif /* CROCE_XRCD_H */
