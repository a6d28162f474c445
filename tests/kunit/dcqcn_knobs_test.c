// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Each knob of DCQCN: what changes with it. Rates are in kb/s. */
#include <kunit/test.h>

#include "rp.h"

/*
 * One test for each knob: what changes with it, and which way. The scenario is
 * that of vector C, and the question the rate at a time.
 */
static void run_c(struct rp *rp)
{
	static const u64 cnps[] = { 0, 50000, 100000, 150000, 1000500 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cnps); i++)
		rp_cnp(rp, cnps[i]);
}

static void rp_clamp_tgt_rate_lowers_the_target(struct kunit *test)
{
	struct rp off, on;

	rp_init_mlx(&off);
	rp_init_mlx(&on);
	on.p.rp_clamp_tgt_rate = 1;
	rp_cnp(&off, 0);
	rp_cnp(&off, 50 * US);
	rp_cnp(&on, 0);
	rp_cnp(&on, 50 * US);
	KUNIT_EXPECT_EQ(test, rp_rate(&on, 60 * US), rp_rate(&off, 60 * US));
	KUNIT_EXPECT_EQ(test, rp_target(&off), 100000000);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_target(&on)), 5077668);
	KUNIT_EXPECT_LT(test, rp_rate(&on, 3 * MS), rp_rate(&off, 3 * MS));
}

static void rp_clamp_tgt_rate_ati_is_for_the_timer(struct kunit *test)
{
	struct rp off, on;

	rp_init_mlx(&off);
	rp_init_mlx(&on);
	off.p.rp_clamp_tgt_rate_ati = 0;
	run_c(&off);
	run_c(&on);
	rp_rate(&on, 1005 * US);
	rp_rate(&off, 1005 * US);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_target(&on)), 7855830);
	KUNIT_EXPECT_EQ(test, rp_target(&off), 100000000);
}

/* After an increase by the byte counter no flag is needed. */
static void rp_clamp_after_byte_counter_needs_no_flag(struct kunit *test)
{
	struct rp rp;

	rp_init_mlx(&rp);
	rp.p.rp_clamp_tgt_rate_ati = 0;
	rp.p.rp_byte_reset = 32767;
	rp_cnp(&rp, 0);
	rp_sent(&rp, 10 * US, 32767);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_rate(&rp, 10 * US)), 7538834);
	rp_cnp(&rp, 20 * US);
	rp_rate(&rp, 30 * US);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_target(&rp)), 7538834);
}

static void rp_time_reset_is_the_time_between_increases(struct kunit *test)
{
	struct rp rp;

	rp_init_mlx(&rp);
	rp.p.rp_time_reset = 100;
	rp_cnp(&rp, 0);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_rate(&rp, 104000)), 5077668);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_rate(&rp, 104001)), 7538834);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_rate(&rp, 204001)), 8769417);
	/* Off: the rate stays where it is. */
	rp_init_mlx(&rp);
	rp.p.rp_time_reset = 0;
	rp_cnp(&rp, 0);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_rate(&rp, 10 * SEC)), 5077668);
}

static void rp_byte_reset_is_bytes_between_increases(struct kunit *test)
{
	struct rp rp;

	rp_init_mlx(&rp);
	rp.p.rp_byte_reset = 30000;
	rp_cnp(&rp, 0);
	rp_sent(&rp, 10 * US, 29999);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_rate(&rp, 10 * US)), 5077668);
	rp_sent(&rp, 11 * US, 1);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_rate(&rp, 11 * US)), 7538834);
	rp_sent(&rp, 12 * US, 59999);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_rate(&rp, 12 * US)), 8769417);
	rp_sent(&rp, 13 * US, 1);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_rate(&rp, 13 * US)), 9384709);
	/* A cut starts the counter over, as it does the timer. */
	rp_sent(&rp, 14 * US, 29999);
	rp_cnp(&rp, 15 * US);
	KUNIT_EXPECT_LT(test, rp_rate(&rp, 17 * US), 60000000);
	rp_sent(&rp, 18 * US, 1);
	KUNIT_EXPECT_LT(test, rp_rate(&rp, 18 * US), 60000000);
}

static void rp_threshold_is_steps_of_recovery(struct kunit *test)
{
	struct rp rp;
	u32 i;

	/* Clamped, so that the target tells which kind an increase was. */
	rp_init_mlx(&rp);
	rp.p.rp_clamp_tgt_rate = 1;
	rp.p.rp_threshold = 3;
	rp_cnp(&rp, 0);
	rp_cnp(&rp, 5 * US);
	rp_rate(&rp, 8001);
	for (i = 1; i <= 3; i++) {
		rp_rate(&rp, 8001 + i * 300 * US);
		KUNIT_EXPECT_EQ(test, rp_tens(rp_target(&rp)), 5077668);
	}
	rp_rate(&rp, 8001 + 4 * 300 * US);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_target(&rp)), 5079668);
	rp_rate(&rp, 8001 + 5 * 300 * US);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_target(&rp)), 5099668);
}

static void rp_max_rate_caps_and_releases(struct kunit *test)
{
	struct rp rp;

	rp_init_mlx(&rp);
	rp.p.rp_max_rate = 50000;
	rp_cnp(&rp, 0);
	KUNIT_EXPECT_EQ(test, rp_rate(&rp, 1 * US), 50000000);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_rate(&rp, 4001)), 2538834);
	KUNIT_EXPECT_LE(test, rp_rate(&rp, 4 * MS), 50000000);
	/* Released, so nothing limits any more. */
	KUNIT_EXPECT_EQ(test, rp_rate(&rp, 10 * MS), 0);
	/* No more than the port has. */
	rp.p.rp_max_rate = 400000;
	rp_cnp(&rp, 20 * MS);
	KUNIT_EXPECT_EQ(test, rp_rate(&rp, 20 * MS), 100000000);
}

static void rp_ai_rate_is_the_additive_step(struct kunit *test)
{
	struct rp rp;

	rp_init_mlx(&rp);
	rp.p.rp_ai_rate = 1000;
	run_c(&rp);
	rp_rate(&rp, 1304001);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_target(&rp)), 7855830);
	rp_rate(&rp, 1604001);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_target(&rp)), 7955830);
}

static void rp_hai_rate_is_the_hyper_step(struct kunit *test)
{
	struct rp rp;

	rp_init_mlx(&rp);
	rp.p.rp_hai_rate = 1000;
	run_c(&rp);
	rp_rate(&rp, 1604001);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_target(&rp)), 7857830);
	rp_rate(&rp, 1904001);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_target(&rp)), 7957830);
	rp_rate(&rp, 2204001);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_target(&rp)), 8057830);
}

static void rp_gd_divides_the_cut(struct kunit *test)
{
	static const u32 rate[] = { 155337, 5077668, 7538834, 8769417 };
	struct rp rp;
	u32 gd;

	for (gd = 10; gd <= 13; gd++) {
		rp_init_mlx(&rp);
		rp.p.rp_min_dec_fac = 1;
		rp.p.rp_gd = gd;
		rp_cnp(&rp, 0);
		KUNIT_EXPECT_EQ(test, rp_tens(rp_rate(&rp, 4001)), rate[gd - 10]);
	}
}

static void rp_min_dec_fac_limits_a_cut(struct kunit *test)
{
	struct rp rp;

	rp_init_mlx(&rp);
	rp.p.rp_min_dec_fac = 80;
	rp_cnp(&rp, 0);
	KUNIT_EXPECT_EQ(test, rp_rate(&rp, 4001), 80000000);
	/* No cuts at all. */
	rp_init_mlx(&rp);
	rp.p.rp_min_dec_fac = 100;
	rp_cnp(&rp, 0);
	rp_cnp(&rp, 50 * US);
	KUNIT_EXPECT_EQ(test, rp_rate(&rp, 60 * US), 100000000);
}

static void rp_min_rate_is_the_floor(struct kunit *test)
{
	struct rp rp;
	u64 us;

	rp_init_mlx(&rp);
	rp.p.rp_min_rate = 40000;
	for (us = 0; us < 100; us++)
		rp_cnp(&rp, us * US);
	KUNIT_EXPECT_EQ(test, rp_rate(&rp, 100 * US), 40000000);
	/* Also at once for flows that run. */
	rp.p.rp_min_rate = 45000;
	KUNIT_EXPECT_EQ(test, rp_rate(&rp, 100 * US), 45000000);
}

static void rp_rate_to_set_on_first_cnp_is_set(struct kunit *test)
{
	struct rp rp;

	rp_init_mlx(&rp);
	rp.p.rp_rate_to_set_on_first_cnp = 30000;
	rp_cnp(&rp, 0);
	KUNIT_EXPECT_EQ(test, rp_rate(&rp, 0), 30000000);
	KUNIT_EXPECT_EQ(test, rp_target(&rp), 30000000);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_rate(&rp, 4001)), 1523301);
	/* Not by a later one. */
	rp_cnp(&rp, 50 * US);
	KUNIT_EXPECT_LT(test, rp_rate(&rp, 50 * US), 16000000);
}

static void rp_dce_tcp_g_is_the_weight_of_the_past(struct kunit *test)
{
	struct rp rp;

	rp_init_mlx(&rp);
	rp.p.rp_dce_tcp_g = 512;
	rp_cnp(&rp, 0);
	KUNIT_EXPECT_EQ(test, rp_alpha(&rp, 1 * US), 50000000);
	KUNIT_EXPECT_EQ(test, rp_alpha(&rp, 3 * US), 12500000);
	rp_cnp(&rp, 3 * US);
	KUNIT_EXPECT_EQ(test, rp_alpha(&rp, 4 * US), 56250000);
}

static void rp_dce_tcp_rtt_is_the_period_of_alpha(struct kunit *test)
{
	struct rp rp;

	rp_init_mlx(&rp);
	rp.p.rp_dce_tcp_g = 512;
	rp.p.rp_dce_tcp_rtt = 10;
	rp_cnp(&rp, 0);
	KUNIT_EXPECT_EQ(test, rp_alpha(&rp, 9999), 100000000);
	KUNIT_EXPECT_EQ(test, rp_alpha(&rp, 10 * US), 50000000);
	KUNIT_EXPECT_EQ(test, rp_alpha(&rp, 20 * US), 25000000);
}

static void rp_rate_reduce_monitor_period_spaces_cuts(struct kunit *test)
{
	struct rp rp;
	u64 us;

	rp_init_mlx(&rp);
	rp.p.rp_rate_reduce_monitor_period = 40;
	for (us = 0; us < 79; us++) {
		rp_cnp(&rp, us * US);
		if (us == 40)
			KUNIT_EXPECT_EQ(test, rp_rate(&rp, us * US), 100000000);
	}
	/* One cut in 79 us, the next is due. */
	KUNIT_EXPECT_GE(test, rp_rate(&rp, 80 * US), 50000000);
	KUNIT_EXPECT_LT(test, rp_rate(&rp, 80001), 30000000);
	/* Several CNPs of one period are one cut, and no CNP is none. */
	KUNIT_EXPECT_GE(test, rp_rate(&rp, 200 * US), 24000000);
	/* 0: each CNP cuts at once. */
	rp_init_mlx(&rp);
	rp.p.rp_rate_reduce_monitor_period = 0;
	rp_cnp(&rp, 0);
	KUNIT_EXPECT_EQ(test, rp_rate(&rp, 0), 50000000);
	rp_cnp(&rp, 1);
	KUNIT_EXPECT_EQ(test, rp_rate(&rp, 1), 25000000);
}

static void rp_initial_alpha_value_makes_the_first_cut(struct kunit *test)
{
	struct rp rp;

	rp_init_mlx(&rp);
	rp.p.rp_initial_alpha_value = 256;
	rp_cnp(&rp, 0);
	KUNIT_EXPECT_EQ(test, rp_alpha(&rp, 0), 25000000);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_rate(&rp, 4001)), 8769417);
}

static void rp_alpha_on_cnp_raises_it_at_once(struct kunit *test)
{
	struct rp rp;

	rp_init_mlx(&rp);
	rp.p.rp_dce_tcp_g = 512;
	rp.p.rp_dce_tcp_rtt = 10;
	rp_cnp(&rp, 0);
	rp_cnp(&rp, 15 * US);
	KUNIT_EXPECT_EQ(test, rp_alpha(&rp, 15 * US), 50000000);
	KUNIT_EXPECT_EQ(test, rp_alpha(&rp, 20 * US), 75000000);
	rp_init_mlx(&rp);
	rp.p.rp_dce_tcp_g = 512;
	rp.p.rp_dce_tcp_rtt = 10;
	rp.p.rp_alpha_on_cnp = 1;
	rp_cnp(&rp, 0);
	rp_cnp(&rp, 15 * US);
	KUNIT_EXPECT_EQ(test, rp_alpha(&rp, 15 * US), 75000000);
	KUNIT_EXPECT_EQ(test, rp_alpha(&rp, 20 * US), 75000000);
	KUNIT_EXPECT_EQ(test, rp_alpha(&rp, 25 * US), 37500000);
}

static void rp_count_first_ends_recovery_earlier(struct kunit *test)
{
	struct rp rp;

	rp_init_mlx(&rp);
	rp.p.rp_count_first = 1;
	run_c(&rp);
	rp_rate(&rp, 1304001);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_target(&rp)), 7857830);
}

static void rp_hai_ramp_makes_hyper_steps_grow(struct kunit *test)
{
	struct rp rp;

	rp_init_mlx(&rp);
	rp.p.rp_hai_ramp = 1;
	run_c(&rp);
	rp_rate(&rp, 1904001);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_target(&rp)), 7877830);
	rp_rate(&rp, 2204001);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_target(&rp)), 7917830);
	rp_rate(&rp, 2504001);
	KUNIT_EXPECT_EQ(test, rp_tens(rp_target(&rp)), 7977830);
}

static void knob_set_refuses_what_is_out_of_range(struct kunit *test)
{
	struct croce_cc_params p;
	u32 i;

	croce_cc_params_init(&p);
	for (i = 0; i < croce_cc_num_knobs; i++) {
		const struct croce_cc_knob *knob = &croce_cc_knobs[i];

		KUNIT_EXPECT_EQ(test, croce_cc_knob_get(&p, i), knob->initial);
		KUNIT_EXPECT_EQ(test, croce_cc_knob_set(&p, i, knob->max), 0);
		KUNIT_EXPECT_EQ(test, croce_cc_knob_get(&p, i), knob->max);
		KUNIT_EXPECT_EQ(test, croce_cc_knob_set(&p, i, knob->min), 0);
		KUNIT_EXPECT_EQ(test,
				croce_cc_knob_set(&p, i, (u64)knob->max + 1),
				-ERANGE);
		if (knob->min)
			KUNIT_EXPECT_EQ(test,
					croce_cc_knob_set(&p, i, knob->min - 1),
					-ERANGE);
		KUNIT_EXPECT_EQ(test, croce_cc_knob_get(&p, i), knob->min);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(rp_clamp_tgt_rate_lowers_the_target),
	KUNIT_CASE(rp_clamp_tgt_rate_ati_is_for_the_timer),
	KUNIT_CASE(rp_clamp_after_byte_counter_needs_no_flag),
	KUNIT_CASE(rp_time_reset_is_the_time_between_increases),
	KUNIT_CASE(rp_byte_reset_is_bytes_between_increases),
	KUNIT_CASE(rp_threshold_is_steps_of_recovery),
	KUNIT_CASE(rp_max_rate_caps_and_releases),
	KUNIT_CASE(rp_ai_rate_is_the_additive_step),
	KUNIT_CASE(rp_hai_rate_is_the_hyper_step),
	KUNIT_CASE(rp_gd_divides_the_cut),
	KUNIT_CASE(rp_min_dec_fac_limits_a_cut),
	KUNIT_CASE(rp_min_rate_is_the_floor),
	KUNIT_CASE(rp_rate_to_set_on_first_cnp_is_set),
	KUNIT_CASE(rp_dce_tcp_g_is_the_weight_of_the_past),
	KUNIT_CASE(rp_dce_tcp_rtt_is_the_period_of_alpha),
	KUNIT_CASE(rp_rate_reduce_monitor_period_spaces_cuts),
	KUNIT_CASE(rp_initial_alpha_value_makes_the_first_cut),
	KUNIT_CASE(rp_alpha_on_cnp_raises_it_at_once),
	KUNIT_CASE(rp_count_first_ends_recovery_earlier),
	KUNIT_CASE(rp_hai_ramp_makes_hyper_steps_grow),
	KUNIT_CASE(knob_set_refuses_what_is_out_of_range),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_dcqcn_knobs",
	.test_cases = cases,
};

kunit_test_suite(suite);
