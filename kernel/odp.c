// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Regions on demand. The data path may not fault, so it has a table of the
 * pages that are present (struct croce_odp), filled from process context and
 * emptied by the MMU notifier before a page goes. It holds the table's lock
 * while it copies, so a page that is found stays for the copy; a page that is
 * not found is what fault.c is for.
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <rdma/ib_umem_odp.h>
#include "odp.h"

/* The page may be written to. */
#define ODP_WRITABLE		1UL
/* Bytes that are prefetched in one go; others wait for the mutex meanwhile. */
#define PREFETCH_STEP		SZ_2M

/*
 * Faults and prefetches. Not croce_wq: they allocate memory, and what that one
 * does is needed to get some.
 */
static struct workqueue_struct *odp_wq;

/**
 * croce_odp_init - prepare for page faults
 *
 * Return: 0 or -ENOMEM. Context: process, may sleep.
 */
int croce_odp_init(void)
{
	odp_wq = alloc_workqueue("croce_odp", WQ_HIGHPRI | WQ_UNBOUND, 0);
	return odp_wq ? 0 : -ENOMEM;
}

/**
 * croce_odp_exit - no region is left
 *
 * Context: process, may sleep.
 */
void croce_odp_exit(void)
{
	destroy_workqueue(odp_wq);
}

/**
 * croce_odp_queue - do work that faults pages
 * @work: work
 *
 * Context: any.
 */
void croce_odp_queue(struct work_struct *work)
{
	queue_work(odp_wq, work);
}

static size_t entry_index(const struct ib_umem_odp *umem, u64 addr)
{
	return (addr - umem->notifier.interval_tree.start) >> PAGE_SHIFT;
}

static void set_page_entry(struct croce_odp *odp, size_t index,
			   unsigned long entry)
{
	write_lock_bh(&odp->lock);
	odp->pages[index] = entry;
	write_unlock_bh(&odp->lock);
}

/* After this, no access to these pages is under way. */
static void drop_pages(struct croce_odp *odp, size_t from, size_t to)
{
	size_t i;

	for (i = from; i < to; i++) {
		unsigned long entry = odp->pages[i];

		if (!entry)
			continue;
		set_page_entry(odp, i, 0);
		/* Written without the process's page table knowing. */
		if (entry & ODP_WRITABLE)
			set_page_dirty(compound_head(virt_to_page((void *)entry)));
	}
}

static void store_pages(struct croce_odp *odp, const unsigned long *pfns,
			size_t from, size_t num)
{
	size_t i;

	for (i = from; i < from + num; i++) {
		unsigned long entry = 0;

		if (pfns[i] & HMM_PFN_VALID)
			entry = (unsigned long)
				page_address(hmm_pfn_to_page(pfns[i]));
		if (entry && (pfns[i] & HMM_PFN_WRITE))
			entry |= ODP_WRITABLE;
		if (entry != odp->pages[i])
			set_page_entry(odp, i, entry);
	}
}

static bool odp_invalidate(struct mmu_interval_notifier *notifier,
			   const struct mmu_notifier_range *range,
			   unsigned long seq)
{
	struct ib_umem_odp *umem = container_of(notifier, struct ib_umem_odp,
						notifier);
	struct croce_odp *odp;
	u64 start, end;

	if (!mmu_notifier_range_blockable(range))
		return false;
	mutex_lock(&umem->umem_mutex);
	mmu_interval_set_seq(notifier, seq);
	odp = umem->private;
	start = max_t(u64, ib_umem_start(umem), range->start);
	end = min_t(u64, ib_umem_end(umem), range->end);
	if (odp)
		drop_pages(odp, entry_index(umem, start),
			   entry_index(umem, end + PAGE_SIZE - 1));
	ib_umem_odp_unmap_dma_pages(umem, start, end);
	mutex_unlock(&umem->umem_mutex);
	return true;
}

static const struct mmu_interval_notifier_ops odp_notifier_ops = {
	.invalidate = odp_invalidate,
};

/**
 * croce_odp_attach - put memory of a process behind a new region
 * @mr: region, without a key yet
 * @start: first user virtual address
 * @length: bytes
 * @access: IB_ACCESS_*
 *
 * Nothing is present yet. Huge pages are used page by page, like all others.
 *
 * Return: 0 or -errno. Context: process, may sleep.
 */
int croce_odp_attach(struct croce_mr *mr, u64 start, u64 length, int access)
{
	struct ib_umem_odp *umem;
	struct croce_odp *odp;
	size_t num_pages;

	umem = ib_umem_odp_get(mr->pd->device, start, length,
			       access & ~IB_ACCESS_HUGETLB, &odp_notifier_ops);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	num_pages = ib_umem_odp_num_pages(umem);
	odp = kvzalloc(struct_size(odp, pages, num_pages),
		       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!odp) {
		ib_umem_odp_release(umem);
		return -ENOMEM;
	}
	rwlock_init(&odp->lock);
	odp->num_pages = num_pages;
	mutex_lock(&umem->umem_mutex);
	umem->private = odp;
	mutex_unlock(&umem->umem_mutex);
	mr->odp = odp;
	mr->umem = &umem->umem;
	mr->base = offset_in_page(start);
	return 0;
}

/**
 * croce_odp_release - let go of the memory of a region
 * @odp: pages of the region, which nobody uses any more
 * @umem: memory of the region
 *
 * Context: process, may sleep.
 */
void croce_odp_release(struct croce_odp *odp, struct ib_umem *umem)
{
	struct mutex *mutex = &to_ib_umem_odp(umem)->umem_mutex;

	mutex_lock(mutex);
	drop_pages(odp, 0, odp->num_pages);
	mutex_unlock(mutex);
	/* After this, the notifier is not called. */
	ib_umem_odp_release(to_ib_umem_odp(umem));
	kvfree(odp);
}

/**
 * croce_odp_lock - find a page and keep it for a copy
 * @mr: region from croce_mr_get()
 * @addr: address inside the range that was checked
 * @length: in: bytes wanted; out: bytes in the page
 * @write: it will be written to
 *
 * Return: kernel virtual address, to be followed by croce_odp_unlock(); NULL
 * when the page is not present, and nothing is locked.
 * Context: bottom halves off.
 */
void *croce_odp_lock(const struct croce_mr *mr, u64 addr, u32 *length,
		     bool write)
{
	u64 offset = addr - mr->iova + mr->base;
	struct croce_odp *odp = mr->odp;
	unsigned long entry;

	read_lock(&odp->lock);
	entry = odp->pages[offset >> PAGE_SHIFT];
	if (unlikely(!entry || (write && !(entry & ODP_WRITABLE)))) {
		read_unlock(&odp->lock);
		return NULL;
	}
	/* Held on return; to sparse it is not, since it may be either. */
	__release(&odp->lock);
	*length = min_t(u32, *length, PAGE_SIZE - offset_in_page(offset));
	return (void *)(entry & PAGE_MASK) + offset_in_page(offset);
}

/**
 * croce_odp_unlock - the copy is made
 * @odp: pages of the region that croce_odp_lock() found the page in
 *
 * Context: bottom halves off.
 */
void croce_odp_unlock(struct croce_odp *odp)
{
	__acquire(&odp->lock);
	read_unlock(&odp->lock);
}

/**
 * croce_odp_fault - make pages present
 * @mr: referenced region
 * @addr: address inside the region
 * @length: bytes, inside the region
 * @write: for writing
 * @fault: fault in what the process does not have; else take what it has
 *
 * Return: 0 or -errno: -EFAULT and -EPERM where the process has no such memory,
 * -EBUSY when it changes all the time. Context: process, may sleep.
 */
int croce_odp_fault(struct croce_mr *mr, u64 addr, u64 length, bool write,
		    bool fault)
{
	struct ib_umem_odp *umem = to_ib_umem_odp(mr->umem);
	u64 start = umem->umem.address + (addr - mr->iova);
	int num;

	num = ib_umem_odp_map_dma_and_lock(umem, start, length,
					   write ? HMM_PFN_WRITE : 0, fault);
	if (num < 0)
		return num;
	store_pages(mr->odp, compat_umem_pfns(umem), entry_index(umem, start),
		    num);
	mutex_unlock(&umem->umem_mutex);
	return 0;
}

/**
 * struct piece - part of a region
 * @mr: region, referenced
 * @addr: first address
 * @length: bytes
 */
struct piece {
	struct croce_mr *mr;
	u64 addr;
	u32 length;
};

/**
 * struct prefetch - an advice that nobody waits for
 * @work: does it
 * @advice: what to do
 * @num: pieces
 * @pieces: where to
 */
struct prefetch {
	struct work_struct work;
	enum ib_uverbs_advise_mr_advice advice;
	u32 num;
	struct piece pieces[] __counted_by(num);
};

static int prefetch_piece(const struct piece *piece,
			  enum ib_uverbs_advise_mr_advice advice)
{
	bool write = advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	bool fault = advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT;
	u32 done = 0, n;
	int err = 0;

	/* Who takes the region away does not wait for all of it. */
	while (done < piece->length && !err && READ_ONCE(piece->mr->valid)) {
		n = min_t(u32, piece->length - done, PREFETCH_STEP);
		err = croce_odp_fault(piece->mr, piece->addr + done, n, write,
				      fault);
		done += n;
		if (fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	return err;
}

static void put_pieces(struct prefetch *prefetch)
{
	u32 i;

	for (i = 0; i < prefetch->num; i++)
		if (prefetch->pieces[i].mr)
			croce_mr_put(prefetch->pieces[i].mr);
	kvfree(prefetch);
}

static int prefetch_pieces(struct prefetch *prefetch)
{
	int err = 0;
	u32 i;

	for (i = 0; i < prefetch->num && !err; i++)
		err = prefetch_piece(&prefetch->pieces[i], prefetch->advice);
	put_pieces(prefetch);
	return err;
}

static void prefetch_work(struct work_struct *work)
{
	prefetch_pieces(container_of(work, struct prefetch, work));
}

/* The reference is held for long, which is for regions on demand only. */
static int get_piece(struct ib_pd *pd, const struct ib_sge *sge, bool write,
		     struct piece *piece)
{
	struct croce_mr *mr;
	u64 addr = sge->addr;
	int err = 0;

	local_bh_disable();
	mr = croce_mr_get(croce_dev(pd->device), pd, sge->lkey, &addr,
			  sge->length, 0, false, 0);
	if (!mr)
		err = -EFAULT;
	else if (mr->type != CROCE_MR_ODP)
		err = -EINVAL;
	else if (write && !mr->umem->writable)
		err = -EPERM;
	if (mr && err)
		croce_mr_put(mr);
	local_bh_enable();
	if (err)
		return err;
	piece->mr = mr;
	piece->addr = addr;
	piece->length = sge->length;
	return 0;
}

static struct prefetch *make_prefetch(struct ib_pd *pd,
				      enum ib_uverbs_advise_mr_advice advice,
				      const struct ib_sge *sg_list, u32 num)
{
	bool write = advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	struct prefetch *prefetch;
	int err = 0;
	u32 i;

	prefetch = kvzalloc(struct_size(prefetch, pieces, num),
			    GFP_KERNEL_ACCOUNT);
	if (!prefetch)
		return ERR_PTR(-ENOMEM);
	INIT_WORK(&prefetch->work, prefetch_work);
	prefetch->advice = advice;
	prefetch->num = num;
	for (i = 0; i < num && !err; i++)
		err = get_piece(pd, &sg_list[i], write, &prefetch->pieces[i]);
	if (!err)
		return prefetch;
	put_pieces(prefetch);
	return ERR_PTR(err);
}

/**
 * croce_advise_mr - prefetch parts of regions on demand
 * @pd: protection domain
 * @advice: for reading, for writing, or only what the process has already
 * @flags: IB_UVERBS_ADVISE_MR_FLAG_FLUSH: be finished on return
 * @sg_list: parts
 * @num_sge: their number
 * @attrs: of the call
 *
 * Return: 0 or -errno, as ibv_advise_mr(3) has it. Context: process, may sleep.
 */
int croce_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice,
		    u32 flags, struct ib_sge *sg_list, u32 num_sge,
		    struct uverbs_attr_bundle *attrs)
{
	struct prefetch *prefetch;

	if (advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH &&
	    advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE &&
	    advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return -EOPNOTSUPP;
	prefetch = make_prefetch(pd, advice, sg_list, num_sge);
	if (IS_ERR(prefetch))
		return PTR_ERR(prefetch);
	if (flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH)
		return prefetch_pieces(prefetch);
	queue_work(odp_wq, &prefetch->work);
	return 0;
}
