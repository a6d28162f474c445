// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The queue pairs: what they are given to do, and how they reach the fabric. */
#include "simulation.h"

#include <core/psn.h>
#include <linux/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wire/hdr.h>
#include <wire/opcode.h>

/* QPN of side s of connection c is FIRST_QPN + 2 * c + s. */
#define FIRST_QPN	0x11U
/* Receive WQEs: as many as it takes. */
#define RECEIVES	0x40000000U

static bool has_room(void *to)
{
	const struct side *side = to;
	const struct simulation *sim = side->sim;

	return fabric_host_queue(&sim->fabric, side->host) <
	       sim->scenario->ends.nic_bytes;
}

/* ECT(0) on all, CNPs in a class of their own, as in kernel/cnp.c. */
static void send(void *to, struct frame *frame)
{
	const struct side *side = to;
	struct simulation *sim = side->sim;
	bool is_cnp = frame->bytes[0] == CROCE_OP_CNP;

	frame->source = side->host;
	frame->destination = side->peer;
	frame->entropy = side->entropy;
	frame->ecn = FRAME_ECT0;
	frame->priority = is_cnp ? sim->scenario->params.np_cnp_prio :
				   sim->scenario->ends.priority;
	fabric_send(&sim->fabric, side->host, frame);
}

static u32 qpn_of(const struct frame *frame)
{
	const struct croce_bth *bth = (const struct croce_bth *)frame->bytes;

	return be32_to_cpu(bth->qpn) & 0xffffff;
}

/* By the QPN, unless that is damaged: then the ICRC would have told. */
void traffic_deliver(void *context, u32 host, struct frame *frame)
{
	struct simulation *sim = context;
	u32 number = qpn_of(frame) - FIRST_QPN;
	struct side *side;

	if (frame->corrupt) {
		frame_free(frame);
		return;
	}
	if (number / 2 >= sim->num_connections)
		oracle_fail("host %u: a packet for no queue pair", host);
	side = &sim->connections[number / 2].side[number % 2];
	if (side->host != host)
		oracle_fail("%s: a packet at host %u", side->ep->name, host);
	side->ep->ops->receive(side->ep, frame);
}

static void post_one(struct connection *connection)
{
	const struct flow_config *cfg = connection->cfg;
	struct message message = {
		.kind = cfg->kind,
		.length = cfg->message,
		.rkey = RKEY_GOOD,
	};

	if (cfg->bytes)
		message.length = min_t(u64, message.length,
				       cfg->bytes - connection->posted);
	flow_add(&connection->flow, &message);
	connection->posted += message.length;
	connection->flow.posted++;
}

static bool may_post(const struct connection *connection)
{
	const struct flow_config *cfg = connection->cfg;
	const struct simulation *sim = connection->side[0].sim;
	const struct flow *flow = &connection->flow;
	u64 now = sim->vt.now_ns;

	return flow->posted - flow->done < cfg->depth &&
	       now < cfg->stop_ns && now < sim->scenario->run.length_ns &&
	       (!cfg->bytes || connection->posted < cfg->bytes);
}

static void post(void *context)
{
	struct connection *connection = context;

	while (may_post(connection))
		post_one(connection);
}

static void begin(void *context, void *argument)
{
	struct connection *connection = context;
	struct endpoint *ep = connection->side[0].ep;

	(void)argument;
	post(connection);
	ep->ops->kick(ep);
}

static u32 power_of_two(u32 least)
{
	u32 n = 1;

	while (n < least)
		n *= 2;
	return n;
}

static struct endpoint_config ep_config(const struct simulation *sim,
					const struct side *side, u32 depth,
					u32 peer_qpn)
{
	const struct scenario *scenario = sim->scenario;
	const struct topology *topology = &scenario->topology;
	const struct fabric_node *node =
		&sim->fabric.nodes[topology->hosts[side->host]];

	return (struct endpoint_config){
		.mtu = scenario->ends.mtu,
		.reliable = true,
		.max_rd_atomic = 16,
		.peer_rd_atomic = 16,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.rnr_code = 12,
		.timeout_ns = scenario->ends.timeout_ns,
		.sq_depth = power_of_two(depth),
		.budget = 256,
		.max_pkts = scenario->ends.run,
		.turn_ns = scenario->ends.turn_ns,
		.dest_qpn = peer_qpn,
		.cc = scenario->cc,
		.cc_params = &scenario->params,
		.line_rate = node->ports->cfg.rate_bps / 8,
	};
}

static void make_side(struct simulation *sim, struct connection *connection,
		      u32 i, u32 number)
{
	struct side *side = &connection->side[i];
	struct endpoint common = {
		.name = connection->name[i],
		.cfg = ep_config(sim, side, i ? 1 : connection->cfg->depth,
				 FIRST_QPN + 2 * number + !i),
		.vt = &sim->vt,
		.out = { has_room, send, side },
		.tx = i ? &connection->none : &connection->flow,
		.rx = i ? &connection->flow : &connection->none,
		.rng.state = rng_next(&sim->rng),
		.receives = RECEIVES,
	};
	u32 first = rng_mix(sim->seed + 2 * number) & CROCE_PSN_MASK;
	u32 other = rng_mix(sim->seed + 2 * number + 1) & CROCE_PSN_MASK;

	common.cfg.first_psn = i ? other : first;
	common.cfg.peer_psn = i ? first : other;
	if (!i) {
		common.on_done = post;
		common.context = connection;
	}
	side->ep = core_create(&common);
}

static void make_connection(struct simulation *sim, u32 number,
			    const struct flow_config *cfg)
{
	struct connection *connection = &sim->connections[number];
	bool reads = cfg->kind == CROCE_KIND_READ;
	u32 ends[2] = { reads ? cfg->to : cfg->from,
			reads ? cfg->from : cfg->to };
	const struct topology *topology = &sim->scenario->topology;
	u32 i, entropy = rng_next(&sim->rng);

	connection->cfg = cfg;
	for (i = 0; i < 2; i++) {
		connection->side[i] = (struct side){
			sim, ends[i], ends[!i], entropy, NULL
		};
		snprintf(connection->name[i], sizeof(connection->name[i]),
			 "%s%u at %s", cfg->group, number,
			 topology->nodes[topology->hosts[ends[i]]].name);
	}
	flow_init(&connection->flow, connection->name[0], cfg->depth, true);
	flow_init(&connection->none, connection->name[1], 1, true);
	for (i = 0; i < 2; i++)
		make_side(sim, connection, i, number);
	vtime_in(&sim->vt, cfg->start_ns + rng_in(&sim->rng, 0, cfg->spread_ns),
		 begin, connection, NULL);
}

void traffic_init(struct simulation *sim)
{
	const struct scenario *scenario = sim->scenario;
	u32 i, k, number = 0;

	for (i = 0; i < scenario->num_flows; i++)
		sim->num_connections += scenario->flows[i].qps;
	sim->connections = calloc(sim->num_connections + 1,
				  sizeof(*sim->connections));
	if (!sim->connections)
		abort();
	for (i = 0; i < scenario->num_flows; i++)
		for (k = 0; k < scenario->flows[i].qps; k++)
			make_connection(sim, number++, &scenario->flows[i]);
}

bool traffic_is_over(const struct simulation *sim)
{
	u32 i;

	for (i = 0; i < sim->num_connections; i++)
		if (!flow_is_over(&sim->connections[i].flow))
			return false;
	return true;
}

void traffic_check_end(const struct simulation *sim)
{
	u32 i;

	for (i = 0; i < sim->num_connections; i++)
		flow_check_end(&sim->connections[i].flow);
}

void traffic_cleanup(struct simulation *sim)
{
	u32 i, k;

	for (i = 0; i < sim->num_connections; i++) {
		struct connection *connection = &sim->connections[i];

		for (k = 0; k < 2; k++)
			connection->side[k].ep->ops->destroy(
				connection->side[k].ep);
		flow_cleanup(&connection->flow);
		flow_cleanup(&connection->none);
	}
	free(sim->connections);
}
