// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * As much as possible until something breaks.  The connection to the peer is closed
 * first, so that nothing but the RDMA device ties the process to its namespace.  A thread
 * asks for the state of the queue pair again and again, which waits for who works on it.
 */

#define _GNU_SOURCE	/* setns */
#include "xfer.h"
#include <fcntl.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define IN_FLIGHT	8
#define QUERY_US	2000

/* The thread that queries @qp until @stop; @longest is its longest call, us. */
struct querier {
	struct ibv_qp *qp;
	atomic_bool stop;
	uint64_t longest;
};

int leave_namespace(void)
{
	int fd = open("/proc/1/ns/net", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || setns(fd, CLONE_NEWNET)) {
		perror("xfer: leaving the namespace");
		return -1;
	}
	close(fd);
	return 0;
}

static int post(struct end *end, uint64_t id)
{
	static const enum ibv_wr_opcode codes[] = {
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE, IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct ibv_sge sge = {
		.addr = (uintptr_t)end->src,
		.length = end->opt->max_size,
		.lkey = end->src_mr[0]->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.wr_id = id,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = codes[id % 4],
		.send_flags = IBV_SEND_SIGNALED,
	};

	if (wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		sge.length = sizeof(uint64_t);
		wr.wr.atomic.remote_addr = end->peer.target;
		wr.wr.atomic.rkey = end->peer.rkey;
	} else {
		wr.wr.rdma.remote_addr = end->peer.target;
		wr.wr.rdma.rkey = end->peer.rkey;
	}
	return ibv_post_send(end->qp, &wr, &bad);
}

/* Wait for something in the CQ; less than 0: the device is gone. */
int next_completion(struct end *end, struct ibv_wc *wc)
{
	struct ibv_cq *cq;
	void *context;
	int n;

	for (;;) {
		n = ibv_poll_cq(end->cq, 1, wc);
		if (n)
			return n;
		if (!end->channel)
			continue;
		if (ibv_req_notify_cq(end->cq, 0))
			return -1;
		n = ibv_poll_cq(end->cq, 1, wc);
		if (n)
			return n;
		if (ibv_get_cq_event(end->channel, &cq, &context))
			return -1;
		ibv_ack_cq_events(cq, 1);
	}
}

/*
 * A connection that is closed in order keeps its namespace until the peer has acknowledged
 * the end of it, which may get lost in the flood, again and again. So ours ends at once, but
 * not before the peer has what was said.
 */
static void hang_up(int fd)
{
	struct linger at_once = { .l_onoff = 1 };
	int unheard, tries;

	for (tries = 0; tries < 10000; tries++) {
		if (ioctl(fd, SIOCOUTQ, &unheard) || !unheard)
			break;
		usleep(1000);
	}
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(fd);
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

static void *query(void *arg)
{
	struct querier *querier = arg;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	while (!querier->stop) {
		uint64_t start = now_us(), spent;

		if (ibv_query_qp(querier->qp, &attr, IBV_QP_STATE, &init))
			break;	/* the device is gone */
		spent = now_us() - start;
		if (spent > querier->longest)
			querier->longest = spent;
		usleep(QUERY_US);
	}
	return NULL;
}

static int exchange(struct end *end)
{
	uint64_t posted, done = 0;
	struct ibv_wc wc = {};

	for (posted = 0; posted < IN_FLIGHT; posted++)
		if (post(end, posted))
			return 0;
	while (next_completion(end, &wc) > 0 && !wc.status) {
		if (wc.wr_id != done++) {
			fprintf(stderr, "xfer: QP %d: completion %llu instead of %llu\n", end->index,
				(unsigned long long)wc.wr_id, (unsigned long long)done - 1);
			return -1;
		}
		if (done == 2 * IN_FLIGHT) {
			printf("flowing\n");
			fflush(stdout);
		}
		if (post(end, posted++))
			break;
	}
	printf("QP %d: %llu requests done; %s\n", end->index, (unsigned long long)done,
	       ibv_wc_status_str(wc.status));
	return 0;
}

int flood(struct end *end)
{
	struct querier querier = { .qp = end->qp };
	pthread_t thread;
	int ret;

	hang_up(end->fd);
	if (pthread_create(&thread, NULL, query, &querier)) {
		perror("xfer: thread");
		return -1;
	}
	ret = exchange(end);
	querier.stop = true;
	pthread_join(thread, NULL);
	printf("QP %d: longest query %llu us\n", end->index, (unsigned long long)querier.longest);
	return ret;
}
