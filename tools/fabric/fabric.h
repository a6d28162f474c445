/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A fabric: hosts, switches and the links between them, over virtual time.
 *
 * Hosts have one port. In the simulator a host's port is part of the model:
 * what it sends waits in that port's queues, and it obeys PFC. Where hosts are
 * real (the software switch) frames come from outside straight into the
 * switch, and what goes to a host, PFC frames included, is handed outside.
 */
#ifndef FABRIC_FABRIC_H
#define FABRIC_FABRIC_H

#include "topology.h"

/**
 * struct fabric_ops - the outside
 * @deliver: a frame arrives at a host, which takes it
 * @context: of this
 * @real_hosts: see above
 * @overhead: bytes of a frame in a buffer that are not in it
 */
struct fabric_ops {
	void (*deliver)(void *context, u32 host, struct frame *frame);
	void *context;
	bool real_hosts;
	u32 overhead;
};

/**
 * struct fabric_node - a host or a switch
 * @ports: its ports
 * @num_ports: how many
 * @sw: what makes it a switch
 */
struct fabric_node {
	struct port *ports;
	u32 num_ports;
	struct switch_node sw;
};

/**
 * struct fabric - all of it
 * @vt: time
 * @topology: what it is like, which stays
 * @ops: the outside
 * @nodes: as in @topology
 */
struct fabric {
	struct vtime *vt;
	const struct topology *topology;
	struct fabric_ops ops;
	struct fabric_node *nodes;
};

/**
 * struct fabric_count - what happened in all switches
 * @marks: frames marked
 * @drops: frames that had no room, or no way to go
 * @lost: frames that were lost on links
 * @pauses: PFC frames sent that stop a priority
 */
struct fabric_count {
	u64 marks;
	u64 drops;
	u64 lost;
	u64 pauses;
};

const char *fabric_init(struct fabric *fabric, const struct topology *topology,
			const struct fabric_ops *ops, struct vtime *vt,
			u64 seed);
void fabric_cleanup(struct fabric *fabric);
void fabric_send(struct fabric *fabric, u32 host, struct frame *frame);
u64 fabric_host_queue(const struct fabric *fabric, u32 host);
struct port *fabric_port(const struct fabric *fabric, u32 from, u32 to);
struct fabric_count fabric_count(const struct fabric *fabric);

#endif /* FABRIC_FABRIC_H */
