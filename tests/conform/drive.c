// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Posting. Each WR has the next ID of its queue, so that the order of completions is seen. */

#include "conform.h"
#include <time.h>

double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

struct ibv_sge part(const struct end *end, int64_t at, uint32_t len)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)end->buf + at, .length = len, .lkey = end->mr->lkey,
	};
}

int send_it(struct end *end, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;
	int err;

	wr->wr_id = end->sent;
	err = ibv_post_send(end->qp, wr, &bad);
	if (!err)
		end->sent++;
	return err;
}

static void aim(const struct rig *rig, struct ibv_send_wr *wr, const struct op *op)
{
	switch (op->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		wr->wr.atomic.remote_addr = rig->raddr + op->to;
		wr->wr.atomic.rkey = rig->rkey ^ op->rkey;
		wr->wr.atomic.compare_add = 1;
		break;
	default:
		wr->wr.rdma.remote_addr = rig->raddr + op->to;
		wr->wr.rdma.rkey = rig->rkey ^ op->rkey;
	}
	if (op->opcode == IBV_WR_SEND_WITH_INV)
		wr->invalidate_rkey = rig->rkey ^ op->rkey;
	if (rig->from.qp->qp_type == IBV_QPT_UD) {
		wr->wr.ud.ah = rig->from.ah;
		wr->wr.ud.remote_qpn = rig->to.qp->qp_num ^ op->qpn;
		wr->wr.ud.remote_qkey = QKEY ^ op->qkey;
	}
}

/* Returns the result of the first post that was refused, or 0. */
int post_op(struct rig *rig, const struct op *op)
{
	struct ibv_sge sge = part(&rig->from, op->at, op->len);
	struct ibv_send_wr wr = {
		.opcode = op->opcode, .sg_list = &sge, .num_sge = !!op->len,
		.send_flags = op->flags | (op->unsignalled ? 0 : IBV_SEND_SIGNALED),
	};
	int i = 0, err;

	sge.lkey ^= op->lkey;
	aim(rig, &wr, op);
	do
		err = send_it(&rig->from, &wr);
	while (!err && ++i < op->count);
	return err;
}

int receive(struct end *end, uint32_t room, int count)
{
	struct ibv_sge sge = part(end, 0, room);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = !!room }, *bad;
	int err = 0;

	while (!err && count--) {
		wr.wr_id = end->received;
		err = end->srq ? ibv_post_srq_recv(end->srq, &wr, &bad) :
				 ibv_post_recv(end->qp, &wr, &bad);
		if (!err)
			end->received++;
	}
	return err;
}
