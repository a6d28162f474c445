// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "link.h"

#include <string.h>

void link_init(struct link *link, const struct link_config *cfg,
	       struct vtime *vt, u64 seed)
{
	memset(link, 0, sizeof(*link));
	link->cfg = *cfg;
	wire_init(&link->wire, &cfg->wire, vt, seed);
}

bool link_has_room(void *out)
{
	const struct link *link = out;

	return link->queued < link->cfg.queue_frames;
}

static void on_departure(void *context, void *argument)
{
	struct link *link = context;

	(void)argument;
	link->queued--;
}

/* Takes the frame. */
void link_send(void *out, struct frame *frame)
{
	struct link *link = out;
	struct vtime *vt = link->wire.vt;

	if (link->busy_until_ns < vt->now_ns)
		link->busy_until_ns = vt->now_ns;
	/* 62 bytes of Ethernet, IPv4 and UDP. */
	link->busy_until_ns += (frame->len + 62) * 8000 / link->cfg.rate_mbps;
	link->queued++;
	vtime_at(vt, link->busy_until_ns, on_departure, link, NULL);
	wire_send(&link->wire, frame, link->busy_until_ns);
}
