// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory for runs of packets. The page allocator would clear every byte before
 * it is written (init_on_alloc, on in most distributions), which costs as much
 * as the copy. So each CPU keeps some chunks and uses one again when the
 * packets in it are gone, which its reference count tells.
 *
 * Whoever looks at packets on the way (a clone, a capture, a queue) has
 * references, so a chunk that somebody still reads is never used again: it is
 * replaced by a new one, and freed by the last reader.
 */
#include <linux/bottom_half.h>
#include <linux/local_lock.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include "buffer.h"

/* 2 MiB for each CPU at most: where a virtual link ends in the backlog of a
 * queue pair, megabytes are under way.
 */
#define CHUNKS		32
#define CHUNK_ORDER	get_order(CROCE_BUFFER_BYTES)
/* What follows starts in a cache line of its own. */
#define ROUND(bytes)	ALIGN(bytes, SMP_CACHE_BYTES)

/**
 * struct arena - chunks of one CPU
 * @lock: keeps others of the CPU out where bottom halves off do not (RT)
 * @pages: chunks; NULL before they are needed
 * @current_chunk: the one that is being filled
 * @used: bytes of it
 *
 * Context: bottom halves off on its CPU, @lock held.
 */
struct arena {
	local_lock_t lock;
	struct page *pages[CHUNKS];
	u32 current_chunk;
	u32 used;
};

static DEFINE_PER_CPU(struct arena, arenas) = {
	.lock = INIT_LOCAL_LOCK(lock),
};

static bool is_free(struct page *page)
{
	if (page_ref_count(page) != 1)
		return false;
	/* The only reference is ours: what readers did came before they let
	 * go, which was with a full barrier.
	 */
	smp_acquire__after_ctrl_dep();
	return true;
}

/*
 * A chunk to be used now: the first that is free, so no more are kept than were
 * under way at once, else one that is not there yet, else one of those in use.
 */
static u32 choose_chunk(const struct arena *arena)
{
	u32 i;

	for (i = 0; i < CHUNKS; i++)
		if (!arena->pages[i] || is_free(arena->pages[i]))
			return i;
	return (arena->current_chunk + 1) % CHUNKS;
}

/* Make another chunk the current one; false without memory. */
static bool next_chunk(struct arena *arena)
{
	u32 next = choose_chunk(arena);
	struct page *page = arena->pages[next];

	if (!page || !is_free(page)) {
		page = alloc_pages(GFP_ATOMIC | __GFP_COMP | __GFP_NOWARN |
				   __GFP_NORETRY, CHUNK_ORDER);
		if (!page)
			return false;
		if (arena->pages[next])
			put_page(arena->pages[next]);
		arena->pages[next] = page;
	}
	arena->current_chunk = next;
	arena->used = 0;
	return true;
}

/* A chunk with so much room behind what is used of it, or NULL. */
static struct page *chunk_with_room(struct arena *arena, u32 bytes)
{
	if ((!arena->pages[arena->current_chunk] ||
	     arena->used + bytes > CROCE_BUFFER_BYTES) && !next_chunk(arena))
		return NULL;
	return arena->pages[arena->current_chunk];
}

/**
 * croce_buffer_attach - give an skb room for payload
 * @skb: skb without fragments
 * @bytes: room, up to CROCE_BUFFER_BYTES; all of it contiguous
 *
 * The room is the skb's only fragment, still of length 0.
 *
 * Return: where the room begins, or NULL without memory.
 * Context: bottom halves off.
 */
void *croce_buffer_attach(struct sk_buff *skb, u32 bytes)
{
	struct arena *arena;
	struct page *page;
	u32 offset = 0;

	local_lock(&arenas.lock);
	arena = this_cpu_ptr(&arenas);
	page = chunk_with_room(arena, bytes);
	if (page) {
		offset = arena->used;
		arena->used += ROUND(bytes);
		get_page(page);
	}
	local_unlock(&arenas.lock);
	if (!page)
		return NULL;
	skb_fill_page_desc(skb, 0, page, offset, 0);
	skb->truesize += ROUND(bytes);
	return page_address(page) + offset;
}

static void drop_chunks(struct arena *arena)
{
	u32 i;

	for (i = 0; i < CHUNKS; i++)
		if (arena->pages[i])
			put_page(arena->pages[i]);
}

/**
 * croce_buffer_exit - give all memory back; nobody sends any more
 *
 * Context: any.
 */
void croce_buffer_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		drop_chunks(per_cpu_ptr(&arenas, cpu));
}
