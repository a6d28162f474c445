// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The client writes for a time, as fast as it may, and says how fast that was. It sleeps for
 * completions, so that many such programs can share a processor.
 */

#include "xfer.h"
#include <stdio.h>
#include <time.h>

#define IN_FLIGHT	8

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int post(struct end *end)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)end->src,
		.length = end->opt->max_size,
		.lkey = end->src_mr[0]->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma.remote_addr = end->peer.target,
		.wr.rdma.rkey = end->peer.rkey,
	};

	return ibv_post_send(end->qp, &wr, &bad);
}

/* What starts and ends, alone or with others, is not measured. */
static int write_on(struct end *end)
{
	double start = now(), length = end->opt->stream, from = 0, t = 0;
	uint64_t bytes = 0;
	struct ibv_wc wc;
	int i;

	for (i = 0; i < IN_FLIGHT; i++)
		if (post(end))
			return -1;
	while (t < start + length) {
		if (next_completion(end, &wc) < 0 || wc.status) {
			fprintf(stderr, "xfer: stream: %s\n", ibv_wc_status_str(wc.status));
			return -1;
		}
		t = now();
		if (from && t < start + 0.9 * length)
			bytes += end->opt->max_size;
		else if (!from && t > start + 0.3 * length)
			from = t;
		if (t < start + length && post(end))
			return -1;
	}
	printf("stream: %.2f Mbit/s\n", bytes * 8 / (start + 0.9 * length - from) / 1e6);
	return 0;
}

int stream(struct end *end)
{
	char done = 0;

	if (end->opt->peer && write_on(end))
		return -1;
	return link_swap(end->fd, &done, &done, sizeof(done),
			 end->opt->stream + end->opt->patience);
}
