// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Swift (doi:10.1145/3387514.3406591): keeps the delay of the path at a target
 * by additive increase and multiplicative decrease of the window.
 *
 *	target  = base + hops * hop_delay
 *		  + max_scaling * (1/sqrt(w) - 1/sqrt(fs_max))
 *				/ (1/sqrt(fs_min) - 1/sqrt(fs_max))
 *	delay <= target		w += ai * acked / w	(ai * acked below 1)
 *	delay  > target		w *= 1 - min(beta * (delay - target) / delay,
 *					     max_mdf)	(once per round trip)
 *
 * A window below one packet is one packet and a rate: w packets each round
 * trip. Above that, acknowledgements are the clock.
 *
 * Numbers. Windows are q16, 2^6 to 2^26 (1/1000 to 1000 packets). Knobs in
 * 1/1000 are below 2^20. Delays are taken for below 2^32 ns.
 */
#include "swift.h"

#define ONE_Q16		0x10000U
#define PER_MILLE	1000U

static u32 q16_of_mille(u32 mille)
{
	return (u32)div_u64((u64)mille << 16, PER_MILLE);
}

static u32 root(u64 x)
{
	u64 bit = 1ULL << 62, result = 0;

	for (; bit; bit >>= 2) {
		if (x >= result + bit) {
			x -= result + bit;
			result = (result >> 1) + bit;
		} else {
			result >>= 1;
		}
	}
	return (u32)result;
}

/* 1/sqrt(w): sqrt(2^48 / w) is q16 again; at most 2^21 for the windows here. */
static u32 inverse_root_q16(u32 window_q16)
{
	return root(div_u64(1ULL << 48, max(window_q16, 1U)));
}

/* Flows with small windows are many: each is granted more delay. */
static u64 scaling_ns(const struct croce_cc_params *p, u32 window_q16)
{
	u32 least = inverse_root_q16(q16_of_mille(p->swift_fs_max));
	u32 most = inverse_root_q16(q16_of_mille(p->swift_fs_min));
	u32 own = inverse_root_q16(window_q16);
	u64 max_ns = (u64)p->swift_max_scaling * CROCE_CC_NS_PER_US;

	if (own <= least)
		return 0;
	if (own >= most)
		return max_ns;
	return div_u64(max_ns * (own - least), most - least);
}

/**
 * croce_swift_target_ns - delay that a flow is granted
 * @params: knobs
 * @window_q16: its window
 * @hops: of its path, 0 unknown
 *
 * Return: target delay. Context: any.
 */
u64 croce_swift_target_ns(const struct croce_cc_params *params,
			  u32 window_q16, u32 hops)
{
	return (u64)params->swift_base_delay * CROCE_CC_NS_PER_US +
	       (u64)params->swift_hop_delay * hops * CROCE_CC_NS_PER_US +
	       scaling_ns(params, window_q16);
}

static void set_window(struct croce_swift *sw, const struct croce_cc_params *p,
		       u64 window_q16)
{
	u64 least = q16_of_mille(p->swift_min_cwnd);
	u64 most = q16_of_mille(p->swift_max_cwnd);

	sw->window_q16 = (u32)max(min(window_q16, most), least);
}

static void grow(struct croce_swift *sw, const struct croce_cc_params *p,
		 u32 acked)
{
	u64 add = (u64)q16_of_mille(p->swift_ai) * min(acked, 1U << 16);

	if (sw->window_q16 >= ONE_Q16)
		add = div_u64(add << 16, sw->window_q16);
	set_window(sw, p, sw->window_q16 + add);
}

static void shrink(struct croce_swift *sw, const struct croce_cc_env *env,
		   u32 by_mille)
{
	u32 keep = PER_MILLE - min(by_mille, env->params->swift_max_mdf);

	sw->decrease_ns = env->now_ns;
	set_window(sw, env->params,
		   div_u64((u64)sw->window_q16 * keep, PER_MILLE));
}

static bool may_shrink(const struct croce_swift *sw,
		       const struct croce_cc_env *env)
{
	return !sw->decrease_ns ||
	       env->now_ns - sw->decrease_ns >= sw->srtt_ns;
}

static void measure(struct croce_swift *sw, u64 rtt_ns)
{
	sw->srtt_ns = sw->srtt_ns ? (3 * sw->srtt_ns + rtt_ns) / 4 : rtt_ns;
}

static void swift_on_ack(struct croce_cc *cc, const struct croce_cc_env *env,
			 const struct croce_cc_sample *sample)
{
	u64 rtt = min_t(u64, sample->rtt_ns, U32_MAX);
	u64 delay = rtt - min(rtt, sample->host_ns);
	const struct croce_cc_params *p = env->params;
	struct croce_swift *sw = croce_swift(cc);
	u64 target;

	if (sample->acked)
		sw->timeouts = 0;
	if (!rtt)
		return;
	measure(sw, rtt);
	target = croce_swift_target_ns(p, sw->window_q16, sample->hops);
	if (delay <= target)
		grow(sw, p, sample->acked);
	else if (may_shrink(sw, env))
		shrink(sw, env, (u32)div64_u64(p->swift_beta *
					       (delay - target), delay));
}

static void swift_on_loss(struct croce_cc *cc, const struct croce_cc_env *env,
			  bool timeout)
{
	const struct croce_cc_params *p = env->params;
	struct croce_swift *sw = croce_swift(cc);

	if (timeout && ++sw->timeouts >= p->swift_retransmit_limit) {
		sw->timeouts = p->swift_retransmit_limit;
		set_window(sw, p, 0);
	} else if (may_shrink(sw, env)) {
		shrink(sw, env, p->swift_max_mdf);
	}
}

static struct croce_cc_limit swift_limit(struct croce_cc *cc,
					 const struct croce_cc_env *env)
{
	struct croce_swift *sw = croce_swift(cc);
	struct croce_cc_limit limit = {
		.window = max(sw->window_q16 >> 16, 1U),
	};

	/* w * mtu each round trip: below 2^16 * 2^13 * 2^30. */
	if (sw->window_q16 < ONE_Q16 && sw->srtt_ns) {
		u64 per_s = (u64)sw->window_q16 * env->mtu * CROCE_CC_NS_PER_S;

		limit.rate = max(div64_u64(per_s >> 16, sw->srtt_ns), 1ULL);
	}
	return limit;
}

static void swift_start(struct croce_cc *cc, const struct croce_cc_env *env)
{
	set_window(croce_swift(cc), env->params, U32_MAX);
}

const struct croce_cc_ops croce_cc_swift = {
	.name = "swift",
	.on_ack = swift_on_ack,
	.limit = swift_limit,
	.on_loss = swift_on_loss,
	.start = swift_start,
};
