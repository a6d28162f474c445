// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Requester: timers, budgets and the window over time. */
#include "requester.h"

static struct requester *sender(struct kunit *test, u8 retry_cnt, u8 rnr_retry,
				u64 timeout_ns)
{
	struct croce_req_config cfg = RC_CONFIG;
	struct requester *r;

	cfg.retry_cnt = retry_cnt;
	cfg.rnr_retry = rnr_retry;
	cfg.timeout_ns = timeout_ns;
	r = requester_with(test, &cfg);
	post(r, CROCE_KIND_SEND, 1);
	post(r, CROCE_KIND_SEND, 1);
	send_all(r);
	return r;
}

static void timer_runs_from_the_first_packet(struct kunit *test)
{
	struct requester *r = requester_new(test);
	u64 due;

	post(r, CROCE_KIND_SEND, 200 * MTU);
	KUNIT_EXPECT_EQ(test, r->req.deadline_ns, 0);
	send_run(r);
	due = r->now_ns + CROCE_REQ_RTO_INIT_NS;
	KUNIT_EXPECT_EQ(test, r->req.deadline_ns, due);
	r->now_ns += MS;
	send_run(r);
	KUNIT_EXPECT_EQ(test, r->req.deadline_ns, due);
	on_ack(r, PSN(3));
	KUNIT_EXPECT_GT(test, r->req.deadline_ns, r->now_ns);
}

static void timer_not_due_does_nothing(struct kunit *test)
{
	struct requester *r = sender(test, 7, 7, TIMEOUT_NS);
	struct croce_comp_record rec;

	rec = croce_req_on_timer(&r->req, r->req.deadline_ns - 1);
	KUNIT_EXPECT_EQ(test, rec.verdict, CROCE_COMP_DROP);
	KUNIT_EXPECT_NE(test, r->req.deadline_ns, 0);
}

static void timer_that_is_off_never_fires(struct kunit *test)
{
	struct requester *r = sender(test, 7, 7, 0);

	KUNIT_EXPECT_EQ(test, r->req.deadline_ns, 0);
	KUNIT_EXPECT_EQ(test, croce_req_on_timer(&r->req, U64_MAX).verdict,
			CROCE_COMP_DROP);
}

/* 20, 40, 80, 160 and then 537 ms; all that comes early costs one retry. */
static void timer_has_an_early_phase(struct kunit *test)
{
	struct requester *r = sender(test, 7, 7, TIMEOUT_NS);
	u64 start = r->now_ns;
	u32 i;

	for (i = 1; i <= 4; i++) {
		KUNIT_EXPECT_EQ(test, on_timer(r).verdict, CROCE_COMP_EARLY);
		KUNIT_EXPECT_EQ(test, r->now_ns - start,
				((1U << i) - 1) * 20 * MS);
		KUNIT_EXPECT_EQ(test, r->req.retries, 6);
		send_all(r);
	}
	KUNIT_EXPECT_EQ(test, on_timer(r).verdict, CROCE_COMP_TIMEOUT);
	KUNIT_EXPECT_EQ(test, r->now_ns - start, 300 * MS + TIMEOUT_NS);
	KUNIT_EXPECT_EQ(test, r->req.retries, 5);
}

static void timer_without_room_for_an_early_phase(struct kunit *test)
{
	struct requester *r = sender(test, 7, 7, 4096ULL << 8);
	u64 start = r->now_ns;

	KUNIT_EXPECT_EQ(test, on_timer(r).verdict, CROCE_COMP_TIMEOUT);
	KUNIT_EXPECT_EQ(test, r->now_ns - start, 4096ULL << 8);
}

/* How often each verdict comes until the last, with nobody there. */
static void count_verdicts(struct requester *r, u32 *early, u32 *timeout)
{
	u8 verdict;

	*early = 0;
	*timeout = 0;
	do {
		verdict = on_timer(r).verdict;
		*early += verdict == CROCE_COMP_EARLY;
		*timeout += verdict == CROCE_COMP_TIMEOUT;
		send_all(r);
	} while (verdict == CROCE_COMP_EARLY || verdict == CROCE_COMP_TIMEOUT);
}

/* ConnectX-6 with retry_cnt 7: five timeouts after the early phase, then the
 * error, after 3.5 to 3.76 s with the first fault of a process.
 */
static void timer_gives_up_when_a_nic_does(struct kunit *test)
{
	struct requester *r = sender(test, 7, 7, TIMEOUT_NS);
	u32 early, timeout;
	u64 start;

	on_ack(r, PSN(0));
	start = r->now_ns;
	count_verdicts(r, &early, &timeout);
	KUNIT_EXPECT_EQ(test, timeout, 5);
	KUNIT_EXPECT_GE(test, r->now_ns - start, 3500 * MS);
	KUNIT_EXPECT_LE(test, r->now_ns - start, 3760 * MS);
}

static void timer_retry_counts_are_finite(struct kunit *test)
{
	u32 early, timeout;
	u8 retry_cnt;

	for (retry_cnt = 0; retry_cnt <= 7; retry_cnt++) {
		struct requester *r = sender(test, retry_cnt, 7, TIMEOUT_NS);
		u8 status = 0;

		count_verdicts(r, &early, &timeout);
		KUNIT_EXPECT_EQ(test, early, 4);
		KUNIT_EXPECT_EQ(test, timeout, retry_cnt > 2 ? retry_cnt - 2 : 0);
		KUNIT_EXPECT_EQ(test, reap_all(r, &status), 1);
		KUNIT_EXPECT_EQ(test, status, CROCE_STATUS_RETRY_EXC_ERR);
	}
}

static void timer_retry_counts_without_early_phase(struct kunit *test)
{
	u32 early, timeout;
	u8 retry_cnt;

	for (retry_cnt = 0; retry_cnt <= 7; retry_cnt++) {
		struct requester *r = sender(test, retry_cnt, 7, MS);

		count_verdicts(r, &early, &timeout);
		KUNIT_EXPECT_EQ(test, early, 0);
		KUNIT_EXPECT_EQ(test, timeout, retry_cnt);
	}
}

static void timer_fails_the_oldest(struct kunit *test)
{
	struct requester *r = sender(test, 0, 7, MS);
	u8 status = 0;

	on_ack(r, PSN(0));
	KUNIT_EXPECT_EQ(test, on_timer(r).verdict, CROCE_COMP_ERROR);
	KUNIT_EXPECT_EQ(test, croce_req_reap(&r->req)->status,
			CROCE_STATUS_SUCCESS);
	KUNIT_EXPECT_EQ(test, reap_all(r, &status), 1);
	KUNIT_EXPECT_EQ(test, status, CROCE_STATUS_RETRY_EXC_ERR);
}

static void timer_stops_when_all_is_acknowledged(struct kunit *test)
{
	struct requester *r = sender(test, 7, 7, TIMEOUT_NS);

	on_ack(r, PSN(1));
	KUNIT_EXPECT_EQ(test, r->req.deadline_ns, 0);
}

static void timer_follows_the_round_trip(struct kunit *test)
{
	struct requester *r = sender(test, 7, 7, TIMEOUT_NS);

	r->now_ns += 3 * MS;
	KUNIT_EXPECT_EQ(test, on_ack(r, PSN(1)).rtt_ns, 3 * MS);
	post(r, CROCE_KIND_SEND, 1);
	send_all(r);
	KUNIT_EXPECT_EQ(test, r->req.deadline_ns - r->now_ns, 12 * MS);
	r->now_ns += 1;
	on_ack(r, PSN(2));
	KUNIT_EXPECT_GE(test, r->req.rto_ns, CROCE_REQ_RTO_MIN_NS);
}

static void round_trip_of_a_retransmission_is_not_taken(struct kunit *test)
{
	struct requester *r = sender(test, 7, 7, TIMEOUT_NS);

	on_timer(r);
	send_all(r);
	KUNIT_EXPECT_EQ(test, on_ack(r, PSN(1)).rtt_ns, 0);
	KUNIT_EXPECT_EQ(test, r->req.srtt_ns, 0);
}

/* Packets come back after 100 ms, ten times; returns how often the timer was
 * faster.
 */
static u32 count_early(struct requester *r)
{
	u32 i, early = 0;

	for (i = 0; i < 10; i++) {
		u64 back_ns = r->now_ns + 100 * MS;

		post(r, CROCE_KIND_SEND, 1);
		send_all(r);
		for (; r->req.deadline_ns < back_ns; early++) {
			on_timer(r);
			send_all(r);
		}
		r->now_ns = back_ns;
		on_ack(r, croce_psn_add(r->req.next_psn, -1));
		reap_all(r, NULL);
	}
	return early;
}

/* It must not be taken for loss for ever. */
static void timer_learns_a_way_that_is_longer(struct kunit *test)
{
	struct requester *r = requester_new(test);

	r->req.cfg.timeout_ns = 4096ULL << 17;
	KUNIT_EXPECT_EQ(test, count_early(r), 3);
	KUNIT_EXPECT_EQ(test, r->req.srtt_ns, 100 * MS);
}

static void timer_learns_a_way_that_grew(struct kunit *test)
{
	struct requester *r = sender(test, 7, 7, 4096ULL << 17);

	on_ack(r, PSN(1));
	KUNIT_EXPECT_EQ(test, r->req.rto_ns, CROCE_REQ_RTO_MIN_NS);
	KUNIT_EXPECT_LE(test, count_early(r), 5);
	KUNIT_EXPECT_GT(test, r->req.rto_ns, 100 * MS);
}

static void rnr_budgets(struct kunit *test)
{
	u32 budget, naks;

	for (budget = 0; budget <= 7; budget++) {
		struct requester *r = sender(test, 7, budget, TIMEOUT_NS);
		u8 status = 0;

		for (naks = 0; naks < 20; naks++) {
			if (on_rnr(r, PSN(0)).verdict == CROCE_COMP_ERROR)
				break;
			KUNIT_EXPECT_EQ(test, on_timer(r).verdict,
					CROCE_COMP_RESUME);
			send_all(r);
		}
		KUNIT_EXPECT_EQ(test, naks, budget == 7 ? 20 : budget);
		KUNIT_EXPECT_EQ(test, reap_all(r, &status), budget != 7);
		if (budget != 7)
			KUNIT_EXPECT_EQ(test, status,
					CROCE_STATUS_RNR_RETRY_EXC_ERR);
	}
}

static void rnr_waits_as_long_as_it_was_told(struct kunit *test)
{
	/* Of the table of the IBA, in units of 10 us. */
	static const u32 units[32] = {
		65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
		256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192,
		12288, 16384, 24576, 32768, 49152,
	};
	u32 code;

	for (code = 0; code < 32; code++) {
		struct requester *r = sender(test, 7, 7, TIMEOUT_NS);
		u64 start = r->now_ns;

		on_syndrome(r, PSN(0), croce_aeth_rnr(code));
		KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_IDLE);
		on_timer(r);
		KUNIT_EXPECT_EQ(test, r->now_ns - start, units[code] * 10000ULL);
		KUNIT_EXPECT_EQ(test, next(r).psn, PSN(0));
	}
}

/* A peer that has no time to post: each copy must not cost it more of it. */
static void rnr_waits_longer_the_longer_it_lasts(struct kunit *test)
{
	struct requester *r = sender(test, 7, 7, TIMEOUT_NS);
	u64 start = r->now_ns, told = croce_rnr_timer_ns(12), sent;
	u32 copies;

	for (copies = 0; r->now_ns - start < 1000 * MS; copies++) {
		sent = r->now_ns;
		on_syndrome(r, PSN(0), croce_aeth_rnr(12));
		on_timer(r);
		if (copies < 8)
			KUNIT_EXPECT_EQ(test, r->now_ns - sent, told);
		KUNIT_EXPECT_EQ(test, r->now_ns - sent,
				max(told, (sent - start) / 8));
		send_all(r);
	}
	KUNIT_EXPECT_LT(test, copies, 60);
	/* The longest wait that the IBA knows is enough. */
	r->now_ns = start + 3600ULL * 1000 * MS;
	on_syndrome(r, PSN(0), croce_aeth_rnr(12));
	KUNIT_EXPECT_EQ(test, r->req.deadline_ns - r->now_ns,
			croce_rnr_timer_ns(0));
	on_timer(r);
	send_all(r);
	on_ack(r, PSN(0));
	sent = r->now_ns;
	on_syndrome(r, PSN(1), croce_aeth_rnr(12));
	KUNIT_EXPECT_EQ(test, r->req.deadline_ns - sent, told);
}

static void rnr_acknowledges_what_is_before(struct kunit *test)
{
	struct requester *r = sender(test, 7, 2, TIMEOUT_NS);
	struct croce_comp_record rec;

	rec = on_rnr(r, PSN(1));
	KUNIT_EXPECT_EQ(test, rec.verdict, CROCE_COMP_RNR_NAK);
	KUNIT_EXPECT_EQ(test, rec.acked, 1);
	KUNIT_EXPECT_EQ(test, reap_all(r, NULL), 1);
	KUNIT_EXPECT_EQ(test, r->req.rnr_retries, 1);
	on_timer(r);
	send_all(r);
	on_ack(r, PSN(1));
	KUNIT_EXPECT_EQ(test, r->req.rnr_retries, 2);
}

/* The network doubled it, or the responder refused two copies. */
static void rnr_while_waiting_costs_nothing(struct kunit *test)
{
	struct requester *r = sender(test, 7, 1, TIMEOUT_NS);
	u64 due;

	on_rnr(r, PSN(0));
	due = r->req.deadline_ns;
	KUNIT_EXPECT_EQ(test, on_rnr(r, PSN(0)).verdict, CROCE_COMP_DROP);
	KUNIT_EXPECT_EQ(test, r->req.state, CROCE_REQ_RUN);
	KUNIT_EXPECT_EQ(test, r->req.deadline_ns, due);
}

/* Soft-RoCE sends one for the next packet. */
static void seq_nak_while_waiting_is_dropped(struct kunit *test)
{
	struct requester *r = sender(test, 7, 7, TIMEOUT_NS);

	on_rnr(r, PSN(0));
	KUNIT_EXPECT_EQ(test, on_nak(r, PSN(0), CROCE_NAK_PSN_SEQ).verdict,
			CROCE_COMP_DROP);
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_IDLE);
	KUNIT_EXPECT_EQ(test, r->req.retries, 7);
}

/* An RNR NAK of before arrived late: the copy got through. */
static void rnr_wait_ends_with_progress(struct kunit *test)
{
	struct requester *r = sender(test, 7, 7, TIMEOUT_NS);

	on_syndrome(r, PSN(0), croce_aeth_rnr(0));
	on_ack(r, PSN(0));
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_SEND);
	KUNIT_EXPECT_EQ(test, next(r).psn, PSN(1));
	KUNIT_EXPECT_EQ(test, r->req.deadline_ns, 0);
}

static void rnr_wait_holds_while_draining(struct kunit *test)
{
	struct requester *r = sender(test, 7, 1, TIMEOUT_NS);

	r->req.state = CROCE_REQ_DRAIN;
	on_rnr(r, PSN(0));
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_IDLE);
	r->req.state = CROCE_REQ_RUN;
	KUNIT_EXPECT_EQ(test, next(r).verdict, CROCE_REQ_IDLE);
	KUNIT_EXPECT_EQ(test, on_timer(r).verdict, CROCE_COMP_RESUME);
	KUNIT_EXPECT_EQ(test, send_all(r), 2);
}

static void window_halves_once_for_a_loss(struct kunit *test)
{
	struct requester *r = sender(test, 7, 7, TIMEOUT_NS);

	on_nak(r, PSN(0), CROCE_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, r->req.window, CROCE_REQ_WINDOW_MAX / 2);
	send_all(r);
	on_nak(r, PSN(0), CROCE_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, r->req.window, CROCE_REQ_WINDOW_MAX / 2);
}

/* One packet asks; then the window doubles up to the half of what it was. */
static void window_starts_slowly_after_silence(struct kunit *test)
{
	struct requester *r = requester_new(test);
	u32 acked = 0, window = 1;

	post(r, CROCE_KIND_WRITE, 100000 * MTU);
	send_all(r);
	on_timer(r);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	on_timer(r);
	KUNIT_EXPECT_EQ(test, send_all(r), 1);
	on_ack(r, PSN(acked++));
	while (window < CROCE_REQ_WINDOW_MAX / 2) {
		window *= 2;
		KUNIT_EXPECT_EQ(test, send_all(r), window);
		acked += window;
		on_ack(r, PSN(acked - 1));
	}
	KUNIT_EXPECT_LE(test, send_all(r), window + window / 8);
}

/* What the peer reports as lost halves the window for good. */
static void window_slow_start_ends_with_a_loss(struct kunit *test)
{
	struct requester *r = requester_new(test);
	u32 acked = CROCE_REQ_WINDOW_MAX;

	post(r, CROCE_KIND_WRITE, 100000 * MTU);
	send_all(r);
	on_timer(r);
	send_all(r);
	on_ack(r, PSN(acked - 1));
	KUNIT_EXPECT_EQ(test, r->req.window, CROCE_REQ_WINDOW_MAX / 2);
	send_all(r);
	on_nak(r, PSN(acked), CROCE_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, r->req.window, CROCE_REQ_WINDOW_MAX / 4);
	acked += send_all(r);
	on_ack(r, PSN(acked - 1));
	KUNIT_EXPECT_LE(test, r->req.window, CROCE_REQ_WINDOW_MAX / 4 * 9 / 8);
}

/* Everything had arrived: the answer opens half the window at once. */
static void window_reopens_when_nothing_was_lost(struct kunit *test)
{
	struct requester *r = requester_new(test);

	post(r, CROCE_KIND_WRITE, 100000 * MTU);
	send_all(r);
	on_timer(r);
	send_all(r);
	on_ack(r, PSN(CROCE_REQ_WINDOW_MAX - 1));
	KUNIT_EXPECT_EQ(test, r->req.window, CROCE_REQ_WINDOW_MAX / 2);
}

static void window_has_a_floor(struct kunit *test)
{
	struct requester *r = requester_new(test);
	u32 i;

	for (i = 0; i < 10; i++) {
		post(r, CROCE_KIND_SEND, MTU);
		post(r, CROCE_KIND_SEND, MTU);
		send_all(r);
		on_nak(r, PSN(2 * i), CROCE_NAK_PSN_SEQ);
		send_all(r);
		on_ack(r, PSN(2 * i + 1));
		reap_all(r, NULL);
	}
	KUNIT_EXPECT_GE(test, r->req.window, CROCE_REQ_WINDOW_LOSS);
	KUNIT_EXPECT_LT(test, r->req.window, 2 * CROCE_REQ_WINDOW_LOSS);
}

static void window_grows_back(struct kunit *test)
{
	struct requester *r = requester_new(test);
	u32 acked = 0;

	r->req.window = CROCE_REQ_WINDOW_MIN;
	post(r, CROCE_KIND_WRITE, 100000 * MTU);
	while (r->req.window < CROCE_REQ_WINDOW_MAX && acked < 5000) {
		u32 window = r->req.window;

		acked += send_all(r);
		on_ack(r, PSN(acked - 1));
		KUNIT_ASSERT_GE(test, r->req.window, window);
		KUNIT_ASSERT_LE(test, r->req.window, 2 * window);
	}
	KUNIT_EXPECT_EQ(test, r->req.window, CROCE_REQ_WINDOW_MAX);
}

static void window_stays_after_rnr(struct kunit *test)
{
	struct requester *r = sender(test, 7, 7, TIMEOUT_NS);

	on_rnr(r, PSN(0));
	on_timer(r);
	send_all(r);
	KUNIT_EXPECT_EQ(test, r->req.window, CROCE_REQ_WINDOW_MAX);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(timer_runs_from_the_first_packet),
	KUNIT_CASE(timer_not_due_does_nothing),
	KUNIT_CASE(timer_that_is_off_never_fires),
	KUNIT_CASE(timer_has_an_early_phase),
	KUNIT_CASE(timer_without_room_for_an_early_phase),
	KUNIT_CASE(timer_gives_up_when_a_nic_does),
	KUNIT_CASE(timer_retry_counts_are_finite),
	KUNIT_CASE(timer_retry_counts_without_early_phase),
	KUNIT_CASE(timer_fails_the_oldest),
	KUNIT_CASE(timer_stops_when_all_is_acknowledged),
	KUNIT_CASE(timer_follows_the_round_trip),
	KUNIT_CASE(round_trip_of_a_retransmission_is_not_taken),
	KUNIT_CASE(timer_learns_a_way_that_is_longer),
	KUNIT_CASE(timer_learns_a_way_that_grew),
	KUNIT_CASE(rnr_budgets),
	KUNIT_CASE(rnr_waits_as_long_as_it_was_told),
	KUNIT_CASE(rnr_waits_longer_the_longer_it_lasts),
	KUNIT_CASE(rnr_acknowledges_what_is_before),
	KUNIT_CASE(rnr_while_waiting_costs_nothing),
	KUNIT_CASE(seq_nak_while_waiting_is_dropped),
	KUNIT_CASE(rnr_wait_ends_with_progress),
	KUNIT_CASE(rnr_wait_holds_while_draining),
	KUNIT_CASE(window_halves_once_for_a_loss),
	KUNIT_CASE(window_starts_slowly_after_silence),
	KUNIT_CASE(window_slow_start_ends_with_a_loss),
	KUNIT_CASE(window_reopens_when_nothing_was_lost),
	KUNIT_CASE(window_has_a_floor),
	KUNIT_CASE(window_grows_back),
	KUNIT_CASE(window_stays_after_rnr),
	{}
};

static struct kunit_suite suite = {
	.name = "croce_retry",
	.test_cases = cases,
};

kunit_test_suite(suite);
