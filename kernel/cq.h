/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completion queue. L2. The kernel is the only producer; the consumer is a
 * process (shared memory) or a kernel consumer (poll_cq).
 */
#ifndef CROCE_CQ_H
#define CROCE_CQ_H

#include "dev.h"
#include "umap.h"

/* Opcode of a CQE that only kernel consumers get; above those of the ABI. */
#define CROCE_WC_REG_MR		0x20

/**
 * struct croce_cq - completion queue
 *
 * Events of a process are raised where the completion is made. Those of a
 * kernel consumer run one at a time: @pending says that one is owed, @running
 * that the handler is being called; who finds it running leaves it to the work
 * that the running one queues.
 *
 * @ibcq: RDMA core's part
 * @dev: device (I)
 * @lock: producer side and kernel consumers; irq-safe, no lock is taken inside
 * @resize_mutex: one resize at a time
 * @umap: memory (C: replaced by resize)
 * @ctl: control words (U; pointer C)
 * @ring: CQEs (U; pointer C)
 * @mask: slots - 1 (C)
 * @prod: next slot to fill (C)
 * @cons: kernel consumers: next slot to poll (C)
 * @arm_seen: value of ctl->arm that the last event was for (C)
 * @armed: kernel consumers: 0, IB_CQ_SOLICITED or IB_CQ_NEXT_COMP (C)
 * @user: the consumer is a process (I)
 * @overrun: a completion was lost; nothing is taken any more (C)
 * @report: the consumer is to be told of the overrun (C)
 * @pending: kernel consumers: an event is owed (C)
 * @running: kernel consumers: the handler is being called (C)
 * @dying: destroy has begun: no event any more (C)
 * @notify_work: calls the handlers where they must not run in the caller
 */
struct croce_cq {
	struct ib_cq ibcq;
	struct croce_dev *dev;
	spinlock_t lock;
	struct mutex resize_mutex;
	struct croce_umap *umap;
	struct croce_cq_ctl *ctl;
	struct croce_cqe *ring;
	u32 mask;
	u32 prod;
	u32 cons;
	u32 arm_seen;
	u8 armed;
	bool user;
	bool overrun;
	bool report;
	bool pending;
	bool running;
	bool dying;
	struct work_struct notify_work;
};

static inline struct croce_cq *croce_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct croce_cq, ibcq);
}

bool croce_cq_post(struct croce_cq *cq, const struct croce_cqe *cqe,
		   bool solicited);
void croce_cq_notify(struct croce_cq *cq, bool direct);
u32 croce_cq_unpolled(struct croce_cq *cq);
void croce_cq_clean(struct croce_cq *cq, u32 qpn);

int croce_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		    struct uverbs_attr_bundle *attrs);
int croce_create_user_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			 struct uverbs_attr_bundle *attrs);
int croce_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int croce_resize_user_cq(struct ib_cq *ibcq, unsigned int cqe,
			 struct ib_udata *udata);
int croce_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc);
int croce_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);

#endif /* CROCE_CQ_H */
