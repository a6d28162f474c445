// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Requester: what is sent, in which order, and when it asks for an ACK. */
#include "requester.h"

struct cut {
	u32 mtu;
	u32 length;
	u32 npkts;
	u32 tail;	/* bytes of the last packet */
};

static const struct cut cuts[] = {
	{ 256, 0, 1, 0 }, { 256, 1, 1, 1 }, { 256, 255, 1, 255 },
	{ 256, 256, 1, 256 }, { 256, 257, 2, 1 }, { 256, 16384, 64, 256 },
	{ 512, 1023, 2, 511 }, { 512, 1025, 3, 1 }, { 1024, 1024, 1, 1024 },
	{ 1024, 65536, 64, 1024 }, { 1024, 65535, 64, 1023 },
	{ 2048, 4097, 3, 1 }, { 4096, 4096, 1, 4096 }, { 4096, 8191, 2, 4095 },
};

static void next_cuts_by_mtu(struct kunit *test)
{
	struct croce_req_config cfg = RC_CONFIG;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cuts); i++) {
		const struct cut *cut = &cuts[i];
		struct requester *r;
		struct croce_req_run run;

		cfg.mtu = cut->mtu;
		r = requester_with(test, &cfg);
		post(r, CROCE_KIND_SEND, cut->length);
		run = next(r);
		KUNIT_EXPECT_EQ(test, run.verdict, CROCE_REQ_SEND);
		KUNIT_EXPECT_EQ(test, run.npkts, cut->npkts);
		KUNIT_EXPECT_EQ(test, run.npsn, cut->npkts);
		KUNIT_EXPECT_EQ(test, run.length, cut->length);
		KUNIT_EXPECT_EQ(test, run.length - (run.npkts - 1) * cut->mtu,
				cut->tail);
	}
}

static void next_goes_on_where_the_run_ended(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_req_run run;

	post(r, CROCE_KIND_WRITE, 100 * MTU + 5);
	run = send_run(r);
	KUNIT_EXPECT_EQ(test, run.npkts, 64);
	KUNIT_EXPECT_EQ(test, run.psn, PSN(0));
	KUNIT_EXPECT_EQ(test, run.offset, 0);
	run = send_run(r);
	KUNIT_EXPECT_EQ(test, run.npkts, 37);
	KUNIT_EXPECT_EQ(test, run.psn, PSN(64));
	KUNIT_EXPECT_EQ(test, run.offset, 64 * MTU);
	KUNIT_EXPECT_EQ(test, run.length, 36 * MTU + 5);
	KUNIT_EXPECT_EQ(test, send_run(r).verdict, CROCE_REQ_IDLE);
}

static void next_asked_again_says_the_same(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_req_run first, second;

	post(r, CROCE_KIND_SEND, 3 * MTU);
	first = croce_req_next(&r->req, 2);
	second = croce_req_next(&r->req, 2);
	KUNIT_EXPECT_EQ(test, first.npkts, 2);
	KUNIT_EXPECT_MEMEQ(test, &first, &second, sizeof(first));
}

static void next_sends_what_a_short_run_left(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_req_run run;

	post(r, CROCE_KIND_SEND, 5 * MTU);
	run = next(r);
	run.npkts = 2;
	run.npsn = 2;
	run.length = 2 * MTU;
	run.ackreq = false;
	croce_req_on_sent(&r->req, &run, r->now_ns);
	run = next(r);
	KUNIT_EXPECT_EQ(test, run.psn, PSN(2));
	KUNIT_EXPECT_EQ(test, run.npkts, 3);
	KUNIT_EXPECT_TRUE(test, run.ackreq);
}

static void next_is_idle_where_nothing_may_be_sent(struct kunit *test)
{
	static const u8 states[] = { CROCE_REQ_OFF, CROCE_REQ_ERROR };
	struct requester *r = requester_new(test);
	u32 i;

	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_IDLE);
	post(r, CROCE_KIND_SEND, 1);
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		r->req.state = states[i];
		KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_IDLE);
	}
}

static void next_sends_a_message_of_2_gib(struct kunit *test)
{
	struct croce_req_config cfg = RC_CONFIG;
	struct croce_req_run run = {};
	struct requester *r;
	u64 npkts = 0;

	cfg.mtu = 256;
	r = requester_with(test, &cfg);
	post(r, CROCE_KIND_WRITE, 1U << 31);
	while (npkts < 1 << 23) {
		run = send_run(r);
		KUNIT_ASSERT_EQ(test, run.verdict, CROCE_REQ_SEND);
		KUNIT_ASSERT_EQ(test, run.offset, npkts * 256);
		npkts += run.npkts;
		if (!run.ackreq)
			continue;
		KUNIT_ASSERT_EQ(test, reap_all(r, NULL), 0);
		on_ack(r, PSN(npkts - 1));
	}
	KUNIT_EXPECT_EQ(test, npkts, 1 << 23);
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 1);
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_IDLE);
}

struct position {
	u8 kind;
	u8 flags;
	u8 only, first, middle, last;
};

static const struct position positions[] = {
	{ CROCE_KIND_SEND, 0, CROCE_OP_RC_SEND_ONLY, CROCE_OP_RC_SEND_FIRST,
	  CROCE_OP_RC_SEND_MIDDLE, CROCE_OP_RC_SEND_LAST },
	{ CROCE_KIND_SEND, CROCE_WQE_IMM, CROCE_OP_RC_SEND_ONLY_IMM,
	  CROCE_OP_RC_SEND_FIRST, CROCE_OP_RC_SEND_MIDDLE,
	  CROCE_OP_RC_SEND_LAST_IMM },
	{ CROCE_KIND_SEND, CROCE_WQE_INV, CROCE_OP_RC_SEND_ONLY_INV,
	  CROCE_OP_RC_SEND_FIRST, CROCE_OP_RC_SEND_MIDDLE,
	  CROCE_OP_RC_SEND_LAST_INV },
	{ CROCE_KIND_WRITE, 0, CROCE_OP_RC_WRITE_ONLY, CROCE_OP_RC_WRITE_FIRST,
	  CROCE_OP_RC_WRITE_MIDDLE, CROCE_OP_RC_WRITE_LAST },
	{ CROCE_KIND_WRITE, CROCE_WQE_IMM, CROCE_OP_RC_WRITE_ONLY_IMM,
	  CROCE_OP_RC_WRITE_FIRST, CROCE_OP_RC_WRITE_MIDDLE,
	  CROCE_OP_RC_WRITE_LAST_IMM },
};

static void opcode_by_position(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(positions); i++) {
		const struct position *want = &positions[i];
		struct requester *r = requester_new(test);
		struct croce_wqe *one, *three;
		struct croce_req_run run;

		one = post(r, want->kind, MTU);
		three = post(r, want->kind, 3 * MTU);
		one->flags = want->flags;
		three->flags = want->flags;
		run = send_run(r);
		KUNIT_EXPECT_EQ(test, croce_req_opcode(one, &run, 0),
				want->only);
		run = send_run(r);
		KUNIT_EXPECT_EQ(test, croce_req_opcode(three, &run, 0),
				want->first);
		KUNIT_EXPECT_EQ(test, croce_req_opcode(three, &run, 1),
				want->middle);
		KUNIT_EXPECT_EQ(test, croce_req_opcode(three, &run, 2),
				want->last);
	}
}

static void opcode_of_single_packets(struct kunit *test)
{
	static const u8 table[][2] = {
		{ CROCE_KIND_READ, CROCE_OP_RC_READ_REQ },
		{ CROCE_KIND_CMP_SWAP, CROCE_OP_RC_CMP_SWAP },
		{ CROCE_KIND_FETCH_ADD, CROCE_OP_RC_FETCH_ADD },
		{ CROCE_KIND_ATOMIC_WRITE, CROCE_OP_RC_ATOMIC_WRITE },
		{ CROCE_KIND_FLUSH, CROCE_OP_RC_FLUSH },
	};
	struct croce_req_run run;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct requester *r = requester_new(test);
		struct croce_wqe *wqe = post(r, table[i][0], 8);

		run = next(r);
		KUNIT_EXPECT_EQ(test, run.npkts, 1);
		KUNIT_EXPECT_EQ(test, run.npsn, 1);
		KUNIT_EXPECT_TRUE(test, run.ackreq);
		KUNIT_EXPECT_EQ(test, croce_req_opcode(wqe, &run, 0),
				table[i][1]);
	}
}

static void next_asks_on_the_last_message_only(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_SEND, 2 * MTU);
	post(r, CROCE_KIND_WRITE, 0);
	post(r, CROCE_KIND_SEND, 1);
	KUNIT_EXPECT_FALSE(test, send_run(r).ackreq);
	KUNIT_EXPECT_FALSE(test, send_run(r).ackreq);
	KUNIT_EXPECT_TRUE(test, send_run(r).ackreq);
}

static void next_asks_now_and_then(struct kunit *test)
{
	struct requester *r = requester_new(test);
	u32 since = 0, i;

	for (i = 0; i < 7; i++)
		post(r, CROCE_KIND_SEND, 30 * MTU);
	while (r->req.send != r->req.prod) {
		struct croce_req_run run = send_run(r);

		since += run.npkts;
		KUNIT_EXPECT_LT(test, since, 2 * CROCE_REQ_ACK_FREQ);
		if (run.ackreq)
			since = 0;
	}
	KUNIT_EXPECT_EQ(test, since, 0);
}

static void next_fills_the_window_and_asks(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_req_run run = {};
	u32 npkts = 0;

	post(r, CROCE_KIND_WRITE, 1000 * MTU);
	while (npkts < CROCE_REQ_WINDOW_MAX) {
		run = send_run(r);
		npkts += run.npkts;
	}
	KUNIT_EXPECT_EQ(test, npkts, CROCE_REQ_WINDOW_MAX);
	KUNIT_EXPECT_TRUE(test, run.ackreq);
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_BLOCKED);
	on_ack(r, PSN(9));
	KUNIT_EXPECT_EQ(test, next(r).npkts, 10);
}

/* Nobody else would ask: the local operation sends nothing. */
static void next_asks_before_local_operations_at_the_end(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_SEND, 1);
	post(r, CROCE_KIND_LOCAL, 0);
	post(r, CROCE_KIND_LOCAL, 0);
	KUNIT_EXPECT_TRUE(test, next(r).ackreq);
	post(r, CROCE_KIND_SEND, 1);
	KUNIT_EXPECT_FALSE(test, next(r).ackreq);
}

static void next_asks_before_a_bad_wqe(struct kunit *test)
{
	struct requester *r = requester_new(test);
	u8 status = 0;

	post(r, CROCE_KIND_SEND, 1);
	post(r, CROCE_KIND_SEND, 1)->status = CROCE_STATUS_LOC_PROT_ERR;
	KUNIT_EXPECT_TRUE(test, send_run(r).ackreq);
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_IDLE);
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 0);
	on_ack(r, PSN(0));
	KUNIT_EXPECT_EQ(test, reap_all(r, &status), 2);
	KUNIT_EXPECT_EQ(test, status, CROCE_STATUS_LOC_PROT_ERR);
}

/* It was to follow, and ask; then its payload could not be read. */
static void next_steps_back_to_ask_before_a_failure(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_req_run run;

	post(r, CROCE_KIND_SEND, 3 * MTU);
	post(r, CROCE_KIND_LOCAL, 0);
	post(r, CROCE_KIND_SEND, 1);
	KUNIT_EXPECT_FALSE(test, send_run(r).ackreq);
	send_run(r);
	croce_req_wqe(&r->req, 2)->status = CROCE_STATUS_LOC_PROT_ERR;
	run = send_run(r);
	KUNIT_EXPECT_EQ(test, run.verdict, CROCE_REQ_SEND);
	KUNIT_EXPECT_EQ(test, run.psn, PSN(2));
	KUNIT_EXPECT_EQ(test, run.npkts, 1);
	KUNIT_EXPECT_TRUE(test, run.ackreq);
	KUNIT_EXPECT_EQ(test, send_run(r).verdict, CROCE_REQ_IDLE);
	KUNIT_EXPECT_EQ(test, r->req.send, 2);
}

static void next_steps_back_over_what_failed_half_sent(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_req_run run;

	post(r, CROCE_KIND_SEND, 1);
	post(r, CROCE_KIND_SEND, 8 * MTU);
	send_run(r);
	run = croce_req_next(&r->req, 3);
	croce_req_on_sent(&r->req, &run, r->now_ns);
	croce_req_wqe(&r->req, 1)->status = CROCE_STATUS_LOC_PROT_ERR;
	run = send_run(r);
	KUNIT_EXPECT_EQ(test, run.psn, PSN(0));
	KUNIT_EXPECT_EQ(test, run.npkts, 1);
	KUNIT_EXPECT_TRUE(test, run.ackreq);
	KUNIT_EXPECT_EQ(test, send_run(r).verdict, CROCE_REQ_IDLE);
	on_ack(r, PSN(3));
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 2);
}

static void next_steps_back_to_ask_when_draining(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_SEND, 1);
	post(r, CROCE_KIND_SEND, 1);
	KUNIT_EXPECT_FALSE(test, send_run(r).ackreq);
	r->req.state = CROCE_REQ_DRAIN;
	KUNIT_EXPECT_TRUE(test, send_run(r).ackreq);
	KUNIT_EXPECT_EQ(test, send_run(r).verdict, CROCE_REQ_IDLE);
	KUNIT_EXPECT_FALSE(test, croce_req_is_drained(&r->req));
	on_ack(r, PSN(0));
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 1);
	KUNIT_EXPECT_TRUE(test, croce_req_is_drained(&r->req));
}

static void next_local_takes_no_psn(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_req_run run;

	post(r, CROCE_KIND_SEND, 1);
	post(r, CROCE_KIND_LOCAL, 0);
	post(r, CROCE_KIND_SEND, 1);
	send_run(r);
	run = send_run(r);
	KUNIT_EXPECT_EQ(test, run.verdict, CROCE_REQ_LOCAL);
	KUNIT_EXPECT_EQ(test, run.wqe, 1);
	KUNIT_EXPECT_EQ(test, send_run(r).psn, PSN(1));
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 0);
	on_ack(r, PSN(0));
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 2);
}

/* The caller had no time for it; meanwhile an ACK came. */
static void next_local_is_performed_before_what_follows(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_SEND, 1);
	post(r, CROCE_KIND_LOCAL, 0);
	post(r, CROCE_KIND_SEND, 1);
	send_run(r);
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_LOCAL);
	on_ack(r, PSN(0));
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 1);
	KUNIT_EXPECT_EQ(test, send_run(r).verdict, CROCE_REQ_LOCAL);
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 1);
}

static void next_local_is_not_performed_again(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_req_run run;

	post(r, CROCE_KIND_SEND, 1);
	post(r, CROCE_KIND_LOCAL, 0);
	post(r, CROCE_KIND_SEND, 1);
	send_all(r);
	on_nak(r, PSN(0), CROCE_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, send_run(r).wqe, 0);
	run = send_run(r);
	KUNIT_EXPECT_EQ(test, run.verdict, CROCE_REQ_SEND);
	KUNIT_EXPECT_EQ(test, run.wqe, 2);
	KUNIT_EXPECT_EQ(test, run.psn, PSN(1));
}

static void reap_local_alone_at_once(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_LOCAL, 0);
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 0);
	send_run(r);
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 1);
	KUNIT_EXPECT_EQ(test, r->req.deadline_ns, 0);
}

static void reap_in_order(struct kunit *test)
{
	struct requester *r = requester_new(test);
	u32 i;

	for (i = 0; i < 5; i++)
		post(r, CROCE_KIND_SEND, 1);
	send_all(r);
	on_ack(r, PSN(3));
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, croce_req_reap(&r->req)->wr_id, i);
	KUNIT_EXPECT_NULL(test, croce_req_reap(&r->req));
	on_ack(r, PSN(4));
	KUNIT_EXPECT_EQ(test, croce_req_reap(&r->req)->wr_id, 4);
	KUNIT_EXPECT_NULL(test, croce_req_reap(&r->req));
}

static void reap_bad_wqe_at_the_head(struct kunit *test)
{
	struct requester *r = requester_new(test);
	u8 status = 0;

	post(r, CROCE_KIND_SEND, 1)->status = CROCE_STATUS_LOC_QP_OP_ERR;
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_IDLE);
	KUNIT_EXPECT_EQ(test, reap_all(r, &status), 1);
	KUNIT_EXPECT_EQ(test, status, CROCE_STATUS_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, r->req.send, 1);
}

static void drain_finishes_what_was_begun(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_req_run run;

	post(r, CROCE_KIND_SEND, 3 * MTU);
	post(r, CROCE_KIND_SEND, 1);
	KUNIT_EXPECT_TRUE(test, croce_req_is_drained(&r->req));
	run = croce_req_next(&r->req, 1);
	croce_req_on_sent(&r->req, &run, r->now_ns);
	r->req.state = CROCE_REQ_DRAIN;
	KUNIT_EXPECT_EQ(test, send_all(r), 2);
	on_ack(r, PSN(2));
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 1);
	KUNIT_EXPECT_TRUE(test, croce_req_is_drained(&r->req));
	r->req.state = CROCE_REQ_RUN;
	KUNIT_EXPECT_EQ(test, next(r).psn, PSN(3));
}

/* Its failure would take a drained queue to error. */
static void drain_leaves_a_bad_wqe_alone(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_SEND, 1)->status = CROCE_STATUS_LOC_QP_OP_ERR;
	r->req.state = CROCE_REQ_DRAIN;
	KUNIT_EXPECT_TRUE(test, croce_req_is_drained(&r->req));
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 0);
	r->req.state = CROCE_REQ_RUN;
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 1);
}

static void uc_is_done_when_sent(struct kunit *test)
{
	struct croce_req_config cfg = RC_CONFIG;
	struct requester *r;
	struct croce_req_run run;

	cfg.reliable = false;
	r = requester_with(test, &cfg);
	post(r, CROCE_KIND_SEND, 1000 * MTU);
	run = send_run(r);
	KUNIT_EXPECT_EQ(test, run.npkts, 64);
	KUNIT_EXPECT_FALSE(test, run.ackreq);
	KUNIT_EXPECT_EQ(test, send_all(r), 1000 - 64);
	KUNIT_EXPECT_EQ(test, r->req.deadline_ns, 0);
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 1);
}

static void unsend_goes_back_to_a_message(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_req_run run;
	u32 window, i;

	for (i = 0; i < 4; i++)
		post(r, CROCE_KIND_SEND, 8);
	for (i = 0; i < 4; i++)
		send_run(r);
	window = r->req.window;
	croce_req_unsend(&r->req, PSN(1));
	KUNIT_EXPECT_EQ(test, r->req.window, window);
	KUNIT_EXPECT_FALSE(test, r->req.recovering);
	for (i = 1; i < 4; i++) {
		run = send_run(r);
		KUNIT_EXPECT_EQ(test, run.wqe, i);
		KUNIT_EXPECT_EQ(test, run.psn, PSN(i));
		KUNIT_EXPECT_EQ(test, run.offset, 0);
		/* The first, as the one before it may not have; the last. */
		KUNIT_EXPECT_EQ(test, run.ackreq, i != 2);
	}
	KUNIT_EXPECT_EQ(test, send_run(r).verdict, CROCE_REQ_IDLE);
}

static void unsend_goes_back_into_a_message(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_req_run run;

	post(r, CROCE_KIND_WRITE, 5 * MTU);
	post(r, CROCE_KIND_WRITE, MTU);
	send_run(r);
	send_run(r);
	croce_req_unsend(&r->req, PSN(3));
	run = send_run(r);
	KUNIT_EXPECT_EQ(test, run.wqe, 0);
	KUNIT_EXPECT_EQ(test, run.psn, PSN(3));
	KUNIT_EXPECT_EQ(test, run.npkts, 2);
	KUNIT_EXPECT_EQ(test, run.offset, 3 * MTU);
	run = send_run(r);
	KUNIT_EXPECT_EQ(test, run.wqe, 1);
	KUNIT_EXPECT_TRUE(test, run.ackreq);
}

/* The timer is for what has left, and so is the round-trip time. */
static void unsend_of_all_leaves_no_timer(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_SEND, 8);
	KUNIT_EXPECT_TRUE(test, send_run(r).ackreq);
	KUNIT_EXPECT_NE(test, r->req.deadline_ns, 0);
	KUNIT_EXPECT_TRUE(test, r->req.rtt_armed);
	croce_req_unsend(&r->req, PSN(0));
	KUNIT_EXPECT_EQ(test, r->req.deadline_ns, 0);
	KUNIT_EXPECT_FALSE(test, r->req.rtt_armed);
	send_run(r);
	KUNIT_EXPECT_NE(test, r->req.deadline_ns, 0);
}

/* The queue passed on some of what it refused. */
static void unsend_hears_the_ack_all_the_same(struct kunit *test)
{
	struct requester *r = requester_new(test);
	u32 i;

	for (i = 0; i < 4; i++) {
		post(r, CROCE_KIND_SEND, 8);
		send_run(r);
	}
	croce_req_unsend(&r->req, PSN(1));
	on_ack(r, PSN(2));
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 3);
	KUNIT_EXPECT_EQ(test, send_run(r).psn, PSN(3));
	on_ack(r, PSN(3));
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 1);
}

static void unsend_goes_over_local_operations(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_req_run run;

	post(r, CROCE_KIND_SEND, 8);
	post(r, CROCE_KIND_LOCAL, 0);
	post(r, CROCE_KIND_SEND, 8);
	send_all(r);
	croce_req_unsend(&r->req, PSN(0));
	KUNIT_EXPECT_EQ(test, send_run(r).wqe, 0);
	run = send_run(r);
	KUNIT_EXPECT_EQ(test, run.wqe, 2);
	KUNIT_EXPECT_EQ(test, run.psn, PSN(1));
}

static void unsend_of_nothing_changes_nothing(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_req before;

	post(r, CROCE_KIND_SEND, 8);
	send_run(r);
	before = r->req;
	croce_req_unsend(&r->req, PSN(1));
	croce_req_unsend(&r->req, PSN(2));
	KUNIT_EXPECT_MEMEQ(test, &r->req, &before, sizeof(before));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(next_cuts_by_mtu),
	KUNIT_CASE(next_goes_on_where_the_run_ended),
	KUNIT_CASE(next_asked_again_says_the_same),
	KUNIT_CASE(next_sends_what_a_short_run_left),
	KUNIT_CASE(next_is_idle_where_nothing_may_be_sent),
	KUNIT_CASE(next_sends_a_message_of_2_gib),
	KUNIT_CASE(opcode_by_position),
	KUNIT_CASE(opcode_of_single_packets),
	KUNIT_CASE(next_asks_on_the_last_message_only),
	KUNIT_CASE(next_asks_now_and_then),
	KUNIT_CASE(next_fills_the_window_and_asks),
	KUNIT_CASE(next_asks_before_local_operations_at_the_end),
	KUNIT_CASE(next_asks_before_a_bad_wqe),
	KUNIT_CASE(next_steps_back_to_ask_before_a_failure),
	KUNIT_CASE(next_steps_back_over_what_failed_half_sent),
	KUNIT_CASE(next_steps_back_to_ask_when_draining),
	KUNIT_CASE(next_local_takes_no_psn),
	KUNIT_CASE(next_local_is_performed_before_what_follows),
	KUNIT_CASE(next_local_is_not_performed_again),
	KUNIT_CASE(reap_local_alone_at_once),
	KUNIT_CASE(reap_in_order),
	KUNIT_CASE(reap_bad_wqe_at_the_head),
	KUNIT_CASE(drain_finishes_what_was_begun),
	KUNIT_CASE(drain_leaves_a_bad_wqe_alone),
	KUNIT_CASE(uc_is_done_when_sent),
	KUNIT_CASE(unsend_goes_back_to_a_message),
	KUNIT_CASE(unsend_goes_back_into_a_message),
	KUNIT_CASE(unsend_of_all_leaves_no_timer),
	KUNIT_CASE(unsend_hears_the_ack_all_the_same),
	KUNIT_CASE(unsend_goes_over_local_operations),
	KUNIT_CASE(unsend_of_nothing_changes_nothing),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_req",
	.test_cases = cases,
};

kunit_test_suite(suite);
