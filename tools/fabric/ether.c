// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "ether.h"
#include "pfc.h"
#include "rng.h"

#include <linux/if_ether.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

#define TAG_BYTES	4U
#define IPV4_HEADER	20U
#define IPV6_HEADER	40U
#define ECN_BITS	3U

/**
 * struct network - the IP header of a frame
 * @at: its first byte, 0 there is none
 * @version: 4, 6, or 0
 */
struct network {
	u32 at;
	u32 version;
};

static u32 word16(const u8 *bytes)
{
	return bytes[0] << 8 | bytes[1];
}

static struct network network_of(const struct frame *frame)
{
	struct network none = {};
	u32 at = ETHER_HEADER, type;

	if (frame->len < ETHER_HEADER)
		return none;
	type = word16(frame->bytes + at - 2);
	if (type == ETH_P_8021Q && frame->len >= at + TAG_BYTES) {
		at += TAG_BYTES;
		type = word16(frame->bytes + at - 2);
	}
	if (type == ETH_P_IP && frame->len >= at + IPV4_HEADER)
		return (struct network){ at, 4 };
	if (type == ETH_P_IPV6 && frame->len >= at + IPV6_HEADER)
		return (struct network){ at, 6 };
	return none;
}

static u32 traffic_class(const struct frame *frame, struct network network)
{
	const u8 *ip = frame->bytes + network.at;

	return network.version == 4 ? ip[1] : (word16(ip) >> 4 & 0xff);
}

static u64 mix_bytes(u64 hash, const u8 *bytes, u32 len)
{
	while (len--)
		hash = hash * 31 + *bytes++;
	return hash;
}

/* Addresses, and the ports of UDP and TCP where they are at their usual place. */
static u32 entropy(const struct frame *frame, struct network network)
{
	const u8 *ip = frame->bytes + network.at;
	u32 header, protocol;
	u64 hash;

	if (network.version == 4) {
		header = (ip[0] & 15) * 4;
		protocol = word16(ip + 6) & 0x3fff ? 0 : ip[9];
		hash = mix_bytes(0, ip + 12, 8);
	} else {
		header = IPV6_HEADER;
		protocol = ip[6];
		hash = mix_bytes(0, ip + 8, 32);
	}
	if ((protocol == IPPROTO_UDP || protocol == IPPROTO_TCP) &&
	    frame->len >= network.at + header + 4)
		hash = mix_bytes(hash, ip + header, 4);
	return rng_mix(hash);
}

static u8 priority(const struct frame *frame, struct network network)
{
	if (word16(frame->bytes + ETHER_HEADER - 2) == ETH_P_8021Q &&
	    frame->len >= ETHER_HEADER + TAG_BYTES)
		return frame->bytes[ETHER_HEADER] >> 5;
	/* Three bits of the six of the DSCP, as NICs have it at first. */
	return network.version ? traffic_class(frame, network) >> 5 : 0;
}

/**
 * ether_classify - fill in priority, ECN, entropy and whether it is for the port
 * @frame: as it came
 *
 * Return: false for one that a switch does not forward (IEEE 802.1Q, table
 * 8-1) and that is no PFC frame, or that is no frame at all.
 */
bool ether_classify(struct frame *frame)
{
	static const u8 reserved[5] = { 0x01, 0x80, 0xc2, 0x00, 0x00 };
	struct network network;
	struct pfc pfc;

	if (frame->len < ETHER_HEADER)
		return false;
	frame->is_control = pfc_parse(frame, &pfc);
	if (!frame->is_control && !memcmp(frame->bytes, reserved, 5) &&
	    frame->bytes[5] < 0x10)
		return false;
	network = network_of(frame);
	frame->priority = priority(frame, network);
	if (network.version) {
		frame->ecn = traffic_class(frame, network) & ECN_BITS;
		frame->entropy = entropy(frame, network);
	} else {
		frame->ecn = FRAME_NOT_ECT;
		frame->entropy = mix_bytes(0, frame->bytes, 2 * ETHER_ADDRESS);
	}
	return true;
}

/* RFC 1624: the sum changes by the difference. */
static void fix_checksum(u8 *checksum, u32 was, u32 is)
{
	u32 sum = (~word16(checksum) & 0xffff) + (~was & 0xffff) + is;

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	checksum[0] = ~sum >> 8;
	checksum[1] = ~sum;
}

/**
 * ether_mark - write the congestion mark into the IP header
 * @frame: with @frame->ecn FRAME_CE, after ether_classify()
 */
void ether_mark(struct frame *frame)
{
	struct network network = network_of(frame);
	u8 *ip = frame->bytes + network.at;
	u32 was = word16(ip);

	if (network.version == 4) {
		ip[1] |= FRAME_CE;
		fix_checksum(ip + 10, was, word16(ip));
	} else if (network.version == 6) {
		ip[1] |= FRAME_CE << 4;
	}
}
