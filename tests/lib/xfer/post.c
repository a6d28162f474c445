// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Operations to work requests. */

#include "xfer.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define QKEY	0x11111111

struct request {
	struct ibv_send_wr wr;
	struct ibv_sge sge[MAX_SGE];
};

static int gather(const struct split *split, uint8_t *at, struct ibv_mr *const *mr,
		  struct ibv_sge *sge)
{
	int i;

	for (i = 0; i < split->n; i++) {
		sge[i].addr = (uintptr_t)at;
		sge[i].length = split->len[i];
		sge[i].lkey = mr[i % 2]->lkey;
		at += split->len[i];
	}
	return split->n;
}

static enum ibv_wr_opcode opcode(enum op_kind kind)
{
	static const enum ibv_wr_opcode codes[OP_KINDS] = {
		[OP_SEND] = IBV_WR_SEND,
		[OP_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
		[OP_WRITE] = IBV_WR_RDMA_WRITE,
		[OP_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
		[OP_READ] = IBV_WR_RDMA_READ,
		[OP_CAS] = IBV_WR_ATOMIC_CMP_AND_SWP,
		[OP_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
		[OP_HOT] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	};

	return codes[kind];
}

static uint64_t target(const struct end *end, const struct op *op)
{
	return op->kind == OP_HOT ? end->peer.hot : end->peer.target + op->off;
}

static uint32_t target_key(const struct end *end, const struct op *op)
{
	return op->kind == OP_HOT ? end->peer.hot_rkey : end->peer.rkey;
}

static unsigned int send_flags(const struct op *op)
{
	return (op->signaled ? IBV_SEND_SIGNALED : 0) | (op->fence ? IBV_SEND_FENCE : 0) |
	       (op->solicited ? IBV_SEND_SOLICITED : 0);
}

static void make_request(struct end *end, const struct op *op, int id, struct request *req)
{
	memset(&req->wr, 0, sizeof(req->wr));
	req->wr.wr_id = id;
	req->wr.sg_list = req->sge;
	req->wr.num_sge = gather(&op->local, end->src + op->off, end->src_mr, req->sge);
	req->wr.opcode = opcode(op->kind);
	req->wr.send_flags = send_flags(op) | (op->inlined ? IBV_SEND_INLINE : 0);
	req->wr.imm_data = htonl(op->imm);
	if (is_atomic(op->kind)) {
		req->wr.wr.atomic.remote_addr = target(end, op);
		req->wr.wr.atomic.rkey = target_key(end, op);
		req->wr.wr.atomic.compare_add = op->kind == OP_CAS ? op->compare : op->arg;
		req->wr.wr.atomic.swap = op->arg;
	} else if (end->opt->type == IBV_QPT_UD) {
		req->wr.wr.ud.ah = end->ah;
		req->wr.wr.ud.remote_qpn = end->peer.qpn;
		req->wr.wr.ud.remote_qkey = QKEY;
	} else {
		req->wr.wr.rdma.remote_addr = target(end, op);
		req->wr.wr.rdma.rkey = target_key(end, op);
	}
	if (is_xrc(end->opt))
		req->wr.qp_type.xrc.remote_srqn = end->peer.srqn;
}

/* Inlined bytes are the QP's own once posted: what happens to the source is no matter. */
static void spoil_inlined(struct end *end, const struct op *op)
{
	if (op->inlined)
		memset(end->src + op->off, 0x5a, op->len);
}

static int post_classic(struct end *end, const struct batch *batch)
{
	static __thread struct request req[BATCH_OPS];
	struct ibv_send_wr *bad;
	int first, i, j, ret;

	for (first = 0; first < batch->n; first = i) {
		for (i = first; i < batch->n; i++) {
			make_request(end, &batch->op[i], i, &req[i]);
			if (!batch->op[i].chained) {
				i++;
				break;
			}
			req[i].wr.next = &req[i + 1].wr;
		}
		ret = ibv_post_send(end->qp, &req[first].wr, &bad);
		if (ret) {
			fprintf(stderr, "xfer: ibv_post_send, request %d: %s\n",
				(int)bad->wr_id, strerror(ret));
			return -1;
		}
		for (j = first; j < i; j++)
			spoil_inlined(end, &batch->op[j]);
	}
	return 0;
}

static void build_extended(struct end *end, const struct op *op)
{
	struct ibv_qp_ex *qp = end->qpx;

	switch (op->kind) {
	case OP_SEND:
		ibv_wr_send(qp);
		break;
	case OP_SEND_IMM:
		ibv_wr_send_imm(qp, htonl(op->imm));
		break;
	case OP_WRITE:
		ibv_wr_rdma_write(qp, target_key(end, op), target(end, op));
		break;
	case OP_WRITE_IMM:
		ibv_wr_rdma_write_imm(qp, target_key(end, op), target(end, op),
				      htonl(op->imm));
		break;
	case OP_READ:
		ibv_wr_rdma_read(qp, target_key(end, op), target(end, op));
		break;
	case OP_CAS:
		ibv_wr_atomic_cmp_swp(qp, target_key(end, op), target(end, op),
				      op->compare, op->arg);
		break;
	default:
		ibv_wr_atomic_fetch_add(qp, target_key(end, op), target(end, op), op->arg);
	}
}

static void give_data(struct end *end, const struct op *op)
{
	struct ibv_data_buf buf[MAX_SGE];
	struct ibv_sge sge[MAX_SGE];
	int i, n = gather(&op->local, end->src + op->off, end->src_mr, sge);

	if (op->inlined) {
		for (i = 0; i < n; i++) {
			buf[i].addr = (void *)(uintptr_t)sge[i].addr;
			buf[i].length = sge[i].length;
		}
		if (n == 1)
			ibv_wr_set_inline_data(end->qpx, buf[0].addr, buf[0].length);
		else
			ibv_wr_set_inline_data_list(end->qpx, n, buf);
	} else if (n == 1) {
		ibv_wr_set_sge(end->qpx, sge[0].lkey, sge[0].addr, sge[0].length);
	} else {
		ibv_wr_set_sge_list(end->qpx, n, sge);
	}
}

static int post_extended(struct end *end, const struct batch *batch)
{
	const struct op *op;
	int first, i, j, ret;

	for (first = 0; first < batch->n; first = i) {
		ibv_wr_start(end->qpx);
		for (i = first; i < batch->n;) {
			op = &batch->op[i];
			end->qpx->wr_id = i;
			end->qpx->wr_flags = send_flags(op);
			build_extended(end, op);
			if (end->opt->type == IBV_QPT_UD)
				ibv_wr_set_ud_addr(end->qpx, end->ah, end->peer.qpn, QKEY);
			if (is_xrc(end->opt))
				ibv_wr_set_xrc_srqn(end->qpx, end->peer.srqn);
			give_data(end, op);
			i++;
			if (!op->chained)
				break;
		}
		ret = ibv_wr_complete(end->qpx);
		if (ret) {
			fprintf(stderr, "xfer: ibv_wr_complete: %s\n", strerror(ret));
			return -1;
		}
		for (j = first; j < i; j++)
			spoil_inlined(end, &batch->op[j]);
	}
	return 0;
}

int post_requests(struct end *end, const struct batch *batch)
{
	return end->opt->extended ? post_extended(end, batch) : post_classic(end, batch);
}

/* For each of the peer's operations that takes one, in its order. */
int post_receives(struct end *end, const struct batch *batch)
{
	struct ibv_sge sge[MAX_SGE + 1];
	struct ibv_recv_wr wr = { .sg_list = sge }, *bad;
	const struct op *op;
	int i, ret;

	for (i = 0; i < batch->n; i++) {
		op = &batch->op[i];
		if (!takes_receive(op->kind))
			continue;
		wr.wr_id = BATCH_OPS + i;
		wr.num_sge = 0;
		if (end->opt->type == IBV_QPT_UD) {
			sge[0].addr = (uintptr_t)(end->dst + op->off - GRH_LEN);
			sge[0].length = GRH_LEN;
			sge[0].lkey = end->dst_mr[0]->lkey;
			wr.num_sge = 1 + gather(&op->remote, end->dst + op->off, end->dst_mr,
						sge + 1);
		} else if (op->kind != OP_WRITE_IMM) {
			wr.num_sge = gather(&op->remote, end->dst + op->off, end->dst_mr, sge);
		}
		ret = end->srq ? ibv_post_srq_recv(end->srq, &wr, &bad) :
				 ibv_post_recv(end->qp, &wr, &bad);
		if (ret) {
			fprintf(stderr, "xfer: ibv_post_recv: %s\n", strerror(ret));
			return -1;
		}
	}
	return 0;
}
