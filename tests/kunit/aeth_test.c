// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Syndromes, credits and RNR timers, against the tables of the specification. */
#include <kunit/test.h>

#include "../../kernel/wire/aeth.h"

/* IBA volume 1, 9.7.7.2.2: receive WQEs by credit code */
static const u32 credits[31] = {
	0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384,
	512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384,
	24576, 32768,
};

/* IBA volume 1, table 45: microseconds by RNR timer code */
static const u32 timers_us[32] = {
	655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960,
	1280, 1920, 2560, 3840, 5120, 7680, 10240, 15360, 20480, 30720,
	40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520,
};

static void credit_wqes_as_in_table(struct kunit *test)
{
	u32 code;

	for (code = 0; code < ARRAY_SIZE(credits); code++)
		KUNIT_EXPECT_EQ_MSG(test, croce_credit_wqes(code),
				    credits[code], "code %u", code);
}

static void credit_code_rounds_down(struct kunit *test)
{
	u32 wqes, code = 0;

	for (wqes = 0; wqes < 40000; wqes++) {
		while (code < 30 && credits[code + 1] <= wqes)
			code++;
		KUNIT_EXPECT_EQ_MSG(test, croce_credit_code(wqes), code,
				    "%u receive WQEs", wqes);
	}
	KUNIT_EXPECT_EQ(test, croce_credit_code(0x80000000), 30);
	KUNIT_EXPECT_EQ(test, croce_credit_code(0xffffffff), 30);
}

static void rnr_timer_ns_as_in_table(struct kunit *test)
{
	u32 code;

	for (code = 0; code < 32; code++)
		KUNIT_EXPECT_EQ_MSG(test, croce_rnr_timer_ns(code),
				    timers_us[code] * 1000ULL, "code %u", code);
}

static void rnr_timer_code_inverts_ns(struct kunit *test)
{
	u32 code;

	for (code = 0; code < 32; code++)
		KUNIT_EXPECT_EQ(test,
				croce_rnr_timer_code(timers_us[code] * 1000ULL),
				code);
}

static void rnr_timer_code_rounds_up(struct kunit *test)
{
	u32 code;

	KUNIT_EXPECT_EQ(test, croce_rnr_timer_code(0), 1);
	for (code = 1; code < 32; code++) {
		u64 ns = timers_us[code] * 1000ULL;

		KUNIT_EXPECT_EQ(test, croce_rnr_timer_code(ns - 1), code);
		KUNIT_EXPECT_EQ(test, croce_rnr_timer_code(ns + 1),
				(code + 1) % 32);
	}
	KUNIT_EXPECT_EQ(test, croce_rnr_timer_code(~0ULL), 0);
}

/* All 256 syndromes; the top bit and the third kind are reserved. */
static void aeth_kind_of_every_syndrome(struct kunit *test)
{
	u32 syndrome;

	for (syndrome = 0; syndrome < 256; syndrome++) {
		enum croce_aeth_kind want =
			syndrome < 0x20 ? CROCE_AETH_ACK :
			syndrome < 0x40 ? CROCE_AETH_RNR :
			syndrome >= 0x60 && syndrome <= 0x64 ? CROCE_AETH_NAK :
			CROCE_AETH_RESERVED;

		KUNIT_EXPECT_EQ_MSG(test, croce_aeth_kind(syndrome), want,
				    "syndrome %02x", syndrome);
	}
}

static void aeth_syndromes_are_those_of_the_wire(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, croce_aeth_ack(CROCE_CREDIT_UNLIMITED), 0x1f);
	KUNIT_EXPECT_EQ(test, croce_aeth_ack(0), 0x00);
	KUNIT_EXPECT_EQ(test, croce_aeth_rnr(0), 0x20);
	KUNIT_EXPECT_EQ(test, croce_aeth_rnr(31), 0x3f);
	KUNIT_EXPECT_EQ(test, croce_aeth_nak(CROCE_NAK_PSN_SEQ), 0x60);
	KUNIT_EXPECT_EQ(test, croce_aeth_nak(CROCE_NAK_INV_REQ), 0x61);
	KUNIT_EXPECT_EQ(test, croce_aeth_nak(CROCE_NAK_REM_ACCESS), 0x62);
	KUNIT_EXPECT_EQ(test, croce_aeth_nak(CROCE_NAK_REM_OP), 0x63);
	KUNIT_EXPECT_EQ(test, croce_aeth_nak(CROCE_NAK_INV_RD), 0x64);
}

static void aeth_value_inverts_encoding(struct kunit *test)
{
	u32 value;

	for (value = 0; value < 32; value++) {
		KUNIT_EXPECT_EQ(test, croce_aeth_value(croce_aeth_ack(value)),
				value);
		KUNIT_EXPECT_EQ(test, croce_aeth_value(croce_aeth_rnr(value)),
				value);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(credit_wqes_as_in_table),
	KUNIT_CASE(credit_code_rounds_down),
	KUNIT_CASE(rnr_timer_ns_as_in_table),
	KUNIT_CASE(rnr_timer_code_inverts_ns),
	KUNIT_CASE(rnr_timer_code_rounds_up),
	KUNIT_CASE(aeth_kind_of_every_syndrome),
	KUNIT_CASE(aeth_syndromes_are_those_of_the_wire),
	KUNIT_CASE(aeth_value_inverts_encoding),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_aeth",
	.test_cases = cases,
};

kunit_test_suite(suite);
