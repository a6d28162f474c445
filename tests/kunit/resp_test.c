// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Responder: what a request means, and what is owed for it. */
#include "responder.h"

static void decide_by_distance(struct kunit *test)
{
	static const struct {
		u32 distance;
		u8 verdict;
	} table[] = {
		{ 0, CROCE_RESP_EXECUTE }, { 1, CROCE_RESP_OUT_OF_ORDER },
		{ 0x7fffff, CROCE_RESP_OUT_OF_ORDER },
		{ 0x800000, CROCE_RESP_DUPLICATE },
		{ 0xffffff, CROCE_RESP_DUPLICATE },
	};
	struct responder *r = responder_new(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct croce_pkt pkt = packet(CROCE_OP_RC_SEND_ONLY,
					      PSN(table[i].distance), 1);

		KUNIT_EXPECT_EQ(test, croce_resp_decide(&r->resp, &pkt).verdict,
				table[i].verdict);
	}
}

static void decide_changes_nothing(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct responder before = *r;
	struct croce_pkt pkt = read_request(PSN(0), VA, 5);

	croce_resp_decide(&r->resp, &pkt);
	KUNIT_EXPECT_MEMEQ(test, &before, r, sizeof(before));
}

static void decide_drops_when_not_active(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct croce_pkt pkt = packet(CROCE_OP_RC_SEND_ONLY, PSN(0), 1);

	croce_resp_stop(&r->resp);
	KUNIT_EXPECT_EQ(test, croce_resp_decide(&r->resp, &pkt).verdict,
			CROCE_RESP_DROP);
	croce_resp_init(&r->resp);
	KUNIT_EXPECT_EQ(test, croce_resp_decide(&r->resp, &pkt).verdict,
			CROCE_RESP_DROP);
}

/* Opcode and payload of packets that are in order, and what the last means. */
struct sequence {
	u8 opcodes[3];
	u32 lengths[3];
	u32 dma_len;
	u8 verdict;
};

static const struct sequence sequences[] = {
	{ { CROCE_OP_RC_SEND_FIRST, CROCE_OP_RC_SEND_MIDDLE,
	    CROCE_OP_RC_SEND_LAST }, { MTU, MTU, 1 }, 0, CROCE_RESP_EXECUTE },
	{ { CROCE_OP_RC_SEND_FIRST, CROCE_OP_RC_SEND_LAST_INV },
	  { MTU, MTU }, 0, CROCE_RESP_EXECUTE },
	{ { CROCE_OP_RC_SEND_ONLY, CROCE_OP_RC_SEND_ONLY_IMM },
	  { 0, MTU }, 0, CROCE_RESP_EXECUTE },
	{ { CROCE_OP_RC_SEND_MIDDLE }, { MTU }, 0, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_SEND_LAST }, { 1 }, 0, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_WRITE_MIDDLE }, { MTU }, 0, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_WRITE_LAST_IMM }, { 1 }, 0, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_SEND_FIRST, CROCE_OP_RC_SEND_FIRST },
	  { MTU, MTU }, 0, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_SEND_FIRST, CROCE_OP_RC_SEND_ONLY },
	  { MTU, 1 }, 0, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_SEND_FIRST, CROCE_OP_RC_WRITE_LAST },
	  { MTU, 1 }, 0, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_WRITE_FIRST, CROCE_OP_RC_SEND_MIDDLE },
	  { MTU, MTU }, 3 * MTU, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_SEND_FIRST, CROCE_OP_RC_READ_REQ },
	  { MTU, 0 }, 0, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_SEND_FIRST, CROCE_OP_RC_CMP_SWAP },
	  { MTU, 0 }, 0, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_SEND_FIRST, CROCE_OP_RC_SEND_LAST,
	    CROCE_OP_RC_SEND_LAST }, { MTU, 1, 1 }, 0, CROCE_RESP_INVALID },
	/* lengths */
	{ { CROCE_OP_RC_SEND_FIRST }, { MTU - 4 }, 0, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_SEND_FIRST }, { 2 * MTU }, 0, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_SEND_ONLY }, { MTU + 1 }, 0, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_SEND_FIRST, CROCE_OP_RC_SEND_MIDDLE },
	  { MTU, MTU / 2 }, 0, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_SEND_FIRST, CROCE_OP_RC_SEND_LAST },
	  { MTU, MTU + 1 }, 0, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_WRITE_ONLY }, { 5 }, 5, CROCE_RESP_EXECUTE },
	{ { CROCE_OP_RC_WRITE_ONLY }, { 5 }, 4, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_WRITE_ONLY }, { 5 }, 6, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_WRITE_ONLY_IMM }, { 0 }, 0, CROCE_RESP_EXECUTE },
	{ { CROCE_OP_RC_WRITE_FIRST, CROCE_OP_RC_WRITE_LAST },
	  { MTU, 7 }, MTU + 7, CROCE_RESP_EXECUTE },
	{ { CROCE_OP_RC_WRITE_FIRST, CROCE_OP_RC_WRITE_LAST },
	  { MTU, 7 }, MTU + 8, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_WRITE_FIRST, CROCE_OP_RC_WRITE_LAST },
	  { MTU, 8 }, MTU + 7, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_WRITE_FIRST }, { MTU }, MTU, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_WRITE_FIRST, CROCE_OP_RC_WRITE_MIDDLE },
	  { MTU, MTU }, 2 * MTU, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_WRITE_FIRST }, { MTU }, 0x80000001,
	  CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_READ_REQ }, { 0 }, 0x80000001, CROCE_RESP_INVALID },
	{ { CROCE_OP_RC_READ_REQ }, { 0 }, 0x80000000, CROCE_RESP_EXECUTE },
};

static void decide_checks_the_sequence(struct kunit *test)
{
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(sequences); i++) {
		const struct sequence *sequence = &sequences[i];
		struct responder *r = responder_new(test);
		u8 verdict = 0;

		for (k = 0; k < 3; k++) {
			struct croce_pkt pkt = packet(sequence->opcodes[k],
						      PSN(k),
						      sequence->lengths[k]);

			if (!sequence->opcodes[k] && !sequence->lengths[k])
				break;
			pkt.dma_len = sequence->dma_len;
			verdict = take(r, &pkt, 0);
		}
		KUNIT_EXPECT_EQ_MSG(test, verdict, sequence->verdict,
				    "row %u", i);
	}
}

static struct croce_pkt xrc_packet(u8 operation, u32 psn, u32 length, u32 srqn)
{
	struct croce_pkt pkt = packet(croce_opcode_on(CROCE_TRANSPORT_XRC,
						      operation), psn, length);

	pkt.xrc_srqn = srqn;
	return pkt;
}

static void decide_wants_one_srq_in_all_of_a_message(struct kunit *test)
{
	static const struct {
		u32 srqn[3];
		u8 verdict;
	} table[] = {
		{ { 7, 7, 7 }, CROCE_RESP_EXECUTE },
		{ { 7, 7, 0 }, CROCE_RESP_INVALID },
		{ { 7, 7, 8 }, CROCE_RESP_INVALID },
		{ { 0, 0, 0 }, CROCE_RESP_EXECUTE },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		const u32 *srqn = table[i].srqn;
		struct responder *r = responder_new(test);
		struct croce_pkt first = xrc_packet(CROCE_OP_SEND_FIRST,
						    PSN(0), MTU, srqn[0]);
		struct croce_pkt middle = xrc_packet(CROCE_OP_SEND_MIDDLE,
						     PSN(1), MTU, srqn[1]);
		struct croce_pkt last = xrc_packet(CROCE_OP_SEND_LAST, PSN(2),
						   5, srqn[2]);

		KUNIT_EXPECT_EQ(test, take(r, &first, 0), CROCE_RESP_EXECUTE);
		KUNIT_EXPECT_EQ(test, take(r, &middle, 0), CROCE_RESP_EXECUTE);
		KUNIT_EXPECT_EQ(test, take(r, &last, 0), table[i].verdict);
	}
}

static void decide_lets_each_message_name_its_srq(struct kunit *test)
{
	struct responder *r = responder_new(test);
	u32 i;

	for (i = 0; i < 8; i++) {
		struct croce_pkt pkt = xrc_packet(i & 1 ? CROCE_OP_SEND_ONLY :
						  CROCE_OP_WRITE_ONLY, PSN(i),
						  5, 0xfffffe + i);

		KUNIT_EXPECT_EQ(test, take(r, &pkt, 0), CROCE_RESP_EXECUTE);
	}
}

static void xrc_read_is_answered_for_its_srq(struct kunit *test)
{
	struct croce_pkt one = xrc_packet(CROCE_OP_READ_REQ, PSN(0), 0, 7);
	struct croce_pkt two = xrc_packet(CROCE_OP_READ_REQ, PSN(2), 0, 8);
	struct responder *r = responder_new(test);

	one.dma_len = 2 * MTU;
	two.dma_len = MTU;
	take(r, &one, 0);
	take(r, &two, 0);
	KUNIT_EXPECT_EQ(test, answer(r).srqn, 7);
	KUNIT_EXPECT_EQ(test, answer(r).srqn, 8);
	expect_nothing(test, r);
	/* A repeat names its own. */
	one.xrc_srqn = 9;
	KUNIT_EXPECT_EQ(test, take(r, &one, 0), CROCE_RESP_DUPLICATE);
	KUNIT_EXPECT_EQ(test, answer(r).srqn, 9);
}

static void decide_refuses_a_send_of_more_than_2_gib(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct croce_pkt pkt = packet(CROCE_OP_RC_SEND_FIRST, PSN(0), MTU);

	take(r, &pkt, 0);
	pkt = packet(CROCE_OP_RC_SEND_LAST, PSN(1), MTU);
	r->resp.offset = (1U << 31) - MTU;
	KUNIT_EXPECT_EQ(test, croce_resp_decide(&r->resp, &pkt).verdict,
			CROCE_RESP_EXECUTE);
	r->resp.offset = (1U << 31) - MTU + 1;
	KUNIT_EXPECT_EQ(test, croce_resp_decide(&r->resp, &pkt).verdict,
			CROCE_RESP_INVALID);
}

static void record_of_a_write(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct croce_pkt pkt = packet(CROCE_OP_RC_WRITE_FIRST, PSN(0), MTU);
	struct croce_resp_record rec;

	pkt.dma_len = MTU + 9;
	rec = croce_resp_decide(&r->resp, &pkt);
	KUNIT_EXPECT_TRUE(test, rec.first);
	KUNIT_EXPECT_FALSE(test, rec.last);
	KUNIT_EXPECT_FALSE(test, rec.takes_rqe);
	KUNIT_EXPECT_EQ(test, rec.va, VA);
	KUNIT_EXPECT_EQ(test, rec.dma_len, MTU + 9);
	croce_resp_accept(&r->resp, &pkt, &rec, 0);
	pkt = packet(CROCE_OP_RC_WRITE_LAST_IMM, PSN(1), 9);
	pkt.va = 0;
	pkt.rkey = 0;
	rec = croce_resp_decide(&r->resp, &pkt);
	KUNIT_EXPECT_TRUE(test, rec.takes_rqe);
	KUNIT_EXPECT_TRUE(test, rec.completes_rqe);
	KUNIT_EXPECT_EQ(test, rec.offset, MTU);
	KUNIT_EXPECT_EQ(test, rec.va, VA + MTU);
	KUNIT_EXPECT_EQ(test, rec.rkey, RKEY);
	KUNIT_EXPECT_EQ(test, rec.dma_len, MTU + 9);
}

static void record_of_a_send(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct croce_pkt pkt = packet(CROCE_OP_RC_SEND_FIRST, PSN(0), MTU);
	struct croce_resp_record rec = croce_resp_decide(&r->resp, &pkt);

	KUNIT_EXPECT_TRUE(test, rec.takes_rqe);
	KUNIT_EXPECT_FALSE(test, rec.completes_rqe);
	croce_resp_accept(&r->resp, &pkt, &rec, 0);
	pkt = packet(CROCE_OP_RC_SEND_LAST, PSN(1), 3);
	rec = croce_resp_decide(&r->resp, &pkt);
	KUNIT_EXPECT_FALSE(test, rec.takes_rqe);
	KUNIT_EXPECT_TRUE(test, rec.completes_rqe);
	KUNIT_EXPECT_EQ(test, rec.offset, MTU);
	KUNIT_EXPECT_EQ(test, rec.length, 3);
}

static void ack_only_when_asked(struct kunit *test)
{
	struct responder *r = responder_new(test);

	take_send(r, PSN(0), false);
	expect_nothing(test, r);
	take_send(r, PSN(1), true);
	expect_ack(test, r, PSN(1), ACK);
	expect_nothing(test, r);
}

static void ack_once_for_a_batch(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct croce_resp_run run;
	u32 i;

	for (i = 0; i < 6; i++)
		take_send(r, PSN(i), true);
	run = croce_resp_next(&r->resp, 1);
	KUNIT_EXPECT_EQ(test, run.psn, PSN(5));
	KUNIT_EXPECT_EQ(test, run.msn, 6);
	croce_resp_on_sent(&r->resp, &run);
	expect_nothing(test, r);
}

static void ack_in_the_middle_of_a_message(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct croce_pkt pkt = packet(CROCE_OP_RC_SEND_FIRST, PSN(0), MTU);

	pkt.ackreq = true;
	take(r, &pkt, 0);
	KUNIT_EXPECT_EQ(test, r->resp.msn, 0);
	expect_ack(test, r, PSN(0), ACK);
}

static void read_takes_as_many_psns_as_packets(struct kunit *test)
{
	static const struct {
		u32 length;
		u32 npsn;
	} table[] = { { 0, 1 }, { 1, 1 }, { MTU, 1 }, { MTU + 1, 2 },
		      { 1U << 31, 1 << 21 } };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct responder *r = responder_new(test);
		struct croce_pkt pkt = read_request(PSN(0), VA,
						    table[i].length);

		take(r, &pkt, 0);
		KUNIT_EXPECT_EQ(test, r->resp.epsn, PSN(table[i].npsn));
		KUNIT_EXPECT_EQ(test, r->resp.msn, 1);
	}
}

static void read_is_answered_in_runs(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct croce_pkt pkt = read_request(PSN(0), VA, 100 * MTU + 3);
	struct croce_resp_run run;

	take(r, &pkt, 0);
	run = answer(r);
	KUNIT_EXPECT_EQ(test, run.npkts, 64);
	KUNIT_EXPECT_EQ(test, run.length, 64 * MTU);
	KUNIT_EXPECT_EQ(test, croce_resp_opcode(&run, 0),
			CROCE_OP_RC_READ_RESP_FIRST);
	KUNIT_EXPECT_EQ(test, croce_resp_opcode(&run, 63),
			CROCE_OP_RC_READ_RESP_MIDDLE);
	run = answer(r);
	KUNIT_EXPECT_EQ(test, run.psn, PSN(64));
	KUNIT_EXPECT_EQ(test, run.va, VA + 64 * MTU);
	KUNIT_EXPECT_EQ(test, run.length, 36 * MTU + 3);
	KUNIT_EXPECT_EQ(test, croce_resp_opcode(&run, 0),
			CROCE_OP_RC_READ_RESP_MIDDLE);
	KUNIT_EXPECT_EQ(test, croce_resp_opcode(&run, 36),
			CROCE_OP_RC_READ_RESP_LAST);
	expect_nothing(test, r);
}

static void read_goes_on_where_a_short_run_ended(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct croce_resp_run run;

	take_read(r, PSN(0), 10);
	run = croce_resp_next(&r->resp, 64);
	run.npkts = 3;
	run.last = false;
	croce_resp_on_sent(&r->resp, &run);
	expect_read(test, r, PSN(3), 7, VA + 3 * MTU);
}

static void read_of_nothing_is_answered(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct croce_resp_run run;

	take_read(r, PSN(0), 0);
	run = answer(r);
	KUNIT_EXPECT_EQ(test, run.npkts, 1);
	KUNIT_EXPECT_EQ(test, run.length, 0);
	KUNIT_EXPECT_EQ(test, croce_resp_opcode(&run, 0),
			CROCE_OP_RC_READ_RESP_ONLY);
	expect_nothing(test, r);
}

static void read_of_2_gib_ends(struct kunit *test)
{
	struct responder *r = responder_with(test, SLOTS, 256, true);
	struct croce_pkt pkt = read_request(PSN(0), VA, 1U << 31);
	u64 bytes = 0;
	u32 npkts = 0;

	take(r, &pkt, 0);
	while (croce_resp_owes(&r->resp)) {
		struct croce_resp_run run = answer(r);

		KUNIT_ASSERT_EQ(test, run.va, VA + bytes);
		bytes += run.length;
		npkts += run.npkts;
	}
	KUNIT_EXPECT_EQ(test, bytes, 1ULL << 31);
	KUNIT_EXPECT_EQ(test, npkts, 1 << 23);
	/* Its first PSN is as far behind as a PSN can be. */
	pkt = read_request(PSN(0), VA, 256);
	KUNIT_EXPECT_EQ(test, take(r, &pkt, 0), CROCE_RESP_DUPLICATE);
	KUNIT_EXPECT_EQ(test, answer(r).psn, PSN(0));
}

static void responses_go_before_the_ack(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct croce_resp_run run;

	take_send(r, PSN(0), true);
	take_read(r, PSN(1), 2);
	take_atomic(r, PSN(3), 77);
	take_send(r, PSN(4), true);
	expect_read(test, r, PSN(1), 2, VA);
	run = answer(r);
	KUNIT_EXPECT_EQ(test, run.tx, CROCE_RESP_TX_ATOMIC);
	KUNIT_EXPECT_EQ(test, run.psn, PSN(3));
	KUNIT_EXPECT_EQ(test, run.orig, 77);
	KUNIT_EXPECT_EQ(test, croce_resp_opcode(&run, 0),
			CROCE_OP_RC_ATOMIC_ACK);
	expect_ack(test, r, PSN(4), ACK);
	expect_nothing(test, r);
}

static void response_is_acknowledgement_enough(struct kunit *test)
{
	struct responder *r = responder_new(test);

	take_send(r, PSN(0), true);
	take_read(r, PSN(1), 1);
	expect_read(test, r, PSN(1), 1, VA);
	expect_nothing(test, r);
}

static void annex_a19_is_answered_like_a_read_of_nothing(struct kunit *test)
{
	static const u8 opcodes[] = { CROCE_OP_RC_FLUSH,
				      CROCE_OP_RC_ATOMIC_WRITE };
	u32 i, times;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		struct responder *r = responder_new(test);
		struct croce_pkt pkt = packet(opcodes[i], PSN(0), i ? 8 : 0);

		for (times = 0; times < 3; times++) {
			struct croce_resp_run run;

			take(r, &pkt, 0);
			run = answer(r);
			KUNIT_EXPECT_EQ(test, run.psn, PSN(0));
			KUNIT_EXPECT_EQ(test, run.length, 0);
			KUNIT_EXPECT_EQ(test, croce_resp_opcode(&run, 0),
					CROCE_OP_RC_READ_RESP_ONLY);
			expect_nothing(test, r);
		}
		KUNIT_EXPECT_EQ(test, r->resp.msn, 1);
	}
}

static void uc_message_without_loss(struct kunit *test)
{
	struct responder *r = responder_with(test, 0, MTU, false);
	struct croce_pkt pkt = packet(CROCE_OP_UC_SEND_FIRST, PSN(0), MTU);

	pkt.ackreq = true;
	KUNIT_EXPECT_EQ(test, take(r, &pkt, 0), CROCE_RESP_EXECUTE);
	pkt = packet(CROCE_OP_UC_SEND_LAST, PSN(1), 1);
	KUNIT_EXPECT_EQ(test, take(r, &pkt, 0), CROCE_RESP_EXECUTE);
	expect_nothing(test, r);
}

static void uc_rest_of_a_broken_message_is_skipped(struct kunit *test)
{
	struct responder *r = responder_with(test, 0, MTU, false);
	struct croce_pkt pkt = packet(CROCE_OP_UC_SEND_FIRST, PSN(0), MTU);

	take(r, &pkt, 0);
	pkt = packet(CROCE_OP_UC_SEND_MIDDLE, PSN(2), MTU);
	KUNIT_EXPECT_EQ(test, take(r, &pkt, 0), CROCE_RESP_OUT_OF_ORDER);
	pkt = packet(CROCE_OP_UC_SEND_LAST, PSN(3), 1);
	KUNIT_EXPECT_EQ(test, take(r, &pkt, 0), CROCE_RESP_OUT_OF_ORDER);
	pkt = packet(CROCE_OP_UC_SEND_ONLY, PSN(4), 1);
	KUNIT_EXPECT_EQ(test, take(r, &pkt, 0), CROCE_RESP_EXECUTE);
	expect_nothing(test, r);
}

static void uc_first_packet_begins_anew(struct kunit *test)
{
	struct responder *r = responder_with(test, 0, MTU, false);
	struct croce_pkt pkt = packet(CROCE_OP_UC_SEND_FIRST, PSN(0), MTU);
	struct croce_resp_record rec;

	take(r, &pkt, 0);
	pkt = packet(CROCE_OP_UC_SEND_FIRST, PSN(5), MTU);
	rec = croce_resp_decide(&r->resp, &pkt);
	KUNIT_EXPECT_EQ(test, rec.verdict, CROCE_RESP_EXECUTE);
	KUNIT_EXPECT_EQ(test, rec.offset, 0);
	take(r, &pkt, 0);
	pkt = packet(CROCE_OP_UC_SEND_LAST, PSN(6), 4);
	rec = croce_resp_decide(&r->resp, &pkt);
	KUNIT_EXPECT_EQ(test, rec.verdict, CROCE_RESP_EXECUTE);
	KUNIT_EXPECT_EQ(test, rec.offset, MTU);
}

static void uc_without_receive_wqe_drops_the_message(struct kunit *test)
{
	struct responder *r = responder_with(test, 0, MTU, false);
	struct croce_pkt pkt = packet(CROCE_OP_UC_SEND_LAST, PSN(1), 1);

	croce_resp_refuse(&r->resp, RNR);
	expect_nothing(test, r);
	KUNIT_EXPECT_EQ(test, take(r, &pkt, 0), CROCE_RESP_OUT_OF_ORDER);
	pkt = packet(CROCE_OP_UC_SEND_ONLY, PSN(2), 1);
	KUNIT_EXPECT_EQ(test, take(r, &pkt, 0), CROCE_RESP_EXECUTE);
}

static void uc_knows_no_responses(struct kunit *test)
{
	struct responder *r = responder_with(test, 0, MTU, false);
	struct croce_pkt pkt = read_request(PSN(0), VA, 1);

	KUNIT_EXPECT_EQ(test, take(r, &pkt, 0), CROCE_RESP_DROP);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(decide_by_distance),
	KUNIT_CASE(decide_changes_nothing),
	KUNIT_CASE(decide_drops_when_not_active),
	KUNIT_CASE(decide_checks_the_sequence),
	KUNIT_CASE(decide_wants_one_srq_in_all_of_a_message),
	KUNIT_CASE(decide_lets_each_message_name_its_srq),
	KUNIT_CASE(decide_refuses_a_send_of_more_than_2_gib),
	KUNIT_CASE(record_of_a_write),
	KUNIT_CASE(record_of_a_send),
	KUNIT_CASE(ack_only_when_asked),
	KUNIT_CASE(ack_once_for_a_batch),
	KUNIT_CASE(ack_in_the_middle_of_a_message),
	KUNIT_CASE(read_takes_as_many_psns_as_packets),
	KUNIT_CASE(read_is_answered_in_runs),
	KUNIT_CASE(read_goes_on_where_a_short_run_ended),
	KUNIT_CASE(read_of_nothing_is_answered),
	KUNIT_CASE(read_of_2_gib_ends),
	KUNIT_CASE(responses_go_before_the_ack),
	KUNIT_CASE(response_is_acknowledgement_enough),
	KUNIT_CASE(xrc_read_is_answered_for_its_srq),
	KUNIT_CASE(annex_a19_is_answered_like_a_read_of_nothing),
	KUNIT_CASE(uc_message_without_loss),
	KUNIT_CASE(uc_rest_of_a_broken_message_is_skipped),
	KUNIT_CASE(uc_first_packet_begins_anew),
	KUNIT_CASE(uc_without_receive_wqe_drops_the_message),
	KUNIT_CASE(uc_knows_no_responses),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_resp",
	.test_cases = cases,
};

kunit_test_suite(suite);
