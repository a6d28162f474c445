/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Bytes between packets and memory regions. L3.
 */
#ifndef CROCE_PLACE_H
#define CROCE_PLACE_H

#include <linux/skbuff.h>
#include "mr.h"
#include "qp.h"

/**
 * struct croce_cursor - a position in a scatter/gather list
 *
 * Holds a reference on the region under the position, so that a run of
 * packets looks each key up once.
 *
 * @qp: queue pair on whose behalf
 * @sge: elements left, the current one first
 * @num: their number
 * @offset: bytes into the current element
 * @access: IB_ACCESS_* needed, 0 for local reading
 * @remote: the keys came from the wire
 * @mr: region of the current element, or NULL
 * @page: of a region on demand, kept while it is copied from or to, or NULL
 * @error: what a failed access returns
 * @addr: address in @mr of the current element's first byte
 * @wire: room for the one element of a remote access
 */
struct croce_cursor {
	struct croce_qp *qp;
	const struct croce_sge *sge;
	u32 num;
	u32 offset;
	u32 access;
	bool remote;
	struct croce_mr *mr;
	atomic_long_t *page;
	int error;
	u64 addr;
	struct croce_sge wire;
};

void croce_cursor_init(struct croce_cursor *cursor, struct croce_qp *qp,
		       const struct croce_sge *sge, u32 num, u32 offset,
		       u32 access);
void croce_cursor_init_remote(struct croce_cursor *cursor, struct croce_qp *qp,
			      u64 va, u32 rkey, u32 length, u32 access);
int croce_cursor_read(struct croce_cursor *cursor, void *to, u32 length);
int croce_cursor_write(struct croce_cursor *cursor, const void *from,
		       u32 length);
int croce_cursor_write_skb(struct croce_cursor *cursor,
			   const struct sk_buff *skb, u32 from, u32 length);
void croce_cursor_end(struct croce_cursor *cursor);

bool croce_place_can(struct croce_qp *qp, u64 va, u32 rkey, u64 length,
		     u32 access);
int croce_place_atomic(struct croce_qp *qp, const struct croce_pkt *pkt,
		       bool compare, u64 *orig);
int croce_place_atomic_write(struct croce_qp *qp, u64 va, u32 rkey,
			     const void *value);

#endif /* CROCE_PLACE_H */
