/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The private image of a send work request: copied out of the queue the user
 * can write, validated, and from then on the only thing anybody looks at.
 */
#ifndef CROCE_CORE_WQE_H
#define CROCE_CORE_WQE_H

#include "../wire/env.h"

/**
 * enum croce_status - outcome of a work request
 *
 * The numbers of enum ib_wc_status; objects.c asserts that.
 *
 * @CROCE_STATUS_SUCCESS: done
 * @CROCE_STATUS_LOC_LEN_ERR: local length error
 * @CROCE_STATUS_LOC_QP_OP_ERR: malformed or illegal work request
 * @CROCE_STATUS_LOC_PROT_ERR: local key, range or access error
 * @CROCE_STATUS_WR_FLUSH_ERR: not executed, the QP is in error
 * @CROCE_STATUS_MW_BIND_ERR: window could not be bound
 * @CROCE_STATUS_BAD_RESP_ERR: response does not fit the request
 * @CROCE_STATUS_REM_INV_REQ_ERR: NAK invalid request
 * @CROCE_STATUS_REM_ACCESS_ERR: NAK remote access error
 * @CROCE_STATUS_REM_OP_ERR: NAK remote operational error
 * @CROCE_STATUS_RETRY_EXC_ERR: transport retry count exceeded
 * @CROCE_STATUS_RNR_RETRY_EXC_ERR: RNR retry count exceeded
 */
enum croce_status {
	CROCE_STATUS_SUCCESS		= 0,
	CROCE_STATUS_LOC_LEN_ERR	= 1,
	CROCE_STATUS_LOC_QP_OP_ERR	= 2,
	CROCE_STATUS_LOC_PROT_ERR	= 4,
	CROCE_STATUS_WR_FLUSH_ERR	= 5,
	CROCE_STATUS_MW_BIND_ERR	= 6,
	CROCE_STATUS_BAD_RESP_ERR	= 7,
	CROCE_STATUS_REM_INV_REQ_ERR	= 9,
	CROCE_STATUS_REM_ACCESS_ERR	= 10,
	CROCE_STATUS_REM_OP_ERR		= 11,
	CROCE_STATUS_RETRY_EXC_ERR	= 12,
	CROCE_STATUS_RNR_RETRY_EXC_ERR	= 13,
};

/**
 * enum croce_kind - what a work request does on the wire
 * @CROCE_KIND_SEND: SEND, with immediate or invalidate by flag
 * @CROCE_KIND_WRITE: RDMA WRITE, with immediate by flag
 * @CROCE_KIND_READ: RDMA READ
 * @CROCE_KIND_CMP_SWAP: compare and swap
 * @CROCE_KIND_FETCH_ADD: fetch and add
 * @CROCE_KIND_ATOMIC_WRITE: 8-byte ATOMIC WRITE (IBA Annex A19)
 * @CROCE_KIND_FLUSH: FLUSH (IBA Annex A19)
 * @CROCE_KIND_LOCAL: bind, invalidate, register: nothing on the wire
 */
enum croce_kind {
	CROCE_KIND_SEND,
	CROCE_KIND_WRITE,
	CROCE_KIND_READ,
	CROCE_KIND_CMP_SWAP,
	CROCE_KIND_FETCH_ADD,
	CROCE_KIND_ATOMIC_WRITE,
	CROCE_KIND_FLUSH,
	CROCE_KIND_LOCAL,
};

#define CROCE_WQE_SIGNALED	BIT(0)	/* wants a completion */
#define CROCE_WQE_SOLICITED	BIT(1)	/* SE bit on the last packet */
#define CROCE_WQE_FENCE		BIT(2)	/* waits for earlier READs and atomics */
#define CROCE_WQE_INLINE	BIT(3)	/* payload is in the slot */
#define CROCE_WQE_IMM		BIT(4)	/* carries immediate data */
#define CROCE_WQE_INV		BIT(5)	/* carries an R_Key to invalidate */
#define CROCE_WQE_STARTED	BIT(6)	/* PSNs are assigned */
#define CROCE_WQE_DONE		BIT(7)	/* local operation was performed */

/**
 * struct croce_wqe - private image of a send work request
 * @wr_id: returned in the completion
 * @remote_addr: remote virtual address
 * @compare_add: first atomic operand; FLUSH: length of the range
 * @swap: second atomic operand; ATOMIC WRITE: the value
 * @length: payload in bytes, at most 2^31
 * @rkey: remote key
 * @inv_rkey: R_Key to invalidate remotely, with CROCE_WQE_INV
 * @imm: immediate data, with CROCE_WQE_IMM
 * @first_psn: first PSN, once CROCE_WQE_STARTED
 * @next_psn: first PSN after the request, once CROCE_WQE_STARTED
 * @opcode: opcode of the work request, for the completion (opaque here)
 * @kind: enum croce_kind
 * @flags: CROCE_WQE_*
 * @status: enum croce_status; an error here stops the send queue at this WQE
 * @num_sge: scatter/gather elements of the slot
 */
struct croce_wqe {
	u64 wr_id;
	u64 remote_addr;
	u64 compare_add;
	u64 swap;
	u32 length;
	u32 rkey;
	u32 inv_rkey;
	__be32 imm;
	u32 first_psn;
	u32 next_psn;
	u8 opcode;
	u8 kind;
	u8 flags;
	u8 status;
	u8 num_sge;
};

/**
 * croce_kind_has_response - does the request complete by a response?
 * @kind: enum croce_kind
 *
 * Return: true for those that an ACK cannot complete (IBA 9.7.5.1.3): READ,
 * atomics and the operations of Annex A19. Context: any.
 */
static inline bool croce_kind_has_response(u8 kind)
{
	return kind >= CROCE_KIND_READ && kind < CROCE_KIND_LOCAL;
}

#endif /* CROCE_CORE_WQE_H */
