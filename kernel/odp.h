/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * On-demand paging: regions whose pages may come and go. L2.
 */
#ifndef CROCE_ODP_H
#define CROCE_ODP_H

#include "mr.h"

/**
 * struct croce_odp - the pages of a region that are present
 * @lock: held for reading while a page is copied from or to, for writing
 *	while an entry changes
 * @num_pages: entries
 * @pages: kernel virtual address and, in its low bits, ODP_* of odp.c; 0 for
 *	a page that is not present (written under @lock and the umem's mutex)
 */
struct croce_odp {
	rwlock_t lock;
	size_t num_pages;
	unsigned long pages[];
};

struct uverbs_attr_bundle;

#ifdef CONFIG_INFINIBAND_ON_DEMAND_PAGING

int croce_odp_init(void);
void croce_odp_exit(void);
int croce_odp_attach(struct croce_mr *mr, u64 start, u64 length, int access);
void croce_odp_release(struct croce_odp *odp, struct ib_umem *umem);
void *croce_odp_lock(const struct croce_mr *mr, u64 addr, u32 *length,
		     bool write);
void croce_odp_unlock(struct croce_odp *odp);
int croce_odp_fault(struct croce_mr *mr, u64 addr, u64 length, bool write,
		    bool fault);
void croce_odp_queue(struct work_struct *work);
int croce_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice,
		    u32 flags, struct ib_sge *sg_list, u32 num_sge,
		    struct uverbs_attr_bundle *attrs);

#else

#define croce_advise_mr		NULL

static inline int croce_odp_init(void)
{
	return 0;
}

static inline void croce_odp_exit(void)
{
}

static inline int croce_odp_attach(struct croce_mr *mr, u64 start, u64 length,
				   int access)
{
	return -EOPNOTSUPP;
}

static inline void croce_odp_release(struct croce_odp *odp,
				     struct ib_umem *umem)
{
}

static inline void *croce_odp_lock(const struct croce_mr *mr, u64 addr,
				   u32 *length, bool write)
{
	return NULL;
}

static inline void croce_odp_unlock(struct croce_odp *odp)
{
}

static inline int croce_odp_fault(struct croce_mr *mr, u64 addr, u64 length,
				  bool write, bool fault)
{
	return -EFAULT;
}

static inline void croce_odp_queue(struct work_struct *work)
{
}

#endif

#endif /* CROCE_ODP_H */
