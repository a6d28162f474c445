// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * send.c: what ibv_post_send() and ibv_bind_mw() write into the slots, what
 * they refuse, and when they ring.
 */
#include <errno.h>
#include <stdlib.h>

#include <rdma/ib_user_verbs.h>

#include "want.h"

#define MAX_SGE 32
#define MAX_INLINE 600 /* more than 32 SGEs take */

static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD,
					  IBV_QPT_XRC_SEND };
#define NUM_TYPES 4
#define NUM_OPCODES 20

/* Where an opcode is legal in struct ibv_send_wr, and whether inline is. */
static const struct {
	bool legal[NUM_TYPES];
	bool payload, can_inline;
} table[NUM_OPCODES] = {
	[0] = { { true, true, false, true }, true, true },
	[1] = { { true, true, false, true }, true, true },
	[2] = { { true, true, true, true }, true, true },
	[3] = { { true, true, true, true }, true, true },
	[4] = { { true, false, false, true }, true, false },
	[5] = { { true, false, false, true }, true, false },
	[6] = { { true, false, false, true }, true, false },
	[7] = { { true, true, false, true }, false, false },
	[8] = { { true, true, false, true }, false, false },
	[9] = { { true, false, false, true }, true, true },
};

static struct croce_ah ah = { .ah = AH };
static struct ibv_mr mr = { .lkey = MR_LKEY };
static struct ibv_mw mw = { .rkey = MW_OLD_RKEY, .type = IBV_MW_TYPE_2 };

static struct croce_qp *new_qp(enum ibv_qp_type type, uint32_t slots,
			       uint32_t first)
{
	return fake_qp_new(&(struct fake_caps){ .type = type,
						.slots = slots,
						.max_sge = MAX_SGE,
						.max_inline = MAX_INLINE,
						.first = first });
}

static struct ibv_send_wr some_wr(enum ibv_qp_type type, int opcode)
{
	struct ibv_send_wr wr = { .wr_id = WR_ID, .opcode = opcode };

	if (opcode == IBV_WR_SEND_WITH_INV || opcode == IBV_WR_LOCAL_INV)
		wr.invalidate_rkey = INV_RKEY;
	else
		wr.imm_data = IMM_NET;

	if (opcode == IBV_WR_BIND_MW) {
		wr.bind_mw.mw = &mw;
		wr.bind_mw.rkey = MW_NEW_RKEY;
		wr.bind_mw.bind_info = (struct ibv_mw_bind_info){
			.mr = &mr,
			.addr = MW_ADDR,
			.length = MW_LENGTH,
			.mw_access_flags = MW_ACCESS,
		};
	}

	if (type == IBV_QPT_UD) {
		wr.wr.ud.ah = &ah.ibv_ah;
		wr.wr.ud.remote_qpn = QPN;
		wr.wr.ud.remote_qkey = QKEY;
	} else if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
		   opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = REMOTE_ADDR;
		wr.wr.atomic.compare_add = COMPARE;
		wr.wr.atomic.swap = SWAP;
		wr.wr.atomic.rkey = RKEY;
	} else {
		wr.wr.rdma.remote_addr = REMOTE_ADDR;
		wr.wr.rdma.rkey = RKEY;
	}
	if (type == IBV_QPT_XRC_SEND)
		wr.qp_type.xrc.remote_srqn = SRQN;
	return wr;
}

static int post(struct croce_qp *qp, struct ibv_send_wr *wr,
		struct ibv_send_wr **bad)
{
	*bad = NULL;
	return croce_post_send(&qp->vqp.qp, wr, bad);
}

static void post_ok(struct croce_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	assert_int_equal(post(qp, wr, &bad), 0);
	assert_null(bad);
}

/* One WR fails with @err; the slot and prod are as they were, no bell. */
static void post_fails(struct croce_qp *qp, struct ibv_send_wr *wr, int err)
{
	uint32_t prod = qp->sq.ctl->prod;
	unsigned int writes = bell.writes;
	struct ibv_send_wr *bad;

	assert_int_equal(post(qp, wr, &bad), err);
	assert_ptr_equal(bad, wr);
	assert_int_equal(qp->sq.ctl->prod, prod);
	assert_int_equal(bell.writes, writes);
	if (err != ENOMEM)
		assert_poisoned(&qp->sq, prod);
}

static void every_opcode_and_sge_count_fills_the_slot(void **state)
{
	struct ibv_sge list[MAX_SGE];
	unsigned int t, op, flags;
	int n;

	for (n = 0; n < MAX_SGE; n++)
		list[n] = some_sge(n);

	for (t = 0; t < NUM_TYPES; t++)
		for (op = 0; op < NUM_OPCODES; op++)
			for (n = 0; table[op].legal[t] && n <= MAX_SGE; n++) {
				struct croce_qp *qp = new_qp(types[t], 4, 7);
				struct ibv_send_wr wr = some_wr(types[t], op);
				struct croce_sqe want;

				flags = n % 8; /* fence, signaled, solicited */
				wr.send_flags = flags;
				wr.sg_list = n ? list : NULL;
				wr.num_sge = n;
				post_ok(qp, &wr);

				want = want_sqe(types[t], op, flags);
				want.num_sge = table[op].payload ? n : 0;
				assert_slot(&qp->sq, 7, &want, list,
					    want.num_sge * sizeof(list[0]));
				assert_int_equal(qp->sq.ctl->prod, 8);
				assert_int_equal(bell.writes, 1);
				fake_qp_free(qp);
			}
}

static void every_inline_size_is_copied_once(void **state)
{
	uint8_t data[MAX_INLINE];
	unsigned int t, op;
	uint32_t size;

	for (size = 0; size < MAX_INLINE; size++)
		data[size] = size * 7 + 1;

	for (t = 0; t < NUM_TYPES; t++)
		for (op = 0; op < NUM_OPCODES; op++)
			for (size = 0; table[op].legal[t] &&
				       table[op].can_inline &&
				       size <= MAX_INLINE; size++) {
				uint32_t a = size / 3, b = size / 2;
				struct ibv_sge list[3] = {
					{ (uintptr_t)data, a, 1 },
					{ (uintptr_t)data + a, b - a, 2 },
					{ (uintptr_t)data + b, size - b, 3 },
				};
				struct croce_qp *qp = new_qp(types[t], 2, 0);
				struct ibv_send_wr wr = some_wr(types[t], op);
				struct croce_sqe want;

				wr.send_flags = IBV_SEND_INLINE;
				wr.sg_list = list;
				wr.num_sge = size ? 3 : 0;
				post_ok(qp, &wr);

				want = want_sqe(types[t], op, CROCE_WR_INLINE);
				want.inline_len = size;
				assert_slot(&qp->sq, 0, &want, data, size);
				fake_qp_free(qp);
			}
}

static void opcodes_illegal_for_the_type_are_refused(void **state)
{
	const int wild[] = { -1, 10, 11, 14, 15, 16, 255, 1 << 20 };
	unsigned int t, op, i;

	for (t = 0; t < NUM_TYPES; t++) {
		struct croce_qp *qp = new_qp(types[t], 2, 0);

		for (op = 0; op < NUM_OPCODES; op++) {
			struct ibv_send_wr wr = some_wr(types[t], op);

			if (!table[op].legal[t])
				post_fails(qp, &wr, EINVAL);
		}
		for (i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
			struct ibv_send_wr wr = some_wr(types[t], wild[i]);

			post_fails(qp, &wr, EINVAL);
		}
		fake_qp_free(qp);
	}
}

static void too_much_payload_is_refused(void **state)
{
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 2, 0);
	uint8_t data[MAX_INLINE + 1] = {};
	struct ibv_sge list[MAX_SGE + 1] = {};
	struct ibv_send_wr wr = some_wr(IBV_QPT_RC, IBV_WR_SEND);

	wr.sg_list = list;
	wr.num_sge = MAX_SGE + 1;
	post_fails(qp, &wr, EINVAL);
	wr.num_sge = -1;
	post_fails(qp, &wr, EINVAL);

	wr.num_sge = 1;
	wr.send_flags = IBV_SEND_INLINE;
	list[0] = (struct ibv_sge){ (uintptr_t)data, MAX_INLINE + 1, 0 };
	post_fails(qp, &wr, EINVAL);

	/* a sum that does not fit 32 bits */
	wr.num_sge = 3;
	list[0].length = list[1].length = UINT32_MAX;
	list[2].length = 2;
	post_fails(qp, &wr, EINVAL);
	fake_qp_free(qp);
}

static void inline_is_refused_where_nothing_is_sent(void **state)
{
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 2, 0);
	unsigned int op;

	for (op = 0; op < NUM_OPCODES; op++) {
		struct ibv_send_wr wr = some_wr(IBV_QPT_RC, op);

		wr.send_flags = IBV_SEND_INLINE;
		if (table[op].legal[0] && !table[op].can_inline)
			post_fails(qp, &wr, EINVAL);
	}
	fake_qp_free(qp);
}

static void unknown_flags_are_refused(void **state)
{
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 2, 0);
	struct ibv_send_wr wr = some_wr(IBV_QPT_RC, IBV_WR_SEND);
	int bit;

	for (bit = 4; bit < 32; bit++) {
		wr.send_flags = 1U << bit;
		post_fails(qp, &wr, EINVAL);
	}
	fake_qp_free(qp);
}

static void states_below_rts_are_refused(void **state)
{
	const enum ibv_qp_state good[] = { IBV_QPS_RTS, IBV_QPS_SQD,
					   IBV_QPS_SQE, IBV_QPS_ERR };
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 8, 0);
	struct ibv_send_wr wr = some_wr(IBV_QPT_RC, IBV_WR_SEND);
	unsigned int i;

	for (i = IBV_QPS_RESET; i < IBV_QPS_RTS; i++) {
		qp->vqp.qp.state = i;
		post_fails(qp, &wr, EINVAL);
	}
	for (i = 0; i < 4; i++) {
		qp->vqp.qp.state = good[i];
		post_ok(qp, &wr);
	}
	fake_qp_free(qp);
}

static void ud_without_address_handle_is_refused(void **state)
{
	struct croce_qp *qp = new_qp(IBV_QPT_UD, 2, 0);
	struct ibv_send_wr wr = some_wr(IBV_QPT_UD, IBV_WR_SEND);

	wr.wr.ud.ah = NULL;
	post_fails(qp, &wr, EINVAL);
	fake_qp_free(qp);
}

static void windows_of_type_one_are_refused(void **state)
{
	struct ibv_mw type_one = { .type = IBV_MW_TYPE_1 };
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 2, 0);
	struct ibv_send_wr wr = some_wr(IBV_QPT_RC, IBV_WR_BIND_MW);

	wr.bind_mw.mw = &type_one;
	post_fails(qp, &wr, EINVAL);
	wr.bind_mw.mw = NULL;
	post_fails(qp, &wr, EINVAL);
	wr.bind_mw.mw = &mw;
	wr.bind_mw.bind_info.mr = NULL;
	post_fails(qp, &wr, EINVAL);

	/* nothing to bind to is how a window is emptied */
	wr.bind_mw.bind_info.length = 0;
	post_ok(qp, &wr);
	fake_qp_free(qp);
}

/* Every position of the bad WR in a list of four. */
static void requests_before_a_bad_one_are_posted_and_rung(void **state)
{
	int at, i;

	for (at = 0; at < 4; at++) {
		struct croce_qp *qp = new_qp(IBV_QPT_RC, 8, UINT32_MAX - 1);
		struct ibv_send_wr wr[4], *bad;
		uint32_t first = UINT32_MAX - 1;

		for (i = 0; i < 4; i++) {
			wr[i] = some_wr(IBV_QPT_RC, IBV_WR_RDMA_WRITE);
			wr[i].next = i < 3 ? &wr[i + 1] : NULL;
		}
		wr[at].num_sge = MAX_SGE + 1;

		assert_int_equal(post(qp, wr, &bad), EINVAL);
		assert_ptr_equal(bad, &wr[at]);
		assert_int_equal(fake_wq_posted(&qp->sq), at);
		assert_int_equal(bell.writes, at ? 1 : 0);
		for (i = 0; i < at; i++) {
			struct croce_sqe want = want_sqe(IBV_QPT_RC, 0, 0);

			assert_slot(&qp->sq, first + i, &want, NULL, 0);
		}
		for (; i < 8; i++)
			assert_poisoned(&qp->sq, first + i);
		fake_qp_free(qp);
	}
}

static void a_full_queue_is_enomem_and_takes_more_once_released(void **state)
{
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 4, UINT32_MAX - 2);
	struct ibv_send_wr wr[6], *bad;
	int i;

	for (i = 0; i < 6; i++) {
		wr[i] = some_wr(IBV_QPT_RC, IBV_WR_SEND);
		wr[i].wr_id = i;
		wr[i].next = i < 5 ? &wr[i + 1] : NULL;
	}
	assert_int_equal(post(qp, wr, &bad), ENOMEM);
	assert_ptr_equal(bad, &wr[4]);
	assert_int_equal(fake_wq_posted(&qp->sq), 4);
	assert_int_equal(bell.writes, 1);

	post_fails(qp, &wr[4], ENOMEM);
	fake_wq_release(&qp->sq, 1);
	assert_int_equal(post(qp, &wr[4], &bad), ENOMEM);
	assert_ptr_equal(bad, &wr[5]);
	fake_wq_release(&qp->sq, 4);
	post_ok(qp, &wr[5]);
	fake_qp_free(qp);
}

static void a_long_run_wraps_slots_and_indices(void **state)
{
	uint32_t first = UINT32_MAX - 100, i;
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 8, first);

	for (i = 0; i < 300; i++) {
		struct ibv_send_wr wr = some_wr(IBV_QPT_RC, IBV_WR_SEND);
		struct croce_sqe want = want_sqe(IBV_QPT_RC, 2, 0);

		want.wr_id = wr.wr_id = i;
		post_ok(qp, &wr);
		assert_slot(&qp->sq, first + i, &want, NULL, 0);
		if (fake_wq_posted(&qp->sq) == 8)
			fake_wq_release(&qp->sq, 1 + i % 8);
	}
	fake_qp_free(qp);
}

static void signal_all_marks_every_request(void **state)
{
	struct croce_qp *qp = fake_qp_new(
		&(struct fake_caps){ .type = IBV_QPT_RC, .slots = 2, .sig_all = true });
	struct ibv_send_wr wr = some_wr(IBV_QPT_RC, IBV_WR_SEND);
	struct croce_sqe want = want_sqe(IBV_QPT_RC, 2, CROCE_WR_SIGNALED);

	post_ok(qp, &wr);
	assert_slot(&qp->sq, 0, &want, NULL, 0);
	fake_qp_free(qp);
}

static void the_doorbell_is_an_empty_post_send_command(void **state)
{
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 2, 0);
	struct ibv_send_wr wr = some_wr(IBV_QPT_RC, IBV_WR_SEND);
	const struct ib_uverbs_cmd_hdr *hdr = (void *)bell.cmd;
	const struct ib_uverbs_post_send *cmd = (void *)(hdr + 1);

	post_ok(qp, &wr);
	assert_int_equal(bell.cmd_length, sizeof(*hdr) + sizeof(*cmd));
	assert_int_equal(hdr->command, IB_USER_VERBS_CMD_POST_SEND);
	assert_int_equal(hdr->in_words * 4, bell.cmd_length);
	assert_int_equal(hdr->out_words, 1);
	assert_int_not_equal(cmd->response, 0);
	assert_int_equal(cmd->qp_handle, 0x1234);
	assert_int_equal(cmd->wr_count, 0);
	assert_int_equal(cmd->sge_count, 0);
	assert_int_equal(cmd->wqe_size, sizeof(struct ib_uverbs_send_wr));
	fake_qp_free(qp);
}

static void no_doorbell_while_the_module_is_busy(void **state)
{
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 4, 0);
	struct ibv_send_wr wr = some_wr(IBV_QPT_RC, IBV_WR_SEND);

	qp->sq.ctl->state = CROCE_SQ_BUSY;
	post_ok(qp, &wr);
	assert_int_equal(bell.writes, 0);
	qp->sq.ctl->state = ~CROCE_SQ_BUSY; /* bits of a later module */
	post_ok(qp, &wr);
	assert_int_equal(bell.writes, 1);
	fake_qp_free(qp);
}

static void an_empty_list_does_nothing(void **state)
{
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 4, 0);

	post_ok(qp, NULL);
	assert_int_equal(bell.writes, 0);
	fake_qp_free(qp);
}

static void a_dead_device_fails_the_call(void **state)
{
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 4, 0);
	struct ibv_send_wr wr = some_wr(IBV_QPT_RC, IBV_WR_SEND), *bad;

	bell.write_errno = EIO;
	assert_int_equal(post(qp, &wr, &bad), EIO);
	assert_ptr_equal(bad, &wr);
	assert_int_equal(bell.lib_calls, 0);
	fake_qp_free(qp);
}

static void a_process_with_new_credentials_rings_through_the_library(void **state)
{
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 4, 0);
	struct ibv_send_wr wr = some_wr(IBV_QPT_RC, IBV_WR_SEND);

	bell.write_errno = EACCES;
	post_ok(qp, &wr);
	post_ok(qp, &wr);
	assert_int_equal(bell.writes, 1); /* not tried again */
	assert_int_equal(bell.lib_calls, 2);
	fake_qp_free(qp);
}

static void bind_mw_posts_and_gives_the_window_its_key(void **state)
{
	struct ibv_mw one = { .rkey = MW_OLD_RKEY, .type = IBV_MW_TYPE_1 };
	struct croce_qp *qp = new_qp(IBV_QPT_RC, 1, 0);
	struct croce_sqe want = want_sqe(IBV_QPT_RC, 8, CROCE_WR_SIGNALED);
	struct ibv_mw_bind bind = {
		.wr_id = WR_ID,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { &mr, MW_ADDR, MW_LENGTH, MW_ACCESS },
	};

	assert_int_equal(croce_bind_mw(&qp->vqp.qp, &one, &bind), 0);
	assert_slot(&qp->sq, 0, &want, NULL, 0);
	assert_int_equal(one.rkey, MW_NEW_RKEY);
	assert_int_equal(bell.writes, 1);

	assert_int_equal(croce_bind_mw(&qp->vqp.qp, &one, &bind), ENOMEM);
	assert_int_equal(one.rkey, MW_NEW_RKEY);
	fake_wq_release(&qp->sq, 1);
	bind.send_flags = IBV_SEND_INLINE;
	assert_int_equal(croce_bind_mw(&qp->vqp.qp, &one, &bind), EINVAL);
	bind.send_flags = 0;
	bind.bind_info.mr = NULL;
	assert_int_equal(croce_bind_mw(&qp->vqp.qp, &one, &bind), EINVAL);
	assert_poisoned(&qp->sq, 1);
	fake_qp_free(qp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_opcode_and_sge_count_fills_the_slot),
		cmocka_unit_test(every_inline_size_is_copied_once),
		cmocka_unit_test(opcodes_illegal_for_the_type_are_refused),
		cmocka_unit_test(too_much_payload_is_refused),
		cmocka_unit_test(inline_is_refused_where_nothing_is_sent),
		cmocka_unit_test(unknown_flags_are_refused),
		cmocka_unit_test(states_below_rts_are_refused),
		cmocka_unit_test(ud_without_address_handle_is_refused),
		cmocka_unit_test(windows_of_type_one_are_refused),
		cmocka_unit_test(requests_before_a_bad_one_are_posted_and_rung),
		cmocka_unit_test(a_full_queue_is_enomem_and_takes_more_once_released),
		cmocka_unit_test(a_long_run_wraps_slots_and_indices),
		cmocka_unit_test(signal_all_marks_every_request),
		cmocka_unit_test(the_doorbell_is_an_empty_post_send_command),
		cmocka_unit_test(no_doorbell_while_the_module_is_busy),
		cmocka_unit_test(an_empty_list_does_nothing),
		cmocka_unit_test(a_dead_device_fails_the_call),
		cmocka_unit_test(a_process_with_new_credentials_rings_through_the_library),
		cmocka_unit_test(bind_mw_posts_and_gives_the_window_its_key),
	};

	return cmocka_run_group_tests_name("croce_send", tests, NULL, NULL);
}
