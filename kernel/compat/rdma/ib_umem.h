/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Goes when 7.3 is the oldest supported release. */
#ifndef CROCE_COMPAT_RDMA_IB_UMEM_H
#define CROCE_COMPAT_RDMA_IB_UMEM_H

#include_next <rdma/ib_umem.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
#define ib_umem_get_va	ib_umem_get
#endif

#endif /* CROCE_COMPAT_RDMA_IB_UMEM_H */
