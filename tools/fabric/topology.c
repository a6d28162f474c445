// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "topology.h"

#include <linux/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_word link_options[] = {
	OPTION_WORD("rate", UNIT_RATE, struct port_config, rate_bps),
	OPTION_WORD("delay", UNIT_TIME, struct port_config, wire.delay_ns),
	OPTION_WORD("jitter", UNIT_TIME, struct port_config, wire.jitter_ns),
	OPTION_WORD("loss", UNIT_PPM, struct port_config, wire.loss),
	OPTION_WORD("dup", UNIT_PPM, struct port_config, wire.dup),
	OPTION_WORD("reorder", UNIT_PPM, struct port_config, wire.reorder),
	OPTION_WORD("corrupt", UNIT_PPM, struct port_config, wire.corrupt),
	OPTION_WORD("late", UNIT_TIME, struct port_config, wire.reorder_ns),
	OPTION_WORD("ghost", UNIT_TIME, struct port_config, wire.ghost_ns),
	OPTION_WORD("flap", UNIT_TIME, struct port_config, flap_ns),
	OPTION_WORD("down", UNIT_TIME, struct port_config, down_ns),
	{ }
};

static const struct option_word buffer_options[] = {
	OPTION_WORD("size", UNIT_BYTES, struct switch_config, buffer),
	OPTION_WORD("alpha", UNIT_MILLE, struct switch_config, alpha_mille),
	{ }
};

static const struct option_word ecn_options[] = {
	OPTION_WORD("kmin", UNIT_BYTES, struct switch_config, kmin),
	OPTION_WORD("kmax", UNIT_BYTES, struct switch_config, kmax),
	OPTION_WORD("pmax", UNIT_PPM, struct switch_config, pmax),
	OPTION_WORD("priorities", UNIT_SET, struct switch_config, ecn),
	{ }
};

static const struct option_word pfc_options[] = {
	OPTION_WORD("priorities", UNIT_SET, struct switch_config, pfc),
	OPTION_WORD("alpha", UNIT_MILLE, struct switch_config,
		    pfc_alpha_mille),
	OPTION_WORD("xoff", UNIT_BYTES, struct switch_config, xoff),
	OPTION_WORD("xon", UNIT_BYTES, struct switch_config, xon),
	OPTION_WORD("headroom", UNIT_BYTES, struct switch_config, headroom),
	{ }
};

/* The 12 MB of the DCQCN paper's switches; marks and PFC are to be asked for. */
static const struct switch_config plain_switch = {
	.buffer = 12000000,
	.alpha_mille = 1000,
	.kmin = 5000,
	.kmax = 200000,
	.pmax = 10000,
	.pfc_alpha_mille = 1000,
	.xon = 2200,
	.headroom = 22400,
};

static const struct port_config plain_link = {
	.rate_bps = 40000000000ULL,
	.wire = { .delay_ns = 1000, .reorder_ns = 20000, .ghost_ns = 1000000 },
};

/**
 * topology_init - nothing
 * @topology: which
 */
void topology_init(struct topology *topology)
{
	memset(topology, 0, sizeof(*topology));
	topology->sw = plain_switch;
	topology->defaults = plain_link;
}

/**
 * topology_find - a node by its name
 * @topology: where
 * @name: of the node
 *
 * Return: its number, or NOWHERE.
 */
u32 topology_find(const struct topology *topology, const char *name)
{
	u32 i;

	for (i = 0; i < topology->num_nodes; i++)
		if (!strcmp(topology->nodes[i].name, name))
			return i;
	return NOWHERE;
}

/* Room for one more; grows at powers of two. */
static void *room_for_one(void *array, u32 count, size_t size)
{
	if (count & (count - 1))
		return array;
	array = realloc(array, (count ? 2 * count : 1) * size);
	if (!array)
		abort();
	return array;
}

static void add_node(struct topology *topology, const struct text *text,
		     const char *name, bool is_switch)
{
	u32 number = topology->num_nodes;
	struct topology_node *node;

	if (topology_find(topology, name) != NOWHERE)
		text_fail(text, "there is a %s already", name);
	topology->nodes = room_for_one(topology->nodes, number, sizeof(*node));
	node = &topology->nodes[topology->num_nodes++];
	*node = (struct topology_node){ .is_switch = is_switch };
	strcpy(node->name, name);
	if (is_switch)
		return;
	topology->hosts = room_for_one(topology->hosts, topology->num_hosts,
				       sizeof(*topology->hosts));
	node->host = topology->num_hosts;
	topology->hosts[topology->num_hosts++] = number;
}

/**
 * name_range_of - read NAME or NAME[FIRST-LAST]
 * @text: where it is
 * @word: the word
 *
 * Return: the range.
 */
struct name_range name_range_of(const struct text *text, const char *word)
{
	struct name_range range = {};
	size_t len = strcspn(word, "[");
	int end = 0;

	if (!len || len > TOPOLOGY_NAME - 6)
		text_fail(text, "'%s' is no name", word);
	memcpy(range.stem, word, len);
	if (!word[len])
		return range;
	range.is_numbered = true;
	if (sscanf(word + len, "[%u-%u]%n", &range.first, &range.last, &end) != 2 ||
	    !end || word[len + end] || range.last < range.first ||
	    range.last > 9999)
		text_fail(text, "'%s' is no range of names", word);
	return range;
}

/**
 * name_of - a name out of a range
 * @range: which
 * @number: from @range->first to @range->last
 * @name: to be written to, TOPOLOGY_NAME bytes
 */
void name_of(const struct name_range *range, u32 number, char *name)
{
	if (range->is_numbered)
		snprintf(name, TOPOLOGY_NAME, "%.10s%u", range->stem,
			 number % 10000);
	else
		strcpy(name, range->stem);
}

static void add_nodes(struct topology *topology, const struct text *text)
{
	bool is_switch = !strcmp(text->words[0], "switch");
	char name[TOPOLOGY_NAME];
	u32 i, number;

	for (i = 1; i < text->num_words; i++) {
		struct name_range range = name_range_of(text, text->words[i]);

		for (number = range.first; number <= range.last; number++) {
			name_of(&range, number, name);
			add_node(topology, text, name, is_switch);
		}
	}
}

static void add_link(struct topology *topology, const struct text *text,
		     const char *a, const char *b,
		     const struct port_config *cfg)
{
	struct topology_link *link;

	topology->links = room_for_one(topology->links, topology->num_links,
				       sizeof(*link));
	link = &topology->links[topology->num_links++];
	link->node[0] = topology_find(topology, a);
	link->node[1] = topology_find(topology, b);
	link->cfg = *cfg;
	if (link->node[0] == NOWHERE || link->node[1] == NOWHERE)
		text_fail(text, "there is no %s",
			  link->node[0] == NOWHERE ? a : b);
}

/* Each of the first range to each of the second. */
static void add_links(struct topology *topology, const struct text *text)
{
	struct name_range range[2];
	struct port_config cfg = topology->defaults;
	char name[2][TOPOLOGY_NAME];
	u32 a, b;

	text_options(text, 3, link_options, &cfg);
	if (!cfg.rate_bps || cfg.down_ns > cfg.flap_ns)
		text_fail(text, "no rate, or longer down than up");
	range[0] = name_range_of(text, text->words[1]);
	range[1] = name_range_of(text, text->words[2]);
	for (a = range[0].first; a <= range[0].last; a++) {
		for (b = range[1].first; b <= range[1].last; b++) {
			name_of(&range[0], a, name[0]);
			name_of(&range[1], b, name[1]);
			add_link(topology, text, name[0], name[1], &cfg);
		}
	}
}

static void set_paths(struct topology *topology, const struct text *text)
{
	if (!strcmp(text->words[1], "spray"))
		topology->sw.spray = true;
	else if (!strcmp(text->words[1], "ecmp"))
		topology->sw.spray = false;
	else
		text_fail(text, "paths are ecmp or spray");
}

/**
 * topology_statement - take a statement, if it is one about the fabric
 * @topology: fabric
 * @text: statement
 *
 * Return: true if it was.
 */
bool topology_statement(struct topology *topology, const struct text *text)
{
	struct switch_config *sw = &topology->sw;

	if (text_is(text, "host", 2) || text_is(text, "switch", 2))
		add_nodes(topology, text);
	else if (text_is(text, "link", 3))
		add_links(topology, text);
	else if (text_is(text, "links", 2))
		text_options(text, 1, link_options, &topology->defaults);
	else if (text_is(text, "buffer", 2))
		text_options(text, 1, buffer_options, sw);
	else if (text_is(text, "ecn", 2))
		text_options(text, 1, ecn_options, sw);
	else if (text_is(text, "pfc", 2))
		text_options(text, 1, pfc_options, sw);
	else if (text_is(text, "paths", 2))
		set_paths(topology, text);
	else
		return false;
	if (sw->kmax < sw->kmin)
		text_fail(text, "kmax is below kmin");
	return true;
}

/**
 * topology_cleanup - forget it
 * @topology: which
 */
void topology_cleanup(struct topology *topology)
{
	free(topology->nodes);
	free(topology->hosts);
	free(topology->links);
}
