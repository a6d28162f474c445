/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Goes when 7.3 is the oldest supported release. */
#ifndef CROCE_COMPAT_LINUX_WORKQUEUE_H
#define CROCE_COMPAT_LINUX_WORKQUEUE_H

#include_next <linux/workqueue.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
/* It was what a queue was that did not say otherwise. */
#define WQ_PERCPU	0
#endif

#endif /* CROCE_COMPAT_LINUX_WORKQUEUE_H */
