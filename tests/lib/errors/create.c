// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Objects that are not to be had. */

#define _GNU_SOURCE
#include "errors.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int try_qp(struct side *like, struct ibv_qp_cap cap)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC, .send_cq = like->cq, .recv_cq = like->cq, .cap = cap,
	};
	struct ibv_qp *qp = ibv_create_qp(like->pd, &attr);

	if (!qp)
		return -1;
	if (attr.cap.max_send_wr < cap.max_send_wr || attr.cap.max_recv_wr < cap.max_recv_wr ||
	    attr.cap.max_send_sge < cap.max_send_sge || attr.cap.max_recv_sge < cap.max_recv_sge ||
	    attr.cap.max_inline_data < cap.max_inline_data)
		complain("a QP has less than was asked for");
	ibv_destroy_qp(qp);
	return 0;
}

#define CAP(...) ((struct ibv_qp_cap){ .max_send_wr = 4, .max_recv_wr = 4, \
				       .max_send_sge = 1, .max_recv_sge = 1, __VA_ARGS__ })

int qp_with_too_much(void)
{
	uint32_t sges = limits.max_sge, wrs = limits.max_qp_wr;
	struct side like;
	int bad;

	if (side_open(&like, &(struct how){}, NULL))
		return -1;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
	bad = REFUSED(try_qp(&like, CAP(.max_send_sge = sges + 1)), EINVAL) ||
	      REFUSED(try_qp(&like, CAP(.max_recv_sge = sges + 1)), EINVAL) ||
	      REFUSED(try_qp(&like, CAP(.max_send_wr = wrs + 1)), EINVAL) ||
	      REFUSED(try_qp(&like, CAP(.max_recv_wr = wrs + 1)), EINVAL) ||
	      REFUSED(try_qp(&like, CAP(.max_send_wr = ~0U)), EINVAL) ||
	      REFUSED(try_qp(&like, CAP(.max_inline_data = 1 << 20)), EINVAL);
	if (!bad && try_qp(&like, CAP(.max_send_sge = sges, .max_recv_sge = sges,
				      .max_inline_data = 512, .max_send_wr = wrs)))
		bad = complain("the largest QP: %s", strerror(errno));
#pragma GCC diagnostic pop
	side_close(&like);
	ibv_dealloc_pd(like.pd);
	return bad;
}

static int try_cq(int cqe, int vector)
{
	struct ibv_cq *cq = ibv_create_cq(ctx, cqe, NULL, NULL, vector);

	return cq ? ibv_destroy_cq(cq) : -1;
}

int cq_with_too_much(void)
{
	if (REFUSED(try_cq(limits.max_cqe + 1, 0), EINVAL) || REFUSED(try_cq(0, 0), EINVAL) ||
	    REFUSED(try_cq(-1, 0), EINVAL) || REFUSED(try_cq(16, 100000), EINVAL))
		return -1;
	return try_cq(65536, 0) ? complain("a CQ of 65536: %s", strerror(errno)) : 0;
}

static int try_mr(struct ibv_pd *pd, void *addr, size_t len, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, addr, len, access);

	return mr ? ibv_dereg_mr(mr) : -1;
}

int mr_of_bad_memory(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	char *hole = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int bad;

	munmap(hole + 4096, 4096);
	bad = REFUSED(try_mr(pd, hole + 4096, 4096, ALL_ACCESS), EFAULT, ENOMEM) ||
	      REFUSED(try_mr(pd, hole, 8192, ALL_ACCESS), EFAULT, ENOMEM) ||
	      REFUSED(try_mr(pd, (void *)-4096UL, 8192, ALL_ACCESS), EINVAL, EFAULT, EOVERFLOW) ||
	      REFUSED(try_mr(pd, hole, -4096UL, ALL_ACCESS), EINVAL, EFAULT, ENOMEM, EOVERFLOW) ||
	      REFUSED(try_mr(pd, hole, 4096, IBV_ACCESS_REMOTE_WRITE), EINVAL) ||
	      REFUSED(try_mr(pd, hole, 4096, IBV_ACCESS_REMOTE_ATOMIC), EINVAL);
	if (!bad && try_mr(pd, hole + 7, 4000, ALL_ACCESS))
		bad = complain("a good region: %s", strerror(errno));
	munmap(hole, 4096);
	ibv_dealloc_pd(pd);
	return bad;
}

/* A file that is mapped read-only can be sent from, and not written to. */
int mr_of_read_only_memory(void)
{
	char name[] = "/tmp/read-only-XXXXXX";
	int fd = mkstemp(name), bad;
	struct ibv_sge from, to;
	struct side a, b;
	struct ibv_mr *mr;
	char *view;

	unlink(name);
	if (ftruncate(fd, 8192) || pwrite(fd, "hello", 5, 4090) != 5)
		return complain("no file");
	view = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);
	bad = pair_open(&a, &b, &(struct how){});
	if (bad)
		return bad;
	bad = REFUSED(try_mr(a.pd, view, 8192, ALL_ACCESS), EFAULT, EACCES, EPERM);
	mr = ibv_reg_mr(a.pd, view, 8192, IBV_ACCESS_REMOTE_READ);
	if (!mr)
		return complain("a read-only region: %s", strerror(errno));
	from = (struct ibv_sge){ (uintptr_t)view, 8192, mr->lkey };
	to = part(&b, 0, 8192);
	bad = bad || receive(&b, &to, 1) || post(&a, IBV_WR_SEND, &from, 1, 0, 0) ||
	      wait_for(&a, IBV_WC_SUCCESS) || wait_for(&b, IBV_WC_SUCCESS);
	if (!bad && memcmp(b.buf, view, 8192))
		bad = complain("what was sent differs");
	bad = bad || post(&b, IBV_WR_RDMA_READ, &to, 1, (uintptr_t)view, mr->rkey) ||
	      wait_for(&b, IBV_WC_SUCCESS);
	bad = bad || post(&b, IBV_WR_RDMA_WRITE, &to, 1, (uintptr_t)view, mr->rkey) ||
	      wait_for(&b, IBV_WC_REM_ACCESS_ERR);
	ibv_dereg_mr(mr);
	munmap(view, 8192);
	close(fd);
	pair_close(&a, &b);
	return bad;
}

static int child_beyond_memlock(void)
{
	struct rlimit limit = { 1 << 20, 1 << 20 };
	struct ibv_pd *pd;
	char *memory;

	setrlimit(RLIMIT_MEMLOCK, &limit);
	if (setuid(65534))
		return complain("setuid");
	pd = ibv_alloc_pd(ctx);
	memory = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return REFUSED(try_mr(pd, memory, 4 << 20, ALL_ACCESS), ENOMEM) ||
	       (try_mr(pd, memory, 65536, ALL_ACCESS) ? complain("64 KiB: %s", strerror(errno)) : 0);
}

/* As an ordinary user, who opens the device by himself. */
int mr_beyond_memlock(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		struct ibv_device **list = ibv_get_device_list(NULL);

		for (ctx = NULL; *list && !ctx; list++)
			if (!strcmp(ibv_get_device_name(*list), device))
				ctx = ibv_open_device(*list);
		fflush(stdout);
		_exit(!ctx || child_beyond_memlock() ? 1 : 0);
	}
	waitpid(child, &status, 0);
	return status ? -1 : 0;
}

static int modify(struct side *side, struct ibv_qp_attr attr, int mask)
{
	return ibv_modify_qp(side->qp, &attr, mask);
}

#define RTR_MASK (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | \
		  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define RTS_MASK (IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | \
		  IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)
#define INIT_MASK (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)

int bad_transitions(void)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = PORT }, other;
	struct ibv_qp_attr rtr = { .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024,
				   .dest_qp_num = 5, .max_dest_rd_atomic = 1 };
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7,
				   .rnr_retry = 7, .max_rd_atomic = 1 };
	struct side side;
	int bad;

	set_path(&rtr.ah_attr);
	if (side_open(&side, &(struct how){}, NULL))
		return -1;
	bad = REFUSED(modify(&side, rtr, RTR_MASK), EINVAL) ||
	      REFUSED(modify(&side, rts, RTS_MASK), EINVAL) ||
	      REFUSED(modify(&side, init, IBV_QP_STATE), EINVAL);
	other = init;
	other.port_num = 2;
	bad = bad || REFUSED(modify(&side, other, INIT_MASK), EINVAL);
	other = init;
	other.pkey_index = 1;
	bad = bad || REFUSED(modify(&side, other, INIT_MASK), EINVAL);
	if (!bad && modify(&side, init, INIT_MASK))
		bad = complain("to INIT: %s", strerror(errno));
	bad = bad || REFUSED(modify(&side, rts, RTS_MASK), EINVAL) ||
	      REFUSED(modify(&side, rtr, RTR_MASK & ~IBV_QP_DEST_QPN), EINVAL);
	other = rtr;
	other.path_mtu = IBV_MTU_4096;		/* the port has 1024 */
	bad = bad || REFUSED(modify(&side, other, RTR_MASK), EINVAL);
	other.path_mtu = 9;
	bad = bad || REFUSED(modify(&side, other, RTR_MASK), EINVAL);
	other = rtr;
	other.ah_attr.grh.sgid_index = 200;	/* empty */
	bad = bad || REFUSED(modify(&side, other, RTR_MASK), EINVAL, ENODATA);
	other = rtr;
	other.max_dest_rd_atomic = 255;
	bad = bad || REFUSED(modify(&side, other, RTR_MASK), EINVAL);
	if (!bad && modify(&side, rtr, RTR_MASK))
		bad = complain("to RTR: %s", strerror(errno));
	other = rts;
	other.max_rd_atomic = 255;
	bad = bad || REFUSED(modify(&side, other, RTS_MASK), EINVAL);
	other = rts;
	other.timeout = 32;
	bad = bad || REFUSED(modify(&side, other, RTS_MASK), EINVAL);
	if (!bad && modify(&side, rts, RTS_MASK))
		bad = complain("to RTS: %s", strerror(errno));
	bad = bad || REFUSED(modify(&side, init, INIT_MASK), EINVAL);
	side_close(&side);
	ibv_dealloc_pd(side.pd);
	return bad;
}

static int try_ah(struct ibv_pd *pd, struct ibv_ah_attr attr)
{
	struct ibv_ah *ah = ibv_create_ah(pd, &attr);

	return ah ? ibv_destroy_ah(ah) : -1;
}

int bad_ah(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_ah_attr good, other;
	int bad;

	set_path(&good);
	other = good;
	other.grh.sgid_index = 200;	/* empty */
	bad = REFUSED(try_ah(pd, other), EINVAL, ENODATA);
	other = good;
	other.port_num = 3;
	bad = bad || REFUSED(try_ah(pd, other), EINVAL);
	other = good;
	other.is_global = 0;
	bad = bad || REFUSED(try_ah(pd, other), EINVAL);
	if (!bad && try_ah(pd, good))
		bad = complain("a good address: %s", strerror(errno));
	ibv_dealloc_pd(pd);
	return bad;
}

/* Very many, and all gone again. */
int many_objects(void)
{
	static struct side sides[500];
	struct how how = {};
	int i, bad = 0, made;

	for (made = 0; made < 500 && !bad; made++)
		bad = side_open(&sides[made], &how, made ? sides[0].pd : NULL);
	for (i = made - 1; i >= 0; i--)
		side_close(&sides[i]);
	if (ibv_dealloc_pd(sides[0].pd))
		bad = complain("the PD is in use: %s", strerror(errno));
	return bad;
}
