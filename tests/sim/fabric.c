// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Runs a scenario: two ends, two directions, until nothing is left to do. */
#include "scenario.h"

#include <stdio.h>
#include <string.h>

/* Virtual time after which a run that is not over counts as stuck. */
#define STUCK_NS	3600000000000ULL

struct fabric;

/**
 * struct side - one end, and what it is given from outside
 * @ep: the end
 * @flow: what it asks of the other
 * @link: where it sends
 * @wanted: receive WQEs it will need
 * @supplied: receive WQEs it got
 */
struct side {
	struct fabric *fabric;
	struct endpoint *ep;
	struct flow flow;
	struct link link;
	u32 wanted;
	u32 supplied;
};

struct fabric {
	const struct scenario *scenario;
	struct vtime vt;
	struct rng rng;
	struct side side[2];
};

static u32 receives_wanted(const struct flow *flow)
{
	u32 i, n = 0;

	for (i = 0; i < flow->count; i++)
		n += flow->messages[i].kind == CROCE_KIND_SEND ||
		     (flow->messages[i].flags & CROCE_WQE_IMM);
	return n;
}

/* Post some more messages, and later the rest. */
static void post(void *context, void *argument)
{
	struct side *side = context;
	struct fabric *fabric = side->fabric;
	struct flow *flow = &side->flow;

	(void)argument;
	flow->posted += rng_scale(&fabric->rng, 1, 64);
	if (flow->posted >= flow->count)
		flow->posted = flow->count;
	else
		vtime_in(&fabric->vt,
			 rng_in(&fabric->rng, 0, fabric->scenario->post_ns),
			 post, side, NULL);
	side->ep->ops->kick(side->ep);
}

/* A receive WQE or a few, too late perhaps. */
static void supply(void *context, void *argument)
{
	struct side *side = context;
	struct fabric *fabric = side->fabric;
	u64 starve_ns = fabric->scenario->starve_ns;
	u32 n = starve_ns ? rng_scale(&fabric->rng, 0, 4) : side->wanted;

	(void)argument;
	n = min(n, side->wanted - side->supplied);
	side->supplied += n;
	side->ep->receives += n;
	if (side->supplied < side->wanted)
		vtime_in(&fabric->vt, rng_in(&fabric->rng, 1, starve_ns),
			 supply, side, NULL);
}

static void cut(void *context, void *argument)
{
	struct fabric *fabric = context;

	(void)argument;
	fabric->side[0].link.wire.is_cut = true;
	fabric->side[1].link.wire.is_cut = rng_chance(&fabric->rng, PPM / 2);
}

static void set_up_flow(struct fabric *fabric, u32 i)
{
	static const char * const names[] = { "east to west", "west to east" };
	const struct scenario *scenario = fabric->scenario;
	struct side *side = &fabric->side[i];

	side->fabric = fabric;
	link_init(&side->link, &scenario->link[i], &fabric->vt,
		  scenario->seed * 4 + 2 + i);
	flow_init(&side->flow, names[i], scenario->ops[i] + 1,
		  scenario->reliable);
	scenario_fill(scenario, &side->flow, i);
}

static void set_up_end(struct fabric *fabric, u32 i)
{
	static const char * const names[] = { "east", "west" };
	const struct scenario *scenario = fabric->scenario;
	struct side *side = &fabric->side[i];
	struct side *other = &fabric->side[!i];
	struct endpoint common = {
		.name = names[i],
		.cfg = scenario->end[i],
		.vt = &fabric->vt,
		.out = { link_has_room, link_send, &side->link },
		.tx = &side->flow,
		.rx = &other->flow,
		.rng.state = scenario->seed * 4 + i,
	};

	side->wanted = receives_wanted(&other->flow);
	side->ep = i && scenario->stock ? stock_create(&common) :
					  core_create(&common);
	other->link.wire.deliver = side->ep->ops->receive;
	other->link.wire.to = side->ep;
}

static void set_up(struct fabric *fabric)
{
	const struct scenario *scenario = fabric->scenario;
	u32 i;

	fabric->rng.state = rng_mix(scenario->seed * 3);
	for (i = 0; i < 2; i++)
		set_up_flow(fabric, i);
	for (i = 0; i < 2; i++)
		set_up_end(fabric, i);
	for (i = 0; i < 2; i++) {
		supply(&fabric->side[i], NULL);
		if (fabric->side[i].flow.count)
			vtime_in(&fabric->vt, 0, post, &fabric->side[i], NULL);
	}
	if (scenario->trouble == TROUBLE_CUT)
		vtime_at(&fabric->vt, scenario->cut_ns, cut, fabric, NULL);
}

static u64 packets_needed(const struct fabric *fabric)
{
	u64 packets = 0;
	u32 i, k;

	for (i = 0; i < 2; i++) {
		const struct flow *flow = &fabric->side[i].flow;

		for (k = 0; k < flow->count; k++)
			packets += 2 + flow->messages[k].length /
				   fabric->scenario->mtu;
	}
	return packets;
}

static void run(struct fabric *fabric)
{
	u64 most = 2000000 + 1000 * packets_needed(fabric);

	while (vtime_step(&fabric->vt))
		if (fabric->vt.now_ns > STUCK_NS || fabric->vt.fired > most)
			oracle_fail("no end after %.3f s: %u and %u messages done",
				    fabric->vt.now_ns / 1e9,
				    fabric->side[0].flow.done,
				    fabric->side[1].flow.done);
}

/* What is sent again when a drain or a failure cut in only asks for an ACK. The
 * peer of an end that failed waits in vain.
 */
static void check_perfect(const struct fabric *fabric, u32 i)
{
	const struct scenario *scenario = fabric->scenario;
	const struct endpoint *ep = fabric->side[i].ep;
	bool trouble = scenario->trouble != TROUBLE_NONE;
	bool drain = scenario->end[0].drain || scenario->end[1].drain;

	if (ep->timeouts && !(trouble && i))
		oracle_fail("%s: timeout on a perfect link", ep->name);
	if ((ep->retransmits || ep->rnrs) && !trouble && !drain)
		oracle_fail("%s: retransmission on a perfect link", ep->name);
}

static void check_end(const struct fabric *fabric)
{
	u32 i;

	for (i = 0; i < 2; i++)
		flow_check_end(&fabric->side[i].flow);
	for (i = 0; i < 2; i++) {
		struct endpoint *ep = fabric->side[i].ep;

		ep->ops->check_idle(ep);
		if (fabric->scenario->clean)
			check_perfect(fabric, i);
	}
}

static void describe(const struct fabric *fabric)
{
	const struct scenario *scenario = fabric->scenario;
	u64 frames = fabric->side[0].link.wire.frames + fabric->side[1].link.wire.frames;

	printf("seed %llu:%s%s%s trouble %d, mtu %u, %u and %u messages up to %u: ",
	       (unsigned long long)scenario->seed,
	       scenario->clean ? " clean" : "",
	       scenario->stock ? " stock" : "",
	       scenario->reliable ? "" : " UC", scenario->trouble,
	       scenario->mtu, scenario->ops[0], scenario->ops[1],
	       scenario->length_max);
	printf("%.3f ms, %llu frames for %llu\n", fabric->vt.now_ns / 1e6,
	       (unsigned long long)frames,
	       (unsigned long long)packets_needed(fabric));
}

void scenario_run(const struct scenario *scenario, bool verbose)
{
	struct fabric fabric = { .scenario = scenario };
	u32 i;

	set_up(&fabric);
	run(&fabric);
	check_end(&fabric);
	if (verbose)
		describe(&fabric);
	for (i = 0; i < 2; i++) {
		fabric.side[i].ep->ops->destroy(fabric.side[i].ep);
		flow_cleanup(&fabric.side[i].flow);
	}
	vtime_cleanup(&fabric.vt);
}
