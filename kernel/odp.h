/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * On-demand paging: regions whose pages may come and go. L2.
 */
#ifndef CROCE_ODP_H
#define CROCE_ODP_H

#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include "mr.h"

struct mm_struct;
struct uverbs_attr_bundle;

/**
 * struct croce_odp_part - a range of memory, and which of its pages are present
 * @rcu: freed after a grace period
 * @odp: what it is part of (I)
 * @notifier: says which pages go
 * @start: address of its first page in the process (I)
 * @num_pages: entries (I)
 * @mutex: pages that come and go; taken in the notifier
 * @users: faults under way in an implicit region (L: mutex of @odp)
 * @num_present: entries that are not 0 (L: @mutex; others guess)
 * @pages: see odp.c; 0 for a page that is not present (A; a page is put in or
 *	taken out under @mutex)
 */
struct croce_odp_part {
	struct rcu_head rcu;
	struct croce_odp *odp;
	struct mmu_interval_notifier notifier;
	u64 start;
	size_t num_pages;
	struct mutex mutex;
	u32 users;
	size_t num_present;
	atomic_long_t pages[];
};

/**
 * struct croce_odp - memory behind a region on demand
 * @start: address in the process of the region's first byte (I)
 * @whole: the only part; NULL in an implicit or large region (I)
 * @parts: of such a region, by address; they come with the first fault
 *	and go some time after the last page (R; written under @mutex)
 * @mutex: parts that come and go
 * @trim: looks for parts without pages
 * @mm: address space, whose struct is referenced (I)
 */
struct croce_odp {
	u64 start;
	struct croce_odp_part *whole;
	struct xarray parts;
	struct mutex mutex;
	struct delayed_work trim;
	struct mm_struct *mm;
};

#ifdef CONFIG_INFINIBAND_ON_DEMAND_PAGING

int croce_odp_init(void);
void croce_odp_exit(void);
struct ib_mr *croce_odp_reg(struct ib_pd *pd, u64 start, u64 length, u64 iova,
			    int access);
void croce_odp_release(struct croce_odp *odp);
void *croce_odp_lock(const struct croce_mr *mr, u64 addr, u32 *length,
		     bool write, atomic_long_t **page);
void croce_odp_unlock(atomic_long_t *page);
int croce_odp_fault(struct croce_mr *mr, u64 addr, u64 length, bool write,
		    bool fault);
void croce_odp_queue(struct work_struct *work, bool urgent);
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

static inline struct ib_mr *croce_odp_reg(struct ib_pd *pd, u64 start,
					  u64 length, u64 iova, int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void croce_odp_release(struct croce_odp *odp)
{
}

static inline void *croce_odp_lock(const struct croce_mr *mr, u64 addr,
				   u32 *length, bool write,
				   atomic_long_t **page)
{
	return NULL;
}

static inline void croce_odp_unlock(atomic_long_t *page)
{
}

static inline int croce_odp_fault(struct croce_mr *mr, u64 addr, u64 length,
				  bool write, bool fault)
{
	return -EFAULT;
}

static inline void croce_odp_queue(struct work_struct *work, bool urgent)
{
}

#endif

#endif /* CROCE_ODP_H */
