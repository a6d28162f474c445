// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Shared receive queues, and objects that others use. */

#include "conform.h"

#define SEND	IBV_WR_SEND
#define SRQ	.how.srq = true

static int arm_limit(struct rig *rig)
{
	struct ibv_srq_attr attr = { .srq_limit = 2 };

	return ibv_modify_srq(rig->to.srq, &attr, IBV_SRQ_LIMIT) ?
	       skip(rig, "no limits of SRQs") : 0;
}

static int limit_is_off_again(struct rig *rig)
{
	struct ibv_srq_attr attr = {};

	called(rig, post_op(rig, &rig->row->op));
	await(rig, &rig->from, rig->from.sent);
	await_event(rig, &rig->to, 1);
	called(rig, ibv_query_srq(rig->to.srq, &attr));
	say(rig, attr.srq_limit ? "armed" : "off");
	called(rig, receive(&rig->to, 64, 2));
	called(rig, post_op(rig, &rig->row->op));
	return 0;
}

static int break_responder(struct rig *rig)
{
	called(rig, set_state(&rig->to, IBV_QPS_ERR));
	return 0;
}

static int fill(struct rig *rig)
{
	int i, err = 0;

	for (i = 0; !err && i < 100000; i++)
		err = receive(&rig->to, 64, 1);
	say(rig, i > 16 ? "enough" : "few");
	called(rig, err);
	return 0;
}

static int receive_by_qp(struct rig *rig)
{
	struct ibv_sge sge = part(&rig->to, 0, 64);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	called(rig, ibv_post_recv(rig->to.qp, &wr, &bad));
	return 0;
}

static int destroy_what_is_used(struct rig *rig)
{
	called(rig, ibv_destroy_srq(rig->to.srq));
	called(rig, ibv_destroy_cq(rig->to.cq));
	called(rig, ibv_dealloc_pd(rig->to.pd));
	return 0;
}

static const struct row rows[] = {
	{ .name = "SEND", SRQ, .recvs = 3, .room = 64, .op = { .opcode = SEND, .len = 64 },
	  .want = { .from = "SUCCESS", .to = "SUCCESS" }, .source = "IBA 10.2.9" },
	{ .name = "SEND, empty SRQ", .how = { .srq = true, .rnr_retry = NONE },
	  .op = { .opcode = SEND, .len = 64 },
	  .want = { .from = "RNR_RETRY_EXC_ERR", .states = "ERR RTS" }, .source = "IBA 10.2.9" },
	{ .name = "SEND, receive is too short by 1", SRQ, .recvs = 2, .room = 63,
	  .op = { .opcode = SEND, .len = 64 },
	  .want = { .from = "REM_INV_REQ_ERR", .to = "LOC_LEN_ERR", .states = "ERR ERR",
		    .events = "to:QP_LAST_WQE_REACHED to:QP_REQ_ERR" },
	  .source = "IBA 9.9.3, 10.2.9: other receives stay in the SRQ" },
	{ .name = "limit", SRQ, .before = arm_limit, .recvs = 3, .room = 64,
	  .op = { .opcode = SEND, .len = 64, .count = 2 },
	  .want = { .from = "SUCCESS*2", .to = "SUCCESS*2",
		    .events = "to:SRQ_LIMIT_REACHED" },
	  .source = "IBA 10.2.9, ibv_modify_srq(3); mlx5 srq.c, SRQ_RQ_LIMIT" },
	{ .name = "limit is not reached", SRQ, .before = arm_limit, .recvs = 3, .room = 64,
	  .op = { .opcode = SEND, .len = 64 }, .want = { .from = "SUCCESS", .to = "SUCCESS" },
	  .source = "IBA 10.2.9, ibv_modify_srq(3)" },
	{ .name = "limit is told once", SRQ, .before = arm_limit, .recvs = 3, .room = 64,
	  .op = { .opcode = SEND, .len = 64, .count = 2 }, .act = limit_is_off_again,
	  .want = { .calls = "ok*2 off ok*2", .from = "SUCCESS*4", .to = "SUCCESS*4",
		    .events = "to:SRQ_LIMIT_REACHED" },
	  .source = "IBA 10.2.9: armed by modify only" },
	{ .name = "error of the QP", SRQ, .recvs = 3, .room = 64, .act = break_responder,
	  .want = { .states = "RTS ERR", .events = "to:QP_LAST_WQE_REACHED" },
	  .source = "IBA 10.3.1, 11.6.3: last WQE reached; mlx5 qp.c, SRQ_LAST_WQE" },
	{ .name = "full", SRQ, .act = fill, .want = { .calls = "enough ENOMEM" },
	  .source = "ibv_post_srq_recv(3); mlx5 srq.c, mlx5_post_srq_recv(): ENOMEM" },
	{ .name = "receive of the QP itself", SRQ, .act = receive_by_qp,
	  .want = { .calls = "EINVAL|ENOMEM" }, .source = "IBA 11.4.1" },
	{ .name = "objects that are used", SRQ, .act = destroy_what_is_used,
	  .want = { .calls = "EBUSY*3" }, .source = "IBA 11.2; the kernel's use counts" },
};

const struct table shared_table = TABLE("shared", rows);
