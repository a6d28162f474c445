/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared receive queue, and the image of a receive WQE. L2.
 */
#ifndef CROCE_SRQ_H
#define CROCE_SRQ_H

#include "dev.h"
#include "umap.h"

/**
 * struct croce_rqe_image - private, validated copy of a receive WQE
 * @wr_id: returned in the completion
 * @length: sum of the elements, bytes
 * @num_sge: elements
 * @sge: the elements
 */
struct croce_rqe_image {
	u64 wr_id;
	u64 length;
	u32 num_sge;
	struct croce_sge sge[CROCE_MAX_SGE];
};

/**
 * struct croce_srq - shared receive queue
 * @ibsrq: RDMA core's part
 * @lock: consumer side, kernel posters, limit and resize; BH-safe
 * @umap: memory (S: replaced by resize)
 * @wq: queue (S)
 * @num: SRQ number (I)
 * @limit: raise the limit event below this many WRs; 0 disarmed (S)
 * @user: posted to by a process (I)
 */
struct croce_srq {
	struct ib_srq ibsrq;
	spinlock_t lock;
	struct croce_umap *umap;
	struct croce_wq wq;
	u32 num;
	u32 limit;
	bool user;
};

static inline struct croce_srq *croce_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct croce_srq, ibsrq);
}

/*
 * Copy the next receive WQE of a queue and release its slot (barriers A, B).
 * Return: 1 copied, 0 queue empty, -EINVAL malformed (consumed; wr_id is set).
 * The caller owns the queue.
 */
int croce_rqe_fetch(struct croce_wq *wq, struct croce_rqe_image *image);
/* The same for an SRQ: takes its lock; raises the limit event. */
int croce_srq_fetch(struct croce_srq *srq, struct croce_rqe_image *image);
/* Kernel consumers: write one receive WR into a queue. 0, -ENOMEM, -EINVAL. */
int croce_rqe_write(struct croce_wq *wq, const struct ib_recv_wr *wr);

int croce_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		     struct ib_udata *udata);
int croce_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		     enum ib_srq_attr_mask mask, struct ib_udata *udata);
int croce_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int croce_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);
int croce_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad_wr);

#endif /* CROCE_SRQ_H */
