/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Swift: state, for those who look at it (tests, traces).
 */
#ifndef CROCE_CORE_SWIFT_H
#define CROCE_CORE_SWIFT_H

#include "cc.h"

/**
 * struct croce_swift - delay-based window of one flow
 * @srtt_ns: smoothed round-trip time, 0 not measured yet
 * @decrease_ns: time of the last decrease
 * @window_q16: packets outstanding, 1.0 is 2^16
 * @timeouts: in a row
 */
struct croce_swift {
	u64 srtt_ns;
	u64 decrease_ns;
	u32 window_q16;
	u32 timeouts;
};

static_assert(sizeof(struct croce_swift) <= CROCE_CC_PRIVATE);

static inline struct croce_swift *croce_swift(struct croce_cc *cc)
{
	return (struct croce_swift *)cc->private;
}

u64 croce_swift_target_ns(const struct croce_cc_params *params,
			  u32 window_q16, u32 hops);

#endif /* CROCE_CORE_SWIFT_H */
