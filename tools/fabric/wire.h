/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* One direction of a cable: a delay, then misfortune. */
#ifndef FABRIC_WIRE_H
#define FABRIC_WIRE_H

#include "frame.h"
#include "rng.h"
#include "vtime.h"

/**
 * struct wire_config - how long it is, and how bad
 * @delay_ns: propagation
 * @jitter_ns: more than that, at most; frames stay in order
 * @loss: parts per million of frames that are lost
 * @dup: ... that arrive twice
 * @reorder: ... that others may overtake
 * @corrupt: ... with a flipped bit
 * @mark: ... with a congestion mark
 * @reorder_ns: how late those are that may be overtaken, and most doubles
 * @ghost_ns: how late a few of the doubles are
 */
struct wire_config {
	u64 delay_ns;
	u64 jitter_ns;
	u32 loss;
	u32 dup;
	u32 reorder;
	u32 corrupt;
	u32 mark;
	u64 reorder_ns;
	u64 ghost_ns;
};

/**
 * struct wire - a direction
 * @cfg: configuration
 * @rng: decides who suffers
 * @vt: time
 * @deliver: takes a frame that arrives
 * @to: its context
 * @newest_ns: arrival of the last frame that kept the order
 * @is_cut: nothing arrives any more
 * @frames: sent
 * @lost: of them
 */
struct wire {
	struct wire_config cfg;
	struct rng rng;
	struct vtime *vt;
	vtime_fn *deliver;
	void *to;
	u64 newest_ns;
	bool is_cut;
	u64 frames;
	u64 lost;
};

void wire_init(struct wire *wire, const struct wire_config *cfg,
	       struct vtime *vt, u64 seed);
void wire_send(struct wire *wire, struct frame *frame, u64 departure_ns);

#endif /* FABRIC_WIRE_H */
