// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DCQCN's reaction point (doi:10.1145/2785956.2787484), with the rules of the
 * paper and those of mlx5's NICs; each difference is a knob.
 *
 *	cut		target = rate			(see clamp_target())
 *			rate   = rate * (1 - alpha / 2)
 *	alpha		alpha  = (1 - g) * alpha [+ g if a CNP came]
 *	increase	target = target + 0 | AI | HAI
 *			rate   = (rate + target) / 2
 *
 * The paper has three timers for each flow, the shortest of 1 us. Here there
 * is none: each call first makes up for the time since the last one. Alpha of
 * a time is a power; a cut is due at a known time; many increases in a row are
 * taken in one leap once they all add the same.
 *
 * What is due at the time of a call happens before the call's event. Of what
 * is due at one time, alpha comes first, then the increase, then the cut.
 *
 * Numbers. Rates are bytes/s below 2^37, so sums and doubles never overflow.
 * Factors are in q31, 0 to 1.0 inclusive, in u32: products of two fit u64, and
 * rate * factor is taken by mul_u64_u32_shr(). Alpha is rounded down wherever
 * it decays, so it reaches zero; with a scale of 2^10 and "alpha -= alpha * g"
 * it would stay at a quarter for ever.
 */
#include "dcqcn.h"

/*
 * Increases taken one by one before a leap: no phase is longer than 32, and
 * the distance of rate and target halves with each, so after 64 more it is
 * the increment.
 */
#define STEPS_MAX	128U
/*
 * The same with rp_hai_ramp, where increments grow: as much as takes 1 Mb/s
 * steps to 2 Tb/s.
 */
#define RAMP_STEPS_MAX	2048U
/* Of one leap: all that 1 Mb/s steps need to 16 Tb/s; bounds products. */
#define LEAP_MAX	0x1000000U

static u32 mul_q31(u32 a, u32 b)
{
	return ((u64)a * b) >> 31;
}

static u32 mul_q31_rounded(u32 a, u32 b)
{
	return ((u64)a * b + CROCE_DCQCN_ONE_Q31 / 2) >> 31;
}

/* base^n; by squares, so that n costs its logarithm. */
static u32 pow_q31(u32 base, u64 n)
{
	u32 power = CROCE_DCQCN_ONE_Q31;

	for (; n && power; n >>= 1) {
		if (n & 1)
			power = mul_q31_rounded(power, base);
		base = mul_q31_rounded(base, base);
	}
	return power;
}

/* The weight of the old alpha, 1 - g. */
static u32 keep_q31(const struct croce_cc_params *p)
{
	return p->rp_dce_tcp_g << 21;
}

static u32 raise_alpha(u32 alpha, u32 keep)
{
	return mul_q31(alpha, keep) + (CROCE_DCQCN_ONE_Q31 - keep);
}

static u64 mbps(u32 rate)
{
	return rate * CROCE_CC_MBPS;
}

static u64 max_rate(const struct croce_cc_env *env)
{
	u64 rate = mbps(env->params->rp_max_rate);

	return rate ? min(rate, env->line_rate) : env->line_rate;
}

static u64 min_rate(const struct croce_cc_env *env)
{
	return min(mbps(env->params->rp_min_rate), max_rate(env));
}

static u64 alpha_periods(const struct croce_dcqcn *rp,
			 const struct croce_cc_params *p, u64 t)
{
	return div_u64(t - rp->alpha_ns,
		       p->rp_dce_tcp_rtt * CROCE_CC_NS_PER_US);
}

/**
 * croce_dcqcn_alpha_q31 - alpha at a time
 * @rp: reaction point, which does not change
 * @params: knobs
 * @now_ns: time, not before the last CNP
 *
 * Return: alpha, 1.0 is CROCE_DCQCN_ONE_Q31. Context: any.
 */
u32 croce_dcqcn_alpha_q31(const struct croce_dcqcn *rp,
			  const struct croce_cc_params *params, u64 now_ns)
{
	u64 n = alpha_periods(rp, params, now_ns);
	u32 keep = keep_q31(params);
	u32 alpha = rp->alpha_q31;

	if (n && rp->alpha_cnp) {
		alpha = raise_alpha(alpha, keep);
		n--;
	}
	return mul_q31(alpha, pow_q31(keep, n));
}

/* A CNP: counts in the period of alpha that it falls into. */
static void note_cnp(struct croce_dcqcn *rp, const struct croce_cc_params *p,
		     u64 now)
{
	u64 n = alpha_periods(rp, p, now);

	rp->alpha_q31 = croce_dcqcn_alpha_q31(rp, p, now);
	rp->alpha_ns += n * p->rp_dce_tcp_rtt * CROCE_CC_NS_PER_US;
	rp->alpha_cnp = true;
}

/* A CNP, by the paper's rule: counts at once, and the period starts over. */
static void take_cnp(struct croce_dcqcn *rp, const struct croce_cc_params *p,
		     u64 now)
{
	rp->alpha_q31 = raise_alpha(croce_dcqcn_alpha_q31(rp, p, now),
				    keep_q31(p));
	rp->alpha_ns = now;
	rp->alpha_cnp = false;
}

/*
 * A second cut in a row leaves the target, so that recovery goes back to where
 * the first began. The paper always clamps.
 */
static bool clamp_target(const struct croce_dcqcn *rp,
			 const struct croce_cc_params *p)
{
	return p->rp_clamp_tgt_rate || rp->byte_stage ||
	       (p->rp_clamp_tgt_rate_ati && rp->time_stage);
}

static void cut(struct croce_dcqcn *rp, const struct croce_cc_env *env, u64 t)
{
	const struct croce_cc_params *p = env->params;
	u32 alpha = croce_dcqcn_alpha_q31(rp, p, t);
	u32 factor = CROCE_DCQCN_ONE_Q31 - (alpha >> (p->rp_gd - 10));
	u32 least = div_u64((u64)p->rp_min_dec_fac * CROCE_DCQCN_ONE_Q31, 100);

	if (clamp_target(rp, p))
		rp->target = rp->rate;
	rp->rate = mul_u64_u32_shr(rp->rate, max(factor, least), 31);
	rp->rate = max(rp->rate, min_rate(env));
	rp->time_stage = 0;
	rp->byte_stage = 0;
	rp->bytes = 0;
	rp->increase_ns = t;
	rp->cut_ns = 0;
	rp->recovering = true;
}

/*
 * Fast recovery until one of timer and byte counter has gone through it,
 * hyper increase once both have and one more step. One that is off counts as
 * the other.
 */
static u64 increment(const struct croce_dcqcn *rp,
		     const struct croce_cc_params *p)
{
	u32 t = p->rp_time_reset ? rp->time_stage : rp->byte_stage;
	u32 b = p->rp_byte_reset ? rp->byte_stage : t;
	u32 least = min(t, b);

	if (max(t, b) < p->rp_threshold)
		return 0;
	if (least <= p->rp_threshold)
		return mbps(p->rp_ai_rate);
	return mbps(p->rp_hai_rate) *
	       (p->rp_hai_ramp ? min(least - p->rp_threshold, 1U << 16) : 1);
}

static void count(u32 *stage, u64 n)
{
	*stage = (u32)min_t(u64, *stage + n, U32_MAX);
}

static void step(struct croce_dcqcn *rp, const struct croce_cc_env *env,
		 u32 *stage)
{
	const struct croce_cc_params *p = env->params;

	if (p->rp_count_first)
		count(stage, 1);
	rp->target = min(rp->target + increment(rp, p), max_rate(env));
	if (!p->rp_count_first)
		count(stage, 1);
	rp->rate = max((rp->rate + rp->target + 1) / 2, min_rate(env));
}

/* Released as soon as the rate, in Mb/s, is the highest. */
static void release(struct croce_dcqcn *rp, const struct croce_cc_env *env)
{
	if (!rp->cut_ns && rp->rate + CROCE_CC_MBPS > max_rate(env))
		rp->active = false;
}

static u64 steps(struct croce_dcqcn *rp, const struct croce_cc_env *env,
		 u32 *stage, u64 n)
{
	u32 left = env->params->rp_hai_ramp ? RAMP_STEPS_MAX : STEPS_MAX;

	for (; n && left && rp->active; n--, left--) {
		step(rp, env, stage);
		release(rp, env);
	}
	return n;
}

/* Increases that all add the same to target and rate, until the target is
 * the highest.
 */
static u64 leap(struct croce_dcqcn *rp, const struct croce_cc_env *env,
		u32 *stage, u64 n)
{
	u64 add = increment(rp, env->params);
	u64 room = max_rate(env) - rp->target;
	u64 most = add ? div64_u64(room, add) : 0;
	u64 leaps = min3(n, most, (u64)LEAP_MAX);

	rp->target += leaps * add;
	rp->rate += leaps * add;
	count(stage, leaps);
	return n - leaps;
}

static void increase(struct croce_dcqcn *rp, const struct croce_cc_env *env,
		     u32 *stage, u64 n)
{
	n = steps(rp, env, stage, n);
	if (!n || !rp->active)
		return;
	n = leap(rp, env, stage, n);
	n = steps(rp, env, stage, n);
	/* Nothing changes any more. */
	count(stage, n);
}

static void run_timer(struct croce_dcqcn *rp, const struct croce_cc_env *env,
		      u64 until)
{
	u32 period = env->params->rp_time_reset * CROCE_CC_NS_PER_US;
	u64 n;

	if (!period || !rp->recovering || until < rp->increase_ns + period)
		return;
	n = div_u64(until - rp->increase_ns, period);
	rp->increase_ns += n * period;
	increase(rp, env, &rp->time_stage, n);
}

static void catch_up(struct croce_dcqcn *rp, const struct croce_cc_env *env)
{
	u64 due = rp->cut_ns;

	if (!rp->active)
		return;
	if (due && due <= env->now_ns) {
		run_timer(rp, env, due);
		cut(rp, env, due);
	}
	run_timer(rp, env, env->now_ns);
}

static void allocate(struct croce_dcqcn *rp, const struct croce_cc_env *env)
{
	u64 first = mbps(env->params->rp_rate_to_set_on_first_cnp);

	memset(rp, 0, sizeof(*rp));
	rp->active = true;
	rp->rate = first ? min(first, max_rate(env)) : max_rate(env);
	rp->target = rp->rate;
	rp->alpha_q31 = env->params->rp_initial_alpha_value << 21;
	rp->alpha_ns = env->now_ns;
	/* One later than alpha's, so that a CNP at a period's end cuts. */
	rp->grid_ns = env->now_ns + 1;
}

/* The end of the period that has begun, or of the first. */
static u64 next_cut(const struct croce_dcqcn *rp, u32 period, u64 now)
{
	u64 n = now < rp->grid_ns ? 0 : div_u64(now - rp->grid_ns, period);

	return rp->grid_ns + (n + 1) * period;
}

static void dcqcn_on_cnp(struct croce_cc *cc, const struct croce_cc_env *env)
{
	const struct croce_cc_params *p = env->params;
	struct croce_dcqcn *rp = croce_dcqcn(cc);
	u32 period = p->rp_rate_reduce_monitor_period * CROCE_CC_NS_PER_US;
	bool first;

	catch_up(rp, env);
	first = !rp->active;
	if (first)
		allocate(rp, env);
	if (!period)
		cut(rp, env, env->now_ns);
	else if (!rp->cut_ns)
		rp->cut_ns = next_cut(rp, period, env->now_ns);
	if (p->rp_alpha_on_cnp)
		take_cnp(rp, p, env->now_ns);
	else if (!first)
		note_cnp(rp, p, env->now_ns);
}

static void dcqcn_on_sent(struct croce_cc *cc, const struct croce_cc_env *env,
			  u32 bytes)
{
	u32 reset = env->params->rp_byte_reset;
	struct croce_dcqcn *rp = croce_dcqcn(cc);
	u64 n;

	catch_up(rp, env);
	if (!rp->active || !rp->recovering || !reset)
		return;
	rp->bytes += bytes;
	if (rp->bytes < reset)
		return;
	n = div_u64(rp->bytes, reset);
	rp->bytes -= n * reset;
	increase(rp, env, &rp->byte_stage, n);
}

/* A packet at the lowest rate takes many periods: they must not be slept
 * through.
 */
static u64 next_increase(const struct croce_dcqcn *rp,
			 const struct croce_cc_params *p)
{
	if (!rp->recovering || !p->rp_time_reset)
		return 0;
	return rp->increase_ns + p->rp_time_reset * CROCE_CC_NS_PER_US;
}

static struct croce_cc_limit dcqcn_limit(struct croce_cc *cc,
					 const struct croce_cc_env *env)
{
	struct croce_dcqcn *rp = croce_dcqcn(cc);
	struct croce_cc_limit limit = {};

	catch_up(rp, env);
	if (rp->active) {
		limit.rate = clamp(rp->rate, min_rate(env), max_rate(env));
		limit.until_ns = next_increase(rp, env->params);
	}
	return limit;
}

const struct croce_cc_ops croce_cc_dcqcn = {
	.name = "dcqcn",
	.on_sent = dcqcn_on_sent,
	.limit = dcqcn_limit,
	.on_cnp = dcqcn_on_cnp,
};
