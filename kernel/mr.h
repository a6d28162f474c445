/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory regions and windows: keys, ranges, and where the bytes are. L2.
 */
#ifndef CROCE_MR_H
#define CROCE_MR_H

#include "dev.h"

struct croce_odp;
struct ib_dmah;

/**
 * enum croce_mr_type - how an address turns into memory
 * @CROCE_MR_DMA: kernel virtual addresses, no range
 * @CROCE_MR_ODP: user pages on demand
 * @CROCE_MR_USER: pinned user pages
 * @CROCE_MR_FRMR: fast registration by a kernel consumer
 * @CROCE_MR_MW1: memory window type 1
 * @CROCE_MR_MW2: memory window type 2B
 */
enum croce_mr_type {
	CROCE_MR_DMA,
	CROCE_MR_ODP,
	/* from here on: what croce_mr_span() is for */
	CROCE_MR_USER,
	CROCE_MR_FRMR,
	CROCE_MR_MW1,
	CROCE_MR_MW2,
};

/**
 * struct croce_mr - memory region or window, by key
 *
 * Letter E orders validity: who invalidates a key stores valid = false, full
 * barrier, loads refs; who uses it takes a reference, full barrier, loads
 * valid. At least one sees the other, so no access outlives an invalidation.
 *
 * Letter V marks what changes only while the key is not valid and nobody but
 * the registration holds a reference, so that holders of one read it freely.
 *
 * @ibmr: RDMA core's part (regions)
 * @ibmw: RDMA core's part (windows; see struct croce_mw)
 * @refs: one for being registered, one per access under way (A)
 * @gone: completes when @refs reaches zero
 * @rcu: readers find the object in croce_dev.mrs without a reference
 * @lock: of what makes the key valid or invalid: register, bind, invalidate
 * @pd: protection domain (V)
 * @key: lkey and rkey are the same number: index << 8 | variant (V)
 * @access: IB_ACCESS_* (V)
 * @iova: first address (V)
 * @length: bytes (V)
 * @base: offset of @iova inside block 0 (V)
 * @shift: log2 of the block size (V)
 * @nblocks: blocks in use (V)
 * @max_blocks: blocks allocated (I)
 * @blocks: kernel virtual address of each block; contiguous memory has one.
 *	A window has those of the region behind it (V)
 * @umem: pinned pages (user; V)
 * @odp: memory that comes and goes (on demand; I)
 * @type: enum croce_mr_type (I)
 * @valid: the key may be used (E; written under @lock)
 * @target: window: the region it is bound to, which cannot go meanwhile (V)
 * @qpn: type 2 window: QP it is bound to (V)
 * @bindings: region: windows bound to it; negative when it takes no more;
 *	window: negative when it can be bound no more (A)
 */
struct croce_mr {
	union {
		struct ib_mr ibmr;
		struct ib_mw *ibmw;
	};
	refcount_t refs;
	struct completion gone;
	struct rcu_head rcu;
	spinlock_t lock;
	struct ib_pd *pd;
	u32 key;
	u32 access;
	u64 iova;
	u64 length;
	u64 base;
	u8 shift;
	u32 nblocks;
	u32 max_blocks;
	unsigned long *blocks;
	struct ib_umem *umem;
	struct croce_odp *odp;
	u8 type;
	bool valid;
	struct croce_mr *target;
	u32 qpn;
	atomic_t bindings;
};

/**
 * struct croce_mw - memory window
 * @ibmw: RDMA core's part
 * @mr: what the key stands for; outlives @ibmw by a grace period (I)
 */
struct croce_mw {
	struct ib_mw ibmw;
	struct croce_mr *mr;
};

/* Keys: the number of the object, and a variant that changes on reuse. */
static inline u32 croce_key_index(u32 key)
{
	return key >> 8;
}

static inline struct croce_mr *croce_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct croce_mr, ibmr);
}

static inline struct croce_mw *croce_mw(struct ib_mw *ibmw)
{
	return container_of(ibmw, struct croce_mw, ibmw);
}

struct croce_mr *croce_mr_get(struct croce_dev *dev, struct ib_pd *pd, u32 key,
			      u64 *addr, u64 length, u32 access, bool remote,
			      u32 qpn);
void croce_mr_put(struct croce_mr *mr);

/**
 * croce_mr_span - contiguous memory behind an address
 * @mr: region or window from croce_mr_get() that has blocks
 * @addr: address inside the range that was checked
 * @length: in: bytes wanted; out: bytes contiguous from the result, >= 1
 *
 * Return: kernel virtual address. Context: any.
 */
static inline void *croce_mr_span(const struct croce_mr *mr, u64 addr,
				  u32 *length)
{
	u64 offset, block, within;

	offset = addr - mr->iova + mr->base;
	block = offset >> mr->shift;
	within = offset & ((1ULL << mr->shift) - 1);
	*length = (u32)min_t(u64, *length, (1ULL << mr->shift) - within);
	return (void *)(mr->blocks[block] + within);
}

int croce_mr_invalidate(struct croce_dev *dev, struct ib_pd *pd, u32 key,
			u32 qpn, bool remote);
int croce_mr_reg(struct croce_dev *dev, struct croce_mr *mr, u32 key,
		 u32 access);
/**
 * struct croce_mw_bind - arguments of a bind
 * @old_rkey: current key of the window
 * @new_rkey: key it shall have; the index part must be that of @old_rkey
 * @lkey: region behind
 * @access: IB_ACCESS_*
 * @addr: first address
 * @length: bytes; 0 unbinds (type 1)
 */
struct croce_mw_bind {
	u32 old_rkey;
	u32 new_rkey;
	u32 lkey;
	u32 access;
	u64 addr;
	u64 length;
};

int croce_mw_bind(struct croce_dev *dev, struct ib_pd *pd, u32 qpn,
		  const struct croce_mw_bind *bind);

/* Between mr.c, frmr.c, mw.c and odp.c. */
struct croce_mr *croce_mr_alloc(struct ib_pd *pd, enum croce_mr_type type);
int croce_mr_insert(struct croce_mr *mr);
void croce_mr_retire(struct croce_mr *mr);
void croce_mr_publish(struct croce_mr *mr);
int croce_mr_check_args(u64 start, u64 length, u64 iova, int access);
void croce_mr_validate_locked(struct croce_mr *mr);
void croce_mr_quiesce_locked(struct croce_mr *mr);
void croce_mw_unbind_locked(struct croce_mr *mr);
bool croce_mr_in_range(const struct croce_mr *mr, u64 addr, u64 length);

struct ib_mr *croce_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *croce_alloc_mr(struct ib_pd *pd, enum ib_mr_type type,
			     u32 max_num_sg);
int croce_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		    unsigned int *sg_offset);
int croce_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
int croce_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int croce_dealloc_mw(struct ib_mw *ibmw);
struct ib_mr *croce_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
				u64 iova, int access, struct ib_dmah *dmah,
				struct ib_udata *udata);
struct ib_mr *croce_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				  u64 length, u64 iova, int access,
				  struct ib_pd *pd, struct ib_udata *udata);

#endif /* CROCE_MR_H */
