// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What query_device, query_port and the extended queries call a maximum: it can be had, and
 * no more than it. An object that was to be had has no less than what was asked for.
 */

#define _GNU_SOURCE
#include "conform.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WRITE		IBV_WR_RDMA_WRITE
#define READ		IBV_WR_RDMA_READ
#define SEND		IBV_WR_SEND
#define LARGE		5000		/* so many objects take long */
#define QUERY_RULE	"ibv_query_device(3): at the limit it works, above it fails cleanly"
#define FAILS		"EINVAL|ENOMEM"
#define AT_AND_ABOVE	{ .calls = "ok " FAILS }

static const struct ibv_device_attr *attrs = &limits.orig_attr;

/* queue pairs */

static bool has_less(const struct ibv_qp_cap *got, const struct ibv_qp_cap *wanted)
{
	return got->max_send_wr < wanted->max_send_wr || got->max_recv_wr < wanted->max_recv_wr ||
	       got->max_send_sge < wanted->max_send_sge ||
	       got->max_recv_sge < wanted->max_recv_sge ||
	       got->max_inline_data < wanted->max_inline_data;
}

static void try_qp(struct rig *rig, struct ibv_qp_cap cap)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC, .send_cq = rig->from.cq, .recv_cq = rig->from.cq,
		.cap = cap,
	};
	struct ibv_qp *qp = ibv_create_qp(rig->from.pd, &attr);

	if (qp && has_less(&attr.cap, &cap))
		say(rig, "less");
	called_ptr(rig, qp);
	if (qp)
		ibv_destroy_qp(qp);
}

static int max_send_wr(struct rig *rig)
{
	try_qp(rig, (struct ibv_qp_cap){ .max_send_wr = attrs->max_qp_wr, .max_send_sge = 1 });
	try_qp(rig, (struct ibv_qp_cap){ .max_send_wr = attrs->max_qp_wr + 1, .max_send_sge = 1 });
	return 0;
}

static int max_recv_wr(struct rig *rig)
{
	try_qp(rig, (struct ibv_qp_cap){ .max_recv_wr = attrs->max_qp_wr, .max_recv_sge = 1 });
	try_qp(rig, (struct ibv_qp_cap){ .max_recv_wr = attrs->max_qp_wr + 1, .max_recv_sge = 1 });
	return 0;
}

static int max_send_sge(struct rig *rig)
{
	try_qp(rig, (struct ibv_qp_cap){ .max_send_wr = 1, .max_send_sge = attrs->max_sge });
	try_qp(rig, (struct ibv_qp_cap){ .max_send_wr = 1, .max_send_sge = attrs->max_sge + 1 });
	return 0;
}

static int max_recv_sge(struct rig *rig)
{
	try_qp(rig, (struct ibv_qp_cap){ .max_recv_wr = 1, .max_recv_sge = attrs->max_sge });
	try_qp(rig, (struct ibv_qp_cap){ .max_recv_wr = 1, .max_recv_sge = attrs->max_sge + 1 });
	return 0;
}

static int too_much_of_all(struct rig *rig)
{
	try_qp(rig, (struct ibv_qp_cap){ .max_send_wr = -1, .max_send_sge = 1 });
	try_qp(rig, (struct ibv_qp_cap){ .max_recv_wr = -1, .max_recv_sge = 1 });
	try_qp(rig, (struct ibv_qp_cap){ .max_send_wr = 1, .max_send_sge = -1 });
	try_qp(rig, (struct ibv_qp_cap){ .max_send_wr = 1, .max_inline_data = -1 });
	return 0;
}

/* The responder's memory in pieces of 8 bytes, by one request of the requester. */
static int move_with_elements(struct rig *rig, enum ibv_wr_opcode opcode, int num)
{
	const struct ibv_qp_cap cap = {
		.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = num, .max_recv_sge = num,
	};
	struct ibv_sge *sge = calloc(num, sizeof(*sge));
	struct ibv_send_wr wr = { .opcode = opcode, .sg_list = sge, .num_sge = num,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_recv_wr rwr = { .wr_id = rig->to.received++, .sg_list = sge, .num_sge = num };
	struct ibv_recv_wr *bad;
	int i, err;

	ibv_destroy_qp(rig->from.qp);
	ibv_destroy_qp(rig->to.qp);
	err = end_qp(&rig->from, &rig->row->how, &cap);
	if (!err)
		err = end_qp(&rig->to, &rig->row->how, &cap);
	if (!err)
		err = connect_ends(rig);
	for (i = 0; i < num; i++)
		sge[i] = part(&rig->to, 16 * i, 8);
	if (!err && opcode == SEND)
		err = ibv_post_recv(rig->to.qp, &rwr, &bad);
	for (i = 0; i < num; i++)
		sge[i] = part(&rig->from, 16 * i, 8);
	wr.wr.rdma.remote_addr = rig->raddr;
	wr.wr.rdma.rkey = rig->rkey;
	called(rig, err ? err : send_it(&rig->from, &wr));
	await(rig, &rig->from, 1);
	free(sge);
	return 0;
}

static int send_all_elements(struct rig *rig)
{
	return move_with_elements(rig, SEND, attrs->max_sge);
}

static int write_all_elements(struct rig *rig)
{
	return move_with_elements(rig, WRITE, attrs->max_sge);
}

static int read_all_elements(struct rig *rig)
{
	return move_with_elements(rig, READ, attrs->max_sge_rd);
}

/* As much as the QP says that it takes. */
static int max_inline(struct rig *rig)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct op op = { .flags = IBV_SEND_INLINE };

	if (ibv_query_qp(rig->from.qp, &attr, IBV_QP_CAP, &init) || !init.cap.max_inline_data)
		return skip(rig, "nothing inline");
	op.len = init.cap.max_inline_data;
	op.lkey = NO_KEY;		/* not looked at */
	called(rig, post_op(rig, &op));
	op.len++;
	called(rig, post_op(rig, &op));
	return 0;
}

/* Depth of READs: fields of modify_qp. */
static int modify_depth(struct rig *rig, struct end *end, int depth)
{
	struct how how = { .rd_atomic = depth, .dest_rd_atomic = depth };
	int err = set_state(end, IBV_QPS_RESET);

	return err ? err : to_state(end, &rig->to, &how, end == &rig->to ? IBV_QPS_RTR :
				    IBV_QPS_RTS);
}

static int max_qp_rd_atom(struct rig *rig)
{
	called(rig, modify_depth(rig, &rig->to, attrs->max_qp_rd_atom));
	if (attrs->max_qp_rd_atom < 255)
		called(rig, modify_depth(rig, &rig->to, attrs->max_qp_rd_atom + 1));
	return 0;
}

static int max_qp_init_rd_atom(struct rig *rig)
{
	struct how how = { .rd_atomic = attrs->max_qp_init_rd_atom };

	set_state(&rig->from, IBV_QPS_RESET);
	called(rig, to_state(&rig->from, &rig->to, &how, IBV_QPS_RTS));
	set_state(&rig->from, IBV_QPS_RESET);
	how.rd_atomic++;
	called(rig, to_state(&rig->from, &rig->to, &how, IBV_QPS_RTS));
	return 0;
}

/* All that are allowed at a time, and as many behind them. */
static int read_at_depth(struct rig *rig)
{
	struct op op = { .opcode = READ, .len = 64 };
	struct how how = rig->row->how;
	int depth = attrs->max_qp_rd_atom < attrs->max_qp_init_rd_atom ?
		    attrs->max_qp_rd_atom : attrs->max_qp_init_rd_atom;

	how.rd_atomic = depth;
	how.dest_rd_atomic = depth;
	set_state(&rig->from, IBV_QPS_RESET);
	set_state(&rig->to, IBV_QPS_RESET);
	called(rig, to_state(&rig->to, &rig->from, &how, IBV_QPS_RTS));
	called(rig, to_state(&rig->from, &rig->to, &how, IBV_QPS_RTS));
	op.count = 40;
	called(rig, post_op(rig, &op));
	return 0;
}

/* completion queues */

static int try_cq(struct rig *rig, int cqe, int vector)
{
	struct ibv_cq *cq = ibv_create_cq(rig->from.ctx, cqe, NULL, NULL, vector);

	if (cq && cq->cqe < cqe)
		say(rig, "less");
	called_ptr(rig, cq);
	if (cq)
		ibv_destroy_cq(cq);
	return 0;
}

static int max_cqe(struct rig *rig)
{
	try_cq(rig, attrs->max_cqe, 0);
	return try_cq(rig, attrs->max_cqe + 1, 0);
}

static int no_cqe(struct rig *rig)
{
	try_cq(rig, 0, 0);
	return try_cq(rig, -1, 0);
}

static int comp_vectors(struct rig *rig)
{
	try_cq(rig, 16, rig->from.ctx->num_comp_vectors - 1);
	return try_cq(rig, 16, rig->from.ctx->num_comp_vectors);
}

static int resize_cq(struct rig *rig)
{
	int err = ibv_resize_cq(rig->from.cq, 1000);

	if (err == EOPNOTSUPP || err == ENOSYS)
		return skip(rig, "CQs keep their size");
	called(rig, err);
	say(rig, rig->from.cq->cqe >= 1000 ? "enough" : "less");
	called(rig, ibv_resize_cq(rig->from.cq, attrs->max_cqe + 1));
	return 0;
}

/* shared receive queues */

static void try_srq(struct rig *rig, uint32_t wrs, uint32_t sges)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = wrs, .max_sge = sges } };
	struct ibv_srq *srq = ibv_create_srq(rig->from.pd, &attr);

	if (srq && (attr.attr.max_wr < wrs || attr.attr.max_sge < sges))
		say(rig, "less");
	called_ptr(rig, srq);
	if (srq)
		ibv_destroy_srq(srq);
}

static int max_srq_wr(struct rig *rig)
{
	try_srq(rig, attrs->max_srq_wr, 1);
	try_srq(rig, attrs->max_srq_wr + 1, 1);
	return 0;
}

static int max_srq_sge(struct rig *rig)
{
	try_srq(rig, 1, attrs->max_srq_sge);
	try_srq(rig, 1, attrs->max_srq_sge + 1);
	return 0;
}

/* memory */

static int try_mr(struct rig *rig, void *at, uint64_t len, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(rig->from.pd, at, len, access);

	called_ptr(rig, mr);
	return mr ? ibv_dereg_mr(mr) : 0;
}

/* Its last bytes can be sent from. */
static int use_end_of(struct rig *rig, char *at, uint64_t len)
{
	struct ibv_mr *mr = ibv_reg_mr(rig->from.pd, at, len, ALL_ACCESS | IBV_ACCESS_ON_DEMAND);
	struct op op = { .len = 64 };

	called_ptr(rig, mr);
	if (!mr)
		return 0;
	op.at = at + len - op.len - (char *)rig->from.buf;
	op.lkey = mr->lkey ^ rig->from.mr->lkey;
	called(rig, post_op(rig, &op));
	await(rig, &rig->from, 1);
	return ibv_dereg_mr(mr);
}

/* Nobody has so much memory, but on demand it need not be there. */
static int max_mr_size(struct rig *rig)
{
	uint64_t size = attrs->max_mr_size;
	void *at;
	int bad;

	if (size >= 1ULL << 60)
		return skip(rig, "no limit is said");
	if (!(limits.odp_caps.general_caps & IBV_ODP_SUPPORT))
		return skip(rig, "%llu GiB, and no memory on demand",
			    (unsigned long long)size >> 30);
	at = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return skip(rig, "%llu GiB of address space are not there",
			    (unsigned long long)size >> 30);
	bad = use_end_of(rig, at, size);
	try_mr(rig, at, size + 4096, ALL_ACCESS | IBV_ACCESS_ON_DEMAND);
	munmap(at, size + 4096);
	return bad;
}

static int more_than_max_mr_size(struct rig *rig)
{
	if (attrs->max_mr_size >= 1ULL << 60)
		return skip(rig, "no limit is said");
	return try_mr(rig, rig->from.buf, attrs->max_mr_size + 1, IBV_ACCESS_LOCAL_WRITE);
}

static int bad_regions(struct rig *rig)
{
	void *hole = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap((char *)hole + 4096, 4096);
	try_mr(rig, hole, 8192, ALL_ACCESS);
	try_mr(rig, hole, 4096, IBV_ACCESS_REMOTE_WRITE);
	try_mr(rig, hole, 4096, IBV_ACCESS_REMOTE_ATOMIC);
	try_mr(rig, hole, -4096UL, ALL_ACCESS);
	try_mr(rig, hole, 4096, ALL_ACCESS);
	munmap(hole, 4096);
	return 0;
}

/* Some pages, again and again: bytes that are in the address space without being there. */
static char *map_alias(uint64_t size, uint64_t piece)
{
	int fd = memfd_create("alias", 0);
	uint64_t at;
	char *map;

	map = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (fd < 0 || map == MAP_FAILED || ftruncate(fd, piece))
		return NULL;
	for (at = 0; at < size; at += piece)
		if (mmap(map + at, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED)
			return NULL;
	close(fd);
	return map;
}

static int max_msg_sz(struct rig *rig)
{
	uint64_t size = port.max_msg_sz;
	struct op op = { .len = port.max_msg_sz };
	struct ibv_mr *mr;
	char *map;

	if (!is_thorough)
		return skip(rig, "%llu MiB take long (-t)", (unsigned long long)size >> 20);
	map = map_alias(size, 16 << 20);
	mr = map ? ibv_reg_mr(rig->from.pd, map, size, ALL_ACCESS) : NULL;
	if (!mr)
		return complain(rig, "no region: %s", strerror(errno));
	rig->rkey = mr->rkey;
	rig->raddr = (uintptr_t)map;
	op.at = map - (char *)rig->from.buf;
	op.lkey = mr->lkey ^ rig->from.mr->lkey;
	called(rig, post_op(rig, &op));
	while (!rig->from.completions)
		await(rig, &rig->from, 1);
	munmap(map, size);
	return ibv_dereg_mr(mr);
}

/* how many there can be */

static void *new_pd(struct rig *rig)
{
	return ibv_alloc_pd(rig->from.ctx);
}

static void *new_cq(struct rig *rig)
{
	return ibv_create_cq(rig->from.ctx, 1, NULL, NULL, 0);
}

static void *new_qp(struct rig *rig)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_UD, .send_cq = rig->from.cq, .recv_cq = rig->from.cq,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
	};

	return ibv_create_qp(rig->from.pd, &attr);
}

static void *new_srq(struct rig *rig)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 1, .max_sge = 1 } };

	return ibv_create_srq(rig->from.pd, &attr);
}

static void *new_mr(struct rig *rig)
{
	return ibv_reg_mr(rig->from.pd, rig->from.buf, 8, 0);
}

static void *new_mw(struct rig *rig)
{
	return ibv_alloc_mw(rig->from.pd, IBV_MW_TYPE_1);
}

static void *new_ah(struct rig *rig)
{
	struct ibv_ah_attr path;

	set_path(&path, &rig->from, &rig->to);
	return ibv_create_ah(rig->from.pd, &path);
}

static const struct {
	const char *name;
	void *(*make)(struct rig *rig);
	int (*unmake)(void *object);
	size_t limit;
} kinds[] = {
#define KIND(what, destroy) \
	{ "max_" #what, new_##what, (int (*)(void *))destroy, \
	  offsetof(struct ibv_device_attr, max_##what) }
	KIND(pd, ibv_dealloc_pd), KIND(cq, ibv_destroy_cq), KIND(qp, ibv_destroy_qp),
	KIND(srq, ibv_destroy_srq), KIND(mr, ibv_dereg_mr), KIND(mw, ibv_dealloc_mw),
	KIND(ah, ibv_destroy_ah),
};

/* The kernel and others have some, too. */
static int count_objects(struct rig *rig, int kind, int limit)
{
	void **objects = calloc(limit + 1, sizeof(*objects));
	int made = 0, num, err;

	while (made <= limit && (objects[made] = kinds[kind].make(rig)))
		made++;
	err = made > limit ? 0 : errno;
	for (num = made; num--; )
		kinds[kind].unmake(objects[num]);
	free(objects);
	/* A process may have 65530 mappings, and a host so much memory. */
	if (made > 60000 && made < limit - 64 && err == ENOMEM)
		return skip(rig, "no room for more than %d of %d", made, limit);
	say(rig, made > limit ? "more" : made > limit - 64 ? "all" : "fewer");
	called(rig, err);
	return 0;
}

static int max_objects(struct rig *rig)
{
	unsigned int i, limit;

	for (i = 0; strcmp(kinds[i].name, rig->row->name); i++)
		;
	limit = *(int *)((char *)attrs + kinds[i].limit);
	if (!limit)
		return skip(rig, "has none");
	if (limit > LARGE && !is_thorough)
		return skip(rig, "%u take long (-t)", limit);
	return count_objects(rig, i, limit);
}

/* ports and tables */

static int ports(struct rig *rig)
{
	int num = limits.phys_port_cnt_ex ? (int)limits.phys_port_cnt_ex : attrs->phys_port_cnt;
	struct ibv_port_attr attr;

	called(rig, ibv_query_port(rig->from.ctx, num, &attr));
	called(rig, ibv_query_port(rig->from.ctx, num + 1, &attr));
	called(rig, ibv_query_port(rig->from.ctx, 0, &attr));
	return 0;
}

static int gid_table(struct rig *rig)
{
	union ibv_gid gid;

	called(rig, ibv_query_gid(rig->from.ctx, PORT, port.gid_tbl_len - 1, &gid));
	say(rig, ibv_query_gid(rig->from.ctx, PORT, port.gid_tbl_len, &gid) ? "refused" : "ok");
	return 0;
}

static int pkey_table(struct rig *rig)
{
	__be16 pkey;

	called(rig, ibv_query_pkey(rig->from.ctx, PORT, port.pkey_tbl_len - 1, &pkey));
	say(rig, ibv_query_pkey(rig->from.ctx, PORT, port.pkey_tbl_len, &pkey) ? "refused" : "ok");
	say(rig, port.pkey_tbl_len == attrs->max_pkeys ? "equal" : "unequal");
	return 0;
}

static int try_mtu(struct rig *rig, enum ibv_mtu mtu)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = mtu, .dest_qp_num = rig->to.qp->qp_num,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 12,
	};

	set_state(&rig->from, IBV_QPS_RESET);
	to_state(&rig->from, &rig->to, &rig->row->how, IBV_QPS_INIT);
	set_path(&attr.ah_attr, &rig->from, &rig->to);
	return ibv_modify_qp(rig->from.qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			     IBV_QP_MIN_RNR_TIMER);
}

static int active_mtu(struct rig *rig)
{
	called(rig, try_mtu(rig, port.active_mtu));
	called(rig, try_mtu(rig, port.active_mtu + 1));
	return 0;
}

/* multicast */

#define MAX_MEMBERS	512

static void multicast_gid(union ibv_gid *gid, int num)
{
	const uint8_t v4[16] = { [0] = 0xff, [1] = 0x0e, [10] = 0xff, [11] = 0xff,
				 [12] = 239, [13] = 7, [14] = num >> 8, [15] = num };

	memcpy(gid->raw, v4, sizeof(v4));
}

static int max_mcast_grp(struct rig *rig)
{
	int limit = attrs->max_mcast_grp, num, err = 0;
	union ibv_gid gid;

	if (!limit || (limit > LARGE && !is_thorough))
		return skip(rig, limit ? "%d take long (-t)" : "no multicast", limit);
	for (num = 0; !err && num <= limit; num += !err) {
		multicast_gid(&gid, num);
		err = ibv_attach_mcast(rig->from.qp, &gid, 0);
	}
	say(rig, num > limit ? "more" : num == limit ? "all" : "fewer");
	called(rig, err);
	while (num--) {
		multicast_gid(&gid, num);
		ibv_detach_mcast(rig->from.qp, &gid, 0);
	}
	return 0;
}

static int max_mcast_qp_attach(struct rig *rig)
{
	struct ibv_qp *qps[MAX_MEMBERS + 1] = {};
	const struct how ud = { .type = IBV_QPT_UD };
	int limit = attrs->max_mcast_qp_attach, num, err = 0;
	struct end member = rig->from;
	union ibv_gid gid;

	if (!limit || limit > MAX_MEMBERS)
		return skip(rig, limit ? "%d take long" : "no multicast", limit);
	multicast_gid(&gid, 0);
	for (num = 0; !err && num <= limit; num++) {
		err = end_qp(&member, &ud, &(struct ibv_qp_cap){ .max_recv_wr = 1,
							       .max_recv_sge = 1 });
		if (err)
			break;
		qps[num] = member.qp;
		to_state(&member, &member, &ud, IBV_QPS_INIT);
		err = ibv_attach_mcast(qps[num], &gid, 0);
	}
	say(rig, num == limit + 1 ? "all" : "fewer");
	called(rig, err);
	while (num-- > 0) {
		if (!qps[num])
			continue;
		ibv_detach_mcast(qps[num], &gid, 0);
		ibv_destroy_qp(qps[num]);
	}
	return 0;
}

#define BARE(title, what, results, rule) \
	{ .name = title, .how.bare = true, .act = what, .want.calls = results, .source = rule }
#define OBJECTS(title) BARE(title, max_objects, "all ENOMEM|EINVAL|ENOSPC", QUERY_RULE)

static const struct row rows[] = {
	BARE("max_qp_wr, sends", max_send_wr, "ok " FAILS, QUERY_RULE),
	BARE("max_qp_wr, receives", max_recv_wr, "ok " FAILS, QUERY_RULE),
	BARE("max_sge, sends", max_send_sge, "ok " FAILS, QUERY_RULE),
	BARE("max_sge, receives", max_recv_sge, "ok " FAILS, QUERY_RULE),
	BARE("QPs of more than can be", too_much_of_all,
	     FAILS "*4", QUERY_RULE),
	{ .name = "SEND of max_sge elements into as many", .act = send_all_elements,
	  .want = { .from = "SUCCESS", .to = "SUCCESS" }, .source = QUERY_RULE },
	{ .name = "WRITE of max_sge elements", .act = write_all_elements,
	  .want = { .from = "SUCCESS" }, .source = QUERY_RULE },
	{ .name = "READ into max_sge_rd elements", .act = read_all_elements,
	  .want = { .from = "SUCCESS" }, .source = QUERY_RULE },
	{ .name = "max_inline_data of the QP", .act = max_inline,
	  .want = { .calls = "ok " FAILS, .from = "SUCCESS" },
	  .source = "ibv_create_qp(3); mlx5 qp.c, set_data_inl_seg(): ENOMEM" },
	{ .name = "max_qp_rd_atom", .how.to = AT(IBV_QPS_RESET), .act = max_qp_rd_atom,
	  .want = { .calls = "ok EINVAL", .states = "RTS INIT" }, .source = QUERY_RULE },
	{ .name = "max_qp_init_rd_atom", .act = max_qp_init_rd_atom,
	  .want = { .calls = "ok EINVAL", .states = "RTR RTS" }, .source = QUERY_RULE },
	{ .name = "READs at the largest depth", .how.wrs = 64, .act = read_at_depth,
	  .want = { .calls = "ok*3", .from = "SUCCESS*40" }, .source = QUERY_RULE },

	BARE("max_cqe", max_cqe, "ok EINVAL", QUERY_RULE),
	BARE("CQs of nothing", no_cqe, "EINVAL*2", "ibv_create_cq(3); mlx5 verbs.c: EINVAL"),
	BARE("num_comp_vectors", comp_vectors, "ok EINVAL", "ibv_create_cq(3)"),
	BARE("CQ resized", resize_cq, "ok enough EINVAL", "ibv_resize_cq(3)"),
	BARE("max_srq_wr", max_srq_wr, "ok " FAILS, QUERY_RULE),
	BARE("max_srq_sge", max_srq_sge, "ok " FAILS, QUERY_RULE),

	{ .name = "max_mr_size", .act = max_mr_size,
	  .want = { .calls = "ok*2 EINVAL|ENOMEM|EFAULT", .from = "SUCCESS" },
	  .source = QUERY_RULE },
	BARE("more than max_mr_size", more_than_max_mr_size, "EINVAL|ENOMEM|EFAULT", QUERY_RULE),
	BARE("regions that cannot be", bad_regions,
	     "EFAULT|ENOMEM EINVAL*2 EINVAL|ENOMEM|EFAULT|EOVERFLOW ok",
	     "ibv_reg_mr(3); the kernel's ib_check_mr_access()"),

	OBJECTS("max_pd"), OBJECTS("max_cq"), OBJECTS("max_qp"), OBJECTS("max_srq"),
	OBJECTS("max_mr"), OBJECTS("max_mw"), OBJECTS("max_ah"),

	BARE("phys_port_cnt", ports, "ok EINVAL*2", "ibv_query_port(3)"),
	BARE("gid_tbl_len", gid_table, "ok refused", "ibv_query_port(3)"),
	BARE("pkey_tbl_len, max_pkeys", pkey_table, "ok refused equal", "ibv_query_port(3)"),
	{ .name = "max_msg_sz", .act = max_msg_sz, .want.from = "SUCCESS",
	  .source = "ibv_query_port(3); above it: keys/WRITE of more than 2 GiB" },
	{ .name = "active_mtu", .act = active_mtu,
	  .want = { .calls = "ok EINVAL", .states = "INIT RTS" }, .source = "IBA 11.2, modify QP" },
	{ .name = "max_mcast_grp", .how.type = IBV_QPT_UD, .act = max_mcast_grp,
	  .want.calls = "all ENOMEM|EINVAL|ENOSPC", .source = QUERY_RULE },
	BARE("max_mcast_qp_attach", max_mcast_qp_attach, "all ENOMEM|EINVAL|ENOSPC", QUERY_RULE),
};

const struct table limits_table = TABLE("limits", rows);
