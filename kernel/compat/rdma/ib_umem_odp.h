/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Goes when 7.3 is the oldest supported release. */
#ifndef CROCE_COMPAT_RDMA_IB_UMEM_ODP_H
#define CROCE_COMPAT_RDMA_IB_UMEM_ODP_H

#include <linux/hmm.h>
#include <linux/mmu_notifier.h>
#include_next <rdma/ib_umem_odp.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 3, 0)

static inline const unsigned long *
compat_umem_pfns(const struct ib_umem_odp *umem)
{
	return umem->map.pfn_list;
}

#else

static inline const unsigned long *
compat_umem_pfns(const struct ib_umem_odp *umem)
{
	return umem->pfn_list;
}

/* The access had bits of its own, one of them for reading. */
static inline int compat_umem_map(struct ib_umem_odp *umem, u64 start,
				  u64 length, u64 access, bool fault)
{
	u64 bits = ODP_READ_ALLOWED_BIT;

	if (access & HMM_PFN_WRITE)
		bits |= ODP_WRITE_ALLOWED_BIT;
	return ib_umem_odp_map_dma_and_lock(umem, start, length, bits, fault);
}

#define ib_umem_odp_map_dma_and_lock	compat_umem_map

#endif

#endif /* CROCE_COMPAT_RDMA_IB_UMEM_ODP_H */
