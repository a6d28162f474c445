// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory windows, and keys that are taken away. The window is of the responder's second page. */

#include "conform.h"
#include <errno.h>

#define BINDABLE	(ALL_ACCESS | IBV_ACCESS_MW_BIND)
#define WRITE		IBV_WR_RDMA_WRITE
#define READ		IBV_WR_RDMA_READ
#define FIRST		4096
#define SIZE		4096

#define BOUND_AND(status, other_states, other_events) \
	{ .from = status, .to = "SUCCESS", .states = other_states, .events = other_events }
#define WORKS		BOUND_AND("SUCCESS", NULL, NULL)
#define REFUSED		BOUND_AND("REM_ACCESS_ERR", "ERR ERR", "to:QP_ACCESS_ERR")
#define NOT_BOUND	{ .to = "MW_BIND_ERR", .states = "RTS ERR" }

#define WINDOW_RULE	"IBA 10.6.7: a window is checked as a region is, within its bounds"
#define BIND_RULE	"IBA 10.6.7.2; mlx5 cq.c, MW_BIND_ERR"
#define TYPE2_RULE	"IBA 10.6.7.2 for type 2B; ibv_alloc_mw(3)"

static int needs_type_1(struct rig *rig)
{
	return limits.orig_attr.device_cap_flags & IBV_DEVICE_MEM_WINDOW ? 0 :
	       skip(rig, "no windows of type 1");
}

static int needs_type_2(struct rig *rig)
{
	return limits.orig_attr.device_cap_flags & IBV_DEVICE_MEM_WINDOW_TYPE_2B ? 0 :
	       skip(rig, "no windows of type 2B");
}

static int bind_1(struct rig *rig, uint64_t at, uint64_t len, unsigned int access)
{
	struct ibv_mw_bind bind = {
		.wr_id = rig->to.sent, .send_flags = IBV_SEND_SIGNALED,
		.bind_info = { rig->to.mr, (uintptr_t)rig->to.buf + at, len, access },
	};
	int err;

	if (!rig->mw)
		rig->mw = ibv_alloc_mw(rig->to.pd, IBV_MW_TYPE_1);
	if (!rig->mw)
		return errno;
	err = ibv_bind_mw(rig->to.qp, rig->mw, &bind);
	if (err)
		return err;
	rig->to.sent++;
	rig->rkey = rig->mw->rkey;
	await(rig, &rig->to, rig->to.sent);
	return 0;
}

static int bind_2(struct rig *rig, uint64_t at, uint64_t len, unsigned int access)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED,
		.bind_mw.bind_info = { rig->to.mr, (uintptr_t)rig->to.buf + at, len, access },
	};
	int err;

	if (!rig->mw)
		rig->mw = ibv_alloc_mw(rig->to.pd, IBV_MW_TYPE_2);
	if (!rig->mw)
		return errno;
	wr.bind_mw.mw = rig->mw;
	wr.bind_mw.rkey = ibv_inc_rkey(rig->mw->rkey);
	err = send_it(&rig->to, &wr);
	if (err)
		return err;
	rig->mw->rkey = wr.bind_mw.rkey;
	rig->rkey = rig->mw->rkey;
	await(rig, &rig->to, rig->to.sent);
	return 0;
}

static int done(struct rig *rig, int err)
{
	return err ? complain(rig, "binding: error %d", err) : 0;
}

static int window_1(struct rig *rig)
{
	return done(rig, bind_1(rig, FIRST, SIZE, IBV_ACCESS_REMOTE_WRITE |
				IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC));
}

static int window_1_for_reads(struct rig *rig)
{
	return done(rig, bind_1(rig, FIRST, SIZE, IBV_ACCESS_REMOTE_READ));
}

static int window_2(struct rig *rig)
{
	return done(rig, bind_2(rig, FIRST, SIZE, IBV_ACCESS_REMOTE_WRITE |
				IBV_ACCESS_REMOTE_READ));
}

static int window_2_for_writes(struct rig *rig)
{
	return done(rig, bind_2(rig, FIRST, SIZE, IBV_ACCESS_REMOTE_WRITE));
}

static int unbound_1(struct rig *rig)
{
	rig->mw = ibv_alloc_mw(rig->to.pd, IBV_MW_TYPE_1);
	if (!rig->mw)
		return complain(rig, "no window");
	rig->rkey = rig->mw->rkey;
	return 0;
}

/* Bound to nothing again, by the key that it has then. */
static int emptied_1(struct rig *rig)
{
	int bad = window_1(rig);

	return bad ? bad : done(rig, bind_1(rig, 0, 0, 0));
}

static int moved_1(struct rig *rig)
{
	int bad = window_1(rig);
	uint32_t rkey = rig->rkey;

	bad = bad ? bad : done(rig, bind_1(rig, FIRST, SIZE, IBV_ACCESS_REMOTE_WRITE));
	rig->rkey = rkey;
	return bad;
}

static int freed_1(struct rig *rig)
{
	int bad = window_1(rig);

	if (!bad)
		bad = ibv_dealloc_mw(rig->mw);
	rig->mw = NULL;
	return bad;
}

static int freed_2(struct rig *rig)
{
	int bad = window_2(rig);

	if (!bad)
		bad = ibv_dealloc_mw(rig->mw);
	rig->mw = NULL;
	return bad;
}

static int invalidated_2(struct rig *rig)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_LOCAL_INV, .send_flags = IBV_SEND_SIGNALED };
	int bad = window_2(rig);

	wr.invalidate_rkey = rig->rkey;
	if (!bad && send_it(&rig->to, &wr))
		return complain(rig, "posting");
	return bad ? bad : await(rig, &rig->to, rig->to.sent);
}

/* By the requester's QP: 2B windows are of the QP that bound them. */
static int window_2_of_another_qp(struct rig *rig)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED,
		.bind_mw.bind_info = { rig->to.mr, (uintptr_t)rig->to.buf + FIRST, SIZE,
				       IBV_ACCESS_REMOTE_WRITE },
	};

	rig->mw = ibv_alloc_mw(rig->from.pd, IBV_MW_TYPE_2);
	if (!rig->mw)
		return complain(rig, "no window");
	wr.bind_mw.mw = rig->mw;
	rig->rkey = ibv_inc_rkey(rig->mw->rkey);
	wr.bind_mw.rkey = rig->rkey;
	if (send_it(&rig->from, &wr))
		return complain(rig, "posting");
	return await(rig, &rig->from, 1);
}

static int bind_1_beyond(struct rig *rig)
{
	called(rig, bind_1(rig, MEMORY - 4095, 4096, IBV_ACCESS_REMOTE_WRITE));
	return 0;
}

static int bind_1_for_writes(struct rig *rig)
{
	called(rig, bind_1(rig, FIRST, SIZE, IBV_ACCESS_REMOTE_WRITE));
	return 0;
}

static int bind_2_beyond(struct rig *rig)
{
	called(rig, bind_2(rig, MEMORY - 4095, 4096, IBV_ACCESS_REMOTE_WRITE));
	return 0;
}

static int bind_2_twice(struct rig *rig)
{
	called(rig, bind_2(rig, FIRST, SIZE, IBV_ACCESS_REMOTE_WRITE));
	called(rig, bind_2(rig, FIRST, SIZE, IBV_ACCESS_REMOTE_WRITE));
	return 0;
}

static int bind_2_for_writes(struct rig *rig)
{
	called(rig, bind_2(rig, FIRST, SIZE, IBV_ACCESS_REMOTE_WRITE));
	return 0;
}

/* The first message takes the key away, the second one uses it. */
static int send_with_inv_then_write(struct rig *rig)
{
	struct op inv = { .opcode = IBV_WR_SEND_WITH_INV, .len = 64 };
	struct op write = { .len = 64, .to = FIRST };

	called(rig, post_op(rig, &inv));
	await(rig, &rig->from, rig->from.sent);
	called(rig, post_op(rig, &write));
	return 0;
}

static int invalidate_nothing(struct rig *rig)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_LOCAL_INV, .send_flags = IBV_SEND_SIGNALED,
		.invalidate_rkey = rig->rkey ^ NO_KEY,
	};

	called(rig, send_it(&rig->from, &wr));
	return 0;
}

static int deregister_under_window(struct rig *rig)
{
	called(rig, ibv_dereg_mr(rig->to.mr));
	return 0;
}

#define WINDOW_1(...) .needs = needs_type_1, .how.mr_access = BINDABLE, __VA_ARGS__
#define WINDOW_2(...) .needs = needs_type_2, .how.mr_access = BINDABLE, __VA_ARGS__

static const struct row rows[] = {
	{ .name = "1: WRITE all of it", WINDOW_1(.before = window_1),
	  .op = { .len = SIZE, .to = FIRST }, .want = WORKS, .source = WINDOW_RULE },
	{ .name = "1: WRITE 1 byte in front", WINDOW_1(.before = window_1),
	  .op = { .len = 64, .to = FIRST - 1 }, .want = REFUSED, .source = WINDOW_RULE },
	{ .name = "1: WRITE 1 byte beyond", WINDOW_1(.before = window_1),
	  .op = { .len = 64, .to = FIRST + SIZE - 63 }, .want = REFUSED, .source = WINDOW_RULE },
	{ .name = "1: READ 1 byte beyond", WINDOW_1(.before = window_1),
	  .op = { .opcode = READ, .len = 64, .to = FIRST + SIZE - 63 },
	  .want = REFUSED, .source = WINDOW_RULE },
	{ .name = "1: CAS of its last word", WINDOW_1(.before = window_1),
	  .op = { .opcode = IBV_WR_ATOMIC_CMP_AND_SWP, .len = 8, .to = FIRST + SIZE - 8 },
	  .want = WORKS, .source = WINDOW_RULE },
	{ .name = "1: READ where READs are allowed", WINDOW_1(.before = window_1_for_reads),
	  .op = { .opcode = READ, .len = 64, .to = FIRST }, .want = WORKS,
	  .source = WINDOW_RULE },
	{ .name = "1: WRITE where READs are allowed", WINDOW_1(.before = window_1_for_reads),
	  .op = { .len = 64, .to = FIRST }, .want = REFUSED, .source = WINDOW_RULE },
	{ .name = "1: WRITE before it is bound", WINDOW_1(.before = unbound_1),
	  .op = { .len = 64, .to = FIRST },
	  .want = { .from = "REM_ACCESS_ERR", .states = "ERR ERR",
		    .events = "to:QP_ACCESS_ERR" }, .source = WINDOW_RULE },
	{ .name = "1: WRITE after it was bound to nothing", WINDOW_1(.before = emptied_1),
	  .op = { .len = 64, .to = FIRST },
	  .want = { .from = "REM_ACCESS_ERR", .to = "SUCCESS*2", .states = "ERR ERR",
		    .events = "to:QP_ACCESS_ERR" }, .source = BIND_RULE },
	{ .name = "1: WRITE by the key before the last", WINDOW_1(.before = moved_1),
	  .op = { .len = 64, .to = FIRST },
	  .want = { .from = "REM_ACCESS_ERR", .to = "SUCCESS*2", .states = "ERR ERR",
		    .events = "to:QP_ACCESS_ERR" }, .source = BIND_RULE },
	{ .name = "1: WRITE after it is gone", WINDOW_1(.before = freed_1),
	  .op = { .len = 64, .to = FIRST }, .want = REFUSED, .source = WINDOW_RULE },
	{ .name = "1: bind 1 byte beyond the region", WINDOW_1(.act = bind_1_beyond),
	  .want = NOT_BOUND, .source = BIND_RULE },
	{ .name = "1: bind to a region without the right", .needs = needs_type_1,
	  .act = bind_1_for_writes, .want = NOT_BOUND, .source = BIND_RULE },
	{ .name = "1: bind for WRITEs to a region that is not writable", .needs = needs_type_1,
	  .how.mr_access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND,
	  .act = bind_1_for_writes, .want = NOT_BOUND,
	  .source = "IBA 10.6.7.2: remote write needs local write" },
	{ .name = "1: region is deregistered under it", WINDOW_1(.before = window_1),
	  .act = deregister_under_window,
	  .want = { .calls = "EBUSY", .to = "SUCCESS" },
	  .source = "IBA 10.6.7.2.6, ibv_dereg_mr(3): not while windows are bound" },

	{ .name = "2: WRITE all of it", WINDOW_2(.before = window_2),
	  .op = { .len = SIZE, .to = FIRST }, .want = WORKS, .source = TYPE2_RULE },
	{ .name = "2: WRITE 1 byte beyond", WINDOW_2(.before = window_2),
	  .op = { .len = 64, .to = FIRST + SIZE - 63 }, .want = REFUSED, .source = TYPE2_RULE },
	{ .name = "2: READ 1 byte in front", WINDOW_2(.before = window_2),
	  .op = { .opcode = READ, .len = 64, .to = FIRST - 1 }, .want = REFUSED,
	  .source = TYPE2_RULE },
	{ .name = "2: READ where WRITEs are allowed", WINDOW_2(.before = window_2_for_writes),
	  .op = { .opcode = READ, .len = 64, .to = FIRST }, .want = REFUSED,
	  .source = TYPE2_RULE },
	{ .name = "2: WRITE after LOCAL_INV", WINDOW_2(.before = invalidated_2),
	  .op = { .len = 64, .to = FIRST },
	  .want = { .from = "REM_ACCESS_ERR", .to = "SUCCESS*2", .states = "ERR ERR",
		    .events = "to:QP_ACCESS_ERR" }, .source = TYPE2_RULE },
	{ .name = "2: WRITE after SEND with invalidate", WINDOW_2(.before = window_2),
	  .recvs = 1, .room = 64, .act = send_with_inv_then_write,
	  .want = { .calls = "ok*2", .from = "SUCCESS REM_ACCESS_ERR", .to = "SUCCESS*2",
		    .states = "ERR ERR", .events = "to:QP_ACCESS_ERR" }, .source = TYPE2_RULE },
	{ .name = "2: WRITE after it is gone", WINDOW_2(.before = freed_2),
	  .op = { .len = 64, .to = FIRST }, .want = REFUSED, .source = TYPE2_RULE },
	{ .name = "2: WRITE to the window of another QP",
	  WINDOW_2(.before = window_2_of_another_qp), .op = { .len = 64, .to = FIRST },
	  .want = { .from = "SUCCESS REM_ACCESS_ERR", .states = "ERR ERR",
		    .events = "to:QP_ACCESS_ERR" }, .source = TYPE2_RULE },
	{ .name = "2: bind 1 byte beyond the region", WINDOW_2(.act = bind_2_beyond),
	  .want = NOT_BOUND, .source = BIND_RULE },
	{ .name = "2: bind what is bound", WINDOW_2(.act = bind_2_twice),
	  .want = { .calls = "ok*2", .to = "SUCCESS MW_BIND_ERR", .states = "RTS ERR" },
	  .source = TYPE2_RULE },
	{ .name = "2: bind to a region without the right", .needs = needs_type_2,
	  .act = bind_2_for_writes, .want = NOT_BOUND, .source = BIND_RULE },
	{ .name = "SEND with invalidate, no such rkey", .needs = needs_type_2, .recvs = 1,
	  .room = 64, .op = { .opcode = IBV_WR_SEND_WITH_INV, .len = 64, .rkey = NO_KEY },
	  .want = { .from = "REM_ACCESS_ERR", .to = "LOC_QP_OP_ERR|WR_FLUSH_ERR",
		    .states = "ERR ERR", .events = "to:QP_ACCESS_ERR" },
	  .source = "IBA 9.4.1, 9.9.3: NAK, remote access error" },
	{ .name = "LOCAL_INV, no such rkey", .needs = needs_type_2, .act = invalidate_nothing,
	  .want = { .from = "LOC_QP_OP_ERR", .states = "ERR RTS" },
	  .source = "IBA 11.6: memory management operation error" },
};

const struct table windows_table = TABLE("windows", rows);
