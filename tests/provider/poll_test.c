// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * poll.c: CQEs become work completions, member by member; the two ways to
 * poll consume alike; completions of a dead QP vanish; arming.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake.h"

static void produce(struct croce_cq *cq, uint64_t wr_id, uint32_t qp_num)
{
	struct croce_cqe *cqe = fake_cq_produce(cq);

	cqe->wr_id = wr_id;
	cqe->qp_num = qp_num;
}

static void fill_all(struct croce_cqe *cqe)
{
	*cqe = (struct croce_cqe){
		.wr_id = 0x1112131415161718ULL,
		.byte_len = 0x21222324,
		.imm = 0x31323334,
		.qp_num = 0x41424344,
		.src_qp = 0x51525354,
		.status = IBV_WC_REM_OP_ERR,
		.opcode = CROCE_WC_RECV_RDMA_WITH_IMM,
		.wc_flags = 0xffff,
		.vendor_err = 0x61626364,
		.timestamp = 0x7172737475767778ULL,
		.pkey_index = 0x8182,
		.sl = 0x91,
	};
}

static void every_member_is_translated(void **state)
{
	struct croce_cq *cq = fake_cq_new(4, 0);
	struct ibv_wc wc;

	fill_all(fake_cq_produce(cq));
	memset(&wc, POISON, sizeof(wc));
	assert_int_equal(croce_poll_cq(&cq->vcq.cq, 1, &wc), 1);
	assert_int_equal(wc.wr_id, 0x1112131415161718ULL);
	assert_int_equal(wc.status, IBV_WC_REM_OP_ERR);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.vendor_err, 0x61626364);
	assert_int_equal(wc.byte_len, 0x21222324);
	assert_int_equal(wc.invalidated_rkey, 0x31323334);
	assert_int_equal(wc.qp_num, 0x41424344);
	assert_int_equal(wc.src_qp, 0x51525354);
	assert_int_equal(wc.wc_flags,
			 IBV_WC_GRH | IBV_WC_WITH_IMM | IBV_WC_WITH_INV);
	assert_int_equal(wc.pkey_index, 0x8182);
	assert_int_equal(wc.slid, 0);
	assert_int_equal(wc.sl, 0x91);
	assert_int_equal(wc.dlid_path_bits, 0);
	fake_cq_free(cq);
}

static void every_reader_reads_its_member(void **state)
{
	struct croce_cq *cq = fake_cq_new(4, 0);
	struct ibv_cq_ex *ex = &cq->vcq.cq_ex;
	struct ibv_poll_cq_attr attr = {};

	fill_all(fake_cq_produce(cq));
	assert_int_equal(ibv_start_poll(ex, &attr), 0);
	assert_int_equal(ex->wr_id, 0x1112131415161718ULL);
	assert_int_equal(ex->status, IBV_WC_REM_OP_ERR);
	assert_int_equal(ibv_wc_read_opcode(ex), IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(ibv_wc_read_vendor_err(ex), 0x61626364);
	assert_int_equal(ibv_wc_read_byte_len(ex), 0x21222324);
	assert_int_equal(ibv_wc_read_imm_data(ex), 0x31323334);
	assert_int_equal(ibv_wc_read_qp_num(ex), 0x41424344);
	assert_int_equal(ibv_wc_read_src_qp(ex), 0x51525354);
	assert_int_equal(ibv_wc_read_wc_flags(ex),
			 IBV_WC_GRH | IBV_WC_WITH_IMM | IBV_WC_WITH_INV);
	assert_int_equal(ibv_wc_read_slid(ex), 0);
	assert_int_equal(ibv_wc_read_sl(ex), 0x91);
	assert_int_equal(ibv_wc_read_dlid_path_bits(ex), 0);
	assert_int_equal(ibv_wc_read_completion_ts(ex), 0x7172737475767778ULL);
	ibv_end_poll(ex);
	fake_cq_free(cq);
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void the_wall_clock_runs_as_the_monotonic_one(void **state)
{
	const uint64_t hour = 3600 * 1000000000ULL;
	struct croce_cq *cq = fake_cq_new(4, 0);
	struct ibv_cq_ex *ex = &cq->vcq.cq_ex;
	struct ibv_poll_cq_attr attr = {};
	uint64_t before, wall, after;

	before = now_ns(CLOCK_REALTIME);
	fake_cq_produce(cq)->timestamp = now_ns(CLOCK_MONOTONIC) - hour;
	assert_int_equal(ibv_start_poll(ex, &attr), 0);
	wall = ibv_wc_read_completion_wallclock_ns(ex);
	after = now_ns(CLOCK_REALTIME);
	assert_true(wall + hour + 1000000 >= before);
	assert_true(wall + hour <= after + 1000000);
	ibv_end_poll(ex);
	fake_cq_free(cq);
}

static void poll_takes_as_many_as_asked_in_order(void **state)
{
	struct croce_cq *cq = fake_cq_new(8, UINT32_MAX - 20);
	struct ibv_wc wc[8];
	uint64_t next = 0, made = 0;
	int round, got, i;

	for (round = 0; round < 40; round++) {
		while (made - next < (uint64_t)(round % 8) + 1)
			produce(cq, made++, 1);
		got = croce_poll_cq(&cq->vcq.cq, 1 + round % 3, wc);
		assert_in_range(got, 1, 1 + round % 3);
		for (i = 0; i < got; i++)
			assert_int_equal(wc[i].wr_id, next++);
		assert_int_equal(cq->ring.ctl->cons,
				 (uint32_t)(UINT32_MAX - 20 + next));
	}
	fake_cq_free(cq);
}

static void an_empty_cq_polls_nothing(void **state)
{
	struct croce_cq *cq = fake_cq_new(8, 0);
	struct ibv_poll_cq_attr attr = {}, later = { .comp_mask = 1 };
	struct ibv_wc wc;

	assert_int_equal(croce_poll_cq(&cq->vcq.cq, 1, &wc), 0);
	assert_int_equal(croce_poll_cq(&cq->vcq.cq, 0, &wc), 0);
	assert_int_equal(ibv_start_poll(&cq->vcq.cq_ex, &attr), ENOENT);
	assert_int_equal(ibv_start_poll(&cq->vcq.cq_ex, &later), EINVAL);
	/* neither left the lock behind */
	assert_int_equal(croce_poll_cq(&cq->vcq.cq, 1, &wc), 0);
	fake_cq_free(cq);
}

static void a_lost_completion_is_told_after_the_last_good_one(void **state)
{
	struct croce_cq *cq = fake_cq_new(2, 0);
	struct ibv_poll_cq_attr attr = {};
	struct ibv_wc wc[4];

	produce(cq, 1, 1);
	produce(cq, 2, 1);
	cq->ring.ctl->flags = CROCE_CQ_OVERRUN;
	assert_int_equal(croce_poll_cq(&cq->vcq.cq, 4, wc), 2);
	assert_int_equal(croce_poll_cq(&cq->vcq.cq, 4, wc), -EIO);
	assert_int_equal(ibv_start_poll(&cq->vcq.cq_ex, &attr), EIO);
	fake_cq_free(cq);
}

/*
 * Every split of 6 CQEs: read some before the end, the rest after; what was
 * made current is consumed once, whether next_poll() found more or not.
 */
static void an_extended_poll_consumes_what_it_read(void **state)
{
	struct ibv_poll_cq_attr attr = {};
	uint32_t reads, i;

	for (reads = 1; reads <= 7; reads++) {
		struct croce_cq *cq = fake_cq_new(8, UINT32_MAX - 2);
		struct ibv_cq_ex *ex = &cq->vcq.cq_ex;
		uint32_t consumed = reads < 6 ? reads : 6;
		struct ibv_wc wc[8];

		for (i = 0; i < 6; i++)
			produce(cq, i, 1);
		assert_int_equal(ibv_start_poll(ex, &attr), 0);
		for (i = 1; i < reads; i++)
			assert_int_equal(ibv_next_poll(ex), i < 6 ? 0 : ENOENT);
		ibv_end_poll(ex);
		assert_int_equal(cq->ring.ctl->cons,
				 UINT32_MAX - 2 + consumed);
		assert_int_equal(croce_poll_cq(&cq->vcq.cq, 8, wc),
				 6 - consumed);
		for (i = consumed; i < 6; i++)
			assert_int_equal(wc[i - consumed].wr_id, i);
		fake_cq_free(cq);
	}
}

static void a_poll_may_go_on_after_it_found_nothing(void **state)
{
	struct croce_cq *cq = fake_cq_new(2, 0);
	struct ibv_cq_ex *ex = &cq->vcq.cq_ex;
	struct ibv_poll_cq_attr attr = {};
	uint32_t i;

	produce(cq, 0, 1);
	assert_int_equal(ibv_start_poll(ex, &attr), 0);
	for (i = 1; i < 20; i++) { /* far more than the CQ has slots */
		assert_int_equal(ibv_next_poll(ex), ENOENT);
		assert_int_equal(ibv_next_poll(ex), ENOENT);
		assert_int_equal(cq->ring.ctl->cons, i);
		produce(cq, i, 1);
		assert_int_equal(ibv_next_poll(ex), 0);
		assert_int_equal(ex->wr_id, i);
	}
	ibv_end_poll(ex);
	assert_int_equal(cq->ring.ctl->cons, 20);
	assert_int_equal(ibv_start_poll(ex, &attr), ENOENT);
	fake_cq_free(cq);
}

static void clean_drops_one_qp_and_keeps_the_order_of_the_rest(void **state)
{
	uint32_t pattern, i, kept;

	/* bit i: CQE i belongs to the QP that dies */
	for (pattern = 0; pattern < 256; pattern++) {
		struct croce_cq *cq = fake_cq_new(8, UINT32_MAX - 3);
		struct ibv_wc wc[9];

		for (i = 0; i < 8; i++)
			produce(cq, i, pattern & 1U << i ? 7 : 8);
		croce_cq_clean(cq, 7);
		kept = 8 - __builtin_popcount(pattern);
		assert_int_equal(cq->ring.ctl->prod - cq->ring.ctl->cons, kept);
		assert_int_equal(croce_poll_cq(&cq->vcq.cq, 9, wc), kept);
		for (i = 0, kept = 0; i < 8; i++)
			if (!(pattern & 1U << i))
				assert_int_equal(wc[kept++].wr_id, i);
		fake_cq_free(cq);
	}
}

static void arming_writes_the_word_even_in_the_middle_of_a_poll(void **state)
{
	struct croce_cq *cq = fake_cq_new(8, 0);
	struct ibv_poll_cq_attr attr = {};

	produce(cq, 1, 1);
	assert_int_equal(ibv_start_poll(&cq->vcq.cq_ex, &attr), 0);
	assert_int_equal(croce_req_notify_cq(&cq->vcq.cq, 0), 0);
	assert_int_equal(cq->ring.ctl->arm, 2);
	assert_int_equal(croce_req_notify_cq(&cq->vcq.cq, 1), 0);
	assert_int_equal(cq->ring.ctl->arm, 5);
	ibv_end_poll(&cq->vcq.cq_ex);
	fake_cq_free(cq);
}

static void readers_not_asked_for_are_not_there(void **state)
{
	struct croce_cq *cq = calloc(1, sizeof(*cq));

	croce_cq_set_poll_ops(cq, IBV_WC_EX_WITH_QP_NUM);
	assert_non_null(cq->vcq.cq_ex.read_qp_num);
	assert_non_null(cq->vcq.cq_ex.read_opcode);
	assert_null(cq->vcq.cq_ex.read_byte_len);
	assert_null(cq->vcq.cq_ex.read_completion_ts);
	free(cq);
}

/* A single-threaded CQ takes no lock: here it is held by somebody else. */
static void single_threaded_objects_take_no_lock(void **state)
{
	struct croce_cq *cq = fake_cq_new(2, 0);
	struct ibv_wc wc;

	cq->lock.needed = false;
	cq->arm_lock.needed = false;
	pthread_spin_lock(&cq->lock.spin);
	pthread_spin_lock(&cq->arm_lock.spin);
	produce(cq, 1, 1);
	assert_int_equal(croce_poll_cq(&cq->vcq.cq, 1, &wc), 1);
	assert_int_equal(croce_req_notify_cq(&cq->vcq.cq, 0), 0);
	fake_cq_free(cq);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_is_translated),
		cmocka_unit_test(every_reader_reads_its_member),
		cmocka_unit_test(the_wall_clock_runs_as_the_monotonic_one),
		cmocka_unit_test(poll_takes_as_many_as_asked_in_order),
		cmocka_unit_test(an_empty_cq_polls_nothing),
		cmocka_unit_test(a_lost_completion_is_told_after_the_last_good_one),
		cmocka_unit_test(an_extended_poll_consumes_what_it_read),
		cmocka_unit_test(a_poll_may_go_on_after_it_found_nothing),
		cmocka_unit_test(clean_drops_one_qp_and_keeps_the_order_of_the_rest),
		cmocka_unit_test(arming_writes_the_word_even_in_the_middle_of_a_poll),
		cmocka_unit_test(readers_not_asked_for_are_not_there),
		cmocka_unit_test(single_threaded_objects_take_no_lock),
	};

	return cmocka_run_group_tests_name("croce_poll", tests, NULL, NULL);
}
