// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the device says it can do: for each capability one operation that works with it.
 * What it does not say is refused, or not asked for here.
 */

#include "conform.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CAP_RULE	"ibv_query_device(3)"
#define CAP_EX_RULE	"ibv_query_device_ex(3)"
/* <rdma/ib_user_verbs.h> has these, older verbs.h has not. */
#define FLUSH_GLOBAL	(1ULL << 38)
#define ATOMIC_WRITE	(1ULL << 40)

static uint64_t caps(void)
{
	return limits.device_cap_flags_ex | limits.orig_attr.device_cap_flags;
}

#define NEEDS(name, bit)						\
	static int needs_##name(struct rig *rig)			\
	{								\
		return caps() & (bit) ? 0 : skip(rig, "not reported");	\
	}

NEEDS(qkey_counter, IBV_DEVICE_BAD_QKEY_CNTR)
NEEDS(pkey_counter, IBV_DEVICE_BAD_PKEY_CNTR)
NEEDS(guid, IBV_DEVICE_SYS_IMAGE_GUID)
NEEDS(rnr_nak, IBV_DEVICE_RC_RNR_NAK_GEN)
NEEDS(port_event, IBV_DEVICE_PORT_ACTIVE_EVENT)
NEEDS(srq_resize, IBV_DEVICE_SRQ_RESIZE)
NEEDS(extensions, IBV_DEVICE_MEM_MGT_EXTENSIONS)
NEEDS(window, IBV_DEVICE_MEM_WINDOW)
NEEDS(window_2b, IBV_DEVICE_MEM_WINDOW_TYPE_2B)
NEEDS(xrc, IBV_DEVICE_XRC)
NEEDS(flush, FLUSH_GLOBAL)
NEEDS(atomic_write, ATOMIC_WRITE)

/* What has a case of its own below. */
#define TESTED (IBV_DEVICE_BAD_QKEY_CNTR | IBV_DEVICE_BAD_PKEY_CNTR |		\
		IBV_DEVICE_SYS_IMAGE_GUID | IBV_DEVICE_RC_RNR_NAK_GEN |		\
		IBV_DEVICE_PORT_ACTIVE_EVENT | IBV_DEVICE_SRQ_RESIZE |		\
		IBV_DEVICE_MEM_MGT_EXTENSIONS | IBV_DEVICE_MEM_WINDOW |		\
		IBV_DEVICE_MEM_WINDOW_TYPE_2B | IBV_DEVICE_XRC | FLUSH_GLOBAL | ATOMIC_WRITE)

static int untested_bits(struct rig *rig)
{
	char word[32];

	snprintf(word, sizeof(word), "0x%llx", (unsigned long long)(caps() & ~(uint64_t)TESTED));
	say(rig, word);
	return 0;
}

/* Also those of which there is more than one way to ask. */
static int queries_agree(struct rig *rig)
{
	struct ibv_device_attr attr;

	called(rig, ibv_query_device(rig->from.ctx, &attr));
	say(rig, memcmp(&attr, &limits.orig_attr, sizeof(attr)) ? "differ" : "agree");
	say(rig, limits.device_cap_flags_ex &&
		 (uint32_t)limits.device_cap_flags_ex != attr.device_cap_flags ?
		 "differ" : "agree");
	return 0;
}

static int guids(struct rig *rig)
{
	say(rig, limits.orig_attr.node_guid ? "guid" : "none");
	say(rig, limits.orig_attr.sys_image_guid ? "guid" : "none");
	say(rig, ibv_get_device_guid(rig->from.ctx->device) == limits.orig_attr.node_guid ?
		 "equal" : "unequal");
	return 0;
}

static int count_bad_qkey(struct rig *rig)
{
	struct ibv_port_attr before, after;
	int i;

	called(rig, ibv_query_port(rig->to.ctx, PORT, &before));
	called(rig, post_op(rig, &rig->row->op));
	await(rig, &rig->from, 1);
	for (i = 0; i < 100; i++) {
		ibv_query_port(rig->to.ctx, PORT, &after);
		if (after.qkey_viol_cntr != before.qkey_viol_cntr)
			break;
		usleep(10000);
	}
	say(rig, after.qkey_viol_cntr == before.qkey_viol_cntr + 1 ? "counted" : "uncounted");
	return 0;
}

/* No verb sends a foreign P_Key: only that it does not count others. */
static int count_bad_pkey(struct rig *rig)
{
	struct ibv_port_attr before, after;

	called(rig, ibv_query_port(rig->to.ctx, PORT, &before));
	called(rig, post_op(rig, &rig->row->op));
	await(rig, &rig->from, 1);
	called(rig, ibv_query_port(rig->to.ctx, PORT, &after));
	say(rig, after.bad_pkey_cntr == before.bad_pkey_cntr ? "same" : "counted");
	return 0;
}

static bool port_event_comes(struct ibv_context *ctx, enum ibv_event_type type)
{
	struct pollfd wait = { .fd = ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	bool found = false;

	while (!found && poll(&wait, 1, 3000) > 0 && !ibv_get_async_event(ctx, &event)) {
		found = event.event_type == type && event.element.port_num == PORT;
		ibv_ack_async_event(&event);
	}
	return found;
}

static int wait_for_gid(struct rig *rig)
{
	union ibv_gid gid, none = {};
	int i;

	for (i = 0; i < 200; i++) {
		if (!ibv_query_gid(rig->from.ctx, PORT, rig->from.gid_index, &gid) &&
		    memcmp(&gid, &none, sizeof(gid)))
			return 0;
		usleep(10000);
	}
	return complain(rig, "the GID does not come back");
}

static int port_goes_and_comes(struct rig *rig)
{
	if (!link_command)
		return skip(rig, "no command for the link (-k)");
	called(rig, system(link_command));
	say(rig, port_event_comes(rig->from.ctx, IBV_EVENT_PORT_ERR) ? "down" : "silent");
	say(rig, port_event_comes(rig->from.ctx, IBV_EVENT_PORT_ACTIVE) ? "up" : "silent");
	return wait_for_gid(rig);
}

static int resize_srq(struct rig *rig)
{
	struct ibv_srq_attr attr = { .max_wr = 100 };

	called(rig, ibv_modify_srq(rig->to.srq, &attr, IBV_SRQ_MAX_WR));
	called(rig, ibv_query_srq(rig->to.srq, &attr));
	say(rig, attr.max_wr >= 100 ? "enough" : "less");
	called(rig, receive(&rig->to, 64, 100));
	called(rig, post_op(rig, &rig->row->op));
	attr.max_wr = limits.orig_attr.max_srq_wr + 1;
	called(rig, ibv_modify_srq(rig->to.srq, &attr, IBV_SRQ_MAX_WR));
	return 0;
}

/* A window by its type, used once. */
static int bind_and_write(struct rig *rig, enum ibv_mw_type type)
{
	struct ibv_mw_bind_info info = { rig->to.mr, (uintptr_t)rig->to.buf, MEMORY,
					 IBV_ACCESS_REMOTE_WRITE };
	struct ibv_mw_bind bind = { .wr_id = rig->to.sent, .send_flags = IBV_SEND_SIGNALED,
				    .bind_info = info };
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED };

	rig->mw = ibv_alloc_mw(rig->to.pd, type);
	if (!rig->mw)
		return complain(rig, "no window: %s", strerror(errno));
	wr.bind_mw.mw = rig->mw;
	wr.bind_mw.rkey = ibv_inc_rkey(rig->mw->rkey);
	wr.bind_mw.bind_info = info;
	if (type == IBV_MW_TYPE_1) {
		called(rig, ibv_bind_mw(rig->to.qp, rig->mw, &bind));
		rig->to.sent++;
	} else {
		called(rig, send_it(&rig->to, &wr));
		rig->mw->rkey = wr.bind_mw.rkey;
	}
	await(rig, &rig->to, 1);
	rig->rkey = rig->mw->rkey;
	called(rig, post_op(rig, &rig->row->op));
	return 0;
}

static int use_window_1(struct rig *rig)
{
	return bind_and_write(rig, IBV_MW_TYPE_1);
}

static int use_window_2(struct rig *rig)
{
	return bind_and_write(rig, IBV_MW_TYPE_2);
}

/* SEND with invalidate of a window: the completion says which key. */
static int invalidate_remotely(struct rig *rig)
{
	struct op inv = { .opcode = IBV_WR_SEND_WITH_INV, .len = 64 };
	int bad = bind_and_write(rig, IBV_MW_TYPE_2);

	if (!bad)
		called(rig, post_op(rig, &inv));
	return bad;
}

/* XRC: both ends and the queue are here, and go here. */

struct xrc {
	struct ibv_xrcd *xrcd;
	struct ibv_srq *srq;
	struct ibv_qp *tgt;
};

static int xrc_open(struct rig *rig, struct xrc *xrc)
{
	struct ibv_xrcd_init_attr domain = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, .oflags = O_CREAT,
	};
	struct ibv_srq_init_attr_ex srq = {
		.attr = { .max_wr = 4, .max_sge = 1 }, .srq_type = IBV_SRQT_XRC,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD,
		.cq = rig->to.cq, .pd = rig->to.pd,
	};
	struct ibv_qp_init_attr_ex tgt = {
		.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD,
	};
	struct ibv_qp_init_attr_ex ini = {
		.qp_type = IBV_QPT_XRC_SEND, .comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = rig->from.pd, .send_cq = rig->from.cq,
		.cap = { .max_send_wr = 4, .max_send_sge = 1 },
	};

	xrc->xrcd = ibv_open_xrcd(rig->to.ctx, &domain);
	srq.xrcd = xrc->xrcd;
	tgt.xrcd = xrc->xrcd;
	xrc->srq = xrc->xrcd ? ibv_create_srq_ex(rig->to.ctx, &srq) : NULL;
	xrc->tgt = xrc->srq ? ibv_create_qp_ex(rig->to.ctx, &tgt) : NULL;
	rig->from.qp = xrc->tgt ? ibv_create_qp_ex(rig->from.ctx, &ini) : NULL;
	return rig->from.qp ? 0 : errno;
}

static void xrc_close(struct rig *rig, struct xrc *xrc)
{
	if (rig->from.qp)
		ibv_destroy_qp(rig->from.qp);
	rig->from.qp = NULL;
	if (xrc->tgt)
		ibv_destroy_qp(xrc->tgt);
	if (xrc->srq)
		ibv_destroy_srq(xrc->srq);
	if (xrc->xrcd)
		ibv_close_xrcd(xrc->xrcd);
}

static int xrc_send(struct rig *rig, struct xrc *xrc)
{
	struct ibv_sge sge = part(&rig->from, 0, 64);
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1,
				  .send_flags = IBV_SEND_SIGNALED };
	uint32_t srqn = 0;

	ibv_get_srq_num(xrc->srq, &srqn);
	wr.qp_type.xrc.remote_srqn = srqn;
	rig->to.srq = xrc->srq;
	called(rig, receive(&rig->to, 64, 1));
	rig->to.srq = NULL;
	called(rig, send_it(&rig->from, &wr));
	await(rig, &rig->from, 1);
	await(rig, &rig->to, 1);
	return 0;
}

static int use_xrc(struct rig *rig)
{
	const struct how rc = {};
	struct xrc xrc = {};
	int err = xrc_open(rig, &xrc);

	rig->to.qp = xrc.tgt;
	if (!err)
		err = to_state(&rig->to, &rig->from, &rc, IBV_QPS_RTR);
	if (!err)
		err = to_state(&rig->from, &rig->to, &rc, IBV_QPS_RTS);
	called(rig, err);
	if (!err)
		xrc_send(rig, &xrc);
	rig->to.qp = NULL;
	xrc_close(rig, &xrc);
	return 0;
}

#if defined(HAVE_ATOMIC_WRITE) || defined(HAVE_FLUSH)
/* The extended posting calls, for what there is no other way to post. */

static struct ibv_qp_ex *new_qp_ex(struct rig *rig, uint64_t ops)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC, .send_cq = rig->from.cq, .recv_cq = rig->from.cq,
		.cap = { .max_send_wr = 4, .max_send_sge = 1, .max_inline_data = 16 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = rig->from.pd, .send_ops_flags = ops,
	};

	ibv_destroy_qp(rig->from.qp);
	rig->from.qp = ibv_create_qp_ex(rig->from.ctx, &attr);
	if (!rig->from.qp)
		return NULL;
	set_state(&rig->to, IBV_QPS_RESET);
	if (to_state(&rig->to, &rig->from, &rig->row->how, IBV_QPS_RTS) ||
	    to_state(&rig->from, &rig->to, &rig->row->how, IBV_QPS_RTS))
		return NULL;
	return ibv_qp_to_qp_ex(rig->from.qp);
}

static void begin(struct rig *rig, struct ibv_qp_ex *qp)
{
	ibv_wr_start(qp);
	qp->wr_id = rig->from.sent++;
	qp->wr_flags = IBV_SEND_SIGNALED;
}
#endif

#ifdef HAVE_ATOMIC_WRITE
static int write_atomically(struct rig *rig)
{
	struct ibv_qp_ex *qp = new_qp_ex(rig, IBV_QP_EX_WITH_ATOMIC_WRITE);
	const uint64_t value = 0x1122334455667788;

	if (!qp)
		return complain(rig, "no QP for it: %s", strerror(errno));
	begin(rig, qp);
	ibv_wr_atomic_write(qp, rig->rkey, rig->raddr + 8, &value);
	called(rig, ibv_wr_complete(qp));
	await(rig, &rig->from, 1);
	say(rig, memcmp(rig->to.buf + 8, &value, sizeof(value)) ? "wrong" : "right");
	return 0;
}
#else
static int write_atomically(struct rig *rig)
{
	return skip(rig, "this rdma-core has no call for it");
}
#endif

#ifdef HAVE_FLUSH
static int flush_memory(struct rig *rig)
{
	struct ibv_qp_ex *qp = new_qp_ex(rig, IBV_QP_EX_WITH_FLUSH);

	if (!qp)
		return complain(rig, "no QP for it: %s", strerror(errno));
	begin(rig, qp);
	ibv_wr_flush(qp, rig->rkey, rig->raddr, 64, IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE);
	called(rig, ibv_wr_complete(qp));
	return 0;
}
#define FLUSH_ACCESS	(ALL_ACCESS | IBV_ACCESS_FLUSH_GLOBAL)
#else
static int flush_memory(struct rig *rig)
{
	return skip(rig, "this rdma-core has no call for it");
}
#define FLUSH_ACCESS	ALL_ACCESS
#endif

/* The words are those of the one host that has both ends. */
static int compute(struct rig *rig)
{
	uint64_t *there = (uint64_t *)rig->to.buf, *here = (uint64_t *)rig->from.buf;
	struct op add = { .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .len = 8 };
	struct op swap = { .opcode = IBV_WR_ATOMIC_CMP_AND_SWP, .len = 8 };

	if (limits.orig_attr.atomic_cap == IBV_ATOMIC_NONE)
		return skip(rig, "no atomics");
	*there = 41;
	called(rig, post_op(rig, &add));		/* adds 1 */
	await(rig, &rig->from, 1);
	say(rig, *here == 41 && *there == 42 ? "right" : "wrong");
	called(rig, post_op(rig, &swap));		/* 1 is not there: no change */
	await(rig, &rig->from, 2);
	say(rig, *here == 42 && *there == 42 ? "right" : "wrong");
	*there = 1;
	called(rig, post_op(rig, &swap));		/* 1 is there, and becomes 0 */
	await(rig, &rig->from, 3);
	say(rig, *here == 1 && *there == 0 ? "right" : "wrong");
	return 0;
}

/* completions */

static int stamp(struct rig *rig, struct ibv_cq_ex *cq, uint64_t *ts)
{
	struct ibv_poll_cq_attr attr = {};
	double end = now() + 3;
	int err;

	called(rig, post_op(rig, &rig->row->op));
	do
		err = ibv_start_poll(cq, &attr);
	while (err == ENOENT && now() < end);
	if (err)
		return complain(rig, "no completion");
	*ts = ibv_wc_read_completion_ts(cq);
	say(rig, status_name(cq->status));
	ibv_end_poll(cq);
	return 0;
}

/* 50 ms apart, by the clock whose rate is reported. */
static void judge_stamps(struct rig *rig, uint64_t first, uint64_t second)
{
	double ms = (double)((second - first) & limits.completion_timestamp_mask) /
		    limits.hca_core_clock;

	say(rig, ms > 49 && ms < 2000 ? "right" : "wrong");
}

static int read_stamps(struct rig *rig)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 16, .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
	uint64_t first, second = 0;
	struct ibv_cq_ex *cq;
	int bad;

	if (!limits.completion_timestamp_mask || !limits.hca_core_clock)
		return skip(rig, "not reported");
	cq = ibv_create_cq_ex(rig->from.ctx, &attr);
	if (!cq)
		return complain(rig, "no CQ for it: %s", strerror(errno));
	ibv_destroy_qp(rig->from.qp);
	ibv_destroy_cq(rig->from.cq);
	rig->from.cq = ibv_cq_ex_to_cq(cq);
	set_state(&rig->to, IBV_QPS_RESET);
	if (end_qp(&rig->from, &rig->row->how, NULL) || connect_ends(rig))
		return complain(rig, "connecting again");
	bad = stamp(rig, cq, &first);
	usleep(50000);
	bad = bad ? bad : stamp(rig, cq, &second);
	if (!bad)
		judge_stamps(rig, first, second);
	return bad;
}

static int read_clock(struct rig *rig)
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	int err = ibv_query_rt_values_ex(rig->from.ctx, &values);

	if (!limits.hca_core_clock)
		return skip(rig, "not reported");
	called(rig, err);
	say(rig, values.comp_mask & IBV_VALUES_MASK_RAW_CLOCK ? "clock" : "none");
	return 0;
}

/* An event of each vector there is. */
static int use_vectors(struct rig *rig)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(rig->from.ctx);
	int i, num = rig->from.ctx->num_comp_vectors;
	struct ibv_cq *cq, *told = NULL;
	void *context;

	ibv_destroy_qp(rig->from.qp);
	ibv_destroy_cq(rig->from.cq);
	for (i = 0; i < num && i < 8; i++) {
		cq = ibv_create_cq(rig->from.ctx, 16, NULL, channel, i);
		rig->from.cq = cq;
		set_state(&rig->to, IBV_QPS_RESET);
		if (!cq || end_qp(&rig->from, &rig->row->how, NULL) || connect_ends(rig))
			return complain(rig, "vector %d", i);
		ibv_req_notify_cq(cq, 0);
		if (post_op(rig, &rig->row->op))
			return complain(rig, "posting");
		alarm(10);
		ibv_get_cq_event(channel, &told, &context);
		ibv_ack_cq_events(told, 1);
		if (told != cq)
			return complain(rig, "the event is another CQ's");
		ibv_destroy_qp(rig->from.qp);
		ibv_destroy_cq(cq);
	}
	say(rig, "all");
	rig->from.qp = NULL;
	rig->from.cq = NULL;
	ibv_destroy_comp_channel(channel);
	return 0;
}

/* What is reported as nothing is refused. */

static int moderate_cq(struct rig *rig)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE, .moderate = { 4, 100 },
	};

	if (limits.cq_mod_caps.max_cq_count)
		return skip(rig, "reported, and its effect is not to be seen");
	say(rig, ibv_modify_cq(rig->from.cq, &attr) ? "refused" : "ok");
	return 0;
}

static int make_wq(struct rig *rig)
{
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ, .max_wr = 4, .max_sge = 1, .pd = rig->from.pd,
		.cq = rig->from.cq,
	};
	struct ibv_wq *wq;

	if (limits.max_wq_type_rq)
		return skip(rig, "reported");
	wq = ibv_create_wq(rig->from.ctx, &attr);
	say(rig, wq ? "ok" : "refused");
	return wq ? ibv_destroy_wq(wq) : 0;
}

static int make_tag_matching_srq(struct rig *rig)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 4, .max_sge = 1 }, .srq_type = IBV_SRQT_TM,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_CQ |
			     IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TM,
		.cq = rig->from.cq, .pd = rig->from.pd, .tm_cap = { 4, 4 },
	};
	struct ibv_srq *srq;

	if (limits.tm_caps.max_num_tags)
		return skip(rig, "reported");
	srq = ibv_create_srq_ex(rig->from.ctx, &attr);
	say(rig, srq ? "ok" : "refused");
	return srq ? ibv_destroy_srq(srq) : 0;
}

static int make_dm(struct rig *rig)
{
	struct ibv_alloc_dm_attr attr = { .length = 64 };
	struct ibv_dm *dm;

	if (limits.max_dm_size)
		return skip(rig, "reported");
	dm = ibv_alloc_dm(rig->from.ctx, &attr);
	say(rig, dm ? "ok" : "refused");
	return dm ? ibv_free_dm(dm) : 0;
}

static int make_raw_qp(struct rig *rig)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RAW_PACKET, .send_cq = rig->from.cq, .recv_cq = rig->from.cq,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
	};
	struct ibv_qp *qp;

	if (limits.raw_packet_caps)
		return skip(rig, "reported");
	qp = ibv_create_qp(rig->from.pd, &attr);
	say(rig, qp ? "ok" : "refused");
	return qp ? ibv_destroy_qp(qp) : 0;
}

static int set_alternate_path(struct rig *rig)
{
	struct ibv_qp_attr attr = { .path_mig_state = IBV_MIG_REARM, .alt_port_num = PORT };

	if (caps() & IBV_DEVICE_AUTO_PATH_MIG)
		return skip(rig, "reported, and not tested here");
	set_path(&attr.alt_ah_attr, &rig->from, &rig->to);
	say(rig, ibv_modify_qp(rig->from.qp, &attr, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE) ?
		 "refused" : "ok");
	return 0;
}

#define WRITE_64	.op = { .len = 64 }

static const struct row rows[] = {
	{ .name = "no bit without a case", .how.bare = true, .act = untested_bits,
	  .want.calls = "0x0", .source = CAP_EX_RULE },
	{ .name = "queries agree", .how.bare = true, .act = queries_agree,
	  .want.calls = "ok agree*2", .source = CAP_EX_RULE },
	{ .name = "BAD_QKEY_CNTR", .needs = needs_qkey_counter, .how.type = IBV_QPT_UD,
	  .recvs = 1, .room = MEMORY, .op = { .opcode = IBV_WR_SEND, .len = 16, .qkey = 1 },
	  .act = count_bad_qkey,
	  .want = { .calls = "ok*2 counted", .from = "SUCCESS" }, .source = CAP_RULE },
	{ .name = "BAD_PKEY_CNTR", .needs = needs_pkey_counter, WRITE_64, .act = count_bad_pkey,
	  .want = { .calls = "ok*3 same", .from = "SUCCESS" }, .source = CAP_RULE },
	{ .name = "SYS_IMAGE_GUID", .needs = needs_guid, .how.bare = true, .act = guids,
	  .want.calls = "guid*2 equal", .source = CAP_RULE },
	{ .name = "RC_RNR_NAK_GEN", .needs = needs_rnr_nak, .how.rnr_retry = NONE,
	  .op = { .opcode = IBV_WR_SEND, .len = 64 },
	  .want = { .from = "RNR_RETRY_EXC_ERR", .states = "ERR RTS" }, .source = CAP_RULE },
	{ .name = "PORT_ACTIVE_EVENT", .needs = needs_port_event, .how.bare = true,
	  .act = port_goes_and_comes, .want.calls = "ok down up", .source = CAP_RULE },
	{ .name = "SRQ_RESIZE", .needs = needs_srq_resize, .how.srq = true,
	  .op = { .opcode = IBV_WR_SEND, .len = 64 }, .act = resize_srq,
	  .want = { .calls = "ok*2 enough ok*2 EINVAL|ENOMEM", .from = "SUCCESS",
		    .to = "SUCCESS" }, .source = "ibv_modify_srq(3)" },
	{ .name = "MEM_WINDOW", .needs = needs_window,
	  .how.mr_access = ALL_ACCESS | IBV_ACCESS_MW_BIND, WRITE_64, .act = use_window_1,
	  .want = { .calls = "ok*2", .from = "SUCCESS", .to = "SUCCESS" },
	  .source = "ibv_bind_mw(3)" },
	{ .name = "MEM_WINDOW_TYPE_2B", .needs = needs_window_2b,
	  .how.mr_access = ALL_ACCESS | IBV_ACCESS_MW_BIND, WRITE_64, .act = use_window_2,
	  .want = { .calls = "ok*2", .from = "SUCCESS", .to = "SUCCESS" },
	  .source = "ibv_alloc_mw(3)" },
	{ .name = "MEM_MGT_EXTENSIONS", .needs = needs_extensions, .recvs = 1, .room = 64,
	  .how.mr_access = ALL_ACCESS | IBV_ACCESS_MW_BIND, WRITE_64,
	  .act = invalidate_remotely,
	  .want = { .calls = "ok*3", .from = "SUCCESS*2", .to = "SUCCESS*2" },
	  .source = "ibv_post_send(3)" },
	{ .name = "XRC", .needs = needs_xrc, .how.bare = true, .act = use_xrc,
	  .want = { .calls = "ok*3", .from = "SUCCESS", .to = "SUCCESS",
		    .events = "to:COMM_EST" },
	  .source = "ibv_open_xrcd(3)" },
	{ .name = "FLUSH_GLOBAL", .needs = needs_flush,
	  .how = { .mr_access = FLUSH_ACCESS, .access = FLUSH_ACCESS }, .act = flush_memory,
	  .want = { .from = "SUCCESS" }, .source = "IBA A19, ibv_wr_post(3)" },
	{ .name = "ATOMIC_WRITE", .needs = needs_atomic_write, .act = write_atomically,
	  .want = { .calls = "ok right", .from = "SUCCESS" },
	  .source = "IBA A19, ibv_wr_post(3)" },
	{ .name = "atomic_cap", .act = compute,
	  .want = { .calls = "ok right ok right ok right", .from = "SUCCESS*3" },
	  .source = CAP_RULE },
	{ .name = "completion_timestamp_mask, hca_core_clock", WRITE_64, .act = read_stamps,
	  .want.calls = "ok SUCCESS ok SUCCESS right", .source = "ibv_create_cq_ex(3)" },
	{ .name = "raw clock", .how.bare = true, .act = read_clock,
	  .want.calls = "ok clock", .source = "ibv_query_rt_values_ex(3)" },
	{ .name = "num_comp_vectors", WRITE_64, .act = use_vectors,
	  .want = { .calls = "all", .states = "- RTS" },
	  .source = "ibv_create_cq(3)" },
	{ .name = "no cq_mod_caps", .how.bare = true, .act = moderate_cq,
	  .want.calls = "refused", .source = CAP_EX_RULE },
	{ .name = "no max_wq_type_rq", .how.bare = true, .act = make_wq,
	  .want.calls = "refused", .source = CAP_EX_RULE },
	{ .name = "no tm_caps", .how.bare = true, .act = make_tag_matching_srq,
	  .want.calls = "refused", .source = CAP_EX_RULE },
	{ .name = "no max_dm_size", .how.bare = true, .act = make_dm,
	  .want.calls = "refused", .source = CAP_EX_RULE },
	{ .name = "no raw_packet_caps", .how.bare = true, .act = make_raw_qp,
	  .want.calls = "refused", .source = CAP_EX_RULE },
	{ .name = "no AUTO_PATH_MIG", .act = set_alternate_path,
	  .want.calls = "refused", .source = CAP_RULE },
};

const struct table caps_table = TABLE("caps", rows);
