// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completer: what acknowledgements, NAKs and responses do to the window. */
#include "requester.h"

static void post_sends(struct requester *r, u32 n)
{
	while (n--)
		post(r, CROCE_KIND_SEND, 1);
	send_all(r);
}

static void ack_covers_all_before(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_comp_record rec;

	/* Over the wrap. */
	post_sends(r, 40);
	rec = on_ack(r, PSN(29));
	KUNIT_EXPECT_EQ(test, rec.verdict, CROCE_COMP_PROGRESS);
	KUNIT_EXPECT_EQ(test, rec.acked, 30);
	KUNIT_EXPECT_EQ(test, r->req.una_psn, PSN(30));
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 30);
	KUNIT_EXPECT_EQ(test, on_ack(r, PSN(39)).acked, 10);
	KUNIT_EXPECT_EQ(test, r->req.deadline_ns, 0);
}

static void ack_in_the_middle_of_a_message(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_SEND, 5 * MTU);
	send_all(r);
	KUNIT_EXPECT_EQ(test, on_ack(r, PSN(2)).acked, 3);
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 0);
	KUNIT_EXPECT_EQ(test, on_ack(r, PSN(4)).acked, 2);
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 1);
}

static void ack_outside_of_the_window_is_a_ghost(struct kunit *test)
{
	static const u32 ghosts[] = { 0, 3, 8, 9, 1000, 0x7fffff, 0x800000,
				      0x800004, 0xffffff };
	struct requester *r = requester_new(test);
	struct croce_req before;
	u32 i;

	post_sends(r, 8);
	on_ack(r, PSN(3));
	before = r->req;
	for (i = 0; i < ARRAY_SIZE(ghosts); i++) {
		KUNIT_EXPECT_EQ(test, on_ack(r, PSN(ghosts[i])).verdict,
				CROCE_COMP_DROP);
		on_nak(r, PSN(ghosts[i]), CROCE_NAK_REM_ACCESS);
		on_rnr(r, PSN(ghosts[i]));
		KUNIT_EXPECT_MEMEQ(test, &before, &r->req, sizeof(before));
	}
}

static void ack_with_a_reserved_syndrome_is_dropped(struct kunit *test)
{
	static const u8 syndromes[] = { 0x40, 0x5f, 0x65, 0x7f, 0x80, 0xe0 };
	struct requester *r = requester_new(test);
	u32 i;

	post_sends(r, 8);
	for (i = 0; i < ARRAY_SIZE(syndromes); i++) {
		KUNIT_EXPECT_EQ(test,
				on_syndrome(r, PSN(7), syndromes[i]).verdict,
				CROCE_COMP_DROP);
		KUNIT_EXPECT_EQ(test, r->req.una_psn, PSN(0));
	}
}

static void ack_in_error_changes_nothing(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post_sends(r, 2);
	r->req.state = CROCE_REQ_ERROR;
	KUNIT_EXPECT_EQ(test, on_ack(r, PSN(1)).verdict, CROCE_COMP_DROP);
	r->req.state = CROCE_REQ_OFF;
	KUNIT_EXPECT_EQ(test, on_ack(r, PSN(1)).verdict, CROCE_COMP_DROP);
}

static void ack_over_a_missing_response_is_an_implied_nak(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_comp_record rec;

	post(r, CROCE_KIND_SEND, 1);
	post(r, CROCE_KIND_READ, 2 * MTU);
	post(r, CROCE_KIND_SEND, 1);
	send_all(r);
	rec = on_ack(r, PSN(3));
	KUNIT_EXPECT_EQ(test, rec.verdict, CROCE_COMP_IMPLIED_NAK);
	KUNIT_EXPECT_EQ(test, rec.acked, 1);
	KUNIT_EXPECT_EQ(test, r->req.retries, 7);
	KUNIT_EXPECT_EQ(test, send_run(r).psn, PSN(1));
	/* Once for a retransmission. */
	KUNIT_EXPECT_EQ(test, on_ack(r, PSN(3)).verdict, CROCE_COMP_DROP);
}

static void response_is_placed(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_comp_record rec;

	post(r, CROCE_KIND_READ, 2 * MTU + 7);
	send_all(r);
	rec = on_response(r, CROCE_OP_RC_READ_RESP_FIRST, PSN(0), MTU);
	KUNIT_EXPECT_EQ(test, rec.verdict, CROCE_COMP_PLACE);
	KUNIT_EXPECT_EQ(test, rec.offset, 0);
	KUNIT_EXPECT_EQ(test, rec.length, MTU);
	rec = on_response(r, CROCE_OP_RC_READ_RESP_MIDDLE, PSN(1), MTU);
	KUNIT_EXPECT_EQ(test, rec.offset, MTU);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 1);
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 0);
	rec = on_response(r, CROCE_OP_RC_READ_RESP_LAST, PSN(2), 7);
	KUNIT_EXPECT_EQ(test, rec.offset, 2 * MTU);
	KUNIT_EXPECT_EQ(test, rec.length, 7);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 0);
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 1);
}

static void response_is_placed_once(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_READ, 3 * MTU);
	send_all(r);
	on_middles(r, 0, 2);
	KUNIT_EXPECT_EQ(test, on_middles(r, 0, 1).verdict, CROCE_COMP_DROP);
	KUNIT_EXPECT_EQ(test, on_middles(r, 1, 1).verdict, CROCE_COMP_DROP);
}

static void response_of_nothing_is_progress(struct kunit *test)
{
	static const u8 kinds[] = { CROCE_KIND_READ, CROCE_KIND_ATOMIC_WRITE,
				    CROCE_KIND_FLUSH };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct requester *r = requester_new(test);

		post(r, kinds[i], 0);
		send_all(r);
		KUNIT_EXPECT_EQ(test,
				on_response(r, CROCE_OP_RC_READ_RESP_ONLY,
					    PSN(0), 0).verdict,
				CROCE_COMP_PROGRESS);
		KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 0);
		KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 1);
	}
}

static void response_of_an_atomic_places_8_bytes(struct kunit *test)
{
	static const u8 kinds[] = { CROCE_KIND_CMP_SWAP,
				    CROCE_KIND_FETCH_ADD };
	struct croce_comp_record rec;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct requester *r = requester_new(test);

		post(r, kinds[i], 8);
		send_all(r);
		rec = on_response(r, CROCE_OP_RC_ATOMIC_ACK, PSN(0), 0);
		KUNIT_EXPECT_EQ(test, rec.verdict, CROCE_COMP_PLACE);
		KUNIT_EXPECT_EQ(test, rec.length, 8);
		KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 1);
	}
}

static void response_acknowledges_what_is_before(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_comp_record rec;

	post(r, CROCE_KIND_SEND, 3 * MTU);
	post(r, CROCE_KIND_LOCAL, 0);
	post(r, CROCE_KIND_READ, 5);
	send_all(r);
	rec = on_response(r, CROCE_OP_RC_READ_RESP_ONLY, PSN(3), 5);
	KUNIT_EXPECT_EQ(test, rec.verdict, CROCE_COMP_PLACE);
	KUNIT_EXPECT_EQ(test, rec.wqe, 2);
	KUNIT_EXPECT_EQ(test, rec.acked, 4);
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 3);
}

static void response_ahead_is_an_implied_nak(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_comp_record rec;
	struct croce_req_run run;

	post(r, CROCE_KIND_READ, 70 * MTU);
	send_all(r);
	on_middles(r, 0, 10);
	rec = on_middles(r, 12, 1);
	KUNIT_EXPECT_EQ(test, rec.verdict, CROCE_COMP_IMPLIED_NAK);
	/* Asks again from there to the end of the chunk, then goes on. */
	run = send_run(r);
	KUNIT_EXPECT_EQ(test, run.psn, PSN(10));
	KUNIT_EXPECT_EQ(test, run.npsn, 54);
	KUNIT_EXPECT_EQ(test, run.offset, 10 * MTU);
	KUNIT_EXPECT_EQ(test, run.length, 54 * MTU);
	KUNIT_EXPECT_EQ(test, send_run(r).psn, PSN(64));
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 2);
}

static void response_that_does_not_fit_fails(struct kunit *test)
{
	static const struct {
		u8 kind;
		u8 opcode;
		u32 length;
	} table[] = {
		{ CROCE_KIND_READ, CROCE_OP_RC_READ_RESP_ONLY, 9 },
		{ CROCE_KIND_READ, CROCE_OP_RC_READ_RESP_ONLY, 11 },
		{ CROCE_KIND_READ, CROCE_OP_RC_READ_RESP_ONLY, 0 },
		{ CROCE_KIND_READ, CROCE_OP_RC_READ_RESP_MIDDLE, MTU },
		{ CROCE_KIND_READ, CROCE_OP_RC_ATOMIC_ACK, 0 },
		{ CROCE_KIND_FETCH_ADD, CROCE_OP_RC_READ_RESP_ONLY, 8 },
		{ CROCE_KIND_FLUSH, CROCE_OP_RC_READ_RESP_ONLY, 1 },
		{ CROCE_KIND_FLUSH, CROCE_OP_RC_ATOMIC_ACK, 0 },
	};
	u8 status = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct requester *r = requester_new(test);

		post(r, table[i].kind, 10);
		send_all(r);
		KUNIT_EXPECT_EQ_MSG(test,
				    on_response(r, table[i].opcode, PSN(0),
						table[i].length).verdict,
				    CROCE_COMP_ERROR, "row %u", i);
		KUNIT_EXPECT_EQ(test, reap_all(r, &status), 1);
		KUNIT_EXPECT_EQ(test, status, CROCE_STATUS_BAD_RESP_ERR);
	}
}

static void response_to_a_send_is_dropped(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post_sends(r, 2);
	KUNIT_EXPECT_EQ(test, on_response(r, CROCE_OP_RC_READ_RESP_ONLY,
					  PSN(1), 1).verdict, CROCE_COMP_DROP);
	KUNIT_EXPECT_EQ(test, on_response(r, CROCE_OP_RC_ATOMIC_ACK, PSN(0),
					  0).verdict, CROCE_COMP_DROP);
	KUNIT_EXPECT_EQ(test, r->req.una_psn, PSN(0));
}

static void response_ends_a_chunk(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_READ, 70 * MTU);
	send_all(r);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 2);
	on_middles(r, 0, 63);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 2);
	on_middles(r, 63, 1);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 1);
	on_middles(r, 64, 6);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 0);
}

/* The first answer arrives although it was given up; then the second. */
static void response_of_before_a_rewind(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_READ, 4 * MTU);
	post(r, CROCE_KIND_READ, 1);
	send_all(r);
	on_timer(r);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 0);
	on_middles(r, 0, 4);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 0);
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 1);
	KUNIT_EXPECT_EQ(test, send_run(r).psn, PSN(4));
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 1);
	KUNIT_EXPECT_EQ(test, on_middles(r, 0, 4).verdict, CROCE_COMP_DROP);
	on_response(r, CROCE_OP_RC_READ_RESP_ONLY, PSN(4), 1);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 0);
}

static void seq_nak_starts_again(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_comp_record rec;

	post_sends(r, 6);
	rec = on_nak(r, PSN(2), CROCE_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, rec.verdict, CROCE_COMP_SEQ_NAK);
	KUNIT_EXPECT_EQ(test, rec.acked, 2);
	KUNIT_EXPECT_EQ(test, r->req.retries, 6);
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 2);
	KUNIT_EXPECT_EQ(test, send_run(r).psn, PSN(2));
	KUNIT_EXPECT_NE(test, r->req.deadline_ns, 0);
}

static void seq_nak_before_anything_was_resent_is_stale(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_comp_record rec;

	post_sends(r, 6);
	on_nak(r, PSN(2), CROCE_NAK_PSN_SEQ);
	rec = on_nak(r, PSN(2), CROCE_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, rec.verdict, CROCE_COMP_DROP);
	/* Also after progress that came from before. */
	on_ack(r, PSN(3));
	rec = on_nak(r, PSN(4), CROCE_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, rec.verdict, CROCE_COMP_DROP);
	KUNIT_EXPECT_EQ(test, r->req.retries, 7);
}

static void seq_nak_uses_up_the_retries(struct kunit *test)
{
	struct requester *r = requester_new(test);
	u8 status = 0;
	u32 i;

	post_sends(r, 2);
	for (i = 0; i < 7; i++) {
		KUNIT_EXPECT_EQ(test,
				on_nak(r, PSN(0), CROCE_NAK_PSN_SEQ).verdict,
				CROCE_COMP_SEQ_NAK);
		send_all(r);
	}
	KUNIT_EXPECT_EQ(test, on_nak(r, PSN(0), CROCE_NAK_PSN_SEQ).verdict,
			CROCE_COMP_ERROR);
	KUNIT_EXPECT_EQ(test, reap_all(r, &status), 1);
	KUNIT_EXPECT_EQ(test, status, CROCE_STATUS_RETRY_EXC_ERR);
}

static void progress_gives_the_retries_back(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post_sends(r, 4);
	on_nak(r, PSN(0), CROCE_NAK_PSN_SEQ);
	send_all(r);
	on_nak(r, PSN(0), CROCE_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, r->req.retries, 5);
	send_all(r);
	on_ack(r, PSN(0));
	KUNIT_EXPECT_EQ(test, r->req.retries, 7);
}

static void nak_fails_the_request_it_names(struct kunit *test)
{
	static const u8 table[][2] = {
		{ CROCE_NAK_INV_REQ, CROCE_STATUS_REM_INV_REQ_ERR },
		{ CROCE_NAK_REM_ACCESS, CROCE_STATUS_REM_ACCESS_ERR },
		{ CROCE_NAK_REM_OP, CROCE_STATUS_REM_OP_ERR },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct requester *r = requester_new(test);
		struct croce_comp_record rec;
		u8 status = 0;

		post_sends(r, 4);
		rec = on_nak(r, PSN(2), table[i][0]);
		KUNIT_EXPECT_EQ(test, rec.verdict, CROCE_COMP_ERROR);
		KUNIT_EXPECT_EQ(test, rec.status, table[i][1]);
		KUNIT_EXPECT_EQ(test, croce_req_reap(&r->req)->status, 0);
		KUNIT_EXPECT_EQ(test, croce_req_reap(&r->req)->status, 0);
		KUNIT_EXPECT_EQ(test, reap_all(r, &status), 1);
		KUNIT_EXPECT_EQ(test, status, table[i][1]);
		KUNIT_EXPECT_EQ(test, r->req.deadline_ns, 0);
	}
}

static void nak_of_an_unknown_kind_is_dropped(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post_sends(r, 2);
	KUNIT_EXPECT_EQ(test, on_nak(r, PSN(0), CROCE_NAK_INV_RD).verdict,
			CROCE_COMP_DROP);
	KUNIT_EXPECT_EQ(test, r->req.state, CROCE_REQ_RUN);
}

static void nak_of_a_read_fails_it(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_pkt pkt = {
		.opcode = CROCE_OP_RC_READ_RESP_ONLY,
		.syndrome = croce_aeth_nak(CROCE_NAK_REM_ACCESS),
	};
	u8 status = 0;

	post(r, CROCE_KIND_SEND, 1);
	post(r, CROCE_KIND_READ, 5);
	send_all(r);
	pkt.psn = PSN(1);
	KUNIT_EXPECT_EQ(test, receive(r, &pkt).verdict, CROCE_COMP_ERROR);
	KUNIT_EXPECT_EQ(test, reap_all(r, &status), 2);
	KUNIT_EXPECT_EQ(test, status, CROCE_STATUS_REM_ACCESS_ERR);
}

static void nak_behind_a_missing_response_waits(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_READ, 1);
	post(r, CROCE_KIND_SEND, 1);
	send_all(r);
	KUNIT_EXPECT_EQ(test, on_nak(r, PSN(1), CROCE_NAK_REM_OP).verdict,
			CROCE_COMP_IMPLIED_NAK);
	KUNIT_EXPECT_EQ(test, r->req.state, CROCE_REQ_RUN);
}

static void early_by_kind(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_SEND, 1);
	post(r, CROCE_KIND_READ, 3 * MTU);
	post(r, CROCE_KIND_SEND, 1);
	send_all(r);
	/* PSN, ACK, response: 0 to 5 */
	KUNIT_EXPECT_FALSE(test, croce_comp_is_early(&r->req, CROCE_OPF_ACK,
						     PSN(0)));
	KUNIT_EXPECT_TRUE(test, croce_comp_is_early(&r->req, CROCE_OPF_ACK,
						    PSN(4)));
	KUNIT_EXPECT_FALSE(test,
			   croce_comp_is_early(&r->req, CROCE_OPF_READ_RESP,
					       PSN(1)));
	KUNIT_EXPECT_TRUE(test,
			  croce_comp_is_early(&r->req, CROCE_OPF_READ_RESP,
					      PSN(2)));
	KUNIT_EXPECT_FALSE(test, croce_comp_is_early(&r->req, CROCE_OPF_ACK,
						     PSN(5)));
	on_middles(r, 1, 1);
	KUNIT_EXPECT_FALSE(test,
			   croce_comp_is_early(&r->req, CROCE_OPF_READ_RESP,
					       PSN(2)));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(ack_covers_all_before),
	KUNIT_CASE(ack_in_the_middle_of_a_message),
	KUNIT_CASE(ack_outside_of_the_window_is_a_ghost),
	KUNIT_CASE(ack_with_a_reserved_syndrome_is_dropped),
	KUNIT_CASE(ack_in_error_changes_nothing),
	KUNIT_CASE(ack_over_a_missing_response_is_an_implied_nak),
	KUNIT_CASE(response_is_placed),
	KUNIT_CASE(response_is_placed_once),
	KUNIT_CASE(response_of_nothing_is_progress),
	KUNIT_CASE(response_of_an_atomic_places_8_bytes),
	KUNIT_CASE(response_acknowledges_what_is_before),
	KUNIT_CASE(response_ahead_is_an_implied_nak),
	KUNIT_CASE(response_that_does_not_fit_fails),
	KUNIT_CASE(response_to_a_send_is_dropped),
	KUNIT_CASE(response_ends_a_chunk),
	KUNIT_CASE(response_of_before_a_rewind),
	KUNIT_CASE(seq_nak_starts_again),
	KUNIT_CASE(seq_nak_before_anything_was_resent_is_stale),
	KUNIT_CASE(seq_nak_uses_up_the_retries),
	KUNIT_CASE(progress_gives_the_retries_back),
	KUNIT_CASE(nak_fails_the_request_it_names),
	KUNIT_CASE(nak_of_an_unknown_kind_is_dropped),
	KUNIT_CASE(nak_of_a_read_fails_it),
	KUNIT_CASE(nak_behind_a_missing_response_waits),
	KUNIT_CASE(early_by_kind),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_comp",
	.test_cases = cases,
};

kunit_test_suite(suite);
