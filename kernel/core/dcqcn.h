/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * DCQCN's reaction point: state, for those who look at it (tests, traces).
 */
#ifndef CROCE_CORE_DCQCN_H
#define CROCE_CORE_DCQCN_H

#include "cc.h"

/* 1.0 of alpha and of every factor here. */
#define CROCE_DCQCN_ONE_Q31	0x80000000U

/**
 * struct croce_dcqcn - reaction point of one flow
 * @rate: current rate Rc, bytes/s
 * @target: target rate Rt, bytes/s
 * @alpha_ns: when @alpha_q31 was right: an update of alpha
 * @grid_ns: cuts may happen at @grid_ns plus multiples of their period
 * @cut_ns: when the CNPs that came make a cut, 0 none came
 * @increase_ns: the increase timer's last start
 * @bytes: sent since the byte counter's last reset
 * @alpha_q31: congestion estimate, 0 to 1.0 inclusive
 * @time_stage: increases by the timer since the last cut
 * @byte_stage: increases by the byte counter since the last cut
 * @active: the limiter is allocated: a CNP came, and full speed was not
 *	reached again since
 * @recovering: there was a cut: timer and byte counter are running
 * @alpha_cnp: a CNP came in the period of alpha that began at @alpha_ns
 */
struct croce_dcqcn {
	u64 rate;
	u64 target;
	u64 alpha_ns;
	u64 grid_ns;
	u64 cut_ns;
	u64 increase_ns;
	u64 bytes;
	u32 alpha_q31;
	u32 time_stage;
	u32 byte_stage;
	bool active;
	bool recovering;
	bool alpha_cnp;
};

static_assert(sizeof(struct croce_dcqcn) <= CROCE_CC_PRIVATE);

static inline struct croce_dcqcn *croce_dcqcn(struct croce_cc *cc)
{
	return (struct croce_dcqcn *)cc->private;
}

u32 croce_dcqcn_alpha_q31(const struct croce_dcqcn *rp,
			  const struct croce_cc_params *params, u64 now_ns);

#endif /* CROCE_CORE_DCQCN_H */
