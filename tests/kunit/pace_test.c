// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Pacing: the rate is kept, bursts are bounded; and when CNPs are due. */
#include <kunit/test.h>

#include "../../kernel/core/np.h"
#include "../../kernel/core/pace.h"

#define NS_PER_S	1000000000ULL
#define EPOCH		1234567890123ULL
#define MBPS		125000ULL

/*
 * Sends all it may for a second, coming late by up to @late_ns; returns bytes
 * and the largest burst.
 */
static u64 run(const struct croce_pace_rule *rule, u64 late_ns, u32 *burst)
{
	u64 now = EPOCH, sent = 0, x = 1;
	struct croce_pace pace;

	*burst = 0;
	croce_pace_start(&pace, now);
	while (now < EPOCH + NS_PER_S) {
		u32 here = 0, room;

		while ((room = croce_pace_room(&pace, rule, now))) {
			croce_pace_on_sent(&pace, rule, room, now);
			here += room;
		}
		sent += here;
		*burst = max(*burst, here);
		now = max(now, croce_pace_when(&pace, rule));
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		if (late_ns)
			now += div_u64((x >> 33) * late_ns, 0x80000000U);
	}
	return sent;
}

static void pace_keeps_the_rate_from_1_mbps_to_400_gbps(struct kunit *test)
{
	u64 mbps;

	for (mbps = 1; mbps <= 400000; mbps *= 3) {
		struct croce_pace_rule rule = {
			.rate = mbps * MBPS,
			.quantum = 32768,
			.packet = 1100,
		};
		u32 burst;
		u64 sent = run(&rule, 0, &burst);

		/* Late by nothing: to 0.1 % and one burst. */
		KUNIT_EXPECT_LE(test, sent, rule.rate + 32768);
		KUNIT_EXPECT_GE(test, sent, rule.rate - rule.rate / 1000 - 1100);
		KUNIT_EXPECT_LE(test, burst, 32768);
		KUNIT_EXPECT_GE(test, burst, 1100);
	}
}

static void pace_keeps_the_rate_when_it_comes_late(struct kunit *test)
{
	struct croce_pace_rule rule = {
		.rate = 1000 * MBPS,
		.quantum = 65536,
		.packet = 1100,
	};
	u32 burst;
	u64 sent = run(&rule, 200000, &burst);

	KUNIT_EXPECT_LE(test, sent, rule.rate + 65536);
	KUNIT_EXPECT_GE(test, sent, rule.rate - rule.rate / 100);
	KUNIT_EXPECT_LE(test, burst, 65536);
}

/* Later than the quantum lasts: the rate falls, the bound holds. */
static void pace_bounds_the_burst_rather_than_keep_the_rate(struct kunit *test)
{
	struct croce_pace_rule rule = {
		.rate = 10000 * MBPS,
		.quantum = 16384,
		.packet = 1100,
	};
	u32 burst;
	u64 sent = run(&rule, 1000000, &burst);

	KUNIT_EXPECT_LT(test, sent, rule.rate / 10);
	KUNIT_EXPECT_LE(test, burst, 16384);
}

static void pace_one_packet_goes_whatever_the_quantum(struct kunit *test)
{
	struct croce_pace_rule rule = {
		.rate = MBPS,
		.quantum = 256,
		.packet = 4200,
	};
	u32 burst;
	u64 sent = run(&rule, 0, &burst);

	KUNIT_EXPECT_EQ(test, burst, 4200);
	KUNIT_EXPECT_LE(test, sent, MBPS + 4200);
	KUNIT_EXPECT_GE(test, sent, MBPS - 4200);
}

static void pace_room_begins_empty(struct kunit *test)
{
	struct croce_pace_rule rule = {
		.rate = 8 * MBPS,
		.quantum = 10000,
		.packet = 1000,
	};
	struct croce_pace pace;

	croce_pace_start(&pace, EPOCH);
	KUNIT_EXPECT_EQ(test, croce_pace_room(&pace, &rule, EPOCH), 0);
	/* 1 byte each us. */
	KUNIT_EXPECT_EQ(test, croce_pace_when(&pace, &rule), EPOCH + 1000000);
	KUNIT_EXPECT_EQ(test, croce_pace_room(&pace, &rule, EPOCH + 999999), 0);
	KUNIT_EXPECT_EQ(test, croce_pace_room(&pace, &rule, EPOCH + 1000000),
			1000);
	KUNIT_EXPECT_EQ(test, croce_pace_room(&pace, &rule, EPOCH + 5000000),
			5000);
	KUNIT_EXPECT_EQ(test, croce_pace_room(&pace, &rule, EPOCH + NS_PER_S),
			10000);
}

/* More than there was room for is paid back. */
static void pace_on_sent_makes_debts(struct kunit *test)
{
	struct croce_pace_rule rule = {
		.rate = 8 * MBPS,
		.quantum = 10000,
		.packet = 1000,
	};
	struct croce_pace pace;

	croce_pace_start(&pace, EPOCH);
	croce_pace_on_sent(&pace, &rule, 3000, EPOCH + 1000000);
	KUNIT_EXPECT_EQ(test, croce_pace_when(&pace, &rule), EPOCH + 4000000);
	/* A higher rate does not forgive it, but a packet takes less. */
	rule.rate *= 2;
	KUNIT_EXPECT_EQ(test, croce_pace_when(&pace, &rule), EPOCH + 3500000);
}

/* READ requests of 2^31 bytes and more at 1 byte/s: waits, but not for years. */
static void pace_wait_is_bounded(struct kunit *test)
{
	struct croce_pace_rule rule = { .rate = 1, .quantum = 1, .packet = 1 };
	struct croce_pace pace;

	croce_pace_start(&pace, EPOCH);
	croce_pace_on_sent(&pace, &rule, U32_MAX, EPOCH);
	KUNIT_EXPECT_LE(test, croce_pace_when(&pace, &rule),
			EPOCH + 20 * NS_PER_S);
}

static void np_is_due_once_in_the_minimum_time(struct kunit *test)
{
	u64 last = 0, now, cnps = 0;

	/* A mark each us, 50 us between CNPs: the first at once. */
	for (now = EPOCH; now < EPOCH + 1000000; now += 1000) {
		if (!croce_np_is_due(last, 50000, now))
			continue;
		last = now;
		cnps++;
	}
	KUNIT_EXPECT_EQ(test, cnps, 20);
	KUNIT_EXPECT_TRUE(test, croce_np_is_due(last, 0, last));
	KUNIT_EXPECT_FALSE(test, croce_np_is_due(last, 1, last));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(pace_keeps_the_rate_from_1_mbps_to_400_gbps),
	KUNIT_CASE(pace_keeps_the_rate_when_it_comes_late),
	KUNIT_CASE(pace_bounds_the_burst_rather_than_keep_the_rate),
	KUNIT_CASE(pace_one_packet_goes_whatever_the_quantum),
	KUNIT_CASE(pace_room_begins_empty),
	KUNIT_CASE(pace_on_sent_makes_debts),
	KUNIT_CASE(pace_wait_is_bounded),
	KUNIT_CASE(np_is_due_once_in_the_minimum_time),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_pace",
	.test_cases = cases,
};

kunit_test_suite(suite);
