/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One direction of a link: a queue with a rate, then the wire. Frames are the
 * transport packet from the BTH to the ICRC.
 */
#ifndef SIM_LINK_H
#define SIM_LINK_H

#include "wire.h"

struct link_config {
	struct wire_config wire;
	u64 rate_mbps;
	u32 queue_frames;
};

struct link {
	struct link_config cfg;
	struct wire wire;
	u64 busy_until_ns;
	u32 queued;
};

void link_init(struct link *link, const struct link_config *cfg,
	       struct vtime *vt, u64 seed);
bool link_has_room(void *link);
void link_send(void *link, struct frame *frame);

#endif /* SIM_LINK_H */
