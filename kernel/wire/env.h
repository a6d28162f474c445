/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The one door of wire/ and core/ to the outside world: everything those two
 * directories may use of the kernel comes in through these lines, and no other
 * file below the purity line names a system header. The user-space build of
 * the same files finds small substitutes for them in tests/unit/shim/.
 */
#ifndef CROCE_WIRE_ENV_H
#define CROCE_WIRE_ENV_H

#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/crc32.h>
#include <linux/errno.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

#endif /* CROCE_WIRE_ENV_H */
