/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Random numbers that a seed repeats (splitmix64). Probabilities are in parts
 * per million.
 */
#ifndef FABRIC_RNG_H
#define FABRIC_RNG_H

#include <linux/types.h>

#define PPM 1000000U

struct rng {
	u64 state;
};

static inline u64 rng_mix(u64 z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static inline u64 rng_next(struct rng *rng)
{
	rng->state += 0x9e3779b97f4a7c15ULL;
	return rng_mix(rng->state);
}

/* From @low to @high, both included. */
static inline u64 rng_in(struct rng *rng, u64 low, u64 high)
{
	return low + rng_next(rng) % (high - low + 1);
}

static inline bool rng_chance(struct rng *rng, u32 ppm)
{
	return ppm && rng_next(rng) % PPM < ppm;
}

/* Every power of two between @low and @high is as likely. */
static inline u64 rng_scale(struct rng *rng, u64 low, u64 high)
{
	u64 top = low;
	u32 steps = 0;

	while (top < high) {
		top = top ? 2 * top : 1;
		steps++;
	}
	top = low;
	for (steps = rng_in(rng, 0, steps); steps; steps--)
		top = top ? 2 * top : 1;
	return rng_in(rng, low, top < high ? top : high);
}

#define rng_pick(rng, array) ((array)[rng_in(rng, 0, ARRAY_SIZE(array) - 1)])

#endif /* FABRIC_RNG_H */
