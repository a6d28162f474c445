// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parser and builder. Packets lie in memory that is exactly as long as the
 * parser may read, so that a sanitizer sees one byte too many.
 */
#include <kunit/test.h>

#include "../../kernel/wire/parse.h"
#include "model.h"

#define POISON	0xee

/* What the parser has to say about a packet, checks in the order it makes. */
static enum croce_parse want_verdict(u8 opcode, u8 pad, u8 tver, u32 len)
{
	const struct model_row *row;
	u32 prefix, hdr_len, payload;

	if (len < 12 + 4)
		return CROCE_PARSE_TOO_SHORT;
	row = model_row(opcode, &prefix);
	if (!row)
		return CROCE_PARSE_BAD_OPCODE;
	if (tver)
		return CROCE_PARSE_BAD_TVER;
	hdr_len = model_hdr_len(row, prefix);
	if (len < hdr_len + 4)
		return CROCE_PARSE_TOO_SHORT;
	if (len & 3)
		return CROCE_PARSE_BAD_LENGTH;
	if (hdr_len + pad + 4 > len || (row->payload == 'F' && pad))
		return CROCE_PARSE_BAD_PAD;
	payload = len - hdr_len - pad - 4;
	if (payload > 4096 ||
	    (row->payload == '0' && payload) ||
	    (row->payload == '1' && !payload) ||
	    (row->payload == '8' && payload != 8) ||
	    (row->payload == 'F' && payload < 256))
		return CROCE_PARSE_BAD_LENGTH;
	return CROCE_PARSE_OK;
}

/* The readable part of a packet of @len bytes, with its first two bytes set. */
static u8 *make_packet(struct kunit *test, u32 len)
{
	u32 readable = min_t(u32, len, CROCE_MAX_HDR_LEN);
	u8 *bytes = kunit_kmalloc(test, readable ? readable : 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bytes);
	memset(bytes, POISON, readable);
	return bytes;
}

static void check_verdict(struct kunit *test, u8 *bytes, u8 opcode, u8 pad,
			  u8 tver, u32 len)
{
	enum croce_parse want = want_verdict(opcode, pad, tver, len);
	struct croce_pkt pkt;

	if (len > 0)
		bytes[0] = opcode;
	if (len > 1)
		bytes[1] = pad << 4 | tver;
	KUNIT_ASSERT_EQ_MSG(test, croce_pkt_parse(&pkt, bytes, len), want,
			    "opcode %02x pad %u tver %u length %u", opcode,
			    pad, tver, len);
	if (want != CROCE_PARSE_OK)
		return;
	KUNIT_ASSERT_EQ(test, pkt.opcode, opcode);
	KUNIT_ASSERT_EQ(test, pkt.pad, pad);
	KUNIT_ASSERT_EQ(test, pkt.hdr_len + pkt.payload_len + pad + 4, len);
}

static void check_all_opcodes(struct kunit *test, u32 len)
{
	u8 *bytes = make_packet(test, len);
	u32 opcode, pad;

	for (opcode = 0; opcode < 256; opcode++)
		for (pad = 0; pad < 4; pad++)
			check_verdict(test, bytes, opcode, pad, 0, len);
}

static void parse_all_opcodes_at_short_lengths(struct kunit *test)
{
	u32 len;

	for (len = 0; len <= 80; len++)
		check_all_opcodes(test, len);
}

static void parse_all_opcodes_around_limits(struct kunit *test)
{
	u32 len;

	for (len = 256; len <= 256 + CROCE_MAX_HDR_LEN + 8; len++)
		check_all_opcodes(test, len);
	for (len = 4096; len <= 4096 + CROCE_MAX_HDR_LEN + 12; len++)
		check_all_opcodes(test, len);
	check_all_opcodes(test, 65527);
	check_all_opcodes(test, 0x80000000);
	check_all_opcodes(test, 0xfffffffc);
	check_all_opcodes(test, 0xffffffff);
}

static void parse_refuses_other_tver(struct kunit *test)
{
	u8 *bytes = make_packet(test, 280);
	u32 opcode, tver;

	for (opcode = 0; opcode < 256; opcode++)
		for (tver = 1; tver < 16; tver++)
			check_verdict(test, bytes, opcode, 0, tver, 280);
}

static void parse_atomic_write_is_eight_bytes(struct kunit *test)
{
	u8 *bytes = make_packet(test, 12 + 16);
	struct croce_pkt pkt;
	u32 payload;

	memset(bytes, 0, 12 + 16);
	bytes[0] = CROCE_OP_RC_ATOMIC_WRITE;
	for (payload = 0; payload <= 16; payload += 4) {
		enum croce_parse verdict;

		verdict = croce_pkt_parse(&pkt, bytes, 12 + 16 + payload + 4);
		KUNIT_EXPECT_EQ(test, verdict == CROCE_PARSE_OK, payload == 8);
	}
}

/* Values that differ in each byte and do not fit their fields. */
static struct croce_pkt full_pkt(u8 opcode)
{
	return (struct croce_pkt){
		.opcode = opcode,
		.pad = 0xff,
		.solicited = true,
		.migreq = true,
		.fecn = true,
		.becn = true,
		.ackreq = true,
		.syndrome = 0x60,
		.pkey = 0x8182,
		.flush_plt = 0xff,
		.flush_sel = 0xff,
		.dest_qpn = 0xff212223,
		.psn = 0xff313233,
		.msn = 0xff616263,
		.va = 0x4142434445464748,
		.rkey = 0x51525354,
		.dma_len = 0x55565758,
		.swap_add = 0x7172737475767778,
		.compare = 0x898a8b8c8d8e8f80,
		.atomic_orig = 0x9192939495969798,
		.imm = cpu_to_be32(0xa1a2a3a4),
		.inv_rkey = 0xb1b2b3b4,
		.qkey = 0xc1c2c3c4,
		.src_qpn = 0xffd1d2d3,
		.xrc_srqn = 0xffe1e2e3,
	};
}

/* The headers that full_pkt() is to give, from the model and byte by byte. */
static u32 want_bytes(u8 *to, u8 opcode)
{
	static const char bth[] = "\xf0\x81\x82\xc0\x21\x22\x23\x80\x31\x32\x33";
	static const struct { char header; u8 len; const char *bytes; } texts[] = {
		{ 'r', 16, "ABCDEFGHQRSTUVWX" },
		{ 't', 28, "ABCDEFGHQRSTqrstuvwx\x89\x8a\x8b\x8c\x8d\x8e\x8f\x80" },
		{ 'a', 4, "`abc" },
		{ 'o', 8, "\x91\x92\x93\x94\x95\x96\x97\x98" },
		{ 'i', 4, "\xa1\xa2\xa3\xa4" },
		{ 'k', 4, "\xb1\xb2\xb3\xb4" },
		{ 'f', 4, "\0\0\0\x3f" },
		{ 'c', 16, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" },
	};
	u32 prefix, i, len = 12;
	const char *h = model_row(opcode, &prefix)->headers;

	to[0] = opcode;
	memcpy(to + 1, bth, 11);
	if (prefix == 4)
		memcpy(to + len, "\0\xe1\xe2\xe3", 4);
	if (prefix == 8)
		memcpy(to + len, "\xc1\xc2\xc3\xc4\0\xd1\xd2\xd3", 8);
	for (len += prefix; *h; h++) {
		for (i = 0; texts[i].header != *h; i++)
			;
		memcpy(to + len, texts[i].bytes, texts[i].len);
		len += texts[i].len;
	}
	return len;
}

static void build_gives_these_bytes(struct kunit *test)
{
	u8 got[CROCE_MAX_HDR_LEN], want[CROCE_MAX_HDR_LEN];
	u32 opcode, prefix, len;

	for (opcode = 0; opcode < 256; opcode++) {
		struct croce_pkt pkt = full_pkt(opcode);

		if (!model_row(opcode, &prefix))
			continue;
		memset(got, POISON, sizeof(got));
		memset(want, POISON, sizeof(want));
		len = want_bytes(want, opcode);
		KUNIT_EXPECT_EQ(test, croce_pkt_build(got, &pkt), len);
		KUNIT_EXPECT_MEMEQ_MSG(test, got, want, sizeof(got),
				       "opcode %02x", opcode);
	}
}

/* Each bit of the BTH moves exactly one field. */
static void build_bth_bit_by_bit(struct kunit *test)
{
	static const struct { struct croce_pkt pkt; u8 byte, value; } bits[] = {
		{ { .solicited = true }, 1, 0x80 },
		{ { .migreq = true }, 1, 0x40 },
		{ { .pad = 2 }, 1, 0x20 },
		{ { .pad = 1 }, 1, 0x10 },
		{ { .pkey = 0x8000 }, 2, 0x80 },
		{ { .pkey = 1 }, 3, 0x01 },
		{ { .fecn = true }, 4, 0x80 },
		{ { .becn = true }, 4, 0x40 },
		{ { .dest_qpn = 0x800000 }, 5, 0x80 },
		{ { .dest_qpn = 1 }, 7, 0x01 },
		{ { .ackreq = true }, 8, 0x80 },
		{ { .psn = 0x800000 }, 9, 0x80 },
		{ { .psn = 1 }, 11, 0x01 },
	};
	u8 got[CROCE_MAX_HDR_LEN], want[12];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		memset(want, 0, sizeof(want));
		want[bits[i].byte] = bits[i].value;
		KUNIT_EXPECT_EQ(test, croce_pkt_build(got, &bits[i].pkt), 12);
		KUNIT_EXPECT_MEMEQ_MSG(test, got, want, 12, "row %u", i);
	}
}

static void build_sets_no_reserved_bit(struct kunit *test)
{
	struct croce_pkt pkt = full_pkt(CROCE_OP_RC_SEND_ONLY);
	u8 got[CROCE_MAX_HDR_LEN];

	croce_pkt_build(got, &pkt);
	KUNIT_EXPECT_EQ(test, got[1] & 0x0f, 0);
	KUNIT_EXPECT_EQ(test, got[4] & 0x3f, 0);
	KUNIT_EXPECT_EQ(test, got[8] & 0x7f, 0);
}

/* Payload that the opcode allows, with its pad count put into @pkt. */
static u32 some_body(struct croce_pkt *pkt, char rule)
{
	u32 payload = rule == 'F' ? 1024 : rule == '8' ? 8 :
		      rule == '0' ? 0 : 33;

	pkt->pad = croce_pad_len(payload);
	return payload + pkt->pad;
}

/* An opcode's headers to a packet and to bytes again, at an odd address. */
static void check_round_trip(struct kunit *test, u8 opcode)
{
	u8 first[CROCE_MAX_HDR_LEN + 1], second[CROCE_MAX_HDR_LEN];
	u32 prefix, len, body;
	struct croce_pkt pkt = full_pkt(opcode), got;

	body = some_body(&pkt, model_row(opcode, &prefix)->payload);
	len = croce_pkt_build(first + 1, &pkt);
	KUNIT_ASSERT_EQ_MSG(test,
			    croce_pkt_parse(&got, first + 1, len + body + 4),
			    CROCE_PARSE_OK, "opcode %02x", opcode);
	KUNIT_EXPECT_EQ(test, got.hdr_len, len);
	KUNIT_EXPECT_EQ(test, got.payload_len, body - pkt.pad);
	KUNIT_EXPECT_EQ(test, croce_pkt_build(second, &got), len);
	KUNIT_EXPECT_MEMEQ_MSG(test, first + 1, second, len, "opcode %02x",
			       opcode);
}

static void parse_inverts_build(struct kunit *test)
{
	u32 opcode, prefix;

	for (opcode = 0; opcode < 256; opcode++)
		if (model_row(opcode, &prefix))
			check_round_trip(test, opcode);
}

static void parse_ignores_reserved_bits(struct kunit *test)
{
	struct croce_pkt pkt = full_pkt(CROCE_OP_UD_SEND_ONLY), got;
	u8 bytes[CROCE_MAX_HDR_LEN];

	pkt.pad = 0;
	croce_pkt_build(bytes, &pkt);
	bytes[4] |= 0x3f;
	bytes[8] |= 0x7f;
	bytes[16] = 0xff;
	KUNIT_ASSERT_EQ(test, croce_pkt_parse(&got, bytes, 24),
			CROCE_PARSE_OK);
	KUNIT_EXPECT_EQ(test, got.dest_qpn, 0x212223);
	KUNIT_EXPECT_EQ(test, got.psn, 0x313233);
	KUNIT_EXPECT_EQ(test, got.src_qpn, 0xd1d2d3);
	KUNIT_EXPECT_EQ(test, got.qkey, 0xc1c2c3c4);
}

static void parse_leaves_absent_headers_zero(struct kunit *test)
{
	static const u8 ack[20] = {
		CROCE_OP_RC_ACK, 0x40, 0xff, 0xff, 0, 0, 0, 17, 0, 0, 0, 5,
		0x1f, 0, 0, 9,
	};
	struct croce_pkt want = {
		.opcode = CROCE_OP_RC_ACK,
		.migreq = true,
		.pkey = 0xffff,
		.dest_qpn = 17,
		.psn = 5,
		.hdr_len = 16,
		.syndrome = 0x1f,
		.msn = 9,
	};
	struct croce_pkt got;

	memset(&got, POISON, sizeof(got));
	KUNIT_ASSERT_EQ(test, croce_pkt_parse(&got, ack, 20), CROCE_PARSE_OK);
	KUNIT_EXPECT_MEMEQ(test, &got, &want, sizeof(got));
}

static void pkt_fits_mtu_by_opcode(struct kunit *test)
{
	struct croce_pkt pkt = { .opcode = CROCE_OP_RC_SEND_MIDDLE };
	u32 len;

	for (len = 1020; len <= 1028; len++) {
		pkt.payload_len = len;
		pkt.opcode = CROCE_OP_RC_SEND_MIDDLE;
		KUNIT_EXPECT_EQ(test, croce_pkt_fits_mtu(&pkt, 1024),
				len == 1024);
		pkt.opcode = CROCE_OP_RC_SEND_LAST;
		KUNIT_EXPECT_EQ(test, croce_pkt_fits_mtu(&pkt, 1024),
				len <= 1024);
	}
}

static void pad_len_fills_up_to_four(struct kunit *test)
{
	u32 len;

	for (len = 0; len < 20; len++) {
		KUNIT_EXPECT_EQ(test, (len + croce_pad_len(len)) % 4, 0);
		KUNIT_EXPECT_LT(test, croce_pad_len(len), 4);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(parse_all_opcodes_at_short_lengths),
	KUNIT_CASE(parse_all_opcodes_around_limits),
	KUNIT_CASE(parse_refuses_other_tver),
	KUNIT_CASE(parse_atomic_write_is_eight_bytes),
	KUNIT_CASE(build_gives_these_bytes),
	KUNIT_CASE(build_bth_bit_by_bit),
	KUNIT_CASE(build_sets_no_reserved_bit),
	KUNIT_CASE(parse_inverts_build),
	KUNIT_CASE(parse_ignores_reserved_bits),
	KUNIT_CASE(parse_leaves_absent_headers_zero),
	KUNIT_CASE(pkt_fits_mtu_by_opcode),
	KUNIT_CASE(pad_len_fills_up_to_four),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_parse",
	.test_cases = cases,
};

kunit_test_suite(suite);
