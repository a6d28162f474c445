// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "wire.h"

#include <string.h>

/**
 * wire_init - lay a cable
 * @wire: which; the caller sets where it ends
 * @cfg: configuration
 * @vt: time
 * @seed: of its misfortune
 */
void wire_init(struct wire *wire, const struct wire_config *cfg,
	       struct vtime *vt, u64 seed)
{
	memset(wire, 0, sizeof(*wire));
	wire->cfg = *cfg;
	wire->vt = vt;
	wire->rng.state = seed;
}

/* Without misfortune frames arrive in order, whatever the jitter. */
static u64 arrival(struct wire *wire, u64 departure_ns)
{
	const struct wire_config *cfg = &wire->cfg;
	u64 at = departure_ns + cfg->delay_ns;

	if (cfg->jitter_ns)
		at += rng_in(&wire->rng, 0, cfg->jitter_ns);
	if (rng_chance(&wire->rng, cfg->reorder))
		return at + rng_in(&wire->rng, 0, cfg->reorder_ns);
	if (at < wire->newest_ns)
		at = wire->newest_ns;
	wire->newest_ns = at;
	return at;
}

static void duplicate(struct wire *wire, const struct frame *frame, u64 at)
{
	if (!rng_chance(&wire->rng, wire->cfg.dup))
		return;
	/* A few come very late. */
	at += rng_chance(&wire->rng, PPM / 4) ?
	      rng_in(&wire->rng, 0, wire->cfg.ghost_ns) :
	      rng_in(&wire->rng, 0, wire->cfg.reorder_ns);
	vtime_at(wire->vt, at, wire->deliver, wire->to, frame_copy(frame));
}

static void damage(struct wire *wire, struct frame *frame)
{
	if (!rng_chance(&wire->rng, wire->cfg.corrupt))
		return;
	frame->corrupt = true;
	frame->bytes[rng_in(&wire->rng, 0, frame->len - 1)] ^=
		1 << rng_in(&wire->rng, 0, 7);
}

/**
 * wire_send - the last bit of a frame leaves
 * @wire: by which
 * @frame: the wire's from now on
 * @departure_ns: when, not before now
 */
void wire_send(struct wire *wire, struct frame *frame, u64 departure_ns)
{
	u64 at;

	wire->frames++;
	if (wire->is_cut || rng_chance(&wire->rng, wire->cfg.loss)) {
		wire->lost++;
		frame_free(frame);
		return;
	}
	at = arrival(wire, departure_ns);
	if (rng_chance(&wire->rng, wire->cfg.mark))
		frame->ecn = FRAME_CE;
	duplicate(wire, frame, at);
	damage(wire, frame);
	vtime_at(wire->vt, at, wire->deliver, wire->to, frame);
}
