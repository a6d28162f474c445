// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ring.h: indices across the wrap, full and empty, and both ends as threads
 * for the barrier pairs A to D.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"

#define ROUNDS 200000

static struct croce_qp *qp_at(uint32_t first)
{
	return fake_qp_new(&(struct fake_caps){ .type = IBV_QPT_RC,
						.slots = 8,
						.max_sge = 1,
						.first = first });
}

static void wq_fills_to_the_last_slot_across_the_wrap(void **state)
{
	const uint32_t firsts[] = { 0, 5, UINT32_MAX, UINT32_MAX - 3 };
	size_t i;

	for (i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
		struct croce_qp *qp = qp_at(firsts[i]);
		struct croce_wq *wq = &qp->sq;
		uint32_t n;

		for (n = 0; n < 8; n++)
			assert_false(croce_wq_is_full(wq, firsts[i] + n));
		assert_true(croce_wq_is_full(wq, firsts[i] + 8));
		fake_wq_release(wq, 1);
		assert_false(croce_wq_is_full(wq, firsts[i] + 8));
		assert_true(croce_wq_is_full(wq, firsts[i] + 9));
		fake_qp_free(qp);
	}
}

static void wq_slots_are_stride_apart_and_repeat(void **state)
{
	struct croce_qp *qp = qp_at(0);
	struct croce_wq *wq = &qp->sq;
	uint32_t i;

	for (i = 0; i < 32; i++)
		assert_ptr_equal(croce_wq_slot(wq, i),
				 wq->ring + (i % 8) * wq->stride);
	assert_ptr_equal(croce_wq_slot(wq, UINT32_MAX), wq->ring + 7 * wq->stride);
	fake_qp_free(qp);
}

static void wq_without_slots_is_full(void **state)
{
	struct croce_wq wq = {};

	assert_true(croce_wq_is_full(&wq, 0));
}

static void wq_reset_adopts_the_index_of_the_module(void **state)
{
	struct croce_qp *qp = qp_at(40);
	struct croce_wq *wq = &qp->sq;

	croce_wq_publish(wq, 45);
	wq->ctl->cons = 45; /* a module that dropped everything */
	croce_wq_reset(wq);
	assert_int_equal(wq->prod, 45);
	assert_int_equal(fake_wq_posted(wq), 0);

	croce_wq_publish(wq, 47);
	wq->ctl->cons = 0; /* one that began anew */
	croce_wq_reset(wq);
	assert_int_equal(wq->prod, 0);
	assert_int_equal(wq->ctl->prod, 0);
	assert_false(croce_wq_is_full(wq, 7));
	assert_true(croce_wq_is_full(wq, 8));
	fake_qp_free(qp);
}

static void doorbell_is_needed_unless_busy(void **state)
{
	struct croce_qp *qp = qp_at(0);

	assert_true(croce_wq_needs_doorbell(&qp->sq));
	qp->sq.ctl->state = CROCE_SQ_BUSY;
	assert_false(croce_wq_needs_doorbell(&qp->sq));
	fake_qp_free(qp);
}

static void cq_yields_what_was_produced_across_the_wrap(void **state)
{
	struct croce_cq *cq = fake_cq_new(4, UINT32_MAX - 6);
	uint32_t i;

	assert_null(croce_cq_ring_peek(&cq->ring));
	for (i = 0; i < 20; i++) {
		fake_cq_produce(cq)->wr_id = i;
		assert_int_equal(croce_cq_ring_peek(&cq->ring)->wr_id, i);
		croce_cq_ring_advance(&cq->ring);
		assert_null(croce_cq_ring_peek(&cq->ring));
		croce_cq_ring_release(&cq->ring);
		assert_int_equal(cq->ring.ctl->cons, cq->ring.ctl->prod);
	}
	fake_cq_free(cq);
}

static void cq_arm_counts_and_keeps_the_low_bit_for_solicited(void **state)
{
	struct croce_cq *cq = fake_cq_new(4, 0);
	struct croce_cq_ctl *ctl = cq->ring.ctl;

	croce_cq_ring_arm(&cq->ring, false);
	assert_int_equal(ctl->arm, 2);
	croce_cq_ring_arm(&cq->ring, true);
	assert_int_equal(ctl->arm, 5);
	croce_cq_ring_arm(&cq->ring, true);
	assert_int_equal(ctl->arm, 7);
	croce_cq_ring_arm(&cq->ring, false);
	assert_int_equal(ctl->arm, 8);
	cq->ring.arm = UINT32_MAX;
	croce_cq_ring_arm(&cq->ring, false);
	assert_int_equal(ctl->arm, 0);
	fake_cq_free(cq);
}

static void cq_move_keeps_indices_and_brings_the_user_words(void **state)
{
	struct croce_cq *cq = fake_cq_new(4, 10);
	struct croce_cq_ctl *old = cq->ring.ctl, *new;
	struct croce_queue_map map;
	uint32_t i;

	for (i = 0; i < 3; i++)
		fake_cq_produce(cq)->wr_id = i;
	croce_cq_ring_peek(&cq->ring);
	croce_cq_ring_advance(&cq->ring);
	croce_cq_ring_release(&cq->ring);
	croce_cq_ring_arm(&cq->ring, true);

	new = fake_map_new(&map, sizeof(*new), 16, sizeof(struct croce_cqe));
	new->prod = 13;
	for (i = 11; i < 13; i++)
		memcpy((struct croce_cqe *)(new + 1) + i % 16,
		       croce_cq_ring_slot(&cq->ring, i),
		       sizeof(struct croce_cqe));
	croce_cq_ring_move(&cq->ring, new, &map);
	free(old);

	assert_int_equal(new->cons, 11);
	assert_int_equal(new->arm, 3);
	for (i = 1; i < 3; i++) {
		assert_int_equal(croce_cq_ring_peek(&cq->ring)->wr_id, i);
		croce_cq_ring_advance(&cq->ring);
	}
	assert_null(croce_cq_ring_peek(&cq->ring));
	fake_cq_free(cq);
}

/* A and B: the module reads slots in order, whole, and gives them back. */
static void *take_slots(void *arg)
{
	struct croce_wq *wq = arg;
	uint32_t cons = wq->ctl->cons, bad = 0, i;

	for (i = 0; i < ROUNDS; cons++, i++) {
		const uint64_t *slot = croce_wq_slot(wq, cons);

		while (__atomic_load_n(&wq->ctl->prod, __ATOMIC_ACQUIRE) == cons)
			sched_yield();
		bad += slot[0] != i || slot[7] != i;
		__atomic_store_n(&wq->ctl->cons, cons + 1, __ATOMIC_RELEASE);
	}
	return (void *)(uintptr_t)bad;
}

static void wq_threads_see_whole_slots_in_order(void **state)
{
	struct croce_qp *qp = qp_at(UINT32_MAX - 1000);
	struct croce_wq *wq = &qp->sq;
	pthread_t module;
	uint32_t i;
	void *bad;

	pthread_create(&module, NULL, take_slots, wq);
	for (i = 0; i < ROUNDS; i++) {
		uint64_t *slot = croce_wq_slot(wq, wq->prod);

		while (croce_wq_is_full(wq, wq->prod))
			sched_yield();
		slot[0] = i;
		slot[7] = i;
		croce_wq_publish(wq, wq->prod + 1);
	}
	pthread_join(module, &bad);
	assert_null(bad);
	fake_qp_free(qp);
}

/*
 * C: the module is inside while BUSY and leaves when it finds nothing. The
 * doorbell is a counter. A WR that nobody looks at would hang both threads.
 */
struct elision {
	struct croce_wq *wq;
	uint32_t bells;
	uint32_t taken;
};

static void *leave_when_idle(void *arg)
{
	struct elision *e = arg;
	struct croce_wq_ctl *ctl = e->wq->ctl;
	uint32_t cons = ctl->cons, answered = 0;

	while (e->taken < ROUNDS) {
		while (__atomic_load_n(&e->bells, __ATOMIC_ACQUIRE) == answered)
			sched_yield();
		answered++;
		do {
			__atomic_store_n(&ctl->state, CROCE_SQ_BUSY,
					 __ATOMIC_RELAXED);
			while (__atomic_load_n(&ctl->prod, __ATOMIC_ACQUIRE) !=
			       cons) {
				cons++;
				e->taken++;
			}
			__atomic_store_n(&ctl->cons, cons, __ATOMIC_RELEASE);
			__atomic_store_n(&ctl->state, 0, __ATOMIC_RELAXED);
			atomic_thread_fence(memory_order_seq_cst); /* C */
		} while (__atomic_load_n(&ctl->prod, __ATOMIC_RELAXED) != cons);
	}
	return NULL;
}

static void elided_doorbells_leave_no_request_unseen(void **state)
{
	struct croce_qp *qp = qp_at(0);
	struct elision e = { .wq = &qp->sq };
	pthread_t module;
	uint32_t i;

	pthread_create(&module, NULL, leave_when_idle, &e);
	for (i = 0; i < ROUNDS; i++) {
		while (croce_wq_is_full(e.wq, e.wq->prod))
			sched_yield();
		croce_wq_publish(e.wq, e.wq->prod + 1);
		if (croce_wq_needs_doorbell(e.wq))
			__atomic_fetch_add(&e.bells, 1, __ATOMIC_RELEASE);
	}
	pthread_join(module, NULL);
	assert_int_equal(e.taken, ROUNDS);
	fake_qp_free(qp);
}

/*
 * D: a user that sleeps after arming and finding nothing is always woken. The
 * event is a counter; a lost one would hang both threads.
 */
struct notify {
	struct croce_cq *cq;
	uint32_t events;
};

static void *produce_and_notify(void *arg)
{
	struct notify *n = arg;
	struct croce_cq_ctl *ctl = n->cq->ring.ctl;
	uint32_t raised = 0, arm, prod, i;

	for (i = 0; i < ROUNDS; i++) {
		prod = ctl->prod;
		while (prod - __atomic_load_n(&ctl->cons, __ATOMIC_ACQUIRE) >=
		       n->cq->ring.slots)
			sched_yield();
		croce_cq_ring_slot(&n->cq->ring, prod)->wr_id = i;
		__atomic_store_n(&ctl->prod, prod + 1, __ATOMIC_RELEASE);
		atomic_thread_fence(memory_order_seq_cst); /* D */
		arm = __atomic_load_n(&ctl->arm, __ATOMIC_RELAXED);
		if (arm != raised) {
			raised = arm;
			__atomic_fetch_add(&n->events, 1, __ATOMIC_RELEASE);
		}
	}
	return NULL;
}

static uint32_t drain(struct croce_cq_ring *ring, uint32_t expected)
{
	const struct croce_cqe *cqe;

	while ((cqe = croce_cq_ring_peek(ring))) {
		assert_int_equal(cqe->wr_id, expected);
		expected++;
		croce_cq_ring_advance(ring);
		croce_cq_ring_release(ring);
	}
	return expected;
}

static void armed_sleepers_are_always_woken(void **state)
{
	struct notify n = { .cq = fake_cq_new(16, UINT32_MAX - 1000) };
	struct croce_cq_ring *ring = &n.cq->ring;
	uint32_t done = 0, events;
	pthread_t module;

	pthread_create(&module, NULL, produce_and_notify, &n);
	for (events = 0; done < ROUNDS; events++) {
		croce_cq_ring_arm(ring, false);
		done = drain(ring, done);
		if (done == ROUNDS)
			break;
		while (__atomic_load_n(&n.events, __ATOMIC_ACQUIRE) <= events)
			sched_yield();
		done = drain(ring, done);
	}
	pthread_join(module, NULL);
	assert_int_equal(done, ROUNDS);
	fake_cq_free(n.cq);
}

/*
 * Store-buffer litmus of C and D: both threads run their half of one round at
 * the same moment, and at least one must see the other. Without the barriers
 * of ring.h this fails within the rounds on x86.
 */
struct litmus {
	uint32_t start, done; /* rounds begun by the user, ended by the module */
	struct croce_wq *wq;
	struct croce_cq_ring *ring;
	bool module_saw_prod, module_saw_arm;
};

static void spin_until(const uint32_t *word, uint32_t value)
{
	uint32_t spins = 0;

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
		if (++spins % 4096 == 0)
			sched_yield();
}

static void *litmus_module(void *arg)
{
	struct litmus *l = arg;
	struct croce_wq_ctl *wq = l->wq->ctl;
	struct croce_cq_ctl *cq = l->ring->ctl;
	uint32_t i, prod, arm;

	for (i = 1; i <= ROUNDS; i++) {
		spin_until(&l->start, i);
		prod = i - 1;
		__atomic_store_n(&wq->state, 0, __ATOMIC_RELAXED);
		atomic_thread_fence(memory_order_seq_cst); /* C */
		l->module_saw_prod =
			__atomic_load_n(&wq->prod, __ATOMIC_RELAXED) != prod;
		__atomic_store_n(&l->done, 2 * i - 1, __ATOMIC_RELEASE);

		spin_until(&l->start, i + ROUNDS);
		arm = (i - 1) * CROCE_CQ_ARM_STEP;
		__atomic_store_n(&cq->prod, i, __ATOMIC_RELEASE);
		atomic_thread_fence(memory_order_seq_cst); /* D */
		l->module_saw_arm =
			__atomic_load_n(&cq->arm, __ATOMIC_RELAXED) != arm;
		__atomic_store_n(&l->done, 2 * i, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void each_pair_of_full_barriers_has_a_witness(void **state)
{
	struct croce_cq *cq = fake_cq_new(4, 0);
	struct croce_qp *qp = qp_at(0);
	struct litmus l = { .wq = &qp->sq, .ring = &cq->ring };
	uint32_t missed_c = 0, missed_d = 0, i;
	bool saw_idle, saw_prod;
	pthread_t module;

	pthread_create(&module, NULL, litmus_module, &l);
	for (i = 1; i <= ROUNDS; i++) {
		qp->sq.ctl->state = CROCE_SQ_BUSY;
		__atomic_store_n(&l.start, i, __ATOMIC_RELEASE);
		croce_wq_publish(&qp->sq, i);
		saw_idle = croce_wq_needs_doorbell(&qp->sq);
		spin_until(&l.done, 2 * i - 1);
		missed_c += !saw_idle && !l.module_saw_prod;

		__atomic_store_n(&l.start, i + ROUNDS, __ATOMIC_RELEASE);
		croce_cq_ring_arm(&cq->ring, false);
		saw_prod = croce_cq_ring_peek(&cq->ring);
		spin_until(&l.done, 2 * i);
		missed_d += !saw_prod && !l.module_saw_arm;

		croce_cq_ring_peek(&cq->ring);
		croce_cq_ring_advance(&cq->ring);
		croce_cq_ring_release(&cq->ring);
	}
	pthread_join(module, NULL);
	assert_int_equal(missed_c, 0);
	assert_int_equal(missed_d, 0);
	fake_qp_free(qp);
	fake_cq_free(cq);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wq_fills_to_the_last_slot_across_the_wrap),
		cmocka_unit_test(wq_slots_are_stride_apart_and_repeat),
		cmocka_unit_test(wq_without_slots_is_full),
		cmocka_unit_test(wq_reset_adopts_the_index_of_the_module),
		cmocka_unit_test(doorbell_is_needed_unless_busy),
		cmocka_unit_test(cq_yields_what_was_produced_across_the_wrap),
		cmocka_unit_test(cq_arm_counts_and_keeps_the_low_bit_for_solicited),
		cmocka_unit_test(cq_move_keeps_indices_and_brings_the_user_words),
		cmocka_unit_test(wq_threads_see_whole_slots_in_order),
		cmocka_unit_test(elided_doorbells_leave_no_request_unseen),
		cmocka_unit_test(armed_sleepers_are_always_woken),
		cmocka_unit_test(each_pair_of_full_barriers_has_a_witness),
	};

	alarm(120); /* a lost wake-up shows as a hang */
	return cmocka_run_group_tests_name("croce_ring", tests, NULL, NULL);
}
