/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completion queue. L2. The kernel is the only producer; the consumer is a
 * process (shared memory) or a kernel consumer (poll_cq).
 */
#ifndef CROCE_CQ_H
#define CROCE_CQ_H

#include "dev.h"
#include "umap.h"

/**
 * struct croce_cq - completion queue
 * @ibcq: RDMA core's part
 * @lock: producer side and kernel consumers; irq-safe, a leaf but for nothing
 * @umap: memory (C: replaced by resize)
 * @ctl: control words (U)
 * @ring: CQEs (U)
 * @mask: slots - 1 (C)
 * @prod: next slot to fill (C)
 * @cons: kernel consumers: next slot to poll (C)
 * @arm_seen: value of ctl->arm that the last event was for (C)
 * @armed: kernel consumers: 0, IB_CQ_SOLICITED or IB_CQ_NEXT_COMP (C)
 * @overrun: a completion was lost, the consumer was told (C)
 * @user: the consumer is a process (I)
 * @notify_work: calls the handler where it must not run in the caller
 * @dying: destroy has begun: no event any more (C)
 */
struct croce_cq {
	struct ib_cq ibcq;
	spinlock_t lock;
	struct croce_umap *umap;
	struct croce_cq_ctl *ctl;
	struct croce_cqe *ring;
	u32 mask;
	u32 prod;
	u32 cons;
	u32 arm_seen;
	u8 armed;
	bool overrun;
	bool user;
	bool dying;
	struct work_struct notify_work;
};

static inline struct croce_cq *croce_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct croce_cq, ibcq);
}

/*
 * Writes one CQE (timestamp filled in here). Returns true when the consumer
 * asked for an event that this completion satisfies; the caller then calls
 * croce_cq_notify() once it holds no lock and no QP task. @solicited: the
 * completion counts as solicited (SE bit, or any error). An overrun raises
 * IB_EVENT_CQ_ERR from the notify work and drops the CQE. Context: BH off or
 * process; takes the CQ lock.
 */
bool croce_cq_post(struct croce_cq *cq, const struct croce_cqe *cqe,
		   bool solicited);
/* @direct: the handler may run here (never inside a consumer's own post call). */
void croce_cq_notify(struct croce_cq *cq, bool direct);

int croce_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		    struct ib_udata *udata);
int croce_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int croce_resize_cq(struct ib_cq *ibcq, unsigned int cqe,
		    struct ib_udata *udata);
int croce_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc);
int croce_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);

#endif /* CROCE_CQ_H */
