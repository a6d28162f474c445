// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Regions on demand. The data path may not fault, so it has a table of the
 * pages that are present, filled from process context and emptied by the MMU
 * notifier before a page goes. What is not in the table is what fault.c is for.
 *
 * An entry is the page's kernel virtual address and, in the bits below, whether
 * it may be written to and how many copies from or to it are under way. Who
 * takes the page out clears the address, after which no copy can begin, and
 * waits for those that had. There is no lock that readers could starve it of.
 *
 * An implicit region is the whole address space of a process. It has a table
 * for each part of it that somebody came to.
 */
#include <linux/hmm.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "odp.h"

/* The page may be written to. */
#define ENTRY_WRITABLE		1L
/* One copy, and the bits that count them. */
#define ENTRY_COPY		2L
#define ENTRY_COPIES		((long)~PAGE_MASK & ~ENTRY_WRITABLE)
/* log2 of the bytes of a part of an implicit region. */
#define PART_SHIFT		21
/* The table of a larger region is made in parts, too, as far as it is used. */
#define WHOLE_MAX		BIT_ULL(36)
/* Time that a part without pages stays, since they often come back. */
#define TRIM_DELAY		HZ
/* Pages that are faulted in at once. */
#define FAULT_PAGES		32
/* Time after which a page that comes and goes is somebody else's turn. */
#define FAULT_PATIENCE		HZ

/*
 * Faults, which somebody waits for, and what nobody waits for. Not croce_wq:
 * they allocate memory, and what that one does is needed to get some. The end of
 * a fault sends packets, and does so where it began, so that those of UC and UD
 * do not overtake each other in the queues of two CPUs.
 */
static struct workqueue_struct *fault_wq;
static struct workqueue_struct *idle_wq;

/**
 * croce_odp_init - prepare for page faults
 *
 * Return: 0 or -ENOMEM. Context: process, may sleep.
 */
int croce_odp_init(void)
{
	fault_wq = alloc_workqueue("croce_fault", WQ_HIGHPRI | WQ_PERCPU, 0);
	if (!fault_wq)
		return -ENOMEM;
	idle_wq = alloc_workqueue("croce_prefetch", WQ_UNBOUND, 0);
	if (!idle_wq) {
		destroy_workqueue(fault_wq);
		return -ENOMEM;
	}
	return 0;
}

/**
 * croce_odp_exit - no region is left
 *
 * Context: process, may sleep.
 */
void croce_odp_exit(void)
{
	destroy_workqueue(idle_wq);
	destroy_workqueue(fault_wq);
}

/**
 * croce_odp_queue - do work that faults pages
 * @work: work
 * @urgent: somebody waits for it
 *
 * Context: any.
 */
void croce_odp_queue(struct work_struct *work, bool urgent)
{
	queue_work(urgent ? fault_wq : idle_wq, work);
}

static u64 part_end(const struct croce_odp_part *part)
{
	return part->start + ((u64)part->num_pages << PAGE_SHIFT);
}

static size_t entry_index(const struct croce_odp_part *part, u64 addr)
{
	return (addr - part->start) >> PAGE_SHIFT;
}

/* After this, no copy from or to the page is under way. */
static void drop_page(struct croce_odp_part *part, atomic_long_t *page)
{
	long entry = atomic_long_fetch_and(ENTRY_COPIES, page);

	if (!(entry & (long)PAGE_MASK))
		return;
	/* Copies are not preempted, so this is short. */
	atomic_long_cond_read_acquire(page, !VAL);
	part->num_present--;
	/* Written without the process's page table knowing. */
	if (entry & ENTRY_WRITABLE)
		set_page_dirty(compound_head(virt_to_page((void *)
						(entry & (long)PAGE_MASK))));
}

static void drop_pages(struct croce_odp_part *part, size_t from, size_t to)
{
	size_t i;

	for (i = from; i < to && part->num_present; i++)
		if (atomic_long_read(&part->pages[i]))
			drop_page(part, &part->pages[i]);
}

/* Memory that is hidden from the kernel, too, cannot be copied from or to. */
static bool is_secret(struct page *page)
{
	struct address_space *mapping;

	if (PageAnon(page))
		return false;
	/* It is mapped, so this stays. */
	mapping = folio_mapping(page_folio(page));
	return mapping && mapping->host &&
	       mapping->host->i_sb->s_magic == SECRETMEM_MAGIC;
}

static int store_page_locked(struct croce_odp_part *part, atomic_long_t *page,
			     unsigned long pfn)
{
	long entry = 0;

	lockdep_assert_held(&part->mutex);
	if (pfn & HMM_PFN_VALID) {
		if (is_secret(hmm_pfn_to_page(pfn)))
			return -EFAULT;
		entry = (long)page_address(hmm_pfn_to_page(pfn));
		if (pfn & HMM_PFN_WRITE)
			entry |= ENTRY_WRITABLE;
	}
	if ((atomic_long_read(page) & ~ENTRY_COPIES) == entry)
		return 0;
	drop_page(part, page);
	if (entry) {
		part->num_present++;
		atomic_long_set_release(page, entry);
	}
	return 0;
}

static bool odp_invalidate(struct mmu_interval_notifier *notifier,
			   const struct mmu_notifier_range *range,
			   unsigned long seq)
{
	struct croce_odp_part *part = container_of(notifier,
						   struct croce_odp_part,
						   notifier);
	u64 start = max_t(u64, part->start, range->start);
	u64 end = min_t(u64, part_end(part), range->end);

	if (!mmu_notifier_range_blockable(range))
		return false;
	mutex_lock(&part->mutex);
	mmu_interval_set_seq(notifier, seq);
	if (part->num_present) {
		drop_pages(part, entry_index(part, start),
			   entry_index(part, end + PAGE_SIZE - 1));
		if (!part->num_present && !part->odp->whole)
			queue_delayed_work(idle_wq, &part->odp->trim,
					   TRIM_DELAY);
	}
	mutex_unlock(&part->mutex);
	return true;
}

static const struct mmu_interval_notifier_ops odp_notifier_ops = {
	.invalidate = odp_invalidate,
};

/* The caller keeps the address space alive. */
static struct croce_odp_part *make_part(struct croce_odp *odp, u64 start,
					u64 end)
{
	size_t num_pages = (end - start) >> PAGE_SHIFT;
	struct croce_odp_part *part;
	int err;

	part = kvzalloc(struct_size(part, pages, num_pages),
			GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!part)
		return ERR_PTR(-ENOMEM);
	part->odp = odp;
	part->start = start;
	part->num_pages = num_pages;
	mutex_init(&part->mutex);
	err = mmu_interval_notifier_insert(&part->notifier, odp->mm, start,
					   end - start, &odp_notifier_ops);
	if (!err)
		return part;
	kvfree(part);
	return ERR_PTR(err);
}

static void release_part(struct croce_odp_part *part)
{
	mutex_lock(&part->mutex);
	drop_pages(part, 0, part->num_pages);
	mutex_unlock(&part->mutex);
	/* Not before: while a page is in the table, we have to be told. */
	mmu_interval_notifier_remove(&part->notifier);
	mutex_destroy(&part->mutex);
	kvfree_rcu(part, rcu);
}

static void trim_part_locked(struct croce_odp *odp,
			     struct croce_odp_part *part)
{
	lockdep_assert_held(&odp->mutex);
	/* Without a fault under way, no page can come. */
	if (part->users || READ_ONCE(part->num_present))
		return;
	xa_erase(&odp->parts, part->start >> PART_SHIFT);
	release_part(part);
}

static void trim_work(struct work_struct *work)
{
	struct croce_odp *odp = container_of(to_delayed_work(work),
					     struct croce_odp, trim);
	struct croce_odp_part *part;
	unsigned long index;

	mutex_lock(&odp->mutex);
	xa_for_each(&odp->parts, index, part)
		trim_part_locked(odp, part);
	mutex_unlock(&odp->mutex);
}

static struct croce_odp *alloc_odp(u64 start)
{
	struct croce_odp *odp = kzalloc(sizeof(*odp), GFP_KERNEL_ACCOUNT);

	if (!odp)
		return NULL;
	odp->start = start;
	odp->mm = current->mm;
	mmgrab(odp->mm);
	xa_init(&odp->parts);
	mutex_init(&odp->mutex);
	INIT_DELAYED_WORK(&odp->trim, trim_work);
	return odp;
}

static void free_odp(struct croce_odp *odp)
{
	mmdrop(odp->mm);
	mutex_destroy(&odp->mutex);
	kfree(odp);
}

/**
 * croce_odp_release - let go of the memory of a region
 * @odp: memory of the region, which nobody uses any more
 *
 * Context: process, may sleep.
 */
void croce_odp_release(struct croce_odp *odp)
{
	struct croce_odp_part *part;
	unsigned long index;

	if (odp->whole)
		release_part(odp->whole);
	mutex_lock(&odp->mutex);
	xa_for_each(&odp->parts, index, part) {
		xa_erase(&odp->parts, index);
		release_part(part);
	}
	mutex_unlock(&odp->mutex);
	/* After this, no notifier and no work knows it. */
	cancel_delayed_work_sync(&odp->trim);
	free_odp(odp);
}

static int attach_whole(struct croce_odp *odp, u64 length)
{
	u64 start = ALIGN_DOWN(odp->start, PAGE_SIZE);
	u64 end = PAGE_ALIGN(odp->start + length);
	struct croce_odp_part *part;

	if (end <= start)
		return -EOVERFLOW;
	part = make_part(odp, start, end);
	if (IS_ERR(part))
		return PTR_ERR(part);
	odp->whole = part;
	return 0;
}

/* ibv_reg_mr(3): address 0 and the greatest length are all there is. */
static bool is_implicit(u64 start, u64 length)
{
	return !start && length == U64_MAX;
}

static int check_on_demand_args(u64 start, u64 length, u64 iova, int access)
{
	int err = croce_mr_check_args(start, length, iova,
				  access & ~IB_ACCESS_ON_DEMAND);

	if (err)
		return err;
	/* Windows need blocks that stay. */
	if (access & IB_ACCESS_MW_BIND)
		return -EOPNOTSUPP;
	if (is_implicit(start, length))
		return iova || (access & IB_ZERO_BASED) ? -EINVAL : 0;
	return length > CROCE_MAX_MR_SIZE ? -EINVAL : 0;
}

static int attach_memory(struct croce_mr *mr, u64 start, u64 length)
{
	int err;

	mr->odp = alloc_odp(start);
	if (!mr->odp)
		return -ENOMEM;
	if (is_implicit(start, length)) {
		mr->length = TASK_SIZE;
		return 0;
	}
	mr->length = length;
	if (length <= WHOLE_MAX)
		err = attach_whole(mr->odp, length);
	else
		err = length > TASK_SIZE || start > TASK_SIZE - length ?
		      -EOVERFLOW : 0;
	if (err)
		free_odp(mr->odp);
	return err;
}

/**
 * croce_odp_reg - register memory of a process on demand
 * @pd: protection domain
 * @start: first user virtual address
 * @length: bytes
 * @iova: address that keys' users name for @start
 * @access: IB_ACCESS_*
 *
 * Nothing is present yet. Huge pages are used page by page, like all others.
 *
 * Return: region or ERR_PTR. Context: process, may sleep.
 */
struct ib_mr *croce_odp_reg(struct ib_pd *pd, u64 start, u64 length, u64 iova,
			    int access)
{
	struct croce_mr *mr;
	int err;

	err = check_on_demand_args(start, length, iova, access);
	if (err)
		return ERR_PTR(err);
	mr = croce_mr_alloc(pd, CROCE_MR_ODP);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->access = access;
	mr->iova = access & IB_ZERO_BASED ? 0 : iova;
	err = attach_memory(mr, start, length);
	if (err)
		goto err_free_mr;
	err = croce_mr_insert(mr);
	if (err)
		goto err_release_odp;
	croce_mr_publish(mr);
	return &mr->ibmr;

err_release_odp:
	croce_odp_release(mr->odp);
err_free_mr:
	kfree(mr);
	return ERR_PTR(err);
}

static struct croce_odp_part *find_part(struct croce_odp *odp, u64 addr)
{
	return odp->whole ?: xa_load(&odp->parts, addr >> PART_SHIFT);
}

/**
 * croce_odp_lock - find a page and keep it for a copy
 * @mr: region from croce_mr_get()
 * @addr: address inside the range that was checked
 * @length: in: bytes wanted; out: bytes in the page
 * @write: it will be written to
 * @page: out: for croce_odp_unlock()
 *
 * Return: kernel virtual address, to be followed by croce_odp_unlock(); NULL
 * when the page is not present, and nothing is locked.
 * Context: bottom halves off, RCU read section; preemption is off until the
 * unlock.
 */
void *croce_odp_lock(const struct croce_mr *mr, u64 addr, u32 *length,
		     bool write, atomic_long_t **page)
{
	u64 user_addr = mr->odp->start + (addr - mr->iova);
	struct croce_odp_part *part = find_part(mr->odp, user_addr);
	long entry;

	if (unlikely(!part))
		return NULL;
	*page = &part->pages[entry_index(part, user_addr)];
	/* On PREEMPT_RT, bottom halves that are off do not imply it. */
	preempt_disable();
	entry = atomic_long_read(*page);
	do {
		if (unlikely(!(entry & (long)PAGE_MASK) ||
			     (write && !(entry & ENTRY_WRITABLE)) ||
			     (entry & ENTRY_COPIES) == ENTRY_COPIES)) {
			preempt_enable();
			return NULL;
		}
	} while (!atomic_long_try_cmpxchg_acquire(*page, &entry,
						  entry + ENTRY_COPY));
	*length = min_t(u32, *length, PAGE_SIZE - offset_in_page(user_addr));
	return (void *)(entry & (long)PAGE_MASK) + offset_in_page(user_addr);
}

/**
 * croce_odp_unlock - the copy is made
 * @page: from croce_odp_lock()
 *
 * Context: bottom halves off, RCU read section.
 */
void croce_odp_unlock(atomic_long_t *page)
{
	atomic_long_fetch_sub_release(ENTRY_COPY, page);
	preempt_enable();
}

/* Returns -EBUSY when the pages have changed meanwhile. */
static int try_fault(struct croce_odp_part *part, struct hmm_range *range)
{
	size_t first = entry_index(part, range->start);
	size_t num = (range->end - range->start) >> PAGE_SHIFT;
	int err;
	size_t i;

	range->notifier_seq = mmu_interval_read_begin(range->notifier);
	err = mmap_read_lock_killable(part->odp->mm);
	if (err)
		return err;
	/* Not in the way that lets go of the lock: userfaultfd may hold that up. */
	err = hmm_range_fault(range);
	mmap_read_unlock(part->odp->mm);
	if (err)
		return err;
	mutex_lock(&part->mutex);
	if (mmu_interval_read_retry(range->notifier, range->notifier_seq))
		err = -EBUSY;
	for (i = 0; i < num && !err; i++)
		err = store_page_locked(part, &part->pages[first + i],
					range->hmm_pfns[i]);
	mutex_unlock(&part->mutex);
	return err;
}

static int fault_pages(struct croce_odp_part *part, u64 start, u64 end,
		       unsigned long flags)
{
	unsigned long until = jiffies + FAULT_PATIENCE;
	unsigned long pfns[FAULT_PAGES];
	struct hmm_range range = {
		.notifier = &part->notifier,
		.start = start,
		.end = end,
		.hmm_pfns = pfns,
		.default_flags = flags,
	};
	int err;

	do {
		memset(pfns, 0, sizeof(pfns));
		err = try_fault(part, &range);
	} while (err == -EBUSY && time_before(jiffies, until));
	return err;
}

/* The caller keeps the address space alive. */
static int fault_in(struct croce_odp_part *part, u64 addr, u64 length,
		    unsigned long flags)
{
	u64 start = ALIGN_DOWN(addr, PAGE_SIZE);
	u64 end = PAGE_ALIGN(addr + length);
	int err = 0;

	for (; start < end && !err; start += FAULT_PAGES * PAGE_SIZE)
		err = fault_pages(part, start,
				  min(end, start + FAULT_PAGES * PAGE_SIZE),
				  flags);
	return err;
}

static struct croce_odp_part *make_child(struct croce_odp *odp, u64 addr)
{
	u64 start = ALIGN_DOWN(addr, BIT_ULL(PART_SHIFT));
	struct croce_odp_part *part;
	int err;

	part = make_part(odp, start, start + BIT_ULL(PART_SHIFT));
	if (IS_ERR(part))
		return part;
	err = xa_err(xa_store(&odp->parts, start >> PART_SHIFT, part,
			      GFP_KERNEL));
	if (!err)
		return part;
	release_part(part);
	return ERR_PTR(err);
}

/* Part of an implicit or large region, which stays until put_part(). */
static struct croce_odp_part *get_part(struct croce_odp *odp, u64 addr)
{
	struct croce_odp_part *part;

	mutex_lock(&odp->mutex);
	part = find_part(odp, addr);
	if (!part)
		part = make_child(odp, addr);
	if (!IS_ERR(part))
		part->users++;
	mutex_unlock(&odp->mutex);
	return part;
}

static void put_part(struct croce_odp *odp, struct croce_odp_part *part)
{
	mutex_lock(&odp->mutex);
	part->users--;
	/* Where there is no memory, nothing stays behind. */
	trim_part_locked(odp, part);
	mutex_unlock(&odp->mutex);
}

static int fault_in_parts(struct croce_odp *odp, u64 addr, u64 length,
			  unsigned long flags)
{
	int err = 0;

	while (length && !err) {
		struct croce_odp_part *part = get_part(odp, addr);
		u64 n;

		if (IS_ERR(part))
			return PTR_ERR(part);
		n = min(length, part_end(part) - addr);
		err = fault_in(part, addr, n, flags);
		put_part(odp, part);
		addr += n;
		length -= n;
	}
	return err;
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
 * or is not there any more, -EBUSY when it changes all the time.
 * Context: process, may sleep.
 */
int croce_odp_fault(struct croce_mr *mr, u64 addr, u64 length, bool write,
		    bool fault)
{
	u64 user_addr = mr->odp->start + (addr - mr->iova);
	struct croce_odp *odp = mr->odp;
	unsigned long flags = 0;
	int err;

	if (fault)
		flags = HMM_PFN_REQ_FAULT | (write ? HMM_PFN_REQ_WRITE : 0);
	if (!mmget_not_zero(odp->mm))
		return -EFAULT;
	err = odp->whole ? fault_in(odp->whole, user_addr, length, flags) :
	      fault_in_parts(odp, user_addr, length, flags);
	/* The last one would take all of it down here. */
	mmput_async(odp->mm);
	return err;
}
