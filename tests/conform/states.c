// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Changes of state, and posting in each state. */

#include "conform.h"
#include <string.h>

#define SEND		IBV_WR_SEND
#define STATE_RULE	"IBA 10.3.1, 11.2; the kernel's ib_modify_qp_is_ok()"
#define EARLY_RULE	"IBA 10.3.1: an immediate error; mlx5 qp.c has no elements then: " \
			"ENOMEM of a send, EINVAL of a receive"

static const enum ibv_qp_state all_states[] = {
	IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQD, IBV_QPS_ERR,
};

/* One change, with all that it needs: what the states before it need comes along. */
static int change(struct end *end, const struct end *peer, const struct how *how,
		  enum ibv_qp_state from, enum ibv_qp_state to)
{
	struct ibv_qp_attr attr = {
		.qp_state = to, .port_num = PORT, .qp_access_flags = ALL_ACCESS,
		.path_mtu = IBV_MTU_256, .dest_qp_num = peer->qp->qp_num, .qkey = QKEY,
		.max_dest_rd_atomic = 1, .max_rd_atomic = 1, .timeout = 14, .retry_cnt = 3,
		.rnr_retry = 3, .min_rnr_timer = 12,
	};
	int mask = IBV_QP_STATE;

	set_path(&attr.ah_attr, end, peer);
	if (to == IBV_QPS_INIT)
		mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			(how->type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
	if (to == IBV_QPS_RTR && how->type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (to == IBV_QPS_RTR && !how->type)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	if (to == IBV_QPS_RTS && from == IBV_QPS_RTR)
		mask |= IBV_QP_SQ_PSN;
	if (to == IBV_QPS_RTS && from == IBV_QPS_RTR && !how->type)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(end->qp, &attr, mask);
}

/* From the requester's state to each, every time anew. */
static int change_to_each(struct rig *rig)
{
	const struct how *how = &rig->row->how;
	enum ibv_qp_state from = how->from ? how->from - 1 : IBV_QPS_RTS;
	unsigned int i;

	for (i = 0; i < sizeof(all_states) / sizeof(all_states[0]); i++) {
		if (set_state(&rig->from, IBV_QPS_RESET) ||
		    to_state(&rig->from, &rig->to, how, from))
			return complain(rig, "not back in the state");
		called(rig, change(&rig->from, &rig->to, how, from, all_states[i]));
	}
	set_state(&rig->from, IBV_QPS_RESET);
	return 0;
}

/* Each attribute alone is wrong. */
static int init_with_bad_values(struct rig *rig)
{
	const struct ibv_qp_attr good = { .qp_state = IBV_QPS_INIT, .port_num = PORT };
	const int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
	struct ibv_qp_attr attr = good;

	attr.port_num = limits.orig_attr.phys_port_cnt + 1;
	called(rig, ibv_modify_qp(rig->from.qp, &attr, mask));
	attr.port_num = 0;
	called(rig, ibv_modify_qp(rig->from.qp, &attr, mask));
	attr = good;
	attr.pkey_index = port.pkey_tbl_len;
	called(rig, ibv_modify_qp(rig->from.qp, &attr, mask));
	attr = good;
	called(rig, ibv_modify_qp(rig->from.qp, &attr, mask & ~IBV_QP_PORT));
	attr.qp_state = 17;
	called(rig, ibv_modify_qp(rig->from.qp, &attr, mask));
	attr = good;
	called(rig, ibv_modify_qp(rig->from.qp, &attr, mask));
	return 0;
}

static const struct ibv_qp_attr usual_rtr = {
	.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_256, .dest_qp_num = 0x123,
	.max_dest_rd_atomic = 1, .min_rnr_timer = 12,
};

static int to_rtr(struct rig *rig, const struct ibv_qp_attr *change, int mask)
{
	struct ibv_qp_attr attr = *change;

	mask ^= IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	if (!attr.ah_attr.is_global) {
		int index = attr.ah_attr.grh.sgid_index;

		set_path(&attr.ah_attr, &rig->from, &rig->to);
		attr.ah_attr.grh.sgid_index = index ? index : rig->from.gid_index;
	}
	return ibv_modify_qp(rig->from.qp, &attr, mask);
}

static int rtr_with_bad_values(struct rig *rig)
{
	struct ibv_qp_attr attr = usual_rtr;

	attr.path_mtu = IBV_MTU_4096 + 1;
	called(rig, to_rtr(rig, &attr, 0));
	attr.path_mtu = 0;
	called(rig, to_rtr(rig, &attr, 0));
	attr = usual_rtr;
	attr.max_dest_rd_atomic = 255;
	called(rig, to_rtr(rig, &attr, 0));
	attr = usual_rtr;
	attr.min_rnr_timer = 32;
	called(rig, to_rtr(rig, &attr, 0));
	attr = usual_rtr;
	attr.ah_attr.grh.sgid_index = 255;		/* likely empty, or not there */
	called(rig, to_rtr(rig, &attr, 0));
	called(rig, to_rtr(rig, &usual_rtr, IBV_QP_AV));
	called(rig, to_rtr(rig, &usual_rtr, IBV_QP_DEST_QPN));
	called(rig, to_rtr(rig, &usual_rtr, 0));
	return 0;
}

static int rts_with_bad_values(struct rig *rig)
{
	static const struct ibv_qp_attr good = {
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	const int mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			 IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	struct ibv_qp_attr attr = good;

	attr.timeout = 32;
	called(rig, ibv_modify_qp(rig->from.qp, &attr, mask));
	attr = good;
	attr.retry_cnt = 8;
	called(rig, ibv_modify_qp(rig->from.qp, &attr, mask));
	attr = good;
	attr.rnr_retry = 8;
	called(rig, ibv_modify_qp(rig->from.qp, &attr, mask));
	attr = good;
	attr.max_rd_atomic = 255;
	called(rig, ibv_modify_qp(rig->from.qp, &attr, mask));
	attr = good;
	called(rig, ibv_modify_qp(rig->from.qp, &attr, mask & ~IBV_QP_TIMEOUT));
	called(rig, ibv_modify_qp(rig->from.qp, &attr, mask));
	return 0;
}

static int wrong_current_state(struct rig *rig)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .cur_qp_state = IBV_QPS_SQD };

	called(rig, ibv_modify_qp(rig->from.qp, &attr, IBV_QP_STATE | IBV_QP_CUR_STATE));
	return 0;
}

static int post_receive(struct rig *rig)
{
	called(rig, receive(&rig->from, 64, 1));
	return 0;
}

static int receive_then_break(struct rig *rig)
{
	called(rig, receive(&rig->from, 64, 1));
	called(rig, set_state(&rig->from, IBV_QPS_ERR));
	return 0;
}

/* What is posted in SQD waits until the QP is in RTS again. */
static int post_and_resume(struct rig *rig)
{
	called(rig, post_op(rig, &rig->row->op));
	if (!await(rig, &rig->from, 0) && rig->from.completions)
		say(rig, "early");
	called(rig, set_state(&rig->from, IBV_QPS_RTS));
	return 0;
}

static int drain_with_notice(struct rig *rig)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };

	called(rig, post_op(rig, &rig->row->op));
	called(rig, ibv_modify_qp(rig->from.qp, &attr,
				  IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY));
	return 0;
}

static int recover_from_sqe(struct rig *rig)
{
	struct op good = { .opcode = SEND, .len = 64 };

	called(rig, post_op(rig, &rig->row->op));
	await(rig, &rig->from, 1);
	called(rig, set_state(&rig->from, IBV_QPS_RTS));
	called(rig, post_op(rig, &good));
	return 0;
}

#define CHANGES(title, qp_type, state, results)					\
	{ .name = title, .how = { .type = qp_type, .from = AT(state) },		\
	  .act = change_to_each,						\
	  .want = { .calls = results, .states = "RESET RTS" }, .source = STATE_RULE }

static const struct row rows[] = {
	/* to RESET, INIT, RTR, RTS, SQD, ERR */
	CHANGES("RC, from RESET", 0, IBV_QPS_RESET, "ok*2 EINVAL*4"),
	CHANGES("RC, from INIT", 0, IBV_QPS_INIT, "ok*3 EINVAL*2 ok"),
	CHANGES("RC, from RTR", 0, IBV_QPS_RTR, "ok EINVAL*2 ok EINVAL ok"),
	CHANGES("RC, from RTS", 0, IBV_QPS_RTS, "ok EINVAL*2 ok*3"),
	CHANGES("RC, from SQD", 0, IBV_QPS_SQD, "ok EINVAL*2 ok*3"),
	CHANGES("RC, from ERR", 0, IBV_QPS_ERR, "ok EINVAL*4 ok"),
	CHANGES("UD, from RESET", IBV_QPT_UD, IBV_QPS_RESET, "ok*2 EINVAL*4"),
	CHANGES("UD, from INIT", IBV_QPT_UD, IBV_QPS_INIT, "ok*3 EINVAL*2 ok"),
	CHANGES("UD, from RTR", IBV_QPT_UD, IBV_QPS_RTR, "ok EINVAL*2 ok EINVAL ok"),
	CHANGES("UC, from RTR", IBV_QPT_UC, IBV_QPS_RTR, "ok EINVAL*2 ok EINVAL ok"),
	{ .name = "INIT with bad values", .how.from = AT(IBV_QPS_RESET),
	  .act = init_with_bad_values,
	  .want = { .calls = "EINVAL*5 ok", .states = "INIT RTS" }, .source = STATE_RULE },
	{ .name = "RTR with bad values", .how.from = AT(IBV_QPS_INIT),
	  .act = rtr_with_bad_values,
	  .want = { .calls = "EINVAL*4 EINVAL|ENODATA EINVAL*2 ok", .states = "RTR RTS" },
	  .source = STATE_RULE },
	{ .name = "RTS with bad values", .how.from = AT(IBV_QPS_RTR),
	  .act = rts_with_bad_values,
	  .want = { .calls = "EINVAL*5 ok" }, .source = STATE_RULE },
	{ .name = "not the state that was said", .act = wrong_current_state,
	  .want = { .calls = "EINVAL" }, .source = STATE_RULE },

	{ .name = "SEND in RESET", .how.from = AT(IBV_QPS_RESET),
	  .op = { .opcode = SEND, .len = 64 },
	  .want = { .calls = "EINVAL|ENOMEM", .states = "RESET RTS" }, .source = EARLY_RULE },
	{ .name = "SEND in INIT", .how.from = AT(IBV_QPS_INIT),
	  .op = { .opcode = SEND, .len = 64 },
	  .want = { .calls = "EINVAL|ENOMEM", .states = "INIT RTS" }, .source = EARLY_RULE },
	{ .name = "SEND in RTR", .how.from = AT(IBV_QPS_RTR), .op = { .opcode = SEND, .len = 64 },
	  .want = { .calls = "EINVAL|ENOMEM", .states = "RTR RTS" }, .source = EARLY_RULE },
	{ .name = "WRITE in RTS", .op = { .len = 64 }, .want = { .from = "SUCCESS" },
	  .source = "IBA 10.3.1" },
	{ .name = "WRITE in SQD waits", .how.from = AT(IBV_QPS_SQD), .op = { .len = 64 },
	  .want = { .states = "SQD RTS" }, .source = "IBA 10.3.1" },
	{ .name = "WRITE in SQD, then RTS", .how.from = AT(IBV_QPS_SQD), .op = { .len = 64 },
	  .act = post_and_resume, .want = { .calls = "ok*2", .from = "SUCCESS" },
	  .source = "IBA 10.3.1" },
	{ .name = "WRITE, then SQD with notice", .op = { .len = 64 }, .act = drain_with_notice,
	  .want = { .calls = "ok*2", .from = "SUCCESS", .states = "SQD RTS",
		    .events = "from:SQ_DRAINED" },
	  .source = "IBA 10.3.1, 11.6.3: send queue drained; mlx5 qp.c, SQ_DRAINED" },
	{ .name = "WRITE in error", .how.from = AT(IBV_QPS_ERR), .op = { .len = 64, .count = 2 },
	  .want = { .from = "WR_FLUSH_ERR*2", .states = "ERR RTS" }, .source = "IBA 10.3.1" },
	{ .name = "SEND with bad keys in error", .how.from = AT(IBV_QPS_ERR),
	  .op = { .opcode = SEND, .len = 64, .lkey = NO_KEY, .unsignalled = true },
	  .want = { .from = "WR_FLUSH_ERR", .states = "ERR RTS" }, .source = "IBA 10.3.1" },

	{ .name = "receive in RESET", .how.from = AT(IBV_QPS_RESET), .act = post_receive,
	  .want = { .calls = "EINVAL", .states = "RESET RTS" }, .source = EARLY_RULE },
	{ .name = "receive in INIT", .how.from = AT(IBV_QPS_INIT), .act = post_receive,
	  .want = { .states = "INIT RTS" }, .source = "IBA 10.3.1" },
	{ .name = "receive in INIT, then error", .how.from = AT(IBV_QPS_INIT),
	  .act = receive_then_break,
	  .want = { .calls = "ok*2", .from = "WR_FLUSH_ERR", .states = "ERR RTS" },
	  .source = "IBA 10.3.1" },
	{ .name = "receive in RTR", .how.from = AT(IBV_QPS_RTR), .act = post_receive,
	  .want = { .states = "RTR RTS" }, .source = "IBA 10.3.1" },
	{ .name = "receive in SQD", .how.from = AT(IBV_QPS_SQD), .act = post_receive,
	  .want = { .states = "SQD RTS" }, .source = "IBA 10.3.1" },
	{ .name = "receive in error", .how.from = AT(IBV_QPS_ERR), .act = post_receive,
	  .want = { .from = "WR_FLUSH_ERR", .states = "ERR RTS" }, .source = "IBA 10.3.1" },

	{ .name = "UD: send queue error", .how.type = IBV_QPT_UD,
	  .op = { .opcode = SEND, .len = 64, .lkey = NO_KEY },
	  .want = { .from = "LOC_PROT_ERR", .states = "SQE RTS" },
	  .source = "IBA 10.3.1: SQE of UD and UC; mlx5_ifc.h has the state" },
	{ .name = "UD: from SQE to RTS", .how.type = IBV_QPT_UD, .recvs = 1, .room = 128,
	  .op = { .opcode = SEND, .len = 64, .lkey = NO_KEY }, .act = recover_from_sqe,
	  .want = { .calls = "ok*3", .from = "LOC_PROT_ERR SUCCESS", .to = "SUCCESS" },
	  .source = "IBA 10.3.1" },
	{ .name = "UC: send queue error", .how.type = IBV_QPT_UC,
	  .op = { .opcode = SEND, .len = 64, .lkey = NO_KEY },
	  .want = { .from = "LOC_PROT_ERR", .states = "SQE RTS" },
	  .source = "IBA 10.3.1: SQE of UD and UC; mlx5_ifc.h has the state" },
};

const struct table states_table = TABLE("states", rows);
