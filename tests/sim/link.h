/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One direction of a link: a queue with a rate, then a delay, then misfortune.
 * Frames are the transport packet from the BTH to the ICRC.
 */
#ifndef SIM_LINK_H
#define SIM_LINK_H

#include "rng.h"
#include "vtime.h"

struct frame {
	struct frame *next;
	u32 len;
	u32 tag;
	bool corrupt;
	u8 bytes[];
};

/* Probabilities in parts per million. */
struct link_config {
	u32 loss;
	u32 dup;
	u32 reorder;
	u32 corrupt;
	u64 rate_mbps;
	u64 delay_ns;
	u64 jitter_ns;
	u64 reorder_ns;
	u64 ghost_ns;
	u32 queue_frames;
};

typedef void link_fn(void *to, void *frame);

struct link {
	struct link_config cfg;
	struct rng rng;
	struct vtime *vt;
	link_fn *deliver;
	void *to;
	u64 busy_until_ns;
	u64 newest_ns;
	u32 queued;
	bool is_cut;
	u64 frames;
	u64 lost;
};

struct frame *frame_new(u32 len);
void frame_free(void *frame);

void link_init(struct link *link, const struct link_config *cfg,
	       struct vtime *vt, u64 seed);
bool link_has_room(const struct link *link);
void link_send(struct link *link, struct frame *frame);

#endif /* SIM_LINK_H */
