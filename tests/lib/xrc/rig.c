// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Domains, SRQs, pairs of queue pairs; posting and waiting. */

#include "xrc.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PORT		1
#define PATIENCE_MS	20000
#define WRS		64
#define ALL_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

struct ibv_xrcd *domain_open(int fd, int oflags)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = fd,
		.oflags = oflags,
	};

	return ibv_open_xrcd(ctx, &attr);
}

int box_open(struct box *box, struct ibv_xrcd *xrcd, struct ibv_pd *own_pd)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = WRS, .max_sge = 2 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_XRCD,
		.srq_type = IBV_SRQT_XRC,
		.xrcd = xrcd,
	};

	memset(box, 0, sizeof(*box));
	box->pd = own_pd ? own_pd : pd;
	box->buf = aligned_alloc(4096, MEMORY);
	memset(box->buf, 0, MEMORY);
	box->channel = ibv_create_comp_channel(ctx);
	box->cq = ibv_create_cq(ctx, WRS, NULL, box->channel, 0);
	box->mr = ibv_reg_mr(box->pd, box->buf, MEMORY, ALL_ACCESS);
	attr.pd = box->pd;
	attr.cq = box->cq;
	if (!box->channel || !box->cq || !box->mr)
		return complain("no CQ or region: %s", strerror(errno));
	box->srq = ibv_create_srq_ex(ctx, &attr);
	if (!box->srq || ibv_get_srq_num(box->srq, &box->num))
		return complain("no XRC SRQ: %s", strerror(errno));
	return 0;
}

void box_close(struct box *box)
{
	if (box->srq)
		ibv_destroy_srq(box->srq);
	if (box->cq)
		ibv_destroy_cq(box->cq);
	if (box->channel)
		ibv_destroy_comp_channel(box->channel);
	if (box->mr)
		ibv_dereg_mr(box->mr);
	free(box->buf);
}

int box_post(struct box *box, uint64_t id, uint32_t off, uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)box->buf + off, len, box->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 }, *bad;
	int err = ibv_post_srq_recv(box->srq, &wr, &bad);

	return err ? complain("ibv_post_srq_recv: %s", strerror(err)) : 0;
}

static int connect_qp(struct ibv_qp *qp, uint32_t dest, int rnr_retry)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = PORT,
		.qp_access_flags = ALL_ACCESS,
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		return -1;
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = dest,
		.max_dest_rd_atomic = 8,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1,
			.port_num = PORT,
			.grh = { .sgid_index = gid_index, .hop_limit = 64 },
		},
	};
	ibv_query_gid(ctx, PORT, gid_index, &attr.ah_attr.grh.dgid);
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER))
		return -1;
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = rnr_retry,
		.max_rd_atomic = 8,
	};
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			     IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

int pair_open(struct pair *pair, struct ibv_xrcd *xrcd, int rnr_retry)
{
	struct ibv_qp_init_attr_ex ini = {
		.qp_type = IBV_QPT_XRC_SEND,
		.cap = { .max_send_wr = WRS, .max_send_sge = 2 },
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_qp_init_attr_ex tgt = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = xrcd,
	};

	memset(pair, 0, sizeof(*pair));
	pair->buf = aligned_alloc(4096, MEMORY);
	memset(pair->buf, 0, MEMORY);
	pair->mr = ibv_reg_mr(pd, pair->buf, MEMORY, ALL_ACCESS);
	pair->scq = ibv_create_cq(ctx, WRS, NULL, NULL, 0);
	ini.send_cq = pair->scq;
	if (!pair->mr || !pair->scq)
		return complain("no CQ or region: %s", strerror(errno));
	pair->ini = ibv_create_qp_ex(ctx, &ini);
	pair->tgt = ibv_create_qp_ex(ctx, &tgt);
	if (!pair->ini || !pair->tgt)
		return complain("no XRC QPs: %s", strerror(errno));
	if (connect_qp(pair->ini, pair->tgt->qp_num, rnr_retry) ||
	    connect_qp(pair->tgt, pair->ini->qp_num, 0))
		return complain("connecting: %s", strerror(errno));
	return 0;
}

void pair_close(struct pair *pair)
{
	if (pair->ini)
		ibv_destroy_qp(pair->ini);
	if (pair->tgt)
		ibv_destroy_qp(pair->tgt);
	if (pair->scq)
		ibv_destroy_cq(pair->scq);
	if (pair->mr)
		ibv_dereg_mr(pair->mr);
	free(pair->buf);
}

enum ibv_qp_state state(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) ? IBV_QPS_UNKNOWN : attr.qp_state;
}

int to_error(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE) ? complain("to error: %s", strerror(errno)) : 0;
}

int send_to(struct pair *pair, uint32_t srqn, uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)pair->buf, len, pair->mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.qp_type.xrc.remote_srqn = srqn,
	};
	int err = ibv_post_send(pair->ini, &wr, &bad);

	return err ? complain("ibv_post_send: %s", strerror(err)) : 0;
}

int rdma(struct pair *pair, enum ibv_wr_opcode opcode, uint32_t srqn, const struct box *box,
	 uint32_t off, uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)pair->buf, len, pair->mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.qp_type.xrc.remote_srqn = srqn,
	};
	int err;

	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)box->buf + off;
		wr.wr.atomic.rkey = box->mr->rkey;
		wr.wr.atomic.compare_add = 3;
	} else {
		wr.wr.rdma.remote_addr = (uintptr_t)box->buf + off;
		wr.wr.rdma.rkey = box->mr->rkey;
	}
	err = ibv_post_send(pair->ini, &wr, &bad);
	return err ? complain("ibv_post_send: %s", strerror(err)) : 0;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Return 1 with a completion, 0 after a while without. */
int wait_wc(struct ibv_cq *cq, struct ibv_wc *wc, int patience_ms)
{
	double end = now() + patience_ms / 1000.0;
	int n;

	do {
		n = ibv_poll_cq(cq, 1, wc);
		if (!n)
			usleep(1000);
	} while (!n && now() < end);
	return n;
}

int wait_sent(struct pair *pair, enum ibv_wc_status status)
{
	struct ibv_wc wc;

	if (wait_wc(pair->scq, &wc, PATIENCE_MS) != 1)
		return complain("nothing was sent in %d s", PATIENCE_MS / 1000);
	if (wc.status != status)
		return complain("sent: '%s', not '%s'", ibv_wc_status_str(wc.status),
				ibv_wc_status_str(status));
	if (wc.qp_num != pair->ini->qp_num)
		return complain("sent by QP 0x%x, not 0x%x", wc.qp_num, pair->ini->qp_num);
	return 0;
}

int wait_received(struct box *box, const struct pair *pair, uint64_t id, uint32_t len)
{
	struct ibv_wc wc;

	if (wait_wc(box->cq, &wc, PATIENCE_MS) != 1)
		return complain("nothing was received in %d s", PATIENCE_MS / 1000);
	if (wc.status || wc.opcode != IBV_WC_RECV)
		return complain("received: '%s', opcode %d", ibv_wc_status_str(wc.status), wc.opcode);
	if (wc.wr_id != id || wc.byte_len != len)
		return complain("receive %llu has %u bytes; wanted: %llu, %u",
				(unsigned long long)wc.wr_id, wc.byte_len, (unsigned long long)id, len);
	if (wc.qp_num != pair->tgt->qp_num || wc.src_qp != pair->ini->qp_num)
		return complain("received by QP 0x%x from 0x%x, not by 0x%x from 0x%x", wc.qp_num,
				wc.src_qp, pair->tgt->qp_num, pair->ini->qp_num);
	return 0;
}

bool event_comes(struct ibv_context *from, enum ibv_event_type type, int patience_ms)
{
	struct pollfd wait = { .fd = from->async_fd, .events = POLLIN };
	double end = now() + patience_ms / 1000.0;
	struct ibv_async_event event;
	bool found = false;

	while (!found && now() < end) {
		if (poll(&wait, 1, patience_ms) <= 0 || ibv_get_async_event(from, &event))
			break;
		found = event.event_type == type;
		ibv_ack_async_event(&event);
	}
	return found;
}

void forget_events(struct ibv_context *from)
{
	while (event_comes(from, -1, 1))
		;
}
