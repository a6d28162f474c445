// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Use of a completion queue: poll, extended poll, arm, and the removal of the
 * completions of a queue pair that is gone. Nothing here enters the kernel.
 */

#include <errno.h>
#include <time.h>

#include "croce.h"

/* Numbers are passed through as they are. */
static_assert(IBV_WC_SEND == CROCE_WC_SEND, "send");
static_assert(IBV_WC_RDMA_WRITE == CROCE_WC_RDMA_WRITE, "write");
static_assert(IBV_WC_RDMA_READ == CROCE_WC_RDMA_READ, "read");
static_assert(IBV_WC_COMP_SWAP == CROCE_WC_COMP_SWAP, "compare and swap");
static_assert(IBV_WC_FETCH_ADD == CROCE_WC_FETCH_ADD, "fetch and add");
static_assert(IBV_WC_BIND_MW == CROCE_WC_BIND_MW, "bind");
static_assert(IBV_WC_LOCAL_INV == CROCE_WC_LOCAL_INV, "invalidate");
#ifdef CROCE_HAVE_FLUSH
static_assert(IBV_WC_FLUSH == CROCE_WC_FLUSH, "flush");
#endif
static_assert(IBV_WC_ATOMIC_WRITE == CROCE_WC_ATOMIC_WRITE, "atomic write");
static_assert(IBV_WC_RECV == CROCE_WC_RECV, "receive");
static_assert(IBV_WC_RECV_RDMA_WITH_IMM == CROCE_WC_RECV_RDMA_WITH_IMM,
	      "receive of a write");
static_assert(IBV_WC_GRH == CROCE_CQE_GRH, "grh");
static_assert(IBV_WC_WITH_IMM == CROCE_CQE_WITH_IMM, "immediate");
static_assert(IBV_WC_WITH_INV == CROCE_CQE_WITH_INV, "invalidated");
static_assert(sizeof(struct croce_cqe) == 64, "cqe");

/* The bits of a CQE that verbs know. */
#define VERBS_WC_FLAGS (CROCE_CQE_GRH | CROCE_CQE_WITH_IMM | CROCE_CQE_WITH_INV)

#define NSEC_PER_SEC 1000000000ULL

static void fill_wc(struct ibv_wc *wc, const struct croce_cqe *cqe)
{
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = cqe->opcode;
	wc->vendor_err = cqe->vendor_err;
	wc->byte_len = cqe->byte_len;
	wc->imm_data = (__force __be32)cqe->imm;
	wc->qp_num = cqe->qp_num;
	wc->src_qp = cqe->src_qp;
	wc->wc_flags = cqe->wc_flags & VERBS_WC_FLAGS;
	wc->pkey_index = cqe->pkey_index;
	wc->slid = 0;
	wc->sl = cqe->sl;
	wc->dlid_path_bits = 0;
}

/* Return: CQEs polled; -EIO once a CQ that lost a completion is drained. */
int croce_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct croce_cq *cq = to_croce_cq(ibcq);
	const struct croce_cqe *cqe;
	int polled;

	croce_lock(&cq->lock);
	for (polled = 0; polled < num_entries; polled++) {
		cqe = croce_cq_ring_peek(&cq->ring);
		if (!cqe)
			break;
		fill_wc(wc + polled, cqe);
		croce_cq_ring_advance(&cq->ring);
	}

	if (polled)
		croce_cq_ring_release(&cq->ring);
	else if (num_entries > 0 && croce_cq_ring_is_overrun(&cq->ring))
		polled = -EIO;
	croce_unlock(&cq->lock);
	return polled;
}

int croce_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct croce_cq *cq = to_croce_cq(ibcq);

	croce_lock(&cq->arm_lock);
	croce_cq_ring_arm(&cq->ring, solicited_only);
	croce_unlock(&cq->arm_lock);
	return 0;
}

/*
 * Drops the CQEs of @qp_num, which the module has ceased to serve, so that a
 * later queue pair of that number does not find them. Survivors move towards
 * prod, in order; the slots between cons and prod are ours to write.
 */
void croce_cq_clean(struct croce_cq *cq, uint32_t qp_num)
{
	struct croce_cq_ring *ring = &cq->ring;
	const struct croce_cqe *cqe;
	uint32_t from, to;

	croce_lock(&cq->lock);
	croce_cq_ring_refresh(ring);
	for (from = to = ring->prod; from != ring->cons;) {
		cqe = croce_cq_ring_slot(ring, --from);
		if (cqe->qp_num == qp_num)
			continue;
		if (--to != from)
			*croce_cq_ring_slot(ring, to) = *cqe;
	}
	ring->cons = to;
	croce_cq_ring_release(ring);
	croce_unlock(&cq->lock);
}

/* Makes the oldest CQE the current one. */
static int load_cur(struct croce_cq *cq)
{
	cq->cur = croce_cq_ring_peek(&cq->ring);
	if (!cq->cur)
		return croce_cq_ring_is_overrun(&cq->ring) ? EIO : ENOENT;

	cq->vcq.cq_ex.wr_id = cq->cur->wr_id;
	cq->vcq.cq_ex.status = cq->cur->status;
	return 0;
}

/* The current CQE, if there is one, has been read. */
static void consume_cur(struct croce_cq *cq)
{
	if (!cq->cur)
		return;

	croce_cq_ring_advance(&cq->ring);
	cq->cur = NULL;
}

/* The lock stays with the caller until end_poll(), unless nothing was found. */
static int start_poll(struct ibv_cq_ex *ibcq, struct ibv_poll_cq_attr *attr)
{
	struct croce_cq *cq = to_croce_cq_ex(ibcq);
	int err;

	if (attr->comp_mask)
		return EINVAL;

	croce_lock(&cq->lock);
	err = load_cur(cq);
	if (err)
		croce_unlock(&cq->lock);
	return err;
}

/* A long poll releases what it has read whenever it has seen all it knew of. */
static int next_poll(struct ibv_cq_ex *ibcq)
{
	struct croce_cq *cq = to_croce_cq_ex(ibcq);

	consume_cur(cq);
	if (cq->ring.cons == cq->ring.prod)
		croce_cq_ring_release(&cq->ring);
	return load_cur(cq);
}

static void end_poll(struct ibv_cq_ex *ibcq)
{
	struct croce_cq *cq = to_croce_cq_ex(ibcq);

	consume_cur(cq);
	croce_cq_ring_release(&cq->ring);
	croce_unlock(&cq->lock);
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ibcq)
{
	return to_croce_cq_ex(ibcq)->cur->opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ibcq)
{
	return to_croce_cq_ex(ibcq)->cur->vendor_err;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *ibcq)
{
	return to_croce_cq_ex(ibcq)->cur->wc_flags & VERBS_WC_FLAGS;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ibcq)
{
	return to_croce_cq_ex(ibcq)->cur->byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *ibcq)
{
	return (__force __be32)to_croce_cq_ex(ibcq)->cur->imm;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ibcq)
{
	return to_croce_cq_ex(ibcq)->cur->qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *ibcq)
{
	return to_croce_cq_ex(ibcq)->cur->src_qp;
}

static uint8_t read_sl(struct ibv_cq_ex *ibcq)
{
	return to_croce_cq_ex(ibcq)->cur->sl;
}

/* RoCE has no LIDs. */
static uint32_t read_slid(struct ibv_cq_ex *ibcq)
{
	return 0;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *ibcq)
{
	return 0;
}

static uint64_t read_completion_ts(struct ibv_cq_ex *ibcq)
{
	return to_croce_cq_ex(ibcq)->cur->timestamp;
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* As long ago on the wall clock as on the monotonic one. */
static uint64_t read_completion_wallclock_ns(struct ibv_cq_ex *ibcq)
{
	uint64_t age = now_ns(CLOCK_MONOTONIC) - read_completion_ts(ibcq);

	return now_ns(CLOCK_REALTIME) - age;
}

static void set_optional_read_ops(struct ibv_cq_ex *cq, uint64_t wc_flags)
{
	if (wc_flags & IBV_WC_EX_WITH_BYTE_LEN)
		cq->read_byte_len = read_byte_len;
	if (wc_flags & IBV_WC_EX_WITH_IMM)
		cq->read_imm_data = read_imm_data;
	if (wc_flags & IBV_WC_EX_WITH_QP_NUM)
		cq->read_qp_num = read_qp_num;
	if (wc_flags & IBV_WC_EX_WITH_SRC_QP)
		cq->read_src_qp = read_src_qp;
	if (wc_flags & IBV_WC_EX_WITH_SLID)
		cq->read_slid = read_slid;
	if (wc_flags & IBV_WC_EX_WITH_SL)
		cq->read_sl = read_sl;
	if (wc_flags & IBV_WC_EX_WITH_DLID_PATH_BITS)
		cq->read_dlid_path_bits = read_dlid_path_bits;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		cq->read_completion_ts = read_completion_ts;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
		cq->read_completion_wallclock_ns = read_completion_wallclock_ns;
}

/* Makes a CQ fit for ibv_start_poll(), with readers of what was asked for. */
void croce_cq_set_poll_ops(struct croce_cq *cq, uint64_t wc_flags)
{
	struct ibv_cq_ex *cq_ex = &cq->vcq.cq_ex;

	cq_ex->start_poll = start_poll;
	cq_ex->next_poll = next_poll;
	cq_ex->end_poll = end_poll;
	cq_ex->read_opcode = read_opcode;
	cq_ex->read_vendor_err = read_vendor_err;
	cq_ex->read_wc_flags = read_wc_flags;
	set_optional_read_ops(cq_ex, wc_flags);
}
