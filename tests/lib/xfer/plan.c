// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Which operations, drawn alike at both ends; and patterns of bytes. */

#include "xfer.h"
#include <string.h>

#define SMALL_SIZES	68	/* 0 to 67 bytes: every pad, with every header */
#define AROUND		5	/* k * MTU - 2 to k * MTU + 2 */
#define MULTIPLES	4

const char *const op_names[OP_KINDS] = {
	[OP_SEND] = "SEND",
	[OP_SEND_IMM] = "SEND_IMM",
	[OP_WRITE] = "WRITE",
	[OP_WRITE_IMM] = "WRITE_IMM",
	[OP_READ] = "READ",
	[OP_CAS] = "CAS",
	[OP_ADD] = "ADD",
	[OP_HOT] = "HOT",
};

/* splitmix64 */
uint64_t draw(uint64_t *rng)
{
	uint64_t z = (*rng += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static uint32_t below(uint64_t *rng, uint32_t limit)
{
	return draw(rng) % limit;
}

void fill(uint8_t *to, uint32_t len, uint64_t seed)
{
	uint64_t word;

	for (; len >= sizeof(word); len -= sizeof(word), to += sizeof(word)) {
		word = draw(&seed);
		memcpy(to, &word, sizeof(word));
	}
	word = draw(&seed);
	memcpy(to, &word, len);
}

/* The offset of the first byte that is not as fill() makes it, or -1. */
long mismatch(const uint8_t *at, uint32_t len, uint64_t seed)
{
	uint8_t want[sizeof(uint64_t)];
	uint32_t done, part, i;
	uint64_t word;

	for (done = 0; done < len; done += part) {
		part = len - done < sizeof(word) ? len - done : sizeof(word);
		word = draw(&seed);
		memcpy(want, &word, sizeof(word));
		if (!memcmp(at + done, want, part))
			continue;
		for (i = 0; at[done + i] == want[i]; i++)
			;
		return done + i;
	}
	return -1;
}

void plan_init(struct plan *plan, const struct options *opt, int qp, bool is_client)
{
	plan->opt = opt;
	plan->rng = opt->seed * 1000003 + qp * 2 + is_client;
	plan->swept = opt->sweep ? 0 : ~0U;
	plan->is_active = is_client || !opt->one_way;
}

static unsigned int sweep_sizes(const struct options *opt)
{
	return opt->type == IBV_QPT_UD ? SMALL_SIZES + AROUND
				       : SMALL_SIZES + AROUND * MULTIPLES;
}

static uint32_t sweep_size(unsigned int index, uint32_t mtu)
{
	if (index < SMALL_SIZES)
		return index;
	index -= SMALL_SIZES;
	return mtu * (1 + index / AROUND) + index % AROUND - 2;
}

static enum op_kind pick_kind(const struct options *opt, unsigned int index)
{
	int kind;

	index %= __builtin_popcount(opt->ops);
	for (kind = 0; kind < OP_KINDS; kind++)
		if ((opt->ops & (1U << kind)) && !index--)
			break;
	return kind;
}

bool plan_sweep_done(const struct plan *plan, uint32_t mtu)
{
	(void)mtu;
	return !plan->is_active ||
	       plan->swept / __builtin_popcount(plan->opt->ops) >= sweep_sizes(plan->opt);
}

/* Small sizes are as likely as large ones: uniform in the logarithm. */
static uint32_t random_size(struct plan *plan, uint32_t limit)
{
	uint32_t magnitude = 1U << below(&plan->rng, 32 - __builtin_clz(limit | 1));
	uint32_t size = magnitude + below(&plan->rng, magnitude);

	return size > limit ? limit : size;
}

static void draw_split(uint64_t *rng, struct split *split, uint32_t len, int max_sge)
{
	uint32_t left = len;
	int i;

	split->n = 1 + below(rng, max_sge);
	if ((uint32_t)split->n > len)
		split->n = len;		/* no empty elements */
	for (i = 0; i < split->n; i++) {
		uint32_t others = split->n - i - 1;
		uint32_t spare = left - others;

		split->len[i] = others ? 1 + below(rng, others > 3 && spare > 8 ?
						   spare / 4 : spare) : left;
		left -= split->len[i];
	}
}

static void draw_op(struct plan *plan, struct op *op, enum op_kind kind, uint32_t len)
{
	const struct options *opt = plan->opt;
	uint64_t flags = draw(&plan->rng);

	memset(op, 0, sizeof(*op));
	op->kind = kind;
	op->len = is_atomic(kind) ? sizeof(uint64_t) : len;
	op->imm = draw(&plan->rng);
	op->seed = draw(&plan->rng);
	op->arg = draw(&plan->rng);
	op->before = draw(&plan->rng);
	if (kind == OP_HOT)
		op->arg &= 0xffff;
	op->compare = (flags & 1) ? op->before : draw(&plan->rng);
	op->inlined = kind <= OP_WRITE_IMM && op->len <= (uint32_t)opt->max_inline &&
		      (flags & 2);
	op->signaled = flags & 4;
	op->fence = (flags >> 3) % 8 == 0 && is_reliable(opt);
	op->solicited = flags & 64;
	op->chained = flags & 128;
	draw_split(&plan->rng, &op->local, op->len, is_atomic(kind) ? 1 : opt->max_sge);
	draw_split(&plan->rng, &op->remote, op->len, opt->max_sge);
}

/* Space for the operation's bytes, and what a UD receive puts in front. */
static bool place_op(const struct plan *plan, struct batch *batch, struct op *op, uint32_t skew)
{
	uint32_t off = (batch->used + 7) & ~7U;

	if (!is_atomic(op->kind))
		off += skew % 8;
	if (plan->opt->type == IBV_QPT_UD)
		off += GRH_LEN;
	if (off + op->len + GUARD > plan->opt->arena)
		return false;
	op->off = off;
	batch->used = off + op->len + GUARD;
	return true;
}

void plan_batch(struct plan *plan, struct batch *batch, uint32_t mtu)
{
	const struct options *opt = plan->opt;
	uint32_t limit = opt->type == IBV_QPT_UD ? mtu : opt->max_size;
	unsigned int kinds = __builtin_popcount(opt->ops);
	bool sweeping = !plan_sweep_done(plan, mtu);
	enum op_kind kind;
	struct op *op;
	uint32_t len;

	batch->n = 0;
	batch->used = 0;
	if (!plan->is_active)
		return;
	while (batch->n < BATCH_OPS) {
		op = &batch->op[batch->n];
		if (sweeping && plan_sweep_done(plan, mtu))
			break;
		if (sweeping) {
			kind = pick_kind(opt, plan->swept);
			len = sweep_size(plan->swept / kinds, mtu);
			plan->swept++;
			if (len > limit)
				continue;
		} else {
			kind = pick_kind(opt, below(&plan->rng, 1 << 20));
			len = random_size(plan, limit);
			if (!below(&plan->rng, 8) && 4 * mtu <= limit)
				len = sweep_size(SMALL_SIZES + below(&plan->rng, AROUND * MULTIPLES), mtu);
			if (len > limit)
				len = limit;
		}
		draw_op(plan, op, kind, len);
		if (!place_op(plan, batch, op, draw(&plan->rng))) {
			plan->swept -= sweeping;	/* it opens the next batch */
			break;
		}
		batch->n++;
	}
	if (batch->n) {
		batch->op[batch->n - 1].signaled = true;
		batch->op[batch->n - 1].chained = false;
	}
}
