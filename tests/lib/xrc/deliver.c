// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Messages and RDMA that arrive. */

#include "xrc.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define BOXES		4
#define ROUNDS		12

/* The consumers of all CQs are woken, though one target wakes them. */
static int is_woken(struct box *box)
{
	struct pollfd wait = { .fd = box->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	if (poll(&wait, 1, 5000) <= 0 || ibv_get_cq_event(box->channel, &cq, &context))
		return complain("no event of the CQ");
	ibv_ack_cq_events(cq, 1);
	return 0;
}

static int deliver_to_all(struct box *boxes, struct pair *pair)
{
	int i, k, bad = 0;

	for (k = 0; k < BOXES; k++)
		bad |= ibv_req_notify_cq(boxes[k].cq, 0);
	for (i = 0; i < ROUNDS && !bad; i++)
		for (k = 0; k < BOXES && !bad; k++)
			bad = box_post(&boxes[k], i, i * 4096, 4096) ||
			      send_to(pair, boxes[k].num, i * 100 + k);
	for (k = 0; k < BOXES && !bad; k++)
		bad = is_woken(&boxes[k]);
	for (i = 0; i < ROUNDS && !bad; i++)
		for (k = 0; k < BOXES && !bad; k++)
			bad = wait_sent(pair, IBV_WC_SUCCESS) ||
			      wait_received(&boxes[k], pair, i, i * 100 + k);
	return bad;
}

int many_srqs_of_one_target(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	struct box boxes[BOXES];
	struct pair pair;
	int i, bad;

	for (i = 0, bad = 0; i < BOXES; i++)
		bad |= box_open(&boxes[i], xrcd, NULL);
	bad = pair_open(&pair, xrcd, 7) || bad;
	bad = bad || deliver_to_all(boxes, &pair);
	pair_close(&pair);
	for (i = 0; i < BOXES; i++)
		box_close(&boxes[i]);
	ibv_close_xrcd(xrcd);
	return bad;
}

int many_targets_of_one_srq(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	struct pair pairs[BOXES];
	struct box box;
	int i, bad = box_open(&box, xrcd, NULL);

	for (i = 0; i < BOXES; i++)
		bad |= pair_open(&pairs[i], xrcd, 7);
	for (i = 0; i < ROUNDS * BOXES && !bad; i++)
		bad = box_post(&box, i, 0, MEMORY) ||
		      send_to(&pairs[i % BOXES], box.num, 3 * MTU + i) ||
		      wait_sent(&pairs[i % BOXES], IBV_WC_SUCCESS) ||
		      wait_received(&box, &pairs[i % BOXES], i, 3 * MTU + i);
	for (i = 0; i < BOXES; i++)
		pair_close(&pairs[i]);
	box_close(&box);
	ibv_close_xrcd(xrcd);
	return bad;
}

/* The memory is of the SRQ's protection domain, which is not the initiator's. */
int rdma_reaches_the_srqs_domain(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	struct ibv_pd *other = ibv_alloc_pd(ctx);
	struct pair pair;
	struct box box;
	int bad = box_open(&box, xrcd, other) | pair_open(&pair, xrcd, 7);

	if (!bad) {
		memset(pair.buf, 0x5c, 5000);
		bad = rdma(&pair, IBV_WR_RDMA_WRITE, box.num, &box, 64, 5000) ||
		      wait_sent(&pair, IBV_WC_SUCCESS);
	}
	if (!bad && (box.buf[64] != 0x5c || box.buf[5063] != 0x5c || box.buf[5064]))
		bad = complain("the WRITE did not arrive");
	if (!bad) {
		memset(pair.buf, 0, MEMORY);
		bad = rdma(&pair, IBV_WR_RDMA_READ, box.num, &box, 60, 5000) ||
		      wait_sent(&pair, IBV_WC_SUCCESS);
	}
	if (!bad && (pair.buf[3] || pair.buf[4] != 0x5c || pair.buf[4999] != 0x5c))
		bad = complain("the READ brought something else");
	if (!bad)
		bad = rdma(&pair, IBV_WR_ATOMIC_FETCH_AND_ADD, box.num, &box, 0, 8) ||
		      wait_sent(&pair, IBV_WC_SUCCESS);
	if (!bad && box.buf[0] != 3)
		bad = complain("the atomic left %u", box.buf[0]);
	pair_close(&pair);
	box_close(&box);
	ibv_dealloc_pd(other);
	ibv_close_xrcd(xrcd);
	return bad;
}

int rnr_until_a_receive_comes(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	struct pair patient, hasty;
	struct box box;
	int bad = box_open(&box, xrcd, NULL) | pair_open(&patient, xrcd, 7) |
		  pair_open(&hasty, xrcd, 0);

	bad = bad || send_to(&patient, box.num, 100);
	usleep(20000);
	bad = bad || box_post(&box, 9, 0, 200) || wait_sent(&patient, IBV_WC_SUCCESS) ||
	      wait_received(&box, &patient, 9, 100) || send_to(&hasty, box.num, 100) ||
	      wait_sent(&hasty, IBV_WC_RNR_RETRY_EXC_ERR);
	/* An RNR NAK is no end for the target. */
	if (!bad && state(hasty.tgt) != IBV_QPS_RTS)
		bad = complain("the target is in state %d", state(hasty.tgt));
	pair_close(&patient);
	pair_close(&hasty);
	box_close(&box);
	ibv_close_xrcd(xrcd);
	return bad;
}

int limit_event(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	struct ibv_srq_attr attr = { .srq_limit = 4 };
	struct pair pair;
	struct box box;
	int i, bad = box_open(&box, xrcd, NULL) | pair_open(&pair, xrcd, 7);

	for (i = 0; i < 6 && !bad; i++)
		bad = box_post(&box, i, 0, 100);
	forget_events(ctx);
	if (!bad && ibv_modify_srq(box.srq, &attr, IBV_SRQ_LIMIT))
		bad = complain("ibv_modify_srq: %s", strerror(errno));
	for (i = 0; i < 2 && !bad; i++)
		bad = send_to(&pair, box.num, 1) || wait_sent(&pair, IBV_WC_SUCCESS);
	if (!bad && event_comes(ctx, IBV_EVENT_SRQ_LIMIT_REACHED, 100))
		bad = complain("4 receives are as many as the limit");
	bad = bad || send_to(&pair, box.num, 1) || wait_sent(&pair, IBV_WC_SUCCESS);
	if (!bad && !event_comes(ctx, IBV_EVENT_SRQ_LIMIT_REACHED, 5000))
		bad = complain("no event for the limit");
	pair_close(&pair);
	box_close(&box);
	ibv_close_xrcd(xrcd);
	return bad;
}

int receive_too_short(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	struct ibv_wc wc = {};
	struct pair pair;
	struct box box;
	int bad = box_open(&box, xrcd, NULL) | pair_open(&pair, xrcd, 7);

	bad = bad || box_post(&box, 5, 0, MTU + 1) || send_to(&pair, box.num, MTU + 2) ||
	      wait_sent(&pair, IBV_WC_REM_INV_REQ_ERR);
	if (!bad && (wait_wc(box.cq, &wc, 5000) != 1 || wc.status != IBV_WC_LOC_LEN_ERR ||
		     wc.wr_id != 5 || wc.qp_num != pair.tgt->qp_num))
		bad = complain("the receive has '%s'", ibv_wc_status_str(wc.status));
	pair_close(&pair);
	box_close(&box);
	ibv_close_xrcd(xrcd);
	return bad;
}

int last_wqe(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT);
	struct pair pair;
	int bad = pair_open(&pair, xrcd, 7);

	forget_events(ctx);
	bad = bad || to_error(pair.tgt);
	if (!bad && !event_comes(ctx, IBV_EVENT_QP_LAST_WQE_REACHED, 5000))
		bad = complain("no event for the last receive");
	pair_close(&pair);
	ibv_close_xrcd(xrcd);
	return bad;
}
