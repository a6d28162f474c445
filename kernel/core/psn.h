/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * 24-bit packet sequence numbers (IBA 9.7.2): always held normalised in a u32,
 * compared only through the signed distance. Ranges are half open.
 */
#ifndef CROCE_CORE_PSN_H
#define CROCE_CORE_PSN_H

#include "../wire/env.h"

#define CROCE_PSN_MASK	0xffffffU

/**
 * croce_psn_add - step a PSN
 * @psn: normalised PSN
 * @n: packets to step over, may be the two's complement of a step back
 *
 * Return: the normalised PSN @n packets after @psn. Context: any.
 */
static inline u32 croce_psn_add(u32 psn, u32 n)
{
	return (psn + n) & CROCE_PSN_MASK;
}

/**
 * croce_psn_diff - signed distance between two PSNs
 * @a: normalised PSN
 * @b: normalised PSN
 *
 * Return: @a - @b in [-2^23, 2^23): negative when @a is behind @b, where half
 * of the number space counts as behind. Context: any.
 */
static inline s32 croce_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

/**
 * croce_psn_in - test for membership of a half-open range
 * @psn: normalised PSN
 * @first: first PSN of the range
 * @next: first PSN after the range
 *
 * Return: true when @first <= @psn < @next. Context: any.
 */
static inline bool croce_psn_in(u32 psn, u32 first, u32 next)
{
	return croce_psn_diff(psn, first) >= 0 && croce_psn_diff(psn, next) < 0;
}

/**
 * croce_psn_count - packets of a message
 * @length: bytes of payload
 * @mtu: path MTU in bytes, a power of two
 *
 * Return: the number of PSNs the message takes; an empty one takes one.
 * Context: any.
 */
static inline u32 croce_psn_count(u32 length, u32 mtu)
{
	return length ? (u32)(((u64)length + mtu - 1) / mtu) : 1;
}

#endif /* CROCE_CORE_PSN_H */
