// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows, types 1 and 2B: a key for part of a region, made by the send
 * queue (BIND_MW). IBA 10.6.7 and Annex o10-37.2.
 *
 * A bound window has a copy of the region's blocks and is used like one. The
 * region counts it and cannot go before it.
 */
#include <linux/slab.h>
#include "mr.h"

/* Local write means nothing for a window, but programs give it. */
#define ACCESS_WINDOW		(IB_ACCESS_LOCAL_WRITE |		\
				 IB_ACCESS_REMOTE_WRITE |		\
				 IB_ACCESS_REMOTE_READ |		\
				 IB_ACCESS_REMOTE_ATOMIC |		\
				 IB_ZERO_BASED)
#define ACCESS_WRITES		(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

/**
 * croce_alloc_mw - allocate a window
 * @ibmw: window, its domain and type are set
 * @udata: of the call
 *
 * Return: 0 or -errno. Context: process, may sleep.
 */
int croce_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct croce_mr *mr;
	int err;

	mr = croce_mr_alloc(ibmw->pd, ibmw->type == IB_MW_TYPE_1 ?
			    CROCE_MR_MW1 : CROCE_MR_MW2);
	if (!mr)
		return -ENOMEM;
	mr->ibmw = ibmw;
	err = croce_mr_insert(mr);
	if (err)
		goto err_free_mr;
	ibmw->rkey = mr->key;
	croce_mw(ibmw)->mr = mr;
	return 0;

err_free_mr:
	kfree(mr);
	return err;
}

/**
 * croce_dealloc_mw - take a window away, bound or not
 * @ibmw: window
 *
 * Return: 0. Context: process, may sleep.
 */
int croce_dealloc_mw(struct ib_mw *ibmw)
{
	struct croce_mr *mr = croce_mw(ibmw)->mr;

	spin_lock_bh(&mr->lock);
	croce_mw_unbind_locked(mr);
	atomic_set(&mr->bindings, -1);
	spin_unlock_bh(&mr->lock);
	/* After this, a bind that has found the window already fails. */
	croce_mr_retire(mr);
	return 0;
}

/**
 * croce_mw_unbind_locked - a window is bound to nothing
 * @mr: window
 *
 * Context: bottom halves off, mr->lock held.
 */
void croce_mw_unbind_locked(struct croce_mr *mr)
{
	lockdep_assert_held(&mr->lock);
	croce_mr_quiesce_locked(mr);
	/* After this, nobody goes through the window, so the region may go. */
	if (mr->target)
		atomic_dec(&mr->target->bindings);
	mr->target = NULL;
}

static bool has_fitting_access(const struct croce_mr *region, u32 access)
{
	if (access & ~ACCESS_WINDOW || !(region->access & IB_ACCESS_MW_BIND))
		return false;
	return !(access & ACCESS_WRITES) ||
	       (region->access & IB_ACCESS_LOCAL_WRITE);
}

/*
 * The region to bind to, counted in its bindings. The count keeps it from
 * then on, since neither dereg nor rereg gets past it.
 */
static struct croce_mr *get_region(struct croce_dev *dev, struct ib_pd *pd,
				   const struct croce_mw_bind *bind)
{
	struct croce_mr *region;
	u64 addr = bind->addr;

	region = croce_mr_get(dev, pd, bind->lkey, &addr, bind->length,
			      IB_ACCESS_MW_BIND, false, 0);
	if (!region)
		return NULL;
	if (region->type != CROCE_MR_USER ||
	    !has_fitting_access(region, bind->access) ||
	    !atomic_inc_unless_negative(&region->bindings)) {
		croce_mr_put(region);
		return NULL;
	}
	croce_mr_put(region);
	return region;
}

static bool may_bind_locked(const struct croce_mr *mr, const struct ib_pd *pd,
			    const struct croce_mw_bind *bind)
{
	lockdep_assert_held(&mr->lock);
	if (mr->pd != pd || mr->key != bind->old_rkey ||
	    croce_key_index(mr->key) != croce_key_index(bind->new_rkey) ||
	    atomic_read(&mr->bindings) < 0)
		return false;
	if (mr->type == CROCE_MR_MW1)
		return true;
	/* Type 2: something, and only while it is bound to nothing. */
	return mr->type == CROCE_MR_MW2 && !mr->valid && bind->length;
}

static void point_window_locked(struct croce_mr *mr, struct croce_mr *region,
				const struct croce_mw_bind *bind, u32 qpn)
{
	lockdep_assert_held(&mr->lock);
	mr->target = region;
	mr->blocks = region->blocks;
	mr->nblocks = region->nblocks;
	mr->shift = region->shift;
	mr->base = bind->addr - region->iova + region->base;
	mr->iova = bind->access & IB_ZERO_BASED ? 0 : bind->addr;
	mr->length = bind->length;
	mr->access = bind->access;
	mr->qpn = qpn;
	croce_mr_validate_locked(mr);
}

/**
 * croce_mw_bind - BIND_MW: bind a window, or unbind one of type 1
 * @dev: device
 * @pd: protection domain of the QP
 * @qpn: number of the QP
 * @bind: arguments
 *
 * Return: 0 or -EINVAL, with the window as it was. Context: bottom halves off,
 * no reference from croce_mr_get() held.
 */
int croce_mw_bind(struct croce_dev *dev, struct ib_pd *pd, u32 qpn,
		  const struct croce_mw_bind *bind)
{
	struct croce_mr *mr, *region = NULL;
	int err = -EINVAL;

	if (bind->length) {
		region = get_region(dev, pd, bind);
		if (!region)
			return -EINVAL;
	}
	rcu_read_lock();
	mr = xa_load(&dev->mrs, croce_key_index(bind->old_rkey));
	if (!mr)
		goto out_unlock_rcu;
	spin_lock_bh(&mr->lock);
	if (may_bind_locked(mr, pd, bind)) {
		croce_mw_unbind_locked(mr);
		mr->key = bind->new_rkey;
		if (region)
			point_window_locked(mr, region, bind, qpn);
		err = 0;
	}
	spin_unlock_bh(&mr->lock);
out_unlock_rcu:
	rcu_read_unlock();
	if (err && region)
		atomic_dec(&region->bindings);
	return err;
}
