/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a fabric is like, as a description says (see README.md).
 */
#ifndef FABRIC_TOPOLOGY_H
#define FABRIC_TOPOLOGY_H

#include "switch.h"
#include "text.h"

#define TOPOLOGY_NAME	16
#define NOWHERE		0xffffffffU

/**
 * struct topology_node - a host or a switch
 * @name: its name
 * @is_switch: which of the two
 * @host: number of the host
 */
struct topology_node {
	char name[TOPOLOGY_NAME];
	bool is_switch;
	u32 host;
};

/**
 * struct topology_link - a cable
 * @node: its ends
 * @cfg: how it is
 */
struct topology_link {
	u32 node[2];
	struct port_config cfg;
};

/**
 * struct topology - a fabric
 * @nodes: hosts and switches, in the order of the description
 * @num_nodes: how many
 * @hosts: node of each host
 * @num_hosts: how many
 * @links: cables
 * @num_links: how many
 * @defaults: of links that follow
 * @sw: switches
 */
struct topology {
	struct topology_node *nodes;
	u32 num_nodes;
	u32 *hosts;
	u32 num_hosts;
	struct topology_link *links;
	u32 num_links;
	struct port_config defaults;
	struct switch_config sw;
};

/**
 * struct name_range - names: NAME, or NAME[FIRST-LAST]
 * @stem: what all have
 * @first: number of the first
 * @last: number of the last
 * @is_numbered: there are numbers
 */
struct name_range {
	char stem[TOPOLOGY_NAME];
	u32 first;
	u32 last;
	bool is_numbered;
};

void topology_init(struct topology *topology);
bool topology_statement(struct topology *topology, const struct text *text);
u32 topology_find(const struct topology *topology, const char *name);
void topology_cleanup(struct topology *topology);

struct name_range name_range_of(const struct text *text, const char *word);
void name_of(const struct name_range *range, u32 number, char *name);

#endif /* FABRIC_TOPOLOGY_H */
