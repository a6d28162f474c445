// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Two ends: objects, states, and how they go again. */

#include "conform.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int or(int value, int usual)
{
	return value == NONE ? 0 : value ? value : usual;
}

static enum ibv_qp_type type_of(const struct how *how)
{
	return how->type ? how->type : IBV_QPT_RC;
}

void set_path(struct ibv_ah_attr *ah, const struct end *end, const struct end *peer)
{
	memset(ah, 0, sizeof(*ah));
	ah->is_global = 1;
	ah->port_num = PORT;
	ah->grh.sgid_index = end->gid_index;
	ah->grh.hop_limit = 64;
	ibv_query_gid(peer->ctx, PORT, peer->gid_index, &ah->grh.dgid);
}

int end_qp(struct end *end, const struct how *how, const struct ibv_qp_cap *cap)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = type_of(how), .send_cq = end->cq, .recv_cq = end->cq, .srq = end->srq,
		.cap = {
			.max_send_wr = or(how->wrs, 16), .max_recv_wr = 16,
			.max_send_sge = or(how->sges, 1), .max_recv_sge = or(how->sges, 1),
			.max_inline_data = 32,
		},
	};

	if (cap)
		attr.cap = *cap;
	end->qp = ibv_create_qp(end->pd, &attr);
	return end->qp ? 0 : errno;
}

static int to_init(struct end *end, const struct how *how, int access)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = PORT, .qkey = QKEY,
		.qp_access_flags = or(access, ALL_ACCESS),
	};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	mask |= type_of(how) == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	return ibv_modify_qp(end->qp, &attr, mask);
}

static int to_rtr(struct end *end, const struct end *peer, const struct how *how, uint32_t qpn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = qpn,
		.max_dest_rd_atomic = or(how->dest_rd_atomic, 4),
		.min_rnr_timer = or(how->rnr_timer, 12),
	};
	int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	if (type_of(how) == IBV_QPT_UD)
		return ibv_modify_qp(end->qp, &attr, IBV_QP_STATE);
	if (port.active_mtu < attr.path_mtu)
		attr.path_mtu = port.active_mtu;
	set_path(&attr.ah_attr, end, peer);
	if (type_of(how) != IBV_QPT_UC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(end->qp, &attr, mask);
}

static int to_rts(struct end *end, const struct how *how, uint32_t psn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .sq_psn = psn, .timeout = or(how->timeout, 12),
		.retry_cnt = or(how->retry, 3), .rnr_retry = or(how->rnr_retry, 7),
		.max_rd_atomic = or(how->rd_atomic, 4),
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (type_of(how) == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(end->qp, &attr, mask);
}

int set_state(struct end *end, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return ibv_modify_qp(end->qp, &attr, IBV_QP_STATE);
}

/* From RESET, one state after the other. */
int to_state(struct end *end, const struct end *peer, const struct how *how,
	     enum ibv_qp_state last)
{
	bool requests = !strcmp(end->side, "from");
	uint32_t qpn = requests && how->qpn ? how->qpn : peer->qp->qp_num;
	int err = 0;

	if (last >= IBV_QPS_INIT)
		err = to_init(end, how, requests ? 0 : how->access);
	if (!err && last >= IBV_QPS_RTR)
		err = to_rtr(end, peer, how, qpn);
	if (!err && last >= IBV_QPS_RTS)
		err = to_rts(end, how, requests ? how->psn_ahead : 0);
	if (!err && last > IBV_QPS_RTS)
		err = set_state(end, last);
	return err;
}

static int last_state(int at)
{
	return at ? at - 1 : IBV_QPS_RTS;
}

int connect_ends(struct rig *rig)
{
	const struct how *how = &rig->row->how;
	struct ibv_ah_attr path;
	int err = to_state(&rig->to, &rig->from, how, last_state(how->to));

	if (!err)
		err = to_state(&rig->from, &rig->to, how, last_state(how->from));
	if (!err && how->type == IBV_QPT_UD) {
		set_path(&path, &rig->from, &rig->to);
		rig->from.ah = ibv_create_ah(rig->from.pd, &path);
		err = rig->from.ah ? 0 : errno;
	}
	return err;
}

static int end_open(struct end *end, const struct how *how, struct ibv_pd *pd, int access)
{
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 16, .max_sge = 1 } };
	bool requests = !strcmp(end->side, "from");

	end->buf = aligned_alloc(4096, MEMORY);
	memset(end->buf, 0, MEMORY);
	end->pd = pd ? pd : ibv_alloc_pd(end->ctx);
	end->cq = ibv_create_cq(end->ctx, requests ? or(how->cqe, 128) : 128, NULL, NULL, 0);
	if (!end->pd || !end->cq)
		return errno;
	end->mr = ibv_reg_mr(end->pd, end->buf, MEMORY, or(access, ALL_ACCESS));
	if (!end->mr)
		return errno;
	if (how->srq && !requests) {
		end->srq = ibv_create_srq(end->pd, &srq);
		if (!end->srq)
			return errno;
	}
	return how->bare ? 0 : end_qp(end, how, NULL);
}

static void end_close(struct end *end, bool has_pd)
{
	if (end->qp)
		ibv_destroy_qp(end->qp);
	if (end->ah)
		ibv_destroy_ah(end->ah);
	if (end->srq)
		ibv_destroy_srq(end->srq);
	if (end->mr)
		ibv_dereg_mr(end->mr);
	if (end->cq)
		ibv_destroy_cq(end->cq);
	if (has_pd && end->pd)
		ibv_dealloc_pd(end->pd);
	free(end->buf);
}

int rig_open(struct rig *rig)
{
	const struct how *how = &rig->row->how;
	bool own = how->foreign_pd || rig->from.ctx != rig->to.ctx;
	int err;

	rig->from.side = "from";
	rig->from.log = rig->out.from;
	rig->to.side = "to";
	rig->to.log = rig->out.to;
	err = end_open(&rig->from, how, NULL, how->from_access);
	if (!err)
		err = end_open(&rig->to, how, own ? NULL : rig->from.pd, how->mr_access);
	if (!err && !how->bare)
		err = connect_ends(rig);
	if (err)
		return complain(rig, "connecting: %s", strerror(err));
	rig->rkey = rig->to.mr->rkey;
	rig->raddr = (uintptr_t)rig->to.buf;
	forget_events(rig);
	return 0;
}

void rig_close(struct rig *rig)
{
	bool own = rig->to.pd && rig->to.pd != rig->from.pd;

	if (rig->mw)
		ibv_dealloc_mw(rig->mw);
	end_close(&rig->to, own);
	end_close(&rig->from, true);
}

int mtu_bytes(void)
{
	return 128 << port.active_mtu;
}
