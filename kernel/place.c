// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bytes between packets and memory regions: the only code that touches the
 * memory of consumers. Keys are checked for the whole element that is used,
 * and the region is referenced for as long as a cursor stands on it; dereg
 * waits for that, which is short, because bottom halves are off meanwhile.
 */
#include <linux/atomic.h>
#include <linux/unaligned.h>
#include "fault.h"
#include "odp.h"
#include "place.h"

/* Else it reads. */
static bool cursor_writes(u32 access)
{
	return access && access != IB_ACCESS_REMOTE_READ;
}

/**
 * croce_cursor_init - stand at a byte of a local scatter/gather list
 * @cursor: to initialise; ended by croce_cursor_end()
 * @qp: queue pair
 * @sge: elements, private copies
 * @num: their number
 * @offset: byte of the list to stand at
 * @access: IB_ACCESS_LOCAL_WRITE to write, 0 to read
 *
 * Context: owner of the QP's task.
 */
void croce_cursor_init(struct croce_cursor *cursor, struct croce_qp *qp,
		       const struct croce_sge *sge, u32 num, u32 offset,
		       u32 access)
{
	while (num && offset >= sge->length) {
		offset -= sge->length;
		sge++;
		num--;
	}
	cursor->qp = qp;
	cursor->sge = sge;
	cursor->num = num;
	cursor->offset = offset;
	cursor->access = access;
	cursor->remote = false;
	cursor->mr = NULL;
	cursor->page = NULL;
	cursor->error = -EFAULT;
}

/**
 * croce_cursor_init_remote - stand at the beginning of a remote access
 * @cursor: to initialise; ended by croce_cursor_end()
 * @qp: queue pair
 * @va: address that the peer named
 * @rkey: key that the peer named
 * @length: bytes
 * @access: IB_ACCESS_REMOTE_*
 *
 * Context: owner of the QP's task.
 */
void croce_cursor_init_remote(struct croce_cursor *cursor, struct croce_qp *qp,
			      u64 va, u32 rkey, u32 length, u32 access)
{
	cursor->wire.addr = va;
	cursor->wire.lkey = rkey;
	cursor->wire.length = length;
	croce_cursor_init(cursor, qp, &cursor->wire, 1, 0, access);
	cursor->remote = true;
}

/**
 * croce_cursor_end - let go of the region under the cursor
 * @cursor: cursor
 *
 * Context: owner of the QP's task.
 */
void croce_cursor_end(struct croce_cursor *cursor)
{
	if (cursor->mr)
		croce_mr_put(cursor->mr);
	cursor->mr = NULL;
}

/* A page of a region on demand, kept until span_done(). */
static void *odp_span(struct croce_cursor *cursor, u32 *length)
{
	u64 addr = cursor->addr + cursor->offset;
	void *span;

	span = croce_odp_lock(cursor->mr, addr, length,
			      cursor_writes(cursor->access), &cursor->page);
	if (!span) {
		cursor->page = NULL;
		cursor->error = croce_fault_begin(cursor->qp, cursor->mr, addr,
						  cursor->sge->length -
						  cursor->offset,
						  cursor->access);
	}
	return span;
}

/*
 * Memory under the cursor: address and, in @length, bytes up to a boundary;
 * span_done() follows. Where there is none, cursor->error says why.
 */
static void *cursor_span(struct croce_cursor *cursor, u32 *length)
{
	const struct croce_sge *sge;

	while (cursor->num && cursor->offset == cursor->sge->length) {
		croce_cursor_end(cursor);
		cursor->sge++;
		cursor->num--;
		cursor->offset = 0;
	}
	if (!cursor->num)
		return NULL;
	sge = cursor->sge;
	if (!cursor->mr) {
		cursor->addr = sge->addr;
		cursor->mr = croce_mr_get(cursor->qp->dev, cursor->qp->pd,
					  sge->lkey, &cursor->addr,
					  sge->length, cursor->access,
					  cursor->remote, cursor->qp->qpn);
		if (!cursor->mr)
			return NULL;
	}
	*length = min(*length, sge->length - cursor->offset);
	if (cursor->mr->type >= CROCE_MR_USER)
		return croce_mr_span(cursor->mr, cursor->addr + cursor->offset,
				     length);
	if (cursor->mr->type == CROCE_MR_ODP)
		return odp_span(cursor, length);
	return (void *)(uintptr_t)(cursor->addr + cursor->offset);
}

static void span_done(struct croce_cursor *cursor)
{
	if (likely(!cursor->page))
		return;
	croce_odp_unlock(cursor->page);
	cursor->page = NULL;
}

/**
 * croce_cursor_read - copy out of the memory of the list
 * @cursor: cursor, moves on
 * @to: destination
 * @length: bytes
 *
 * Return: 0; -EFAULT when a key does not fit or the list is too short;
 * -EINPROGRESS when a page is missing and the task is run again with it.
 * Context: owner of the QP's task.
 */
int croce_cursor_read(struct croce_cursor *cursor, void *to, u32 length)
{
	while (length) {
		u32 n = length;
		const void *from = cursor_span(cursor, &n);

		if (!from)
			return cursor->error;
		memcpy(to, from, n);
		span_done(cursor);
		cursor->offset += n;
		to += n;
		length -= n;
	}
	return 0;
}

/**
 * croce_cursor_write - copy into the memory of the list
 * @cursor: cursor, moves on
 * @from: source
 * @length: bytes
 *
 * Return: 0; -EFAULT when a key does not fit or the list is too short;
 * -EINPROGRESS when a page is missing and the task is run again with it.
 * Context: owner of the QP's task.
 */
int croce_cursor_write(struct croce_cursor *cursor, const void *from,
		       u32 length)
{
	while (length) {
		u32 n = length;
		void *to = cursor_span(cursor, &n);

		if (!to)
			return cursor->error;
		memcpy(to, from, n);
		span_done(cursor);
		cursor->offset += n;
		from += n;
		length -= n;
	}
	return 0;
}

/**
 * croce_cursor_write_skb - copy packet payload into the memory of the list
 * @cursor: cursor, moves on
 * @skb: packet, linear or not
 * @from: offset in @skb
 * @length: bytes
 *
 * Return: 0; -EFAULT when a key does not fit or the list is too short;
 * -EINPROGRESS when a page is missing and the task is run again with it.
 * Context: owner of the QP's task.
 */
int croce_cursor_write_skb(struct croce_cursor *cursor,
			   const struct sk_buff *skb, u32 from, u32 length)
{
	while (length) {
		u32 n = length;
		void *to = cursor_span(cursor, &n);
		int err;

		if (!to)
			return cursor->error;
		err = skb_copy_bits(skb, from, to, n);
		span_done(cursor);
		if (err)
			return err;
		cursor->offset += n;
		from += n;
		length -= n;
	}
	return 0;
}

/**
 * croce_place_can - would a remote access be legal?
 * @qp: queue pair
 * @va: address
 * @rkey: key
 * @length: bytes; an access of none needs no key (IBA 9.7.4.1.4)
 * @access: IB_ACCESS_REMOTE_*
 *
 * Return: true when it would. Context: owner of the QP's task.
 */
bool croce_place_can(struct croce_qp *qp, u64 va, u32 rkey, u64 length,
		     u32 access)
{
	struct croce_mr *mr;

	if (!length)
		return true;
	mr = croce_mr_get(qp->dev, qp->pd, rkey, &va, length, access, true,
			  qp->qpn);
	if (!mr)
		return false;
	croce_mr_put(mr);
	return true;
}

/*
 * The 8 bytes of an atomic operation; they never straddle blocks. They are the
 * cursor's until croce_cursor_end().
 */
static u64 *atomic_target(struct croce_cursor *cursor, struct croce_qp *qp,
			  u64 va, u32 rkey, u32 access)
{
	u32 length = sizeof(u64);
	u64 *target;

	croce_cursor_init_remote(cursor, qp, va, rkey, length, access);
	target = cursor_span(cursor, &length);
	if (!target || (length == sizeof(u64) &&
			IS_ALIGNED((uintptr_t)target, 8)))
		return target;
	span_done(cursor);
	return NULL;
}

static void atomic_done(struct croce_cursor *cursor)
{
	span_done(cursor);
	croce_cursor_end(cursor);
}

/**
 * croce_place_atomic - execute CmpSwap or FetchAdd
 * @qp: queue pair
 * @pkt: request; va is a multiple of 8
 * @compare: CmpSwap, else FetchAdd
 * @orig: the value before
 *
 * Atomic towards all QPs of all devices of the host and towards the CPUs
 * (IB_ATOMIC_GLOB would be honest but for foreign devices).
 *
 * Return: 0; -EFAULT when the key does not fit; -EINPROGRESS when the page is
 * missing and the task is run again with it.
 * Context: owner of the QP's task.
 */
int croce_place_atomic(struct croce_qp *qp, const struct croce_pkt *pkt,
		       bool compare, u64 *orig)
{
	struct croce_cursor cursor;
	u64 *target = atomic_target(&cursor, qp, pkt->va, pkt->rkey,
				    IB_ACCESS_REMOTE_ATOMIC);

	if (target && compare)
		*orig = cmpxchg64(target, pkt->compare, pkt->swap_add);
	else if (target)
		*orig = (u64)atomic64_fetch_add(pkt->swap_add,
						(atomic64_t *)target);
	atomic_done(&cursor);
	return target ? 0 : cursor.error;
}

/**
 * croce_place_atomic_write - execute ATOMIC WRITE
 * @qp: queue pair
 * @va: address, a multiple of 8
 * @rkey: key
 * @value: 8 bytes as they came from the wire
 *
 * Return: 0; -EFAULT when the key does not fit; -EINPROGRESS when the page is
 * missing and the task is run again with it.
 * Context: owner of the QP's task.
 */
int croce_place_atomic_write(struct croce_qp *qp, u64 va, u32 rkey,
			     const void *value)
{
	struct croce_cursor cursor;
	u64 *target = atomic_target(&cursor, qp, va, rkey,
				    IB_ACCESS_REMOTE_WRITE);

	if (target)
		/* One access, after what was placed before it (Annex A19). */
		smp_store_release(target, get_unaligned((const u64 *)value));
	atomic_done(&cursor);
	return target ? 0 : cursor.error;
}
