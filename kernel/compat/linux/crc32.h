/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Goes when 6.14 is the oldest supported release. */
#ifndef CROCE_COMPAT_LINUX_CRC32_H
#define CROCE_COMPAT_LINUX_CRC32_H

#include_next <linux/crc32.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define CROCE_CRC32_BY_SHASH
#endif

#endif /* CROCE_COMPAT_LINUX_CRC32_H */
