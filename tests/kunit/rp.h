/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A reaction point with knobs, a clock, and rates in kb/s. */
#ifndef CROCE_TESTS_RP_H
#define CROCE_TESTS_RP_H

#include "../../kernel/core/dcqcn.h"

#define GBPS	(1000ULL * CROCE_CC_MBPS)
#define US	1000ULL
#define MS	1000000ULL
#define SEC	1000000000ULL
/* Clocks of kernels do not start at zero. */
#define EPOCH	1234567890123ULL

struct rp {
	struct croce_cc_params p;
	struct croce_cc_env env;
	struct croce_cc cc;
};

static inline void rp_init(struct rp *rp, u64 line_rate)
{
	croce_cc_params_init(&rp->p);
	rp->env.params = &rp->p;
	rp->env.now_ns = EPOCH;
	rp->env.line_rate = line_rate;
	rp->env.mtu = 1024;
	croce_cc_start(&rp->cc, &croce_cc_dcqcn, &rp->env);
}

/* The rules of the paper, and its parameters. */
static inline void rp_init_paper(struct rp *rp, u64 line_rate)
{
	rp_init(rp, line_rate);
	rp->p.rp_clamp_tgt_rate = 1;
	rp->p.rp_time_reset = 55;
	rp->p.rp_byte_reset = 10000000;
	rp->p.rp_threshold = 5;
	rp->p.rp_ai_rate = 40;
	rp->p.rp_hai_rate = 200;
	rp->p.rp_dce_tcp_g = 1020;
	rp->p.rp_dce_tcp_rtt = 55;
	rp->p.rp_rate_reduce_monitor_period = 0;
	rp->p.rp_initial_alpha_value = 1024;
	rp->p.rp_alpha_on_cnp = 1;
	rp->p.rp_count_first = 1;
	rp->p.rp_hai_ramp = 1;
}

/* The rules of mlx5 with the parameters of vectors B and C. */
static inline void rp_init_mlx(struct rp *rp)
{
	rp_init(rp, 100 * GBPS);
	rp->p.rp_byte_reset = 0;
	rp->p.rp_ai_rate = 20;
	rp->p.rp_hai_rate = 200;
	rp->p.rp_dce_tcp_g = 1020;
	rp->p.rp_initial_alpha_value = 1024;
}

static inline void rp_at(struct rp *rp, u64 ns)
{
	rp->env.now_ns = EPOCH + ns;
}

static inline void rp_cnp(struct rp *rp, u64 ns)
{
	rp_at(rp, ns);
	croce_cc_on_cnp(&rp->cc, &rp->env);
}

static inline void rp_sent(struct rp *rp, u64 ns, u32 bytes)
{
	rp_at(rp, ns);
	croce_cc_on_sent(&rp->cc, &rp->env, bytes);
}

static inline u64 kbps(u64 rate)
{
	return div_u64(rate * 8 + 500, 1000);
}

/* From kb/s to the digits that the vectors have. */
static inline u64 rp_tens(u64 rate)
{
	return div_u64(rate + 5, 10);
}

/* What is allowed, or 0 for anything. */
static inline u64 rp_rate(struct rp *rp, u64 ns)
{
	rp_at(rp, ns);
	croce_cc_update(&rp->cc, &rp->env);
	return kbps(rp->cc.now.rate);
}

static inline u64 rp_target(struct rp *rp)
{
	return kbps(croce_dcqcn(&rp->cc)->target);
}

/* In 10^-8. */
static inline u64 rp_alpha(struct rp *rp, u64 ns)
{
	u64 alpha = croce_dcqcn_alpha_q31(croce_dcqcn(&rp->cc), &rp->p,
					  EPOCH + ns);

	return (alpha * 100000000 + (1ULL << 30)) >> 31;
}

#endif /* CROCE_TESTS_RP_H */
