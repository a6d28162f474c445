/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The software switch: the model in real time, with guests for its hosts. */
#ifndef FABRIC_VSWITCH_H
#define FABRIC_VSWITCH_H

#include "attachment.h"
#include "fabric.h"
#include "stations.h"

struct vswitch;

/**
 * struct line - a port of a switch
 * @vswitch: all
 * @port: the port
 * @dumper: of libpcap, or NULL
 */
struct line {
	struct vswitch *vswitch;
	struct port *port;
	void *dumper;
};

/**
 * struct vswitch - all of it
 * @topology: what it is like
 * @attachments: of the hosts
 * @vt: time, in ns since the start
 * @fabric: the model
 * @stations: where addresses are
 * @lines: all ports of switches
 * @num_lines: how many
 * @start_ns: CLOCK_MONOTONIC at the start
 * @epoch_ns: CLOCK_REALTIME at the start
 * @refused: frames of a kind that is not forwarded
 * @flooded: frames to all hosts
 */
struct vswitch {
	struct topology topology;
	struct attachment *attachments;
	struct vtime vt;
	struct fabric fabric;
	struct stations stations;
	struct line *lines;
	u32 num_lines;
	u64 start_ns;
	u64 epoch_ns;
	u64 refused;
	u64 flooded;
};

void vswitch_receive(struct vswitch *vswitch, u32 host, struct frame *frame);

/* capture.c */
void capture_open(struct vswitch *vswitch, const char *folder);
void capture_frame(const struct line *line, const struct frame *frame);
void capture_flush(struct vswitch *vswitch);
void capture_close(struct vswitch *vswitch);

/* counters.c */
void counters_write(const struct vswitch *vswitch, int fd);

#endif /* FABRIC_VSWITCH_H */
