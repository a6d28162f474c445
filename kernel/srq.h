/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared receive queue, and the image of a receive WQE. L2.
 */
#ifndef CROCE_SRQ_H
#define CROCE_SRQ_H

#include "cq.h"
#include "dev.h"
#include "umap.h"

/**
 * struct croce_rqe_image - private, validated copy of a receive WQE
 * @wr_id: returned in the completion
 * @length: sum of the elements, bytes
 * @num_sge: elements
 * @srq_num: number of the SRQ it is from; of an SRQ only
 * @srq_serial: serial of that SRQ
 * @sge: the elements
 */
struct croce_rqe_image {
	u64 wr_id;
	u64 length;
	u32 num_sge;
	u32 srq_num;
	u64 srq_serial;
	struct croce_sge sge[CROCE_MAX_SGE];
};

/**
 * struct croce_srq - shared receive queue
 *
 * The queue pairs of a basic one hold it. One of XRC is found by its number,
 * under RCU and without a reference, by the target queue pairs of its domain.
 *
 * @ibsrq: RDMA core's part
 * @dev: device (I)
 * @lock: consumer side, kernel posters, limit and resize; irq-safe, no lock is
 *	taken inside
 * @resize_mutex: one resize at a time
 * @umap: memory (S: replaced by resize)
 * @wq: queue (S)
 * @num: SRQ number (I)
 * @serial: unique for ever, other than @num (I)
 * @xrcd: XRC domain, or NULL (I)
 * @cq: XRC: completions of its receives, else NULL (I)
 * @limit: raise the limit event below this many WRs; 0 disarmed (S)
 * @user: posted to by a process (I)
 * @dying: destroy has begun: no event any more (S)
 * @limit_work: raises the event, outside of any consumer's call
 */
struct croce_srq {
	struct ib_srq ibsrq;
	struct croce_dev *dev;
	spinlock_t lock;
	struct mutex resize_mutex;
	struct croce_umap *umap;
	struct croce_wq wq;
	u32 num;
	u64 serial;
	struct ib_xrcd *xrcd;
	struct croce_cq *cq;
	u32 limit;
	bool user;
	bool dying;
	struct work_struct limit_work;
};

static inline struct croce_srq *croce_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct croce_srq, ibsrq);
}

int croce_rqe_fetch(struct croce_wq *wq, struct croce_rqe_image *image);
int croce_srq_fetch(struct croce_srq *srq, struct croce_rqe_image *image);
int croce_rqe_write(struct croce_wq *wq, const struct ib_recv_wr *wr);
u32 croce_rqe_stride(u32 max_sge);

int croce_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		     struct ib_udata *udata);
int croce_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		     enum ib_srq_attr_mask mask, struct ib_udata *udata);
int croce_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int croce_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);
int croce_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad_wr);

#endif /* CROCE_SRQ_H */
