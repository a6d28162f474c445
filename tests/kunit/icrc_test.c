// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* ICRC: what it covers, and that it is the CRC that others compute. */
#include <kunit/test.h>

#include "../../kernel/crc.h"
#include "../../kernel/wire/icrc.h"
#include "crc.h"

#define MAX_HDRS	80
#define MAX_PAYLOAD	68

/* Header bytes that differ, and offsets of the parts of a packet. */
struct layout {
	const char *name;
	u32 ip_len;
	u32 udp_len;
	u8 version;
	/* header bits that the ICRC does not cover, by byte */
	struct { u8 offset, mask; } masked[12];
};

static const struct layout layouts[] = {
	{ "IPv4", 20, 8, 0x45, {
		{ 1, 0xff }, { 8, 0xff }, { 10, 0xff }, { 11, 0xff },
		{ 26, 0xff }, { 27, 0xff }, { 32, 0xff },
	} },
	{ "IPv4 with options", 28, 8, 0x47, {
		{ 1, 0xff }, { 8, 0xff }, { 10, 0xff }, { 11, 0xff },
		{ 34, 0xff }, { 35, 0xff }, { 40, 0xff },
	} },
	{ "IPv4 with all options", 60, 8, 0x4f, {
		{ 1, 0xff }, { 8, 0xff }, { 10, 0xff }, { 11, 0xff },
		{ 66, 0xff }, { 67, 0xff }, { 72, 0xff },
	} },
	{ "IPv6", 40, 8, 0x62, {
		{ 0, 0x0f }, { 1, 0xff }, { 2, 0xff }, { 3, 0xff }, { 7, 0xff },
		{ 46, 0xff }, { 47, 0xff }, { 52, 0xff },
	} },
	{ "RoCEv1", 40, 0, 0x62, {
		{ 0, 0x0f }, { 1, 0xff }, { 2, 0xff }, { 3, 0xff }, { 7, 0xff },
		{ 44, 0xff },
	} },
};

static void describe(const struct layout *layout, char *desc)
{
	strscpy(desc, layout->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(layouts, layouts, describe);

static u32 hdrs_len(const struct layout *layout)
{
	return layout->ip_len + layout->udp_len + 12;
}

static void fill(u8 *bytes, u32 len, u32 seed)
{
	while (len--) {
		seed = seed * 1103515245 + 12345;
		*bytes++ = seed >> 16;
	}
}

static u32 begin(const struct layout *layout, const u8 *hdrs)
{
	const u8 *udp = hdrs + layout->ip_len;
	const u8 *bth = udp + layout->udp_len;

	if (!layout->udp_len)
		return croce_icrc_begin_grh(hdrs, bth);
	if (layout->version >> 4 == 6)
		return croce_icrc_begin6(hdrs, udp, bth);
	return croce_icrc_begin4(hdrs, layout->ip_len, udp, bth);
}

/* The raw register after the headers, from the rule's text. */
static u32 slow_begin(const struct layout *layout, const u8 *hdrs)
{
	u8 copy[8 + MAX_HDRS];
	u32 i;

	memset(copy, 0xff, 8);
	memcpy(copy + 8, hdrs, hdrs_len(layout));
	for (i = 0; i < ARRAY_SIZE(layout->masked); i++)
		copy[8 + layout->masked[i].offset] |= layout->masked[i].mask;
	return slow_crc32(~0U, copy, 8 + hdrs_len(layout));
}

static void icrc_of_sizes_like_slow_crc(struct kunit *test)
{
	const struct layout *layout = test->param_value;
	u8 hdrs[MAX_HDRS], body[MAX_PAYLOAD];
	u32 size, got, want;

	for (size = 0; size < MAX_PAYLOAD; size++) {
		fill(hdrs, sizeof(hdrs), size);
		fill(body, sizeof(body), size + 1000);
		hdrs[0] = layout->version;
		got = croce_icrc_update(begin(layout, hdrs), body, size);
		want = slow_crc32(slow_begin(layout, hdrs), body, size);
		KUNIT_EXPECT_EQ_MSG(test, got, want, "size %u", size);
	}
}

static bool is_masked(const struct layout *layout, u32 byte, u8 bit)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(layout->masked); i++)
		if (layout->masked[i].offset == byte &&
		    layout->masked[i].mask & bit)
			return true;
	return false;
}

static void icrc_covers_every_other_header_bit(struct kunit *test)
{
	const struct layout *layout = test->param_value;
	u32 before, byte, bit;
	u8 hdrs[MAX_HDRS];

	fill(hdrs, sizeof(hdrs), 7);
	hdrs[0] = layout->version;
	before = begin(layout, hdrs);
	for (byte = 0; byte < hdrs_len(layout); byte++) {
		for (bit = 1; bit < 256; bit <<= 1) {
			hdrs[byte] ^= bit;
			KUNIT_EXPECT_EQ_MSG(test, begin(layout, hdrs) == before,
					    is_masked(layout, byte, bit),
					    "byte %u bit %02x", byte, bit);
			hdrs[byte] ^= bit;
		}
	}
}

static void icrc_at_any_alignment(struct kunit *test)
{
	const struct layout *layout = test->param_value;
	u8 hdrs[MAX_HDRS + 8];
	u32 want, shift;

	fill(hdrs, sizeof(hdrs), 9);
	hdrs[0] = layout->version;
	want = begin(layout, hdrs);
	for (shift = 1; shift < 8; shift++) {
		memmove(hdrs + shift, hdrs + shift - 1, MAX_HDRS);
		KUNIT_EXPECT_EQ(test, begin(layout, hdrs + shift), want);
	}
}

static void icrc_update_in_pieces(struct kunit *test)
{
	u8 body[MAX_PAYLOAD];
	u32 cut, whole, pieces;

	fill(body, sizeof(body), 3);
	whole = croce_icrc_update(0x12345678, body, sizeof(body));
	for (cut = 0; cut <= sizeof(body); cut++) {
		pieces = croce_icrc_update(0x12345678, body, cut);
		pieces = croce_icrc_update(pieces, body + cut,
					   sizeof(body) - cut);
		KUNIT_EXPECT_EQ(test, pieces, whole);
	}
}

/* Whichever is faster here, and of whatever length. */
static void icrc_is_the_same_by_either_crc(struct kunit *test)
{
	u8 bytes[300];
	u32 at, len;

	fill(bytes, sizeof(bytes), 4);
	croce_crc_init();
	for (at = 0; at < 8; at++) {
		for (len = 0; at + len <= sizeof(bytes); len++) {
			u32 want = slow_crc32(at, bytes + at, len);

			KUNIT_EXPECT_EQ(test, want, crc32_le(at, bytes + at, len));
			KUNIT_EXPECT_EQ(test, want,
					croce_icrc_update(at, bytes + at, len));
			if (len >= CROCE_CRC_OTHER_MIN)
				KUNIT_EXPECT_EQ(test, want,
						croce_crc_other(at, bytes + at, len));
		}
	}
	croce_crc_exit();
}

/* The check value that every catalogue of CRCs gives for CRC-32. */
static void icrc_final_is_little_endian(struct kunit *test)
{
	static const u8 want[4] = { 0x26, 0x39, 0xf4, 0xcb };
	__le32 got = croce_icrc_final(croce_icrc_update(~0U, "123456789", 9));

	KUNIT_EXPECT_MEMEQ(test, &got, want, 4);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(icrc_of_sizes_like_slow_crc, layouts_gen_params),
	KUNIT_CASE_PARAM(icrc_covers_every_other_header_bit,
			 layouts_gen_params),
	KUNIT_CASE_PARAM(icrc_at_any_alignment, layouts_gen_params),
	KUNIT_CASE(icrc_update_in_pieces),
	KUNIT_CASE(icrc_is_the_same_by_either_crc),
	KUNIT_CASE(icrc_final_is_little_endian),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_icrc",
	.test_cases = cases,
};

kunit_test_suite(suite);
