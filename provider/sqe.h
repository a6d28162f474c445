/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Writers of send queue slots, shared by ibv_post_send() and ibv_wr_*().
 *
 * croce_sqe_begin() clears the header; each croce_sqe_set_*() fills the members
 * of one kind of request. Nothing here checks: the callers have, and the
 * kernel does again.
 */
#ifndef CROCE_SQE_H
#define CROCE_SQE_H

#include <assert.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "ring.h"

/* The payload is copied as it is, and the numbers are used as they are. */
static_assert(sizeof(struct ibv_sge) == sizeof(struct croce_sge), "sge");
static_assert(offsetof(struct ibv_sge, addr) ==
	      offsetof(struct croce_sge, addr), "sge.addr");
static_assert(offsetof(struct ibv_sge, length) ==
	      offsetof(struct croce_sge, length), "sge.length");
static_assert(offsetof(struct ibv_sge, lkey) ==
	      offsetof(struct croce_sge, lkey), "sge.lkey");
static_assert(sizeof(struct croce_sqe) == 64, "sqe");
static_assert(IBV_SEND_FENCE == CROCE_WR_FENCE, "fence");
static_assert(IBV_SEND_SIGNALED == CROCE_WR_SIGNALED, "signaled");
static_assert(IBV_SEND_SOLICITED == CROCE_WR_SOLICITED, "solicited");
static_assert(IBV_SEND_INLINE == CROCE_WR_INLINE, "inline");

/* Clears the header of slot @index and names the request. */
static inline struct croce_sqe *croce_sqe_begin(const struct croce_wq *wq,
						uint32_t index, uint64_t wr_id,
						uint8_t opcode, uint8_t flags)
{
	struct croce_sqe *sqe = croce_wq_slot(wq, index);

	*sqe = (struct croce_sqe){
		.wr_id = wr_id,
		.opcode = opcode,
		.flags = flags,
	};
	return sqe;
}

/* Immediate data stays in network order, whatever the host's is. */
static inline void croce_sqe_set_imm(struct croce_sqe *sqe, __be32 imm)
{
	sqe->imm = (__force uint32_t)imm;
}

static inline void croce_sqe_set_inv(struct croce_sqe *sqe, uint32_t rkey)
{
	sqe->imm = rkey;
}

static inline void croce_sqe_set_remote(struct croce_sqe *sqe, uint32_t rkey,
					uint64_t remote_addr)
{
	sqe->rkey = rkey;
	sqe->remote_addr = remote_addr;
}

static inline void croce_sqe_set_atomic(struct croce_sqe *sqe,
					uint64_t compare_add, uint64_t swap)
{
	sqe->compare_add = compare_add;
	sqe->swap = swap;
}

/* @data: the 8 bytes to write, in memory order and of any alignment */
static inline void croce_sqe_set_atomic_write(struct croce_sqe *sqe,
					      const void *data)
{
	memcpy(&sqe->swap, data, sizeof(sqe->swap));
}

static inline void croce_sqe_set_flush(struct croce_sqe *sqe, uint64_t length,
				       uint8_t type, uint8_t level)
{
	sqe->compare_add = length;
	sqe->swap = type | (uint64_t)level << 8;
}

static inline void croce_sqe_set_bind(struct croce_sqe *sqe,
				      const struct ibv_mw *mw, uint32_t rkey,
				      const struct ibv_mw_bind_info *info)
{
	uint32_t lkey = info->mr ? info->mr->lkey : 0;

	sqe->rkey = rkey;
	sqe->ah = mw->rkey;
	sqe->remote_addr = info->addr;
	sqe->compare_add = info->length;
	sqe->swap = info->mw_access_flags | (uint64_t)lkey << 32;
}

static inline void croce_sqe_set_ud(struct croce_sqe *sqe, uint32_t ah,
				    uint32_t remote_qpn, uint32_t remote_qkey)
{
	sqe->ah = ah;
	sqe->remote_qpn = remote_qpn;
	sqe->remote_qkey = remote_qkey;
}

static inline void croce_sqe_set_xrc(struct croce_sqe *sqe,
				     uint32_t remote_srqn)
{
	sqe->remote_qpn = remote_srqn;
}

static inline void croce_sqe_set_sges(struct croce_sqe *sqe,
				      const struct ibv_sge *list,
				      uint32_t num_sge)
{
	sqe->num_sge = num_sge;
	if (num_sge)
		memcpy(sqe + 1, list, num_sge * sizeof(*list));
}

/* Appends to the inline payload; the first call makes the request inline. */
static inline void croce_sqe_add_inline(struct croce_sqe *sqe,
					const void *data, size_t length)
{
	uint8_t *payload = (uint8_t *)(sqe + 1);

	sqe->flags |= CROCE_WR_INLINE;
	if (length)
		memcpy(payload + sqe->inline_len, data, length);
	sqe->inline_len += length;
}

#endif /* CROCE_SQE_H */
