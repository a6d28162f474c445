/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A port: output queues by priority, strictly the highest first, a rate, a
 * wire to another port, and PFC frames of that port, which it obeys.
 */
#ifndef FABRIC_PORT_H
#define FABRIC_PORT_H

#include "pfc.h"
#include "wire.h"

/* Preamble, start of frame and inter-packet gap: on the wire, in no buffer. */
#define PORT_GAP_BYTES	20U

/**
 * struct port_config - a link, the same in both directions
 * @rate_bps: bits per second
 * @wire: delay and misfortune
 * @flap_ns: the link goes down once in such a period, 0 never
 * @down_ns: for so long
 */
struct port_config {
	u64 rate_bps;
	struct wire_config wire;
	u64 flap_ns;
	u64 down_ns;
};

/**
 * struct port_count - what happened
 * @frames: sent
 * @wire_bytes: of them, with @PORT_GAP_BYTES
 * @marks: frames that got a congestion mark in the queue
 * @drops: frames that the switch had no room for, by the port they came in by
 * @lost: frames that were sent while the link was down
 * @pauses_sent: PFC frames that stop a priority
 * @resumes_sent: PFC frames that let it go on
 * @pauses_received: PFC frames that stop a priority
 * @paused_ns: a priority had to wait, all priorities together
 */
struct port_count {
	u64 frames;
	u64 wire_bytes;
	u64 marks;
	u64 drops;
	u64 lost;
	u64 pauses_sent;
	u64 resumes_sent;
	u64 pauses_received;
	u64 paused_ns;
};

struct port;

/* The frame has left; it is still there to be looked at. */
typedef void port_fn(void *owner, struct port *port,
		     const struct frame *frame);

/* The frame leaves, and may still be changed. */
typedef void port_tap_fn(void *context, struct port *port,
			 struct frame *frame);

/**
 * struct port - one
 * @cfg: configuration
 * @vt: time
 * @on_departure: tells the owner; optional
 * @owner: of the port
 * @tap: sees what is sent; optional
 * @tap_context: of @tap
 * @node: that it belongs to
 * @number: there
 * @peer: other end of the wire
 * @wire: to it
 * @overhead: bytes of a frame that are not in it, but in buffers
 * @control: MAC control frames, before all others and never paused
 * @queue: by priority
 * @resume_ns: a priority waits until then
 * @paused_since_ns: and has waited since
 * @sending: the frame that is being sent
 * @owed: of the time for the last frame, below 1 ns; in ns / @cfg.rate_bps
 * @is_down: the link is down
 * @count: what happened
 */
struct port {
	struct port_config cfg;
	struct vtime *vt;
	port_fn *on_departure;
	void *owner;
	port_tap_fn *tap;
	void *tap_context;
	u32 node;
	u32 number;
	struct port *peer;
	struct wire wire;
	u32 overhead;
	struct queue control;
	struct queue queue[FRAME_PRIORITIES];
	u64 resume_ns[FRAME_PRIORITIES];
	u64 paused_since_ns[FRAME_PRIORITIES];
	struct frame *sending;
	u64 owed;
	bool is_down;
	struct port_count count;
};

void port_init(struct port *port, const struct port_config *cfg,
	       struct vtime *vt, u64 seed);
u32 port_bytes(const struct port *port, const struct frame *frame);
u64 port_queued(const struct port *port);
void port_send(struct port *port, struct frame *frame);
void port_send_pfc(struct port *port, const struct pfc *pfc);
void port_on_pfc(struct port *port, const struct pfc *pfc);
void port_cleanup(struct port *port);

#endif /* FABRIC_PORT_H */
