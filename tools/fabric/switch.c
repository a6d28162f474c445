// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "switch.h"

#include <linux/kernel.h>
#include <stdint.h>

#define PER_MILLE	1000U

static bool has_pfc(const struct switch_node *sw, u32 priority)
{
	return sw->cfg->pfc & 1U << priority;
}

/**
 * switch_init - empty
 * @sw: which; the caller has set its ports
 * @cfg: configuration, which stays
 * @vt: time
 * @seed: of its choices
 *
 * Return: false when the headroom leaves nothing of the buffer.
 */
bool switch_init(struct switch_node *sw, const struct switch_config *cfg,
		 struct vtime *vt, u64 seed)
{
	u64 headroom = cfg->headroom * sw->num_ports *
		       __builtin_popcount(cfg->pfc);
	u32 i;

	sw->cfg = cfg;
	sw->vt = vt;
	sw->rng.state = seed;
	sw->salt = rng_next(&sw->rng);
	sw->shared_size = cfg->buffer - min(cfg->buffer, headroom);
	for (i = 0; i < sw->num_ports; i++) {
		sw->ports[i].on_departure = switch_on_departure;
		sw->ports[i].owner = sw;
	}
	return sw->shared_size;
}

static u64 share(const struct switch_node *sw, u32 mille)
{
	u64 left = sw->shared_size - min(sw->shared_used, sw->shared_size);

	return left * mille / PER_MILLE;
}

static u64 xoff(const struct switch_node *sw)
{
	return sw->cfg->xoff ? sw->cfg->xoff :
			       share(sw, sw->cfg->pfc_alpha_mille);
}

static void refresh(void *context, void *argument);

/* Told again in time, for the pause ends by itself. */
static void stop(struct switch_node *sw, u32 port, u32 priority)
{
	struct ingress *in = &sw->ingress[port];
	struct pfc pfc = { .mask = 1U << priority };
	u64 lasts_ns;

	pfc.quanta[priority] = PFC_MAX_QUANTA;
	lasts_ns = pfc_quanta_ns(PFC_MAX_QUANTA, sw->ports[port].cfg.rate_bps);
	in->is_stopped[priority] = true;
	port_send_pfc(&sw->ports[port], &pfc);
	if (in->refreshes[priority])
		return;
	in->refreshes[priority] = true;
	vtime_in(sw->vt, lasts_ns / 2, refresh, sw,
		 (void *)(uintptr_t)(port * FRAME_PRIORITIES + priority));
}

static void refresh(void *context, void *argument)
{
	u32 port = (uintptr_t)argument / FRAME_PRIORITIES;
	u32 priority = (uintptr_t)argument % FRAME_PRIORITIES;
	struct switch_node *sw = context;
	struct ingress *in = &sw->ingress[port];

	in->refreshes[priority] = false;
	if (in->is_stopped[priority])
		stop(sw, port, priority);
}

static void go_on(struct switch_node *sw, u32 port, u32 priority)
{
	struct pfc pfc = { .mask = 1U << priority };

	sw->ingress[port].is_stopped[priority] = false;
	port_send_pfc(&sw->ports[port], &pfc);
}

static void take_shared(struct switch_node *sw, struct ingress *in,
			u32 priority, u32 bytes)
{
	in->shared[priority] += bytes;
	sw->shared_used += bytes;
	sw->shared_peak = max(sw->shared_peak, sw->shared_used);
}

/* Of a priority with PFC; false when even the headroom is full. */
static bool admit_lossless(struct switch_node *sw, u32 port, u32 priority,
			   u32 bytes)
{
	struct ingress *in = &sw->ingress[port];

	if (in->shared[priority] + bytes <= xoff(sw) &&
	    sw->shared_used + bytes <= sw->shared_size) {
		take_shared(sw, in, priority, bytes);
		return true;
	}
	if (!in->is_stopped[priority])
		stop(sw, port, priority);
	if (in->headroom[priority] + bytes > sw->cfg->headroom)
		return false;
	in->headroom[priority] += bytes;
	return true;
}

static bool admit(struct switch_node *sw, const struct port *out,
		  const struct frame *frame, u32 bytes)
{
	u32 priority = frame->priority;

	if (has_pfc(sw, priority))
		return admit_lossless(sw, frame->ingress, priority, bytes);
	if (out->queue[priority].bytes + bytes >
	    share(sw, sw->cfg->alpha_mille) ||
	    sw->shared_used + bytes > sw->shared_size)
		return false;
	take_shared(sw, &sw->ingress[frame->ingress], priority, bytes);
	return true;
}

/* RED on the length that the frame finds; the DCQCN paper, section 3.1. */
static bool is_marked(struct switch_node *sw, u64 length)
{
	const struct switch_config *cfg = sw->cfg;

	if (length <= cfg->kmin)
		return false;
	if (length > cfg->kmax)
		return true;
	return rng_chance(&sw->rng, cfg->pmax * (length - cfg->kmin) /
				    (cfg->kmax - cfg->kmin));
}

static void mark(struct switch_node *sw, struct port *out, struct frame *frame)
{
	if (!(sw->cfg->ecn & 1U << frame->priority) ||
	    frame->ecn == FRAME_NOT_ECT)
		return;
	if (!is_marked(sw, out->queue[frame->priority].bytes))
		return;
	frame->ecn = FRAME_CE;
	out->count.marks++;
}

/* One that is up, if there is. */
static struct port *route(struct switch_node *sw, const struct frame *frame)
{
	const struct choice *choice = &sw->choices[frame->destination];
	u64 start;
	u32 i;

	if (!choice->count)
		return NULL;
	start = choice->count == 1 ? 0 :
		sw->cfg->spray ? rng_next(&sw->rng) :
				 rng_mix(frame->entropy ^ sw->salt);
	for (i = 0; i < choice->count; i++) {
		struct port *port;

		port = &sw->ports[choice->ports[(start + i) % choice->count]];
		if (!port->is_down)
			return port;
	}
	return &sw->ports[choice->ports[start % choice->count]];
}

/**
 * switch_receive - a frame came in
 * @sw: where
 * @ingress: by which port
 * @frame: the switch's from now on
 */
void switch_receive(struct switch_node *sw, u32 ingress, struct frame *frame)
{
	struct port *out = route(sw, frame);

	frame->ingress = ingress;
	if (!out) {
		sw->unrouted++;
		frame_free(frame);
		return;
	}
	if (!admit(sw, out, frame, port_bytes(out, frame))) {
		sw->ports[ingress].count.drops++;
		frame_free(frame);
		return;
	}
	mark(sw, out, frame);
	port_send(out, frame);
}

static bool may_go_on(const struct switch_node *sw, const struct ingress *in,
		      u32 priority)
{
	if (in->headroom[priority])
		return false;
	return !in->shared[priority] ||
	       in->shared[priority] + sw->cfg->xon <= xoff(sw);
}

/**
 * switch_on_departure - a frame has left
 * @owner: the switch
 * @port: by which port
 * @frame: which
 */
void switch_on_departure(void *owner, struct port *port,
			 const struct frame *frame)
{
	struct switch_node *sw = owner;
	struct ingress *in = &sw->ingress[frame->ingress];
	u32 priority = frame->priority;
	u32 bytes = port_bytes(port, frame);
	u32 from_headroom;

	if (frame->is_control)
		return;
	from_headroom = min_t(u64, in->headroom[priority], bytes);
	in->headroom[priority] -= from_headroom;
	in->shared[priority] -= bytes - from_headroom;
	sw->shared_used -= bytes - from_headroom;
	if (in->is_stopped[priority] && may_go_on(sw, in, priority))
		go_on(sw, frame->ingress, priority);
}
