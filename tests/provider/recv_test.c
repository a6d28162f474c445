// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* recv.c: slots of receive queues and shared receive queues. */
#include <errno.h>
#include <stdlib.h>

#include "want.h"

#define MAX_SGE 32

static struct croce_qp *new_qp(uint32_t slots, uint32_t first)
{
	return fake_qp_new(&(struct fake_caps){ .type = IBV_QPT_RC,
						.slots = slots,
						.max_sge = MAX_SGE,
						.first = first });
}

static void assert_rqe(const struct croce_wq *wq, uint32_t index,
		       uint64_t wr_id, const struct ibv_sge *list,
		       uint32_t num_sge)
{
	struct croce_rqe want = { .wr_id = wr_id, .num_sge = num_sge };
	const struct croce_rqe *rqe = croce_wq_slot(wq, index);
	const uint8_t *rest = (const uint8_t *)(rqe + 1);
	size_t length = num_sge * sizeof(*list), i;

	assert_words(rqe, &want, sizeof(want), "header");
	assert_words(rest, list, length, "elements");
	for (i = length; i < wq->stride - sizeof(want); i++)
		assert_int_equal(rest[i], POISON);
}

static void every_sge_count_fills_the_slot(void **state)
{
	struct croce_srq *srq = fake_srq_new(64, MAX_SGE, UINT32_MAX - 9);
	struct croce_qp *qp = new_qp(64, UINT32_MAX - 9);
	struct ibv_sge list[MAX_SGE];
	struct ibv_recv_wr *bad;
	int n;

	for (n = 0; n < MAX_SGE; n++)
		list[n] = some_sge(n);

	for (n = 0; n <= MAX_SGE; n++) {
		struct ibv_recv_wr wr = { .wr_id = WR_ID + n,
					  .sg_list = n ? list : NULL,
					  .num_sge = n };

		assert_int_equal(croce_post_recv(&qp->vqp.qp, &wr, &bad), 0);
		assert_rqe(&qp->rq, UINT32_MAX - 9 + n, WR_ID + n, list, n);
		assert_int_equal(croce_post_srq_recv(&srq->vsrq.srq, &wr, &bad),
				 0);
		assert_rqe(&srq->wq, UINT32_MAX - 9 + n, WR_ID + n, list, n);
	}
	assert_int_equal(fake_wq_posted(&qp->rq), MAX_SGE + 1);
	assert_int_equal(fake_wq_posted(&srq->wq), MAX_SGE + 1);
	assert_int_equal(bell.writes, 0);
	fake_srq_free(srq);
	fake_qp_free(qp);
}

static void receives_before_a_bad_one_are_posted(void **state)
{
	int at, i;

	for (at = 0; at < 4; at++) {
		struct croce_qp *qp = new_qp(4, 0);
		struct ibv_recv_wr wr[4] = {}, *bad;

		for (i = 0; i < 4; i++) {
			wr[i].wr_id = i;
			wr[i].next = i < 3 ? &wr[i + 1] : NULL;
		}
		wr[at].num_sge = at % 2 ? MAX_SGE + 1 : -1;
		assert_int_equal(croce_post_recv(&qp->vqp.qp, wr, &bad), EINVAL);
		assert_ptr_equal(bad, &wr[at]);
		assert_int_equal(fake_wq_posted(&qp->rq), at);
		for (i = at; i < 4; i++)
			assert_poisoned(&qp->rq, i);
		fake_qp_free(qp);
	}
}

static void a_full_queue_is_enomem(void **state)
{
	struct croce_srq *srq = fake_srq_new(2, 1, 0);
	struct ibv_recv_wr wr[3] = {}, *bad;

	wr[0].next = &wr[1];
	wr[1].next = &wr[2];
	assert_int_equal(croce_post_srq_recv(&srq->vsrq.srq, wr, &bad), ENOMEM);
	assert_ptr_equal(bad, &wr[2]);
	assert_int_equal(fake_wq_posted(&srq->wq), 2);
	fake_wq_release(&srq->wq, 1);
	assert_int_equal(croce_post_srq_recv(&srq->vsrq.srq, &wr[2], &bad), 0);
	fake_srq_free(srq);
}

static void reset_refuses_post_recv(void **state)
{
	struct croce_qp *qp = new_qp(2, 0);
	struct ibv_recv_wr wr = {}, *bad;

	qp->vqp.qp.state = IBV_QPS_RESET;
	assert_int_equal(croce_post_recv(&qp->vqp.qp, &wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr);
	qp->vqp.qp.state = IBV_QPS_INIT;
	assert_int_equal(croce_post_recv(&qp->vqp.qp, &wr, &bad), 0);
	fake_qp_free(qp);
}

/* As with an SRQ and with XRC. */
static void a_qp_without_a_queue_refuses_post_recv(void **state)
{
	struct croce_qp *qp = new_qp(2, 0);
	struct ibv_recv_wr wr = {}, *bad;
	struct croce_wq rq = qp->rq;

	memset(&qp->rq, 0, sizeof(qp->rq));
	assert_int_equal(croce_post_recv(&qp->vqp.qp, &wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr);
	qp->rq = rq;
	fake_qp_free(qp);
}

static void only_a_qp_in_error_is_rung_for(void **state)
{
	struct croce_qp *qp = new_qp(4, 0);
	struct ibv_recv_wr wr = {}, *bad;

	assert_int_equal(croce_post_recv(&qp->vqp.qp, &wr, &bad), 0);
	assert_int_equal(bell.writes, 0);

	qp->rq.ctl->state = CROCE_RQ_KICK;
	wr.num_sge = MAX_SGE + 1; /* nothing posted, nothing to flush */
	assert_int_equal(croce_post_recv(&qp->vqp.qp, &wr, &bad), EINVAL);
	assert_int_equal(bell.writes, 0);

	wr.num_sge = 0;
	assert_int_equal(croce_post_recv(&qp->vqp.qp, &wr, &bad), 0);
	assert_int_equal(bell.writes, 1);

	bell.write_errno = EIO;
	assert_int_equal(croce_post_recv(&qp->vqp.qp, &wr, &bad), EIO);
	assert_ptr_equal(bad, &wr);
	fake_qp_free(qp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sge_count_fills_the_slot),
		cmocka_unit_test(receives_before_a_bad_one_are_posted),
		cmocka_unit_test(a_full_queue_is_enomem),
		cmocka_unit_test(reset_refuses_post_recv),
		cmocka_unit_test(a_qp_without_a_queue_refuses_post_recv),
		cmocka_unit_test(only_a_qp_in_error_is_rung_for),
	};

	return cmocka_run_group_tests_name("croce_recv", tests, NULL, NULL);
}
