// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Looks at queues and rates in between, and keeps what is measured. CSV files:
 *
 *	queues.csv	time_us,port,bytes,marks,drops,pauses: the length, and
 *			what happened at that port since the beginning
 *	rates.csv	time_us,connection,mbps,limit_mbps,cnps: payload that
 *			arrived since the last look, what the reaction point
 *			allows (0: no limit), CNPs since the beginning
 */
#include "simulation.h"

#include <linux/kernel.h>
#include <stdio.h>
#include <stdlib.h>

#define US 1000ULL

static bool is_measured(const struct simulation *sim)
{
	return sim->vt.now_ns >= sim->scenario->run.from_ns &&
	       sim->vt.now_ns < sim->scenario->run.length_ns;
}

static const char *name_of_node(const struct simulation *sim, u32 node)
{
	return sim->scenario->topology.nodes[node].name;
}

static void keep_length(struct watch *watch, u32 length)
{
	if (watch->count == watch->room) {
		watch->room = watch->room ? 2 * watch->room : 1024;
		watch->lengths = realloc(watch->lengths, watch->room *
					 sizeof(*watch->lengths));
		if (!watch->lengths)
			abort();
	}
	watch->lengths[watch->count++] = length;
}

static void look_at_queues(void *context, void *argument)
{
	struct simulation *sim = context;
	u32 i;

	(void)argument;
	for (i = 0; i < sim->scenario->num_watches; i++) {
		const struct port *port = sim->watches[i].port;
		u64 length = port_queued(port);

		if (is_measured(sim))
			keep_length(&sim->watches[i], length);
		if (sim->queues)
			fprintf(sim->queues, "%llu,%s-%s,%llu,%llu,%llu,%llu\n",
				sim->vt.now_ns / US,
				name_of_node(sim, port->node),
				name_of_node(sim, port->peer->node), length,
				port->count.marks, port->count.drops,
				port->count.pauses_received);
	}
	if (sim->vt.now_ns < sim->scenario->run.length_ns)
		vtime_in(&sim->vt, sim->scenario->run.queue_ns, look_at_queues,
			 sim, NULL);
}

static void tell_rate(struct simulation *sim, struct connection *connection)
{
	const struct endpoint *data =
		connection->side[connection->cfg->kind == CROCE_KIND_READ].ep;
	u64 bytes = connection->flow.bytes - connection->sampled;

	connection->sampled = connection->flow.bytes;
	fprintf(sim->rates, "%llu,%s,%llu,%llu,%llu\n", sim->vt.now_ns / US,
		connection->name[0],
		bytes * 8000 / sim->scenario->run.rate_ns,
		core_rate(data) / CROCE_CC_MBPS,
		data->cnps_handled);
}

static void look_at_rates(void *context, void *argument)
{
	struct simulation *sim = context;
	u32 i;

	(void)argument;
	for (i = 0; i < sim->num_connections; i++)
		tell_rate(sim, &sim->connections[i]);
	if (sim->vt.now_ns < sim->scenario->run.length_ns)
		vtime_in(&sim->vt, sim->scenario->run.rate_ns, look_at_rates,
			 sim, NULL);
}

static void begin(void *context, void *argument)
{
	struct simulation *sim = context;
	u32 i;

	(void)argument;
	for (i = 0; i < sim->num_connections; i++)
		sim->connections[i].before = sim->connections[i].flow.bytes;
	for (i = 0; i < sim->scenario->num_watches; i++)
		sim->first_wire_bytes[i] =
			sim->watches[i].port->count.wire_bytes;
	sim->first = fabric_count(&sim->fabric);
}

static void end(void *context, void *argument)
{
	struct simulation *sim = context;
	u32 i;

	(void)argument;
	for (i = 0; i < sim->num_connections; i++)
		sim->connections[i].measured = sim->connections[i].flow.bytes -
					       sim->connections[i].before;
	for (i = 0; i < sim->scenario->num_watches; i++)
		sim->measured_wire_bytes[i] =
			sim->watches[i].port->count.wire_bytes -
			sim->first_wire_bytes[i];
	sim->last = fabric_count(&sim->fabric);
}

static void *csv_file(const char *folder, const char *name, const char *head)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(2);
	}
	fprintf(file, "%s\n", head);
	return file;
}

void measure_init(struct simulation *sim, const char *csv)
{
	const struct run_config *run = &sim->scenario->run;
	u32 i;

	for (i = 0; i < sim->scenario->num_watches; i++) {
		const u32 *watch = sim->scenario->watches[i];

		sim->watches[i].port = fabric_port(&sim->fabric, watch[0],
						   watch[1]);
		if (!sim->watches[i].port) {
			fprintf(stderr, "%s has no link to %s\n",
				name_of_node(sim, watch[0]),
				name_of_node(sim, watch[1]));
			exit(2);
		}
	}
	if (csv) {
		sim->queues = csv_file(csv, "queues.csv",
				       "time_us,port,bytes,marks,drops,pauses");
		sim->rates = csv_file(csv, "rates.csv",
				      "time_us,connection,mbps,limit_mbps,cnps");
		vtime_in(&sim->vt, run->rate_ns, look_at_rates, sim, NULL);
	}
	vtime_in(&sim->vt, 0, look_at_queues, sim, NULL);
	vtime_at(&sim->vt, run->from_ns, begin, sim, NULL);
	vtime_at(&sim->vt, run->length_ns, end, sim, NULL);
}

void measure_cleanup(struct simulation *sim)
{
	u32 i;

	for (i = 0; i < sim->scenario->num_watches; i++)
		free(sim->watches[i].lengths);
	if (sim->queues)
		fclose(sim->queues);
	if (sim->rates)
		fclose(sim->rates);
}
