/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What a description says: a fabric, its traffic, and what is to come of it. */
#ifndef FABRIC_SCENARIO_H
#define FABRIC_SCENARIO_H

#include <core/cc.h>
#include <core/wqe.h>
#include <topology.h>

/**
 * struct flow_config - data from one host to another, or from many to many
 * @group: name of the statement's flows
 * @kind: enum croce_kind of its messages; the requester of READs is @to
 * @from: host that has the data
 * @to: host that gets it
 * @qps: queue pairs, each with as much to do
 * @message: bytes of a message
 * @depth: messages posted and not completed
 * @start_ns: first is posted then
 * @spread_ns: ... or at most so much later
 * @stop_ns: no more are posted
 * @bytes: after so many no more are posted, 0 never
 */
struct flow_config {
	char group[TOPOLOGY_NAME];
	u8 kind;
	u32 from;
	u32 to;
	u32 qps;
	u32 message;
	u32 depth;
	u64 start_ns;
	u64 spread_ns;
	u64 stop_ns;
	u64 bytes;
};

/**
 * struct end_config - all queue pairs
 * @mtu: path MTU, bytes
 * @priority: of what is no CNP
 * @run: packets that a queue pair sends at one go
 * @turn_ns: it looks at what arrived at most so much later
 * @nic_bytes: a host's queue refuses more than that
 * @timeout_ns: between two timeouts
 */
struct end_config {
	u32 mtu;
	u32 priority;
	u32 run;
	u64 turn_ns;
	u64 nic_bytes;
	u64 timeout_ns;
};

/**
 * struct run_config - the run
 * @length_ns: then nothing is posted any more
 * @from_ns: what is before that is not measured
 * @queue_ns: between two looks at the queues
 * @rate_ns: between two looks at the rates
 */
struct run_config {
	u64 length_ns;
	u64 from_ns;
	u64 queue_ns;
	u64 rate_ns;
};

struct metric;

/**
 * struct expectation - what is to come of it, or only of interest
 * @metric: what is looked at
 * @group: of which flows, if of flows
 * @port: of which port, if of a port: its node and that of its peer
 * @relation: `>`, `<`, `=`, or 0 for a number that is only told
 * @value: to compare with
 * @text: the statement
 */
struct expectation {
	const struct metric *metric;
	char group[TOPOLOGY_NAME];
	u32 port[2];
	char relation;
	double value;
	char text[128];
};

#define MAX_WATCHES		16
#define MAX_EXPECTATIONS	48

/**
 * struct scenario - all of that
 * @name: for people
 * @topology: the fabric
 * @cc: algorithm of congestion control
 * @params: its knobs
 * @ends: queue pairs
 * @run: the run
 * @flows: traffic
 * @num_flows: how much of it
 * @watches: ports whose queue is looked at, as in struct expectation
 * @num_watches: how many
 * @expectations: what is to come of it
 * @num_expectations: how many
 */
struct scenario {
	char name[160];
	struct topology topology;
	const struct croce_cc_ops *cc;
	struct croce_cc_params params;
	struct end_config ends;
	struct run_config run;
	struct flow_config *flows;
	u32 num_flows;
	u32 watches[MAX_WATCHES][2];
	u32 num_watches;
	struct expectation expectations[MAX_EXPECTATIONS];
	u32 num_expectations;
};

void scenario_read(struct scenario *scenario, struct text *text,
		   const char *path);
void scenario_cleanup(struct scenario *scenario);

#endif /* FABRIC_SCENARIO_H */
