// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "judge.h"
#include "scenario.h"

#include <core/np.h>
#include <linux/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define US 1000ULL
#define MS 1000000ULL

static const struct option_word end_options[] = {
	OPTION_WORD("mtu", UNIT_COUNT, struct end_config, mtu),
	OPTION_WORD("priority", UNIT_COUNT, struct end_config, priority),
	OPTION_WORD("run", UNIT_COUNT, struct end_config, run),
	OPTION_WORD("turn", UNIT_TIME, struct end_config, turn_ns),
	OPTION_WORD("nic", UNIT_BYTES, struct end_config, nic_bytes),
	OPTION_WORD("timeout", UNIT_TIME, struct end_config, timeout_ns),
	{ }
};

static const struct option_word flow_options[] = {
	OPTION_WORD("qps", UNIT_COUNT, struct flow_config, qps),
	OPTION_WORD("message", UNIT_BYTES, struct flow_config, message),
	OPTION_WORD("depth", UNIT_COUNT, struct flow_config, depth),
	OPTION_WORD("start", UNIT_TIME, struct flow_config, start_ns),
	OPTION_WORD("spread", UNIT_TIME, struct flow_config, spread_ns),
	OPTION_WORD("stop", UNIT_TIME, struct flow_config, stop_ns),
	OPTION_WORD("bytes", UNIT_BYTES, struct flow_config, bytes),
	{ }
};

static const struct option_word run_options[] = {
	OPTION_WORD("length", UNIT_TIME, struct run_config, length_ns),
	OPTION_WORD("from", UNIT_TIME, struct run_config, from_ns),
	OPTION_WORD("queues", UNIT_TIME, struct run_config, queue_ns),
	OPTION_WORD("rates", UNIT_TIME, struct run_config, rate_ns),
	{ }
};

static const struct {
	const char *name;
	u8 kind;
} kinds[] = {
	{ "writes", CROCE_KIND_WRITE },
	{ "sends", CROCE_KIND_SEND },
	{ "reads", CROCE_KIND_READ },
};

static u32 node_named(const struct scenario *scenario, const struct text *text,
		      const char *name)
{
	u32 node = topology_find(&scenario->topology, name);

	if (node == NOWHERE)
		text_fail(text, "there is no %s", name);
	return node;
}

static u32 host_named(const struct scenario *scenario, const struct text *text,
		      const char *name)
{
	u32 node = node_named(scenario, text, name);

	if (scenario->topology.nodes[node].is_switch)
		text_fail(text, "%s is no host", name);
	return scenario->topology.nodes[node].host;
}

static void add_flow(struct scenario *scenario, const struct flow_config *flow)
{
	scenario->flows = realloc(scenario->flows, (scenario->num_flows + 1) *
				  sizeof(*scenario->flows));
	if (!scenario->flows)
		abort();
	scenario->flows[scenario->num_flows++] = *flow;
}

/* Ranges of equal size are joined one to one, others each to each. */
static void add_flows(struct scenario *scenario, const struct text *text,
		      struct flow_config *flow)
{
	struct name_range from = name_range_of(text, text->words[2]);
	struct name_range to = name_range_of(text, text->words[3]);
	bool one_to_one = from.last - from.first == to.last - to.first;
	char name[TOPOLOGY_NAME];
	u32 a, b;

	for (a = from.first; a <= from.last; a++) {
		for (b = to.first; b <= to.last; b++) {
			if (one_to_one && a - from.first != b - to.first)
				continue;
			name_of(&from, a, name);
			flow->from = host_named(scenario, text, name);
			name_of(&to, b, name);
			flow->to = host_named(scenario, text, name);
			add_flow(scenario, flow);
		}
	}
}

static bool flow_statement(struct scenario *scenario, const struct text *text)
{
	struct flow_config flow = {
		.qps = 1,
		.message = 1 << 16,
		.depth = 16,
		.stop_ns = U64_MAX,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!text_is(text, kinds[i].name, 4))
			continue;
		if (strlen(text->words[1]) >= sizeof(flow.group))
			text_fail(text, "too long a name");
		flow.kind = kinds[i].kind;
		strcpy(flow.group, text->words[1]);
		text_options(text, 4, flow_options, &flow);
		if (!flow.message || !flow.depth || flow.depth > 1024)
			text_fail(text, "nothing to send, or too much");
		add_flows(scenario, text, &flow);
		return true;
	}
	return false;
}

/* Documentation/congestion.rst; R_HAI is that of the paper's simulator. */
static const struct {
	const char *name;
	u32 value;
} paper[] = {
	{ "rp_alpha_on_cnp", 1 }, { "rp_count_first", 1 },
	{ "rp_hai_ramp", 1 }, { "rp_clamp_tgt_rate", 1 },
	{ "rp_rate_reduce_monitor_period", 0 },
	{ "rp_initial_alpha_value", 1024 }, { "rp_dce_tcp_g", 1020 },
	{ "rp_dce_tcp_rtt", 55 }, { "rp_time_reset", 55 },
	{ "rp_byte_reset", 10000000 }, { "rp_threshold", 5 },
	{ "rp_ai_rate", 40 }, { "rp_hai_rate", 200 },
	{ "np_min_time_between_cnps", 50 }, { "pace_quantum", 256 },
};

static void set_knob(struct scenario *scenario, const struct text *text,
		     const char *name, u64 value)
{
	u32 i;

	for (i = 0; i < croce_cc_num_knobs; i++) {
		if (strcmp(croce_cc_knobs[i].name, name))
			continue;
		if (croce_cc_knob_set(&scenario->params, i, value))
			text_fail(text, "%s is out of range", name);
		if (scenario->params.np_cnp_scope != CROCE_NP_PER_QP)
			text_fail(text, "other scopes are not modelled");
		return;
	}
	text_fail(text, "there is no knob %s", name);
}

static void set_profile(struct scenario *scenario, const struct text *text)
{
	u32 i;

	croce_cc_params_init(&scenario->params);
	if (!strcmp(text->words[1], "initial"))
		return;
	if (strcmp(text->words[1], "paper"))
		text_fail(text, "profiles are initial and paper");
	for (i = 0; i < ARRAY_SIZE(paper); i++)
		set_knob(scenario, text, paper[i].name, paper[i].value);
}

static void set_algorithm(struct scenario *scenario, const struct text *text)
{
	u32 i;

	for (i = 0; i < croce_cc_num_algorithms; i++) {
		scenario->cc = croce_cc_algorithms[i];
		if (!strcmp(scenario->cc->name, text->words[1]))
			return;
	}
	text_fail(text, "there is no algorithm %s", text->words[1]);
}

static void set_ends(struct scenario *scenario, const struct text *text)
{
	struct end_config *ends = &scenario->ends;

	text_options(text, 1, end_options, ends);
	if (ends->mtu < 256 || ends->mtu > 4096 ||
	    (ends->mtu & (ends->mtu - 1)))
		text_fail(text, "%u is no path MTU", ends->mtu);
	if (ends->priority >= FRAME_PRIORITIES || !ends->run)
		text_fail(text, "no such priority, or runs of nothing");
}

static void watch(struct scenario *scenario, const struct text *text)
{
	u32 *port = scenario->watches[scenario->num_watches];

	if (scenario->num_watches++ == MAX_WATCHES)
		text_fail(text, "too much to watch");
	port[0] = node_named(scenario, text, text->words[1]);
	port[1] = node_named(scenario, text, text->words[2]);
}

static void describe(char *name, size_t room, const struct text *text,
		     u32 first)
{
	u32 i;

	name[0] = 0;
	for (i = first; i < text->num_words; i++) {
		if (i > first)
			strncat(name, " ", room - strlen(name) - 1);
		strncat(name, text->words[i], room - strlen(name) - 1);
	}
}

/* expect METRIC [GROUP | FROM TO] >=|<=|== VALUE, or tell METRIC ... */
static void expect(struct scenario *scenario, const struct text *text)
{
	struct expectation *new =
		&scenario->expectations[scenario->num_expectations];
	bool compares = !strcmp(text->words[0], "expect");
	u32 at = 2;

	if (scenario->num_expectations++ == MAX_EXPECTATIONS)
		text_fail(text, "too many expectations");
	new->metric = metric_named(text->words[1]);
	if (!new->metric)
		text_fail(text, "there is no %s", text->words[1]);
	at += new->metric->about;
	if (text->num_words != at + 2 * compares)
		text_fail(text, "%s needs %u words", text->words[1],
			  at + 2 * compares);
	if (new->metric->about == ABOUT_GROUP)
		snprintf(new->group, sizeof(new->group), "%s", text->words[2]);
	if (new->metric->about == ABOUT_PORT) {
		new->port[0] = node_named(scenario, text, text->words[2]);
		new->port[1] = node_named(scenario, text, text->words[3]);
	}
	describe(new->text, sizeof(new->text), text, 1);
	if (!compares)
		return;
	new->relation = text->words[at][0];
	if (!strchr("<>=", new->relation) || strcmp(text->words[at] + 1, "="))
		text_fail(text, "relations are >=, <= and ==");
	new->value = text_value(text, text->words[at + 1], new->metric->unit);
}

static void statement(struct scenario *scenario, const struct text *text)
{
	if (topology_statement(&scenario->topology, text) ||
	    flow_statement(scenario, text))
		return;
	if (text_is(text, "name", 2))
		describe(scenario->name, sizeof(scenario->name), text, 1);
	else if (text_is(text, "algorithm", 2))
		set_algorithm(scenario, text);
	else if (text_is(text, "knobs", 2))
		set_profile(scenario, text);
	else if (text_is(text, "knob", 3))
		set_knob(scenario, text, text->words[1],
			 text_value(text, text->words[2], UNIT_COUNT));
	else if (text_is(text, "ends", 2))
		set_ends(scenario, text);
	else if (text_is(text, "run", 2))
		text_options(text, 1, run_options, &scenario->run);
	else if (text_is(text, "watch", 3))
		watch(scenario, text);
	else if (text_is(text, "expect", 2) || text_is(text, "tell", 2))
		expect(scenario, text);
	else
		text_fail(text, "'%s' is not known", text->words[0]);
}

void scenario_read(struct scenario *scenario, struct text *text,
		   const char *path)
{
	*scenario = (struct scenario){
		.cc = croce_cc_algorithms[0],
		.ends = {
			.mtu = 1024,
			.priority = 3,
			.run = 32,
			.turn_ns = US,
			.nic_bytes = 4000000,
			.timeout_ns = 4096ULL << 14,
		},
		.run = {
			.length_ns = 20 * MS,
			.queue_ns = 5 * US,
			.rate_ns = 100 * US,
		},
	};
	croce_cc_params_init(&scenario->params);
	topology_init(&scenario->topology);
	text_open(text, path);
	while (text_next(text))
		statement(scenario, text);
	if (!scenario->num_flows || !scenario->name[0] ||
	    !scenario->run.queue_ns || !scenario->run.rate_ns)
		text_fail(text, "%s: no name, no flows, or no time", path);
}

void scenario_cleanup(struct scenario *scenario)
{
	topology_cleanup(&scenario->topology);
	free(scenario->flows);
}
