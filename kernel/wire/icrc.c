// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ICRC over the headers. They are copied into a small buffer, masked there and
 * checksummed in one call: CRC code is fastest on runs.
 *
 * Headers come as bytes, so that nothing here depends on the byte order of the
 * machine or on the kernel's idea of an IP header.
 */
#include "icrc.h"

/* Raw register after the eight bytes of ones that stand for the LRH. */
#define SEED		0xdebb20e3U

/* IPv4: offsets of what routers change */
#define IP4_TOS		1
#define IP4_TTL		8
#define IP4_CHECK	10
/* IPv6 and GRH: traffic class and flow label share bytes 0 to 3 */
#define IP6_CLASS	0
#define IP6_CLASS_MASK	0x0f
#define IP6_FLOW	1
#define IP6_FLOW_LEN	3
#define IP6_HOP_LIMIT	7
#define UDP_CHECK	6
#define CHECK_LEN	2

#define BTH_LEN		sizeof(struct croce_bth)
#define MAX_LEN		(CROCE_IP4_MAX_LEN + CROCE_UDP_LEN + BTH_LEN)

static u8 *mask_ip4(u8 *to, const void *ip, u32 len)
{
	memcpy(to, ip, len);
	to[IP4_TOS] = 0xff;
	to[IP4_TTL] = 0xff;
	memset(to + IP4_CHECK, 0xff, CHECK_LEN);
	return to + len;
}

static u8 *mask_ip6(u8 *to, const void *ip)
{
	memcpy(to, ip, CROCE_IP6_LEN);
	to[IP6_CLASS] |= IP6_CLASS_MASK;
	memset(to + IP6_FLOW, 0xff, IP6_FLOW_LEN);
	to[IP6_HOP_LIMIT] = 0xff;
	return to + CROCE_IP6_LEN;
}

static u8 *mask_udp(u8 *to, const void *udp)
{
	memcpy(to, udp, CROCE_UDP_LEN);
	memset(to + UDP_CHECK, 0xff, CHECK_LEN);
	return to + CROCE_UDP_LEN;
}

static u8 *mask_bth(u8 *to, const void *bth)
{
	memcpy(to, bth, BTH_LEN);
	to[CROCE_BTH_ECN_BYTE] = 0xff;
	return to + BTH_LEN;
}

/**
 * croce_icrc_begin4 - begin the ICRC of a RoCEv2 packet over IPv4
 * @ip: IPv4 header as it will be on the wire: length and ID are covered
 * @ip_len: its bytes, options included; 20 to CROCE_IP4_MAX_LEN
 * @udp: UDP header as on the wire; its checksum is not covered
 * @bth: base transport header as on the wire
 *
 * Pointers may have any alignment.
 *
 * Context: any. Return: raw CRC register after the BTH.
 */
u32 croce_icrc_begin4(const void *ip, u32 ip_len, const void *udp,
		      const void *bth)
{
	u8 buf[MAX_LEN];
	u8 *end = buf;

	end = mask_ip4(end, ip, min_t(u32, ip_len, CROCE_IP4_MAX_LEN));
	end = mask_udp(end, udp);
	end = mask_bth(end, bth);
	return croce_crc_update(SEED, buf, end - buf);
}

/**
 * croce_icrc_begin6 - begin the ICRC of a RoCEv2 packet over IPv6
 * @ip: IPv6 header as on the wire
 * @udp: UDP header as on the wire; its checksum is not covered
 * @bth: base transport header as on the wire
 *
 * Pointers may have any alignment.
 *
 * Context: any. Return: raw CRC register after the BTH.
 */
u32 croce_icrc_begin6(const void *ip, const void *udp, const void *bth)
{
	u8 buf[MAX_LEN];
	u8 *end = buf;

	end = mask_ip6(end, ip);
	end = mask_udp(end, udp);
	end = mask_bth(end, bth);
	return croce_crc_update(SEED, buf, end - buf);
}

/**
 * croce_icrc_begin_grh - begin the ICRC of a RoCEv1 packet
 * @grh: global route header as on the wire
 * @bth: base transport header as on the wire
 *
 * Pointers may have any alignment.
 *
 * Context: any. Return: raw CRC register after the BTH.
 */
u32 croce_icrc_begin_grh(const void *grh, const void *bth)
{
	u8 buf[MAX_LEN];
	u8 *end = buf;

	end = mask_ip6(end, grh);
	end = mask_bth(end, bth);
	return croce_crc_update(SEED, buf, end - buf);
}
