/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The user's end of the mapped queues: indices and ordering, nothing else.
 *
 * A croce_wq is the producer's end of a send, receive or shared receive queue;
 * a croce_cq_ring is the consumer's end of a completion queue. Neither takes a
 * lock: the owner's lock, named in croce.h, guards every member. The letters
 * A to D are those of <rdma/croce-abi.h>; the kernel has the other half of
 * each pair.
 *
 * Indices run freely through 32 bits, so a difference is right across the wrap
 * and a queue may be full to the last slot. What the kernel writes is trusted
 * (see "Trust" in the ABI header).
 */
#ifndef CROCE_RING_H
#define CROCE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdma/croce-abi.h>

/**
 * struct croce_wq - producer's end of a work queue
 * @ctl: control words, in the mapping
 * @ring: slot 0, in the mapping
 * @slots: power of two; 0 when the queue does not exist
 * @stride: bytes from slot to slot
 * @prod: index of the next slot to fill; equals the published ctl->prod except
 *	while a batch is being built
 * @cons: the last ctl->cons seen; the truth may be further on
 * @max_sge: elements that fit a slot
 * @max_inline: payload bytes that fit a slot; 0 for receive queues
 */
struct croce_wq {
	struct croce_wq_ctl *ctl;
	uint8_t *ring;
	uint32_t slots;
	uint32_t stride;
	uint32_t prod;
	uint32_t cons;
	uint32_t max_sge;
	uint32_t max_inline;
};

/* Takes over a queue wherever the kernel says it stands. */
static inline void croce_wq_init(struct croce_wq *wq, void *base,
				 const struct croce_queue_map *map)
{
	wq->ctl = (struct croce_wq_ctl *)((uint8_t *)base + map->ctl_offset);
	wq->ring = (uint8_t *)base + map->ring_offset;
	wq->slots = map->slots;
	wq->stride = map->stride;
	wq->prod = __atomic_load_n(&wq->ctl->prod, __ATOMIC_RELAXED);
	wq->cons = __atomic_load_n(&wq->ctl->cons, __ATOMIC_ACQUIRE);
}

static inline void *croce_wq_slot(const struct croce_wq *wq, uint32_t index)
{
	return wq->ring + (size_t)(index & (wq->slots - 1)) * wq->stride;
}

/*
 * Whether slot @index is still the kernel's. B: the acquire makes sure that
 * the kernel has finished with a slot before its next owner overwrites it.
 */
static inline bool croce_wq_is_full(struct croce_wq *wq, uint32_t index)
{
	if (index - wq->cons < wq->slots)
		return false;
	if (!wq->slots)
		return true;

	wq->cons = __atomic_load_n(&wq->ctl->cons, __ATOMIC_ACQUIRE);
	return index - wq->cons >= wq->slots;
}

/* A: the slots before @prod are filled before the kernel can see them. */
static inline void croce_wq_publish(struct croce_wq *wq, uint32_t prod)
{
	wq->prod = prod;
	__atomic_store_n(&wq->ctl->prod, prod, __ATOMIC_RELEASE);
}

/*
 * Whether somebody must tell the kernel about what was just published. C: the
 * store of prod before, the load of state after the barrier; a kernel that
 * leaves does the reverse, so one of the two sees the other.
 */
static inline bool croce_wq_needs_doorbell(const struct croce_wq *wq)
{
	atomic_thread_fence(memory_order_seq_cst);
	return !(__atomic_load_n(&wq->ctl->state, __ATOMIC_RELAXED) &
		 CROCE_SQ_BUSY);
}

/*
 * Whether the kernel has to be told of what was just published to a receive
 * queue. C again, with the sense of the bit reversed: a QP in error asks for
 * the doorbell, so that it can flush what is posted to it.
 */
static inline bool croce_wq_needs_kick(const struct croce_wq *wq)
{
	atomic_thread_fence(memory_order_seq_cst);
	return __atomic_load_n(&wq->ctl->state, __ATOMIC_RELAXED) &
	       CROCE_RQ_KICK;
}

/*
 * Makes the queue empty where the kernel stands, after a move to RESET. The
 * kernel does not look at the queue in that state, so nothing can race.
 */
static inline void croce_wq_reset(struct croce_wq *wq)
{
	wq->cons = __atomic_load_n(&wq->ctl->cons, __ATOMIC_ACQUIRE);
	croce_wq_publish(wq, wq->cons);
}

/**
 * struct croce_cq_ring - consumer's end of a completion queue
 * @ctl: control words, in the mapping
 * @ring: slot 0, in the mapping
 * @slots: power of two
 * @stride: bytes from slot to slot
 * @cons: index of the next CQE to read; ctl->cons follows on release
 * @prod: the last ctl->prod seen; the truth may be further on
 * @arm: the last ctl->arm written; guarded apart from the rest
 */
struct croce_cq_ring {
	struct croce_cq_ctl *ctl;
	uint8_t *ring;
	uint32_t slots;
	uint32_t stride;
	uint32_t cons;
	uint32_t prod;
	uint32_t arm;
};

static inline void croce_cq_ring_init(struct croce_cq_ring *cq, void *base,
				      const struct croce_queue_map *map)
{
	cq->ctl = (struct croce_cq_ctl *)((uint8_t *)base + map->ctl_offset);
	cq->ring = (uint8_t *)base + map->ring_offset;
	cq->slots = map->slots;
	cq->stride = map->stride;
	cq->cons = __atomic_load_n(&cq->ctl->cons, __ATOMIC_RELAXED);
	cq->prod = cq->cons;
	cq->arm = __atomic_load_n(&cq->ctl->arm, __ATOMIC_RELAXED);
}

/*
 * Goes on at the same indices of another mapping, which has the same CQEs. The
 * user's words are the user's to bring along.
 */
static inline void croce_cq_ring_move(struct croce_cq_ring *cq, void *base,
				      const struct croce_queue_map *map)
{
	cq->ctl = (struct croce_cq_ctl *)((uint8_t *)base + map->ctl_offset);
	cq->ring = (uint8_t *)base + map->ring_offset;
	cq->slots = map->slots;
	cq->stride = map->stride;
	__atomic_store_n(&cq->ctl->arm, cq->arm, __ATOMIC_RELAXED);
	__atomic_store_n(&cq->ctl->cons, cq->cons, __ATOMIC_RELEASE);
}

static inline struct croce_cqe *croce_cq_ring_slot(const struct croce_cq_ring *cq,
						   uint32_t index)
{
	return (struct croce_cqe *)(cq->ring + (size_t)(index & (cq->slots - 1)) *
						       cq->stride);
}

/* A: the CQEs before prod are written before their index is. */
static inline void croce_cq_ring_refresh(struct croce_cq_ring *cq)
{
	cq->prod = __atomic_load_n(&cq->ctl->prod, __ATOMIC_ACQUIRE);
}

/* The oldest CQE, or NULL when there is none. */
static inline const struct croce_cqe *croce_cq_ring_peek(struct croce_cq_ring *cq)
{
	if (cq->cons == cq->prod) {
		croce_cq_ring_refresh(cq);
		if (cq->cons == cq->prod)
			return NULL;
	}
	return croce_cq_ring_slot(cq, cq->cons);
}

static inline void croce_cq_ring_advance(struct croce_cq_ring *cq)
{
	cq->cons++;
}

/* B: every CQE before cons has been read before the kernel may reuse it. */
static inline void croce_cq_ring_release(struct croce_cq_ring *cq)
{
	__atomic_store_n(&cq->ctl->cons, cq->cons, __ATOMIC_RELEASE);
}

/* Whether the kernel had to drop a completion. */
static inline bool croce_cq_ring_is_overrun(const struct croce_cq_ring *cq)
{
	return __atomic_load_n(&cq->ctl->flags, __ATOMIC_RELAXED) &
	       CROCE_CQ_OVERRUN;
}

/*
 * Asks for one event. D: the store of arm before, the caller's next look at
 * prod after the barrier; the kernel does the reverse with prod and arm.
 */
static inline void croce_cq_ring_arm(struct croce_cq_ring *cq, bool solicited)
{
	cq->arm = (cq->arm + CROCE_CQ_ARM_STEP) & ~CROCE_CQ_ARM_SOLICITED;
	if (solicited)
		cq->arm |= CROCE_CQ_ARM_SOLICITED;
	__atomic_store_n(&cq->ctl->arm, cq->arm, __ATOMIC_RELAXED);
	atomic_thread_fence(memory_order_seq_cst);
}

#endif /* CROCE_RING_H */
