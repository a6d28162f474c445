// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "link.h"

#include <stdlib.h>
#include <string.h>

struct frame *frame_new(u32 len)
{
	struct frame *frame = calloc(1, sizeof(*frame) + len);

	if (!frame)
		abort();
	frame->len = len;
	return frame;
}

void frame_free(void *frame)
{
	free(frame);
}

void link_init(struct link *link, const struct link_config *cfg,
	       struct vtime *vt, u64 seed)
{
	memset(link, 0, sizeof(*link));
	link->cfg = *cfg;
	link->vt = vt;
	link->rng.state = seed;
}

bool link_has_room(const struct link *link)
{
	return link->queued < link->cfg.queue_frames;
}

static void on_departure(void *context, void *argument)
{
	struct link *link = context;

	(void)argument;
	link->queued--;
}

/* Without misfortune frames arrive in order, whatever the jitter. */
static u64 arrival(struct link *link, u64 departure_ns)
{
	const struct link_config *cfg = &link->cfg;
	u64 at = departure_ns + cfg->delay_ns;

	at += rng_in(&link->rng, 0, cfg->jitter_ns);
	if (rng_chance(&link->rng, cfg->reorder))
		return at + rng_in(&link->rng, 0, cfg->reorder_ns);
	if (at < link->newest_ns)
		at = link->newest_ns;
	link->newest_ns = at;
	return at;
}

static void duplicate(struct link *link, const struct frame *frame, u64 at)
{
	struct frame *copy;

	if (!rng_chance(&link->rng, link->cfg.dup))
		return;
	copy = frame_new(frame->len);
	copy->tag = frame->tag;
	memcpy(copy->bytes, frame->bytes, frame->len);
	/* A few come very late. */
	at += rng_chance(&link->rng, PPM / 4) ?
	      rng_in(&link->rng, 0, link->cfg.ghost_ns) :
	      rng_in(&link->rng, 0, link->cfg.reorder_ns);
	vtime_at(link->vt, at, link->deliver, link->to, copy);
}

static void damage(struct link *link, struct frame *frame)
{
	if (!rng_chance(&link->rng, link->cfg.corrupt))
		return;
	frame->corrupt = true;
	frame->bytes[rng_in(&link->rng, 0, frame->len - 1)] ^=
		1 << rng_in(&link->rng, 0, 7);
}

/* Takes the frame. */
void link_send(struct link *link, struct frame *frame)
{
	u64 now = link->vt->now_ns, at;

	if (link->busy_until_ns < now)
		link->busy_until_ns = now;
	/* 62 bytes of Ethernet, IPv4 and UDP. */
	link->busy_until_ns += (frame->len + 62) * 8000 / link->cfg.rate_mbps;
	link->queued++;
	link->frames++;
	vtime_at(link->vt, link->busy_until_ns, on_departure, link, NULL);
	if (link->is_cut || rng_chance(&link->rng, link->cfg.loss)) {
		link->lost++;
		frame_free(frame);
		return;
	}
	at = arrival(link, link->busy_until_ns);
	duplicate(link, frame, at);
	damage(link, frame);
	vtime_at(link->vt, at, link->deliver, link->to, frame);
}
