/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * CRC-32 over payload, by the fastest code there is. L3.
 */
#ifndef CROCE_CRC_H
#define CROCE_CRC_H

#include <linux/crc32.h>
#include <linux/jump_label.h>
#include <linux/types.h>

/* Below this the set-up of accelerated code costs more than it saves. */
#define CROCE_CRC_OTHER_MIN	128

DECLARE_STATIC_KEY_FALSE(croce_crc_by_other);

void croce_crc_init(void);
void croce_crc_exit(void);
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

#endif /* CROCE_CRC_H */
