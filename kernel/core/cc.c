// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The algorithms and knobs there are, and the calls of an algorithm: the only
 * indirect calls below the purity line.
 */
#include "cc.h"
#include "np.h"

const struct croce_cc_ops *const croce_cc_algorithms[] = {
	&croce_cc_dcqcn,
	&croce_cc_swift,
	&croce_cc_none,
};

const u32 croce_cc_num_algorithms = ARRAY_SIZE(croce_cc_algorithms);

#define KNOB(name_, min_, max_, initial_) {				\
	.name = #name_,							\
	.offset = offsetof(struct croce_cc_params, name_),		\
	.min = min_,							\
	.max = max_,							\
	.initial = initial_,						\
}

/* 17 bits, as in the registers of the NICs that have these. */
#define MAX_17_BITS	131071

/*
 * Ranges and initial values are mlx5's. Wider than there: 0 for
 * rp_rate_reduce_monitor_period and 1024 for rp_initial_alpha_value, which the
 * paper's rules need. Periods in ns and rates in bytes/s derived from these
 * fit u32 and u64 with room: 2^17 us < 2^27 ns, 2^20 Mb/s < 2^37 bytes/s.
 */
const struct croce_cc_knob croce_cc_knobs[] = {
	KNOB(rp_clamp_tgt_rate, 0, 1, 0),
	KNOB(rp_clamp_tgt_rate_ati, 0, 1, 1),
	KNOB(rp_time_reset, 0, MAX_17_BITS, 300),
	KNOB(rp_byte_reset, 0, U32_MAX, 32767),
	KNOB(rp_threshold, 0, 31, 1),
	KNOB(rp_max_rate, 0, 1 << 20, 0),
	KNOB(rp_ai_rate, 0, MAX_17_BITS, 5),
	KNOB(rp_hai_rate, 0, MAX_17_BITS, 50),
	KNOB(rp_gd, 10, 15, 11),
	KNOB(rp_min_dec_fac, 1, 100, 50),
	KNOB(rp_min_rate, 1, 1 << 20, 1),
	KNOB(rp_rate_to_set_on_first_cnp, 0, 1 << 20, 0),
	KNOB(rp_dce_tcp_g, 1, 1023, 1019),
	KNOB(rp_dce_tcp_rtt, 1, MAX_17_BITS, 1),
	KNOB(rp_rate_reduce_monitor_period, 0, MAX_17_BITS, 4),
	KNOB(rp_initial_alpha_value, 1, 1024, 1023),
	KNOB(rp_alpha_on_cnp, 0, 1, 0),
	KNOB(rp_count_first, 0, 1, 0),
	KNOB(rp_hai_ramp, 0, 1, 0),
	KNOB(np_min_time_between_cnps, 0, MAX_17_BITS, 4),
	KNOB(np_cnp_scope, 0, CROCE_NP_SCOPES - 1, CROCE_NP_PER_QP),
	KNOB(np_cnp_dscp, 0, 63, 48),
	KNOB(np_cnp_prio_mode, 0, 1, 0),
	KNOB(np_cnp_prio, 0, 7, 6),
	KNOB(pace_quantum, 256, 1 << 20, 32768),
	KNOB(swift_base_delay, 1, MAX_17_BITS, 25),
	KNOB(swift_hop_delay, 0, MAX_17_BITS, 1),
	KNOB(swift_max_scaling, 0, MAX_17_BITS, 100),
	KNOB(swift_fs_min, 10, 1000000, 100),
	KNOB(swift_fs_max, 10, 1000000, 256000),
	KNOB(swift_ai, 1, 100000, 1000),
	KNOB(swift_beta, 1, 1000, 800),
	KNOB(swift_max_mdf, 1, 999, 500),
	KNOB(swift_min_cwnd, 1, 1000000, 10),
	KNOB(swift_max_cwnd, 1000, 1000000, 256000),
	KNOB(swift_retransmit_limit, 1, 255, 3),
};

const u32 croce_cc_num_knobs = ARRAY_SIZE(croce_cc_knobs);

static_assert(sizeof(struct croce_cc_params) ==
	      ARRAY_SIZE(croce_cc_knobs) * sizeof(u32));

static u32 *knob_of(struct croce_cc_params *params, u32 index)
{
	return (u32 *)((u8 *)params + croce_cc_knobs[index].offset);
}

/**
 * croce_cc_params_init - initial values
 * @params: to fill
 *
 * Context: any.
 */
void croce_cc_params_init(struct croce_cc_params *params)
{
	u32 i;

	for (i = 0; i < croce_cc_num_knobs; i++)
		*knob_of(params, i) = croce_cc_knobs[i].initial;
}

/**
 * croce_cc_knob_get - read a knob
 * @params: where
 * @index: in croce_cc_knobs
 *
 * Return: its value. Context: any.
 */
u32 croce_cc_knob_get(const struct croce_cc_params *params, u32 index)
{
	return *(const u32 *)((const u8 *)params +
			      croce_cc_knobs[index].offset);
}

/**
 * croce_cc_knob_set - turn a knob
 * @params: where
 * @index: in croce_cc_knobs
 * @value: new value, from the user
 *
 * Return: 0, or -ERANGE when the value is out of range. Context: any.
 */
int croce_cc_knob_set(struct croce_cc_params *params, u32 index, u64 value)
{
	const struct croce_cc_knob *knob = &croce_cc_knobs[index];

	if (value < knob->min || value > knob->max)
		return -ERANGE;
	*knob_of(params, index) = (u32)value;
	return 0;
}

/**
 * croce_cc_update - time has passed
 * @cc: congestion control
 * @env: the world
 *
 * Brings @cc's limit up to date.
 *
 * Context: any; the caller owns @cc.
 */
void croce_cc_update(struct croce_cc *cc, const struct croce_cc_env *env)
{
	cc->now = cc->ops->limit(cc, env);
	cc->limited = cc->now.rate || cc->now.window;
}

/**
 * croce_cc_start - begin, with this algorithm
 * @cc: congestion control
 * @ops: algorithm
 * @env: the world
 *
 * Context: any; the caller owns @cc.
 */
void croce_cc_start(struct croce_cc *cc, const struct croce_cc_ops *ops,
		    const struct croce_cc_env *env)
{
	memset(cc, 0, sizeof(*cc));
	cc->ops = ops;
	if (ops->start)
		ops->start(cc, env);
	croce_cc_update(cc, env);
}

/**
 * croce_cc_on_cnp - a congestion notification came
 * @cc: congestion control
 * @env: the world
 *
 * Return: true when the algorithm heeds it. Context: any; the caller owns @cc.
 */
bool croce_cc_on_cnp(struct croce_cc *cc, const struct croce_cc_env *env)
{
	if (!cc->ops->on_cnp)
		return false;
	cc->ops->on_cnp(cc, env);
	croce_cc_update(cc, env);
	return true;
}

/**
 * croce_cc_on_sent - bytes have left
 * @cc: congestion control
 * @env: the world
 * @bytes: how many
 *
 * Context: any; the caller owns @cc.
 */
void croce_cc_on_sent(struct croce_cc *cc, const struct croce_cc_env *env,
		      u32 bytes)
{
	if (cc->ops->on_sent)
		cc->ops->on_sent(cc, env, bytes);
	croce_cc_update(cc, env);
}

/**
 * croce_cc_on_ack - packets were acknowledged
 * @cc: congestion control
 * @env: the world
 * @sample: which, and after how long
 *
 * Context: any; the caller owns @cc.
 */
void croce_cc_on_ack(struct croce_cc *cc, const struct croce_cc_env *env,
		     const struct croce_cc_sample *sample)
{
	if (!cc->ops->on_ack)
		return;
	cc->ops->on_ack(cc, env, sample);
	croce_cc_update(cc, env);
}

/**
 * croce_cc_on_loss - packets have to be sent again
 * @cc: congestion control
 * @env: the world
 * @timeout: nothing was heard of the peer; false when it said so
 *
 * Context: any; the caller owns @cc.
 */
void croce_cc_on_loss(struct croce_cc *cc, const struct croce_cc_env *env,
		      bool timeout)
{
	if (!cc->ops->on_loss)
		return;
	cc->ops->on_loss(cc, env, timeout);
	croce_cc_update(cc, env);
}
