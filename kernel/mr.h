/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory regions and windows: keys, ranges, and where the bytes are. L2.
 */
#ifndef CROCE_MR_H
#define CROCE_MR_H

#include "dev.h"

/**
 * enum croce_mr_type - how an address turns into memory
 * @CROCE_MR_DMA: kernel virtual addresses, no range
 * @CROCE_MR_USER: pinned user pages
 * @CROCE_MR_FRMR: fast registration by a kernel consumer
 * @CROCE_MR_MW1: memory window type 1
 * @CROCE_MR_MW2: memory window type 2B
 */
enum croce_mr_type {
	CROCE_MR_DMA,
	CROCE_MR_USER,
	CROCE_MR_FRMR,
	CROCE_MR_MW1,
	CROCE_MR_MW2,
};

/**
 * struct croce_mr - memory region or window, by key
 * @ibmr: RDMA core's part (regions)
 * @ibmw: RDMA core's part (windows, croce allocates @croce_mw around it)
 * @refs: one for being registered, one per access under way (A)
 * @gone: completes when @refs reaches zero
 * @rcu: readers find the object in croce_dev.mrs without a reference
 * @pd: protection domain
 * @key: lkey and rkey are the same number: index << 8 | variant (READ_ONCE)
 * @access: IB_ACCESS_*; 0 while a FRMR or window is not valid (READ_ONCE)
 * @iova: first address
 * @length: bytes
 * @base: offset of @iova inside block 0
 * @shift: log2 of the block size
 * @nblocks: blocks in use
 * @max_blocks: blocks allocated (FRMR)
 * @blocks: kernel virtual address of each block; contiguous memory has one
 * @umem: pinned pages (user)
 * @type: enum croce_mr_type
 * @valid: key may be used (READ_ONCE; written last with release)
 * @target: window: the region it is bound to, referenced
 * @qpn: type 2 window: QP it is bound to
 * @bindings: region: number of windows bound to it (A)
 */
struct croce_mr {
	union {
		struct ib_mr ibmr;
		struct ib_mw *ibmw;
	};
	refcount_t refs;
	struct completion gone;
	struct rcu_head rcu;
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
	u8 type;
	bool valid;
	struct croce_mr *target;
	u32 qpn;
	atomic_t bindings;
};

static inline struct croce_mr *croce_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct croce_mr, ibmr);
}

/*
 * Find and reference the region or window behind a key for an access to
 * [addr, addr + length). @access: IB_ACCESS_LOCAL_WRITE for a local write, 0
 * for a local read, IB_ACCESS_REMOTE_* for remote ones. @remote: the key came
 * from the wire: windows count, the local DMA key does not. @pd and @qpn must
 * fit. @length 0 checks nothing but is legal with any key (caller skips it).
 * For a window the returned object is the region behind it, referenced, and
 * *addr is turned into an address of that region where they differ.
 * Return: the region, or NULL. Context: any, takes no lock (RCU + refcount).
 */
struct croce_mr *croce_mr_get(struct croce_dev *dev, struct ib_pd *pd, u32 key,
			      u64 *addr, u64 length, u32 access, bool remote,
			      u32 qpn);
void croce_mr_put(struct croce_mr *mr);

/**
 * croce_mr_span - contiguous memory behind an address
 * @mr: region from croce_mr_get()
 * @addr: address inside the range that was checked
 * @length: in: bytes wanted; out: bytes contiguous from the result, >= 1
 *
 * Return: kernel virtual address. Context: any.
 */
static inline void *croce_mr_span(const struct croce_mr *mr, u64 addr,
				  u32 *length)
{
	u64 offset, block, within;

	if (mr->type == CROCE_MR_DMA)
		return (void *)(uintptr_t)addr;
	offset = addr - mr->iova + mr->base;
	block = offset >> mr->shift;
	within = offset & ((1ULL << mr->shift) - 1);
	*length = (u32)min_t(u64, *length, (1ULL << mr->shift) - within);
	return (void *)(mr->blocks[block] + within);
}

/* Local operations of the send queue (LOCAL_INV, REG_MR, BIND_MW). 0 or -errno. */
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

struct ib_mr *croce_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *croce_alloc_mr(struct ib_pd *pd, enum ib_mr_type type,
			     u32 max_num_sg);
int croce_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		    unsigned int *sg_offset);
int croce_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
int croce_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int croce_dealloc_mw(struct ib_mw *ibmw);
struct ib_mr *croce_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
				u64 iova, int access, struct ib_udata *udata);
struct ib_mr *croce_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				  u64 length, u64 iova, int access,
				  struct ib_pd *pd, struct ib_udata *udata);

#endif /* CROCE_MR_H */
