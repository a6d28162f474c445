// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A binary heap of events. */
#include "vtime.h"

#include <linux/kernel.h>
#include <stdlib.h>

struct event {
	u64 at_ns;
	u64 number;
	vtime_fn *fire;
	void *context;
	void *argument;
};

static bool is_before(const struct event *a, const struct event *b)
{
	return a->at_ns < b->at_ns ||
	       (a->at_ns == b->at_ns && a->number < b->number);
}

static void grow(struct vtime *vt)
{
	vt->room = vt->room ? 2 * vt->room : 256;
	vt->heap = realloc(vt->heap, vt->room * sizeof(*vt->heap));
	if (!vt->heap)
		abort();
}

void vtime_at(struct vtime *vt, u64 at_ns, vtime_fn *fire, void *context,
	      void *argument)
{
	struct event new = { at_ns, vt->made++, fire, context, argument };
	u32 i;

	if (new.at_ns < vt->now_ns)
		new.at_ns = vt->now_ns;
	if (vt->count == vt->room)
		grow(vt);
	for (i = vt->count++; i; i = (i - 1) / 2) {
		if (!is_before(&new, &vt->heap[(i - 1) / 2]))
			break;
		vt->heap[i] = vt->heap[(i - 1) / 2];
	}
	vt->heap[i] = new;
}

void vtime_in(struct vtime *vt, u64 delay_ns, vtime_fn *fire, void *context,
	      void *argument)
{
	vtime_at(vt, vt->now_ns + delay_ns, fire, context, argument);
}

static struct event take(struct vtime *vt)
{
	struct event first = vt->heap[0];
	struct event last = vt->heap[--vt->count];
	u32 i = 0, child;

	for (child = 1; child < vt->count; child = 2 * i + 1) {
		if (child + 1 < vt->count &&
		    is_before(&vt->heap[child + 1], &vt->heap[child]))
			child++;
		if (!is_before(&vt->heap[child], &last))
			break;
		vt->heap[i] = vt->heap[child];
		i = child;
	}
	vt->heap[i] = last;
	return first;
}

/* Fire the next event; false when there is none. */
bool vtime_step(struct vtime *vt)
{
	struct event event;

	if (!vt->count)
		return false;
	event = take(vt);
	vt->now_ns = event.at_ns;
	vt->fired++;
	event.fire(event.context, event.argument);
	return true;
}

/* Time of the next event, U64_MAX if there is none. */
u64 vtime_due(const struct vtime *vt)
{
	return vt->count ? vt->heap[0].at_ns : U64_MAX;
}

/* Another clock shows @now_ns: fire all that is due until then, each at its
 * own time.
 */
void vtime_follow(struct vtime *vt, u64 now_ns)
{
	while (vtime_due(vt) <= now_ns)
		vtime_step(vt);
	if (vt->now_ns < now_ns)
		vt->now_ns = now_ns;
}

/* Events of a kind will not fire; what they were about is released. The order
 * of the heap is lost, so nothing else fires either: for the end only.
 */
void vtime_forget(struct vtime *vt, vtime_fn *fire,
		  void (*release)(void *argument))
{
	u32 i, kept = 0;

	for (i = 0; i < vt->count; i++) {
		if (vt->heap[i].fire == fire)
			release(vt->heap[i].argument);
		else
			vt->heap[kept++] = vt->heap[i];
	}
	vt->count = kept;
}

/* After the last event. */
void vtime_cleanup(struct vtime *vt)
{
	free(vt->heap);
}
