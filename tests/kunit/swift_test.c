// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Swift: the target of a window, growth, decreases, windows below a packet. */
#include <kunit/test.h>

#include "../../kernel/core/swift.h"

#define US	1000ULL
#define EPOCH	1234567890123ULL
#define ONE	0x10000U

struct flow {
	struct croce_cc_params p;
	struct croce_cc_env env;
	struct croce_cc cc;
};

static void flow_init(struct flow *f)
{
	croce_cc_params_init(&f->p);
	f->env.params = &f->p;
	f->env.now_ns = EPOCH;
	f->env.line_rate = 100000 * CROCE_CC_MBPS;
	f->env.mtu = 1024;
	croce_cc_start(&f->cc, &croce_cc_swift, &f->env);
}

static void flow_ack(struct flow *f, u64 us, u32 acked, u64 rtt_us)
{
	struct croce_cc_sample sample = {
		.acked = acked,
		.rtt_ns = rtt_us * US,
	};

	f->env.now_ns = EPOCH + us * US;
	croce_cc_on_ack(&f->cc, &f->env, &sample);
}

static u32 flow_window(struct flow *f)
{
	return croce_swift(&f->cc)->window_q16;
}

static void expect_near(struct kunit *test, u64 value, u64 want)
{
	KUNIT_EXPECT_LE(test, value, want + want / 500 + 1);
	KUNIT_EXPECT_GE(test, value, want - want / 500 - 1);
}

/* base 25 us, scaling 100 us from 0.1 to 256 packets: by pencil. */
static void swift_target_by_window(struct kunit *test)
{
	struct croce_cc_params p;

	croce_cc_params_init(&p);
	expect_near(test, croce_swift_target_ns(&p, 256 * ONE, 0), 25000);
	expect_near(test, croce_swift_target_ns(&p, 300 * ONE, 0), 25000);
	expect_near(test, croce_swift_target_ns(&p, ONE / 10, 0), 125000);
	expect_near(test, croce_swift_target_ns(&p, ONE / 100, 0), 125000);
	/* (1 - 1/16) / (sqrt(10) - 1/16) = 0.302439 */
	expect_near(test, croce_swift_target_ns(&p, ONE, 0), 55244);
	/* (1/4 - 1/16) / (sqrt(10) - 1/16) = 0.060488 */
	expect_near(test, croce_swift_target_ns(&p, 16 * ONE, 0), 31049);
	expect_near(test, croce_swift_target_ns(&p, 16 * ONE, 5), 36049);
}

static void swift_target_with_equal_bounds(struct kunit *test)
{
	struct croce_cc_params p;

	croce_cc_params_init(&p);
	p.swift_fs_min = p.swift_fs_max;
	KUNIT_EXPECT_EQ(test, croce_swift_target_ns(&p, 300 * ONE, 0), 25000);
	KUNIT_EXPECT_EQ(test, croce_swift_target_ns(&p, ONE, 0), 125000);
}

static void swift_begins_with_the_largest_window(struct kunit *test)
{
	struct flow f;

	flow_init(&f);
	KUNIT_EXPECT_TRUE(test, f.cc.limited);
	KUNIT_EXPECT_EQ(test, f.cc.now.window, 256);
	KUNIT_EXPECT_EQ(test, f.cc.now.rate, 0);
}

static void swift_grows_by_ai_in_a_round_trip(struct kunit *test)
{
	struct flow f;
	u32 i;

	flow_init(&f);
	croce_swift(&f.cc)->window_q16 = 10 * ONE;
	for (i = 0; i < 10; i++)
		flow_ack(&f, i, 1, 20);
	/* Ten acknowledgements of a window of ten and more. */
	KUNIT_EXPECT_GT(test, flow_window(&f), 10 * ONE + ONE * 9 / 10);
	KUNIT_EXPECT_LE(test, flow_window(&f), 11 * ONE);
	/* Below one packet, by ai for each. */
	croce_swift(&f.cc)->window_q16 = ONE / 2;
	flow_ack(&f, 20, 1, 20);
	KUNIT_EXPECT_EQ(test, flow_window(&f), ONE / 2 + ONE);
}

static void swift_shrinks_by_the_excess_of_delay(struct kunit *test)
{
	struct flow f;
	u64 target;

	flow_init(&f);
	croce_swift(&f.cc)->window_q16 = 100 * ONE;
	target = croce_swift_target_ns(&f.p, 100 * ONE, 0);
	/* Twice the target: 0.8 * 0.5 = 40 %. */
	f.env.now_ns = EPOCH;
	croce_cc_on_ack(&f.cc, &f.env, &(struct croce_cc_sample) {
				.acked = 1, .rtt_ns = 2 * target });
	expect_near(test, flow_window(&f), 60 * ONE);
	/* Not again in the same round trip. */
	flow_ack(&f, 10, 1, 60);
	expect_near(test, flow_window(&f), 60 * ONE);
	/* And at most by a half. */
	flow_ack(&f, 10000, 1, 10000);
	expect_near(test, flow_window(&f), 30 * ONE);
}

static void swift_time_in_the_peer_is_no_delay(struct kunit *test)
{
	struct croce_cc_sample sample = {
		.acked = 1, .rtt_ns = 500 * US, .host_ns = 480 * US,
	};
	struct flow f;

	flow_init(&f);
	croce_swift(&f.cc)->window_q16 = 10 * ONE;
	croce_cc_on_ack(&f.cc, &f.env, &sample);
	KUNIT_EXPECT_GT(test, flow_window(&f), 10 * ONE);
}

/* A tenth of a packet each 100 us is one packet each millisecond. */
static void swift_below_one_packet_is_a_rate(struct kunit *test)
{
	struct flow f;

	flow_init(&f);
	croce_swift(&f.cc)->window_q16 = ONE / 10;
	croce_swift(&f.cc)->srtt_ns = 100 * US;
	croce_cc_update(&f.cc, &f.env);
	KUNIT_EXPECT_EQ(test, f.cc.now.window, 1);
	expect_near(test, f.cc.now.rate, 1024 * 1000);
}

static void swift_loss_shrinks_once_in_a_round_trip(struct kunit *test)
{
	struct flow f;

	flow_init(&f);
	flow_ack(&f, 0, 1, 20);
	f.env.now_ns = EPOCH + 100 * US;
	croce_cc_on_loss(&f.cc, &f.env, false);
	croce_cc_on_loss(&f.cc, &f.env, false);
	KUNIT_EXPECT_EQ(test, flow_window(&f), 128 * ONE);
}

static void swift_timeouts_in_a_row_make_the_smallest_window(struct kunit *test)
{
	struct flow f;
	u32 i;

	flow_init(&f);
	flow_ack(&f, 0, 1, 20);
	for (i = 0; i < 2; i++)
		croce_cc_on_loss(&f.cc, &f.env, true);
	KUNIT_EXPECT_GT(test, flow_window(&f), ONE);
	croce_cc_on_loss(&f.cc, &f.env, true);
	expect_near(test, flow_window(&f), ONE / 100);
	/* And what is acknowledged lets it grow again. */
	flow_ack(&f, 1000, 1, 20);
	KUNIT_EXPECT_GT(test, flow_window(&f), ONE);
	KUNIT_EXPECT_EQ(test, croce_swift(&f.cc)->timeouts, 0);
}

static void swift_ignores_cnps(struct kunit *test)
{
	struct flow f;

	flow_init(&f);
	KUNIT_EXPECT_FALSE(test, croce_cc_on_cnp(&f.cc, &f.env));
	KUNIT_EXPECT_EQ(test, f.cc.now.window, 256);
}

/* n flows through one link: the windows settle where the delay is the target. */
static void swift_shares_a_link(struct kunit *test)
{
	enum { FLOWS = 8, ROUNDS = 4000, BDP = 25 };
	static struct flow f[FLOWS];
	u32 i, round, queue = 0, least = U32_MAX, most = 0;
	u64 us = 0;

	for (i = 0; i < FLOWS; i++) {
		flow_init(&f[i]);
		croce_swift(&f[i].cc)->window_q16 = (i + 1) * 8 * ONE;
	}
	/* 1 packet each us; the delay is what the windows exceed the path by. */
	for (round = 0; round < ROUNDS; round++) {
		u32 sum = 0;

		for (i = 0; i < FLOWS; i++)
			sum += flow_window(&f[i]) >> 4;
		queue = sum >> 12 > BDP ? (sum >> 12) - BDP : 0;
		us += 20 + queue;
		for (i = 0; i < FLOWS; i++)
			flow_ack(&f[i], us, (flow_window(&f[i]) >> 16) + 1,
				 20 + queue);
	}
	for (i = 0; i < FLOWS; i++) {
		least = min(least, flow_window(&f[i]));
		most = max(most, flow_window(&f[i]));
	}
	KUNIT_EXPECT_LT(test, queue, 40);
	KUNIT_EXPECT_LT(test, most, 2 * least);
}

static void swift_stays_in_bounds_with_any_knobs(struct kunit *test)
{
	u64 x = 1, us = 0;
	struct flow f;
	u32 i, round;

	flow_init(&f);
	for (round = 0; round < 3000; round++) {
		for (i = 0; i < croce_cc_num_knobs; i++) {
			x = x * 6364136223846793005ULL + 1442695040888963407ULL;
			if (x >> 62)
				continue;
			croce_cc_knob_set(&f.p, i, x >> 61 & 1 ?
					  croce_cc_knobs[i].max :
					  croce_cc_knobs[i].min);
		}
		us += x >> 40 & 0xffff;
		flow_ack(&f, us, x >> 20 & 0xffffffff, x >> 33 & 0xffffff);
		if (x & 0x1000)
			croce_cc_on_loss(&f.cc, &f.env, x & 0x2000);
		KUNIT_EXPECT_GE(test, f.cc.now.window, 1);
		KUNIT_EXPECT_LE(test, f.cc.now.window, 1000);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(swift_target_by_window),
	KUNIT_CASE(swift_target_with_equal_bounds),
	KUNIT_CASE(swift_begins_with_the_largest_window),
	KUNIT_CASE(swift_grows_by_ai_in_a_round_trip),
	KUNIT_CASE(swift_shrinks_by_the_excess_of_delay),
	KUNIT_CASE(swift_time_in_the_peer_is_no_delay),
	KUNIT_CASE(swift_below_one_packet_is_a_rate),
	KUNIT_CASE(swift_loss_shrinks_once_in_a_round_trip),
	KUNIT_CASE(swift_timeouts_in_a_row_make_the_smallest_window),
	KUNIT_CASE(swift_ignores_cnps),
	KUNIT_CASE(swift_shares_a_link),
	KUNIT_CASE(swift_stays_in_bounds_with_any_knobs),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_swift",
	.test_cases = cases,
};

kunit_test_suite(suite);
