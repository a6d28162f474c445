// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 24-bit sequence arithmetic, with all interest at the wrap. */
#include <kunit/test.h>

#include "../../kernel/core/psn.h"

#define LAST	0xffffffU
#define HALF	0x800000U

static void psn_add_wraps(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, croce_psn_add(0, 1), 1);
	KUNIT_EXPECT_EQ(test, croce_psn_add(LAST, 1), 0);
	KUNIT_EXPECT_EQ(test, croce_psn_add(LAST - 1, 5), 3);
	KUNIT_EXPECT_EQ(test, croce_psn_add(0, -1U), LAST);
	KUNIT_EXPECT_EQ(test, croce_psn_add(3, -5U), LAST - 1);
}

static void psn_diff_wraps(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, croce_psn_diff(5, 3), 2);
	KUNIT_EXPECT_EQ(test, croce_psn_diff(3, 5), -2);
	KUNIT_EXPECT_EQ(test, croce_psn_diff(0, LAST), 1);
	KUNIT_EXPECT_EQ(test, croce_psn_diff(LAST, 0), -1);
	KUNIT_EXPECT_EQ(test, croce_psn_diff(2, LAST - 2), 5);
}

static void psn_diff_half_the_space_is_behind(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, croce_psn_diff(HALF, 0), -(s32)HALF);
	KUNIT_EXPECT_EQ(test, croce_psn_diff(HALF - 1, 0), (s32)HALF - 1);
	KUNIT_EXPECT_EQ(test, croce_psn_diff(0, HALF), -(s32)HALF);
	KUNIT_EXPECT_EQ(test, croce_psn_diff(0, HALF + 1), (s32)HALF - 1);
}

static void psn_diff_inverts_add(struct kunit *test)
{
	static const u32 starts[] = { 0, 1, HALF - 1, HALF, LAST - 1, LAST };
	u32 i;
	s32 n;

	for (i = 0; i < ARRAY_SIZE(starts); i++)
		for (n = -300; n <= 300; n++)
			KUNIT_EXPECT_EQ(test,
					croce_psn_diff(croce_psn_add(starts[i], n),
						       starts[i]), n);
}

static void psn_in_half_open_range(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, croce_psn_in(9, 10, 12));
	KUNIT_EXPECT_TRUE(test, croce_psn_in(10, 10, 12));
	KUNIT_EXPECT_TRUE(test, croce_psn_in(11, 10, 12));
	KUNIT_EXPECT_FALSE(test, croce_psn_in(12, 10, 12));
	KUNIT_EXPECT_FALSE(test, croce_psn_in(10, 10, 10));
}

static void psn_in_range_over_the_wrap(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, croce_psn_in(LAST - 2, LAST - 1, 2));
	KUNIT_EXPECT_TRUE(test, croce_psn_in(LAST - 1, LAST - 1, 2));
	KUNIT_EXPECT_TRUE(test, croce_psn_in(0, LAST - 1, 2));
	KUNIT_EXPECT_TRUE(test, croce_psn_in(1, LAST - 1, 2));
	KUNIT_EXPECT_FALSE(test, croce_psn_in(2, LAST - 1, 2));
}

static void psn_count_rounds_up(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, croce_psn_count(0, 1024), 1);
	KUNIT_EXPECT_EQ(test, croce_psn_count(1, 1024), 1);
	KUNIT_EXPECT_EQ(test, croce_psn_count(1024, 1024), 1);
	KUNIT_EXPECT_EQ(test, croce_psn_count(1025, 1024), 2);
	KUNIT_EXPECT_EQ(test, croce_psn_count(0x80000000, 256), 0x800000);
	KUNIT_EXPECT_EQ(test, croce_psn_count(0xffffffff, 4096), 0x100000);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(psn_add_wraps),
	KUNIT_CASE(psn_diff_wraps),
	KUNIT_CASE(psn_diff_half_the_space_is_behind),
	KUNIT_CASE(psn_diff_inverts_add),
	KUNIT_CASE(psn_in_half_open_range),
	KUNIT_CASE(psn_in_range_over_the_wrap),
	KUNIT_CASE(psn_count_rounds_up),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_psn",
	.test_cases = cases,
};

kunit_test_suite(suite);
