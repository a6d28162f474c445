// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_post_send(), ibv_bind_mw(), and the doorbell that wr.c uses too.
 *
 * A WR is checked as a whole before the first word of its slot is written, and
 * a list becomes visible with one store of prod. The doorbell is rung after
 * the lock is gone: the kernel may run the requester in that call, and other
 * threads need not spin meanwhile.
 */

#include <errno.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>

#include "croce.h"
#include "sqe.h"

/* The requests have the same numbers on both sides. */
static_assert(IBV_WR_RDMA_WRITE == CROCE_WR_RDMA_WRITE, "write");
static_assert(IBV_WR_RDMA_WRITE_WITH_IMM == CROCE_WR_RDMA_WRITE_WITH_IMM,
	      "write with immediate");
static_assert(IBV_WR_SEND == CROCE_WR_SEND, "send");
static_assert(IBV_WR_SEND_WITH_IMM == CROCE_WR_SEND_WITH_IMM,
	      "send with immediate");
static_assert(IBV_WR_RDMA_READ == CROCE_WR_RDMA_READ, "read");
static_assert(IBV_WR_ATOMIC_CMP_AND_SWP == CROCE_WR_ATOMIC_CMP_AND_SWP,
	      "compare and swap");
static_assert(IBV_WR_ATOMIC_FETCH_AND_ADD == CROCE_WR_ATOMIC_FETCH_AND_ADD,
	      "fetch and add");
static_assert(IBV_WR_LOCAL_INV == CROCE_WR_LOCAL_INV, "invalidate");
static_assert(IBV_WR_BIND_MW == CROCE_WR_BIND_MW, "bind");
static_assert(IBV_WR_SEND_WITH_INV == CROCE_WR_SEND_WITH_INV,
	      "send with invalidate");

/* Flags of a WR other than inline, which only some requests may have. */
#define PLAIN_FLAGS (IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED)

#define RC CROCE_QPT_RC
#define UC CROCE_QPT_UC
#define UD CROCE_QPT_UD
#define XRC CROCE_QPT_XRC_SEND

/**
 * struct rule - what struct ibv_send_wr can say with an opcode
 * @qp_types: where the opcode is legal; nowhere for those it has no room for
 * @has_payload: its SGEs mean something
 * @can_inline: its payload leaves this host, so it may be inline
 */
struct rule {
	uint8_t qp_types;
	bool has_payload;
	bool can_inline;
};

static const struct rule rules[] = {
	[IBV_WR_RDMA_WRITE] = { RC | UC | XRC, true, true },
	[IBV_WR_RDMA_WRITE_WITH_IMM] = { RC | UC | XRC, true, true },
	[IBV_WR_SEND] = { RC | UC | UD | XRC, true, true },
	[IBV_WR_SEND_WITH_IMM] = { RC | UC | UD | XRC, true, true },
	[IBV_WR_RDMA_READ] = { RC | XRC, true, false },
	[IBV_WR_ATOMIC_CMP_AND_SWP] = { RC | XRC, true, false },
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = { RC | XRC, true, false },
	[IBV_WR_LOCAL_INV] = { RC | UC | XRC, false, false },
	[IBV_WR_BIND_MW] = { RC | UC | XRC, false, false },
	[IBV_WR_SEND_WITH_INV] = { RC | XRC, true, true },
};

#define NUM_RULES (sizeof(rules) / sizeof(rules[0]))

/* Windows of type 1 are bound by ibv_bind_mw(). */
static bool is_bindable(const struct ibv_mw *mw,
			const struct ibv_mw_bind_info *info)
{
	return mw && mw->type == IBV_MW_TYPE_2 && (info->mr || !info->length);
}

static bool fits_inline(const struct croce_wq *sq, const struct ibv_send_wr *wr)
{
	uint64_t length = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		length += wr->sg_list[i].length;
	return length <= sq->max_inline;
}

static bool is_valid(const struct croce_qp *qp, const struct ibv_send_wr *wr)
{
	const struct rule *rule;

	if ((uint32_t)wr->opcode >= NUM_RULES)
		return false;
	rule = &rules[wr->opcode];
	if (!(rule->qp_types & qp->type_bit))
		return false;
	if (wr->send_flags & ~(unsigned int)(PLAIN_FLAGS | IBV_SEND_INLINE))
		return false;
	if ((uint32_t)wr->num_sge > qp->sq.max_sge)
		return false;
	if ((wr->send_flags & IBV_SEND_INLINE) &&
	    !(rule->can_inline && fits_inline(&qp->sq, wr)))
		return false;
	if (wr->opcode == IBV_WR_BIND_MW)
		return is_bindable(wr->bind_mw.mw, &wr->bind_mw.bind_info);
	return qp->type_bit != UD || wr->wr.ud.ah;
}

static void fill_request(struct croce_sqe *sqe, const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		croce_sqe_set_imm(sqe, wr->imm_data);
		SWITCH_FALLTHROUGH;
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_READ:
		croce_sqe_set_remote(sqe, wr->wr.rdma.rkey,
				     wr->wr.rdma.remote_addr);
		break;
	case IBV_WR_SEND_WITH_IMM:
		croce_sqe_set_imm(sqe, wr->imm_data);
		break;
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_LOCAL_INV:
		croce_sqe_set_inv(sqe, wr->invalidate_rkey);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		sqe->swap = wr->wr.atomic.swap;
		SWITCH_FALLTHROUGH;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		sqe->compare_add = wr->wr.atomic.compare_add;
		croce_sqe_set_remote(sqe, wr->wr.atomic.rkey,
				     wr->wr.atomic.remote_addr);
		break;
	case IBV_WR_BIND_MW:
		croce_sqe_set_bind(sqe, wr->bind_mw.mw, wr->bind_mw.rkey,
				   &wr->bind_mw.bind_info);
		break;
	default:
		break;
	}
}

/* Each byte of inline data is written once, to where the kernel reads it. */
static void fill_payload(struct croce_sqe *sqe, const struct ibv_send_wr *wr)
{
	int i;

	if (!(wr->send_flags & IBV_SEND_INLINE)) {
		croce_sqe_set_sges(sqe, wr->sg_list, wr->num_sge);
		return;
	}

	for (i = 0; i < wr->num_sge; i++)
		croce_sqe_add_inline(sqe,
				     (void *)(uintptr_t)wr->sg_list[i].addr,
				     wr->sg_list[i].length);
}

static int push(struct croce_qp *qp, uint32_t index,
		const struct ibv_send_wr *wr)
{
	struct croce_sqe *sqe;

	if (!is_valid(qp, wr))
		return EINVAL;
	if (croce_wq_is_full(&qp->sq, index))
		return ENOMEM;

	sqe = croce_sqe_begin(&qp->sq, index, wr->wr_id, wr->opcode,
			      wr->send_flags | qp->sig_flag);
	fill_request(sqe, wr);
	if (qp->type_bit == UD)
		croce_sqe_set_ud(sqe, to_croce_ah(wr->wr.ud.ah)->ah,
				 wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
	else if (qp->type_bit == XRC)
		croce_sqe_set_xrc(sqe, wr->qp_type.xrc.remote_srqn);
	if (rules[wr->opcode].has_payload)
		fill_payload(sqe, wr);
	return 0;
}

/*
 * Makes the kernel look at the queues of a QP: the command of POST_SEND,
 * without a WR. The kernel refuses write() for ever to a process that has changed its
 * credentials since it opened the device (EACCES); the library knows another
 * way in, a little slower.
 */
int croce_qp_kick(struct croce_qp *qp)
{
	struct ib_uverbs_post_send_resp resp;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send core;
	} cmd = {
		.hdr.command = IB_USER_VERBS_CMD_POST_SEND,
		.hdr.in_words = sizeof(cmd) / 4,
		.hdr.out_words = sizeof(resp) / 4,
		.core.response = (uintptr_t)&resp,
		.core.qp_handle = qp->vqp.qp.handle,
		.core.wqe_size = sizeof(struct ib_uverbs_send_wr),
	};
	struct ibv_send_wr *bad_wr;

	if (!atomic_load_explicit(&qp->fd_refused, memory_order_relaxed)) {
		if (write(qp->vqp.qp.context->cmd_fd, &cmd, sizeof(cmd)) ==
		    sizeof(cmd))
			return 0;
		if (errno != EACCES)
			return errno;
		atomic_store_explicit(&qp->fd_refused, true,
				      memory_order_relaxed);
	}
	return ibv_cmd_post_send(&qp->vqp.qp, NULL, &bad_wr);
}

/* Tells the kernel what was published, unless it is about to look (C). */
int croce_qp_ring_doorbell(struct croce_qp *qp)
{
	return croce_wq_needs_doorbell(&qp->sq) ? croce_qp_kick(qp) : 0;
}

/* Return: 0, or the error of *@bad_wr; all before it are posted. */
static int push_list(struct croce_qp *qp, struct ibv_send_wr *wr,
		     struct ibv_send_wr **bad_wr, bool *posted)
{
	uint32_t index = qp->sq.prod;
	int err = 0;

	for (; wr; wr = wr->next) {
		err = push(qp, index, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
		index++;
	}

	*posted = index != qp->sq.prod;
	if (*posted)
		croce_wq_publish(&qp->sq, index);
	return err;
}

int croce_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad_wr)
{
	struct croce_qp *qp = to_croce_qp(ibqp);
	int err, bell_err;
	bool posted;

	if (ibqp->state < IBV_QPS_RTS) {
		*bad_wr = wr;
		return EINVAL;
	}

	croce_lock(&qp->sq_lock);
	err = push_list(qp, wr, bad_wr, &posted);
	croce_unlock(&qp->sq_lock);
	if (!posted)
		return err;

	bell_err = croce_qp_ring_doorbell(qp);
	if (bell_err) {
		*bad_wr = wr;
		return bell_err;
	}
	return err;
}

/* The window has its new key once the WR is posted. */
static int push_bind(struct croce_qp *qp, struct ibv_mw *mw,
		     const struct ibv_mw_bind *bind)
{
	uint32_t rkey = ibv_inc_rkey(mw->rkey);
	uint32_t index = qp->sq.prod;
	struct croce_sqe *sqe;

	if (croce_wq_is_full(&qp->sq, index))
		return ENOMEM;

	sqe = croce_sqe_begin(&qp->sq, index, bind->wr_id, IBV_WR_BIND_MW,
			      bind->send_flags | qp->sig_flag);
	croce_sqe_set_bind(sqe, mw, rkey, &bind->bind_info);
	croce_wq_publish(&qp->sq, index + 1);
	mw->rkey = rkey;
	return 0;
}

int croce_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw,
		  struct ibv_mw_bind *bind)
{
	struct croce_qp *qp = to_croce_qp(ibqp);
	int err;

	if (ibqp->state < IBV_QPS_RTS ||
	    !(rules[IBV_WR_BIND_MW].qp_types & qp->type_bit) ||
	    (bind->send_flags & ~(unsigned int)PLAIN_FLAGS) ||
	    (!bind->bind_info.mr && bind->bind_info.length))
		return EINVAL;

	croce_lock(&qp->sq_lock);
	err = push_bind(qp, mw, bind);
	croce_unlock(&qp->sq_lock);
	return err ? err : croce_qp_ring_doorbell(qp);
}
