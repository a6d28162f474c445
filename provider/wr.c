// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_wr_*(): requests built straight in the slots of the send queue.
 *
 * begin() opens a slot for one request, the setters fill it, wr_complete()
 * publishes all slots since wr_start(). The first error is kept, closes the
 * slot so that later setters do nothing, and drops the whole batch: nothing of
 * it was published.
 */

#include <errno.h>

#include "croce.h"
#include "sqe.h"

#ifdef CROCE_HAVE_FLUSH
static_assert(IBV_WR_FLUSH == CROCE_WR_FLUSH, "flush");
#endif
static_assert(IBV_WR_ATOMIC_WRITE == CROCE_WR_ATOMIC_WRITE, "atomic write");

#define WR_FLAGS (IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED)

static void fail(struct croce_qp *qp, int err)
{
	qp->wr_err = err;
	qp->cur = NULL;
}

/*
 * Opens the next slot. Whether a request is inline is said by its setter, so
 * the flag of that name is no error and has no meaning.
 *
 * Return: the slot, NULL after an error
 */
static struct croce_sqe *begin(struct croce_qp *qp, uint8_t opcode)
{
	unsigned int flags = qp->vqp.qp_ex.wr_flags &
			     ~(unsigned int)IBV_SEND_INLINE;

	if (qp->wr_err)
		return NULL;
	if (flags & ~(unsigned int)WR_FLAGS) {
		fail(qp, EINVAL);
		return NULL;
	}
	if (croce_wq_is_full(&qp->sq, qp->wr_prod)) {
		fail(qp, ENOMEM);
		return NULL;
	}

	qp->cur = croce_sqe_begin(&qp->sq, qp->wr_prod++,
				  qp->vqp.qp_ex.wr_id, opcode,
				  flags | qp->sig_flag);
	return qp->cur;
}

static void begin_remote(struct ibv_qp_ex *ibqp, uint8_t opcode, uint32_t rkey,
			 uint64_t remote_addr)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);

	if (begin(qp, opcode))
		croce_sqe_set_remote(qp->cur, rkey, remote_addr);
}

static void wr_rdma_write(struct ibv_qp_ex *ibqp, uint32_t rkey,
			  uint64_t remote_addr)
{
	begin_remote(ibqp, CROCE_WR_RDMA_WRITE, rkey, remote_addr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ibqp, uint32_t rkey,
			      uint64_t remote_addr, __be32 imm_data)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);

	begin_remote(ibqp, CROCE_WR_RDMA_WRITE_WITH_IMM, rkey, remote_addr);
	if (qp->cur)
		croce_sqe_set_imm(qp->cur, imm_data);
}

static void wr_rdma_read(struct ibv_qp_ex *ibqp, uint32_t rkey,
			 uint64_t remote_addr)
{
	begin_remote(ibqp, CROCE_WR_RDMA_READ, rkey, remote_addr);
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *ibqp, uint32_t rkey,
			      uint64_t remote_addr, uint64_t compare,
			      uint64_t swap)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);

	begin_remote(ibqp, CROCE_WR_ATOMIC_CMP_AND_SWP, rkey, remote_addr);
	if (qp->cur)
		croce_sqe_set_atomic(qp->cur, compare, swap);
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *ibqp, uint32_t rkey,
				uint64_t remote_addr, uint64_t add)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);

	begin_remote(ibqp, CROCE_WR_ATOMIC_FETCH_AND_ADD, rkey, remote_addr);
	if (qp->cur)
		croce_sqe_set_atomic(qp->cur, add, 0);
}

static void wr_atomic_write(struct ibv_qp_ex *ibqp, uint32_t rkey,
			    uint64_t remote_addr, const void *data)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);

	begin_remote(ibqp, CROCE_WR_ATOMIC_WRITE, rkey, remote_addr);
	if (qp->cur)
		croce_sqe_set_atomic_write(qp->cur, data);
}

#ifdef CROCE_HAVE_FLUSH
static void wr_flush(struct ibv_qp_ex *ibqp, uint32_t rkey,
		     uint64_t remote_addr, size_t length, uint8_t type,
		     uint8_t level)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);

	begin_remote(ibqp, CROCE_WR_FLUSH, rkey, remote_addr);
	if (qp->cur)
		croce_sqe_set_flush(qp->cur, length, type, level);
}
#endif

static void wr_send(struct ibv_qp_ex *ibqp)
{
	begin(to_croce_qp_ex(ibqp), CROCE_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *ibqp, __be32 imm_data)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);

	if (begin(qp, CROCE_WR_SEND_WITH_IMM))
		croce_sqe_set_imm(qp->cur, imm_data);
}

static void wr_send_inv(struct ibv_qp_ex *ibqp, uint32_t invalidate_rkey)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);

	if (begin(qp, CROCE_WR_SEND_WITH_INV))
		croce_sqe_set_inv(qp->cur, invalidate_rkey);
}

static void wr_local_inv(struct ibv_qp_ex *ibqp, uint32_t invalidate_rkey)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);

	if (begin(qp, CROCE_WR_LOCAL_INV))
		croce_sqe_set_inv(qp->cur, invalidate_rkey);
}

/* Windows of type 1 are bound by ibv_bind_mw(). */
static void wr_bind_mw(struct ibv_qp_ex *ibqp, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *info)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);

	if (!begin(qp, CROCE_WR_BIND_MW))
		return;
	if (mw->type != IBV_MW_TYPE_2 || (!info->mr && info->length))
		fail(qp, EINVAL);
	else
		croce_sqe_set_bind(qp->cur, mw, rkey, info);
}

static void wr_set_ud_addr(struct ibv_qp_ex *ibqp, struct ibv_ah *ah,
			   uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);

	if (!qp->cur)
		return;
	if (!ah)
		fail(qp, EINVAL);
	else
		croce_sqe_set_ud(qp->cur, to_croce_ah(ah)->ah, remote_qpn,
				 remote_qkey);
}

static void wr_set_xrc_srqn(struct ibv_qp_ex *ibqp, uint32_t remote_srqn)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);

	if (qp->cur)
		croce_sqe_set_xrc(qp->cur, remote_srqn);
}

static void wr_set_sge_list(struct ibv_qp_ex *ibqp, size_t num_sge,
			    const struct ibv_sge *list)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);

	if (!qp->cur)
		return;
	if (num_sge > qp->sq.max_sge)
		fail(qp, EINVAL);
	else
		croce_sqe_set_sges(qp->cur, list, num_sge);
}

static void wr_set_sge(struct ibv_qp_ex *ibqp, uint32_t lkey, uint64_t addr,
		       uint32_t length)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	wr_set_sge_list(ibqp, 1, &sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *ibqp, size_t num_buf,
				    const struct ibv_data_buf *list)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);
	size_t room, i;

	if (!qp->cur)
		return;

	room = qp->sq.max_inline - qp->cur->inline_len;
	for (i = 0; i < num_buf; i++) {
		if (list[i].length > room) {
			fail(qp, EINVAL);
			return;
		}
		croce_sqe_add_inline(qp->cur, list[i].addr, list[i].length);
		room -= list[i].length;
	}
}

static void wr_set_inline_data(struct ibv_qp_ex *ibqp, void *addr,
			       size_t length)
{
	struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_data_list(ibqp, 1, &buf);
}

/* The lock stays with the caller until wr_complete() or wr_abort(). */
static void wr_start(struct ibv_qp_ex *ibqp)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);

	croce_lock(&qp->sq_lock);
	qp->cur = NULL;
	qp->wr_prod = qp->sq.prod;
	qp->wr_err = ibqp->qp_base.state < IBV_QPS_RTS ? EINVAL : 0;
}

static int wr_complete(struct ibv_qp_ex *ibqp)
{
	struct croce_qp *qp = to_croce_qp_ex(ibqp);
	bool posted = qp->wr_prod != qp->sq.prod;
	int err = qp->wr_err;

	if (!err && posted)
		croce_wq_publish(&qp->sq, qp->wr_prod);
	croce_unlock(&qp->sq_lock);

	if (err || !posted)
		return err;
	return croce_qp_ring_doorbell(qp);
}

static void wr_abort(struct ibv_qp_ex *ibqp)
{
	croce_unlock(&to_croce_qp_ex(ibqp)->sq_lock);
}

enum {
	UD_SEND_OPS = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM,
	UC_SEND_OPS = UD_SEND_OPS | IBV_QP_EX_WITH_RDMA_WRITE |
		      IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
		      IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW,
	RC_SEND_OPS = UC_SEND_OPS | IBV_QP_EX_WITH_SEND_WITH_INV |
		      IBV_QP_EX_WITH_RDMA_READ |
		      IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
		      IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
};

/* The requests of a QP type, the optional ones among them. */
uint64_t croce_qp_supported_send_ops(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return RC_SEND_OPS | CROCE_OPTIONAL_SEND_OPS;
	case IBV_QPT_XRC_SEND:
		return RC_SEND_OPS;
	case IBV_QPT_UC:
		return UC_SEND_OPS;
	case IBV_QPT_UD:
		return UD_SEND_OPS;
	default:
		return 0;
	}
}

static void set_remote_ops(struct ibv_qp_ex *qp, uint64_t send_ops)
{
	if (send_ops & IBV_QP_EX_WITH_RDMA_WRITE)
		qp->wr_rdma_write = wr_rdma_write;
	if (send_ops & IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
		qp->wr_rdma_write_imm = wr_rdma_write_imm;
	if (send_ops & IBV_QP_EX_WITH_RDMA_READ)
		qp->wr_rdma_read = wr_rdma_read;
	if (send_ops & IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP)
		qp->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
	if (send_ops & IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
		qp->wr_atomic_fetch_add = wr_atomic_fetch_add;
	if (send_ops & IBV_QP_EX_WITH_ATOMIC_WRITE)
		qp->wr_atomic_write = wr_atomic_write;
#ifdef CROCE_HAVE_FLUSH
	if (send_ops & IBV_QP_EX_WITH_FLUSH)
		qp->wr_flush = wr_flush;
#endif
}

static void set_send_and_local_ops(struct ibv_qp_ex *qp, uint64_t send_ops)
{
	if (send_ops & IBV_QP_EX_WITH_SEND)
		qp->wr_send = wr_send;
	if (send_ops & IBV_QP_EX_WITH_SEND_WITH_IMM)
		qp->wr_send_imm = wr_send_imm;
	if (send_ops & IBV_QP_EX_WITH_SEND_WITH_INV)
		qp->wr_send_inv = wr_send_inv;
	if (send_ops & IBV_QP_EX_WITH_LOCAL_INV)
		qp->wr_local_inv = wr_local_inv;
	if (send_ops & IBV_QP_EX_WITH_BIND_MW)
		qp->wr_bind_mw = wr_bind_mw;
}

/* Fills the table of a QP with the requests it was created for. */
void croce_qp_set_wr_ops(struct croce_qp *qp, uint64_t send_ops)
{
	struct ibv_qp_ex *qp_ex = &qp->vqp.qp_ex;

	qp_ex->wr_start = wr_start;
	qp_ex->wr_complete = wr_complete;
	qp_ex->wr_abort = wr_abort;
	qp_ex->wr_set_sge = wr_set_sge;
	qp_ex->wr_set_sge_list = wr_set_sge_list;
	qp_ex->wr_set_inline_data = wr_set_inline_data;
	qp_ex->wr_set_inline_data_list = wr_set_inline_data_list;
	qp_ex->wr_set_ud_addr = wr_set_ud_addr;
	qp_ex->wr_set_xrc_srqn = wr_set_xrc_srqn;
	set_remote_ops(qp_ex, send_ops);
	set_send_and_local_ops(qp_ex, send_ops);
}
