/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Goes when 6.12 is the oldest supported release. */
#ifndef CROCE_COMPAT_LINUX_UNALIGNED_H
#define CROCE_COMPAT_LINUX_UNALIGNED_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#include <asm/unaligned.h>
#else
#include_next <linux/unaligned.h>
#endif

#endif /* CROCE_COMPAT_LINUX_UNALIGNED_H */
