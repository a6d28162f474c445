/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packet bytes to struct croce_pkt and back. Every check of a length and of a
 * header field that needs no connection lives here and nowhere else; the path
 * MTU is the caller's, through croce_pkt_fits_mtu().
 */
#ifndef CROCE_WIRE_PARSE_H
#define CROCE_WIRE_PARSE_H

#include "env.h"
#include "hdr.h"
#include "opcode.h"

/**
 * enum croce_parse - verdict on a packet
 * @CROCE_PARSE_OK: well formed
 * @CROCE_PARSE_TOO_SHORT: ends within its headers or ICRC
 * @CROCE_PARSE_BAD_OPCODE: unknown opcode, or one of RD or a vendor
 * @CROCE_PARSE_BAD_TVER: transport header version is not 0
 * @CROCE_PARSE_BAD_PAD: pad count that this opcode or this length cannot have
 * @CROCE_PARSE_BAD_LENGTH: payload that this opcode cannot have, or no
 *	multiple of four bytes in all
 */
enum croce_parse {
	CROCE_PARSE_OK,
	CROCE_PARSE_TOO_SHORT,
	CROCE_PARSE_BAD_OPCODE,
	CROCE_PARSE_BAD_TVER,
	CROCE_PARSE_BAD_PAD,
	CROCE_PARSE_BAD_LENGTH,
};

/**
 * struct croce_pkt - one parsed or to-be-built packet, in host order
 * @opcode: BTH opcode
 * @pad: bytes after the payload, 0 to 3
 * @solicited: BTH SE
 * @migreq: BTH M
 * @fecn: BTH FECN
 * @becn: BTH BECN
 * @ackreq: BTH A
 * @pkey: BTH P_Key
 * @dest_qpn: BTH destination QP
 * @psn: BTH PSN
 * @hdr_len: bytes of BTH and extended headers; set by parse, not read by build
 * @payload_len: bytes of payload, without pad and ICRC; not read by build
 * @va: RETH or AtomicETH virtual address
 * @rkey: RETH or AtomicETH R_Key
 * @dma_len: RETH DMA length
 * @syndrome: AETH syndrome, see aeth.h
 * @msn: AETH MSN
 * @swap_add: AtomicETH swap or add data
 * @compare: AtomicETH compare data
 * @atomic_orig: AtomicAckETH original remote data
 * @imm: immediate data, as on the wire
 * @inv_rkey: IETH R_Key
 * @qkey: DETH Q_Key
 * @src_qpn: DETH source QP
 * @xrc_srqn: XRCETH SRQ number
 * @flush_plt: FETH placement type, CROCE_FETH_PLT_*
 * @flush_sel: FETH selectivity level, CROCE_FETH_SEL_*
 *
 * Fields of headers that the opcode does not carry are zero after parsing and
 * not read when building.
 */
struct croce_pkt {
	u8 opcode;
	u8 pad;
	bool solicited;
	bool migreq;
	bool fecn;
	bool becn;
	bool ackreq;
	u8 syndrome;
	u16 pkey;
	u8 flush_plt;
	u8 flush_sel;
	u32 dest_qpn;
	u32 psn;
	u32 hdr_len;
	u32 payload_len;
	u32 msn;
	u64 va;
	u32 rkey;
	u32 dma_len;
	u64 swap_add;
	u64 compare;
	u64 atomic_orig;
	__be32 imm;
	u32 inv_rkey;
	u32 qkey;
	u32 src_qpn;
	u32 xrc_srqn;
};

enum croce_parse croce_pkt_parse(struct croce_pkt *pkt, const u8 *bytes,
				 u32 len);
u32 croce_pkt_build(u8 *bytes, const struct croce_pkt *pkt);

/**
 * croce_pad_len - pad bytes that a payload needs
 * @payload_len: bytes of payload
 *
 * Return: 0 to 3. Context: any.
 */
static inline u8 croce_pad_len(u32 payload_len)
{
	return -payload_len & 3;
}

/**
 * croce_pkt_fits_mtu - does the payload obey the path MTU?
 * @pkt: parsed packet
 * @mtu: path MTU in bytes
 *
 * Return: true if the payload is exactly one MTU where the opcode wants that,
 * and at most one otherwise. Context: any.
 */
static inline bool croce_pkt_fits_mtu(const struct croce_pkt *pkt, u32 mtu)
{
	if (croce_opcode_info(pkt->opcode)->payload == CROCE_PAYLOAD_FULL_MTU)
		return pkt->payload_len == mtu;
	return pkt->payload_len <= mtu;
}

#endif /* CROCE_WIRE_PARSE_H */
