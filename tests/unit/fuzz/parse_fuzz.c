// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Whatever parses is built into what parses to the same packet. Input: the
 * length of the packet in two bytes, then its first bytes; missing ones are 0.
 */
#include <stdlib.h>

#include "../../../kernel/wire/parse.h"

static void check(const u8 *bytes, u32 len)
{
	u8 built[CROCE_MAX_HDR_LEN];
	struct croce_pkt pkt, again;

	if (croce_pkt_parse(&pkt, bytes, len) != CROCE_PARSE_OK)
		return;
	if (pkt.hdr_len + pkt.payload_len + pkt.pad + CROCE_ICRC_LEN != len)
		abort();
	if (croce_pkt_build(built, &pkt) != pkt.hdr_len)
		abort();
	if (croce_pkt_parse(&again, built, len) != CROCE_PARSE_OK)
		abort();
	if (memcmp(&pkt, &again, sizeof(pkt)))
		abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u32 len, readable;
	u8 *bytes;

	if (size < 2)
		return 0;
	len = data[0] << 8 | data[1];
	readable = min_t(u32, len, CROCE_MAX_HDR_LEN);
	bytes = calloc(1, readable ? readable : 1);
	if (!bytes)
		abort();
	memcpy(bytes, data + 2, min_t(size_t, size - 2, readable));
	check(bytes, len);
	free(bytes);
	return 0;
}
