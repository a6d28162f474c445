/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR Linux-OpenIB */
/*
 * The contract between croce.ko and its rdma-core provider: command structs
 * of the uverbs calls, and the layout of the queues both sides map.
 *
 * Rules of growth. A version number would tie releases together, so there is
 * only one, CROCE_ABI_VERSION, for the day the queue layout itself changes;
 * the context call refuses a provider that does not know it. Everything else
 * grows by appending members (a reader takes what it knows, demands zeros in
 * what it does not) and by bits in comp_mask (an unknown bit is an error in a
 * request and ignored in a response). Reserved members are named by their
 * offset in hex and must be zero. Structs are multiples of 8 bytes, without
 * padding, pointers, bit-fields or enums, the same for 32- and 64-bit users.
 *
 * Trust. The kernel reads a user-written word once, copies it, checks the
 * copy, and keeps no state of its own in memory the user can write: a word
 * marked "kernel writes" is a report, never read back. A process that
 * scribbles over its own queues can only harm its own queue pair.
 *
 * Ordering. Letters name the pairs; each barrier in the kernel and in the
 * provider repeats its letter:
 *   A  the producer fills a slot, then store-release of prod; the consumer
 *      load-acquires prod, then reads the slot.
 *   B  the consumer finishes with a slot, then store-release of cons; the
 *      producer load-acquires cons, then overwrites the slot.
 *   C  doorbell elision (send queue): the provider stores prod, full barrier,
 *      loads state; the kernel stores state, full barrier, loads prod. At
 *      least one of the two sees the other, so no WR waits unseen.
 *      The same holds for a receive queue while CROCE_RQ_KICK is set in its
 *      state: the QP is in error, and each post has to ring for its flush.
 *   D  CQ arming: the user stores arm, full barrier, polls once more; the
 *      kernel stores prod, full barrier, loads arm. At least one of the two
 *      sees the other, so no completion is left without an event.
 *
 * All indices run freely through 32 bits; slot = index & (slots - 1), and the
 * number of slots is a power of two. Ring words are in host byte order.
 */
#ifndef CROCE_ABI_USER_H
#define CROCE_ABI_USER_H

#include <linux/types.h>

/* Layout of the mapped queues; see "Rules of growth". */
#define CROCE_ABI_VERSION	1

/* Private number, far above the end of enum rdma_driver_id ("croc"). */
#define CROCE_DRIVER_ID		0x63726f63

/* --- queue control ------------------------------------------------------ */

/* State bits of a send queue; kernel writes, see letter C. */
#define CROCE_SQ_BUSY		(1U << 0) /* the kernel will look again by itself */

/* State bits of a receive queue; kernel writes, see letter C. */
#define CROCE_RQ_KICK		(1U << 1) /* ring the doorbell after posting */

/**
 * struct croce_wq_ctl - control words of a send, receive or shared receive queue
 * @prod: user writes (A): WRs posted. The kernel clamps to the ring size.
 * @reserved_4: zero; keeps the two writers on separate cache lines
 * @cons: kernel writes (B): slots released. The user trusts it.
 * @state: kernel writes (C): CROCE_SQ_* or CROCE_RQ_* bits. The user trusts it.
 * @reserved_48: zero
 */
struct croce_wq_ctl {
	__u32 prod;
	__u32 reserved_4[15];
	__u32 cons;
	__u32 state;
	__u32 reserved_48[14];
};

/* Arm word of a CQ: (generation << 1) | solicited-only. */
#define CROCE_CQ_ARM_SOLICITED	(1U << 0)
#define CROCE_CQ_ARM_STEP	(1U << 1)

/* Flag bits of a CQ; kernel writes. */
#define CROCE_CQ_OVERRUN	(1U << 0) /* a completion was lost; CQ is dead */

/**
 * struct croce_cq_ctl - control words of a completion queue
 * @cons: user writes (B): CQEs consumed. The kernel uses it only to detect
 *	overrun.
 * @arm: user writes (D): adds CROCE_CQ_ARM_STEP for each request of an event
 *	and sets or clears CROCE_CQ_ARM_SOLICITED. The kernel remembers the
 *	last value it raised an event for, and raises one for each new value.
 * @reserved_8: zero
 * @prod: kernel writes (A): CQEs produced
 * @flags: kernel writes: CROCE_CQ_* bits
 * @reserved_48: zero
 */
struct croce_cq_ctl {
	__u32 cons;
	__u32 arm;
	__u32 reserved_8[14];
	__u32 prod;
	__u32 flags;
	__u32 reserved_48[14];
};

/* --- queue elements ------------------------------------------------------ */

/**
 * struct croce_sge - one scatter/gather element
 * @addr: user virtual address (or offset, for a zero-based MR)
 * @length: bytes; zero is legal and names no memory
 * @lkey: local key, checked by the kernel
 */
struct croce_sge {
	__u64 addr;
	__u32 length;
	__u32 lkey;
};

/* Opcodes of a send WR: the numbers of enum ibv_wr_opcode. */
#define CROCE_WR_RDMA_WRITE		0
#define CROCE_WR_RDMA_WRITE_WITH_IMM	1
#define CROCE_WR_SEND			2
#define CROCE_WR_SEND_WITH_IMM		3
#define CROCE_WR_RDMA_READ		4
#define CROCE_WR_ATOMIC_CMP_AND_SWP	5
#define CROCE_WR_ATOMIC_FETCH_AND_ADD	6
#define CROCE_WR_LOCAL_INV		7
#define CROCE_WR_BIND_MW		8
#define CROCE_WR_SEND_WITH_INV		9
#define CROCE_WR_FLUSH			14
#define CROCE_WR_ATOMIC_WRITE		15

/* Flags of a send WR: the bits of enum ibv_send_flags. */
#define CROCE_WR_FENCE			(1U << 0)
#define CROCE_WR_SIGNALED		(1U << 1)
#define CROCE_WR_SOLICITED		(1U << 2)
#define CROCE_WR_INLINE			(1U << 3)

/**
 * struct croce_sqe - one slot of a send queue
 * @wr_id: returned in the completion
 * @opcode: CROCE_WR_*
 * @flags: CROCE_WR_FENCE and so on; unknown bits fail the WR
 * @num_sge: elements that follow; zero when CROCE_WR_INLINE is set
 * @reserved_b: zero
 * @inline_len: bytes of payload that follow when CROCE_WR_INLINE is set, else 0
 * @imm: immediate data in network order, or the R_Key to invalidate in host
 *	order (SEND_WITH_INV, LOCAL_INV)
 * @rkey: remote key; BIND_MW: the new R_Key of the window
 * @remote_addr: remote virtual address; BIND_MW: first address of the window
 * @compare_add: atomic operand one; BIND_MW: length of the window in bytes;
 *	FLUSH: length
 * @swap: atomic operand two; ATOMIC_WRITE: the 8 bytes to write;
 *	BIND_MW: access flags in the low half, MR's lkey in the high half;
 *	FLUSH: placement type in bits 0..7, selectivity level in bits 8..15
 * @ah: UD: handle from struct croce_create_ah_resp; BIND_MW: old R_Key
 * @remote_qpn: UD; XRC: number of the remote SRQ
 * @remote_qkey: UD; with the top bit set the QP's own Q_Key is sent
 * @reserved_3c: zero
 *
 * The slot continues with num_sge struct croce_sge, or inline_len bytes.
 */
struct croce_sqe {
	__u64 wr_id;
	__u8 opcode;
	__u8 flags;
	__u8 num_sge;
	__u8 reserved_b;
	__u32 inline_len;
	__u32 imm;
	__u32 rkey;
	__u64 remote_addr;
	__u64 compare_add;
	__u64 swap;
	__u32 ah;
	__u32 remote_qpn;
	__u32 remote_qkey;
	__u32 reserved_3c;
};

/**
 * struct croce_rqe - one slot of a receive or shared receive queue
 * @wr_id: returned in the completion
 * @num_sge: elements of struct croce_sge that follow
 * @reserved_c: zero
 */
struct croce_rqe {
	__u64 wr_id;
	__u32 num_sge;
	__u32 reserved_c;
};

/* wc_flags of a CQE: the bits of enum ibv_wc_flags, and two more. */
#define CROCE_CQE_GRH			(1U << 0)
#define CROCE_CQE_WITH_IMM		(1U << 1)
#define CROCE_CQE_WITH_INV		(1U << 3)
#define CROCE_CQE_SOLICITED		(1U << 8)

/* Values of croce_cqe.network_hdr_type. */
#define CROCE_HDR_IPV4			1
#define CROCE_HDR_IPV6			2

/* Opcodes of a CQE: the numbers of enum ibv_wc_opcode. */
#define CROCE_WC_SEND			0
#define CROCE_WC_RDMA_WRITE		1
#define CROCE_WC_RDMA_READ		2
#define CROCE_WC_COMP_SWAP		3
#define CROCE_WC_FETCH_ADD		4
#define CROCE_WC_BIND_MW		5
#define CROCE_WC_LOCAL_INV		6
#define CROCE_WC_FLUSH			8
#define CROCE_WC_ATOMIC_WRITE		9
#define CROCE_WC_RECV			128
#define CROCE_WC_RECV_RDMA_WITH_IMM	129

/**
 * struct croce_cqe - one completion; kernel writes, the user trusts it
 * @wr_id: of the completed WR
 * @byte_len: bytes received, read, or zero
 * @imm: immediate data in network order, or the invalidated R_Key
 * @qp_num: local queue pair; XRC: the target, also with an SRQ's receives
 * @src_qp: remote queue pair
 * @status: enum ibv_wc_status; opcode and lengths mean nothing when not 0
 * @opcode: CROCE_WC_*
 * @wc_flags: CROCE_CQE_*
 * @vendor_err: cause of a failure, see Documentation/abi.rst
 * @timestamp: CLOCK_MONOTONIC in ns when the CQE was made
 * @pkey_index: UD
 * @sl: service level (UD: VLAN priority, else 0)
 * @network_hdr_type: UD: CROCE_HDR_*
 * @vlan_id: UD: VLAN, 0xffff without
 * @smac: UD: source MAC, zeros where the link has none
 * @reserved_34: zero
 */
struct croce_cqe {
	__u64 wr_id;
	__u32 byte_len;
	__u32 imm;
	__u32 qp_num;
	__u32 src_qp;
	__u8 status;
	__u8 opcode;
	__u16 wc_flags;
	__u32 vendor_err;
	__u64 timestamp;
	__u16 pkey_index;
	__u8 sl;
	__u8 network_hdr_type;
	__u16 vlan_id;
	__u8 smac[6];
	__u32 reserved_34[3];
};

/* --- commands ------------------------------------------------------------ */

/**
 * struct croce_queue_map - where one queue lies in its mapping
 * @ctl_offset: bytes from the start of the mapping to the control words
 * @ring_offset: bytes from the start of the mapping to slot 0
 * @slots: power of two; 0 when the queue does not exist
 * @stride: bytes from slot to slot
 */
struct croce_queue_map {
	__u32 ctl_offset;
	__u32 ring_offset;
	__u32 slots;
	__u32 stride;
};

/**
 * struct croce_alloc_ucontext_req - opens a context
 * @comp_mask: no bits known
 * @abi_version: the only layout the provider knows; 0 is an error
 * @reserved_c: zero
 *
 * Fails with EPROTONOSUPPORT where the module does not speak @abi_version.
 */
struct croce_alloc_ucontext_req {
	__u64 comp_mask;
	__u32 abi_version;
	__u32 reserved_c;
};

/**
 * struct croce_alloc_ucontext_resp
 * @comp_mask: capability bits; none yet
 * @abi_version: the layout in use
 * @max_inline: largest inline payload a QP can be created with, in bytes
 */
struct croce_alloc_ucontext_resp {
	__u64 comp_mask;
	__u32 abi_version;
	__u32 max_inline;
};

/**
 * struct croce_alloc_pd_resp
 * @comp_mask: none yet; narrow, as it follows a uverbs header of 4 bytes
 * @pdn: number of the protection domain, for display
 */
struct croce_alloc_pd_resp {
	__u32 comp_mask;
	__u32 pdn;
};

/**
 * struct croce_create_cq_resp - also answers resize
 * @comp_mask: none yet
 * @map_offset: offset argument of mmap
 * @map_length: length argument of mmap
 * @cq: struct croce_cq_ctl and the CQEs
 *
 * Resize: the unconsumed CQEs are in the new mapping at the same indices when
 * the call returns; the caller keeps other pollers out meanwhile, and unmaps
 * the old one.
 */
struct croce_create_cq_resp {
	__u64 comp_mask;
	__u64 map_offset;
	__u64 map_length;
	struct croce_queue_map cq;
};

/**
 * struct croce_create_qp_req
 * @comp_mask: no bits known
 */
struct croce_create_qp_req {
	__u64 comp_mask;
};

/**
 * struct croce_create_qp_resp - not written for an XRC target, which has none
 * @comp_mask: none yet
 * @map_offset: offset argument of mmap
 * @map_length: length argument of mmap
 * @sq: send queue
 * @rq: receive queue; slots is 0 when the QP uses an SRQ, and with XRC
 * @max_inline: bytes of inline payload a slot of @sq holds
 * @reserved_3c: zero
 */
struct croce_create_qp_resp {
	__u64 comp_mask;
	__u64 map_offset;
	__u64 map_length;
	struct croce_queue_map sq;
	struct croce_queue_map rq;
	__u32 max_inline;
	__u32 reserved_3c;
};

/**
 * struct croce_create_srq_resp - also answers resize
 * @comp_mask: none yet
 * @map_offset: offset argument of mmap
 * @map_length: length argument of mmap
 * @rq: the shared receive queue
 * @srq_num: number of the SRQ
 * @reserved_2c: zero
 */
struct croce_create_srq_resp {
	__u64 comp_mask;
	__u64 map_offset;
	__u64 map_length;
	struct croce_queue_map rq;
	__u32 srq_num;
	__u32 reserved_2c;
};

/**
 * struct croce_modify_srq_req - resize asks for a new mapping through this
 * @comp_mask: no bits known
 * @resp_addr: user address of a struct croce_create_srq_resp, written on resize
 */
struct croce_modify_srq_req {
	__u64 comp_mask;
	__u64 resp_addr;
};

/**
 * struct croce_create_ah_resp
 * @comp_mask: none yet; narrow, as it follows a uverbs header of 4 bytes
 * @ah: handle for croce_sqe.ah
 */
struct croce_create_ah_resp {
	__u32 comp_mask;
	__u32 ah;
};

#endif /* CROCE_ABI_USER_H */
