/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Objects of the croce provider, and which file has which verbs.
 *
 * A library object is embedded in each; to_croce_*() goes back. Locks: one per
 * end of a queue, named beside what it guards. None is held across a call into
 * the kernel except while a queue is replaced (resize).
 */
#ifndef CROCE_H
#define CROCE_H

#include <pthread.h>
#include <stdatomic.h>

#include <infiniband/driver.h>
#include <util/compiler.h>

#include "ring.h"

/**
 * struct croce_lock - spin lock that a thread domain makes superfluous
 * @spin: taken only where @needed
 * @needed: false where the application promised a single thread
 */
struct croce_lock {
	pthread_spinlock_t spin;
	bool needed;
};

static inline void croce_lock_init(struct croce_lock *lock, bool needed)
{
	pthread_spin_init(&lock->spin, PTHREAD_PROCESS_PRIVATE);
	lock->needed = needed;
}

static inline void croce_lock(struct croce_lock *lock)
{
	if (lock->needed)
		pthread_spin_lock(&lock->spin);
}

static inline void croce_unlock(struct croce_lock *lock)
{
	if (lock->needed)
		pthread_spin_unlock(&lock->spin);
}

/* Memory shared with the kernel; empty while @addr is NULL. */
struct croce_map {
	void *addr;
	size_t length;
};

struct croce_device {
	struct verbs_device ibv_dev;
};

/**
 * struct croce_context - an open device
 * @ibv_ctx: library object
 * @max_inline: largest inline payload a QP can be created with
 */
struct croce_context {
	struct verbs_context ibv_ctx;
	uint32_t max_inline;
};

/**
 * struct croce_td - thread domain: the promise of a single thread
 * @ibv_td: library object
 * @users: parent domains that refer to it
 */
struct croce_td {
	struct ibv_td ibv_td;
	atomic_uint users;
};

/**
 * struct croce_pd - protection domain, or parent domain around one
 * @ibv_pd: library object; a parent domain has the handle of the domain inside
 * @contained: the domain inside, NULL in a plain protection domain
 * @td: thread domain of a parent domain, may be NULL
 * @users: parent domains around this one
 * @pdn: for display
 */
struct croce_pd {
	struct ibv_pd ibv_pd;
	struct croce_pd *contained;
	struct croce_td *td;
	atomic_uint users;
	uint32_t pdn;
};

/**
 * struct croce_ah - address handle
 * @ibv_ah: library object
 * @ah: the kernel's name for it in a send WR
 */
struct croce_ah {
	struct ibv_ah ibv_ah;
	uint32_t ah;
};

/**
 * struct croce_cq - completion queue
 * @vcq: library object
 * @map: holds @ring
 * @ring: consumer's end
 * @lock: guards @ring but for its arm, and @cur; held from ibv_start_poll()
 *	to ibv_end_poll()
 * @arm_lock: guards the arm of @ring, and its place in memory together with
 *	@lock; apart, so that a CQ can be armed in the middle of a poll
 * @cur: CQE that the ibv_wc_read_*() functions look at, NULL when there is none
 */
struct croce_cq {
	struct verbs_cq vcq;
	struct croce_map map;
	struct croce_cq_ring ring;
	struct croce_lock lock;
	struct croce_lock arm_lock;
	const struct croce_cqe *cur;
};

/**
 * struct croce_srq - shared receive queue
 * @vsrq: library object
 * @map: holds @wq
 * @wq: producer's end
 * @lock: guards @wq
 */
struct croce_srq {
	struct verbs_srq vsrq;
	struct croce_map map;
	struct croce_wq wq;
	struct croce_lock lock;
};

/**
 * struct croce_qp - queue pair
 * @vqp: library object
 * @map: holds @sq and @rq; empty with an XRC receive QP
 * @sq: producer's end of the send queue; no slots with an XRC receive QP
 * @sq_lock: guards @sq and the members from @cur on; held from ibv_wr_start()
 *	to ibv_wr_complete() or ibv_wr_abort()
 * @rq: producer's end of the receive queue; no slots where there is an SRQ and
 *	with XRC
 * @rq_lock: guards @rq
 * @sig_flag: CROCE_WR_SIGNALED where every request is, else 0
 * @type_bit: CROCE_QPT_* of this QP
 * @fd_refused: write() on the command file is forbidden to this process, see
 *	croce_qp_kick()
 * @cur: slot that ibv_wr_set_*() fill, NULL before the first request and after
 *	a failed one
 * @wr_prod: index of the slot after @cur
 * @wr_err: first error since ibv_wr_start()
 */
struct croce_qp {
	struct verbs_qp vqp;
	struct croce_map map;
	struct croce_wq sq;
	struct croce_lock sq_lock;
	struct croce_wq rq;
	struct croce_lock rq_lock;
	uint8_t sig_flag;
	uint8_t type_bit;
	atomic_bool fd_refused;
	struct croce_sqe *cur;
	uint32_t wr_prod;
	int wr_err;
};

/* QP types as bits, for the table of what is legal where. */
#define CROCE_QPT_RC	(1U << 0)
#define CROCE_QPT_UC	(1U << 1)
#define CROCE_QPT_UD	(1U << 2)
#define CROCE_QPT_XRC_SEND	(1U << 3)
#define CROCE_QPT_XRC_RECV	(1U << 4)

/* Requests that not every device has. */
#ifdef CROCE_HAVE_FLUSH
#define CROCE_OPTIONAL_SEND_OPS                                                \
	((uint64_t)(IBV_QP_EX_WITH_ATOMIC_WRITE | IBV_QP_EX_WITH_FLUSH))
#else
#define CROCE_OPTIONAL_SEND_OPS ((uint64_t)IBV_QP_EX_WITH_ATOMIC_WRITE)
#endif

static inline struct croce_context *to_croce_context(struct ibv_context *ctx)
{
	return container_of(ctx, struct croce_context, ibv_ctx.context);
}

static inline struct croce_pd *to_croce_pd(struct ibv_pd *pd)
{
	return container_of(pd, struct croce_pd, ibv_pd);
}

static inline struct croce_td *to_croce_td(struct ibv_td *td)
{
	return container_of(td, struct croce_td, ibv_td);
}

static inline struct croce_ah *to_croce_ah(struct ibv_ah *ah)
{
	return container_of(ah, struct croce_ah, ibv_ah);
}

static inline struct croce_cq *to_croce_cq(struct ibv_cq *cq)
{
	return container_of(cq, struct croce_cq, vcq.cq);
}

static inline struct croce_cq *to_croce_cq_ex(struct ibv_cq_ex *cq)
{
	return container_of(cq, struct croce_cq, vcq.cq_ex);
}

static inline struct croce_srq *to_croce_srq(struct ibv_srq *srq)
{
	return container_of(srq, struct croce_srq, vsrq.srq);
}

static inline struct croce_qp *to_croce_qp(struct ibv_qp *qp)
{
	return container_of(qp, struct croce_qp, vqp.qp);
}

static inline struct croce_qp *to_croce_qp_ex(struct ibv_qp_ex *qp)
{
	return container_of(qp, struct croce_qp, vqp.qp_ex);
}

/* verbs.c: device, port, domains, memory, windows, address handles */
int croce_map_init(struct croce_map *map, struct ibv_context *ctx,
		   uint64_t offset, uint64_t length);
void croce_map_cleanup(struct croce_map *map);
bool croce_pd_is_single_threaded(struct ibv_pd *pd);
int croce_query_device_ex(struct ibv_context *ctx,
			  const struct ibv_query_device_ex_input *input,
			  struct ibv_device_attr_ex *attr, size_t attr_size);
int croce_query_port(struct ibv_context *ctx, uint8_t port,
		     struct ibv_port_attr *attr);
int croce_query_rt_values(struct ibv_context *ctx,
			  struct ibv_values_ex *values);
struct ibv_pd *croce_alloc_pd(struct ibv_context *ctx);
struct ibv_pd *croce_alloc_parent_domain(struct ibv_context *ctx,
					 struct ibv_parent_domain_init_attr *attr);
int croce_dealloc_pd(struct ibv_pd *pd);
struct ibv_td *croce_alloc_td(struct ibv_context *ctx,
			      struct ibv_td_init_attr *attr);
int croce_dealloc_td(struct ibv_td *td);
struct ibv_mr *croce_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			    uint64_t hca_va, int access);
struct ibv_mr *croce_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				   size_t length, uint64_t iova, int fd,
				   int access);
int croce_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		   void *addr, size_t length, int access);
int croce_dereg_mr(struct verbs_mr *vmr);
struct ibv_mw *croce_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int croce_dealloc_mw(struct ibv_mw *mw);
struct ibv_ah *croce_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int croce_destroy_ah(struct ibv_ah *ah);

/* xrcd.c: XRC domains, and receive QPs of other processes */
struct ibv_xrcd *croce_open_xrcd(struct ibv_context *ctx,
				 struct ibv_xrcd_init_attr *attr);
int croce_close_xrcd(struct ibv_xrcd *xrcd);
struct ibv_qp *croce_open_qp(struct ibv_context *ctx,
			     struct ibv_qp_open_attr *attr);

/* cq.c: life of a CQ */
struct ibv_cq *croce_create_cq(struct ibv_context *ctx, int cqe,
			       struct ibv_comp_channel *channel,
			       int comp_vector);
struct ibv_cq_ex *croce_create_cq_ex(struct ibv_context *ctx,
				     struct ibv_cq_init_attr_ex *attr);
int croce_resize_cq(struct ibv_cq *ibcq, int cqe);
int croce_destroy_cq(struct ibv_cq *ibcq);

/* poll.c: use of a CQ */
int croce_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc);
int croce_req_notify_cq(struct ibv_cq *ibcq, int solicited_only);
void croce_cq_set_poll_ops(struct croce_cq *cq, uint64_t wc_flags);
void croce_cq_clean(struct croce_cq *cq, uint32_t qp_num);

/* srq.c: life of an SRQ */
struct ibv_srq *croce_create_srq(struct ibv_pd *pd,
				 struct ibv_srq_init_attr *attr);
struct ibv_srq *croce_create_srq_ex(struct ibv_context *ctx,
				    struct ibv_srq_init_attr_ex *attr);
int croce_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr,
		     int attr_mask);
int croce_query_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr);
int croce_get_srq_num(struct ibv_srq *ibsrq, uint32_t *srq_num);
int croce_destroy_srq(struct ibv_srq *ibsrq);

/* qp.c: life of a QP */
struct ibv_qp *croce_create_qp(struct ibv_pd *pd,
			       struct ibv_qp_init_attr *attr);
struct ibv_qp *croce_create_qp_ex(struct ibv_context *ctx,
				  struct ibv_qp_init_attr_ex *attr);
int croce_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		    int attr_mask);
int croce_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		   int attr_mask, struct ibv_qp_init_attr *init_attr);
int croce_destroy_qp(struct ibv_qp *ibqp);

/* send.c: ibv_post_send() and the doorbell */
int croce_qp_kick(struct croce_qp *qp);
int croce_qp_ring_doorbell(struct croce_qp *qp);
int croce_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad_wr);
int croce_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw,
		  struct ibv_mw_bind *bind);

/* wr.c: ibv_wr_*() */
uint64_t croce_qp_supported_send_ops(enum ibv_qp_type type);
void croce_qp_set_wr_ops(struct croce_qp *qp, uint64_t send_ops);

/* recv.c: ibv_post_recv() and ibv_post_srq_recv() */
int croce_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		    struct ibv_recv_wr **bad_wr);
int croce_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad_wr);

#endif /* CROCE_H */
