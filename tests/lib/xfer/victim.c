// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* QPs that wait for what an attacker sends, with memory he may reach. */

#include "xfer.h"
#include <stdio.h>
#include <unistd.h>

#define RECEIVES	8
#define RECEIVE_SIZE	4096

static int post_some(struct end *end)
{
	struct ibv_sge sge = { .length = RECEIVE_SIZE, .lkey = end->dst_mr[0]->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	int i, err = 0;

	for (i = 0; i < RECEIVES && !err; i++) {
		sge.addr = (uintptr_t)end->dst + i * RECEIVE_SIZE;
		err = end->srq ? ibv_post_srq_recv(end->srq, &wr, &bad) :
				 ibv_post_recv(end->qp, &wr, &bad);
	}
	return err;
}

static const char *name_of(const struct options *opt)
{
	return is_xrc(opt) ? "xrc" : opt->type == IBV_QPT_UD ? "ud" : "rc";
}

static uint32_t srq_of(struct end *end)
{
	uint32_t num = 0;

	if (end->srq)
		ibv_get_srq_num(end->srq, &num);
	return num;
}

int be_victim(struct end *ends, unsigned int qps)
{
	unsigned int i;

	for (i = 0; i < qps; i++) {
		if (post_some(&ends[i]))
			return 1;
		printf("victim %s %u %u %u %llu %u\n", name_of(ends[i].opt),
		       ends[i].target->qp_num, ends[i].peer.psn, ends[i].dst_mr[0]->rkey,
		       (unsigned long long)(uintptr_t)ends[i].dst, srq_of(&ends[i]));
	}
	printf("victims are ready\n");
	fflush(stdout);
	pause();
	return 0;
}
