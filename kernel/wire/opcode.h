/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * BTH opcodes and what each of them means (IBA volume 1, table 38; XRC: Annex
 * A14; CNP: Annex A17; FLUSH and ATOMIC WRITE: Annex A19). Every question of
 * the form "does this packet ...?" is a flag of the table in opcode.c.
 */
#ifndef CROCE_WIRE_OPCODE_H
#define CROCE_WIRE_OPCODE_H

#include "env.h"
#include "hdr.h"

/* The transport, in the top three bits. */
enum {
	CROCE_TRANSPORT_RC		= 0x00,
	CROCE_TRANSPORT_UC		= 0x20,
	CROCE_TRANSPORT_UD		= 0x60,
	CROCE_TRANSPORT_CNP		= 0x80,
	CROCE_TRANSPORT_XRC		= 0xa0,
	CROCE_TRANSPORT_MASK		= 0xe0,
};

/* The operation, in the low five bits. */
enum {
	CROCE_OP_SEND_FIRST		= 0x00,
	CROCE_OP_SEND_MIDDLE		= 0x01,
	CROCE_OP_SEND_LAST		= 0x02,
	CROCE_OP_SEND_LAST_IMM		= 0x03,
	CROCE_OP_SEND_ONLY		= 0x04,
	CROCE_OP_SEND_ONLY_IMM		= 0x05,
	CROCE_OP_WRITE_FIRST		= 0x06,
	CROCE_OP_WRITE_MIDDLE		= 0x07,
	CROCE_OP_WRITE_LAST		= 0x08,
	CROCE_OP_WRITE_LAST_IMM		= 0x09,
	CROCE_OP_WRITE_ONLY		= 0x0a,
	CROCE_OP_WRITE_ONLY_IMM		= 0x0b,
	CROCE_OP_READ_REQ		= 0x0c,
	CROCE_OP_READ_RESP_FIRST	= 0x0d,
	CROCE_OP_READ_RESP_MIDDLE	= 0x0e,
	CROCE_OP_READ_RESP_LAST		= 0x0f,
	CROCE_OP_READ_RESP_ONLY		= 0x10,
	CROCE_OP_ACK			= 0x11,
	CROCE_OP_ATOMIC_ACK		= 0x12,
	CROCE_OP_CMP_SWAP		= 0x13,
	CROCE_OP_FETCH_ADD		= 0x14,
	CROCE_OP_SEND_LAST_INV		= 0x16,
	CROCE_OP_SEND_ONLY_INV		= 0x17,
	CROCE_OP_FLUSH			= 0x1c,
	CROCE_OP_ATOMIC_WRITE		= 0x1d,
	CROCE_OP_MASK			= 0x1f,
};

/* Opcodes: transport | operation. */
enum {
#define CROCE_RC(op)	(CROCE_TRANSPORT_RC | CROCE_OP_##op)
	CROCE_OP_RC_SEND_FIRST		= CROCE_RC(SEND_FIRST),
	CROCE_OP_RC_SEND_MIDDLE		= CROCE_RC(SEND_MIDDLE),
	CROCE_OP_RC_SEND_LAST		= CROCE_RC(SEND_LAST),
	CROCE_OP_RC_SEND_LAST_IMM	= CROCE_RC(SEND_LAST_IMM),
	CROCE_OP_RC_SEND_ONLY		= CROCE_RC(SEND_ONLY),
	CROCE_OP_RC_SEND_ONLY_IMM	= CROCE_RC(SEND_ONLY_IMM),
	CROCE_OP_RC_WRITE_FIRST		= CROCE_RC(WRITE_FIRST),
	CROCE_OP_RC_WRITE_MIDDLE	= CROCE_RC(WRITE_MIDDLE),
	CROCE_OP_RC_WRITE_LAST		= CROCE_RC(WRITE_LAST),
	CROCE_OP_RC_WRITE_LAST_IMM	= CROCE_RC(WRITE_LAST_IMM),
	CROCE_OP_RC_WRITE_ONLY		= CROCE_RC(WRITE_ONLY),
	CROCE_OP_RC_WRITE_ONLY_IMM	= CROCE_RC(WRITE_ONLY_IMM),
	CROCE_OP_RC_READ_REQ		= CROCE_RC(READ_REQ),
	CROCE_OP_RC_READ_RESP_FIRST	= CROCE_RC(READ_RESP_FIRST),
	CROCE_OP_RC_READ_RESP_MIDDLE	= CROCE_RC(READ_RESP_MIDDLE),
	CROCE_OP_RC_READ_RESP_LAST	= CROCE_RC(READ_RESP_LAST),
	CROCE_OP_RC_READ_RESP_ONLY	= CROCE_RC(READ_RESP_ONLY),
	CROCE_OP_RC_ACK			= CROCE_RC(ACK),
	CROCE_OP_RC_ATOMIC_ACK		= CROCE_RC(ATOMIC_ACK),
	CROCE_OP_RC_CMP_SWAP		= CROCE_RC(CMP_SWAP),
	CROCE_OP_RC_FETCH_ADD		= CROCE_RC(FETCH_ADD),
	CROCE_OP_RC_SEND_LAST_INV	= CROCE_RC(SEND_LAST_INV),
	CROCE_OP_RC_SEND_ONLY_INV	= CROCE_RC(SEND_ONLY_INV),
	CROCE_OP_RC_FLUSH		= CROCE_RC(FLUSH),
	CROCE_OP_RC_ATOMIC_WRITE	= CROCE_RC(ATOMIC_WRITE),
#undef CROCE_RC

#define CROCE_UC(op)	(CROCE_TRANSPORT_UC | CROCE_OP_##op)
	CROCE_OP_UC_SEND_FIRST		= CROCE_UC(SEND_FIRST),
	CROCE_OP_UC_SEND_MIDDLE		= CROCE_UC(SEND_MIDDLE),
	CROCE_OP_UC_SEND_LAST		= CROCE_UC(SEND_LAST),
	CROCE_OP_UC_SEND_LAST_IMM	= CROCE_UC(SEND_LAST_IMM),
	CROCE_OP_UC_SEND_ONLY		= CROCE_UC(SEND_ONLY),
	CROCE_OP_UC_SEND_ONLY_IMM	= CROCE_UC(SEND_ONLY_IMM),
	CROCE_OP_UC_WRITE_FIRST		= CROCE_UC(WRITE_FIRST),
	CROCE_OP_UC_WRITE_MIDDLE	= CROCE_UC(WRITE_MIDDLE),
	CROCE_OP_UC_WRITE_LAST		= CROCE_UC(WRITE_LAST),
	CROCE_OP_UC_WRITE_LAST_IMM	= CROCE_UC(WRITE_LAST_IMM),
	CROCE_OP_UC_WRITE_ONLY		= CROCE_UC(WRITE_ONLY),
	CROCE_OP_UC_WRITE_ONLY_IMM	= CROCE_UC(WRITE_ONLY_IMM),
#undef CROCE_UC

	CROCE_OP_UD_SEND_ONLY		= CROCE_TRANSPORT_UD |
					  CROCE_OP_SEND_ONLY,
	CROCE_OP_UD_SEND_ONLY_IMM	= CROCE_TRANSPORT_UD |
					  CROCE_OP_SEND_ONLY_IMM,

	CROCE_OP_CNP			= CROCE_TRANSPORT_CNP | 0x01,

#define CROCE_XRC(op)	(CROCE_TRANSPORT_XRC | CROCE_OP_##op)
	CROCE_OP_XRC_SEND_FIRST		= CROCE_XRC(SEND_FIRST),
	CROCE_OP_XRC_SEND_MIDDLE	= CROCE_XRC(SEND_MIDDLE),
	CROCE_OP_XRC_SEND_LAST		= CROCE_XRC(SEND_LAST),
	CROCE_OP_XRC_SEND_LAST_IMM	= CROCE_XRC(SEND_LAST_IMM),
	CROCE_OP_XRC_SEND_ONLY		= CROCE_XRC(SEND_ONLY),
	CROCE_OP_XRC_SEND_ONLY_IMM	= CROCE_XRC(SEND_ONLY_IMM),
	CROCE_OP_XRC_WRITE_FIRST	= CROCE_XRC(WRITE_FIRST),
	CROCE_OP_XRC_WRITE_MIDDLE	= CROCE_XRC(WRITE_MIDDLE),
	CROCE_OP_XRC_WRITE_LAST		= CROCE_XRC(WRITE_LAST),
	CROCE_OP_XRC_WRITE_LAST_IMM	= CROCE_XRC(WRITE_LAST_IMM),
	CROCE_OP_XRC_WRITE_ONLY		= CROCE_XRC(WRITE_ONLY),
	CROCE_OP_XRC_WRITE_ONLY_IMM	= CROCE_XRC(WRITE_ONLY_IMM),
	CROCE_OP_XRC_READ_REQ		= CROCE_XRC(READ_REQ),
	CROCE_OP_XRC_READ_RESP_FIRST	= CROCE_XRC(READ_RESP_FIRST),
	CROCE_OP_XRC_READ_RESP_MIDDLE	= CROCE_XRC(READ_RESP_MIDDLE),
	CROCE_OP_XRC_READ_RESP_LAST	= CROCE_XRC(READ_RESP_LAST),
	CROCE_OP_XRC_READ_RESP_ONLY	= CROCE_XRC(READ_RESP_ONLY),
	CROCE_OP_XRC_ACK		= CROCE_XRC(ACK),
	CROCE_OP_XRC_ATOMIC_ACK		= CROCE_XRC(ATOMIC_ACK),
	CROCE_OP_XRC_CMP_SWAP		= CROCE_XRC(CMP_SWAP),
	CROCE_OP_XRC_FETCH_ADD		= CROCE_XRC(FETCH_ADD),
	CROCE_OP_XRC_SEND_LAST_INV	= CROCE_XRC(SEND_LAST_INV),
	CROCE_OP_XRC_SEND_ONLY_INV	= CROCE_XRC(SEND_ONLY_INV),
#undef CROCE_XRC
};

/* Flags: exactly one transport ... */
#define CROCE_OPF_RC		BIT(0)
#define CROCE_OPF_UC		BIT(1)
#define CROCE_OPF_UD		BIT(2)
#define CROCE_OPF_XRC		BIT(3)
#define CROCE_OPF_CNP		BIT(4)
/* ... one position in the message ... */
#define CROCE_OPF_FIRST		BIT(5)
#define CROCE_OPF_MIDDLE	BIT(6)
#define CROCE_OPF_LAST		BIT(7)
#define CROCE_OPF_ONLY		BIT(8)
/* ... one operation ... */
#define CROCE_OPF_SEND		BIT(9)
#define CROCE_OPF_WRITE		BIT(10)
#define CROCE_OPF_READ_REQ	BIT(11)
#define CROCE_OPF_READ_RESP	BIT(12)
#define CROCE_OPF_ACK		BIT(13)
#define CROCE_OPF_ATOMIC	BIT(14)
#define CROCE_OPF_ATOMIC_ACK	BIT(15)
#define CROCE_OPF_FLUSH		BIT(16)
#define CROCE_OPF_ATOMIC_WRITE	BIT(17)
/* ... one direction, but none for a CNP ... */
#define CROCE_OPF_REQUEST	BIT(18)
#define CROCE_OPF_RESPONSE	BIT(19)
/* ... and the headers after the BTH, in the order in which they follow. */
#define CROCE_OPF_DETH		BIT(20)
#define CROCE_OPF_XRCETH	BIT(21)
#define CROCE_OPF_FETH		BIT(22)
#define CROCE_OPF_RETH		BIT(23)
#define CROCE_OPF_ATOMICETH	BIT(24)
#define CROCE_OPF_AETH		BIT(25)
#define CROCE_OPF_ATOMICACKETH	BIT(26)
#define CROCE_OPF_IMM		BIT(27)
#define CROCE_OPF_IETH		BIT(28)
#define CROCE_OPF_CNP_BODY	BIT(29)

/* The end of a message: it completes something at the receiver. */
#define CROCE_OPF_END		(CROCE_OPF_LAST | CROCE_OPF_ONLY)
/* The start of a message. */
#define CROCE_OPF_START		(CROCE_OPF_FIRST | CROCE_OPF_ONLY)

/**
 * enum croce_payload - how much payload an opcode allows
 * @CROCE_PAYLOAD_NONE: nothing
 * @CROCE_PAYLOAD_FULL_MTU: exactly one path MTU
 * @CROCE_PAYLOAD_1_TO_MTU: at least one byte
 * @CROCE_PAYLOAD_0_TO_MTU: up to one path MTU
 * @CROCE_PAYLOAD_EXACT8: eight bytes
 */
enum croce_payload {
	CROCE_PAYLOAD_NONE,
	CROCE_PAYLOAD_FULL_MTU,
	CROCE_PAYLOAD_1_TO_MTU,
	CROCE_PAYLOAD_0_TO_MTU,
	CROCE_PAYLOAD_EXACT8,
};

/**
 * struct croce_opcode_info - what an opcode means
 * @flags: CROCE_OPF_*, 0 for an unknown opcode
 * @hdr_len: bytes of the BTH and of the headers after it, 0 if unknown
 * @payload: enum croce_payload
 */
struct croce_opcode_info {
	u32 flags;
	u8 hdr_len;
	u8 payload;
};

extern const struct croce_opcode_info croce_opcodes[256];

/**
 * croce_opcode_info - look up an opcode
 * @opcode: any byte
 *
 * Return: its entry, never NULL; flags are 0 if there is no such opcode or it
 * belongs to RD or a vendor. Context: any.
 */
static inline const struct croce_opcode_info *croce_opcode_info(u8 opcode)
{
	return &croce_opcodes[opcode];
}

/**
 * croce_opcode_flags - look up the flags of an opcode
 * @opcode: any byte
 *
 * Return: CROCE_OPF_*, 0 for an unknown opcode. Context: any.
 */
static inline u32 croce_opcode_flags(u8 opcode)
{
	return croce_opcodes[opcode].flags;
}

/**
 * croce_opcode_on - the opcode of an operation on another transport
 * @transport: CROCE_TRANSPORT_*
 * @rc_opcode: opcode with the RC transport prefix
 *
 * Return: the opcode; unknown where @transport has no such operation.
 * Context: any.
 */
static inline u8 croce_opcode_on(u8 transport, u8 rc_opcode)
{
	return transport | (rc_opcode & CROCE_OP_MASK);
}

#endif /* CROCE_WIRE_OPCODE_H */
