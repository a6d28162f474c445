/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SHIM_LINUX_CRC32_H
#define SHIM_LINUX_CRC32_H

#include <linux/types.h>

u32 crc32_le(u32 crc, const void *p, size_t len);

#endif /* SHIM_LINUX_CRC32_H */
