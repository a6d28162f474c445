// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Packets of other implementations: the same ICRC, and the same bytes again. */
#include <kunit/test.h>

#include "../../kernel/wire/icrc.h"
#include "../../kernel/wire/parse.h"
#include "vectors.h"

static void describe(const struct vector *vector, char *desc)
{
	strscpy(desc, vector->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(vectors, vectors, describe);

static const u8 *ip_of(const struct vector *vector)
{
	return vector->frame + vector->l2_len;
}

static u32 ip_len_of(const struct vector *vector)
{
	const u8 *ip = ip_of(vector);

	return ip[0] >> 4 == 6 ? 40 : (ip[0] & 15) * 4;
}

static const u8 *bth_of(const struct vector *vector)
{
	return ip_of(vector) + ip_len_of(vector) + 8;
}

/* Length from the BTH on, by the UDP header. */
static u32 len_of(const struct vector *vector)
{
	const u8 *udp = ip_of(vector) + ip_len_of(vector);

	return (udp[4] << 8 | udp[5]) - 8;
}

static u32 begin(const struct vector *vector)
{
	const u8 *ip = ip_of(vector), *bth = bth_of(vector);

	if (ip[0] >> 4 == 6)
		return croce_icrc_begin6(ip, bth - 8, bth);
	return croce_icrc_begin4(ip, ip_len_of(vector), bth - 8, bth);
}

static void vector_icrc_is_the_same(struct kunit *test)
{
	const struct vector *vector = test->param_value;
	const u8 *bth = bth_of(vector);
	u32 rest = len_of(vector) - 12 - 4;
	__le32 icrc;

	icrc = croce_icrc_final(croce_icrc_update(begin(vector), bth + 12,
						  rest));
	KUNIT_EXPECT_MEMEQ(test, &icrc, bth + 12 + rest, 4);
	KUNIT_EXPECT_PTR_EQ(test, bth + len_of(vector),
			    vector->frame + vector->len);
}

static void vector_headers_are_rebuilt(struct kunit *test)
{
	const struct vector *vector = test->param_value;
	u8 built[CROCE_MAX_HDR_LEN];
	struct croce_pkt pkt;
	u32 len;

	KUNIT_ASSERT_EQ(test, croce_pkt_parse(&pkt, bth_of(vector),
					      len_of(vector)),
			CROCE_PARSE_OK);
	len = croce_pkt_build(built, &pkt);
	KUNIT_EXPECT_EQ(test, len, pkt.hdr_len);
	KUNIT_EXPECT_MEMEQ(test, built, bth_of(vector), len);
}

static struct croce_pkt parsed(struct kunit *test, u32 n)
{
	struct croce_pkt pkt = {};

	KUNIT_EXPECT_EQ(test, croce_pkt_parse(&pkt, bth_of(&vectors[n]),
					      len_of(&vectors[n])),
			CROCE_PARSE_OK);
	return pkt;
}

/*
 * The facts that roce.txt notes about its packets. (Its 196 bytes of packet 5
 * include the ICRC.)
 */
static void vector_cnp_of_connectx4(struct kunit *test)
{
	struct croce_pkt pkt = parsed(test, 0);

	KUNIT_EXPECT_EQ(test, pkt.opcode, CROCE_OP_CNP);
	KUNIT_EXPECT_TRUE(test, pkt.becn);
	KUNIT_EXPECT_FALSE(test, pkt.fecn);
	KUNIT_EXPECT_FALSE(test, pkt.migreq);
	KUNIT_EXPECT_EQ(test, pkt.psn, 0);
	KUNIT_EXPECT_EQ(test, pkt.dest_qpn, 0x118);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 0);
}

static void vector_send_only_with_pad(struct kunit *test)
{
	struct croce_pkt pkt = parsed(test, 1);

	KUNIT_EXPECT_EQ(test, pkt.opcode, CROCE_OP_UC_SEND_ONLY);
	KUNIT_EXPECT_TRUE(test, pkt.migreq);
	KUNIT_EXPECT_EQ(test, pkt.pad, 2);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 18);
}

static void vector_mad_to_qp1(struct kunit *test)
{
	struct croce_pkt pkt = parsed(test, 2);

	KUNIT_EXPECT_EQ(test, pkt.opcode, CROCE_OP_UD_SEND_ONLY);
	KUNIT_EXPECT_EQ(test, pkt.dest_qpn, CROCE_QPN_GSI);
	KUNIT_EXPECT_EQ(test, pkt.qkey, 0x80010000);
	KUNIT_EXPECT_EQ(test, pkt.src_qpn, 1);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 256);
}

static void vector_rc_send_only(struct kunit *test)
{
	struct croce_pkt pkt = parsed(test, 3);

	KUNIT_EXPECT_EQ(test, pkt.opcode, CROCE_OP_RC_SEND_ONLY);
	KUNIT_EXPECT_TRUE(test, pkt.ackreq);
	KUNIT_EXPECT_EQ(test, pkt.psn, 0xfedfed);
	KUNIT_EXPECT_EQ(test, pkt.dest_qpn, 0xdeaded);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 192);
}

static void vector_read_request_of_rxe(struct kunit *test)
{
	struct croce_pkt pkt = parsed(test, 4);

	KUNIT_EXPECT_EQ(test, pkt.opcode, CROCE_OP_RC_READ_REQ);
	KUNIT_EXPECT_FALSE(test, pkt.migreq);
	KUNIT_EXPECT_EQ(test, pkt.va, 0x7fee260fb000);
	KUNIT_EXPECT_EQ(test, pkt.rkey, 0x2b8);
	KUNIT_EXPECT_EQ(test, pkt.dma_len, 0x10000);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(vector_icrc_is_the_same, vectors_gen_params),
	KUNIT_CASE_PARAM(vector_headers_are_rebuilt, vectors_gen_params),
	KUNIT_CASE(vector_cnp_of_connectx4),
	KUNIT_CASE(vector_send_only_with_pad),
	KUNIT_CASE(vector_mad_to_qp1),
	KUNIT_CASE(vector_rc_send_only),
	KUNIT_CASE(vector_read_request_of_rxe),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_vectors",
	.test_cases = cases,
};

kunit_test_suite(suite);
