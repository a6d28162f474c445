/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Virtual time: events in order, those of one instant as they were made. */
#ifndef FABRIC_VTIME_H
#define FABRIC_VTIME_H

#include <linux/types.h>

struct event;

struct vtime {
	u64 now_ns;
	u64 made;
	u64 fired;
	struct event *heap;
	u32 count;
	u32 room;
};

typedef void vtime_fn(void *context, void *argument);

void vtime_at(struct vtime *vt, u64 at_ns, vtime_fn *fire, void *context,
	      void *argument);
void vtime_in(struct vtime *vt, u64 delay_ns, vtime_fn *fire, void *context,
	      void *argument);
bool vtime_step(struct vtime *vt);
u64 vtime_due(const struct vtime *vt);
void vtime_follow(struct vtime *vt, u64 now_ns);
void vtime_forget(struct vtime *vt, vtime_fn *fire,
		  void (*release)(void *argument));
void vtime_cleanup(struct vtime *vt);

#endif /* FABRIC_VTIME_H */
