// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue memory and the placing of queues in it; see umap.h.
 *
 * The pages are ordinary ones: a process that still maps them after the object
 * or the device is gone keeps them alive through its page tables and writes
 * into memory that nobody reads. So nothing has to be zapped, and removal does
 * not wait for munmap.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "umap.h"

static struct croce_umap *umap_from_entry(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct croce_umap, entry);
}

static void umap_free(struct croce_umap *umap)
{
	vfree(umap->mem);
	kfree(umap);
}

/**
 * croce_umap_create - allocate queue memory
 * @ibuc: context of the process that will map it, or NULL for a kernel consumer
 * @size: bytes, rounded up to pages
 *
 * Return: zeroed memory, or ERR_PTR(-ENOMEM). Context: process, may sleep.
 */
struct croce_umap *croce_umap_create(struct ib_ucontext *ibuc, size_t size)
{
	struct croce_umap *umap;

	umap = kzalloc(sizeof(*umap), GFP_KERNEL);
	if (!umap)
		return ERR_PTR(-ENOMEM);

	umap->size = PAGE_ALIGN(size);
	umap->user = ibuc;
	umap->mem = umap->user ? vmalloc_user(umap->size) : vzalloc(umap->size);
	if (!umap->mem)
		goto err_free_umap;

	if (umap->user &&
	    rdma_user_mmap_entry_insert(ibuc, &umap->entry, umap->size))
		goto err_free_mem;
	return umap;

err_free_mem:
	vfree(umap->mem);
err_free_umap:
	kfree(umap);
	return ERR_PTR(-ENOMEM);
}

/**
 * croce_umap_destroy - give up queue memory
 * @umap: from croce_umap_create(), or NULL
 *
 * No new mapping can begin after this. One that has begun holds a reference on
 * the entry and frees the memory when it is through.
 *
 * Context: process.
 */
void croce_umap_destroy(struct croce_umap *umap)
{
	if (!umap)
		return;
	if (umap->user)
		rdma_user_mmap_entry_remove(&umap->entry);
	else
		umap_free(umap);
}

/**
 * croce_umap_offset - the offset argument of mmap
 * @umap: memory of a user's queue
 *
 * Return: bytes; 0 for memory of a kernel consumer. Context: any.
 */
u64 croce_umap_offset(const struct croce_umap *umap)
{
	return umap->user ? rdma_user_mmap_get_offset(&umap->entry) : 0;
}

/**
 * croce_umap_mmap - the mmap call of a context
 * @ibuc: context
 * @vma: must be shared and have exactly the offset and length that the
 *	response of a create call named
 *
 * Return: 0, -EPERM for executable mappings, -EINVAL for what is not there, or
 * -ENOMEM. Context: process, mmap lock held.
 */
int croce_umap_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	int err;

	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	entry = rdma_user_mmap_entry_get(ibuc, vma);
	if (!entry)
		return -EINVAL;

	vm_flags_clear(vma, VM_MAYEXEC);
	err = remap_vmalloc_range(vma, umap_from_entry(entry)->mem, 0);
	rdma_user_mmap_entry_put(entry);
	return err;
}

/**
 * croce_umap_mmap_free - the last reference to a mapping entry is gone
 * @entry: part of a croce_umap
 *
 * Context: process.
 */
void croce_umap_mmap_free(struct rdma_user_mmap_entry *entry)
{
	umap_free(umap_from_entry(entry));
}

/**
 * croce_wq_size - memory that a queue takes
 * @slots: power of two, or 0 for no queue
 * @stride: bytes per slot
 *
 * Return: bytes, a multiple of the alignment of the control words.
 * Context: any.
 */
size_t croce_wq_size(u32 slots, u32 stride)
{
	if (!slots)
		return 0;
	return ALIGN(sizeof(struct croce_wq_ctl) + (size_t)slots * stride,
		     SMP_CACHE_BYTES);
}

/**
 * croce_wq_place - give a queue its memory
 * @wq: queue; slots and stride are set
 * @umap: memory, of at least @offset + croce_wq_size() bytes
 * @offset: where the control words go
 * @map: filled for the provider, or NULL
 *
 * Return: offset behind the queue. Context: any.
 */
size_t croce_wq_place(struct croce_wq *wq, struct croce_umap *umap,
		      size_t offset, struct croce_queue_map *map)
{
	size_t ring = offset + sizeof(*wq->ctl);

	if (map)
		memset(map, 0, sizeof(*map));
	if (!wq->slots)
		return offset;

	wq->ctl = umap->mem + offset;
	wq->ring = umap->mem + ring;
	wq->mask = wq->slots - 1;
	if (map) {
		map->ctl_offset = offset;
		map->ring_offset = ring;
		map->slots = wq->slots;
		map->stride = wq->stride;
	}
	return offset + croce_wq_size(wq->slots, wq->stride);
}

/**
 * croce_wq_posted - WRs that wait in a queue
 * @wq: queue, may have no slots
 *
 * A process may claim to have posted anything; the ring can hold no more than
 * its slots, whatever they contain.
 *
 * Return: number of slots to fetch. Context: consumer's side of the queue.
 */
u32 croce_wq_posted(const struct croce_wq *wq)
{
	u32 prod;

	if (!wq->slots)
		return 0;
	/* A: the slots were filled before prod was stored. */
	prod = smp_load_acquire(&wq->ctl->prod);
	return min(prod - wq->cons, wq->slots);
}
