/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Queue memory: vmalloc'ed, shared with one process by mmap, or private to
 * the kernel for kernel consumers. L2.
 */
#ifndef CROCE_UMAP_H
#define CROCE_UMAP_H

#include <rdma/ib_verbs.h>
#include <rdma/croce-abi.h>

/**
 * struct croce_umap - memory of the queues of one object
 * @entry: mmap entry; its reference count keeps @mem for a running mmap
 * @mem: zeroed, page aligned (U when @user)
 * @size: bytes, a multiple of the page size
 * @user: mapped by a process; false for kernel consumers
 */
struct croce_umap {
	struct rdma_user_mmap_entry entry;
	void *mem;
	size_t size;
	bool user;
};

/**
 * struct croce_wq - kernel side of a send, receive or shared receive queue
 * @ctl: control words (U): read with READ_ONCE or acquire, once
 * @ring: slot 0 (U)
 * @mask: slots - 1 (I); meaningless when @slots is 0
 * @slots: power of two, or 0 (I)
 * @stride: bytes per slot (I)
 * @max_wr: outstanding WRs promised to the consumer, <= @slots (I)
 * @max_sge: elements per WR (I)
 * @prod: kernel consumers only: next slot to fill (their post lock)
 * @cons: next slot to fetch (T, or the SRQ's lock); never re-read from @ctl
 */
struct croce_wq {
	struct croce_wq_ctl *ctl;
	void *ring;
	u32 mask;
	u32 slots;
	u32 stride;
	u32 max_wr;
	u32 max_sge;
	u32 prod;
	u32 cons;
};

/* The layout of CROCE_ABI_VERSION, which a provider was compiled with. */
static_assert(sizeof(struct croce_wq_ctl) == 0x80);
static_assert(offsetof(struct croce_wq_ctl, cons) == 0x40);
static_assert(offsetof(struct croce_wq_ctl, state) == 0x44);
static_assert(sizeof(struct croce_cq_ctl) == 0x80);
static_assert(offsetof(struct croce_cq_ctl, arm) == 0x04);
static_assert(offsetof(struct croce_cq_ctl, prod) == 0x40);
static_assert(offsetof(struct croce_cq_ctl, flags) == 0x44);
static_assert(sizeof(struct croce_sge) == 0x10);
static_assert(sizeof(struct croce_sqe) == 0x40);
static_assert(offsetof(struct croce_sqe, inline_len) == 0x0c);
static_assert(offsetof(struct croce_sqe, remote_addr) == 0x18);
static_assert(offsetof(struct croce_sqe, ah) == 0x30);
static_assert(offsetof(struct croce_sqe, reserved_3c) == 0x3c);
static_assert(sizeof(struct croce_rqe) == 0x10);
static_assert(sizeof(struct croce_cqe) == 0x40);
static_assert(offsetof(struct croce_cqe, status) == 0x18);
static_assert(offsetof(struct croce_cqe, timestamp) == 0x20);
static_assert(offsetof(struct croce_cqe, smac) == 0x2e);
static_assert(offsetof(struct croce_cqe, reserved_34) == 0x34);

struct croce_umap *croce_umap_create(struct ib_ucontext *ibuc, size_t size);
void croce_umap_destroy(struct croce_umap *umap);
u64 croce_umap_offset(const struct croce_umap *umap);
int croce_umap_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma);
void croce_umap_mmap_free(struct rdma_user_mmap_entry *entry);

size_t croce_wq_size(u32 slots, u32 stride);
size_t croce_wq_place(struct croce_wq *wq, struct croce_umap *umap,
		      size_t offset, struct croce_queue_map *map);
u32 croce_wq_posted(const struct croce_wq *wq);

#endif /* CROCE_UMAP_H */
