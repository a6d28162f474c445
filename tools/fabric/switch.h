/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A switch with output queues in a shared buffer.
 *
 * Frames of priorities without PFC are dropped when their output queue is
 * longer than alpha times what is free (dynamic threshold, Choudhury and
 * Hahne, doi:10.1109/90.664262). Frames of priorities with PFC are counted by
 * the port they came in by; above the threshold the peer is told to stop, and
 * what it sends until it has heard that goes into the headroom.
 */
#ifndef FABRIC_SWITCH_H
#define FABRIC_SWITCH_H

#include "port.h"

/**
 * struct switch_config - of all switches of a fabric
 * @buffer: bytes, headroom included
 * @alpha_mille: threshold without PFC, in 1/1000 of what is free
 * @kmin: bytes in the output queue above which frames may be marked
 * @kmax: ... above which all are marked
 * @pmax: parts per million that are marked just below @kmax
 * @ecn: priorities that mark, a bit each
 * @pfc: priorities with PFC, a bit each
 * @pfc_alpha_mille: XOFF threshold, in 1/1000 of what is free
 * @xoff: XOFF threshold in bytes, 0 for the dynamic one
 * @xon: bytes below the XOFF threshold at which the peer may go on
 * @headroom: bytes of each port and priority with PFC
 * @spray: each frame takes a path of its own; else those of equal entropy
 *	take the same
 */
struct switch_config {
	u64 buffer;
	u32 alpha_mille;
	u64 kmin;
	u64 kmax;
	u32 pmax;
	u8 ecn;
	u8 pfc;
	u32 pfc_alpha_mille;
	u64 xoff;
	u64 xon;
	u64 headroom;
	bool spray;
};

/**
 * struct ingress - frames in the buffer that came in by one port, by priority
 * @shared: their bytes in the shared part
 * @headroom: and in the headroom
 * @is_stopped: the peer was told to stop
 * @refreshes: and an event will tell it again
 */
struct ingress {
	u64 shared[FRAME_PRIORITIES];
	u64 headroom[FRAME_PRIORITIES];
	bool is_stopped[FRAME_PRIORITIES];
	bool refreshes[FRAME_PRIORITIES];
};

/**
 * struct choice - equal ways to a host
 * @count: how many
 * @ports: their numbers
 */
struct choice {
	u32 count;
	u32 *ports;
};

/**
 * struct switch_node - one
 * @cfg: configuration
 * @vt: time
 * @ports: its ports
 * @ingress: what came in by each
 * @num_ports: how many
 * @choices: the ways to each host
 * @shared_size: bytes of the shared part of the buffer
 * @shared_used: of them
 * @shared_peak: most there were
 * @rng: decides who is marked, and who takes which path
 * @salt: makes it choose other paths than the next switch
 * @unrouted: frames to hosts that no way leads to
 */
struct switch_node {
	const struct switch_config *cfg;
	struct vtime *vt;
	struct port *ports;
	struct ingress *ingress;
	u32 num_ports;
	struct choice *choices;
	u64 shared_size;
	u64 shared_used;
	u64 shared_peak;
	struct rng rng;
	u64 salt;
	u64 unrouted;
};

bool switch_init(struct switch_node *sw, const struct switch_config *cfg,
		 struct vtime *vt, u64 seed);
void switch_receive(struct switch_node *sw, u32 ingress, struct frame *frame);
port_fn switch_on_departure;

#endif /* FABRIC_SWITCH_H */
