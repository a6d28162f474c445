/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * CRC-32 over payload, by the fastest code the kernel has. L3.
 */
#ifndef CROCE_CRC_H
#define CROCE_CRC_H

#include <linux/crc32.h>
#include <linux/jump_label.h>
#include <linux/types.h>

/* Below this the set-up of the accelerated code costs more than it saves. */
#define CROCE_CRC_SHASH_MIN	128

#ifdef CROCE_CRC32_BY_SHASH
DECLARE_STATIC_KEY_FALSE(croce_crc_by_shash);

void croce_crc_init(void);
void croce_crc_exit(void);
u32 croce_crc_shash(u32 crc, const void *p, size_t len);

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
	if (len >= CROCE_CRC_SHASH_MIN &&
	    static_branch_likely(&croce_crc_by_shash))
		return croce_crc_shash(crc, p, len);
	return crc32_le(crc, p, len);
}
#else
static inline void croce_crc_init(void)
{
}

static inline void croce_crc_exit(void)
{
}

/* crc32_le() itself is the fastest there is. */
static inline u32 croce_crc_update(u32 crc, const void *p, size_t len)
{
	return crc32_le(crc, p, len);
}
#endif

#endif /* CROCE_CRC_H */
