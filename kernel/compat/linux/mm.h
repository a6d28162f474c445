/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Goes when 6.12 is the oldest supported release. */
#ifndef CROCE_COMPAT_LINUX_MM_H
#define CROCE_COMPAT_LINUX_MM_H

#include_next <linux/mm.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
static inline void vm_flags_clear(struct vm_area_struct *vma,
				  unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#endif /* CROCE_COMPAT_LINUX_MM_H */
