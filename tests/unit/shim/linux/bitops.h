/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SHIM_LINUX_BITOPS_H
#define SHIM_LINUX_BITOPS_H

#include <linux/bits.h>
#include <linux/types.h>

static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline unsigned long __ffs(unsigned long x)
{
	return __builtin_ctzl(x);
}

static inline unsigned int hweight32(u32 x)
{
	return __builtin_popcount(x);
}

static inline unsigned long hweight64(u64 x)
{
	return __builtin_popcountll(x);
}

#define hweight_long(x)		hweight64(x)

#endif /* SHIM_LINUX_BITOPS_H */
