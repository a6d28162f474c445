// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Keys and memory regions; see mr.h. Fast registration is in frmr.c, windows
 * are in mw.c.
 *
 * A key is looked up under RCU and used under a reference, both without a
 * lock. Accesses are short and run with bottom halves off, so whoever takes a
 * key away waits for them: asleep where it may (dereg, rereg), else spinning
 * (local and remote invalidate, bind).
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include "mr.h"
#include "odp.h"

/* Regions and windows share the numbers. */
#define KEY_LIMIT		XA_LIMIT(1, CROCE_MAX_MR + CROCE_MAX_MW)

#define ACCESS_REMOTE		(IB_ACCESS_REMOTE_WRITE |		\
				 IB_ACCESS_REMOTE_READ |		\
				 IB_ACCESS_REMOTE_ATOMIC |		\
				 IB_ACCESS_FLUSH_GLOBAL)
#define ACCESS_KNOWN		(ACCESS_REMOTE | IB_ACCESS_LOCAL_WRITE |	\
				 IB_ACCESS_MW_BIND | IB_ZERO_BASED |	\
				 IB_ACCESS_HUGETLB | IB_ACCESS_OPTIONAL)

/* What key 0 stands for in the hands of kernel consumers; never freed. */
static struct croce_mr local_dma = {
	.type = CROCE_MR_DMA,
};

/**
 * croce_mr_alloc - allocate a region or window, without a key yet
 * @pd: protection domain
 * @type: what it will be
 *
 * Return: object for croce_mr_insert(), or NULL. Context: process, may sleep.
 */
struct croce_mr *croce_mr_alloc(struct ib_pd *pd, enum croce_mr_type type)
{
	struct croce_mr *mr;

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return NULL;
	refcount_set(&mr->refs, 1);
	init_completion(&mr->gone);
	spin_lock_init(&mr->lock);
	mr->pd = pd;
	mr->type = type;
	return mr;
}

/**
 * croce_mr_insert - give a region or window a key; it is not valid yet
 * @mr: from croce_mr_alloc()
 *
 * Numbers are handed out in turn, and the variant moves on with each round, so
 * that a key comes back after all others with its number.
 *
 * Return: 0 or -ENOMEM. Context: process, may sleep.
 */
int croce_mr_insert(struct croce_mr *mr)
{
	struct croce_dev *dev = croce_dev(mr->pd->device);
	u32 index;
	int err;

	err = xa_alloc_cyclic(&dev->mrs, &index, mr, KEY_LIMIT, &dev->mr_next,
			      GFP_KERNEL);
	if (err < 0)
		return -ENOMEM;
	if (err)
		atomic_inc(&dev->mr_variant);
	mr->key = index << 8 | (u8)atomic_read(&dev->mr_variant);
	return 0;
}

/**
 * croce_mr_validate_locked - let a key be used
 * @mr: region or window, complete
 *
 * Context: any, mr->lock held.
 */
void croce_mr_validate_locked(struct croce_mr *mr)
{
	lockdep_assert_held(&mr->lock);
	/* E: everything is written before valid is. */
	smp_store_release(&mr->valid, true);
}

/**
 * croce_mr_quiesce_locked - let a key not be used any more
 * @mr: region or window
 *
 * Spins until the accesses under way are over. They run with bottom halves off
 * and take no lock, and the caller is none of them.
 *
 * Context: any with bottom halves off, mr->lock held.
 */
void croce_mr_quiesce_locked(struct croce_mr *mr)
{
	lockdep_assert_held(&mr->lock);
	WRITE_ONCE(mr->valid, false);
	/* E: valid was stored, refs are loaded. */
	smp_mb();
	while (refcount_read(&mr->refs) > 1)
		cpu_relax();
	/* What the accesses wrote is visible to who reuses the memory. */
	smp_acquire__after_ctrl_dep();
}

static void invalidate(struct croce_mr *mr)
{
	spin_lock_bh(&mr->lock);
	WRITE_ONCE(mr->valid, false);
	spin_unlock_bh(&mr->lock);
}

/* Waits asleep until no access is under way; the object has no reference then. */
static void drain(struct croce_mr *mr)
{
	invalidate(mr);
	croce_mr_put(mr);
	wait_for_completion(&mr->gone);
}

/* Undoes drain(). */
static void revive(struct croce_mr *mr)
{
	reinit_completion(&mr->gone);
	refcount_set(&mr->refs, 1);
	spin_lock_bh(&mr->lock);
	croce_mr_validate_locked(mr);
	spin_unlock_bh(&mr->lock);
}

/**
 * croce_mr_retire - take a region or window away and free it
 * @mr: object; windows are unbound
 *
 * Context: process, may sleep.
 */
void croce_mr_retire(struct croce_mr *mr)
{
	struct croce_dev *dev = croce_dev(mr->pd->device);

	xa_erase(&dev->mrs, croce_key_index(mr->key));
	/* After this, the key finds nothing; who found it before may try it. */
	drain(mr);
	/* After this, no access is under way, and a late one gets no reference. */
	kfree_rcu(mr, rcu);
}

/**
 * croce_mr_in_range - is a range of addresses inside a region or window?
 * @mr: region or window
 * @addr: first address
 * @length: bytes
 *
 * Return: true when it is, and always for the DMA region. Context: any.
 */
bool croce_mr_in_range(const struct croce_mr *mr, u64 addr, u64 length)
{
	if (mr->type == CROCE_MR_DMA)
		return true;
	/* In this order nothing overflows, whatever a peer asks for. */
	return addr >= mr->iova && addr - mr->iova <= mr->length &&
	       length <= mr->length - (addr - mr->iova);
}

static bool is_window(const struct croce_mr *mr)
{
	return mr->type == CROCE_MR_MW1 || mr->type == CROCE_MR_MW2;
}

static bool may_use(const struct croce_mr *mr, const struct ib_pd *pd, u32 key,
		    bool remote, u32 qpn)
{
	/* E: valid is loaded before everything it vouches for. */
	if (!smp_load_acquire(&mr->valid))
		return false;
	if (READ_ONCE(mr->key) != key || READ_ONCE(mr->pd) != pd)
		return false;
	if (is_window(mr) && !remote)
		return false;
	return mr->type != CROCE_MR_MW2 || READ_ONCE(mr->qpn) == qpn;
}

/**
 * croce_mr_get - find and reference what is behind a key, for one access
 * @dev: device
 * @pd: protection domain of the QP
 * @key: local or remote key
 * @addr: first address
 * @length: bytes; an access to nothing needs no key, the caller skips it
 * @access: IB_ACCESS_LOCAL_WRITE or IB_ACCESS_REMOTE_*; 0 for a local read
 * @remote: the key came from the wire: windows count, the local DMA key does
 *	not
 * @qpn: number of the QP
 *
 * The reference is held with bottom halves off and for the access only.
 *
 * Return: region or window for croce_mr_span() and croce_mr_put(), or NULL
 * where key, domain, range and access do not all fit. Context: any, takes no
 * lock.
 */
struct croce_mr *croce_mr_get(struct croce_dev *dev, struct ib_pd *pd, u32 key,
			      u64 *addr, u64 length, u32 access, bool remote,
			      u32 qpn)
{
	struct croce_mr *mr;

	if (!key)
		return remote || pd->uobject ? NULL : &local_dma;

	rcu_read_lock();
	mr = xa_load(&dev->mrs, croce_key_index(key));
	/* First without a reference, lest strangers hold up who invalidates. */
	if (mr && (!may_use(mr, pd, key, remote, qpn) ||
		   !refcount_inc_not_zero(&mr->refs)))
		mr = NULL;
	rcu_read_unlock();
	if (!mr)
		return NULL;

	/* E: refs was stored, valid is loaded. */
	smp_mb__after_atomic();
	if (may_use(mr, pd, key, remote, qpn) &&
	    (mr->access & access) == access &&
	    croce_mr_in_range(mr, *addr, length))
		return mr;
	croce_mr_put(mr);
	return NULL;
}

/**
 * croce_mr_put - an access is over
 * @mr: from croce_mr_get()
 *
 * Context: any.
 */
void croce_mr_put(struct croce_mr *mr)
{
	if (mr == &local_dma)
		return;
	if (refcount_dec_and_test(&mr->refs))
		complete(&mr->gone);
}

/**
 * croce_mr_invalidate - LOCAL_INV and SEND with Invalidate
 * @dev: device
 * @pd: protection domain of the QP
 * @key: key to invalidate
 * @qpn: number of the QP
 * @remote: the peer asked for it
 *
 * Fast-registration regions and type 2 windows only (IBA 10.6.5).
 *
 * Return: 0 or -EINVAL. Context: bottom halves off, no reference from
 * croce_mr_get() held.
 */
int croce_mr_invalidate(struct croce_dev *dev, struct ib_pd *pd, u32 key,
			u32 qpn, bool remote)
{
	struct croce_mr *mr;
	int err = -EINVAL;

	rcu_read_lock();
	mr = xa_load(&dev->mrs, croce_key_index(key));
	if (!mr || !key)
		goto out_unlock_rcu;
	spin_lock_bh(&mr->lock);
	if (mr->key != key || mr->pd != pd)
		goto out_unlock;
	if (mr->type == CROCE_MR_FRMR &&
	    (!remote || (mr->access & ACCESS_REMOTE))) {
		croce_mr_quiesce_locked(mr);
		err = 0;
	} else if (mr->type == CROCE_MR_MW2 && mr->valid && mr->qpn == qpn) {
		croce_mw_unbind_locked(mr);
		err = 0;
	}
out_unlock:
	spin_unlock_bh(&mr->lock);
out_unlock_rcu:
	rcu_read_unlock();
	return err;
}

/**
 * croce_mr_publish - let a new region be used
 * @mr: region with a key, complete
 *
 * Context: any but hard interrupts.
 */
void croce_mr_publish(struct croce_mr *mr)
{
	mr->ibmr.lkey = mr->key;
	mr->ibmr.rkey = mr->key;
	spin_lock_bh(&mr->lock);
	croce_mr_validate_locked(mr);
	spin_unlock_bh(&mr->lock);
}

/**
 * croce_get_dma_mr - region of all kernel virtual addresses
 * @pd: protection domain of a kernel consumer
 * @access: IB_ACCESS_*
 *
 * Return: region or ERR_PTR(-ENOMEM). Context: process, may sleep.
 */
struct ib_mr *croce_get_dma_mr(struct ib_pd *pd, int access)
{
	struct croce_mr *mr;
	int err;

	mr = croce_mr_alloc(pd, CROCE_MR_DMA);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->access = access;
	err = croce_mr_insert(mr);
	if (err)
		goto err_free_mr;
	croce_mr_publish(mr);
	return &mr->ibmr;

err_free_mr:
	kfree(mr);
	return ERR_PTR(err);
}

/**
 * struct pinned - pinned memory, and how an offset turns into an address
 * @umem: pages
 * @blocks: kernel virtual address of each block
 * @nblocks: their number
 * @base: offset of the first byte inside block 0
 * @shift: log2 of the block size
 */
struct pinned {
	struct ib_umem *umem;
	unsigned long *blocks;
	u32 nblocks;
	u64 base;
	u8 shift;
};

/*
 * Choose the largest power of two such that all boundaries between physically
 * contiguous pieces fall on boundaries between blocks. Blocks are aligned to
 * the end of the first piece, not to addresses; the first block may begin
 * before, and the last one end after the memory, since nobody goes there. So a
 * piece in the middle must be a multiple of the block size, and the first and
 * the last need only fit.
 */
static void choose_blocks(struct pinned *pin)
{
	u64 first = 0, inner = 0, run = 0, end = 0, size;
	struct scatterlist *sg;
	int i;

	for_each_sgtable_dma_sg(&pin->umem->sgt_append.sgt, sg, i) {
		if (run && sg_dma_address(sg) != end) {
			inner |= first ? run : 0;
			first = first ?: run;
			run = 0;
		}
		run += sg_dma_len(sg);
		end = sg_dma_address(sg) + sg_dma_len(sg);
	}
	first = first ?: run;
	size = roundup_pow_of_two(max(first, run));
	if (inner)
		size = min(size, 1ULL << __ffs64(inner));
	pin->shift = ilog2(size);
	pin->base = -first & (size - 1);
}

static void fill_blocks(struct pinned *pin)
{
	u64 size = 1ULL << pin->shift, offset = pin->base, from;
	struct scatterlist *sg;
	u32 n = 0;
	int i;

	pin->blocks[n++] = sg_dma_address(pin->umem->sgt_append.sgt.sgl) -
			   pin->base;
	for_each_sgtable_dma_sg(&pin->umem->sgt_append.sgt, sg, i) {
		from = n * size - offset;
		for (; from < sg_dma_len(sg); from += size)
			pin->blocks[n++] = sg_dma_address(sg) + from;
		offset += sg_dma_len(sg);
	}
	/* Consumers begin inside the first page. */
	pin->base += ib_umem_offset(pin->umem);
}

static int pin_memory(struct pinned *pin, struct ib_device *ibdev, u64 start,
		      u64 length, int access)
{
	struct sg_append_table *table;
	u64 blocks;
	int err;

	pin->umem = ib_umem_get_va(ibdev, start, length, access);
	if (IS_ERR(pin->umem))
		return PTR_ERR(pin->umem);
	table = &pin->umem->sgt_append;
	choose_blocks(pin);
	blocks = (pin->base + (u64)ib_umem_num_pages(pin->umem) * PAGE_SIZE +
		  (1ULL << pin->shift) - 1) >> pin->shift;
	err = -ENOMEM;
	if (!table->sgt.nents || blocks > U32_MAX)
		goto err_release_umem;
	pin->nblocks = blocks;
	pin->blocks = kvmalloc_array(blocks, sizeof(*pin->blocks),
				     GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pin->blocks)
		goto err_release_umem;
	fill_blocks(pin);
	return 0;

err_release_umem:
	ib_umem_release(pin->umem);
	return err;
}

static void set_memory(struct croce_mr *mr, const struct pinned *pin)
{
	mr->umem = pin->umem;
	mr->blocks = pin->blocks;
	mr->nblocks = pin->nblocks;
	mr->shift = pin->shift;
	mr->base = pin->base;
}

/**
 * croce_mr_check_args - could there be such a region?
 * @start: first user virtual address
 * @length: bytes
 * @iova: address for @start
 * @access: IB_ACCESS_*
 *
 * Return: 0 or -errno. Context: any.
 */
int croce_mr_check_args(u64 start, u64 length, u64 iova, int access)
{
	u64 end;

	if (access & ~ACCESS_KNOWN)
		return -EOPNOTSUPP;
	if (!length || check_add_overflow(start, length - 1, &end) ||
	    check_add_overflow(iova, length - 1, &end))
		return -EINVAL;
	return 0;
}

/**
 * croce_reg_user_mr - register memory of a process
 * @pd: protection domain
 * @start: first user virtual address
 * @length: bytes
 * @iova: address that keys' users name for @start
 * @access: IB_ACCESS_*
 * @dmah: steering hints, which virtual memory has no use for
 * @udata: of the call
 *
 * Return: region or ERR_PTR. Context: process, may sleep.
 */
struct ib_mr *croce_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
				u64 iova, int access, struct ib_dmah *dmah,
				struct ib_udata *udata)
{
	struct croce_mr *mr;
	struct pinned pin;
	int err;

	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	if (access & IB_ACCESS_ON_DEMAND)
		return croce_odp_reg(pd, start, length, iova, access);
	err = croce_mr_check_args(start, length, iova, access);
	if (err)
		return ERR_PTR(err);
	mr = croce_mr_alloc(pd, CROCE_MR_USER);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = pin_memory(&pin, pd->device, start, length, access);
	if (err)
		goto err_free_mr;
	set_memory(mr, &pin);
	mr->access = access;
	mr->iova = access & IB_ZERO_BASED ? 0 : iova;
	mr->length = length;
	err = croce_mr_insert(mr);
	if (err)
		goto err_unpin_memory;
	croce_mr_publish(mr);
	return &mr->ibmr;

err_unpin_memory:
	kvfree(pin.blocks);
	ib_umem_release(pin.umem);
err_free_mr:
	kfree(mr);
	return ERR_PTR(err);
}

/* A region with windows stays as it is (IBA 10.6.7.2.6, ibv_dereg_mr(3)). */
static int refuse_windows(struct croce_mr *mr)
{
	return atomic_cmpxchg(&mr->bindings, 0, -1) ? -EBUSY : 0;
}

/*
 * New memory is needed for another range, and where the pages were pinned for
 * reading only and are to be written to.
 */
static int rereg_memory(struct croce_mr *mr, struct pinned *pin, int flags,
			u64 start, u64 length, int access)
{
	struct ib_umem *umem = mr->umem;

	if (!(flags & IB_MR_REREG_TRANS)) {
		if (umem->writable || !ib_access_writable(access)) {
			pin->umem = NULL;
			return 0;
		}
		start = umem->address;
		length = umem->length;
	}
	return pin_memory(pin, mr->ibmr.device, start, length, access);
}

/**
 * croce_rereg_user_mr - change a region of a process in place
 * @ibmr: region
 * @flags: IB_MR_REREG_*: what changes
 * @start: first user virtual address (TRANS)
 * @length: bytes (TRANS)
 * @iova: address for @start (TRANS)
 * @access: IB_ACCESS_* (ACCESS)
 * @pd: protection domain (PD)
 * @udata: of the call
 *
 * The key stays. An access that comes in the middle fails, as one before or
 * after may. A region on demand stays as it is, and no other becomes one.
 *
 * Return: NULL, or ERR_PTR with the region as it was; -EBUSY when windows are
 * bound to it. Context: process, may sleep.
 */
struct ib_mr *croce_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				  u64 length, u64 iova, int access,
				  struct ib_pd *pd, struct ib_udata *udata)
{
	struct croce_mr *mr = croce_mr(ibmr);
	unsigned long *old_blocks = mr->blocks;
	struct ib_umem *old_umem = mr->umem;
	struct pinned pin = {};
	int err;

	if (mr->type == CROCE_MR_ODP)
		return ERR_PTR(-EOPNOTSUPP);
	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->access;
	if (!(flags & IB_MR_REREG_TRANS)) {
		start = old_umem->address;
		length = mr->length;
		iova = ibmr->iova;
	}
	err = croce_mr_check_args(start, length, iova, access);
	if (err)
		return ERR_PTR(err);
	err = refuse_windows(mr);
	if (err)
		return ERR_PTR(err);
	err = rereg_memory(mr, &pin, flags, start, length, access);
	if (err)
		goto out_accept_windows;

	drain(mr);
	if (pin.umem)
		set_memory(mr, &pin);
	if (flags & IB_MR_REREG_PD)
		mr->pd = pd;
	mr->access = access;
	mr->iova = access & IB_ZERO_BASED ? 0 : iova;
	mr->length = length;
	revive(mr);
	if (pin.umem) {
		kvfree(old_blocks);
		ib_umem_release(old_umem);
	}
out_accept_windows:
	atomic_set(&mr->bindings, 0);
	return err ? ERR_PTR(err) : NULL;
}

/**
 * croce_dereg_mr - take a region away
 * @ibmr: region of any kind
 * @udata: of the call, or NULL
 *
 * Return: 0, or -EBUSY when windows are bound to it. Context: process, may
 * sleep.
 */
int croce_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct croce_mr *mr = croce_mr(ibmr);
	unsigned long *blocks = mr->blocks;
	struct ib_umem *umem = mr->umem;
	struct croce_odp *odp = mr->odp;
	int err;

	err = refuse_windows(mr);
	if (err)
		return err;
	croce_mr_retire(mr);
	if (odp) {
		croce_odp_release(odp);
		return 0;
	}
	kvfree(blocks);
	ib_umem_release(umem);
	return 0;
}
