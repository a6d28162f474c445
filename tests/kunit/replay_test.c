// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Responder: duplicates, NAKs, and responses that cannot be given. */
#include "responder.h"

static void duplicate_send_is_acknowledged_again(struct kunit *test)
{
	struct responder *r = responder_new(test);
	u32 i;

	for (i = 0; i < 3; i++)
		take_send(r, PSN(i), false);
	KUNIT_EXPECT_EQ(test, take_send(r, PSN(0), false),
			CROCE_RESP_DUPLICATE);
	/* With all that was executed. */
	expect_ack(test, r, PSN(2), ACK);
	expect_nothing(test, r);
}

/* Soft-RoCE takes an ACK over a READ that it asks for again for its end. */
static void duplicate_send_is_acknowledged_up_to_a_response(struct kunit *test)
{
	struct responder *r = responder_new(test);

	take_send(r, PSN(0), false);
	take_send(r, PSN(1), false);
	take_read(r, PSN(2), 3);
	take_send(r, PSN(5), true);
	answer_all(r);
	take_send(r, PSN(0), false);
	expect_ack(test, r, PSN(1), ACK);
	/* Behind it, to the end. */
	take_send(r, PSN(0), false);
	take_send(r, PSN(5), false);
	expect_ack(test, r, PSN(5), ACK);
}

static void duplicate_read_is_answered_again(struct kunit *test)
{
	struct responder *r = responder_new(test);

	take_read(r, PSN(0), 4);
	answer_all(r);
	KUNIT_EXPECT_EQ(test, take_read(r, PSN(0), 4), CROCE_RESP_DUPLICATE);
	expect_read(test, r, PSN(0), 4, VA);
	expect_nothing(test, r);
	KUNIT_EXPECT_EQ(test, r->resp.epsn, PSN(4));
}

static void duplicate_read_may_be_partial(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct croce_pkt pkt;
	struct croce_resp_run run;

	take_read(r, PSN(0), 8);
	answer_all(r);
	pkt = read_request(PSN(3), VA + 3 * MTU, 5 * MTU);
	take(r, &pkt, 0);
	run = answer(r);
	KUNIT_EXPECT_EQ(test, run.psn, PSN(3));
	KUNIT_EXPECT_EQ(test, run.npkts, 5);
	KUNIT_EXPECT_EQ(test, run.va, VA + 3 * MTU);
	KUNIT_EXPECT_EQ(test, croce_resp_opcode(&run, 0),
			CROCE_OP_RC_READ_RESP_FIRST);
	expect_nothing(test, r);
	/* And short of the end. */
	pkt = read_request(PSN(3), VA + 3 * MTU, 2 * MTU);
	take(r, &pkt, 0);
	expect_read(test, r, PSN(3), 2, VA + 3 * MTU);
	expect_nothing(test, r);
	/* The whole once more. */
	take_read(r, PSN(0), 8);
	expect_read(test, r, PSN(0), 8, VA);
}

static void duplicate_read_starts_over_while_being_sent(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct croce_resp_run run;
	struct croce_pkt pkt;

	take_read(r, PSN(0), 8);
	run = croce_resp_next(&r->resp, 4);
	croce_resp_on_sent(&r->resp, &run);
	pkt = read_request(PSN(2), VA + 2 * MTU, 6 * MTU);
	take(r, &pkt, 0);
	expect_read(test, r, PSN(2), 6, VA + 2 * MTU);
	expect_nothing(test, r);
}

/* Longer than what is left of the request, by every way of counting. */
static void duplicate_read_ends_with_the_request(struct kunit *test)
{
	static const u32 lengths[] = { 4 * MTU, 3 * MTU + 1, 1U << 31,
				       (1U << 31) + 1, (1U << 31) + 8 * MTU,
				       0xffffffff };
	static const u32 mtus[] = { 256, 1024 };
	u32 i, k;

	for (k = 0; k < ARRAY_SIZE(mtus); k++) {
		struct responder *r = responder_with(test, SLOTS, mtus[k], true);
		struct croce_pkt pkt = read_request(PSN(0), VA, 4 * mtus[k]);

		take(r, &pkt, 0);
		answer_all(r);
		for (i = 0; i < ARRAY_SIZE(lengths); i++) {
			pkt = read_request(PSN(1), VA, lengths[i]);
			KUNIT_EXPECT_EQ(test, take(r, &pkt, 0),
					CROCE_RESP_DUPLICATE);
			expect_nothing(test, r);
		}
	}
}

static void duplicate_read_over_two_requests_is_ignored(struct kunit *test)
{
	struct responder *r = responder_new(test);

	take_read(r, PSN(0), 4);
	take_read(r, PSN(4), 4);
	answer_all(r);
	take_read(r, PSN(2), 4);
	expect_nothing(test, r);
}

static void duplicate_atomic_has_the_first_result(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct croce_resp_run run;

	take_atomic(r, PSN(0), 11);
	take_atomic(r, PSN(1), 12);
	answer_all(r);
	KUNIT_EXPECT_EQ(test, take_atomic(r, PSN(0), 99),
			CROCE_RESP_DUPLICATE);
	run = answer(r);
	KUNIT_EXPECT_EQ(test, run.tx, CROCE_RESP_TX_ATOMIC);
	KUNIT_EXPECT_EQ(test, run.psn, PSN(0));
	KUNIT_EXPECT_EQ(test, run.orig, 11);
	expect_nothing(test, r);
}

static void duplicate_of_another_kind_is_ignored(struct kunit *test)
{
	struct responder *r = responder_new(test);

	take_read(r, PSN(0), 1);
	take_atomic(r, PSN(1), 5);
	answer_all(r);
	take_atomic(r, PSN(0), 5);
	take_read(r, PSN(1), 1);
	expect_nothing(test, r);
}

static void duplicates_are_answered_in_order(struct kunit *test)
{
	struct responder *r = responder_new(test);

	take_read(r, PSN(0), 1);
	take_read(r, PSN(1), 1);
	answer_all(r);
	take_read(r, PSN(1), 1);
	take_read(r, PSN(0), 1);
	expect_read(test, r, PSN(0), 1, VA);
	expect_read(test, r, PSN(1), 1, VA);
	expect_nothing(test, r);
}

static void replay_keeps_the_newest(struct kunit *test)
{
	struct responder *r = responder_new(test);
	u32 i;

	for (i = 0; i < 10; i++) {
		take_atomic(r, PSN(i), i);
		answer_all(r);
	}
	for (i = 0; i < 10; i++) {
		take_atomic(r, PSN(i), 0);
		KUNIT_EXPECT_EQ(test, croce_resp_owes(&r->resp),
				i >= 10 - SLOTS);
		if (i >= 10 - SLOTS)
			KUNIT_EXPECT_EQ(test, answer(r).orig, i);
	}
}

/* PSNs have wrapped since; the same PSN was an atomic then, and is one now. */
static void replay_prefers_the_newest_of_one_psn(struct kunit *test)
{
	struct responder *r = responder_new(test);
	u32 i;

	take_atomic(r, PSN(0), 1);
	answer_all(r);
	r->resp.epsn = PSN(0);
	take_atomic(r, PSN(0), 2);
	answer_all(r);
	for (i = 0; i < 3; i++) {
		take_atomic(r, PSN(0), 0);
		KUNIT_EXPECT_EQ(test, answer(r).orig, 2);
	}
}

static void replay_ring_goes_round_for_ever(struct kunit *test)
{
	struct responder *r = responder_new(test);
	u32 i;

	for (i = 0; i < 100; i++) {
		KUNIT_EXPECT_EQ(test, take_read(r, r->resp.epsn, 2),
				CROCE_RESP_EXECUTE);
		KUNIT_EXPECT_LT(test, r->resp.replay_prod, SLOTS);
		answer_all(r);
	}
}

static void more_requests_than_slots_are_invalid(struct kunit *test)
{
	struct responder *r = responder_new(test);
	u32 i;

	for (i = 0; i < SLOTS; i++)
		KUNIT_EXPECT_EQ(test, take_read(r, PSN(i), 1),
				CROCE_RESP_EXECUTE);
	KUNIT_EXPECT_EQ(test, take_read(r, PSN(i), 1), CROCE_RESP_INVALID);
	for (i = 0; i < SLOTS; i++)
		expect_read(test, r, PSN(i), 1, VA);
	expect_ack(test, r, PSN(SLOTS), croce_aeth_nak(CROCE_NAK_INV_REQ));
}

static void no_slots_no_requests(struct kunit *test)
{
	struct responder *r = responder_with(test, 0, MTU, true);

	KUNIT_EXPECT_EQ(test, take_send(r, PSN(0), true), CROCE_RESP_EXECUTE);
	answer_all(r);
	KUNIT_EXPECT_EQ(test, take_read(r, PSN(1), 1), CROCE_RESP_INVALID);
}

/* A new request says that the oldest answer arrived, so it need not be sent
 * again, although a late duplicate asked for that.
 */
static void new_request_takes_the_place_of_a_repeat(struct kunit *test)
{
	struct responder *r = responder_new(test);
	u32 i;

	for (i = 0; i < SLOTS; i++)
		take_read(r, PSN(i), 1);
	answer_all(r);
	take_read(r, PSN(0), 1);
	take_read(r, PSN(1), 1);
	KUNIT_EXPECT_EQ(test, take_atomic(r, PSN(SLOTS), 9),
			CROCE_RESP_EXECUTE);
	KUNIT_EXPECT_EQ(test, r->resp.replay_pending, 2);
	expect_read(test, r, PSN(1), 1, VA);
	KUNIT_EXPECT_EQ(test, answer(r).orig, 9);
	expect_nothing(test, r);
}

static void gap_gets_one_nak(struct kunit *test)
{
	struct responder *r = responder_new(test);

	KUNIT_EXPECT_EQ(test, take_send(r, PSN(2), true),
			CROCE_RESP_OUT_OF_ORDER);
	expect_ack(test, r, PSN(0), SEQ_NAK);
	take_send(r, PSN(3), true);
	take_send(r, PSN(1), true);
	expect_nothing(test, r);
}

static void next_gap_gets_its_own_nak(struct kunit *test)
{
	struct responder *r = responder_new(test);

	take_send(r, PSN(1), true);
	expect_ack(test, r, PSN(0), SEQ_NAK);
	take_send(r, PSN(0), false);
	expect_nothing(test, r);
	take_send(r, PSN(2), false);
	expect_ack(test, r, PSN(1), SEQ_NAK);
}

/* All in one batch, before anything was sent. */
static void nak_goes_when_the_gap_is_filled(struct kunit *test)
{
	struct responder *r = responder_new(test);

	take_send(r, PSN(1), false);
	take_send(r, PSN(0), false);
	take_send(r, PSN(1), false);
	expect_ack(test, r, PSN(1), ACK);
	expect_nothing(test, r);
}

static void nak_stays_when_the_gap_is_filled_in_part(struct kunit *test)
{
	struct responder *r = responder_new(test);

	take_send(r, PSN(2), false);
	take_send(r, PSN(0), true);
	take_send(r, PSN(3), false);
	expect_ack(test, r, PSN(1), SEQ_NAK);
	expect_nothing(test, r);
	take_send(r, PSN(2), false);
	expect_nothing(test, r);
}

static void nak_stays_behind_a_response(struct kunit *test)
{
	struct responder *r = responder_new(test);

	take_send(r, PSN(5), false);
	take_read(r, PSN(0), 2);
	expect_read(test, r, PSN(0), 2, VA);
	expect_ack(test, r, PSN(2), SEQ_NAK);
}

static void rnr_is_given_every_time(struct kunit *test)
{
	struct responder *r = responder_new(test);
	u32 i;

	for (i = 0; i < 3; i++) {
		croce_resp_refuse(&r->resp, RNR);
		expect_ack(test, r, PSN(0), RNR);
	}
	KUNIT_EXPECT_EQ(test, take_send(r, PSN(0), true), CROCE_RESP_EXECUTE);
	expect_ack(test, r, PSN(0), ACK);
}

static void rnr_silences_what_follows(struct kunit *test)
{
	struct responder *r = responder_new(test);

	croce_resp_refuse(&r->resp, RNR);
	take_send(r, PSN(1), true);
	expect_ack(test, r, PSN(0), RNR);
	take_send(r, PSN(2), true);
	expect_nothing(test, r);
}

/* A copy of the packet found a receive WQE before the NAK was out. */
static void rnr_is_withdrawn_when_a_copy_is_executed(struct kunit *test)
{
	struct responder *r = responder_new(test);

	croce_resp_refuse(&r->resp, RNR);
	take_send(r, PSN(0), false);
	expect_ack(test, r, PSN(0), ACK);
	expect_nothing(test, r);
}

static void rnr_is_said_rather_than_a_repeated_ack(struct kunit *test)
{
	struct responder *r = responder_new(test);

	take_send(r, PSN(0), false);
	croce_resp_refuse(&r->resp, RNR);
	take_send(r, PSN(0), false);
	expect_ack(test, r, PSN(1), RNR);
}

static void refusal_is_the_end(struct kunit *test)
{
	struct responder *r = responder_new(test);

	take_read(r, PSN(0), 2);
	croce_resp_refuse(&r->resp, ACCESS_NAK);
	KUNIT_EXPECT_EQ(test, take_send(r, PSN(2), true), CROCE_RESP_DROP);
	expect_read(test, r, PSN(0), 2, VA);
	expect_ack(test, r, PSN(2), ACCESS_NAK);
	expect_nothing(test, r);
}

static void abandon_names_the_missing_response(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct croce_resp_run run;

	take_read(r, PSN(0), 8);
	take_send(r, PSN(8), true);
	run = croce_resp_next(&r->resp, 3);
	croce_resp_on_sent(&r->resp, &run);
	run = croce_resp_next(&r->resp, 3);
	KUNIT_EXPECT_TRUE(test, croce_resp_abandon(&r->resp, &run, ACCESS_NAK));
	expect_ack(test, r, PSN(3), ACCESS_NAK);
	expect_nothing(test, r);
	KUNIT_EXPECT_EQ(test, take_send(r, PSN(9), true), CROCE_RESP_DROP);
}

/* The requester has its answer, said so, and the memory was taken back; then
 * a late copy of the request arrives.
 */
static void abandon_of_a_repeat_is_no_harm(struct kunit *test)
{
	struct responder *r = responder_new(test);
	struct croce_resp_run run;

	take_read(r, PSN(0), 2);
	answer_all(r);
	take_send(r, PSN(2), true);
	take_read(r, PSN(0), 2);
	run = croce_resp_next(&r->resp, 64);
	KUNIT_EXPECT_FALSE(test, croce_resp_abandon(&r->resp, &run,
						    ACCESS_NAK));
	expect_ack(test, r, PSN(0), ACCESS_NAK);
	expect_ack(test, r, PSN(2), ACK);
	expect_nothing(test, r);
	KUNIT_EXPECT_EQ(test, take_read(r, PSN(3), 1), CROCE_RESP_EXECUTE);
	expect_read(test, r, PSN(3), 1, VA);
	/* Should it work another time, it is answered. */
	take_read(r, PSN(0), 2);
	expect_read(test, r, PSN(0), 2, VA);
}

static void stop_forgets_what_is_owed(struct kunit *test)
{
	struct responder *r = responder_new(test);

	take_read(r, PSN(0), 2);
	take_send(r, PSN(2), true);
	croce_resp_stop(&r->resp);
	expect_nothing(test, r);
	KUNIT_EXPECT_EQ(test, r->resp.replay_pending, 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(duplicate_send_is_acknowledged_again),
	KUNIT_CASE(duplicate_send_is_acknowledged_up_to_a_response),
	KUNIT_CASE(duplicate_read_is_answered_again),
	KUNIT_CASE(duplicate_read_may_be_partial),
	KUNIT_CASE(duplicate_read_starts_over_while_being_sent),
	KUNIT_CASE(duplicate_read_ends_with_the_request),
	KUNIT_CASE(duplicate_read_over_two_requests_is_ignored),
	KUNIT_CASE(duplicate_atomic_has_the_first_result),
	KUNIT_CASE(duplicate_of_another_kind_is_ignored),
	KUNIT_CASE(duplicates_are_answered_in_order),
	KUNIT_CASE(replay_keeps_the_newest),
	KUNIT_CASE(replay_prefers_the_newest_of_one_psn),
	KUNIT_CASE(replay_ring_goes_round_for_ever),
	KUNIT_CASE(more_requests_than_slots_are_invalid),
	KUNIT_CASE(no_slots_no_requests),
	KUNIT_CASE(new_request_takes_the_place_of_a_repeat),
	KUNIT_CASE(gap_gets_one_nak),
	KUNIT_CASE(next_gap_gets_its_own_nak),
	KUNIT_CASE(nak_goes_when_the_gap_is_filled),
	KUNIT_CASE(nak_stays_when_the_gap_is_filled_in_part),
	KUNIT_CASE(nak_stays_behind_a_response),
	KUNIT_CASE(rnr_is_given_every_time),
	KUNIT_CASE(rnr_silences_what_follows),
	KUNIT_CASE(rnr_is_withdrawn_when_a_copy_is_executed),
	KUNIT_CASE(rnr_is_said_rather_than_a_repeated_ack),
	KUNIT_CASE(refusal_is_the_end),
	KUNIT_CASE(abandon_names_the_missing_response),
	KUNIT_CASE(abandon_of_a_repeat_is_no_harm),
	KUNIT_CASE(stop_forgets_what_is_owed),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_replay",
	.test_cases = cases,
};

kunit_test_suite(suite);
