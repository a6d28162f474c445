/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Header layouts of the InfiniBand transport, as RoCE carries them. Formats
 * only: which opcode carries which header is opcode.c, bytes to host order and
 * back is parse.c, and the values of the AETH syndrome are aeth.h.
 *
 * All structs are packed, so that a pointer to bytes at any address may be cast
 * to them. Clauses are those of the IBA specification, volume 1.
 */
#ifndef CROCE_WIRE_HDR_H
#define CROCE_WIRE_HDR_H

#include "env.h"

#define CROCE_UDP_PORT		4791	/* destination port, Annex A17 */
#define CROCE_ETHERTYPE_ROCE1	0x8915	/* RoCEv1, Annex A16 */
#define CROCE_ICRC_LEN		4
#define CROCE_MIN_MTU		256U
#define CROCE_MAX_MTU		4096U
#define CROCE_QPN_MASK		0xffffffU	/* QP, XRC SRQ and EE numbers */
#define CROCE_MSN_MASK		0xffffffU
#define CROCE_QPN_GSI		1U
#define CROCE_QPN_MULTICAST	0xffffffU

/**
 * struct croce_bth - base transport header, 9.2
 * @opcode: transport and operation, see opcode.h
 * @flags: CROCE_BTH_SE, _MIGREQ, _PAD_MASK, _TVER_MASK
 * @pkey: partition key
 * @qpn: destination QP; FECN and BECN of Annex A17 in the top byte, which the
 *	ICRC does not cover
 * @psn: packet sequence number; CROCE_BTH_ACKREQ in the top byte
 */
struct croce_bth {
	u8 opcode;
	u8 flags;
	__be16 pkey;
	__be32 qpn;
	__be32 psn;
} __packed;

/* croce_bth.flags */
#define CROCE_BTH_SE		0x80
#define CROCE_BTH_MIGREQ	0x40
#define CROCE_BTH_PAD_MASK	0x30
#define CROCE_BTH_PAD_SHIFT	4
#define CROCE_BTH_TVER_MASK	0x0f
/* croce_bth.qpn, host order */
#define CROCE_BTH_FECN		0x80000000U
#define CROCE_BTH_BECN		0x40000000U
/* croce_bth.psn, host order */
#define CROCE_BTH_ACKREQ	0x80000000U
#define CROCE_BTH_PSN_MASK	0xffffffU
/* offset of the byte that holds FECN and BECN */
#define CROCE_BTH_ECN_BYTE	4

/**
 * struct croce_deth - datagram extended transport header, 9.3
 * @qkey: queue key
 * @src_qpn: QP to answer to, 24 bits; the rest is reserved
 */
struct croce_deth {
	__be32 qkey;
	__be32 src_qpn;
} __packed;

/**
 * struct croce_xrceth - XRC extended transport header, Annex A14
 * @srqn: number of the XRC SRQ, 24 bits; the rest is reserved
 */
struct croce_xrceth {
	__be32 srqn;
} __packed;

/**
 * struct croce_feth - FLUSH extended transport header, Annex A19
 * @flush: CROCE_FETH_PLT_MASK and CROCE_FETH_SEL_MASK; the rest is reserved
 */
struct croce_feth {
	__be32 flush;
} __packed;

/* croce_feth.flush, host order */
#define CROCE_FETH_PLT_MASK	0x0fU		/* placement type, bits */
#define CROCE_FETH_PLT_GLOBAL	0x1U		/* globally visible */
#define CROCE_FETH_PLT_PERSIST	0x2U		/* persistent */
#define CROCE_FETH_SEL_SHIFT	4
#define CROCE_FETH_SEL_MASK	0x30U		/* selectivity level */
#define CROCE_FETH_SEL_RANGE	0U
#define CROCE_FETH_SEL_MR	1U

/**
 * struct croce_reth - RDMA extended transport header, 9.3
 * @va: first address in the memory of the responder
 * @rkey: remote key
 * @dma_len: bytes of the whole request, at most 2^31
 */
struct croce_reth {
	__be64 va;
	__be32 rkey;
	__be32 dma_len;
} __packed;

/**
 * struct croce_atomiceth - atomic extended transport header, 9.3
 * @va: address in the memory of the responder, a multiple of 8
 * @rkey: remote key
 * @swap_add: value to swap in or to add
 * @compare: value to compare with
 */
struct croce_atomiceth {
	__be64 va;
	__be32 rkey;
	__be64 swap_add;
	__be64 compare;
} __packed;

/**
 * struct croce_aeth - acknowledge extended transport header, 9.3
 * @syndrome_msn: syndrome (aeth.h) in the top byte, message sequence number
 */
struct croce_aeth {
	__be32 syndrome_msn;
} __packed;

#define CROCE_AETH_SYNDROME_SHIFT	24

/**
 * struct croce_atomicacketh - atomic acknowledge extended transport header, 9.3
 * @orig: value before the operation
 */
struct croce_atomicacketh {
	__be64 orig;
} __packed;

/**
 * struct croce_immdt - immediate data, 9.3
 * @imm: passed through unchanged
 */
struct croce_immdt {
	__be32 imm;
} __packed;

/**
 * struct croce_ieth - invalidate extended transport header, 9.3
 * @rkey: key to invalidate
 */
struct croce_ieth {
	__be32 rkey;
} __packed;

/**
 * struct croce_cnp_body - what follows the BTH of a CNP, Annex A17
 * @reserved: zero when sent, ignored when received
 */
struct croce_cnp_body {
	u8 reserved[16];
} __packed;

static_assert(sizeof(struct croce_bth) == 12);
static_assert(offsetof(struct croce_bth, qpn) == CROCE_BTH_ECN_BYTE);
static_assert(offsetof(struct croce_bth, psn) == 8);
static_assert(sizeof(struct croce_deth) == 8);
static_assert(sizeof(struct croce_xrceth) == 4);
static_assert(sizeof(struct croce_feth) == 4);
static_assert(sizeof(struct croce_reth) == 16);
static_assert(offsetof(struct croce_reth, dma_len) == 12);
static_assert(sizeof(struct croce_atomiceth) == 28);
static_assert(offsetof(struct croce_atomiceth, compare) == 20);
static_assert(sizeof(struct croce_aeth) == 4);
static_assert(sizeof(struct croce_atomicacketh) == 8);
static_assert(sizeof(struct croce_immdt) == 4);
static_assert(sizeof(struct croce_ieth) == 4);
static_assert(sizeof(struct croce_cnp_body) == 16);

/* The longest: BTH, XRCETH and AtomicETH. The KUnit suite compares. */
#define CROCE_MAX_HDR_LEN	44

#endif /* CROCE_WIRE_HDR_H */
