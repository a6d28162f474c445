// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DCQCN's reaction point against vectors that were computed apart from it:
 * time, rates and alpha as a program in floating point printed them. Rates are
 * in kb/s, alpha is in 10^-8, times are in ns.
 */
#include <kunit/test.h>

#include "rp.h"

struct row {
	u64 ns;
	u64 target;
	u64 rate;
	u64 alpha;
};

/* To the last digit that was printed: @rate_digit kb/s, @alpha_digit 10^-8. */
static void expect_row(struct kunit *test, struct rp *rp,
		       const struct row *row, u64 rate_digit, u64 alpha_digit)
{
	u64 rate = rp_rate(rp, row->ns);
	u64 target = rp_target(rp);
	u64 alpha = rp_alpha(rp, row->ns);

	KUNIT_EXPECT_EQ_MSG(test, div_u64(rate + rate_digit / 2, rate_digit),
			    div_u64(row->rate, rate_digit), "at %llu ns",
			    (unsigned long long)row->ns);
	KUNIT_EXPECT_EQ_MSG(test, div_u64(target + rate_digit / 2, rate_digit),
			    div_u64(row->target, rate_digit), "at %llu ns",
			    (unsigned long long)row->ns);
	KUNIT_EXPECT_EQ_MSG(test,
			    div_u64(alpha + alpha_digit / 2, alpha_digit),
			    div_u64(row->alpha, alpha_digit), "at %llu ns",
			    (unsigned long long)row->ns);
}

/* 40 Gb/s, CNPs at 0, 50 and 100 us, the byte counter never fires. */
static void dcqcn_vector_a(struct kunit *test)
{
	static const struct row cuts[] = {
		{ 0, 40000000, 20000000, 100000000 },
		{ 50 * US, 20000000, 10000000, 100000000 },
		{ 100 * US, 10000000, 5000000, 100000000 },
	};
	static const struct row rows[] = {
		{ 155 * US, 10000000, 7500000, 99609375 },
		{ 210 * US, 10000000, 8750000, 99220276 },
		{ 265 * US, 10000000, 9375000, 98832697 },
		{ 320 * US, 10000000, 9687500, 98446631 },
		{ 375 * US, 10040000, 9863750, 98062074 },
		{ 430 * US, 10080000, 9971875, 97679019 },
		{ 485 * US, 10120000, 10045938, 97297461 },
		{ 650 * US, 10240000, 10195742, 96161704 },
		{ 1255 * US, 10680000, 10639998, 92109520 },
	};
	struct rp rp;
	u32 i;

	rp_init_paper(&rp, 40 * GBPS);
	for (i = 0; i < ARRAY_SIZE(cuts); i++) {
		rp_cnp(&rp, cuts[i].ns);
		expect_row(test, &rp, &cuts[i], 1, 1);
	}
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		expect_row(test, &rp, &rows[i], 1, 1);
}

/* 100 Gb/s, one CNP at 0. */
static void dcqcn_vector_b(struct kunit *test)
{
	static const struct row rows[] = {
		{ 0, 100000000, 100000000, 100000000 },
		{ 4001, 100000000, 50776680, 98446600 },
		{ 304001, 100000000, 75388340, 30427400 },
		{ 604001, 100000000, 87694170, 9404400 },
		{ 904001, 100000000, 93847090, 2906700 },
		{ 1204001, 100000000, 96923540, 898400 },
	};
	struct rp rp;
	u32 i;

	rp_init_mlx(&rp);
	rp_cnp(&rp, 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		expect_row(test, &rp, &rows[i], 10, 100);
}

/* The same with CNPs at 0, 50, 100, 150 and 1000.5 us. */
static void dcqcn_vector_c(struct kunit *test)
{
	static const u64 cnps[] = { 0, 50000, 100000, 150000, 1000500 };
	static const struct row rows[] = {
		{ 4001, 100000000, 50776680, 98446600 },
		{ 52001, 100000000, 29964780, 81974300 },
		{ 100001, 100000000, 19786630, 67934100 },
		{ 152001, 100000000, 14233190, 56133200 },
		{ 452001, 100000000, 57116600, 17349400 },
		{ 752001, 100000000, 78558300, 5362300 },
		{ 1004001, 78558300, 77621120, 2385900 },
		{ 1304001, 78558300, 78089710, 737400 },
		{ 1604001, 78578300, 78334000, 227900 },
		{ 1904001, 78778300, 78556150, 70400 },
		{ 2504001, 79178300, 78972760, 6700 },
	};
	struct rp rp;
	u32 i, next = 0;

	rp_init_mlx(&rp);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		while (next < ARRAY_SIZE(cnps) && cnps[next] < rows[i].ns)
			rp_cnp(&rp, cnps[next++]);
		expect_row(test, &rp, &rows[i], 10, 100);
	}
}

static void dcqcn_is_released_at_full_speed(struct kunit *test)
{
	struct rp rp;

	rp_init_mlx(&rp);
	KUNIT_EXPECT_FALSE(test, rp.cc.limited);
	rp_cnp(&rp, 0);
	KUNIT_EXPECT_TRUE(test, rp.cc.limited);
	KUNIT_EXPECT_LT(test, rp_rate(&rp, 4 * MS), 100000000);
	KUNIT_EXPECT_TRUE(test, rp.cc.limited);
	KUNIT_EXPECT_EQ(test, rp_rate(&rp, 6 * MS), 0);
	KUNIT_EXPECT_FALSE(test, rp.cc.limited);
}

/* With a scale of 2^10 and alpha -= alpha / 256 it would stop at 0.249. */
static void dcqcn_alpha_decays_to_zero(struct kunit *test)
{
	static const u32 weights[] = { 1, 512, 1019, 1020, 1023 };
	struct rp rp;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(weights); i++) {
		struct croce_dcqcn *state = croce_dcqcn(&rp.cc);

		rp_init_mlx(&rp);
		rp.p.rp_dce_tcp_g = weights[i];
		rp_cnp(&rp, 0);
		KUNIT_EXPECT_GT(test, state->alpha_q31, 0);
		KUNIT_EXPECT_EQ(test, croce_dcqcn_alpha_q31(state, &rp.p,
							    EPOCH + 30 * MS),
				0);
	}
}

static void dcqcn_alpha_decays_step_by_step(struct kunit *test)
{
	u32 updates = 0;
	struct rp rp;
	u64 t = 0;

	/* Each CNP counts and each adds g, but alpha is made of steps. */
	rp_init_mlx(&rp);
	rp_cnp(&rp, 0);
	while (croce_dcqcn(&rp.cc)->alpha_q31 && updates < 30000) {
		t += US;
		updates++;
		croce_dcqcn(&rp.cc)->alpha_q31 =
			croce_dcqcn_alpha_q31(croce_dcqcn(&rp.cc), &rp.p,
					      EPOCH + t);
		croce_dcqcn(&rp.cc)->alpha_ns = EPOCH + t;
	}
	KUNIT_EXPECT_EQ(test, croce_dcqcn(&rp.cc)->alpha_q31, 0);
}

/* Asking often and asking once give the same. */
static void dcqcn_does_not_depend_on_when_it_is_asked(struct kunit *test)
{
	static const u64 cnps[] = { 0, 3, 17, 940, 941, 942, 5000, 5004 };
	struct rp often, once;
	u64 us;
	u32 i;

	rp_init_mlx(&often);
	rp_init_mlx(&once);
	for (i = 0; i < ARRAY_SIZE(cnps); i++) {
		u64 end = i + 1 < ARRAY_SIZE(cnps) ? cnps[i + 1] : 7000;

		rp_cnp(&often, cnps[i] * US);
		rp_cnp(&once, cnps[i] * US);
		for (us = cnps[i]; us < end; us++)
			rp_rate(&often, us * US);
		KUNIT_EXPECT_EQ(test, rp_rate(&often, end * US),
				rp_rate(&once, end * US));
		KUNIT_EXPECT_EQ(test, rp_alpha(&often, end * US),
				rp_alpha(&once, end * US));
	}
}

/* As many increases as a day has, in one call; and one by one for a second. */
static void dcqcn_catches_up_after_a_long_time(struct kunit *test)
{
	struct rp leap, walk;
	u64 t;

	rp_init_mlx(&leap);
	leap.p.rp_ai_rate = 1;
	leap.p.rp_threshold = 31;
	leap.p.rp_byte_reset = U32_MAX;
	walk = leap;
	walk.env.params = &walk.p;
	rp_cnp(&leap, 0);
	rp_cnp(&walk, 0);
	/* Every second cut clamps, so the target is far below full speed. */
	for (t = 1; t < 30; t++) {
		rp_cnp(&leap, t * 400 * US);
		rp_cnp(&walk, t * 400 * US);
	}
	for (t = 12 * MS; t < 2 * SEC; t += 100 * US)
		rp_rate(&walk, t);
	KUNIT_EXPECT_LE(test, rp_rate(&leap, 2 * SEC),
			rp_rate(&walk, 2 * SEC) + 1);
	KUNIT_EXPECT_GE(test, rp_rate(&leap, 2 * SEC) + 1,
			rp_rate(&walk, 2 * SEC));
	KUNIT_EXPECT_TRUE(test, leap.cc.limited);
	KUNIT_EXPECT_EQ(test, rp_rate(&leap, 86400 * SEC), 0);
}

static void dcqcn_flood_stops_at_the_minimum(struct kunit *test)
{
	struct rp rp;
	u64 us;

	rp_init_mlx(&rp);
	rp.p.rp_min_rate = 10;
	for (us = 0; us < 20000; us++)
		rp_cnp(&rp, us * US);
	KUNIT_EXPECT_EQ(test, rp_rate(&rp, 20 * MS), 10000);
}

/* All knobs at their ends, CNPs and bytes at bad times: nothing overflows. */
static void dcqcn_stays_in_bounds_with_any_knobs(struct kunit *test)
{
	static const u64 lines[] = { CROCE_CC_MBPS, GBPS, 1600 * GBPS };
	u64 t = 0, x = 1;
	struct rp rp;
	u32 i, round;

	for (round = 0; round < 3000; round++) {
		u64 line = lines[round % ARRAY_SIZE(lines)];

		if (round % 50 == 0) {
			rp_init(&rp, line);
			t = 0;
		}
		rp.env.line_rate = line;
		for (i = 0; i < croce_cc_num_knobs; i++) {
			x = x * 6364136223846793005ULL + 1442695040888963407ULL;
			if (x >> 62)
				continue;
			croce_cc_knob_set(&rp.p, i, x >> 61 & 1 ?
					  croce_cc_knobs[i].max :
					  croce_cc_knobs[i].min);
		}
		t += x >> (x >> 58 & 63 ?: 20) & 0x3fffffffff;
		if (x >> 40 & 1)
			rp_cnp(&rp, t);
		rp_sent(&rp, t + 1, x >> 32 & 0xffffff);
		rp_rate(&rp, t + 2);
		KUNIT_EXPECT_LE(test, rp.cc.now.rate, line);
		KUNIT_EXPECT_LE(test, croce_dcqcn(&rp.cc)->alpha_q31,
				CROCE_DCQCN_ONE_Q31);
		if (rp.cc.limited)
			KUNIT_EXPECT_GE(test, rp.cc.now.rate, CROCE_CC_MBPS);
	}
}

/* Who waits for a packet's time at a low rate asks again when that rises. */
static void dcqcn_limit_tells_when_it_rises(struct kunit *test)
{
	struct rp rp;
	u64 low;

	rp_init_paper(&rp, 40 * GBPS);
	KUNIT_EXPECT_EQ(test, rp.cc.now.until_ns, 0);
	rp_cnp(&rp, 0);
	low = rp.cc.now.rate;
	KUNIT_EXPECT_EQ(test, rp.cc.now.until_ns, EPOCH + 55 * US);
	rp_at(&rp, 55 * US - 1);
	croce_cc_update(&rp.cc, &rp.env);
	KUNIT_EXPECT_EQ(test, rp.cc.now.rate, low);
	rp_at(&rp, 55 * US);
	croce_cc_update(&rp.cc, &rp.env);
	KUNIT_EXPECT_GT(test, rp.cc.now.rate, low);
	KUNIT_EXPECT_EQ(test, rp.cc.now.until_ns, EPOCH + 110 * US);

	rp.p.rp_time_reset = 0;
	rp_at(&rp, 60 * US);
	croce_cc_update(&rp.cc, &rp.env);
	KUNIT_EXPECT_EQ(test, rp.cc.now.until_ns, 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(dcqcn_vector_a),
	KUNIT_CASE(dcqcn_vector_b),
	KUNIT_CASE(dcqcn_vector_c),
	KUNIT_CASE(dcqcn_is_released_at_full_speed),
	KUNIT_CASE(dcqcn_alpha_decays_to_zero),
	KUNIT_CASE(dcqcn_alpha_decays_step_by_step),
	KUNIT_CASE(dcqcn_does_not_depend_on_when_it_is_asked),
	KUNIT_CASE(dcqcn_catches_up_after_a_long_time),
	KUNIT_CASE(dcqcn_flood_stops_at_the_minimum),
	KUNIT_CASE(dcqcn_stays_in_bounds_with_any_knobs),
	KUNIT_CASE(dcqcn_limit_tells_when_it_rises),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_dcqcn",
	.test_cases = cases,
};

kunit_test_suite(suite);
