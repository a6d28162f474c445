// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Requester: READs and atomics in flight, and fences behind them. */
#include "requester.h"

static void next_read_in_chunks(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_req_run run;

	post(r, CROCE_KIND_READ, 150 * MTU + 1);
	run = send_run(r);
	KUNIT_EXPECT_EQ(test, run.npkts, 1);
	KUNIT_EXPECT_EQ(test, run.npsn, 64);
	KUNIT_EXPECT_EQ(test, run.length, 64 * MTU);
	run = send_run(r);
	KUNIT_EXPECT_EQ(test, run.psn, PSN(64));
	KUNIT_EXPECT_EQ(test, run.offset, 64 * MTU);
	run = send_run(r);
	KUNIT_EXPECT_EQ(test, run.npsn, 23);
	KUNIT_EXPECT_EQ(test, run.length, 22 * MTU + 1);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 3);
	KUNIT_EXPECT_EQ(test, send_run(r).verdict, CROCE_REQ_IDLE);
}

static void next_read_of_nothing_takes_a_psn(struct kunit *test)
{
	struct requester *r = requester_new(test);
	struct croce_req_run run;

	post(r, CROCE_KIND_READ, 0);
	run = send_run(r);
	KUNIT_EXPECT_EQ(test, run.npsn, 1);
	KUNIT_EXPECT_EQ(test, run.length, 0);
	KUNIT_EXPECT_EQ(test, r->req.next_psn, PSN(1));
}

static void next_read_waits_for_rd_atomic(struct kunit *test)
{
	struct requester *r = requester_new(test);
	u32 i;

	for (i = 0; i < 3; i++)
		post(r, CROCE_KIND_FETCH_ADD, 8);
	post(r, CROCE_KIND_READ, 65 * MTU);
	KUNIT_EXPECT_EQ(test, send_all(r), 4);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 4);
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_BLOCKED);
	on_response(r, CROCE_OP_RC_ATOMIC_ACK, PSN(0), 0);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 3);
	KUNIT_EXPECT_EQ(test, next(r).psn, PSN(67));
}

static void next_read_without_rd_atomic_fails(struct kunit *test)
{
	struct requester *r = requester_new(test);
	u8 status = 0;

	r->req.cfg.max_rd_atomic = 0;
	post(r, CROCE_KIND_SEND, 1);
	post(r, CROCE_KIND_READ, 1);
	send_all(r);
	on_ack(r, PSN(0));
	KUNIT_EXPECT_EQ(test, reap_all(r, &status), 2);
	KUNIT_EXPECT_EQ(test, status, CROCE_STATUS_LOC_QP_OP_ERR);
}

static void next_read_waits_for_the_window(struct kunit *test)
{
	struct requester *r = requester_new(test);

	r->req.window = CROCE_REQ_WINDOW_MIN;
	post(r, CROCE_KIND_READ, 64 * MTU);
	post(r, CROCE_KIND_READ, MTU);
	KUNIT_EXPECT_EQ(test, send_run(r).npsn, 64);
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_BLOCKED);
	on_middles(r, 0, 30);
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_BLOCKED);
	on_middles(r, 30, 33);
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_SEND);
}

/* Blocked, the SEND before it would never be acknowledged. */
static void next_read_asks_for_what_did_not(struct kunit *test)
{
	struct requester *r = requester_new(test);

	r->req.window = CROCE_REQ_READ_CHUNK;
	post(r, CROCE_KIND_SEND, 10 * MTU);
	post(r, CROCE_KIND_READ, 64 * MTU);
	post(r, CROCE_KIND_READ, 1);
	KUNIT_EXPECT_FALSE(test, send_run(r).ackreq);
	KUNIT_EXPECT_EQ(test, send_run(r).npsn, 64);
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_BLOCKED);
}

static void next_fence_waits_for_responses(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_SEND, 1);
	post(r, CROCE_KIND_READ, 1);
	post(r, CROCE_KIND_SEND, 1)->flags = CROCE_WQE_FENCE;
	KUNIT_EXPECT_EQ(test, send_all(r), 2);
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_BLOCKED);
	on_ack(r, PSN(0));
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_BLOCKED);
	on_response(r, CROCE_OP_RC_READ_RESP_ONLY, PSN(1), 1);
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_SEND);
}

static void next_fence_holds_after_a_rewind(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_READ, 1);
	post(r, CROCE_KIND_LOCAL, 0)->flags = CROCE_WQE_FENCE;
	send_all(r);
	on_timer(r);
	KUNIT_EXPECT_EQ(test, r->req.rd_atomic, 0);
	KUNIT_EXPECT_EQ(test, send_run(r).wqe, 0);
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_BLOCKED);
	on_response(r, CROCE_OP_RC_READ_RESP_ONLY, PSN(0), 1);
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_LOCAL);
}

static void next_fence_is_nothing_behind_sends(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_WRITE, 1);
	post(r, CROCE_KIND_SEND, 1)->flags = CROCE_WQE_FENCE;
	KUNIT_EXPECT_EQ(test, send_all(r), 2);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(next_read_in_chunks),
	KUNIT_CASE(next_read_of_nothing_takes_a_psn),
	KUNIT_CASE(next_read_waits_for_rd_atomic),
	KUNIT_CASE(next_read_without_rd_atomic_fails),
	KUNIT_CASE(next_read_waits_for_the_window),
	KUNIT_CASE(next_read_asks_for_what_did_not),
	KUNIT_CASE(next_fence_waits_for_responses),
	KUNIT_CASE(next_fence_holds_after_a_rewind),
	KUNIT_CASE(next_fence_is_nothing_behind_sends),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_req_read",
	.test_cases = cases,
};

kunit_test_suite(suite);
