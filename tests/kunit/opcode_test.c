// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The opcode table against the hand-written one, and its own laws. */
#include <kunit/test.h>

#include "../../kernel/wire/opcode.h"
#include "model.h"

#define TRANSPORTS	GENMASK(4, 0)
#define POSITIONS	GENMASK(8, 5)
#define OPERATIONS	GENMASK(17, 9)
#define DIRECTIONS	GENMASK(19, 18)
#define HEADERS		GENMASK(29, 20)

static void opcode_known_as_in_tables(struct kunit *test)
{
	u32 opcode, prefix;

	for (opcode = 0; opcode < 256; opcode++)
		KUNIT_EXPECT_EQ_MSG(test, !!croce_opcode_flags(opcode),
				    !!model_row(opcode, &prefix),
				    "opcode %02x", opcode);
}

static void opcode_hdr_len_as_in_tables(struct kunit *test)
{
	u32 opcode, prefix, longest = 0;

	for (opcode = 0; opcode < 256; opcode++) {
		const struct model_row *row = model_row(opcode, &prefix);
		u32 want = row ? model_hdr_len(row, prefix) : 0;

		longest = max(longest, want);
		KUNIT_EXPECT_EQ_MSG(test, croce_opcode_info(opcode)->hdr_len,
				    want, "opcode %02x", opcode);
	}
	KUNIT_EXPECT_EQ(test, longest, CROCE_MAX_HDR_LEN);
}

static void opcode_headers_as_in_tables(struct kunit *test)
{
	static const struct { char letter; u32 flag; } names[] = {
		{ 'r', CROCE_OPF_RETH },	{ 'a', CROCE_OPF_AETH },
		{ 'i', CROCE_OPF_IMM },		{ 'k', CROCE_OPF_IETH },
		{ 't', CROCE_OPF_ATOMICETH },	{ 'f', CROCE_OPF_FETH },
		{ 'o', CROCE_OPF_ATOMICACKETH }, { 'c', CROCE_OPF_CNP_BODY },
	};
	u32 opcode, prefix, i;

	for (opcode = 0; opcode < 256; opcode++) {
		const struct model_row *row = model_row(opcode, &prefix);
		u32 want = 0;

		if (row && prefix)
			want = prefix == 8 ? CROCE_OPF_DETH : CROCE_OPF_XRCETH;
		for (i = 0; row && i < ARRAY_SIZE(names); i++)
			if (strchr(row->headers, names[i].letter))
				want |= names[i].flag;
		KUNIT_EXPECT_EQ_MSG(test, croce_opcode_flags(opcode) & HEADERS,
				    want, "opcode %02x", opcode);
	}
}

static void opcode_payload_as_in_tables(struct kunit *test)
{
	static const char rules[] = {
		[CROCE_PAYLOAD_NONE] = '0',
		[CROCE_PAYLOAD_FULL_MTU] = 'F',
		[CROCE_PAYLOAD_1_TO_MTU] = '1',
		[CROCE_PAYLOAD_0_TO_MTU] = '-',
		[CROCE_PAYLOAD_EXACT8] = '8',
	};
	u32 opcode, prefix;

	for (opcode = 0; opcode < 256; opcode++) {
		const struct model_row *row = model_row(opcode, &prefix);
		u8 rule = croce_opcode_info(opcode)->payload;

		KUNIT_EXPECT_EQ_MSG(test, rules[rule], row ? row->payload : '0',
				    "opcode %02x", opcode);
	}
}

static void opcode_transport_is_top_bits(struct kunit *test)
{
	static const u32 transports[8] = {
		CROCE_OPF_RC, CROCE_OPF_UC, 0, CROCE_OPF_UD,
		CROCE_OPF_CNP, CROCE_OPF_XRC, 0, 0,
	};
	u32 opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		u32 flags = croce_opcode_flags(opcode);

		if (flags)
			KUNIT_EXPECT_EQ_MSG(test, flags & TRANSPORTS,
					    transports[opcode >> 5],
					    "opcode %02x", opcode);
	}
}

static void opcode_has_one_of_each_kind(struct kunit *test)
{
	u32 opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		u32 flags = croce_opcode_flags(opcode);
		u32 want = flags && opcode != CROCE_OP_CNP;

		KUNIT_EXPECT_EQ_MSG(test, hweight32(flags & POSITIONS), want,
				    "opcode %02x", opcode);
		KUNIT_EXPECT_EQ_MSG(test, hweight32(flags & OPERATIONS), want,
				    "opcode %02x", opcode);
		KUNIT_EXPECT_EQ_MSG(test, hweight32(flags & DIRECTIONS), want,
				    "opcode %02x", opcode);
	}
}

static void opcode_direction_follows_operation(struct kunit *test)
{
	u32 opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		u32 flags = croce_opcode_flags(opcode);

		if (!flags || opcode == CROCE_OP_CNP)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, !!(flags & CROCE_OPF_RESPONSE),
				    model_is_response(opcode), "opcode %02x",
				    opcode);
	}
}

static void opcode_numbers_are_those_of_the_wire(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, CROCE_OP_RC_SEND_FIRST, 0x00);
	KUNIT_EXPECT_EQ(test, CROCE_OP_RC_WRITE_ONLY_IMM, 0x0b);
	KUNIT_EXPECT_EQ(test, CROCE_OP_RC_READ_REQ, 0x0c);
	KUNIT_EXPECT_EQ(test, CROCE_OP_RC_READ_RESP_ONLY, 0x10);
	KUNIT_EXPECT_EQ(test, CROCE_OP_RC_ACK, 0x11);
	KUNIT_EXPECT_EQ(test, CROCE_OP_RC_ATOMIC_ACK, 0x12);
	KUNIT_EXPECT_EQ(test, CROCE_OP_RC_CMP_SWAP, 0x13);
	KUNIT_EXPECT_EQ(test, CROCE_OP_RC_FETCH_ADD, 0x14);
	KUNIT_EXPECT_EQ(test, CROCE_OP_RC_SEND_ONLY_INV, 0x17);
	KUNIT_EXPECT_EQ(test, CROCE_OP_RC_FLUSH, 0x1c);
	KUNIT_EXPECT_EQ(test, CROCE_OP_RC_ATOMIC_WRITE, 0x1d);
	KUNIT_EXPECT_EQ(test, CROCE_OP_UC_SEND_ONLY, 0x24);
	KUNIT_EXPECT_EQ(test, CROCE_OP_UD_SEND_ONLY, 0x64);
	KUNIT_EXPECT_EQ(test, CROCE_OP_CNP, 0x81);
	KUNIT_EXPECT_EQ(test, CROCE_OP_XRC_SEND_ONLY, 0xa4);
	KUNIT_EXPECT_EQ(test, CROCE_OP_XRC_SEND_ONLY_INV, 0xb7);
}

/* The same operation, with the SRQ's number in requests and nothing else. */
static void opcode_on_xrc_is_that_of_rc(struct kunit *test)
{
	u32 rc;

	for (rc = 0; rc <= CROCE_OP_MASK; rc++) {
		u8 xrc = croce_opcode_on(CROCE_TRANSPORT_XRC, rc);
		u32 want = croce_opcode_flags(rc);

		KUNIT_EXPECT_EQ(test, xrc, 0xa0 + rc);
		/* Annex A19 is not for XRC. */
		if (!want || rc == CROCE_OP_FLUSH || rc == CROCE_OP_ATOMIC_WRITE) {
			KUNIT_EXPECT_FALSE(test, croce_opcode_flags(xrc));
			continue;
		}
		want = (want & ~CROCE_OPF_RC) | CROCE_OPF_XRC;
		if (want & CROCE_OPF_REQUEST)
			want |= CROCE_OPF_XRCETH;
		KUNIT_EXPECT_EQ_MSG(test, croce_opcode_flags(xrc), want,
				    "opcode %02x", xrc);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(opcode_known_as_in_tables),
	KUNIT_CASE(opcode_hdr_len_as_in_tables),
	KUNIT_CASE(opcode_headers_as_in_tables),
	KUNIT_CASE(opcode_payload_as_in_tables),
	KUNIT_CASE(opcode_transport_is_top_bits),
	KUNIT_CASE(opcode_has_one_of_each_kind),
	KUNIT_CASE(opcode_direction_follows_operation),
	KUNIT_CASE(opcode_numbers_are_those_of_the_wire),
	KUNIT_CASE(opcode_on_xrc_is_that_of_rc),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_opcode",
	.test_cases = cases,
};

kunit_test_suite(suite);
