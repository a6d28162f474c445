// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Keys, bounds, rights, lengths: RC requests that must not be carried out, and some that must. */

#include "conform.h"
#include <stdlib.h>

#define LOCAL_PROTECTION	{ .from = "LOC_PROT_ERR", .states = "ERR RTS" }
#define REMOTE_ACCESS		{ .from = "REM_ACCESS_ERR", .states = "ERR ERR", \
				  .events = "to:QP_ACCESS_ERR" }
#define REMOTE_INVALID		{ .from = "REM_INV_REQ_ERR", .states = "ERR ERR", \
				  .events = "to:QP_REQ_ERR" }
#define DONE			{ .from = "SUCCESS" }
#define RECEIVED		{ .from = "SUCCESS", .to = "SUCCESS" }

#define LOCAL_RULE	"IBA 9.9.2, 10.6: the requester's memory; mlx5 cq.c, LOCAL_PROT_ERR"
#define REMOTE_RULE	"IBA 9.7.4, 9.9.3: NAK, remote access error; mlx5 qp.c, WQ_ACCESS_ERROR"
#define INVALID_RULE	"IBA 9.7.4, 9.9.3: NAK, invalid request; mlx5 qp.c, WQ_INVAL_REQ_ERROR"
#define ZERO_RULE	"IBA 9.7.4: without bytes, keys and addresses are not checked"

#define WRITE	IBV_WR_RDMA_WRITE
#define READ	IBV_WR_RDMA_READ
#define SEND	IBV_WR_SEND
#define CAS	IBV_WR_ATOMIC_CMP_AND_SWP
#define ADD	IBV_WR_ATOMIC_FETCH_AND_ADD

/* The keys of what does not exist any more. */
static int deregister_local(struct rig *rig)
{
	struct ibv_mr *mr = ibv_reg_mr(rig->from.pd, rig->from.buf, MEMORY, ALL_ACCESS);
	struct op op = rig->row->op;

	if (!mr)
		return complain(rig, "no region");
	op.lkey = mr->lkey ^ rig->from.mr->lkey;
	ibv_dereg_mr(mr);
	called(rig, post_op(rig, &op));
	return 0;
}

static int deregister_remote(struct rig *rig)
{
	struct ibv_mr *mr = ibv_reg_mr(rig->to.pd, rig->to.buf, MEMORY, ALL_ACCESS);

	if (!mr)
		return complain(rig, "no region");
	rig->rkey = mr->rkey;
	return ibv_dereg_mr(mr);
}

/* A region of the other PD, by its local key. */
static int use_foreign_lkey(struct rig *rig)
{
	struct op op = rig->row->op;

	op.lkey = rig->to.mr->lkey ^ rig->from.mr->lkey;
	op.at = rig->to.buf - rig->from.buf;
	called(rig, post_op(rig, &op));
	return 0;
}

/* The requester's region has another PD than the responder's QP. */
static int aim_at_foreign_region(struct rig *rig)
{
	rig->rkey = rig->from.mr->rkey;
	rig->raddr = (uintptr_t)rig->from.buf;
	return 0;
}

static int change_rights(struct rig *rig)
{
	return ibv_rereg_mr(rig->to.mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ) ?
	       skip(rig, "regions cannot be changed") : 0;
}

/* The first 4096 bytes only. */
static int change_range(struct rig *rig)
{
	return ibv_rereg_mr(rig->to.mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, rig->to.buf,
			    4096, 0) ?
	       skip(rig, "regions cannot be changed") : 0;
}

static int zero_based(struct rig *rig)
{
	ibv_dereg_mr(rig->to.mr);
	rig->to.mr = ibv_reg_mr_iova(rig->to.pd, rig->to.buf, 8192, 0x10000, ALL_ACCESS);
	if (!rig->to.mr)
		return skip(rig, "no regions with addresses of their own");
	rig->rkey = rig->to.mr->rkey;
	rig->raddr = 0x10000;
	return 0;
}

/* As many elements of 256 MiB as it takes to be longer than 2 GiB. */
static int send_too_long(struct rig *rig)
{
	struct ibv_send_wr wr = { .opcode = WRITE, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_sge sge[9];

	for (wr.num_sge = 0; wr.num_sge < 9; wr.num_sge++)
		sge[wr.num_sge] = part(&rig->from, 0, 0x10000000);
	wr.sg_list = sge;
	wr.wr.rdma.remote_addr = rig->raddr;
	wr.wr.rdma.rkey = rig->rkey;
	called(rig, send_it(&rig->from, &wr));
	return 0;
}

static int receive_bad_key(struct rig *rig)
{
	struct ibv_sge sge = part(&rig->to, 0, 64);
	struct ibv_recv_wr wr = { .wr_id = rig->to.received++, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	sge.lkey ^= NO_KEY;
	return ibv_post_recv(rig->to.qp, &wr, &bad);
}

static int receive_beyond(struct rig *rig)
{
	struct ibv_sge sge = part(&rig->to, MEMORY - 32, 64);
	struct ibv_recv_wr wr = { .wr_id = rig->to.received++, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	return ibv_post_recv(rig->to.qp, &wr, &bad);
}

static const struct row rows[] = {
	/* what the requester has itself */
	{ .name = "SEND, no such lkey", .recvs = 1, .room = 64,
	  .op = { .opcode = SEND, .len = 64, .lkey = NO_KEY },
	  .want = LOCAL_PROTECTION, .source = LOCAL_RULE },
	{ .name = "WRITE, no such lkey", .op = { .len = 64, .lkey = NO_KEY },
	  .want = LOCAL_PROTECTION, .source = LOCAL_RULE },
	{ .name = "WRITE, lkey of another generation", .op = { .len = 64, .lkey = 1 },
	  .want = LOCAL_PROTECTION, .source = LOCAL_RULE },
	{ .name = "READ, no such lkey", .op = { .opcode = READ, .len = 64, .lkey = NO_KEY },
	  .want = LOCAL_PROTECTION, .source = LOCAL_RULE },
	{ .name = "CAS, no such lkey", .op = { .opcode = CAS, .len = 8, .lkey = NO_KEY },
	  .want = LOCAL_PROTECTION, .source = LOCAL_RULE },
	{ .name = "WRITE, lkey that is deregistered", .op = { .len = 64 },
	  .act = deregister_local, .want = LOCAL_PROTECTION, .source = LOCAL_RULE },
	{ .name = "WRITE, lkey of another PD", .how.foreign_pd = true, .op = { .len = 64 },
	  .act = use_foreign_lkey, .want = LOCAL_PROTECTION, .source = LOCAL_RULE },
	{ .name = "SEND, beyond the local region", .recvs = 1, .room = 64,
	  .op = { .opcode = SEND, .at = MEMORY - 63, .len = 64 },
	  .want = LOCAL_PROTECTION, .source = LOCAL_RULE },
	{ .name = "WRITE, in front of the local region", .op = { .at = -1, .len = 64 },
	  .want = LOCAL_PROTECTION, .source = LOCAL_RULE },
	{ .name = "WRITE of many packets, 1 byte beyond the local region",
	  .op = { .at = MEMORY - 8191, .len = 8192 },
	  .want = LOCAL_PROTECTION, .source = LOCAL_RULE },
	{ .name = "READ, beyond the local region",
	  .op = { .opcode = READ, .at = MEMORY - 63, .len = 64 },
	  .want = LOCAL_PROTECTION, .source = LOCAL_RULE },
	{ .name = "READ into a region that is not writable",
	  .how.from_access = IBV_ACCESS_REMOTE_READ, .op = { .opcode = READ, .len = 64 },
	  .want = LOCAL_PROTECTION, .source = LOCAL_RULE },
	{ .name = "ADD into a region that is not writable",
	  .how.from_access = IBV_ACCESS_REMOTE_READ, .op = { .opcode = ADD, .len = 8 },
	  .want = LOCAL_PROTECTION, .source = LOCAL_RULE },
	{ .name = "WRITE of more than 2 GiB", .how.sges = 9, .act = send_too_long,
	  .want = { .calls = "ok", .from = "LOC_LEN_ERR", .states = "ERR RTS" },
	  .source = "IBA 9.7.3, 9.9.2: local length error; mlx5 cq.c, LOCAL_LENGTH_ERR" },

	/* keys of the responder */
	{ .name = "WRITE, no such rkey", .op = { .len = 64, .rkey = NO_KEY },
	  .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "WRITE of many packets, no such rkey", .op = { .len = 8192, .rkey = NO_KEY },
	  .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "WRITE, rkey of another generation", .op = { .len = 64, .rkey = 1 },
	  .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "READ, no such rkey", .op = { .opcode = READ, .len = 64, .rkey = NO_KEY },
	  .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "CAS, no such rkey", .op = { .opcode = CAS, .len = 8, .rkey = NO_KEY },
	  .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "ADD, no such rkey", .op = { .opcode = ADD, .len = 8, .rkey = NO_KEY },
	  .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "WRITE, rkey that is deregistered", .before = deregister_remote,
	  .op = { .len = 64 }, .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "READ, rkey that is deregistered", .before = deregister_remote,
	  .op = { .opcode = READ, .len = 64 }, .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "WRITE, rkey of another PD", .how.foreign_pd = true,
	  .before = aim_at_foreign_region, .op = { .len = 64 },
	  .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "READ, rkey of another PD", .how.foreign_pd = true,
	  .before = aim_at_foreign_region, .op = { .opcode = READ, .len = 64 },
	  .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "ADD, rkey of another PD", .how.foreign_pd = true,
	  .before = aim_at_foreign_region, .op = { .opcode = ADD, .len = 8 },
	  .want = REMOTE_ACCESS, .source = REMOTE_RULE },

	/* bounds at the responder */
	{ .name = "WRITE up to the end", .op = { .len = 64, .to = MEMORY - 64 },
	  .want = DONE, .source = REMOTE_RULE },
	{ .name = "WRITE, 1 byte beyond the end", .op = { .len = 64, .to = MEMORY - 63 },
	  .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "WRITE, 1 byte in front", .op = { .len = 64, .to = -1 },
	  .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "WRITE of many packets, 1 byte beyond the end",
	  .op = { .len = 8192, .to = MEMORY - 8191 },
	  .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "WRITE, around the end of the address space",
	  .op = { .len = 4096, .to = INT64_MAX }, .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "READ up to the end", .op = { .opcode = READ, .len = 64, .to = MEMORY - 64 },
	  .want = DONE, .source = REMOTE_RULE },
	{ .name = "READ, 1 byte beyond the end",
	  .op = { .opcode = READ, .len = 64, .to = MEMORY - 63 },
	  .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "CAS of the last word", .op = { .opcode = CAS, .len = 8, .to = MEMORY - 8 },
	  .want = DONE, .source = REMOTE_RULE },
	{ .name = "CAS behind the last word", .op = { .opcode = CAS, .len = 8, .to = MEMORY },
	  .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "ADD of an address that is not aligned",
	  .op = { .opcode = ADD, .len = 8, .to = 4 },
	  .want = REMOTE_INVALID, .source = "IBA 9.4.5, 9.9.3: NAK, invalid request" },
	{ .name = "WRITE into a region with addresses of its own", .before = zero_based,
	  .op = { .len = 64, .to = 8128 }, .want = DONE, .source = "ibv_reg_mr_iova(3)" },
	{ .name = "WRITE beyond a region with addresses of its own", .before = zero_based,
	  .op = { .len = 64, .to = 8129 }, .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "WRITE into what a region was before", .before = change_range,
	  .op = { .len = 64, .to = 4033 }, .want = REMOTE_ACCESS, .source = "ibv_rereg_mr(3)" },

	/* rights of the responder's region */
	{ .name = "WRITE, region is for READs",
	  .how.mr_access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ,
	  .op = { .len = 64 }, .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "READ, region is for WRITEs",
	  .how.mr_access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
	  .op = { .opcode = READ, .len = 64 }, .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "ADD, region is for WRITEs and READs",
	  .how.mr_access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ,
	  .op = { .opcode = ADD, .len = 8 }, .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "WRITE, region is for its owner only", .how.mr_access = IBV_ACCESS_LOCAL_WRITE,
	  .op = { .len = 64 }, .want = REMOTE_ACCESS, .source = REMOTE_RULE },
	{ .name = "READ, region is for READs only", .how.mr_access = IBV_ACCESS_REMOTE_READ,
	  .op = { .opcode = READ, .len = 64 }, .want = DONE, .source = REMOTE_RULE },
	{ .name = "WRITE, region lost the right", .before = change_rights,
	  .op = { .len = 64 }, .want = REMOTE_ACCESS, .source = "ibv_rereg_mr(3)" },

	/* rights of the responder's QP */
	{ .name = "WRITE, QP takes none", .how.access = NONE, .op = { .len = 64 },
	  .want = REMOTE_INVALID, .source = INVALID_RULE },
	{ .name = "READ, QP takes none", .how.access = NONE,
	  .op = { .opcode = READ, .len = 64 }, .want = REMOTE_INVALID, .source = INVALID_RULE },
	{ .name = "CAS, QP takes WRITEs and READs",
	  .how.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	  .op = { .opcode = CAS, .len = 8 }, .want = REMOTE_INVALID, .source = INVALID_RULE },
	{ .name = "SEND, QP takes no RDMA", .how.access = NONE, .recvs = 1, .room = 64,
	  .op = { .opcode = SEND, .len = 64 }, .want = RECEIVED, .source = "IBA 9.4" },

	/* nothing to move */
	{ .name = "WRITE of nothing, no such rkey", .op = { .rkey = NO_KEY },
	  .want = DONE, .source = ZERO_RULE },
	{ .name = "READ of nothing, no such rkey", .op = { .opcode = READ, .rkey = NO_KEY },
	  .want = DONE, .source = ZERO_RULE },
	{ .name = "SEND of nothing", .recvs = 1, .op = { .opcode = SEND },
	  .want = RECEIVED, .source = ZERO_RULE },
	{ .name = "WRITE of nothing with immediate", .recvs = 1,
	  .op = { .opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .rkey = NO_KEY },
	  .want = RECEIVED, .source = ZERO_RULE },

	/* receives */
	{ .name = "SEND fills a receive", .recvs = 1, .room = 5000,
	  .op = { .opcode = SEND, .len = 5000 }, .want = RECEIVED, .source = "IBA 9.4" },
	{ .name = "SEND, receive is too short by 1", .recvs = 1, .room = 63,
	  .op = { .opcode = SEND, .len = 64 },
	  .want = { .from = "REM_INV_REQ_ERR", .to = "LOC_LEN_ERR", .states = "ERR ERR",
		    .events = "to:QP_REQ_ERR" },
	  .source = INVALID_RULE },
	{ .name = "SEND of many packets, receive is too short by 1", .recvs = 1, .room = 4999,
	  .op = { .opcode = SEND, .len = 5000 },
	  .want = { .from = "REM_INV_REQ_ERR", .to = "LOC_LEN_ERR", .states = "ERR ERR",
		    .events = "to:QP_REQ_ERR" },
	  .source = INVALID_RULE },
	{ .name = "SEND, receive into a region that is not writable",
	  .how.mr_access = IBV_ACCESS_REMOTE_READ, .recvs = 1, .room = 64,
	  .op = { .opcode = SEND, .len = 64 },
	  .want = { .from = "REM_OP_ERR", .to = "LOC_PROT_ERR", .states = "ERR ERR",
		    .events = "to:QP_FATAL" },
	  .source = "IBA 9.9.3: NAK, remote operational error" },
	{ .name = "SEND, receive with no such lkey", .before = receive_bad_key,
	  .op = { .opcode = SEND, .len = 64 },
	  .want = { .from = "REM_OP_ERR", .to = "LOC_PROT_ERR", .states = "ERR ERR",
		    .events = "to:QP_FATAL" },
	  .source = "IBA 9.9.3: NAK, remote operational error" },
	{ .name = "SEND, receive beyond its region", .before = receive_beyond,
	  .op = { .opcode = SEND, .len = 64 },
	  .want = { .from = "REM_OP_ERR", .to = "LOC_PROT_ERR", .states = "ERR ERR",
		    .events = "to:QP_FATAL" },
	  .source = "IBA 9.9.3: NAK, remote operational error" },
	{ .name = "WRITE with immediate, no such rkey", .recvs = 1, .room = 64,
	  .op = { .opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .len = 64, .rkey = NO_KEY },
	  .want = { .from = "REM_ACCESS_ERR", .to = "LOC_QP_OP_ERR|WR_FLUSH_ERR",
		    .states = "ERR ERR", .events = "to:QP_ACCESS_ERR" },
	  .source = REMOTE_RULE },
};

const struct table keys_table = TABLE("keys", rows);
