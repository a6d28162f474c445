// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RC: keys, lengths, rights, retries. */

#include "errors.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Post one request from a to b and compare both ends: the requester's status,
 * the states of both QPs afterwards.
 */
static int fails(const struct how *how, enum ibv_wr_opcode opcode, struct ibv_sge sge,
		 int64_t off, uint32_t key_change, enum ibv_wc_status status)
{
	struct ibv_sge to;
	struct side a, b;
	int bad = pair_open(&a, &b, how);

	if (bad)
		return bad;
	sge.addr += (uintptr_t)a.buf;
	sge.lkey ^= a.mr->lkey;
	to = part(&b, 0, MEMORY);
	if (opcode == IBV_WR_SEND)
		bad = receive(&b, &to, 1);
	bad = bad || post(&a, opcode, &sge, 1, (uintptr_t)b.buf + off, b.mr->rkey ^ key_change) ||
	      wait_for(&a, status);
	if (!bad && status != IBV_WC_SUCCESS && state(&a) != IBV_QPS_ERR)
		bad = complain("the requester's QP is in state %d", state(&a));
	pair_close(&a, &b);
	return bad;
}

#define SGE(o, l, k) ((struct ibv_sge){ (o), (l), (k) })

int bad_lkey(void)
{
	struct how how = {};

	/* none of these is of any region */
	return fails(&how, IBV_WR_SEND, SGE(0, 64, 0x1), 0, 0, IBV_WC_LOC_PROT_ERR) ||
	       fails(&how, IBV_WR_SEND, SGE(0, 64, 0x7fffff00), 0, 0, IBV_WC_LOC_PROT_ERR) ||
	       fails(&how, IBV_WR_RDMA_WRITE, SGE(0, 5000, 0x1), 0, 0, IBV_WC_LOC_PROT_ERR) ||
	       fails(&how, IBV_WR_RDMA_READ, SGE(0, 64, 0x1), 0, 0, IBV_WC_LOC_PROT_ERR) ||
	       fails(&how, IBV_WR_ATOMIC_FETCH_AND_ADD, SGE(0, 8, 0x1), 0, 0, IBV_WC_LOC_PROT_ERR);
}

int beyond_region(void)
{
	struct how how = {};

	return fails(&how, IBV_WR_SEND, SGE(0, MEMORY + 1, 0), 0, 0, IBV_WC_LOC_PROT_ERR) ||
	       fails(&how, IBV_WR_SEND, SGE(MEMORY, 1, 0), 0, 0, IBV_WC_LOC_PROT_ERR) ||
	       fails(&how, IBV_WR_SEND, SGE(-1, 2, 0), 0, 0, IBV_WC_LOC_PROT_ERR) ||
	       fails(&how, IBV_WR_RDMA_WRITE, SGE(MEMORY - 10, 11, 0), 0, 0, IBV_WC_LOC_PROT_ERR) ||
	       fails(&how, IBV_WR_RDMA_READ, SGE(MEMORY - 10, 11, 0), 0, 0, IBV_WC_LOC_PROT_ERR) ||
	       fails(&how, IBV_WR_RDMA_READ, SGE(8, 0x7fffffff, 0), 0, 0, IBV_WC_LOC_PROT_ERR);
}

int receive_not_writable(void)
{
	struct ibv_sge from, to;
	struct side a, b;
	int bad = pair_open(&a, &b, &(struct how){ .mr_access = IBV_ACCESS_REMOTE_READ });

	if (bad)
		return bad;
	from = part(&a, 0, 64);
	to = part(&b, 0, 64);
	bad = receive(&b, &to, 1) || post(&a, IBV_WR_SEND, &from, 1, 0, 0) ||
	      wait_for(&b, IBV_WC_LOC_PROT_ERR) || wait_for(&a, IBV_WC_REM_OP_ERR);
	pair_close(&a, &b);
	return bad;
}

int read_not_writable(void)
{
	struct ibv_sge to;
	struct side a, b;
	int bad = pair_open(&a, &b, &(struct how){ .mr_access = IBV_ACCESS_REMOTE_READ });

	if (bad)
		return bad;
	to = part(&b, 0, 64);
	bad = post(&b, IBV_WR_RDMA_READ, &to, 1, (uintptr_t)a.buf, a.mr->rkey) ||
	      wait_for(&b, IBV_WC_LOC_PROT_ERR);
	pair_close(&a, &b);
	return bad;
}

int bad_rkey(void)
{
	struct how how = {};

	return fails(&how, IBV_WR_RDMA_WRITE, SGE(0, 64, 0), 0, 1, IBV_WC_REM_ACCESS_ERR) ||
	       fails(&how, IBV_WR_RDMA_WRITE, SGE(0, 5000, 0), 0, 0x7fffff00, IBV_WC_REM_ACCESS_ERR) ||
	       fails(&how, IBV_WR_RDMA_READ, SGE(0, 64, 0), 0, 1, IBV_WC_REM_ACCESS_ERR) ||
	       fails(&how, IBV_WR_RDMA_READ, SGE(0, 5000, 0), 0, 1, IBV_WC_REM_ACCESS_ERR) ||
	       fails(&how, IBV_WR_ATOMIC_CMP_AND_SWP, SGE(0, 8, 0), 0, 1, IBV_WC_REM_ACCESS_ERR);
}

int remote_beyond_region(void)
{
	struct how how = {};

	return fails(&how, IBV_WR_RDMA_WRITE, SGE(0, 64, 0), MEMORY - 63, 0, IBV_WC_REM_ACCESS_ERR) ||
	       fails(&how, IBV_WR_RDMA_WRITE, SGE(0, 64, 0), -1, 0, IBV_WC_REM_ACCESS_ERR) ||
	       fails(&how, IBV_WR_RDMA_WRITE, SGE(0, 60000, 0), 60000, 0, IBV_WC_REM_ACCESS_ERR) ||
	       fails(&how, IBV_WR_RDMA_READ, SGE(0, 64, 0), MEMORY - 63, 0, IBV_WC_REM_ACCESS_ERR) ||
	       fails(&how, IBV_WR_RDMA_READ, SGE(0, 60000, 0), 60000, 0, IBV_WC_REM_ACCESS_ERR) ||
	       fails(&how, IBV_WR_ATOMIC_FETCH_AND_ADD, SGE(0, 8, 0), MEMORY, 0, IBV_WC_REM_ACCESS_ERR) ||
	       fails(&how, IBV_WR_RDMA_WRITE, SGE(0, 4096, 0), INT64_MAX, 0, IBV_WC_REM_ACCESS_ERR);
}

/* Without bytes, keys and addresses are not looked at. */
int zero_length(void)
{
	struct side a, b;
	int bad = pair_open(&a, &b, &(struct how){});

	if (bad)
		return bad;
	bad = post(&a, IBV_WR_RDMA_WRITE, NULL, 0, 0, 0) || wait_for(&a, IBV_WC_SUCCESS) ||
	      post(&a, IBV_WR_RDMA_READ, NULL, 0, 0, 0) || wait_for(&a, IBV_WC_SUCCESS) ||
	      receive(&b, NULL, 0) || post(&a, IBV_WR_SEND, NULL, 0, 0, 0) ||
	      wait_for(&a, IBV_WC_SUCCESS) || wait_for(&b, IBV_WC_SUCCESS);
	pair_close(&a, &b);
	return bad;
}

int region_rights(void)
{
	struct how writes = { .mr_access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE };
	struct how reads = { .mr_access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ };

	return fails(&reads, IBV_WR_RDMA_WRITE, SGE(0, 64, 0), 0, 0, IBV_WC_REM_ACCESS_ERR) ||
	       fails(&writes, IBV_WR_RDMA_READ, SGE(0, 64, 0), 0, 0, IBV_WC_REM_ACCESS_ERR) ||
	       fails(&reads, IBV_WR_ATOMIC_FETCH_AND_ADD, SGE(0, 8, 0), 0, 0, IBV_WC_REM_ACCESS_ERR) ||
	       fails(&writes, IBV_WR_RDMA_WRITE, SGE(0, 64, 0), 0, 0, IBV_WC_SUCCESS) ||
	       fails(&reads, IBV_WR_RDMA_READ, SGE(0, 64, 0), 0, 0, IBV_WC_SUCCESS);
}

/* What the QP itself does not allow is an invalid request (IBA 9.7.4.1.6 and 9.9.3). */
int qp_rights(void)
{
	struct how how = { .access[1] = -1 };

	return fails(&how, IBV_WR_RDMA_WRITE, SGE(0, 64, 0), 0, 0, IBV_WC_REM_INV_REQ_ERR) ||
	       fails(&how, IBV_WR_RDMA_READ, SGE(0, 64, 0), 0, 0, IBV_WC_REM_INV_REQ_ERR) ||
	       fails(&how, IBV_WR_ATOMIC_FETCH_AND_ADD, SGE(0, 8, 0), 0, 0, IBV_WC_REM_INV_REQ_ERR) ||
	       fails(&how, IBV_WR_SEND, SGE(0, 64, 0), 0, 0, IBV_WC_SUCCESS);
}

int foreign_pd(void)
{
	struct ibv_sge from, to;
	struct side a, b, c;
	int bad = pair_open(&a, &b, &(struct how){ .own_pd = true });

	if (bad)
		return bad;
	/* a's region by b's key would be another region of b's PD: take one of a third's */
	bad = side_open(&c, &(struct how){}, NULL);
	from = part(&a, 0, 64);
	to = part(&c, 0, 64);
	bad = bad || post(&a, IBV_WR_RDMA_WRITE, &from, 1, (uintptr_t)c.buf, c.mr->rkey) ||
	      wait_for(&a, IBV_WC_REM_ACCESS_ERR);
	pair_close(&a, &b);
	bad = bad || pair_open(&a, &b, &(struct how){});
	bad = bad || post(&a, IBV_WR_SEND, &to, 1, 0, 0) || wait_for(&a, IBV_WC_LOC_PROT_ERR);
	pair_close(&a, &b);
	side_close(&c);
	ibv_dealloc_pd(c.pd);
	return bad;
}

int deregistered(void)
{
	struct ibv_sge from;
	struct side a, b;
	int bad = pair_open(&a, &b, &(struct how){});
	uint32_t rkey;

	if (bad)
		return bad;
	from = part(&a, 0, 64);
	rkey = b.mr->rkey;
	bad = post(&a, IBV_WR_RDMA_WRITE, &from, 1, (uintptr_t)b.buf, rkey) ||
	      wait_for(&a, IBV_WC_SUCCESS);
	ibv_dereg_mr(b.mr);
	b.mr = NULL;
	bad = bad || post(&a, IBV_WR_RDMA_WRITE, &from, 1, (uintptr_t)b.buf, rkey) ||
	      wait_for(&a, IBV_WC_REM_ACCESS_ERR);
	pair_close(&a, &b);
	return bad;
}

int misaligned_atomic(void)
{
	struct how how = {};

	return fails(&how, IBV_WR_ATOMIC_FETCH_AND_ADD, SGE(0, 8, 0), 4, 0, IBV_WC_REM_INV_REQ_ERR) ||
	       fails(&how, IBV_WR_ATOMIC_CMP_AND_SWP, SGE(0, 8, 0), 1, 0, IBV_WC_REM_INV_REQ_ERR);
}

int receive_too_short(void)
{
	struct ibv_sge from, to;
	struct side a, b;
	int bad = pair_open(&a, &b, &(struct how){});

	if (bad)
		return bad;
	from = part(&a, 0, 5000);
	to = part(&b, 0, 4999);
	bad = receive(&b, &to, 1) || post(&a, IBV_WR_SEND, &from, 1, 0, 0) ||
	      wait_for(&b, IBV_WC_LOC_LEN_ERR) || wait_for(&a, IBV_WC_REM_INV_REQ_ERR);
	pair_close(&a, &b);
	return bad;
}

int rnr_without_retries(void)
{
	struct how how = { .rnr_retry = -1 };
	struct ibv_sge from;
	struct side a, b;
	int bad = pair_open(&a, &b, &how);

	if (bad)
		return bad;
	from = part(&a, 0, 64);
	bad = post(&a, IBV_WR_SEND, &from, 1, 0, 0) || wait_for(&a, IBV_WC_RNR_RETRY_EXC_ERR);
	if (!bad && state(&b) != IBV_QPS_RTS)
		bad = complain("the responder's QP is in state %d", state(&b));
	pair_close(&a, &b);
	return bad;
}

/* 3 retries with the timer's code 24, which is 40.96 ms. */
int rnr_some_retries(void)
{
	struct how how = { .rnr_retry = 3, .min_rnr_timer = 24 };
	double start, spent;
	struct ibv_sge from;
	struct side a, b;
	int bad = pair_open(&a, &b, &how);

	if (bad)
		return bad;
	from = part(&a, 0, 64);
	start = now();
	bad = post(&a, IBV_WR_SEND, &from, 1, 0, 0) || wait_for(&a, IBV_WC_RNR_RETRY_EXC_ERR);
	spent = now() - start;
	if (!bad && (spent < 3 * 0.0409 || spent > 2))
		bad = complain("3 times 41 ms took %.0f ms", spent * 1000);
	pair_close(&a, &b);
	return bad;
}

int rnr_for_ever(void)
{
	struct ibv_sge from, to;
	struct side a, b;
	int bad = pair_open(&a, &b, &(struct how){});

	if (bad)
		return bad;
	from = part(&a, 0, 5000);
	to = part(&b, 0, 5000);
	bad = post(&a, IBV_WR_SEND, &from, 1, 0, 0) || nothing(&a);
	usleep(200000);
	bad = bad || receive(&b, &to, 1) || wait_for(&a, IBV_WC_SUCCESS) ||
	      wait_for(&b, IBV_WC_SUCCESS);
	pair_close(&a, &b);
	return bad;
}

/*
 * With exponent 14, 67 ms, and 2 retries it ends within seconds, but not sooner than
 * the retries would take.
 */
int dead_peer(void)
{
	struct how how = { .timeout = 14, .retry = 2, .remote_qpn = 0xfffff0 };
	long long before = counter("req_transport_retries_exceeded");
	double start, spent;
	struct ibv_sge from;
	struct side a, b;
	int bad = pair_open(&a, &b, &how);

	if (bad)
		return bad;
	from = part(&a, 0, 64);
	start = now();
	bad = post(&a, IBV_WR_SEND, &from, 1, 0, 0) || wait_for(&a, IBV_WC_RETRY_EXC_ERR);
	spent = now() - start;
	if (!bad && (spent < 2 * 0.067 || spent > 6))
		bad = complain("took %.0f ms", spent * 1000);
	if (!bad && before >= 0 && counter("req_transport_retries_exceeded") != before + 1)
		bad = complain("req_transport_retries_exceeded did not count");
	pair_close(&a, &b);
	return bad;
}

int reads_not_allowed(void)
{
	struct how how = { .rd_atomic = -1 };
	struct ibv_sge to;
	struct side a, b;
	int bad = pair_open(&a, &b, &how), err;

	if (bad)
		return bad;
	to = part(&a, 0, 64);
	err = post(&a, IBV_WR_RDMA_READ, &to, 1, (uintptr_t)b.buf, b.mr->rkey);
	bad = err ? REFUSED(err, EINVAL) : wait_for(&a, IBV_WC_LOC_QP_OP_ERR);
	pair_close(&a, &b);
	return bad;
}

int access_event(void)
{
	struct ibv_sge from;
	struct side a, b;
	int bad = pair_open(&a, &b, &(struct how){});

	if (bad)
		return bad;
	from = part(&a, 0, 64);
	bad = post(&a, IBV_WR_RDMA_WRITE, &from, 1, (uintptr_t)b.buf, b.mr->rkey ^ 1) ||
	      wait_for(&a, IBV_WC_REM_ACCESS_ERR);
	if (!bad && !event_comes(IBV_EVENT_QP_ACCESS_ERR, 2000))
		bad = complain("no event IBV_EVENT_QP_ACCESS_ERR at the responder");
	if (!bad && state(&b) != IBV_QPS_ERR)
		bad = complain("the responder's QP is in state %d", state(&b));
	pair_close(&a, &b);
	return bad;
}

/* More completions than the CQ has room for. */
int cq_overrun(void)
{
	struct how how = { .cqe = 2, .cap.max_send_wr = 4096 };
	int room, i, bad;
	struct ibv_sge from;
	struct side a, b;

	bad = pair_open(&a, &b, &how);
	if (bad)
		return bad;
	room = a.cq->cqe;
	from = part(&a, 0, 8);
	for (i = 0; i < room + 8 && !bad; i++)
		bad = post(&a, IBV_WR_RDMA_WRITE, &from, 1, (uintptr_t)b.buf, b.mr->rkey);
	if (bad)
		bad = complain("request %d was refused", i);
	if (!bad && !event_comes(IBV_EVENT_CQ_ERR, 3000))
		bad = complain("no event IBV_EVENT_CQ_ERR, with %d requests for %d", i, room);
	pair_close(&a, &b);
	return bad;
}

/* After the failed request all others are flushed, in order, each once. */
int flush_order(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE, .num_sge = 1 };
	struct ibv_sge from, to;
	struct ibv_wc wc;
	struct side a, b;
	int bad = pair_open(&a, &b, &(struct how){}), i;

	if (bad)
		return bad;
	from = part(&a, 0, 64);
	to = part(&a, 0, 64);
	wr.sg_list = &from;
	wr.wr.rdma.remote_addr = (uintptr_t)b.buf;
	for (i = 0; i < 5 && !bad; i++)
		bad = receive(&a, &to, 1);
	for (i = 0; i < 10 && !bad; i++) {
		wr.wr_id = i;
		wr.wr.rdma.rkey = b.mr->rkey ^ (i == 3);
		wr.send_flags = i % 2 ? 0 : IBV_SEND_SIGNALED;
		bad = post_wr(&a, &wr);
	}
	/* 0 and 2 succeed, 3 fails, 4 to 9 are flushed whether signalled or not */
	for (i = 0; i < 10 && !bad; i++) {
		if (i == 1)
			continue;
		if (wait_wc(&a, &wc, 5000) != 1)
			bad = complain("no completion of request %d", i);
		else if (wc.wr_id == 100)
			i--;		/* a flushed receive */
		else if ((int)wc.wr_id != i)
			bad = complain("completion of %d where %d should be", (int)wc.wr_id, i);
		else if (wc.status != (i < 3 ? IBV_WC_SUCCESS : i == 3 ? IBV_WC_REM_ACCESS_ERR
						: IBV_WC_WR_FLUSH_ERR))
			bad = complain("request %d: %s", i, ibv_wc_status_str(wc.status));
	}
	pair_close(&a, &b);
	return bad;
}

int other_qps_live(void)
{
	struct ibv_sge from, to;
	struct side a, b, c, d;
	int bad = pair_open(&a, &b, &(struct how){}) || pair_open(&c, &d, &(struct how){});

	if (bad)
		return bad;
	from = part(&a, 0, 64);
	bad = post(&a, IBV_WR_RDMA_WRITE, &from, 1, (uintptr_t)b.buf, 0x12345) ||
	      wait_for(&a, IBV_WC_REM_ACCESS_ERR);
	from = part(&c, 0, 5000);
	to = part(&d, 0, 5000);
	bad = bad || receive(&d, &to, 1) || post(&c, IBV_WR_SEND, &from, 1, 0, 0) ||
	      wait_for(&c, IBV_WC_SUCCESS) || wait_for(&d, IBV_WC_SUCCESS);
	pair_close(&a, &b);
	pair_close(&c, &d);
	return bad;
}
