// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life of contexts, domains and queues against a module that lives in a file:
 * what is asked of it, what is mapped when, and that every failure undoes what
 * went before. Leaks are LeakSanitizer's to find.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_cmd.h"

extern const struct verbs_device_ops verbs_provider_croce;

static int setup(void **state)
{
	fake_module_init();
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(fake_module_maps(), 0);
	fake_module_cleanup();
	return 0;
}

static void only_the_private_number_matches(void **state)
{
	const struct verbs_match_ent *match = verbs_provider_croce.match_table;

	assert_int_equal(match[0].kind, VERBS_MATCH_DRIVER_ID);
	assert_int_equal(match[0].u.driver_id, CROCE_DRIVER_ID);
	assert_int_equal(match[1].kind, VERBS_MATCH_SENTINEL);
}

static void a_context_asks_for_the_layout_it_knows(void **state)
{
	struct verbs_context *ctx;

	ctx = verbs_provider_croce.alloc_context(NULL, 0, NULL);
	assert_non_null(ctx);
	assert_int_equal(module.get_context_mask, 0);
	assert_int_equal(module.get_context_version, CROCE_ABI_VERSION);
	assert_int_equal(to_croce_context(&ctx->context)->max_inline, 512);
	module.ops->free_context(&ctx->context);
}

static void a_context_of_another_layout_is_refused_with_a_reason(void **state)
{
	module.fail_cmd = CMD_GET_CONTEXT;
	module.fail_err = EPROTONOSUPPORT;
	assert_null(verbs_provider_croce.alloc_context(NULL, 0, NULL));
	assert_int_equal(errno, EPROTONOSUPPORT);
	assert_non_null(strstr(module.log, "queue layout 1"));

	module.fail_err = 0;
	module.log[0] = 0;
	module.abi_version = CROCE_ABI_VERSION + 1;
	assert_null(verbs_provider_croce.alloc_context(NULL, 0, NULL));
	assert_int_equal(errno, EPROTONOSUPPORT);
	assert_non_null(strstr(module.log, "queue layout 1"));

	module.fail_err = ENOMEM;
	module.log[0] = 0;
	assert_null(verbs_provider_croce.alloc_context(NULL, 0, NULL));
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(module.log[0], 0);
}

static void domains_in_use_are_busy(void **state)
{
	struct ibv_td_init_attr td_attr = {};
	struct ibv_parent_domain_init_attr attr = {};
	struct ibv_pd *pd = croce_alloc_pd(module.ctx), *parent;

	attr.pd = pd;
	attr.td = croce_alloc_td(module.ctx, &td_attr);
	parent = croce_alloc_parent_domain(module.ctx, &attr);
	assert_int_equal(parent->handle, pd->handle);
	assert_int_equal(to_croce_pd(parent)->pdn, 0x5d);
	assert_true(croce_pd_is_single_threaded(parent));
	assert_false(croce_pd_is_single_threaded(pd));
	assert_false(croce_pd_is_single_threaded(NULL));

	assert_int_equal(croce_dealloc_pd(pd), EBUSY);
	assert_int_equal(croce_dealloc_td(attr.td), EBUSY);
	assert_int_equal(module.calls[CMD_DEALLOC_PD], 0);
	assert_int_equal(croce_dealloc_pd(parent), 0);
	assert_int_equal(module.calls[CMD_DEALLOC_PD], 0);
	assert_int_equal(croce_dealloc_td(attr.td), 0);
	assert_int_equal(croce_dealloc_pd(pd), 0);
	assert_int_equal(module.calls[CMD_DEALLOC_PD], 1);
}

static void unknown_domain_attributes_are_refused(void **state)
{
	struct ibv_td_init_attr td_attr = { .comp_mask = 1 };
	struct ibv_parent_domain_init_attr attr = { .comp_mask = 1 };
	struct ibv_pd *pd = croce_alloc_pd(module.ctx);

	assert_null(croce_alloc_td(module.ctx, &td_attr));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(croce_alloc_parent_domain(module.ctx, &attr));
	assert_int_equal(errno, EINVAL);
	attr.pd = pd;
	assert_null(croce_alloc_parent_domain(module.ctx, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(croce_dealloc_pd(pd), 0);
}

static void the_raw_clock_is_the_monotonic_one(void **state)
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	struct timespec now;

	assert_int_equal(croce_query_rt_values(module.ctx, &values), 0);
	assert_int_equal(values.comp_mask, IBV_VALUES_MASK_RAW_CLOCK);
	clock_gettime(CLOCK_MONOTONIC, &now);
	assert_in_range(now.tv_sec - values.raw_clock.tv_sec, 0, 2);
	values.comp_mask = 2;
	assert_int_equal(croce_query_rt_values(module.ctx, &values), EINVAL);
	assert_int_equal(values.comp_mask, 0);
}

static void produce(struct croce_cq *cq, uint64_t wr_id, uint32_t qp_num)
{
	struct croce_cqe *cqe = fake_cq_produce(cq);

	cqe->wr_id = wr_id;
	cqe->qp_num = qp_num;
}

static void a_cq_is_mapped_and_unmapped(void **state)
{
	struct ibv_cq *cq = croce_create_cq(module.ctx, 8, NULL, 0);
	struct ibv_wc wc;

	assert_non_null(cq);
	assert_int_equal(fake_module_maps(), 1);
	produce(to_croce_cq(cq), 5, 1);
	assert_int_equal(croce_poll_cq(cq, 1, &wc), 1);
	assert_int_equal(wc.wr_id, 5);
	assert_int_equal(croce_destroy_cq(cq), 0);
	assert_int_equal(module.calls[CMD_DESTROY_CQ], 1);
}

static void a_cq_that_cannot_be_had_leaves_nothing(void **state)
{
	struct ibv_cq_init_attr_ex attr = {};

	assert_null(croce_create_cq(module.ctx, 0, NULL, 0));
	assert_int_equal(errno, EINVAL);
	assert_null(croce_create_cq(module.ctx, -1, NULL, 0));
	assert_int_equal(errno, EINVAL);
	assert_null(croce_create_cq_ex(module.ctx, &attr));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(module.calls[CMD_CREATE_CQ], 0);

	module.bad_map = true;
	assert_null(croce_create_cq(module.ctx, 8, NULL, 0));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(module.calls[CMD_DESTROY_CQ], 1);

	module.fail_cmd = CMD_CREATE_CQ;
	module.fail_err = ENOSPC;
	assert_null(croce_create_cq(module.ctx, 8, NULL, 0));
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(module.calls[CMD_DESTROY_CQ], 1);
}

static void extended_cqs_keep_to_what_makes_sense(void **state)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 8,
		.wc_flags = IBV_CREATE_CQ_SUP_WC_FLAGS &
			    ~(IBV_WC_EX_WITH_CVLAN | IBV_WC_EX_WITH_FLOW_TAG |
			      IBV_WC_EX_WITH_TM_INFO),
	};
	struct ibv_cq_ex *cq = croce_create_cq_ex(module.ctx, &attr);

	/* the module needs to know of no timestamp */
	assert_int_equal(module.wc_flags, IBV_WC_STANDARD_FLAGS);
	assert_true(to_croce_cq_ex(cq)->lock.needed);
	croce_destroy_cq(ibv_cq_ex_to_cq(cq));

	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
	cq = croce_create_cq_ex(module.ctx, &attr);
	assert_int_equal(module.cq_comp_mask, 0);
	assert_false(to_croce_cq_ex(cq)->lock.needed);
	assert_false(to_croce_cq_ex(cq)->arm_lock.needed);
	croce_destroy_cq(ibv_cq_ex_to_cq(cq));

	attr.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
	assert_null(croce_create_cq_ex(module.ctx, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	attr.comp_mask = 1U << 31;
	assert_null(croce_create_cq_ex(module.ctx, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	attr.comp_mask = 0;
	attr.wc_flags = IBV_WC_EX_WITH_CVLAN;
	assert_null(croce_create_cq_ex(module.ctx, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
}

static void resize_goes_on_where_it_was(void **state)
{
	struct ibv_cq *ibcq = croce_create_cq(module.ctx, 4, NULL, 0);
	struct croce_cq *cq = to_croce_cq(ibcq);
	struct ibv_wc wc[8];
	int sizes[] = { 16, 4, 64, 4 }, i;
	uint64_t made = 0, seen = 0;

	croce_req_notify_cq(ibcq, 1);
	for (i = 0; i < 4; i++) {
		produce(cq, made++, 1);
		produce(cq, made++, 1);
		produce(cq, made++, 1);
		assert_int_equal(croce_poll_cq(ibcq, 1, wc), 1);
		assert_int_equal(wc[0].wr_id, seen++);

		assert_int_equal(croce_resize_cq(ibcq, sizes[i]), 0);
		assert_int_equal(fake_module_maps(), 1);
		assert_int_equal(cq->ring.slots, sizes[i]);
		assert_int_equal(cq->ring.ctl->cons, seen);
		assert_int_equal(cq->ring.ctl->arm, 3);
		assert_int_equal(croce_poll_cq(ibcq, 8, wc), 2);
		assert_int_equal(wc[0].wr_id, seen++);
		assert_int_equal(wc[1].wr_id, seen++);
	}

	assert_int_equal(croce_resize_cq(ibcq, 0), EINVAL);
	module.fail_cmd = CMD_RESIZE_CQ;
	module.fail_err = EBUSY;
	produce(cq, made, 1);
	assert_int_equal(croce_resize_cq(ibcq, 8), EBUSY);
	module.fail_err = 0;
	module.bad_map = true;
	assert_int_equal(croce_resize_cq(ibcq, 8), EINVAL);
	assert_int_equal(croce_poll_cq(ibcq, 8, wc), 1); /* still whole */
	croce_destroy_cq(ibcq);
}

struct rig {
	struct ibv_pd *pd;
	struct ibv_cq *scq, *rcq;
	struct ibv_qp_init_attr_ex attr;
};

static struct rig rig_new(void)
{
	struct rig rig = {
		.pd = croce_alloc_pd(module.ctx),
		.scq = croce_create_cq(module.ctx, 8, NULL, 0),
		.rcq = croce_create_cq(module.ctx, 8, NULL, 0),
	};

	rig.attr = (struct ibv_qp_init_attr_ex){
		.send_cq = rig.scq,
		.recv_cq = rig.rcq,
		.cap = { .max_send_wr = 8, .max_recv_wr = 4,
			 .max_send_sge = 3, .max_recv_sge = 2 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = rig.pd,
	};
	return rig;
}

static void rig_free(struct rig *rig)
{
	croce_destroy_cq(rig->scq);
	croce_destroy_cq(rig->rcq);
	croce_dealloc_pd(rig->pd);
}

static void a_qp_takes_its_sizes_from_the_module(void **state)
{
	struct rig rig = rig_new();
	struct ibv_qp_init_attr attr = {
		.send_cq = rig.scq,
		.recv_cq = rig.rcq,
		.cap = rig.attr.cap,
		.qp_type = IBV_QPT_UC,
		.sq_sig_all = 1,
	};
	struct croce_qp *qp = to_croce_qp(croce_create_qp(rig.pd, &attr));

	assert_int_equal(fake_module_maps(), 3);
	assert_int_equal(qp->sq.slots, 8);
	assert_int_equal(qp->sq.max_sge, 3);
	assert_int_equal(qp->sq.max_inline, 48);
	assert_int_equal(qp->sq.stride, 112);
	assert_int_equal(qp->rq.slots, 4);
	assert_int_equal(qp->rq.max_sge, 2);
	assert_int_equal(qp->type_bit, CROCE_QPT_UC);
	assert_int_equal(qp->sig_flag, CROCE_WR_SIGNALED);
	assert_int_equal(qp->vqp.comp_mask & VERBS_QP_EX, 0);
	assert_int_equal(croce_destroy_qp(&qp->vqp.qp), 0);
	rig_free(&rig);
}

static void a_qp_that_cannot_be_had_leaves_nothing(void **state)
{
	struct rig rig = rig_new();
	struct ibv_qp_init_attr_ex attr = rig.attr;

	attr.qp_type = IBV_QPT_RAW_PACKET;
	assert_null(croce_create_qp_ex(module.ctx, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	attr = rig.attr;
	attr.comp_mask |= IBV_QP_INIT_ATTR_RX_HASH;
	assert_null(croce_create_qp_ex(module.ctx, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	attr.comp_mask = 0;
	assert_null(croce_create_qp_ex(module.ctx, &attr));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(module.calls[CMD_CREATE_QP], 0);

	module.bad_map = true;
	assert_null(croce_create_qp_ex(module.ctx, &rig.attr));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(module.calls[CMD_DESTROY_QP], 1);

	module.fail_cmd = CMD_CREATE_QP;
	module.fail_err = ENOMEM;
	assert_null(croce_create_qp_ex(module.ctx, &rig.attr));
	assert_int_equal(errno, ENOMEM);
	rig_free(&rig);
}

static void optional_requests_need_the_device_to_have_them(void **state)
{
	struct rig rig = rig_new();
	struct ibv_qp_init_attr_ex attr = rig.attr;
	struct ibv_qp *qp;

	attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	attr.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_ATOMIC_WRITE;
	assert_null(croce_create_qp_ex(module.ctx, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	module.device_caps = 1ULL << 40;
	qp = croce_create_qp_ex(module.ctx, &attr);
	assert_int_equal(to_croce_qp(qp)->vqp.comp_mask & VERBS_QP_EX,
			 VERBS_QP_EX);
	assert_non_null(to_croce_qp(qp)->vqp.qp_ex.wr_atomic_write);
	assert_null(to_croce_qp(qp)->vqp.qp_ex.wr_rdma_read);
	croce_destroy_qp(qp);

#ifdef CROCE_HAVE_FLUSH
	attr.send_ops_flags = IBV_QP_EX_WITH_FLUSH;
	assert_null(croce_create_qp_ex(module.ctx, &attr));
	module.device_caps = 1ULL << 38;
	qp = croce_create_qp_ex(module.ctx, &attr);
	assert_non_null(to_croce_qp(qp)->vqp.qp_ex.wr_flush);
	croce_destroy_qp(qp);
#endif
	attr.send_ops_flags = IBV_QP_EX_WITH_TSO;
	assert_null(croce_create_qp_ex(module.ctx, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	attr.send_ops_flags = IBV_QP_EX_WITH_RDMA_READ;
	attr.qp_type = IBV_QPT_UC;
	assert_null(croce_create_qp_ex(module.ctx, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	rig_free(&rig);
}

static void thread_domains_spare_the_locks_of_a_qp(void **state)
{
	struct ibv_td_init_attr td_attr = {};
	struct rig rig = rig_new();
	struct ibv_parent_domain_init_attr parent = { .pd = rig.pd };
	struct ibv_qp *qp;

	parent.td = croce_alloc_td(module.ctx, &td_attr);
	rig.attr.pd = croce_alloc_parent_domain(module.ctx, &parent);
	qp = croce_create_qp_ex(module.ctx, &rig.attr);
	assert_false(to_croce_qp(qp)->sq_lock.needed);
	assert_false(to_croce_qp(qp)->rq_lock.needed);
	croce_destroy_qp(qp);
	croce_dealloc_pd(rig.attr.pd);
	croce_dealloc_td(parent.td);
	rig_free(&rig);
}

static void both_ends_of_a_qp_take_completions_with_them(void **state)
{
	const bool shared[] = { false, true };
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct ibv_recv_wr wr = {}, *bad;
	struct ibv_wc wc[8];
	int i;

	for (i = 0; i < 2; i++) {
		struct rig rig = rig_new();
		struct ibv_qp *qp;

		if (shared[i])
			rig.attr.recv_cq = rig.scq;
		qp = croce_create_qp_ex(module.ctx, &rig.attr);
		qp->state = IBV_QPS_INIT;
		assert_int_equal(croce_post_recv(qp, &wr, &bad), 0);

		produce(to_croce_cq(rig.scq), 1, 7);
		produce(to_croce_cq(rig.scq), 2, 8);
		produce(to_croce_cq(rig.attr.recv_cq), 3, 7);
		assert_int_equal(croce_modify_qp(qp, &reset, IBV_QP_STATE), 0);
		assert_int_equal(fake_wq_posted(&to_croce_qp(qp)->rq), 0);
		assert_int_equal(croce_poll_cq(rig.scq, 8, wc), 1);
		assert_int_equal(wc[0].wr_id, 2);
		assert_int_equal(croce_poll_cq(rig.rcq, 8, wc), 0);

		produce(to_croce_cq(rig.scq), 4, 7);
		produce(to_croce_cq(rig.attr.recv_cq), 5, 7);
		module.fail_cmd = CMD_DESTROY_QP;
		module.fail_err = EBUSY;
		assert_int_equal(croce_destroy_qp(qp), EBUSY);
		module.fail_err = 0;
		assert_int_equal(croce_destroy_qp(qp), 0);
		assert_int_equal(croce_poll_cq(rig.scq, 8, wc), 0);
		assert_int_equal(croce_poll_cq(rig.rcq, 8, wc), 0);
		rig_free(&rig);
	}
}

static struct ibv_srq *srq_new(struct ibv_pd *pd)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 8, .max_sge = 2 } };

	return croce_create_srq(pd, &attr);
}

static void an_srq_keeps_its_receives_when_it_is_resized(void **state)
{
	struct ibv_pd *pd = croce_alloc_pd(module.ctx);
	struct ibv_srq *srq = srq_new(pd);
	struct croce_wq *wq = &to_croce_srq(srq)->wq;
	struct ibv_srq_attr attr = { .max_wr = 16, .srq_limit = 2 };
	struct ibv_recv_wr wr = {}, *bad;
	uint32_t i, num;

	assert_int_equal(croce_get_srq_num(srq, &num), 0);
	assert_int_equal(num, 99);
	for (i = 0; i < 8; i++) {
		wr.wr_id = i;
		assert_int_equal(croce_post_srq_recv(srq, &wr, &bad), 0);
	}
	assert_int_equal(croce_post_srq_recv(srq, &wr, &bad), ENOMEM);

	assert_int_equal(croce_modify_srq(srq, &attr, IBV_SRQ_LIMIT), 0);
	assert_int_equal(wq->slots, 8);
	module.srq_slots = 16;
	assert_int_equal(croce_modify_srq(srq, &attr, IBV_SRQ_MAX_WR), 0);
	assert_int_equal(wq->slots, 16);
	assert_int_equal(fake_module_maps(), 1);
	for (; i < 16; i++) {
		wr.wr_id = i;
		assert_int_equal(croce_post_srq_recv(srq, &wr, &bad), 0);
	}
	for (i = 0; i < 16; i++)
		assert_int_equal(
			((struct croce_rqe *)croce_wq_slot(wq, i))->wr_id, i);

	/* a limit that is refused does not undo the resize */
	module.srq_slots = 32;
	module.srq_limit_err = ERANGE;
	assert_int_equal(croce_modify_srq(srq, &attr,
					  IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT),
			 ERANGE);
	assert_int_equal(wq->slots, 32);
	assert_int_equal(fake_module_maps(), 1);
	assert_int_equal(croce_post_srq_recv(srq, &wr, &bad), 0);

	module.bad_map = true;
	assert_int_equal(croce_modify_srq(srq, &attr, IBV_SRQ_MAX_WR), EINVAL);
	module.fail_cmd = CMD_MODIFY_SRQ;
	module.fail_err = ENOMEM;
	assert_int_equal(croce_modify_srq(srq, &attr, IBV_SRQ_MAX_WR), ENOMEM);
	assert_int_equal(fake_module_maps(), 1);
	assert_int_equal(croce_destroy_srq(srq), 0);
	croce_dealloc_pd(pd);
}

static void an_srq_that_cannot_be_had_leaves_nothing(void **state)
{
	struct ibv_pd *pd = croce_alloc_pd(module.ctx);
	struct ibv_srq_init_attr_ex ex = { .comp_mask = IBV_SRQ_INIT_ATTR_CQ };

	assert_null(croce_create_srq_ex(module.ctx, &ex));
	assert_int_equal(errno, EOPNOTSUPP);
	ex.comp_mask = IBV_SRQ_INIT_ATTR_TYPE;
	ex.srq_type = IBV_SRQT_TM;
	assert_null(croce_create_srq_ex(module.ctx, &ex));
	assert_int_equal(errno, EOPNOTSUPP);
	/* XRC wants all three: domain, CQ and PD */
	ex.srq_type = IBV_SRQT_XRC;
	ex.comp_mask |= IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_CQ;
	assert_null(croce_create_srq_ex(module.ctx, &ex));
	assert_int_equal(errno, EINVAL);
	ex.comp_mask = 0;
	assert_null(croce_create_srq_ex(module.ctx, &ex));
	assert_int_equal(errno, EINVAL);

	module.bad_map = true;
	assert_null(srq_new(pd));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(module.calls[CMD_DESTROY_SRQ], 1);
	module.fail_cmd = CMD_CREATE_SRQ;
	module.fail_err = EPERM;
	assert_null(srq_new(pd));
	assert_int_equal(errno, EPERM);
	croce_dealloc_pd(pd);
}

static void xrc_srqs_know_their_number(void **state)
{
	struct ibv_xrcd_init_attr domain = { .fd = -1 };
	struct ibv_pd *pd = croce_alloc_pd(module.ctx);
	struct ibv_srq_init_attr_ex ex = {
		.attr = { .max_wr = 8, .max_sge = 2 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = pd,
		.xrcd = croce_open_xrcd(module.ctx, &domain),
		.cq = croce_create_cq(module.ctx, 8, NULL, 0),
	};
	struct ibv_srq *srq = croce_create_srq_ex(module.ctx, &ex);
	struct ibv_recv_wr wr = {}, *bad;
	uint32_t num;

	assert_non_null(srq);
	assert_int_equal(croce_get_srq_num(srq, &num), 0);
	assert_int_equal(num, 99);
	assert_int_equal(croce_post_srq_recv(srq, &wr, &bad), 0);
	assert_int_equal(croce_destroy_srq(srq), 0);

	module.fail_cmd = CMD_CLOSE_XRCD;
	module.fail_err = EBUSY;
	assert_int_equal(croce_close_xrcd(ex.xrcd), EBUSY);
	module.fail_err = 0;
	assert_int_equal(croce_close_xrcd(ex.xrcd), 0);
	module.fail_cmd = CMD_OPEN_XRCD;
	module.fail_err = EINVAL;
	assert_null(croce_open_xrcd(module.ctx, &domain));
	assert_int_equal(errno, EINVAL);
	croce_destroy_cq(ex.cq);
	croce_dealloc_pd(pd);
}

/* Neither has queues: nothing is mapped, and nothing can be posted. */
static void assert_is_target(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND }, *bad_send;
	struct ibv_recv_wr recv = {}, *bad_recv;

	assert_non_null(qp);
	assert_int_equal(fake_module_maps(), 0);
	qp->state = IBV_QPS_RTS;
	assert_int_equal(croce_post_send(qp, &send, &bad_send), EINVAL);
	assert_int_equal(croce_post_recv(qp, &recv, &bad_recv), EINVAL);
	assert_int_equal(croce_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(croce_destroy_qp(qp), 0);
}

static void xrc_targets_have_no_queues(void **state)
{
	struct ibv_xrcd_init_attr domain = { .fd = -1 };
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = croce_open_xrcd(module.ctx, &domain),
	};
	struct ibv_qp_open_attr open = {
		.qp_num = 7,
		.qp_type = IBV_QPT_XRC_RECV,
		.xrcd = attr.xrcd,
	};

	assert_is_target(croce_create_qp_ex(module.ctx, &attr));
	assert_is_target(croce_open_qp(module.ctx, &open));

	attr.comp_mask = 0;
	assert_null(croce_create_qp_ex(module.ctx, &attr));
	assert_int_equal(errno, EINVAL);
	attr.comp_mask = IBV_QP_INIT_ATTR_XRCD |
			 IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	attr.send_ops_flags = IBV_QP_EX_WITH_SEND;
	assert_null(croce_create_qp_ex(module.ctx, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	module.fail_cmd = CMD_OPEN_QP;
	module.fail_err = EINVAL;
	assert_null(croce_open_qp(module.ctx, &open));
	assert_int_equal(errno, EINVAL);
	module.fail_err = 0;
	croce_close_xrcd(attr.xrcd);
}

#define life_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		life_test(only_the_private_number_matches),
		life_test(a_context_asks_for_the_layout_it_knows),
		life_test(a_context_of_another_layout_is_refused_with_a_reason),
		life_test(domains_in_use_are_busy),
		life_test(unknown_domain_attributes_are_refused),
		life_test(the_raw_clock_is_the_monotonic_one),
		life_test(a_cq_is_mapped_and_unmapped),
		life_test(a_cq_that_cannot_be_had_leaves_nothing),
		life_test(extended_cqs_keep_to_what_makes_sense),
		life_test(resize_goes_on_where_it_was),
		life_test(a_qp_takes_its_sizes_from_the_module),
		life_test(a_qp_that_cannot_be_had_leaves_nothing),
		life_test(optional_requests_need_the_device_to_have_them),
		life_test(thread_domains_spare_the_locks_of_a_qp),
		life_test(both_ends_of_a_qp_take_completions_with_them),
		life_test(an_srq_keeps_its_receives_when_it_is_resized),
		life_test(an_srq_that_cannot_be_had_leaves_nothing),
		life_test(xrc_srqs_know_their_number),
		life_test(xrc_targets_have_no_queues),
	};

	return cmocka_run_group_tests_name("croce_life", tests, NULL, NULL);
}
