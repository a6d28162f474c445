// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What may not reach an SRQ, and objects that are in use. */

#include "xrc.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The initiator fails, and the target with it; nobody else does. */
static int is_refused(struct pair *pair)
{
	if (wait_sent(pair, IBV_WC_REM_ACCESS_ERR))
		return -1;
	if (!event_comes(ctx, IBV_EVENT_QP_ACCESS_ERR, 5000))
		return complain("no event for the access error");
	if (state(pair->ini) != IBV_QPS_ERR || state(pair->tgt) != IBV_QPS_ERR)
		return complain("states are %d and %d, not %d", state(pair->ini),
				state(pair->tgt), IBV_QPS_ERR);
	return 0;
}

/* What was posted to the box before is there for another pair. */
static int still_takes(struct box *box, struct ibv_xrcd *xrcd, uint64_t id)
{
	struct pair pair;
	int bad = pair_open(&pair, xrcd, 7) || send_to(&pair, box->num, 33) ||
		  wait_sent(&pair, IBV_WC_SUCCESS) || wait_received(box, &pair, id, 33);

	pair_close(&pair);
	return bad;
}

static int send_is_refused(struct ibv_xrcd *xrcd, uint32_t srqn, uint32_t len)
{
	struct pair pair;
	int bad = pair_open(&pair, xrcd, 7);

	forget_events(ctx);
	bad = bad || send_to(&pair, srqn, len) || is_refused(&pair);
	pair_close(&pair);
	return bad;
}

int unknown_srq(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	struct box box;
	int bad = box_open(&box, xrcd, NULL) || box_post(&box, 1, 0, MEMORY);

	bad = bad || send_is_refused(xrcd, NO_SRQ, 0) || send_is_refused(xrcd, 0, 100) ||
	      send_is_refused(xrcd, box.num + 1, 5 * MTU) || still_takes(&box, xrcd, 1);
	box_close(&box);
	ibv_close_xrcd(xrcd);
	return bad;
}

int basic_srq(void)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	struct ibv_srq *srq = ibv_create_srq(pd, &attr);
	struct box box;
	int bad = box_open(&box, xrcd, NULL);

	/* Numbers are handed out in turn, so this is the one before. */
	bad = bad || send_is_refused(xrcd, box.num - 1, 100);
	box_close(&box);
	ibv_destroy_srq(srq);
	ibv_close_xrcd(xrcd);
	return bad;
}

int srq_of_another_domain(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT), *other = domain_open(-1, O_CREAT);
	struct box box;
	int bad = box_open(&box, other, NULL) || box_post(&box, 8, 0, MEMORY);

	bad = bad || send_is_refused(xrcd, box.num, 100) || still_takes(&box, other, 8);
	box_close(&box);
	ibv_close_xrcd(xrcd);
	ibv_close_xrcd(other);
	return bad;
}

static int rdma_is_refused(struct ibv_xrcd *xrcd, enum ibv_wr_opcode opcode, uint32_t srqn,
			   const struct box *box)
{
	struct pair pair;
	int bad = pair_open(&pair, xrcd, 7);

	forget_events(ctx);
	bad = bad || rdma(&pair, opcode, srqn, box, 0, 8) || is_refused(&pair);
	pair_close(&pair);
	return bad;
}

int rdma_for_unknown_srq(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	struct box box;
	int bad = box_open(&box, xrcd, NULL);

	bad = bad || rdma_is_refused(xrcd, IBV_WR_RDMA_WRITE, NO_SRQ, &box) ||
	      rdma_is_refused(xrcd, IBV_WR_RDMA_READ, NO_SRQ, &box) ||
	      rdma_is_refused(xrcd, IBV_WR_ATOMIC_FETCH_AND_ADD, NO_SRQ, &box);
	box_close(&box);
	ibv_close_xrcd(xrcd);
	return bad;
}

/* A key is good together with an SRQ of its own protection domain only. */
int rdma_for_another_pd(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	struct ibv_pd *other = ibv_alloc_pd(ctx);
	struct box mine, theirs;
	int bad = box_open(&mine, xrcd, NULL) | box_open(&theirs, xrcd, other);

	bad = bad || rdma_is_refused(xrcd, IBV_WR_RDMA_WRITE, mine.num, &theirs) ||
	      rdma_is_refused(xrcd, IBV_WR_RDMA_READ, theirs.num, &mine) ||
	      rdma_is_refused(xrcd, IBV_WR_ATOMIC_FETCH_AND_ADD, mine.num, &theirs);
	box_close(&mine);
	box_close(&theirs);
	ibv_dealloc_pd(other);
	ibv_close_xrcd(xrcd);
	return bad;
}

int destroyed_srq(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	struct pair pair;
	struct box box;
	int bad = box_open(&box, xrcd, NULL) | pair_open(&pair, xrcd, 7);
	uint32_t num = box.num;

	bad = bad || box_post(&box, 2, 0, 100) || send_to(&pair, num, 50) ||
	      wait_sent(&pair, IBV_WC_SUCCESS) || wait_received(&box, &pair, 2, 50);
	bad = bad || box_post(&box, 3, 0, 100);
	box_close(&box);
	forget_events(ctx);
	bad = bad || send_to(&pair, num, 50) || is_refused(&pair);
	pair_close(&pair);
	ibv_close_xrcd(xrcd);
	return bad;
}

struct load {
	struct pair pair;
	uint32_t srqn;
	int bad;
};

/* Long messages, one after the other, until one is refused. */
static void *keep_sending(void *arg)
{
	struct load *load = arg;
	struct ibv_wc wc = {};

	do {
		load->bad = send_to(&load->pair, load->srqn, MEMORY);
		if (!load->bad && wait_wc(load->pair.scq, &wc, 20000) != 1)
			load->bad = complain("nothing was sent in 20 s");
	} while (!load->bad && !wc.status);
	if (!load->bad && wc.status != IBV_WC_REM_ACCESS_ERR)
		load->bad = complain("sent: '%s'", ibv_wc_status_str(wc.status));
	return NULL;
}

static int destroy_once(struct ibv_xrcd *xrcd, unsigned int delay_us)
{
	struct load load = {};
	pthread_t sender;
	struct box box;
	int i, bad = box_open(&box, xrcd, NULL) | pair_open(&load.pair, xrcd, 7);

	load.srqn = box.num;
	for (i = 0; i < 64 && !bad; i++)
		bad = box_post(&box, i, 0, MEMORY);
	if (!bad && !pthread_create(&sender, NULL, keep_sending, &load)) {
		usleep(delay_us);
		/* The CQ and the memory go at once, too. */
		box_close(&box);
		memset(&box, 0, sizeof(box));
		pthread_join(sender, NULL);
		bad = load.bad;
	}
	pair_close(&load.pair);
	if (box.srq)
		box_close(&box);
	return bad;
}

int destroyed_under_load(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	int i, bad = 0;

	for (i = 0; i < 40 && !bad; i++)
		bad = destroy_once(xrcd, i * 331 % 5000);
	ibv_close_xrcd(xrcd);
	return bad;
}

int busy_objects(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	struct ibv_pd *own = ibv_alloc_pd(ctx);
	struct pair pair;
	struct box box;
	int bad = box_open(&box, xrcd, own) | pair_open(&pair, xrcd, 7);

	if (!bad && ibv_close_xrcd(xrcd) != EBUSY)
		bad = complain("a domain with an SRQ and a target is not busy");
	if (!bad && (ibv_destroy_cq(box.cq) != EBUSY || ibv_dealloc_pd(own) != EBUSY))
		bad = complain("the CQ or the PD of an SRQ is not busy");
	/* Nothing ties an SRQ to the targets that it is reached by. */
	if (!bad && ibv_destroy_srq(box.srq))
		bad = complain("an SRQ is busy");
	box.srq = NULL;
	if (!bad && ibv_close_xrcd(xrcd) != EBUSY)
		bad = complain("a domain with a target is not busy");
	box_close(&box);
	pair_close(&pair);
	if (!bad && (ibv_close_xrcd(xrcd) || ibv_dealloc_pd(own)))
		bad = complain("an empty domain is busy");
	return bad;
}

int nothing_to_post_to(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND }, *bad_send;
	struct ibv_recv_wr recv = {}, *bad_recv;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct pair pair;
	int bad = pair_open(&pair, xrcd, 7);

	if (!bad && (ibv_post_recv(pair.ini, &recv, &bad_recv) != EINVAL ||
		     ibv_post_recv(pair.tgt, &recv, &bad_recv) != EINVAL ||
		     ibv_post_send(pair.tgt, &send, &bad_send) != EINVAL))
		bad = complain("posting was not refused");
	if (!bad && (ibv_query_qp(pair.tgt, &attr, IBV_QP_CAP, &init) ||
		     init.cap.max_send_wr || init.cap.max_recv_wr || init.cap.max_inline_data))
		bad = complain("a target has room for requests");
	if (!bad && (ibv_query_qp(pair.ini, &attr, IBV_QP_CAP, &init) || init.cap.max_recv_wr))
		bad = complain("an initiator has room for receives");
	pair_close(&pair);
	ibv_close_xrcd(xrcd);
	return bad;
}

/*
 * The kernel takes a target for its own, and addresses in its requests for
 * kernel addresses. So no process may hand it one past the provider.
 */
int targets_take_no_requests(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	struct ib_uverbs_post_send_resp resp = {};
	struct pair pair;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send core;
		struct ib_uverbs_send_wr wr;
		struct ib_uverbs_sge sge;
	} cmd = {
		.hdr.command = IB_USER_VERBS_CMD_POST_SEND,
		.hdr.in_words = sizeof(cmd) / 4,
		.hdr.out_words = sizeof(resp) / 4,
		.core.response = (uintptr_t)&resp,
		.core.wr_count = 1,
		.core.sge_count = 1,
		.core.wqe_size = sizeof(cmd.wr),
		.wr.num_sge = 1,
		.wr.opcode = IBV_WR_SEND,
		.wr.send_flags = IBV_SEND_INLINE,
		.sge.addr = 0xffff888000000000ULL,
		.sge.length = 8,
	};
	int bad = pair_open(&pair, xrcd, 7);

	if (!bad) {
		cmd.core.qp_handle = pair.tgt->handle;
		if (write(ctx->cmd_fd, &cmd, sizeof(cmd)) != -1 || errno != EINVAL)
			bad = complain("a request was taken: %s", strerror(errno));
	}
	pair_close(&pair);
	ibv_close_xrcd(xrcd);
	return bad;
}
