// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The client writes for a time, as fast as it may, and tells again and again how many bytes
 * have arrived: lines "SECONDS BYTES", by the monotonic clock, which all programs share. It
 * sleeps for completions, so that many such programs can share a processor.
 */

#include "xfer.h"
#include <stdio.h>
#include <time.h>

#define TELL_EVERY	0.05	/* s */

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

static void tell(double t, uint64_t bytes)
{
	printf("%.4f %llu\n", t, (unsigned long long)bytes);
}

static int write_on(struct end *end)
{
	double start = now(), told = start, t = start;
	double stop = start + end->opt->stream_ms / 1e3;
	unsigned int flight;
	uint64_t bytes = 0;
	struct ibv_wc wc;

	tell(t, 0);
	for (flight = 0; flight < BATCH_OPS; flight++)
		if (post(end))
			return -1;
	while (flight) {
		if (next_completion(end, &wc) < 0)
			return -1;
		if (wc.status) {
			fprintf(stderr, "xfer: stream: %s\n", ibv_wc_status_str(wc.status));
			return -1;
		}
		flight--;
		bytes += end->opt->max_size;
		t = now();
		if (t > told + TELL_EVERY) {
			tell(t, bytes);
			told = t;
		}
		if (t > stop)
			continue;
		if (post(end))
			return -1;
		flight++;
	}
	tell(t, bytes);
	return 0;
}

int stream(struct end *end)
{
	char done = 0;

	if (end->opt->peer && write_on(end))
		return -1;
	return link_swap(end->fd, &done, &done, sizeof(done),
			 end->opt->stream_ms / 1000 + end->opt->patience);
}
