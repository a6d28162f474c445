/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Goes when 7.3 is the oldest supported release. */
#ifndef CROCE_COMPAT_LINUX_HRTIMER_H
#define CROCE_COMPAT_LINUX_HRTIMER_H

#include_next <linux/hrtimer.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
static inline void
hrtimer_setup(struct hrtimer *timer,
	      enum hrtimer_restart (*function)(struct hrtimer *),
	      clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

#endif /* CROCE_COMPAT_LINUX_HRTIMER_H */
