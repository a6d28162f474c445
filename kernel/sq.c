// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The only reader of send queue memory. A slot is copied once into memory the
 * user cannot reach, and only the copy is looked at; what does not hold there
 * becomes an error completion of that WR.
 */
#include <linux/ktime.h>
#include "sq.h"
#include "place.h"
#include "wire/parse.h"

/* WRs looked at in one go; the next turn goes on. */
#define FETCH_MAX	32U
/* WRs that make a consumer one that does not wait, and how soon each follows. */
#define AHEAD_WRS	8U
#define AHEAD_NS	(250 * NSEC_PER_USEC)

#define RC	BIT(IB_QPT_RC)
#define UC	BIT(IB_QPT_UC)
#define UD	(BIT(IB_QPT_UD) | BIT(IB_QPT_GSI))
#define XRC	BIT(IB_QPT_XRC_INI)

/**
 * struct sq_op - legality of a WR opcode
 * @types: QP types that know it
 * @kind: enum croce_kind
 * @flags: CROCE_WQE_* that the opcode implies
 * @inline_ok: the payload may be inline
 * @writes_local: the elements are written to, not read
 */
struct sq_op {
	u16 types;
	u8 kind;
	u8 flags;
	bool inline_ok;
	bool writes_local;
};

static const struct sq_op sq_ops[] = {
	[CROCE_WR_RDMA_WRITE] = {
		.types = RC | UC | XRC, .kind = CROCE_KIND_WRITE, .inline_ok = true,
	},
	[CROCE_WR_RDMA_WRITE_WITH_IMM] = {
		.types = RC | UC | XRC, .kind = CROCE_KIND_WRITE,
		.flags = CROCE_WQE_IMM, .inline_ok = true,
	},
	[CROCE_WR_SEND] = {
		.types = RC | UC | UD | XRC, .kind = CROCE_KIND_SEND,
		.inline_ok = true,
	},
	[CROCE_WR_SEND_WITH_IMM] = {
		.types = RC | UC | UD | XRC, .kind = CROCE_KIND_SEND,
		.flags = CROCE_WQE_IMM, .inline_ok = true,
	},
	[CROCE_WR_SEND_WITH_INV] = {
		.types = RC | XRC, .kind = CROCE_KIND_SEND,
		.flags = CROCE_WQE_INV, .inline_ok = true,
	},
	[CROCE_WR_RDMA_READ] = {
		.types = RC | XRC, .kind = CROCE_KIND_READ, .writes_local = true,
	},
	[CROCE_WR_ATOMIC_CMP_AND_SWP] = {
		.types = RC | XRC, .kind = CROCE_KIND_CMP_SWAP, .writes_local = true,
	},
	[CROCE_WR_ATOMIC_FETCH_AND_ADD] = {
		.types = RC | XRC, .kind = CROCE_KIND_FETCH_ADD, .writes_local = true,
	},
	[CROCE_WR_ATOMIC_WRITE] = {
		.types = RC, .kind = CROCE_KIND_ATOMIC_WRITE, .inline_ok = true,
	},
	[CROCE_WR_FLUSH] = { .types = RC, .kind = CROCE_KIND_FLUSH },
	[CROCE_WR_LOCAL_INV] = { .types = RC | UC | XRC, .kind = CROCE_KIND_LOCAL },
	[CROCE_WR_BIND_MW] = { .types = RC | UC | XRC, .kind = CROCE_KIND_LOCAL },
	[CROCE_WR_REG_MR] = { .types = RC | UC | XRC, .kind = CROCE_KIND_LOCAL },
};

#define KNOWN_FLAGS	(CROCE_WR_FENCE | CROCE_WR_SIGNALED | \
			 CROCE_WR_SOLICITED | CROCE_WR_INLINE)

static u8 flags_of(const struct croce_qp *qp, u8 wr_flags)
{
	u8 flags = 0;

	if ((wr_flags & CROCE_WR_SIGNALED) || qp->sig_all)
		flags |= CROCE_WQE_SIGNALED;
	if (wr_flags & CROCE_WR_SOLICITED)
		flags |= CROCE_WQE_SOLICITED;
	if (wr_flags & CROCE_WR_FENCE)
		flags |= CROCE_WQE_FENCE;
	if (wr_flags & CROCE_WR_INLINE)
		flags |= CROCE_WQE_INLINE;
	return flags;
}

static const struct sq_op *op_of(const struct croce_qp *qp, u8 opcode)
{
	const struct sq_op *op;

	if (opcode >= ARRAY_SIZE(sq_ops))
		return NULL;
	op = &sq_ops[opcode];
	if (!(op->types & BIT(qp->type)))
		return NULL;
	if (opcode == CROCE_WR_REG_MR && qp->user)
		return NULL;
	return op;
}

/* Key, range and access of every element, before anything is sent. */
static bool elements_are_good(struct croce_qp *qp, struct croce_sq_slot *slot,
			      const struct croce_wqe *wqe, u32 access)
{
	u32 i;

	for (i = 0; i < wqe->num_sge; i++) {
		const struct croce_sge *sge = &slot->sge[i];
		u64 addr = sge->addr;
		struct croce_mr *mr;

		if (!sge->length)
			continue;
		mr = croce_mr_get(qp->dev, qp->pd, sge->lkey, &addr,
				  sge->length, access, false, qp->qpn);
		if (!mr)
			return false;
		croce_mr_put(mr);
	}
	return true;
}

static u64 length_of(const struct croce_sq_slot *slot,
		     const struct croce_wqe *wqe)
{
	u64 length = 0;
	u32 i;

	if (wqe->flags & CROCE_WQE_INLINE)
		return slot->inline_len;
	for (i = 0; i < wqe->num_sge; i++)
		length += slot->sge[i].length;
	return length;
}

static bool length_is_good(const struct croce_qp *qp,
			   const struct croce_wqe *wqe, u64 length)
{
	switch (wqe->kind) {
	case CROCE_KIND_CMP_SWAP:
	case CROCE_KIND_FETCH_ADD:
		return length >= sizeof(u64);
	case CROCE_KIND_ATOMIC_WRITE:
		return length == sizeof(u64) || length == 0;
	case CROCE_KIND_FLUSH:
	case CROCE_KIND_LOCAL:
		return length == 0;
	default:
		if (!croce_qp_is_connected(qp))
			return length <= qp->req.cfg.mtu;
		return length <= CROCE_MAX_MSG;
	}
}

/* What the image says must hold; the copied slot is @sqe and @slot. */
static u8 check_wqe(struct croce_qp *qp, const struct croce_sqe *sqe,
		    struct croce_sq_slot *slot, struct croce_wqe *wqe,
		    const struct sq_op *op)
{
	u64 length;

	if (sqe->reserved_b || sqe->reserved_3c ||
	    (sqe->flags & ~KNOWN_FLAGS) || sqe->num_sge > qp->sq.max_sge)
		return CROCE_STATUS_LOC_QP_OP_ERR;
	if (sqe->flags & CROCE_WR_INLINE) {
		if (!op->inline_ok || sqe->num_sge ||
		    sqe->inline_len > qp->max_inline)
			return CROCE_STATUS_LOC_QP_OP_ERR;
	} else if (sqe->inline_len) {
		return CROCE_STATUS_LOC_QP_OP_ERR;
	}
	length = length_of(slot, wqe);
	if (!length_is_good(qp, wqe, length))
		return CROCE_STATUS_LOC_LEN_ERR;
	wqe->length = (u32)length;
	if (!(wqe->flags & CROCE_WQE_INLINE) &&
	    !elements_are_good(qp, slot, wqe,
			       op->writes_local ? IB_ACCESS_LOCAL_WRITE : 0))
		return CROCE_STATUS_LOC_PROT_ERR;
	return CROCE_STATUS_SUCCESS;
}

/* Atomics place 8 bytes whatever the list holds; A19 requests carry none. */
static void settle_length(struct croce_wqe *wqe)
{
	if (wqe->kind == CROCE_KIND_CMP_SWAP ||
	    wqe->kind == CROCE_KIND_FETCH_ADD)
		wqe->length = sizeof(u64);
}

static void fill_wqe(const struct croce_qp *qp, const struct croce_sqe *sqe,
		     const struct sq_op *op, struct croce_wqe *wqe)
{
	wqe->wr_id = sqe->wr_id;
	wqe->opcode = sqe->opcode;
	wqe->remote_addr = sqe->remote_addr;
	wqe->compare_add = sqe->compare_add;
	wqe->swap = sqe->swap;
	wqe->rkey = sqe->rkey;
	wqe->inv_rkey = sqe->imm;
	wqe->imm = (__force __be32)sqe->imm;
	wqe->num_sge = min_t(u32, sqe->num_sge, qp->sq.max_sge);
	wqe->flags = flags_of(qp, sqe->flags);
	wqe->status = CROCE_STATUS_SUCCESS;
	wqe->length = 0;
	wqe->kind = CROCE_KIND_LOCAL;
	if (!op)
		return;
	wqe->kind = op->kind;
	wqe->flags |= op->flags;
}

static void fill_slot(const struct croce_qp *qp, const struct croce_sqe *sqe,
		      const void *payload, struct croce_sq_slot *slot,
		      const struct croce_wqe *wqe)
{
	size_t size = wqe->num_sge * sizeof(struct croce_sge);

	slot->ah = sqe->ah;
	slot->remote_qpn = sqe->remote_qpn;
	slot->remote_qkey = sqe->remote_qkey;
	slot->inline_len = min(sqe->inline_len, qp->max_inline);
	if (wqe->flags & CROCE_WQE_INLINE)
		size = slot->inline_len;
	memcpy(slot->sge, payload, size);
}

static void fetch_one(struct croce_qp *qp, u32 index)
{
	const void *from = qp->sq.ring + (index & qp->sq.mask) * qp->sq.stride;
	struct croce_sq_slot *slot = croce_sq_slot(qp, index);
	struct croce_wqe *wqe = croce_req_wqe(&qp->req, index);
	const struct sq_op *op;
	struct croce_sqe sqe;

	memcpy(&sqe, from, sizeof(sqe));
	/* The copy must not be replaced by a second look at the slot. */
	barrier();
	op = op_of(qp, sqe.opcode);
	fill_wqe(qp, &sqe, op, wqe);
	fill_slot(qp, &sqe, from + sizeof(sqe), slot, wqe);
	/* In error it is flushed, whatever it says (IBA 10.3.1). */
	if (qp->req.state == CROCE_REQ_ERROR)
		wqe->status = CROCE_STATUS_SUCCESS;
	else if (op)
		wqe->status = check_wqe(qp, &sqe, slot, wqe, op);
	else
		wqe->status = CROCE_STATUS_LOC_QP_OP_ERR;
	settle_length(wqe);
}

static void note_wr(struct croce_qp *qp, const struct croce_wqe *wqe)
{
	qp->sq_monologue++;
	if (wqe->flags & CROCE_WQE_SIGNALED)
		qp->sq_unsignalled = 0;
	else
		qp->sq_unsignalled++;
}

/**
 * croce_sq_fetch - take in WRs that were posted
 * @qp: queue pair
 *
 * Advances prod of the requester, by a bounded number each time. More WRs than
 * the queue has slots cannot be: the process wrote nonsense to its index, the
 * queue is never looked at again and the turn fails the QP.
 *
 * Context: owner of the QP's task.
 */
void croce_sq_fetch(struct croce_qp *qp)
{
	struct croce_req *req = &qp->req;
	u32 room = qp->sq.slots - (req->prod - req->cons);
	u32 posted, n;

	if (qp->sq_broken)
		return;
	/* A: pairs with the release of whoever posted. */
	posted = smp_load_acquire(&qp->sq.ctl->prod) - req->prod;
	if (posted > room) {
		qp->sq_broken = true;
		return;
	}
	for (n = min(posted, FETCH_MAX); n; n--) {
		fetch_one(qp, req->prod);
		note_wr(qp, croce_req_wqe(req, req->prod));
		req->prod++;
	}
}

static int write_inline(struct croce_qp *qp, const struct ib_send_wr *wr,
			struct croce_sqe *sqe, void *to)
{
	u32 length = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (sge->length > qp->max_inline - length)
			return -EINVAL;
		memcpy(to + length, ib_virt_dma_to_ptr(sge->addr), sge->length);
		length += sge->length;
	}
	sqe->num_sge = 0;
	sqe->inline_len = length;
	return 0;
}

static void write_elements(const struct ib_send_wr *wr, struct croce_sge *to)
{
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		to[i].addr = wr->sg_list[i].addr;
		to[i].length = wr->sg_list[i].length;
		to[i].lkey = wr->sg_list[i].lkey;
	}
}

static void write_rdma(const struct ib_send_wr *wr, struct croce_sqe *sqe)
{
	sqe->remote_addr = rdma_wr(wr)->remote_addr;
	sqe->rkey = rdma_wr(wr)->rkey;
}

static void write_atomic(const struct ib_send_wr *wr, struct croce_sqe *sqe)
{
	sqe->remote_addr = atomic_wr(wr)->remote_addr;
	sqe->rkey = atomic_wr(wr)->rkey;
	sqe->compare_add = atomic_wr(wr)->compare_add;
	sqe->swap = atomic_wr(wr)->swap;
}

static void write_reg(const struct ib_send_wr *wr, struct croce_sqe *sqe)
{
	/* Kernel memory: the pointer cannot be forged. */
	sqe->swap = (uintptr_t)croce_mr(reg_wr(wr)->mr);
	sqe->rkey = reg_wr(wr)->key;
	sqe->compare_add = reg_wr(wr)->access;
}

static int write_address(const struct croce_qp *qp,
			 const struct ib_send_wr *wr, struct croce_sqe *sqe)
{
	if (croce_qp_is_connected(qp))
		return 0;
	if (!ud_wr(wr)->ah)
		return -EINVAL;
	sqe->ah = croce_ah(ud_wr(wr)->ah)->handle;
	sqe->remote_qpn = ud_wr(wr)->remote_qpn;
	sqe->remote_qkey = ud_wr(wr)->remote_qkey;
	return 0;
}

static int write_operands(struct croce_qp *qp, const struct ib_send_wr *wr,
			  struct croce_sqe *sqe)
{
	switch (wr->opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		write_rdma(wr, sqe);
		return 0;
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
		return write_address(qp, wr, sqe);
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		write_atomic(wr, sqe);
		return 0;
	case IB_WR_LOCAL_INV:
		return 0;
	case IB_WR_REG_MR:
		write_reg(wr, sqe);
		return 0;
	default:
		return -EINVAL;
	}
}

static u8 opcode_of(const struct ib_send_wr *wr)
{
	return wr->opcode == IB_WR_REG_MR ? CROCE_WR_REG_MR : (u8)wr->opcode;
}

static u8 wr_flags(const struct ib_send_wr *wr)
{
	u8 flags = 0;

	if (wr->send_flags & IB_SEND_FENCE)
		flags |= CROCE_WR_FENCE;
	if (wr->send_flags & IB_SEND_SIGNALED)
		flags |= CROCE_WR_SIGNALED;
	if (wr->send_flags & IB_SEND_SOLICITED)
		flags |= CROCE_WR_SOLICITED;
	if (wr->send_flags & IB_SEND_INLINE)
		flags |= CROCE_WR_INLINE;
	return flags;
}

/**
 * croce_sq_write - write the WR of a kernel consumer into the send queue
 * @qp: queue pair
 * @wr: one work request
 *
 * Return: 0; -ENOMEM when the queue is full, -EINVAL for what the queue or
 * the QP cannot take; nothing is in the queue then.
 * Context: any; holds sq_post_lock. The caller publishes prod.
 */
int croce_sq_write(struct croce_qp *qp, const struct ib_send_wr *wr)
{
	struct croce_wq *sq = &qp->sq;
	void *slot = sq->ring + (sq->prod & sq->mask) * sq->stride;
	struct croce_sqe sqe = {
		.wr_id = wr->wr_id,
		.opcode = opcode_of(wr),
		.flags = wr_flags(wr),
		.num_sge = (u8)wr->num_sge,
		.imm = (__force u32)wr->ex.imm_data,
	};
	int err;

	lockdep_assert_held(&qp->sq_post_lock);
	/* B: pairs with the release in the turn that freed the slot. */
	if (sq->prod - smp_load_acquire(&sq->ctl->cons) >= sq->max_wr)
		return -ENOMEM;
	if (wr->num_sge < 0 || wr->num_sge > sq->max_sge)
		return -EINVAL;
	err = write_operands(qp, wr, &sqe);
	if (err)
		return err;
	if (sqe.flags & CROCE_WR_INLINE)
		err = write_inline(qp, wr, &sqe, slot + sizeof(sqe));
	else
		write_elements(wr, slot + sizeof(sqe));
	if (err)
		return err;
	memcpy(slot, &sqe, sizeof(sqe));
	sq->prod++;
	return 0;
}

/*
 * What it has not seen the completion of. The peer of an XRC initiator answers
 * to another queue pair, so there only what is under way tells something.
 */
static bool many_are_unseen(const struct croce_qp *qp)
{
	u32 unseen = qp->req.prod - qp->req.cons;

	if (qp->type != IB_QPT_XRC_INI)
		unseen += qp->sq_unsignalled;
	return unseen >= AHEAD_WRS ||
	       (qp->type != IB_QPT_XRC_INI &&
		croce_cq_unpolled(qp->send_cq) >= AHEAD_WRS - unseen);
}

/**
 * croce_sq_is_ahead - does the consumer post without waiting for anything?
 * @qp: QP, whose poster rings
 *
 * It does when it posted many WRs shortly one after the other, while nothing
 * came from the peer, and has not looked for the completion of each. An answer
 * that is wrong costs time only.
 *
 * Return: true if it does. Context: owner of the QP's task.
 */
bool croce_sq_is_ahead(struct croce_qp *qp)
{
	u64 now_ns = ktime_get_ns();

	if (now_ns - qp->sq_rung_ns > AHEAD_NS)
		qp->sq_monologue = 0;
	qp->sq_rung_ns = now_ns;
	return qp->sq_monologue >= AHEAD_WRS && many_are_unseen(qp);
}

/**
 * croce_sq_report - tell the poster of a process whether it has to ring
 * @qp: QP
 * @state: CROCE_SQ_BUSY when the queue is looked at anyway, or 0
 *
 * Context: owner of the QP's task.
 */
void croce_sq_report(struct croce_qp *qp, u32 state)
{
	if (!qp->user || qp->sq_busy == state)
		return;
	qp->sq_busy = state;
	WRITE_ONCE(qp->sq.ctl->state, state);
}
