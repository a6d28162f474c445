/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A scenario at work: queue pairs with the module's core on the hosts of a
 * fabric, and what is seen of them.
 */
#ifndef FABRIC_SIMULATION_H
#define FABRIC_SIMULATION_H

#include <fabric.h>

#include "../sim/endpoint.h"
#include "scenario.h"

/* Ethernet, IPv4, UDP and FCS: in a buffer, and not in frames here. */
#define ENCAPSULATION_BYTES	46U

struct simulation;

/**
 * struct side - one of two connected queue pairs
 * @sim: all
 * @host: that it is at
 * @peer: that its peer is at
 * @entropy: of its packets, as the UDP source port has it
 * @ep: the queue pair
 */
struct side {
	struct simulation *sim;
	u32 host;
	u32 peer;
	u32 entropy;
	struct endpoint *ep;
};

/**
 * struct connection - two connected queue pairs
 * @cfg: what they are for
 * @name: of either
 * @side: 0 has the messages
 * @flow: from side 0
 * @none: from side 1
 * @posted: bytes of messages posted
 * @before: bytes that had arrived when the measurement began
 * @measured: bytes that arrived during the measurement
 * @sampled: bytes that had arrived at the last look
 */
struct connection {
	const struct flow_config *cfg;
	char name[2][48];
	struct side side[2];
	struct flow flow;
	struct flow none;
	u64 posted;
	u64 before;
	u64 measured;
	u64 sampled;
};

/**
 * struct watch - lengths of a queue
 * @port: its port
 * @lengths: in bytes, at each look of the measurement
 * @count: how many
 * @room: for how many
 */
struct watch {
	const struct port *port;
	u32 *lengths;
	u32 count;
	u32 room;
};

/**
 * struct simulation - all of it
 * @scenario: what is simulated
 * @seed: what is left to chance
 * @vt: time
 * @rng: chance
 * @fabric: hosts and switches
 * @connections: queue pairs
 * @num_connections: how many pairs of them
 * @watches: as in @scenario
 * @first_wire_bytes: of each watched port, when the measurement began
 * @measured_wire_bytes: ... during the measurement
 * @first: counts when the measurement began
 * @last: counts when it ended
 * @rates: CSV of rates, or NULL
 * @queues: CSV of queues, or NULL
 */
struct simulation {
	const struct scenario *scenario;
	u64 seed;
	struct vtime vt;
	struct rng rng;
	struct fabric fabric;
	struct connection *connections;
	u32 num_connections;
	struct watch watches[MAX_WATCHES];
	u64 first_wire_bytes[MAX_WATCHES];
	u64 measured_wire_bytes[MAX_WATCHES];
	struct fabric_count first;
	struct fabric_count last;
	void *rates;
	void *queues;
};

void simulation_run(struct simulation *sim, const char *csv);
void simulation_cleanup(struct simulation *sim);

/* traffic.c */
void traffic_init(struct simulation *sim);
void traffic_deliver(void *context, u32 host, struct frame *frame);
bool traffic_is_over(const struct simulation *sim);
void traffic_check_end(const struct simulation *sim);
void traffic_cleanup(struct simulation *sim);

/* measure.c */
void measure_init(struct simulation *sim, const char *csv);
void measure_cleanup(struct simulation *sim);

#endif /* FABRIC_SIMULATION_H */
