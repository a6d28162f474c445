// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "port.h"

#include <linux/kernel.h>
#include <string.h>

#define NS_PER_S	1000000000ULL
/* A frame of minimum size, with FCS. */
#define MIN_FRAME_BYTES	64U

/* The link goes down, and up again. */
static void flap(void *context, void *argument)
{
	struct port *port = context;
	u64 period = port->cfg.flap_ns, down = port->cfg.down_ns;

	(void)argument;
	port->is_down = !port->is_down;
	vtime_in(port->vt, port->is_down ? down : period - down, flap, port,
		 NULL);
}

/**
 * port_init - one without a peer
 * @port: which
 * @cfg: configuration
 * @vt: time
 * @seed: of its misfortune
 */
void port_init(struct port *port, const struct port_config *cfg,
	       struct vtime *vt, u64 seed)
{
	u32 i;

	memset(port, 0, sizeof(*port));
	port->cfg = *cfg;
	port->vt = vt;
	wire_init(&port->wire, &cfg->wire, vt, seed);
	queue_init(&port->control);
	for (i = 0; i < FRAME_PRIORITIES; i++)
		queue_init(&port->queue[i]);
	if (cfg->flap_ns)
		vtime_in(vt, rng_in(&port->wire.rng, 0, cfg->flap_ns), flap,
			 port, NULL);
}

/**
 * port_bytes - buffer that a frame occupies
 * @port: where
 * @frame: which
 *
 * Return: its bytes with FCS.
 */
u32 port_bytes(const struct port *port, const struct frame *frame)
{
	u32 bytes = frame->len + port->overhead;

	if (frame->is_control || bytes < MIN_FRAME_BYTES)
		return MIN_FRAME_BYTES;
	return bytes;
}

/**
 * port_queued - what waits, and what is being sent
 * @port: where
 *
 * Return: bytes of all priorities.
 */
u64 port_queued(const struct port *port)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < FRAME_PRIORITIES; i++)
		bytes += port->queue[i].bytes;
	return bytes;
}

static struct frame *next(struct port *port)
{
	int i;

	if (port->control.first)
		return queue_take(&port->control);
	for (i = FRAME_PRIORITIES - 1; i >= 0; i--)
		if (port->queue[i].first &&
		    port->resume_ns[i] <= port->vt->now_ns)
			return queue_take(&port->queue[i]);
	return NULL;
}

/* Whole ns, so that no rate is too high by the rounding. */
static u64 time_for(struct port *port, u32 bytes)
{
	u64 bits = 8 * bytes * NS_PER_S + port->owed;

	port->owed = bits % port->cfg.rate_bps;
	return bits / port->cfg.rate_bps;
}

static void start(struct port *port);

static void depart(void *context, void *argument)
{
	struct port *port = context;
	struct frame *frame = port->sending;
	u32 bytes = port_bytes(port, frame);

	(void)argument;
	port->sending = NULL;
	port->count.frames++;
	port->count.wire_bytes += bytes + PORT_GAP_BYTES;
	if (!frame->is_control)
		port->queue[frame->priority].bytes -= bytes;
	if (port->on_departure)
		port->on_departure(port->owner, port, frame);
	if (port->tap)
		port->tap(port->tap_context, port, frame);
	if (port->is_down) {
		port->count.lost++;
		frame_free(frame);
	} else {
		wire_send(&port->wire, frame, port->vt->now_ns);
	}
	start(port);
}

static void start(struct port *port)
{
	u32 bytes;

	if (port->sending)
		return;
	port->sending = next(port);
	if (!port->sending)
		return;
	bytes = port_bytes(port, port->sending) + PORT_GAP_BYTES;
	vtime_in(port->vt, time_for(port, bytes), depart, port, NULL);
}

/**
 * port_send - put a frame into the queue of its priority
 * @port: where
 * @frame: the port's from now on
 */
void port_send(struct port *port, struct frame *frame)
{
	queue_put(&port->queue[frame->priority], frame,
		  port_bytes(port, frame));
	start(port);
}

/**
 * port_send_pfc - tell the peer to stop, or to go on
 * @port: where
 * @pfc: what to say, about one priority
 */
void port_send_pfc(struct port *port, const struct pfc *pfc)
{
	u32 i, quanta = 0;

	for (i = 0; i < FRAME_PRIORITIES; i++)
		quanta |= pfc->quanta[i];
	if (quanta)
		port->count.pauses_sent++;
	else
		port->count.resumes_sent++;
	queue_put(&port->control, pfc_frame(pfc), 0);
	start(port);
}

static void resume(void *context, void *argument)
{
	(void)argument;
	start(context);
}

static void pause_priority(struct port *port, u32 i, u32 quanta)
{
	u64 now = port->vt->now_ns, until;

	until = now + pfc_quanta_ns(quanta, port->cfg.rate_bps);
	if (port->resume_ns[i] > port->paused_since_ns[i])
		port->count.paused_ns += min(port->resume_ns[i], now) -
					 port->paused_since_ns[i];
	port->paused_since_ns[i] = now;
	port->resume_ns[i] = until;
	if (quanta) {
		port->count.pauses_received++;
		vtime_at(port->vt, until, resume, port, NULL);
	}
}

/**
 * port_on_pfc - the peer says stop, or go on
 * @port: where
 * @pfc: what it says
 */
void port_on_pfc(struct port *port, const struct pfc *pfc)
{
	u32 i;

	for (i = 0; i < FRAME_PRIORITIES; i++)
		if (pfc->mask & 1U << i)
			pause_priority(port, i, pfc->quanta[i]);
	start(port);
}

/**
 * port_cleanup - lose what is left
 * @port: which; no event of it may fire any more
 */
void port_cleanup(struct port *port)
{
	u32 i;

	frame_free(port->sending);
	queue_cleanup(&port->control);
	for (i = 0; i < FRAME_PRIORITIES; i++)
		queue_cleanup(&port->queue[i]);
}
