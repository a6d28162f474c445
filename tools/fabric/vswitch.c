// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Frames in, model, frames out. The model's time follows the clock: it is
 * brought up to date before a frame comes in, and when an event is due. A
 * program that gets the processor late delivers late, but never faster than
 * the links are.
 */
#include "vswitch.h"

#include <linux/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each host has its own copy of what is for all, or for nobody knows whom. */
static void flood(struct vswitch *vswitch, u32 host, struct frame *frame)
{
	u32 i;

	vswitch->flooded++;
	for (i = 0; i < vswitch->topology.num_hosts; i++) {
		struct frame *copy;

		if (i == host || vswitch->attachments[i].fd < 0)
			continue;
		copy = frame_copy(frame);
		copy->destination = i;
		fabric_send(&vswitch->fabric, host, copy);
	}
	frame_free(frame);
}

static const struct line *line_of(const struct vswitch *vswitch, u32 host)
{
	const struct topology *topology = &vswitch->topology;
	const struct fabric_node *node =
		&vswitch->fabric.nodes[topology->hosts[host]];

	return node->ports->peer->tap_context;
}

/**
 * vswitch_receive - a frame came from a host
 * @vswitch: to which
 * @host: that sent it
 * @frame: the switch's from now on
 */
void vswitch_receive(struct vswitch *vswitch, u32 host, struct frame *frame)
{
	capture_frame(line_of(vswitch, host), frame);
	if (!ether_classify(frame)) {
		vswitch->refused++;
		frame_free(frame);
		return;
	}
	frame->source = host;
	if (frame->is_control) {
		fabric_send(&vswitch->fabric, host, frame);
		return;
	}
	stations_learn(&vswitch->stations, frame->bytes + ETHER_ADDRESS, host);
	if (!stations_find(&vswitch->stations, frame->bytes,
			   &frame->destination))
		flood(vswitch, host, frame);
	else if (frame->destination == host)
		frame_free(frame);
	else
		fabric_send(&vswitch->fabric, host, frame);
}
