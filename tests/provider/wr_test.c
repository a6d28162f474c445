// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * wr.c: what ibv_wr_*() write into the slots, how errors drop a batch, and that
 * nothing is seen before ibv_wr_complete().
 */
#include <errno.h>
#include <stdlib.h>

#include "want.h"

#define MAX_SGE 32
#define MAX_INLINE 600
#define SIGNALED CROCE_WR_SIGNALED

static struct croce_ah ah = { .ah = AH };
static struct ibv_mr mr = { .lkey = MR_LKEY };
static struct ibv_mw mw = { .rkey = MW_OLD_RKEY, .type = IBV_MW_TYPE_2 };
static const struct ibv_mw_bind_info bind_info = { &mr, MW_ADDR, MW_LENGTH,
						   MW_ACCESS };

static struct croce_qp *new_qp(enum ibv_qp_type type, uint32_t slots,
			       uint32_t first)
{
	struct croce_qp *qp = fake_qp_new(
		&(struct fake_caps){ .type = type,
				     .slots = slots,
				     .max_sge = MAX_SGE,
				     .max_inline = MAX_INLINE,
				     .first = first });

	qp->vqp.qp_ex.wr_id = WR_ID;
	qp->vqp.qp_ex.wr_flags = IBV_SEND_SIGNALED;
	return qp;
}

static void call(struct ibv_qp_ex *qp, int opcode)
{
	switch (opcode) {
	case IBV_WR_RDMA_WRITE:
		return ibv_wr_rdma_write(qp, RKEY, REMOTE_ADDR);
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return ibv_wr_rdma_write_imm(qp, RKEY, REMOTE_ADDR, IMM_NET);
	case IBV_WR_SEND:
		return ibv_wr_send(qp);
	case IBV_WR_SEND_WITH_IMM:
		return ibv_wr_send_imm(qp, IMM_NET);
	case IBV_WR_RDMA_READ:
		return ibv_wr_rdma_read(qp, RKEY, REMOTE_ADDR);
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return ibv_wr_atomic_cmp_swp(qp, RKEY, REMOTE_ADDR, COMPARE,
					     SWAP);
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return ibv_wr_atomic_fetch_add(qp, RKEY, REMOTE_ADDR, COMPARE);
	case IBV_WR_LOCAL_INV:
		return ibv_wr_local_inv(qp, INV_RKEY);
	case IBV_WR_BIND_MW:
		return ibv_wr_bind_mw(qp, &mw, MW_NEW_RKEY, &bind_info);
	case IBV_WR_SEND_WITH_INV:
		return ibv_wr_send_inv(qp, INV_RKEY);
	}
}

/* The requests of each type, the payloads that may follow. */
static const struct {
	enum ibv_qp_type type;
	int opcodes[11]; /* up to a negative one */
} has[] = {
	{ IBV_QPT_RC, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1 } },
	{ IBV_QPT_UC, { 0, 1, 2, 3, 7, 8, -1 } },
	{ IBV_QPT_UD, { 2, 3, -1 } },
	{ IBV_QPT_XRC_SEND, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1 } },
};

#define NUM_TYPES (sizeof(has) / sizeof(has[0]))

static bool takes_payload(int opcode)
{
	return opcode != IBV_WR_LOCAL_INV && opcode != IBV_WR_BIND_MW;
}

static bool takes_inline(int opcode)
{
	return opcode <= IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_SEND_WITH_INV;
}

static struct ibv_qp_ex *start(struct croce_qp *qp)
{
	ibv_wr_start(&qp->vqp.qp_ex);
	return &qp->vqp.qp_ex;
}

static void set_address(struct ibv_qp_ex *qp, enum ibv_qp_type type)
{
	if (type == IBV_QPT_UD)
		ibv_wr_set_ud_addr(qp, &ah.ibv_ah, QPN, QKEY);
	if (type == IBV_QPT_XRC_SEND)
		ibv_wr_set_xrc_srqn(qp, SRQN);
}

static void every_request_and_sge_count_fills_the_slot(void **state)
{
	struct ibv_sge list[MAX_SGE];
	const int *op;
	size_t t;
	int n;

	for (n = 0; n < MAX_SGE; n++)
		list[n] = some_sge(n);

	for (t = 0; t < NUM_TYPES; t++)
		for (op = has[t].opcodes; *op >= 0; op++)
			for (n = 0; n <= (takes_payload(*op) ? MAX_SGE : 0); n++) {
				struct croce_qp *qp = new_qp(has[t].type, 2, 3);
				struct ibv_qp_ex *ex = start(qp);
				struct croce_sqe want = want_sqe(has[t].type,
								 *op, SIGNALED);

				call(ex, *op);
				if (n == 1)
					ibv_wr_set_sge(ex, list[0].lkey,
						       list[0].addr,
						       list[0].length);
				else if (n)
					ibv_wr_set_sge_list(ex, n, list);
				set_address(ex, has[t].type);
				assert_int_equal(fake_wq_posted(&qp->sq), 0);
				assert_int_equal(ibv_wr_complete(ex), 0);

				want.num_sge = n;
				assert_slot(&qp->sq, 3, &want, list,
					    n * sizeof(list[0]));
				assert_int_equal(fake_wq_posted(&qp->sq), 1);
				assert_int_equal(bell.writes, 1);
				fake_qp_free(qp);
			}
}

static void every_inline_size_is_copied_once(void **state)
{
	uint8_t data[MAX_INLINE];
	const int *op;
	uint32_t size;
	size_t t;

	for (size = 0; size < MAX_INLINE; size++)
		data[size] = size * 5 + 1;

	for (t = 0; t < NUM_TYPES; t++)
		for (op = has[t].opcodes; *op >= 0; op++)
			for (size = 0; takes_inline(*op) && size <= MAX_INLINE;
			     size++) {
				uint32_t a = size / 3;
				struct ibv_data_buf bufs[2] = {
					{ data, a }, { data + a, size - a },
				};
				struct croce_qp *qp = new_qp(has[t].type, 1, 0);
				struct ibv_qp_ex *ex = start(qp);
				struct croce_sqe want;

				call(ex, *op);
				if (size % 2)
					ibv_wr_set_inline_data(ex, data, size);
				else
					ibv_wr_set_inline_data_list(ex, 2, bufs);
				set_address(ex, has[t].type);
				assert_int_equal(ibv_wr_complete(ex), 0);

				want = want_sqe(has[t].type, *op,
						SIGNALED | CROCE_WR_INLINE);
				want.inline_len = size;
				assert_slot(&qp->sq, 0, &want, data, size);
				fake_qp_free(qp);
			}
}

static void atomic_write_carries_its_bytes(void **state)
{
	const uint8_t bytes[9] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 1, 0);
	struct ibv_qp_ex *ex = start(qp);
	struct croce_sqe want = { .wr_id = WR_ID,
				  .opcode = 15,
				  .flags = SIGNALED,
				  .rkey = RKEY,
				  .remote_addr = REMOTE_ADDR };

	memcpy(&want.swap, bytes + 1, 8);
	ibv_wr_atomic_write(ex, RKEY, REMOTE_ADDR, bytes + 1);
	assert_int_equal(ibv_wr_complete(ex), 0);
	assert_slot(&qp->sq, 0, &want, NULL, 0);
	fake_qp_free(qp);
}

#ifdef CROCE_HAVE_FLUSH
static void flush_carries_length_type_and_level(void **state)
{
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 1, 0);
	struct ibv_qp_ex *ex = start(qp);
	struct croce_sqe want = { .wr_id = WR_ID,
				  .opcode = 14,
				  .flags = SIGNALED,
				  .rkey = RKEY,
				  .remote_addr = REMOTE_ADDR,
				  .compare_add = 0x123456789aULL,
				  .swap = 0x0103 };

	ibv_wr_flush(ex, RKEY, REMOTE_ADDR, 0x123456789aULL,
		     IBV_FLUSH_GLOBAL | IBV_FLUSH_PERSISTENT, IBV_FLUSH_MR);
	assert_int_equal(ibv_wr_complete(ex), 0);
	assert_slot(&qp->sq, 0, &want, NULL, 0);
	fake_qp_free(qp);
}
#endif

static void a_batch_becomes_visible_with_one_store_and_one_bell(void **state)
{
	uint32_t first = UINT32_MAX - 3, i;
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 8, first);
	struct ibv_qp_ex *ex = start(qp);

	for (i = 0; i < 8; i++) {
		ex->wr_id = i;
		ex->wr_flags = i;
		ibv_wr_send(ex);
		ibv_wr_set_sge(ex, i, i, i);
		assert_int_equal(fake_wq_posted(&qp->sq), 0);
	}
	assert_int_equal(ibv_wr_complete(ex), 0);
	assert_int_equal(fake_wq_posted(&qp->sq), 8);
	assert_int_equal(bell.writes, 1);

	for (i = 0; i < 8; i++) {
		struct croce_sqe want = { .wr_id = i,
					  .opcode = CROCE_WR_SEND,
					  .flags = i,
					  .num_sge = 1 };
		struct croce_sge sge = { i, i, i };

		want.flags &= ~CROCE_WR_INLINE;
		assert_slot(&qp->sq, first + i, &want, &sge, sizeof(sge));
	}
	fake_qp_free(qp);
}

/* @act makes an error after a good request; all is dropped. */
static void batch_fails(struct croce_qp *qp, void (*act)(struct ibv_qp_ex *qp),
			int err)
{
	uint32_t prod = qp->sq.ctl->prod;
	struct ibv_qp_ex *ex = start(qp);

	ex->wr_flags = 0;
	ibv_wr_send(ex);
	act(ex);
	ex->wr_flags = 0;
	ibv_wr_send(ex); /* does not repair it */
	ibv_wr_set_sge(ex, 1, 2, 3);
	assert_int_equal(ibv_wr_complete(ex), err);
	assert_int_equal(qp->sq.ctl->prod, prod);
	assert_int_equal(qp->sq.prod, prod);
	assert_int_equal(bell.writes, 0);
}

static void too_many_sges(struct ibv_qp_ex *qp)
{
	struct ibv_sge list[MAX_SGE + 1] = {};

	ibv_wr_set_sge_list(qp, MAX_SGE + 1, list);
}

static void too_long_inline(struct ibv_qp_ex *qp)
{
	static uint8_t data[MAX_INLINE + 1];

	ibv_wr_set_inline_data(qp, data, MAX_INLINE + 1);
}

static void too_long_inline_in_parts(struct ibv_qp_ex *qp)
{
	static uint8_t data[MAX_INLINE];
	struct ibv_data_buf bufs[] = { { data, MAX_INLINE }, { data, 1 } };

	ibv_wr_set_inline_data_list(qp, 2, bufs);
}

static void too_long_inline_by_overflow(struct ibv_qp_ex *qp)
{
	static uint8_t data[MAX_INLINE];
	struct ibv_data_buf bufs[] = { { data, 8 }, { data, SIZE_MAX - 4 } };

	ibv_wr_set_inline_data_list(qp, 2, bufs);
}

static void inline_set_twice(struct ibv_qp_ex *qp)
{
	static uint8_t data[MAX_INLINE];

	ibv_wr_set_inline_data(qp, data, MAX_INLINE);
	ibv_wr_set_inline_data(qp, data, 1);
}

static void bad_flag(struct ibv_qp_ex *qp)
{
	qp->wr_flags = IBV_SEND_IP_CSUM;
	ibv_wr_rdma_write(qp, 1, 2);
	ibv_wr_set_sge(qp, 1, 2, 3);
}

static void bind_of_type_one(struct ibv_qp_ex *qp)
{
	struct ibv_mw one = { .type = IBV_MW_TYPE_1 };

	ibv_wr_bind_mw(qp, &one, 1, &bind_info);
}

static void bind_without_mr(struct ibv_qp_ex *qp)
{
	struct ibv_mw_bind_info info = { .length = 1 };

	ibv_wr_bind_mw(qp, &mw, 1, &info);
}

static void no_address(struct ibv_qp_ex *qp)
{
	ibv_wr_set_ud_addr(qp, NULL, 1, 2);
}

static void eight_more(struct ibv_qp_ex *qp)
{
	int i;

	for (i = 0; i < 8; i++) {
		ibv_wr_rdma_write_imm(qp, 1, 2, 3);
		ibv_wr_set_sge(qp, 1, 2, 3);
	}
}

static void the_first_error_drops_the_batch(void **state)
{
	void (*const acts[])(struct ibv_qp_ex *qp) = {
		too_many_sges, too_long_inline, too_long_inline_in_parts,
		too_long_inline_by_overflow, inline_set_twice, bad_flag,
		bind_of_type_one, bind_without_mr, no_address,
	};
	size_t i;

	for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		struct croce_qp *qp = new_qp(IBV_QPT_RC, 8, 0);

		batch_fails(qp, acts[i], EINVAL);
		fake_qp_free(qp);
	}
}

static void a_full_queue_is_enomem_and_the_next_batch_works(void **state)
{
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 8, 0);
	struct ibv_qp_ex *ex;

	batch_fails(qp, eight_more, ENOMEM);

	ex = start(qp);
	ibv_wr_send(ex);
	assert_int_equal(ibv_wr_complete(ex), 0);
	assert_int_equal(fake_wq_posted(&qp->sq), 1);
	fake_qp_free(qp);
}

static void states_below_rts_are_refused(void **state)
{
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 8, 0);
	int s;

	for (s = IBV_QPS_RESET; s < IBV_QPS_RTS; s++) {
		struct ibv_qp_ex *ex;

		qp->vqp.qp.state = s;
		ex = start(qp);
		ibv_wr_send(ex);
		assert_int_equal(ibv_wr_complete(ex), EINVAL);
		assert_poisoned(&qp->sq, 0);
	}
	fake_qp_free(qp);
}

static void abort_drops_the_batch_and_the_lock(void **state)
{
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 8, 0);
	struct ibv_qp_ex *ex = start(qp);

	ibv_wr_send(ex);
	ibv_wr_abort(ex);
	assert_int_equal(fake_wq_posted(&qp->sq), 0);

	ex = start(qp); /* would hang if the lock were held */
	assert_int_equal(ibv_wr_complete(ex), 0);
	assert_int_equal(bell.writes, 0);
	fake_qp_free(qp);
}

static void requests_not_asked_for_are_not_there(void **state)
{
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 8, 0);
	struct croce_qp *bare = calloc(1, sizeof(*bare));

	croce_qp_set_wr_ops(bare, IBV_QP_EX_WITH_SEND);
	assert_non_null(bare->vqp.qp_ex.wr_send);
	assert_null(bare->vqp.qp_ex.wr_send_imm);
	assert_null(bare->vqp.qp_ex.wr_rdma_write);
	assert_null(bare->vqp.qp_ex.wr_atomic_write);
	assert_non_null(bare->vqp.qp_ex.wr_start);
	assert_int_equal(croce_qp_supported_send_ops(IBV_QPT_RAW_PACKET), 0);
	free(bare);
	fake_qp_free(qp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_request_and_sge_count_fills_the_slot),
		cmocka_unit_test(every_inline_size_is_copied_once),
		cmocka_unit_test(atomic_write_carries_its_bytes),
#ifdef CROCE_HAVE_FLUSH
		cmocka_unit_test(flush_carries_length_type_and_level),
#endif
		cmocka_unit_test(a_batch_becomes_visible_with_one_store_and_one_bell),
		cmocka_unit_test(the_first_error_drops_the_batch),
		cmocka_unit_test(a_full_queue_is_enomem_and_the_next_batch_works),
		cmocka_unit_test(states_below_rts_are_refused),
		cmocka_unit_test(abort_drops_the_batch_and_the_lock),
		cmocka_unit_test(requests_not_asked_for_are_not_there),
	};

	return cmocka_run_group_tests_name("croce_wr", tests, NULL, NULL);
}
