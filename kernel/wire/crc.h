/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * CRC-32 by the fastest code there is, which kernel/crc.c finds out.
 */
#ifndef CROCE_WIRE_CRC_H
#define CROCE_WIRE_CRC_H

#include "env.h"

/* Below this the set-up of accelerated code costs more than it saves; tables
 * need none.
 */
#ifdef CROCE_CRC32_BY_SHASH
#define CROCE_CRC_OTHER_MIN	128
#else
#define CROCE_CRC_OTHER_MIN	1
#endif

DECLARE_STATIC_KEY_FALSE(croce_crc_by_other);

u32 croce_crc_other(u32 crc, const void *p, size_t len);

/**
 * croce_crc_update - continue the CRC register
 * @crc: register
 * @p: bytes
 * @len: their number
 *
 * Return: the register behind them, as crc32_le(). Context: any but hard
 * interrupts.
 */
static inline u32 croce_crc_update(u32 crc, const void *p, size_t len)
{
	if (len >= CROCE_CRC_OTHER_MIN &&
	    static_branch_likely(&croce_crc_by_other))
		return croce_crc_other(crc, p, len);
	return crc32_le(crc, p, len);
}

#endif /* CROCE_WIRE_CRC_H */
