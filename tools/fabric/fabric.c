// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "fabric.h"

#include <linux/kernel.h>
#include <stdlib.h>

static const struct topology_node *node_of(const struct fabric *fabric,
					   const struct port *port)
{
	return &fabric->topology->nodes[port->node];
}

/**
 * struct end - where a wire ends
 * @fabric: all
 * @port: that it ends at
 *
 * Ports know nothing of the fabric, so the wire's context is such a pair.
 */
struct end {
	struct fabric *fabric;
	struct port *port;
};

static void arrive(void *context, void *argument)
{
	struct end *end = context;
	struct fabric *fabric = end->fabric;
	struct port *port = end->port;
	const struct topology_node *node = node_of(fabric, port);
	struct frame *frame = argument;
	struct pfc pfc;

	if (!node->is_switch &&
	    (!frame->is_control || fabric->ops.real_hosts)) {
		fabric->ops.deliver(fabric->ops.context, node->host, frame);
	} else if (frame->is_control) {
		if (pfc_parse(frame, &pfc))
			port_on_pfc(port, &pfc);
		frame_free(frame);
	} else {
		switch_receive(&fabric->nodes[port->node].sw, port->number,
			       frame);
	}
}

static void *array_of(u32 count, size_t size)
{
	void *array = calloc(count ? count : 1, size);

	if (!array)
		abort();
	return array;
}

static void join(struct fabric *fabric, struct port *a, struct port *b)
{
	struct end *end = array_of(1, sizeof(*end));

	*end = (struct end){ fabric, b };
	a->peer = b;
	a->wire.deliver = arrive;
	a->wire.to = end;
}

static struct port *next_port(struct fabric *fabric, u32 node,
			      const struct topology_link *link, u64 seed)
{
	struct fabric_node *at = &fabric->nodes[node];
	struct port *port = &at->ports[at->num_ports];

	port_init(port, &link->cfg, fabric->vt, seed);
	port->overhead = fabric->ops.overhead;
	port->node = node;
	port->number = at->num_ports++;
	return port;
}

static void lay_cables(struct fabric *fabric, u64 seed)
{
	const struct topology *topology = fabric->topology;
	u32 i;

	for (i = 0; i < topology->num_links; i++)
		fabric->nodes[topology->links[i].node[0]].num_ports++,
		fabric->nodes[topology->links[i].node[1]].num_ports++;
	for (i = 0; i < topology->num_nodes; i++) {
		struct fabric_node *node = &fabric->nodes[i];

		node->ports = array_of(node->num_ports, sizeof(*node->ports));
		node->num_ports = 0;
	}
	for (i = 0; i < topology->num_links; i++) {
		const struct topology_link *link = &topology->links[i];
		struct port *a, *b;

		a = next_port(fabric, link->node[0], link,
			      rng_mix(seed + 2 * i));
		b = next_port(fabric, link->node[1], link,
			      rng_mix(seed + 2 * i + 1));
		join(fabric, a, b);
		join(fabric, b, a);
	}
}

/* Hops from each node to one host; hosts forward nothing. */
static void measure(const struct fabric *fabric, u32 to, u32 *hops,
		    u32 *order)
{
	u32 head, tail = 0, i;

	for (i = 0; i < fabric->topology->num_nodes; i++)
		hops[i] = NOWHERE;
	hops[to] = 0;
	order[tail++] = to;
	for (head = 0; head < tail; head++) {
		const struct fabric_node *node = &fabric->nodes[order[head]];

		if (order[head] != to &&
		    !fabric->topology->nodes[order[head]].is_switch)
			continue;
		for (i = 0; i < node->num_ports; i++) {
			u32 next = node->ports[i].peer->node;

			if (hops[next] != NOWHERE)
				continue;
			hops[next] = hops[order[head]] + 1;
			order[tail++] = next;
		}
	}
}

static void choose(struct fabric_node *node, struct choice *choice,
		   const u32 *hops, u32 own)
{
	u32 i;

	choice->ports = array_of(node->num_ports, sizeof(*choice->ports));
	for (i = 0; i < node->num_ports; i++)
		if (own != NOWHERE && hops[node->ports[i].peer->node] + 1 == own)
			choice->ports[choice->count++] = i;
}

static void find_ways(struct fabric *fabric)
{
	const struct topology *topology = fabric->topology;
	u32 *hops = array_of(topology->num_nodes, sizeof(*hops));
	u32 *order = array_of(topology->num_nodes, sizeof(*order));
	u32 host, i;

	for (host = 0; host < topology->num_hosts; host++) {
		measure(fabric, topology->hosts[host], hops, order);
		for (i = 0; i < topology->num_nodes; i++) {
			struct fabric_node *node = &fabric->nodes[i];

			if (topology->nodes[i].is_switch)
				choose(node, &node->sw.choices[host], hops,
				       hops[i]);
		}
	}
	free(hops);
	free(order);
}

static bool make_switch(struct fabric *fabric, u32 number, u64 seed)
{
	struct fabric_node *node = &fabric->nodes[number];
	struct switch_node *sw = &node->sw;

	sw->ports = node->ports;
	sw->num_ports = node->num_ports;
	sw->ingress = array_of(node->num_ports, sizeof(*sw->ingress));
	sw->choices = array_of(fabric->topology->num_hosts,
			       sizeof(*sw->choices));
	return switch_init(sw, &fabric->topology->sw, fabric->vt, seed);
}

/**
 * fabric_init - build it
 * @fabric: which
 * @topology: what it is like; stays for as long as the fabric
 * @ops: the outside, copied
 * @vt: time
 * @seed: of everything that is left to chance
 *
 * Return: NULL, or what is wrong with the topology; then there is a fabric
 * that can only be cleaned up.
 */
const char *fabric_init(struct fabric *fabric, const struct topology *topology,
			const struct fabric_ops *ops, struct vtime *vt,
			u64 seed)
{
	const char *wrong = NULL;
	u32 i;

	*fabric = (struct fabric){ .vt = vt, .topology = topology,
				   .ops = *ops };
	fabric->nodes = array_of(topology->num_nodes, sizeof(*fabric->nodes));
	lay_cables(fabric, rng_mix(seed));
	for (i = 0; i < topology->num_nodes; i++) {
		if (!topology->nodes[i].is_switch &&
		    fabric->nodes[i].num_ports != 1)
			wrong = "a host has not just one link";
		if (topology->nodes[i].is_switch &&
		    !make_switch(fabric, i, rng_mix(seed ^ i)))
			wrong = "the headroom takes all of the buffer";
	}
	if (!wrong)
		find_ways(fabric);
	return wrong;
}

/**
 * fabric_cleanup - take it down
 * @fabric: which; no event of its time fires any more
 */
void fabric_cleanup(struct fabric *fabric)
{
	u32 i, k;

	vtime_forget(fabric->vt, arrive, frame_free);
	for (i = 0; i < fabric->topology->num_nodes; i++) {
		struct fabric_node *node = &fabric->nodes[i];

		for (k = 0; k < node->num_ports; k++) {
			free(node->ports[k].wire.to);
			port_cleanup(&node->ports[k]);
		}
		for (k = 0; node->sw.choices &&
		     k < fabric->topology->num_hosts; k++)
			free(node->sw.choices[k].ports);
		free(node->sw.choices);
		free(node->sw.ingress);
		free(node->ports);
	}
	free(fabric->nodes);
}

/**
 * fabric_send - a host sends a frame
 * @fabric: by which
 * @host: that sends
 * @frame: with source, destination, entropy, priority and ECN set; the
 *	fabric's from now on
 */
void fabric_send(struct fabric *fabric, u32 host, struct frame *frame)
{
	struct port *port = fabric->nodes[fabric->topology->hosts[host]].ports;
	struct end at_switch = { fabric, port->peer };

	if (fabric->ops.real_hosts)
		arrive(&at_switch, frame);
	else
		port_send(port, frame);
}

/**
 * fabric_host_queue - what a host has not sent yet
 * @fabric: where
 * @host: number of the host
 *
 * Return: bytes.
 */
u64 fabric_host_queue(const struct fabric *fabric, u32 host)
{
	return port_queued(fabric->nodes[fabric->topology->hosts[host]].ports);
}

/**
 * fabric_port - the port of one node towards another
 * @fabric: where
 * @from: number of the node that has it
 * @to: number of the other node
 *
 * Return: the first such port, or NULL.
 */
struct port *fabric_port(const struct fabric *fabric, u32 from, u32 to)
{
	const struct fabric_node *node = &fabric->nodes[from];
	u32 i;

	for (i = 0; i < node->num_ports; i++)
		if (node->ports[i].peer->node == to)
			return &node->ports[i];
	return NULL;
}

/**
 * fabric_count - what happened so far
 * @fabric: where
 *
 * Return: sums over all switches and links.
 */
struct fabric_count fabric_count(const struct fabric *fabric)
{
	struct fabric_count count = {};
	u32 i, k;

	for (i = 0; i < fabric->topology->num_nodes; i++) {
		const struct fabric_node *node = &fabric->nodes[i];

		count.drops += node->sw.unrouted;
		for (k = 0; k < node->num_ports; k++) {
			const struct port *port = &node->ports[k];

			count.marks += port->count.marks;
			count.drops += port->count.drops;
			count.lost += port->count.lost + port->wire.lost;
			count.pauses += port->count.pauses_sent;
		}
	}
	return count;
}
