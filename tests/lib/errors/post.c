// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Requests that are refused. */

#include "errors.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int too_many_sges(void)
{
	struct ibv_sge sge[64];
	struct side a, b;
	int bad = pair_open(&a, &b, &(struct how){}), i;

	if (bad)
		return bad;
	for (i = 0; i < 64; i++)
		sge[i] = part(&a, 16 * i, 16);
	bad = REFUSED(post(&a, IBV_WR_SEND, sge, 33, 0, 0), EINVAL, ENOMEM) ||
	      REFUSED(post(&a, IBV_WR_SEND, sge, 64, 0, 0), EINVAL, ENOMEM) ||
	      REFUSED(receive(&b, sge, 33), EINVAL, ENOMEM) ||
	      REFUSED(receive(&b, sge, 64), EINVAL, ENOMEM) || nothing(&a);
	/* and the QP still works */
	sge[1] = part(&b, 0, 64);
	bad = bad || receive(&b, sge + 1, 1) || post(&a, IBV_WR_SEND, sge, 1, 0, 0) ||
	      wait_for(&a, IBV_WC_SUCCESS) || wait_for(&b, IBV_WC_SUCCESS);
	pair_close(&a, &b);
	return bad;
}

int full_queues(void)
{
	struct ibv_sge sge;
	struct side a, b;
	int bad = pair_open(&a, &b, &(struct how){}), i, err = 0;

	if (bad)
		return bad;
	sge = part(&a, 0, 16);
	for (i = 0; i < 1000 && !err; i++)	/* there are no receives: they stay */
		err = post(&a, IBV_WR_SEND, &sge, 1, 0, 0);
	bad = REFUSED(err, ENOMEM);
	if (!bad && i < 16 + 1)
		bad = complain("only %d requests fit", i - 1);
	for (err = 0, i = 0; i < 1000 && !err; i++)
		err = receive(&a, &sge, 1);
	bad = bad || REFUSED(err, ENOMEM);
	if (!bad && i < 16 + 1)
		bad = complain("only %d receives fit", i - 1);
	pair_close(&a, &b);
	return bad;
}

int inline_too_long(void)
{
	struct ibv_send_wr wr = { .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED };
	struct ibv_sge sge, to;
	struct side a, b;
	int bad = pair_open(&a, &b, &(struct how){});

	if (bad)
		return bad;
	sge = part(&a, 0, 60000);
	to = part(&b, 0, 64);
	wr.sg_list = &sge;
	bad = REFUSED(post_wr(&a, &wr), EINVAL, ENOMEM);
	sge.length = 64;
	sge.lkey = 0;		/* not looked at */
	bad = bad || receive(&b, &to, 1) || post_wr(&a, &wr) || wait_for(&a, IBV_WC_SUCCESS);
	pair_close(&a, &b);
	return bad;
}

/* Before RTS a request is refused, or waits: it is not sent and breaks nothing. */
int post_too_early(void)
{
	struct how how = {};
	struct ibv_sge sge;
	struct side side;
	int bad = side_open(&side, &how, NULL);

	if (bad)
		return bad;
	sge = part(&side, 0, 16);
	bad = REFUSED(post(&side, IBV_WR_SEND, &sge, 1, 0, 0), EINVAL);
	bad = bad || to_init(&side, &how, 0) ||
	      REFUSED(post(&side, IBV_WR_SEND, &sge, 1, 0, 0), EINVAL);
	if (!bad && receive(&side, &sge, 1))
		bad = complain("a receive in INIT is refused");
	bad = bad || nothing(&side);
	side_close(&side);
	ibv_dealloc_pd(side.pd);
	return bad;
}

int post_in_error(void)
{
	struct ibv_sge sge;
	struct side a, b;
	int bad = pair_open(&a, &b, &(struct how){});

	if (bad)
		return bad;
	sge = part(&a, 0, 16);
	bad = receive(&a, &sge, 1) || to_error(&a) || wait_for(&a, IBV_WC_WR_FLUSH_ERR) ||
	      post(&a, IBV_WR_SEND, &sge, 1, 0, 0) || wait_for(&a, IBV_WC_WR_FLUSH_ERR) ||
	      receive(&a, &sge, 1) || wait_for(&a, IBV_WC_WR_FLUSH_ERR) || nothing(&a);
	pair_close(&a, &b);
	return bad;
}

int ud_opcodes(void)
{
	struct how how = { .type = IBV_QPT_UD };
	struct ibv_sge sge;
	struct side a, b;
	int bad = pair_open(&a, &b, &how);

	if (bad)
		return bad;
	sge = part(&a, 0, 16);
	bad = REFUSED(post(&a, IBV_WR_RDMA_WRITE, &sge, 1, 0, 0), EINVAL) ||
	      REFUSED(post(&a, IBV_WR_RDMA_READ, &sge, 1, 0, 0), EINVAL) ||
	      REFUSED(post(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, &sge, 1, 0, 0), EINVAL);
	pair_close(&a, &b);
	return bad;
}

/* More than 2 GiB, of a region that is as large by mapping. */
int too_long_message(void)
{
	struct how how = { .cap.max_send_sge = 32 };
	struct ibv_sge sge[32];
	struct side a, b;
	int bad = pair_open(&a, &b, &how), i, err;

	if (bad)
		return bad;
	for (i = 0; i < 32; i++)
		sge[i] = (struct ibv_sge){ (uintptr_t)a.buf, 0x10000000, a.mr->lkey };
	err = post(&a, IBV_WR_RDMA_WRITE, sge, 32, (uintptr_t)b.buf, b.mr->rkey);
	bad = err ? REFUSED(err, EINVAL) : wait_for(&a, IBV_WC_LOC_LEN_ERR);
	pair_close(&a, &b);
	return bad;
}
