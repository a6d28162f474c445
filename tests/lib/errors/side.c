// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A QP with its CQ and memory; posting and waiting. */

#include "errors.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS	10000

static int or(int value, int fallback)
{
	return value < 0 ? 0 : value ? value : fallback;
}

double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

int side_open(struct side *side, const struct how *how, struct ibv_pd *pd)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = or(how->type, IBV_QPT_RC),
		.cap = {
			.max_send_wr = or(how->cap.max_send_wr, 16),
			.max_recv_wr = or(how->cap.max_recv_wr, 16),
			.max_send_sge = or(how->cap.max_send_sge, 4),
			.max_recv_sge = or(how->cap.max_recv_sge, 4),
			.max_inline_data = or(how->cap.max_inline_data, 64),
		},
	};

	memset(side, 0, sizeof(*side));
	side->buf = aligned_alloc(4096, MEMORY);
	memset(side->buf, 0, MEMORY);
	side->pd = pd ? pd : ibv_alloc_pd(ctx);
	side->cq = ibv_create_cq(ctx, or(how->cqe, 64), NULL, NULL, 0);
	if (!side->pd || !side->cq)
		return complain("no PD or CQ: %s", strerror(errno));
	side->mr = ibv_reg_mr(side->pd, side->buf, MEMORY, ALL_ACCESS);
	if (!side->mr)
		return complain("no MR: %s", strerror(errno));
	attr.send_cq = side->cq;
	attr.recv_cq = side->cq;
	side->qp = ibv_create_qp(side->pd, &attr);
	return side->qp ? 0 : complain("no QP: %s", strerror(errno));
}

void side_close(struct side *side)
{
	if (side->qp)
		ibv_destroy_qp(side->qp);
	if (side->mr)
		ibv_dereg_mr(side->mr);
	if (side->cq)
		ibv_destroy_cq(side->cq);
	free(side->buf);
}

void set_path(struct ibv_ah_attr *ah)
{
	union ibv_gid gid;

	ibv_query_gid(ctx, PORT, gid_index, &gid);
	memset(ah, 0, sizeof(*ah));
	ah->is_global = 1;
	ah->port_num = PORT;
	ah->grh.dgid = gid;
	ah->grh.sgid_index = gid_index;
	ah->grh.hop_limit = 64;
}

int to_init(struct side *side, const struct how *how, int access)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = PORT,
		.qkey = QKEY,
		.qp_access_flags = or(access, ALL_ACCESS),
	};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	mask |= how->type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	return ibv_modify_qp(side->qp, &attr, mask);
}

int to_rtr(struct side *side, const struct how *how, uint32_t qpn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = qpn,
		.max_dest_rd_atomic = or(how->rd_atomic, 8),
		.min_rnr_timer = or(how->min_rnr_timer, 12),
	};

	if (how->type == IBV_QPT_UD)
		return ibv_modify_qp(side->qp, &attr, IBV_QP_STATE);
	set_path(&attr.ah_attr);
	return ibv_modify_qp(side->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			     IBV_QP_MIN_RNR_TIMER);
}

int to_rts(struct side *side, const struct how *how)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = or(how->timeout, 10),
		.retry_cnt = or(how->retry, 3),
		.rnr_retry = or(how->rnr_retry, 7),
		.max_rd_atomic = or(how->rd_atomic, 8),
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (how->type != IBV_QPT_UD)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(side->qp, &attr, mask);
}

int to_error(struct side *side)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	return ibv_modify_qp(side->qp, &attr, IBV_QP_STATE);
}

enum ibv_qp_state state(const struct side *side)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(side->qp, &attr, IBV_QP_STATE, &init) ? IBV_QPS_UNKNOWN
								   : attr.qp_state;
}

int pair_open(struct side *a, struct side *b, const struct how *how)
{
	memset(b, 0, sizeof(*b));
	if (side_open(a, how, NULL))
		return -1;
	if (side_open(b, how, how->own_pd ? NULL : a->pd))
		return -1;
	if (how->mr_access) {
		ibv_dereg_mr(b->mr);
		b->mr = ibv_reg_mr(b->pd, b->buf, MEMORY, how->mr_access);
	}
	if (!b->mr || to_init(a, how, how->access[0]) || to_init(b, how, how->access[1]) ||
	    to_rtr(a, how, how->remote_qpn ? how->remote_qpn : b->qp->qp_num) ||
	    to_rtr(b, how, a->qp->qp_num) || to_rts(a, how) || to_rts(b, how))
		return complain("connecting: %s", strerror(errno));
	forget_events();
	return 0;
}

void pair_close(struct side *a, struct side *b)
{
	struct ibv_pd *other = b->pd == a->pd ? NULL : b->pd;

	side_close(a);
	side_close(b);
	ibv_dealloc_pd(a->pd);
	if (other)
		ibv_dealloc_pd(other);
}

struct ibv_sge part(const struct side *side, uint32_t off, uint32_t len)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)side->buf + off,
		.length = len,
		.lkey = side->mr->lkey,
	};
}

int post_wr(struct side *side, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	return ibv_post_send(side->qp, wr, &bad);
}

int post(struct side *side, enum ibv_wr_opcode opcode, struct ibv_sge *sge, int n,
	 uint64_t remote, uint32_t rkey)
{
	struct ibv_send_wr wr = {
		.wr_id = 1,
		.sg_list = sge,
		.num_sge = n,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
	};

	if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = remote;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = remote;
		wr.wr.rdma.rkey = rkey;
	}
	return post_wr(side, &wr);
}

int receive(struct side *side, struct ibv_sge *sge, int n)
{
	struct ibv_recv_wr wr = { .wr_id = 100, .sg_list = sge, .num_sge = n }, *bad;

	return ibv_post_recv(side->qp, &wr, &bad);
}

/* Return 1 with a completion, 0 after a while without. */
int wait_wc(struct side *side, struct ibv_wc *wc, int patience_ms)
{
	double end = now() + patience_ms / 1000.0;
	int n;

	do {
		n = ibv_poll_cq(side->cq, 1, wc);
		if (!n)
			usleep(1000);
	} while (!n && now() < end);
	return n;
}

/* As ConnectX has it; see Documentation/abi.rst. */
static uint32_t vendor_err_of(enum ibv_wc_status status)
{
	switch (status) {
	case IBV_WC_LOC_PROT_ERR: return 0x51;
	case IBV_WC_WR_FLUSH_ERR: return 0xf9;
	case IBV_WC_REM_INV_REQ_ERR: return 0x8a;
	case IBV_WC_REM_ACCESS_ERR: return 0x88;
	case IBV_WC_REM_OP_ERR: return 0x89;
	case IBV_WC_RETRY_EXC_ERR: return 0x81;
	default: return 0;
	}
}

int wait_for(struct side *side, enum ibv_wc_status status)
{
	struct ibv_wc wc;
	int n = wait_wc(side, &wc, PATIENCE_MS);

	if (n != 1)
		return complain("no completion in %d s; wanted: %s", PATIENCE_MS / 1000,
				ibv_wc_status_str(status));
	if (wc.status != status)
		return complain("completion %llu has '%s', not '%s'",
				(unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status),
				ibv_wc_status_str(status));
	if (wc.vendor_err != vendor_err_of(status))
		return complain("'%s' has the vendor error 0x%x", ibv_wc_status_str(status),
				wc.vendor_err);
	return 0;
}

int nothing(struct side *side)
{
	struct ibv_wc wc;

	if (!wait_wc(side, &wc, 100))
		return 0;
	return complain("completion %llu '%s' where none should be",
			(unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
}

bool event_comes(enum ibv_event_type type, int patience_ms)
{
	struct pollfd wait = { .fd = ctx->async_fd, .events = POLLIN };
	double end = now() + patience_ms / 1000.0;
	struct ibv_async_event event;
	bool found = false;

	while (!found && now() < end) {
		if (poll(&wait, 1, patience_ms) <= 0 || ibv_get_async_event(ctx, &event))
			break;
		found = event.event_type == type;
		ibv_ack_async_event(&event);
	}
	return found;
}

void forget_events(void)
{
	while (event_comes(-1, 1))
		;
}

long long counter(const char *name)
{
	char path[256];
	long long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/hw_counters/%s",
		 device, name);
	file = fopen(path, "r");
	if (file && fscanf(file, "%lld", &value) != 1)
		value = -1;
	if (file)
		fclose(file);
	return value;
}

/* Calls return 0, an errno, or -1 with errno; errnos ends with 0. */
int refused(const char *what, int err, const int *errnos)
{
	if (!err)
		return complain("was not refused: %s", what);
	if (err < 0)
		err = errno;
	for (; *errnos; errnos++)
		if (*errnos == err)
			return 0;
	return complain("refused with '%s': %s", strerror(err), what);
}
