// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* UD and UC: what is dropped without a word to the sender. */

#include "conform.h"
#include <errno.h>

#define SEND		IBV_WR_SEND
#define GRH		40
#define DROPPED		{ .from = "SUCCESS" }
#define DROP_RULE	"IBA 9.8, 9.9.3: dropped silently"

/* A wrong one, and a good one after it that takes the receive. */
static int then_a_good_one(struct rig *rig)
{
	struct op good = { .opcode = SEND, .len = 16 };

	called(rig, post_op(rig, &rig->row->op));
	await(rig, &rig->from, 1);
	called(rig, post_op(rig, &good));
	return 0;
}

static int post_mtu(struct rig *rig)
{
	struct op op = { .opcode = SEND, .len = mtu_bytes() };

	called(rig, post_op(rig, &op));
	return 0;
}

static int post_more_than_mtu(struct rig *rig)
{
	struct op op = { .opcode = SEND, .len = mtu_bytes() + 1 };

	called(rig, post_op(rig, &op));
	return 0;
}

static int post_without_address(struct rig *rig)
{
	struct ibv_ah *ah = rig->from.ah;

	rig->from.ah = NULL;
	called(rig, post_op(rig, &rig->row->op));
	rig->from.ah = ah;
	return 0;
}

static int bad_addresses(struct rig *rig)
{
	struct ibv_ah_attr good, attr;

	set_path(&good, &rig->from, &rig->to);
	attr = good;
	attr.port_num = limits.orig_attr.phys_port_cnt + 1;
	called_ptr(rig, ibv_create_ah(rig->from.pd, &attr));
	attr = good;
	attr.is_global = 0;
	called_ptr(rig, ibv_create_ah(rig->from.pd, &attr));
	attr = good;
	attr.grh.sgid_index = 255;		/* likely empty, or not there */
	called_ptr(rig, ibv_create_ah(rig->from.pd, &attr));
	return 0;
}

#define UD	.how.type = IBV_QPT_UD
#define UC	.how.type = IBV_QPT_UC

static const struct row rows[] = {
	{ .name = "UD: SEND fills a receive", UD, .recvs = 1, .room = GRH + 16,
	  .op = { .opcode = SEND, .len = 16 }, .want = { .from = "SUCCESS", .to = "SUCCESS" },
	  .source = "IBA 9.8: the first 40 bytes are the GRH's" },
	{ .name = "UD: SEND of nothing", UD, .recvs = 1, .room = GRH, .op = { .opcode = SEND },
	  .want = { .from = "SUCCESS", .to = "SUCCESS" }, .source = "IBA 9.8" },
	{ .name = "UD: SEND of an MTU", UD, .recvs = 1, .room = MEMORY, .act = post_mtu,
	  .want = { .from = "SUCCESS", .to = "SUCCESS" }, .source = "IBA 9.8" },
	{ .name = "UD: SEND of an MTU and 1", UD, .recvs = 1, .room = MEMORY,
	  .act = post_more_than_mtu,
	  .want = { .from = "LOC_LEN_ERR", .states = "SQE|RTS|ERR RTS" },
	  .source = "IBA 9.8, 9.9.2: local length error; mlx5 cq.c, LOCAL_LENGTH_ERR" },
	{ .name = "UD: wrong Q_Key", UD, .recvs = 1, .room = MEMORY,
	  .op = { .opcode = SEND, .len = 16, .qkey = 1 }, .act = then_a_good_one,
	  .want = { .calls = "ok*2", .from = "SUCCESS*2", .to = "SUCCESS" },
	  .source = DROP_RULE },
	{ .name = "UD: no such QP", UD, .recvs = 1, .room = MEMORY,
	  .op = { .opcode = SEND, .len = 16, .qpn = 0x800000 }, .act = then_a_good_one,
	  .want = { .calls = "ok*2", .from = "SUCCESS*2", .to = "SUCCESS" },
	  .source = DROP_RULE },
	{ .name = "UD: receive is too short by 1", UD, .recvs = 1, .room = GRH + 63,
	  .op = { .opcode = SEND, .len = 64 }, .act = then_a_good_one,
	  .want = { .calls = "ok*2", .from = "SUCCESS*2", .to = "SUCCESS" },
	  .source = DROP_RULE },
	{ .name = "UD: no receive", UD, .op = { .opcode = SEND, .len = 16 }, .want = DROPPED,
	  .source = DROP_RULE },
	{ .name = "UD: responder in INIT", .how = { .type = IBV_QPT_UD, .to = AT(IBV_QPS_INIT) },
	  .recvs = 1, .room = MEMORY, .op = { .opcode = SEND, .len = 16 },
	  .want = { .from = "SUCCESS", .states = "RTS INIT" }, .source = DROP_RULE },
	{ .name = "UD: responder in error", .how = { .type = IBV_QPT_UD, .to = AT(IBV_QPS_ERR) },
	  .op = { .opcode = SEND, .len = 16 },
	  .want = { .from = "SUCCESS", .states = "RTS ERR" }, .source = DROP_RULE },
	{ .name = "UD: no such lkey", UD, .recvs = 1, .room = MEMORY,
	  .op = { .opcode = SEND, .len = 16, .lkey = NO_KEY },
	  .want = { .from = "LOC_PROT_ERR", .states = "SQE RTS" }, .source = "IBA 9.9.2, 10.3.1" },
	{ .name = "UD: WRITE", UD, .op = { .len = 16 },
	  .want = { .calls = "EINVAL" }, .source = "IBA 9.8: SEND is all there is" },
	{ .name = "UD: no address", UD, .op = { .opcode = SEND, .len = 16 },
	  .act = post_without_address, .want = { .calls = "EINVAL" },
	  .source = "ibv_post_send(3)" },
	{ .name = "UD: bad addresses", UD, .act = bad_addresses,
	  .want = { .calls = "EINVAL*2 EINVAL|ENODATA" },
	  .source = "the kernel's rdma_check_ah_attr()" },

	{ .name = "UC: WRITE", UC, .op = { .len = 5000 }, .want = DROPPED, .source = "IBA 9.8" },
	{ .name = "UC: SEND", UC, .recvs = 1, .room = 5000, .op = { .opcode = SEND, .len = 5000 },
	  .want = { .from = "SUCCESS", .to = "SUCCESS" }, .source = "IBA 9.8" },
	{ .name = "UC: WRITE, no such rkey", UC, .op = { .len = 64, .rkey = NO_KEY },
	  .want = DROPPED, .source = DROP_RULE },
	{ .name = "UC: WRITE, QP takes none", .how = { .type = IBV_QPT_UC, .access = NONE },
	  .op = { .len = 64 }, .want = DROPPED, .source = DROP_RULE },
	{ .name = "UC: no receive", UC, .op = { .opcode = SEND, .len = 64 }, .want = DROPPED,
	  .source = DROP_RULE },
	{ .name = "UC: nobody there", .how = { .type = IBV_QPT_UC, .qpn = NO_QPN },
	  .op = { .len = 64 }, .want = DROPPED, .source = DROP_RULE },
	{ .name = "UC: READ", UC, .op = { .opcode = IBV_WR_RDMA_READ, .len = 16 },
	  .want = { .calls = "EINVAL" }, .source = "IBA 9.8: no READs and no atomics" },
	{ .name = "UC: no such lkey", UC, .op = { .len = 64, .lkey = NO_KEY },
	  .want = { .from = "LOC_PROT_ERR", .states = "SQE RTS" }, .source = "IBA 9.9.2, 10.3.1" },
};

const struct table datagram_table = TABLE("datagram", rows);
