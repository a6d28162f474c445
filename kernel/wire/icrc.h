/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The invariant CRC (IBA volume 1, 7.8; RoCE: Annexes A16 and A17). A checksum
 * is begun over the headers, with what routers may change taken as ones,
 * updated with all that follows the BTH - extended headers, payload, pad - and
 * made final. Between those the value is the raw CRC-32 register, which any
 * other implementation of the reflected Ethernet polynomial can carry on.
 */
#ifndef CROCE_WIRE_ICRC_H
#define CROCE_WIRE_ICRC_H

#include "crc.h"
#include "env.h"
#include "hdr.h"

#define CROCE_IP4_MAX_LEN	60
#define CROCE_IP6_LEN		40
#define CROCE_UDP_LEN		8

u32 croce_icrc_begin4(const void *ip, u32 ip_len, const void *udp,
		      const void *bth);
u32 croce_icrc_begin6(const void *ip, const void *udp, const void *bth);
u32 croce_icrc_begin_grh(const void *grh, const void *bth);

/**
 * croce_icrc_update - carry on with bytes after the BTH
 * @crc: raw register
 * @p: bytes, any alignment
 * @len: how many
 *
 * Context: any. Return: raw register after @p.
 */
static inline u32 croce_icrc_update(u32 crc, const void *p, size_t len)
{
	return croce_crc_update(crc, p, len);
}

/**
 * croce_icrc_final - what to put on the wire
 * @crc: raw register after the last pad byte
 *
 * Context: any. Return: the four bytes of the ICRC as they follow the packet.
 */
static inline __le32 croce_icrc_final(u32 crc)
{
	return cpu_to_le32(~crc);
}

#endif /* CROCE_WIRE_ICRC_H */
