// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Pacing; see pace.h. A burst is what leaves at one time. At high rates it is
 * as much as SLICE_NS is worth, so that no timer fires for each packet; at low
 * rates it is one packet. A caller that comes late finds the bucket fuller and
 * may send more, up to the quantum: the rate is kept, and no burst exceeds the
 * quantum.
 */
#include "pace.h"

#define NS_PER_S	1000000000ULL
/* Between two bursts of a flow that could send them larger. */
#define SLICE_NS	50000U
/* Of 2^24 bytes at 1 byte/s the time would not fit; nobody waits longer. */
#define WAIT_MAX_NS	(10 * NS_PER_S)

/* bytes * 10^9 is below 2^62 for 2^32 bytes. */
static u64 time_for(u64 bytes, u64 rate)
{
	return min(div64_u64(bytes * NS_PER_S + rate - 1, rate), WAIT_MAX_NS);
}

static u32 depth(const struct croce_pace_rule *rule)
{
	return max(rule->quantum, rule->packet);
}

/* 2^40 bytes/s * 2^16 ns fit. */
static u32 burst(const struct croce_pace_rule *rule)
{
	u64 slice = div_u64(rule->rate * SLICE_NS, NS_PER_S);

	return (u32)clamp(slice, (u64)rule->packet, (u64)depth(rule));
}

/**
 * croce_pace_start - begin with an empty bucket
 * @pace: to start
 * @now_ns: current time
 *
 * Context: any; the caller owns @pace.
 */
void croce_pace_start(struct croce_pace *pace, u64 now_ns)
{
	pace->empty_ns = now_ns;
}

/**
 * croce_pace_room - what may leave now
 * @pace: flow
 * @rule: how it is paced
 * @now_ns: current time
 *
 * Return: bytes, at least one packet and at most the quantum; 0 when nothing
 * may leave before croce_pace_when(). Context: any.
 */
u32 croce_pace_room(const struct croce_pace *pace,
		    const struct croce_pace_rule *rule, u64 now_ns)
{
	u64 full_ns = time_for(depth(rule), rule->rate);
	u64 full;

	if (now_ns < croce_pace_when(pace, rule))
		return 0;
	if (now_ns >= pace->empty_ns + full_ns)
		return depth(rule);
	/* Below depth * 10^9: the bucket is not full. */
	full = div_u64((now_ns - pace->empty_ns) * rule->rate, NS_PER_S);
	return max_t(u64, full, rule->packet);
}

/**
 * croce_pace_when - when the next burst may leave
 * @pace: flow
 * @rule: how it is paced
 *
 * Return: the time. Context: any.
 */
u64 croce_pace_when(const struct croce_pace *pace,
		    const struct croce_pace_rule *rule)
{
	return pace->empty_ns + time_for(burst(rule), rule->rate);
}

/**
 * croce_pace_on_sent - bytes have left
 * @pace: flow
 * @rule: how it is paced
 * @bytes: how many; more than there was room for is a debt
 * @now_ns: current time
 *
 * Context: any; the caller owns @pace.
 */
void croce_pace_on_sent(struct croce_pace *pace,
			const struct croce_pace_rule *rule, u32 bytes,
			u64 now_ns)
{
	u64 full_ns = time_for(depth(rule), rule->rate);

	/* What a full bucket would have taken in is lost. */
	if (now_ns > full_ns)
		pace->empty_ns = max(pace->empty_ns, now_ns - full_ns);
	pace->empty_ns += time_for(bytes, rule->rate);
}
