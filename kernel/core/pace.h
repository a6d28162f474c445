/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Pacing: from a rate to departure times. A bucket fills at the rate, holds
 * at most the quantum, and is emptied by what leaves; it is kept as the time
 * at which it was empty, so it costs one division for each burst.
 */
#ifndef CROCE_CORE_PACE_H
#define CROCE_CORE_PACE_H

#include "../wire/env.h"

/**
 * struct croce_pace - departure times of one flow
 * @empty_ns: when the bucket was empty, or will be: a debt
 */
struct croce_pace {
	u64 empty_ns;
};

/**
 * struct croce_pace_rule - how a flow is paced
 * @rate: bytes per second, not 0, below 2^40
 * @quantum: bytes that leave in one burst at most, not 0, below 2^24
 * @packet: bytes of the largest packet, which leaves in one piece whatever
 *	@quantum says; not 0
 */
struct croce_pace_rule {
	u64 rate;
	u32 quantum;
	u32 packet;
};

void croce_pace_start(struct croce_pace *pace, u64 now_ns);
u32 croce_pace_room(const struct croce_pace *pace,
		    const struct croce_pace_rule *rule, u64 now_ns);
u64 croce_pace_when(const struct croce_pace *pace,
		    const struct croce_pace_rule *rule);
void croce_pace_on_sent(struct croce_pace *pace,
			const struct croce_pace_rule *rule, u32 bytes,
			u64 now_ns);

#endif /* CROCE_CORE_PACE_H */
