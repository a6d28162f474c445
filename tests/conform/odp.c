// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory on demand: for each bit of the extended query one operation that needs it. */

#include "conform.h"
#include <errno.h>
#include <string.h>

#define DEMAND		(ALL_ACCESS | IBV_ACCESS_ON_DEMAND)
#define ODP_RULE	"ibv_query_device_ex(3), ibv_reg_mr(3)"
#define SEND		IBV_WR_SEND

static uint32_t odp_caps(const struct how *how)
{
	switch (how->type) {
	case IBV_QPT_UD:
		return limits.odp_caps.per_transport_caps.ud_odp_caps;
	case IBV_QPT_UC:
		return limits.odp_caps.per_transport_caps.uc_odp_caps;
	default:
		return limits.odp_caps.per_transport_caps.rc_odp_caps;
	}
}

/* What the row does is known by where the memory on demand is, and by the opcode. */
static uint32_t needed_cap(const struct row *row)
{
	if (row->recvs && row->how.mr_access)
		return row->how.srq ? IBV_ODP_SUPPORT_SRQ_RECV : IBV_ODP_SUPPORT_RECV;
	switch (row->op.opcode) {
	case IBV_WR_RDMA_WRITE:
		return IBV_ODP_SUPPORT_WRITE;
	case IBV_WR_RDMA_READ:
		return IBV_ODP_SUPPORT_READ;
	case IBV_WR_SEND:
		return IBV_ODP_SUPPORT_SEND;
	default:
		return IBV_ODP_SUPPORT_ATOMIC;
	}
}

static int needs_cap(struct rig *rig)
{
	if (!(limits.odp_caps.general_caps & IBV_ODP_SUPPORT))
		return skip(rig, "no memory on demand");
	if (!(odp_caps(&rig->row->how) & needed_cap(rig->row)))
		return skip(rig, "not reported");
	return 0;
}

static int needs_implicit(struct rig *rig)
{
	return limits.odp_caps.general_caps & IBV_ODP_SUPPORT_IMPLICIT ? 0 :
	       skip(rig, "not reported");
}

/* A region of the whole address space, at both ends. */
static int use_all_memory(struct rig *rig)
{
	struct ibv_mr *mr = ibv_reg_mr(rig->to.pd, NULL, SIZE_MAX, DEMAND);
	struct op op = rig->row->op;

	if (!mr)
		return complain(rig, "no region: %s", strerror(errno));
	rig->rkey = mr->rkey;
	op.lkey = mr->lkey ^ rig->from.mr->lkey;
	memset(rig->from.buf, 0x5a, 5000);
	called(rig, post_op(rig, &op));
	await(rig, &rig->from, 1);
	say(rig, memcmp(rig->from.buf, rig->to.buf, 5000) ? "wrong" : "right");
	return ibv_dereg_mr(mr);
}

static int register_without_odp(struct rig *rig)
{
	struct ibv_mr *mr;

	if (limits.odp_caps.general_caps & IBV_ODP_SUPPORT)
		return skip(rig, "reported");
	mr = ibv_reg_mr(rig->from.pd, rig->from.buf, MEMORY, DEMAND);
	say(rig, mr ? "ok" : "refused");
	return mr ? ibv_dereg_mr(mr) : 0;
}

#define FROM_DEMAND(title, kind, verb, length, num)				\
	{ .name = title, .needs = needs_cap,					\
	  .how = { .type = kind, .from_access = DEMAND }, .recvs = num, .room = MEMORY, \
	  .op = { .opcode = verb, .len = length },				\
	  .want = { .from = "SUCCESS", .to = num ? "SUCCESS" : "" }, .source = ODP_RULE }

#define TO_DEMAND(title, kind, shared, length)					\
	{ .name = title, .needs = needs_cap,					\
	  .how = { .type = kind, .srq = shared, .mr_access = DEMAND }, .recvs = 1, \
	  .room = MEMORY, .op = { .opcode = SEND, .len = length },		\
	  .want = { .from = "SUCCESS", .to = "SUCCESS" }, .source = ODP_RULE }

static const struct row rows[] = {
	FROM_DEMAND("RC: SEND", 0, SEND, 5000, 1),
	FROM_DEMAND("RC: WRITE", 0, IBV_WR_RDMA_WRITE, 5000, 0),
	FROM_DEMAND("RC: READ", 0, IBV_WR_RDMA_READ, 5000, 0),
	FROM_DEMAND("RC: CAS", 0, IBV_WR_ATOMIC_CMP_AND_SWP, 8, 0),
	TO_DEMAND("RC: receive", 0, false, 5000),
	TO_DEMAND("RC: receive of an SRQ", 0, true, 5000),
	FROM_DEMAND("UC: SEND", IBV_QPT_UC, SEND, 5000, 1),
	FROM_DEMAND("UC: WRITE", IBV_QPT_UC, IBV_WR_RDMA_WRITE, 5000, 0),
	TO_DEMAND("UC: receive", IBV_QPT_UC, false, 5000),
	TO_DEMAND("UC: receive of an SRQ", IBV_QPT_UC, true, 5000),
	FROM_DEMAND("UD: SEND", IBV_QPT_UD, SEND, 64, 1),
	TO_DEMAND("UD: receive", IBV_QPT_UD, false, 64),
	TO_DEMAND("UD: receive of an SRQ", IBV_QPT_UD, true, 64),
	{ .name = "RC: WRITE 1 byte beyond", .needs = needs_cap,
	  .how = { .from_access = DEMAND, .mr_access = DEMAND },
	  .op = { .len = 64, .to = MEMORY - 63 },
	  .want = { .from = "REM_ACCESS_ERR", .states = "ERR ERR",
		    .events = "to:QP_ACCESS_ERR" }, .source = ODP_RULE },
	{ .name = "IMPLICIT", .needs = needs_implicit, .op = { .len = 5000 },
	  .act = use_all_memory, .want = { .calls = "ok right", .from = "SUCCESS" },
	  .source = ODP_RULE },
	{ .name = "none", .how.bare = true, .act = register_without_odp,
	  .want.calls = "refused", .source = ODP_RULE },
};

const struct table odp_table = TABLE("odp", rows);
