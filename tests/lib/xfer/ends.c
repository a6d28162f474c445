// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Device, memory and queue pairs. */

#include "xfer.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PORT		1
#define QKEY		0x11111111
#define RD_ATOMIC	8

static int fail(const char *what)
{
	fprintf(stderr, "xfer: %s: %s\n", what, strerror(errno));
	return -1;
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	for (i = 0; list && list[i]; i++)
		if (!name || !strcmp(ibv_get_device_name(list[i]), name)) {
			ctx = ibv_open_device(list[i]);
			break;
		}
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

static struct ibv_xrcd *open_domain(struct ibv_context *ctx)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};

	return ibv_open_xrcd(ctx, &attr);
}

int host_open(struct host *host, const struct options *opt)
{
	struct ibv_port_attr port;

	host->opt = opt;
	host->ctx = open_device(opt->device);
	if (!host->ctx)
		return fail("opening the device");
	if (ibv_query_port(host->ctx, PORT, &port))
		return fail("ibv_query_port");
	if (port.state != IBV_PORT_ACTIVE) {
		fprintf(stderr, "xfer: the port is %s\n", ibv_port_state_str(port.state));
		return -1;
	}
	host->mtu = 128U << (opt->mtu ? opt->mtu : port.active_mtu);
	host->pd = ibv_alloc_pd(host->ctx);
	if (!host->pd)
		return fail("ibv_alloc_pd");
	if (is_xrc(opt))
		host->xrcd = open_domain(host->ctx);
	if (is_xrc(opt) && !host->xrcd)
		return fail("ibv_open_xrcd");
	host->hot = calloc(1, 4096);
	host->hot_mr = ibv_reg_mr(host->pd, host->hot, 4096, IBV_ACCESS_LOCAL_WRITE |
				  IBV_ACCESS_REMOTE_ATOMIC);
	return host->hot_mr ? 0 : fail("ibv_reg_mr");
}

void host_close(struct host *host)
{
	ibv_dereg_mr(host->hot_mr);
	if (host->xrcd)
		ibv_close_xrcd(host->xrcd);
	ibv_dealloc_pd(host->pd);
	ibv_close_device(host->ctx);
	free(host->hot);
}

static int register_memory(struct end *end)
{
	int local = IBV_ACCESS_LOCAL_WRITE, access, i;
	size_t len = end->opt->arena;

	end->src = memory_alloc(end->opt);
	end->dst = memory_alloc(end->opt);
	if (!end->src || !end->dst)
		return fail("memory");
	if (end->opt->on_demand)
		local |= IBV_ACCESS_ON_DEMAND;
	access = local;
	if (is_reliable(end->opt))
		access |= IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			  IBV_ACCESS_REMOTE_ATOMIC;
	else if (end->opt->type == IBV_QPT_UC)
		access |= IBV_ACCESS_REMOTE_WRITE;
	for (i = 0; i < 2; i++) {
		end->src_mr[i] = ibv_reg_mr(end->host->pd, end->src, len, local);
		end->dst_mr[i] = ibv_reg_mr(end->host->pd, end->dst, len, access);
		if (!end->src_mr[i] || !end->dst_mr[i])
			return fail("ibv_reg_mr");
	}
	return memory_disturb(end);
}

/* What receives: a QP without queues, and the SRQ that the peer is to name. */
static int create_xrc(struct end *end)
{
	struct ibv_qp_init_attr_ex target = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = end->host->xrcd,
	};
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = BATCH_OPS, .max_sge = end->opt->max_sge },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC,
		.xrcd = end->host->xrcd,
		.cq = end->cq,
		.pd = end->host->pd,
	};

	end->srq = ibv_create_srq_ex(end->host->ctx, &attr);
	if (!end->srq)
		return fail("ibv_create_srq_ex");
	end->target = ibv_create_qp_ex(end->host->ctx, &target);
	return end->target ? 0 : fail("ibv_create_qp_ex of a target");
}

static int create_qp(struct end *end)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = end->cq,
		.recv_cq = end->cq,
		.cap = {
			.max_send_wr = BATCH_OPS,
			.max_recv_wr = BATCH_OPS,
			.max_send_sge = end->opt->max_sge,
			.max_recv_sge = end->opt->max_sge + 1,
			.max_inline_data = end->opt->max_inline,
		},
		.qp_type = end->opt->type,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = end->host->pd,
	};

	if (end->opt->type != IBV_QPT_UD)
		attr.cap.max_recv_sge = end->opt->max_sge;
	if (end->opt->extended) {
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
		if (end->opt->type != IBV_QPT_UD)
			attr.send_ops_flags |= IBV_QP_EX_WITH_RDMA_WRITE |
				IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
		if (is_reliable(end->opt))
			attr.send_ops_flags |= IBV_QP_EX_WITH_RDMA_READ |
				IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
				IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
	}
	end->qp = ibv_create_qp_ex(end->host->ctx, &attr);
	if (!end->qp)
		return fail("ibv_create_qp_ex");
	if (end->opt->extended)
		end->qpx = ibv_qp_to_qp_ex(end->qp);
	end->target = end->qp;
	return is_xrc(end->opt) ? create_xrc(end) : 0;
}

static int to_init(struct end *end, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = PORT,
		.qkey = QKEY,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	if (is_reliable(end->opt))
		attr.qp_access_flags |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	mask |= end->opt->type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	return ibv_modify_qp(qp, &attr, mask) ? fail("to INIT") : 0;
}

static void path(const struct end *end, struct ibv_ah_attr *ah)
{
	ah->is_global = 1;
	ah->port_num = PORT;
	memcpy(&ah->grh.dgid, end->peer.gid, sizeof(ah->grh.dgid));
	ah->grh.sgid_index = end->opt->gid;
	ah->grh.hop_limit = 64;
	ah->grh.traffic_class = end->opt->traffic_class;
	ah->grh.flow_label = end->opt->flow_label;
}

static int to_rtr(struct end *end, struct ibv_qp *qp, uint32_t dest_qpn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = __builtin_ctz(end->host->mtu) - 7,
		.dest_qp_num = dest_qpn,
		.rq_psn = end->peer.psn,
		.max_dest_rd_atomic = RD_ATOMIC,
		.min_rnr_timer = 12,
	};
	int mask = IBV_QP_STATE;

	path(end, &attr.ah_attr);
	if (end->opt->type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (is_reliable(end->opt))
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(qp, &attr, mask) ? fail("to RTR") : 0;
}

static int to_rts(struct end *end, struct ibv_qp *qp, uint32_t psn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = psn,
		.timeout = end->opt->timeout,
		/* In a flood the peer goes away: 1.1 s instead of 3.7. */
		.retry_cnt = end->opt->flood ? 2 : 7,
		.rnr_retry = 7,
		.max_rd_atomic = RD_ATOMIC,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (is_reliable(end->opt))
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	if (ibv_modify_qp(qp, &attr, mask))
		return fail("to RTS");
	return 0;
}

static uint64_t agreed(const struct end *end)
{
	const struct options *opt = end->opt;
	uint64_t word = opt->seed ^ (uint64_t)opt->ops << 32 ^ opt->max_size;

	word = draw(&word) ^ (uint64_t)opt->max_sge << 48 ^ opt->max_inline;
	word = draw(&word) ^ opt->sweep ^ opt->one_way << 1 ^ opt->seconds << 2 ^
	       (uint64_t)opt->type << 32 ^ opt->arena;
	return draw(&word) ^ end->host->mtu;
}

static int connect_qp(struct end *end)
{
	uint64_t rng = (uintptr_t)end ^ getpid() ^ (uint64_t)end->qp->qp_num << 32;
	struct address own = {
		.qpn = end->qp->qp_num,
		.target_qpn = end->target->qp_num,
		.psn = draw(&rng) & 0xffffff,
		.rkey = end->dst_mr[0]->rkey,
		.hot_rkey = end->host->hot_mr->rkey,
		.target = (uintptr_t)end->dst,
		.hot = (uintptr_t)end->host->hot,
		.agreed = agreed(end),
	};
	struct ibv_ah_attr ah = {};
	union ibv_gid gid;

	if (end->srq && ibv_get_srq_num(end->srq, &own.srqn))
		return fail("ibv_get_srq_num");
	if (ibv_query_gid(end->host->ctx, PORT, end->opt->gid, &gid))
		return fail("ibv_query_gid");
	memcpy(own.gid, &gid, sizeof(gid));
	if (link_swap(end->fd, &own, &end->peer, sizeof(own), end->opt->patience))
		return -1;
	if (own.agreed != end->peer.agreed) {
		fprintf(stderr, "xfer: the ends have different options or MTUs (mine: %u)\n",
			end->host->mtu);
		return -1;
	}
	if (to_rtr(end, end->qp, end->peer.target_qpn) || to_rts(end, end->qp, own.psn))
		return -1;
	if (end->target != end->qp && (to_init(end, end->target) ||
				       to_rtr(end, end->target, end->peer.qpn) ||
				       to_rts(end, end->target, own.psn)))
		return -1;
	path(end, &ah);
	if (end->opt->type == IBV_QPT_UD)
		end->ah = ibv_create_ah(end->host->pd, &ah);
	return end->opt->type == IBV_QPT_UD && !end->ah ? fail("ibv_create_ah") : 0;
}

int end_open(struct end *end, struct host *host, int index, int fd)
{
	end->host = host;
	end->opt = host->opt;
	end->index = index;
	end->fd = fd;
	plan_init(&end->mine, end->opt, index, end->opt->peer);
	plan_init(&end->theirs, end->opt, index, !end->opt->peer);
	if (!end->opt->poll) {
		end->channel = ibv_create_comp_channel(host->ctx);
		if (!end->channel)
			return fail("ibv_create_comp_channel");
	}
	end->cq = ibv_create_cq(host->ctx, 2 * BATCH_OPS, NULL, end->channel, 0);
	if (!end->cq)
		return fail("ibv_create_cq");
	if (register_memory(end) || create_qp(end) || to_init(end, end->qp))
		return -1;
	return connect_qp(end);
}

void end_close(struct end *end)
{
	int i;

	memory_leave_alone(end);
	if (end->ah)
		ibv_destroy_ah(end->ah);
	ibv_destroy_qp(end->qp);
	if (end->target != end->qp)
		ibv_destroy_qp(end->target);
	if (end->srq)
		ibv_destroy_srq(end->srq);
	ibv_destroy_cq(end->cq);
	if (end->channel)
		ibv_destroy_comp_channel(end->channel);
	for (i = 0; i < 2; i++) {
		ibv_dereg_mr(end->src_mr[i]);
		ibv_dereg_mr(end->dst_mr[i]);
	}
	memory_free(end->opt, end->src);
	memory_free(end->opt, end->dst);
}
