// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "scenario.h"

#include <linux/kernel.h>
#include <string.h>

#define US 1000ULL
#define MS 1000000ULL

static const u32 psns[] = { 0, 1, 0x7ffff8, 0x800000, 0xffff00, 0xfffffe,
			    0xffffff };

static u32 some_psn(struct rng *rng)
{
	return rng_chance(rng, PPM / 2) ? rng_pick(rng, psns) :
					  rng_in(rng, 0, 0xffffff);
}

static void make_link(struct scenario *scenario, struct rng *rng,
		      struct link_config *link, const struct options *options)
{
	/* Not so much that seven retries would not do. */
	static const u32 losses[] = { 0, 0, 1000, 10000, 30000, 50000 };
	static const u32 oddities[] = { 0, 0, 1000, 10000, 100000, 300000 };

	if (!scenario->clean) {
		link->wire.loss = rng_pick(rng, losses);
		link->wire.dup = rng_pick(rng, oddities);
		link->wire.reorder = rng_pick(rng, oddities);
		link->wire.corrupt = rng_pick(rng, losses) / 4;
	}
	if (options->loss >= 0)
		link->wire.loss = options->loss;
	if (options->dup >= 0)
		link->wire.dup = options->dup;
	if (options->reorder >= 0)
		link->wire.reorder = options->reorder;
	if (options->corrupt >= 0)
		link->wire.corrupt = options->corrupt;
	if (!scenario->reliable) {
		link->wire.dup = 0;
		link->wire.reorder = 0;
	}
	link->rate_mbps = rng_scale(rng, scenario->clean ? 25000 : 4000,
				    400000);
	link->wire.delay_ns = rng_scale(rng, 0, scenario->clean ? 50 * US : 2 * MS);
	link->wire.jitter_ns = rng_scale(rng, 0, scenario->clean ? 10 * US : MS);
	link->wire.reorder_ns = rng_scale(rng, 1, 2 * MS);
	link->wire.ghost_ns = rng_scale(rng, 1, 2000 * MS);
	link->queue_frames = scenario->clean ? 1 << 20 :
					       rng_scale(rng, 4, 4096);
}

/* The timer of the spec, so that it does not give up on a link that works. */
static u64 some_timeout(const struct scenario *scenario, struct rng *rng)
{
	const struct link_config *link = scenario->link;
	u64 round_trip = link[0].wire.delay_ns + link[0].wire.jitter_ns +
			 link[0].wire.reorder_ns + link[1].wire.delay_ns +
			 link[1].wire.jitter_ns + link[1].wire.reorder_ns;
	u64 timeout = 4096ULL << rng_in(rng, 8, 17);

	if (scenario->clean && rng_chance(rng, PPM / 8))
		return 0;
	while (timeout < 4 * round_trip + 4 * MS)
		timeout *= 2;
	return timeout;
}

/* Each knob is at its initial value, or anywhere in its range. */
static void make_knobs(struct rng *rng, struct croce_cc_params *params)
{
	u32 i;

	croce_cc_params_init(params);
	for (i = 0; i < croce_cc_num_knobs; i++) {
		const struct croce_cc_knob *knob = &croce_cc_knobs[i];

		if (rng_chance(rng, PPM / 4))
			croce_cc_knob_set(params, i,
					  rng_scale(rng, knob->min, knob->max));
	}
}

/* Marks come from nowhere: they only have to do no harm. */
static void make_congestion(struct scenario *scenario, struct rng *rng)
{
	static const u32 marks[] = { 0, 1000, 30000, 300000, PPM };
	u32 i;

	if (scenario->clean || !rng_chance(rng, PPM / 3))
		return;
	for (i = 0; i < 2; i++) {
		scenario->link[i].wire.mark = rng_pick(rng, marks);
		make_knobs(rng, &scenario->params[i]);
		scenario->end[i].cc = croce_cc_algorithms[
			rng_in(rng, 0, croce_cc_num_algorithms - 1)];
		scenario->end[i].cc_params = &scenario->params[i];
		scenario->end[i].line_rate = scenario->link[i].rate_mbps *
					     CROCE_CC_MBPS;
	}
}

static void make_end(const struct scenario *scenario, struct rng *rng,
		     struct endpoint_config *end)
{
	end->mtu = scenario->mtu;
	end->reliable = scenario->reliable;
	end->first_psn = some_psn(rng);
	end->max_rd_atomic = rng_scale(rng, 1, 16);
	end->retry_cnt = 7;
	end->rnr_retry = 7;
	end->rnr_code = rng_chance(rng, PPM / 20) ? 0 : rng_in(rng, 1, 16);
	end->timeout_ns = some_timeout(scenario, rng);
	end->sq_depth = 1U << rng_in(rng, 0, 8);
	end->budget = scenario->clean ? 256 : rng_scale(rng, 1, 256);
	end->max_pkts = rng_scale(rng, 1, 64);
	end->turn_ns = rng_scale(rng, 0, 20 * US);
	end->drain = rng_chance(rng, PPM / 8) ? PPM / 50 : 0;
	if (!scenario->clean && rng_chance(rng, PPM / 4))
		end->local_fail = PPM / 100;
}

static void make_trouble(struct scenario *scenario, struct rng *rng)
{
	static const enum trouble troubles[] = {
		/* the perfect link has only the first two */
		TROUBLE_BAD_WQE, TROUBLE_FAULT, TROUBLE_VANISH,
		TROUBLE_BAD_RKEY, TROUBLE_RNR, TROUBLE_CUT,
	};
	int i;

	if (scenario->stock || !scenario->reliable || !rng_chance(rng, PPM / 6))
		return;
	scenario->trouble = troubles[rng_in(rng, 0, scenario->clean ? 1 : 5)];
	if (!scenario->end[1].timeout_ns)
		scenario->end[1].timeout_ns = 64 * MS;
	scenario->cut_ns = rng_scale(rng, 1, 20 * MS);
	for (i = 0; i < 2 && scenario->trouble == TROUBLE_RNR; i++)
		scenario->end[i].rnr_retry = rng_in(rng, 0, 3);
	if (scenario->trouble == TROUBLE_RNR)
		scenario->starve_ns = rng_scale(rng, US, 20 * MS);
}

static void make_load(struct scenario *scenario, struct rng *rng,
		      const struct options *options)
{
	static const u32 lengths[] = { 64, 1000, 4096, 1 << 14, 1 << 16 };
	int i;

	scenario->length_max = rng_chance(rng, PPM / 20) ? 2 << 20 :
			       rng_pick(rng, lengths);
	if (scenario->length_max > 1 << 16)
		scenario->mtu = max(scenario->mtu, 1024U);
	scenario->post_ns = rng_scale(rng, 0, 100 * US);
	if (!scenario->clean && rng_chance(rng, PPM / 3))
		scenario->starve_ns = rng_scale(rng, US, 5 * MS);
	for (i = 0; i < 2; i++)
		scenario->ops[i] = options->ops ? options->ops :
				   scenario->length_max > 1 << 16 ?
				   rng_in(rng, 1, 8) : rng_in(rng, 1, 150);
	if (rng_chance(rng, PPM / 3))
		scenario->ops[1] = 0;
}

static bool is_wanted_peer(struct rng *rng, u32 peer)
{
	bool chance = rng_chance(rng, PPM / 4);

	return peer == PEER_RANDOM ? chance : peer == PEER_STOCK;
}

static bool asks_for_misfortune(const struct options *options)
{
	return options->loss > 0 || options->dup > 0 ||
	       options->reorder > 0 || options->corrupt > 0;
}

void scenario_make(struct scenario *scenario, u64 seed,
		   const struct options *options)
{
	static const u32 mtus[] = { 256, 512, 1024, 1024, 2048, 4096 };
	struct rng rng = { .state = rng_mix(seed + 1) };
	bool chance;
	int i;

	memset(scenario, 0, sizeof(*scenario));
	scenario->seed = seed;
	scenario->mtu = options->mtu ? options->mtu : rng_pick(&rng, mtus);
	scenario->clean = rng_chance(&rng, PPM / 4) &&
			  !asks_for_misfortune(options);
	scenario->stock = is_wanted_peer(&rng, options->peer);
	chance = rng_chance(&rng, PPM / 16);
	scenario->reliable = !(options->unreliable ||
			       (chance && !scenario->stock));
	make_load(scenario, &rng, options);
	for (i = 0; i < 2; i++)
		make_link(scenario, &rng, &scenario->link[i], options);
	for (i = 0; i < 2; i++)
		make_end(scenario, &rng, &scenario->end[i]);
	for (i = 0; i < 2; i++) {
		scenario->end[i].peer_psn = scenario->end[!i].first_psn;
		scenario->end[i].peer_rd_atomic =
			scenario->end[!i].max_rd_atomic;
	}
	make_trouble(scenario, &rng);
	make_congestion(scenario, &rng);
}

static u32 some_length(struct rng *rng, u32 max_length, u32 mtu)
{
	switch (rng_in(rng, 0, 5)) {
	case 0:
		return rng_in(rng, 0, min(8U, max_length));
	case 1:
		return min(mtu * (u32)rng_in(rng, 1, 70), max_length);
	case 2:
		return rng_in(rng, 0, max_length);
	default:
		return rng_scale(rng, 0, max_length);
	}
}

static u8 some_kind(struct rng *rng, bool reliable)
{
	static const u8 kinds[] = {
		CROCE_KIND_SEND, CROCE_KIND_SEND, CROCE_KIND_WRITE,
		CROCE_KIND_WRITE, CROCE_KIND_LOCAL, CROCE_KIND_READ,
		CROCE_KIND_READ, CROCE_KIND_CMP_SWAP, CROCE_KIND_FETCH_ADD,
	};

	return kinds[rng_in(rng, 0, reliable ? ARRAY_SIZE(kinds) - 1 : 4)];
}

static struct message some_message(const struct scenario *scenario,
				   struct rng *rng)
{
	struct message message = { .rkey = RKEY_GOOD };

	message.kind = some_kind(rng, scenario->reliable);
	message.imm = rng_next(rng);
	if (message.kind != CROCE_KIND_LOCAL)
		message.length = some_length(rng, scenario->length_max,
					     scenario->mtu);
	if (message.kind <= CROCE_KIND_WRITE && rng_chance(rng, PPM / 3))
		message.flags |= CROCE_WQE_IMM;
	if (rng_chance(rng, PPM / 10))
		message.flags |= CROCE_WQE_FENCE;
	message.compare_add = rng_in(rng, 0, 3);
	message.swap = rng_in(rng, 0, 3);
	return message;
}

/* The two ends: what the trouble of this flow may end with. */
static void fill_trouble(const struct scenario *scenario, struct flow *flow,
			 struct rng *rng, u32 from)
{
	struct message *message;

	if (scenario->trouble == TROUBLE_NONE)
		return;
	/* An end in error answers no more. */
	flow->may_fail = 1U << CROCE_STATUS_RETRY_EXC_ERR;
	if (scenario->trouble == TROUBLE_RNR)
		flow->may_fail |= 1U << CROCE_STATUS_RNR_RETRY_EXC_ERR;
	if (from || !flow->count)
		return;
	message = &flow->messages[rng_in(rng, 0, flow->count - 1)];
	if (scenario->trouble == TROUBLE_BAD_WQE)
		message->fetch_status = CROCE_STATUS_LOC_QP_OP_ERR;
	if (scenario->trouble == TROUBLE_FAULT) {
		message->faults = true;
		message->fault_at = rng_in(rng, 0, message->length);
		flow->may_fail |= 1U << CROCE_STATUS_LOC_PROT_ERR;
	}
	if (scenario->trouble == TROUBLE_VANISH) {
		message->vanishes = message->kind == CROCE_KIND_READ;
		flow->may_fail |= 1U << CROCE_STATUS_REM_ACCESS_ERR;
	}
	if (scenario->trouble == TROUBLE_BAD_RKEY) {
		message->rkey = RKEY_BAD;
		flow->may_fail |= 1U << CROCE_STATUS_REM_ACCESS_ERR;
	}
}

void scenario_fill(const struct scenario *scenario, struct flow *flow,
		   u32 from)
{
	struct rng rng = { .state = rng_mix(scenario->seed * 2 + from) };
	u32 i;

	for (i = 0; i < scenario->ops[from]; i++) {
		struct message message = some_message(scenario, &rng);

		flow_add(flow, &message);
	}
	fill_trouble(scenario, flow, &rng, from);
}
