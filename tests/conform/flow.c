// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Receivers that are not ready, peers that do not answer, what is flushed, queues that are full. */

#include "conform.h"
#include <unistd.h>

#define WRITE	IBV_WR_RDMA_WRITE
#define READ	IBV_WR_RDMA_READ
#define SEND	IBV_WR_SEND

#define NOT_READY	{ .from = "RNR_RETRY_EXC_ERR", .states = "ERR RTS" }
#define RNR_RULE	"IBA 9.7.5: RNR NAK, RNR retry count; mlx5 cq.c, RNR_RETRY_EXC_ERR"
#define RETRY_RULE	"IBA 9.7.6: transport timer, retry count; mlx5 cq.c, RETRY_EXC_ERR"
#define FLUSH_RULE	"IBA 10.8, 11.6: WRs behind a failed one are flushed, in order, each once"

/* The receive comes when the RNR timer has run a few times. */
static int receive_late(struct rig *rig)
{
	called(rig, post_op(rig, &rig->row->op));
	usleep(50000);
	called(rig, receive(&rig->to, 64, 1));
	return 0;
}

/* At which end a WR is bad: three good ones, one that is not, four behind it. */
static int fail_in_the_middle(struct rig *rig)
{
	struct op op = rig->row->op, good = { .opcode = op.opcode, .len = op.len, .count = 3 };
	struct op rest = { .opcode = op.opcode, .len = op.len, .count = 4, .unsignalled = true };

	called(rig, post_op(rig, &good));
	called(rig, post_op(rig, &op));
	called(rig, post_op(rig, &rest));
	return 0;
}

static int break_requester(struct rig *rig)
{
	called(rig, receive(&rig->from, 64, 3));
	called(rig, set_state(&rig->from, IBV_QPS_ERR));
	return 0;
}

static int reset_requester(struct rig *rig)
{
	called(rig, receive(&rig->from, 64, 3));
	called(rig, set_state(&rig->from, IBV_QPS_RESET));
	return 0;
}

/* A QP in error may be used again from RESET on; the responder as well. */
static int use_again(struct rig *rig)
{
	struct op bad = { .len = 64, .rkey = NO_KEY };

	called(rig, post_op(rig, &bad));
	await(rig, &rig->from, 1);
	await_event(rig, &rig->to, 1);
	called(rig, set_state(&rig->from, IBV_QPS_RESET));
	called(rig, set_state(&rig->to, IBV_QPS_RESET));
	called(rig, connect_ends(rig));
	called(rig, receive(&rig->to, 64, 1));
	called(rig, post_op(rig, &rig->row->op));
	return 0;
}

static int destroy_with_work(struct rig *rig)
{
	called(rig, receive(&rig->from, 64, 3));
	called(rig, post_op(rig, &rig->row->op));
	called(rig, ibv_destroy_qp(rig->from.qp));
	rig->from.qp = NULL;
	return 0;
}

static int fill_send_queue(struct rig *rig)
{
	struct op op = { .opcode = SEND, .len = 64 };
	int i, err = 0;

	for (i = 0; !err && i < 100000; i++)
		err = post_op(rig, &op);
	say(rig, i > 16 ? "enough" : "few");
	called(rig, err);
	return 0;
}

static int fill_receive_queue(struct rig *rig)
{
	int i, err = 0;

	for (i = 0; !err && i < 100000; i++)
		err = receive(&rig->to, 64, 1);
	say(rig, i > 16 ? "enough" : "few");
	called(rig, err);
	return 0;
}

static int give_too_many_elements(struct rig *rig)
{
	struct ibv_sge sge[64];
	struct ibv_send_wr wr = { .opcode = SEND, .sg_list = sge, .num_sge = 64 };
	struct ibv_recv_wr rwr = { .sg_list = sge, .num_sge = 64 }, *bad;
	int i;

	for (i = 0; i < 64; i++)
		sge[i] = part(&rig->from, 0, 8);
	called(rig, send_it(&rig->from, &wr));
	called(rig, ibv_post_recv(rig->to.qp, &rwr, &bad));
	return 0;
}

/* Nobody polls: twice as many as the CQ has room for. */
static int overrun_cq(struct rig *rig)
{
	static char ignored[sizeof(rig->out.from)];
	int i, num = rig->from.cq->cqe + 8;
	struct ibv_cq *cq = rig->from.cq;
	int err = 0;

	for (i = 0; !err && i < num; i++)
		err = post_op(rig, &rig->row->op);
	called(rig, err);
	rig->from.cq = NULL;		/* not to be polled */
	usleep(200000);
	rig->from.log = ignored;	/* what was in it does not matter */
	rig->from.cq = cq;
	return 0;
}

static const struct row rows[] = {
	{ .name = "SEND without receive, no retries", .how.rnr_retry = NONE,
	  .op = { .opcode = SEND, .len = 64 }, .want = NOT_READY, .source = RNR_RULE },
	{ .name = "SEND without receive, 2 retries", .how.rnr_retry = 2,
	  .op = { .opcode = SEND, .len = 64 }, .want = NOT_READY, .source = RNR_RULE },
	{ .name = "SEND of many packets without receive", .how.rnr_retry = 1,
	  .op = { .opcode = SEND, .len = 8192 }, .want = NOT_READY, .source = RNR_RULE },
	{ .name = "WRITE with immediate without receive", .how.rnr_retry = NONE,
	  .op = { .opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .len = 64 },
	  .want = NOT_READY, .source = RNR_RULE },
	{ .name = "SEND without receive, retried without end", .op = { .opcode = SEND, .len = 64 },
	  .want = { .from = "" }, .source = RNR_RULE },
	{ .name = "SEND, receive comes late", .op = { .opcode = SEND, .len = 64 },
	  .act = receive_late, .want = { .calls = "ok*2", .from = "SUCCESS", .to = "SUCCESS" },
	  .source = RNR_RULE },
	{ .name = "second SEND has no receive", .how.rnr_retry = NONE, .recvs = 1, .room = 64,
	  .op = { .opcode = SEND, .len = 64, .count = 2 },
	  .want = { .from = "SUCCESS RNR_RETRY_EXC_ERR", .to = "SUCCESS", .states = "ERR RTS" },
	  .source = RNR_RULE },

	{ .name = "SEND to nobody, 1 retry", .how = { .qpn = NO_QPN, .retry = 1, .timeout = 10 },
	  .op = { .opcode = SEND, .len = 64 },
	  .want = { .from = "RETRY_EXC_ERR", .states = "ERR RTS" }, .source = RETRY_RULE },
	{ .name = "READ from nobody, no retry",
	  .how = { .qpn = NO_QPN, .retry = NONE, .timeout = 10 },
	  .op = { .opcode = READ, .len = 64 },
	  .want = { .from = "RETRY_EXC_ERR", .states = "ERR RTS" }, .source = RETRY_RULE },
	{ .name = "WRITE, responder in RESET",
	  .how = { .to = AT(IBV_QPS_RESET), .retry = NONE, .timeout = 10 }, .op = { .len = 64 },
	  .want = { .from = "RETRY_EXC_ERR", .states = "ERR RESET" }, .source = RETRY_RULE },
	{ .name = "WRITE, responder in INIT",
	  .how = { .to = AT(IBV_QPS_INIT), .retry = NONE, .timeout = 10 }, .op = { .len = 64 },
	  .want = { .from = "RETRY_EXC_ERR", .states = "ERR INIT" }, .source = RETRY_RULE },
	{ .name = "WRITE, responder in RTR", .how.to = AT(IBV_QPS_RTR), .op = { .len = 64 },
	  .want = { .from = "SUCCESS", .states = "RTS RTR", .events = "to:COMM_EST" },
	  .source = "IBA 10.3.1, 11.6.3: communication established; mlx5 qp.c, COMM_EST" },
	{ .name = "WRITE, responder in SQD", .how.to = AT(IBV_QPS_SQD), .op = { .len = 64 },
	  .want = { .from = "SUCCESS", .states = "RTS SQD" }, .source = "IBA 10.3.1" },
	{ .name = "WRITE, responder in error",
	  .how = { .to = AT(IBV_QPS_ERR), .retry = NONE, .timeout = 10 }, .op = { .len = 64 },
	  .want = { .from = "RETRY_EXC_ERR", .states = "ERR ERR" }, .source = RETRY_RULE },
	{ .name = "WRITE from a PSN that is too far ahead",
	  .how = { .psn_ahead = 1000, .retry = 1, .timeout = 10 }, .op = { .len = 64 },
	  .want = { .from = "RETRY_EXC_ERR", .states = "ERR RTS" },
	  .source = "IBA 9.7.5, 9.7.6: sequence NAKs use up the retry count" },

	{ .name = "READ, responder has no room for any", .how.dest_rd_atomic = NONE,
	  .op = { .opcode = READ, .len = 64 },
	  .want = { .from = "REM_INV_REQ_ERR", .states = "ERR ERR", .events = "to:QP_REQ_ERR" },
	  .source = "IBA 9.7.4: too many READs, invalid request" },
	{ .name = "READ, requester may have none", .how.rd_atomic = NONE,
	  .op = { .opcode = READ, .len = 64 },
	  .want = { .from = "LOC_QP_OP_ERR", .states = "ERR RTS" },
	  .source = "IBA 9.9.2: local QP operation error" },

	{ .name = "WRITE that fails with others behind it", .op = { .len = 64, .rkey = NO_KEY },
	  .act = fail_in_the_middle,
	  .want = { .calls = "ok*3", .from = "SUCCESS*3 REM_ACCESS_ERR WR_FLUSH_ERR*4",
		    .states = "ERR ERR", .events = "to:QP_ACCESS_ERR" }, .source = FLUSH_RULE },
	{ .name = "WRITE that fails at home with others behind it",
	  .op = { .len = 64, .lkey = NO_KEY }, .act = fail_in_the_middle,
	  .want = { .calls = "ok*3", .from = "SUCCESS*3 LOC_PROT_ERR WR_FLUSH_ERR*4",
		    .states = "ERR RTS" }, .source = FLUSH_RULE },
	{ .name = "unsignalled WRITEs", .op = { .len = 64, .unsignalled = true, .count = 3 },
	  .want = { .from = "" }, .source = "IBA 10.8: no completion but for errors" },
	{ .name = "unsignalled WRITE that fails",
	  .op = { .len = 64, .rkey = NO_KEY, .unsignalled = true },
	  .want = { .from = "REM_ACCESS_ERR", .states = "ERR ERR",
		    .events = "to:QP_ACCESS_ERR" },
	  .source = "IBA 10.8: no completion but for errors" },
	{ .name = "receives of a failed responder", .recvs = 3, .room = 64,
	  .op = { .len = 64, .rkey = NO_KEY },
	  .want = { .from = "REM_ACCESS_ERR", .to = "WR_FLUSH_ERR*3", .states = "ERR ERR",
		    .events = "to:QP_ACCESS_ERR" }, .source = FLUSH_RULE },
	{ .name = "receives, and then error", .act = break_requester,
	  .want = { .calls = "ok*2", .from = "WR_FLUSH_ERR*3", .states = "ERR RTS" },
	  .source = FLUSH_RULE },
	{ .name = "receives, and then RESET", .act = reset_requester,
	  .want = { .calls = "ok*2", .states = "RESET RTS" },
	  .source = "IBA 10.3.1: in RESET the queues are empty" },
	{ .name = "both ends again, from RESET", .act = use_again,
	  .op = { .opcode = SEND, .len = 64 },
	  .want = { .calls = "ok*6", .from = "REM_ACCESS_ERR SUCCESS", .to = "SUCCESS",
		    .events = "to:QP_ACCESS_ERR" }, .source = "IBA 10.3.1" },
	{ .name = "requester is destroyed with work",
	  .op = { .opcode = SEND, .len = 64, .count = 3 },
	  .act = destroy_with_work, .want = { .calls = "ok*3", .states = "- RTS" },
	  .source = "IBA 10.2.4: WRs of a destroyed QP do not complete" },

	{ .name = "send queue is full", .act = fill_send_queue,
	  .want = { .calls = "enough ENOMEM" },
	  .source = "ibv_post_send(3); mlx5 qp.c, _mlx5_post_send(): ENOMEM" },
	{ .name = "receive queue is full", .act = fill_receive_queue,
	  .want = { .calls = "enough ENOMEM" },
	  .source = "ibv_post_recv(3); mlx5 qp.c, mlx5_post_recv(): ENOMEM" },
	{ .name = "64 elements where 1 was asked for", .act = give_too_many_elements,
	  .want = { .calls = "EINVAL|ENOMEM EINVAL" },
	  .source = "IBA 11.4.1; mlx5 qp.c: ENOMEM of a send, EINVAL of a receive" },
	{ .name = "CQ overrun", .how = { .cqe = 4, .wrs = 4096 }, .op = { .len = 8 },
	  .act = overrun_cq, .want = { .events = "from:CQ_ERR", .states = "RTS|ERR RTS" },
	  .source = "IBA 11.6.3: CQ error; mlx5 cq.c, CQ_ERROR" },
};

const struct table flow_table = TABLE("flow", rows);
