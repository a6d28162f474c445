/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* CRC-32 bit by bit, from its definition: slow, and independent of crc32_le(). */
#ifndef CROCE_TESTS_CRC_H
#define CROCE_TESTS_CRC_H

#include "../../kernel/wire/env.h"

static inline u32 slow_crc32(u32 crc, const void *p, size_t len)
{
	const u8 *byte = p;
	int bit;

	for (; len; len--, byte++) {
		for (bit = 0; bit < 8; bit++) {
			u32 out = (crc ^ *byte >> bit) & 1;

			crc = crc >> 1 ^ (out ? 0xedb88320 : 0);
		}
	}
	return crc;
}

#endif /* CROCE_TESTS_CRC_H */
