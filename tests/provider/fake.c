// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"

#define FAKE_FD 0x7f00

struct fake_bell bell;

ssize_t __real_write(int fd, const void *buf, size_t length);
ssize_t __wrap_write(int fd, const void *buf, size_t length);

ssize_t __wrap_write(int fd, const void *buf, size_t length)
{
	if (fd != FAKE_FD)
		return __real_write(fd, buf, length);

	bell.writes++;
	assert_true(length <= sizeof(bell.cmd));
	memcpy(bell.cmd, buf, length);
	bell.cmd_length = length;
	if (bell.write_errno) {
		errno = bell.write_errno;
		return -1;
	}
	return length;
}

int ibv_cmd_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		      struct ibv_send_wr **bad_wr)
{
	assert_null(wr);
	bell.lib_calls++;
	return bell.lib_result;
}

void *fake_map_new(struct croce_queue_map *map, size_t ctl_size,
		   uint32_t slots, uint32_t stride)
{
	uint8_t *base = malloc(ctl_size + (size_t)slots * stride);

	assert_non_null(base);
	memset(base, 0, ctl_size);
	memset(base + ctl_size, POISON, (size_t)slots * stride);
	*map = (struct croce_queue_map){
		.ctl_offset = 0,
		.ring_offset = ctl_size,
		.slots = slots,
		.stride = stride,
	};
	return base;
}

static void wq_new(struct croce_wq *wq, uint32_t slots, uint32_t stride,
		   uint32_t first)
{
	struct croce_queue_map map;
	struct croce_wq_ctl *ctl;
	void *base;

	base = fake_map_new(&map, sizeof(*ctl), slots, stride);
	ctl = base;
	ctl->prod = first;
	ctl->cons = first;
	croce_wq_init(wq, base, &map);
}

static uint32_t sq_stride(const struct fake_caps *caps)
{
	uint32_t sges = caps->max_sge * sizeof(struct croce_sge);

	return sizeof(struct croce_sqe) +
	       (sges > caps->max_inline ? sges : caps->max_inline);
}

static uint8_t type_bit(enum ibv_qp_type type)
{
	return type == IBV_QPT_RC ? CROCE_QPT_RC :
	       type == IBV_QPT_UC ? CROCE_QPT_UC :
	       type == IBV_QPT_XRC_SEND ? CROCE_QPT_XRC_SEND : CROCE_QPT_UD;
}

struct croce_qp *fake_qp_new(const struct fake_caps *caps)
{
	static struct ibv_context context = { .cmd_fd = FAKE_FD };
	struct croce_qp *qp = calloc(1, sizeof(*qp));

	assert_non_null(qp);
	memset(&bell, 0, sizeof(bell));
	wq_new(&qp->sq, caps->slots, sq_stride(caps), caps->first);
	qp->sq.max_sge = caps->max_sge;
	qp->sq.max_inline = caps->max_inline;
	wq_new(&qp->rq, caps->slots,
	       sizeof(struct croce_rqe) +
		       caps->max_sge * sizeof(struct croce_sge),
	       caps->first);
	qp->rq.max_sge = caps->max_sge;
	croce_lock_init(&qp->sq_lock, true);
	croce_lock_init(&qp->rq_lock, true);
	qp->type_bit = type_bit(caps->type);
	qp->sig_flag = caps->sig_all ? CROCE_WR_SIGNALED : 0;
	qp->vqp.qp.context = &context;
	qp->vqp.qp.handle = 0x1234;
	qp->vqp.qp.qp_type = caps->type;
	qp->vqp.qp.state = IBV_QPS_RTS;
	croce_qp_set_wr_ops(qp, croce_qp_supported_send_ops(caps->type));
	return qp;
}

void fake_qp_free(struct croce_qp *qp)
{
	free(qp->sq.ctl);
	free(qp->rq.ctl);
	free(qp);
}

struct croce_cq *fake_cq_new(uint32_t slots, uint32_t first)
{
	struct croce_cq *cq = calloc(1, sizeof(*cq));
	struct croce_queue_map map;
	struct croce_cq_ctl *ctl;

	assert_non_null(cq);
	ctl = fake_map_new(&map, sizeof(*ctl), slots, sizeof(struct croce_cqe));
	ctl->cons = first;
	ctl->prod = first;
	croce_cq_ring_init(&cq->ring, ctl, &map);
	croce_lock_init(&cq->lock, true);
	croce_lock_init(&cq->arm_lock, true);
	croce_cq_set_poll_ops(cq, ~0ULL);
	return cq;
}

void fake_cq_free(struct croce_cq *cq)
{
	free(cq->ring.ctl);
	free(cq);
}

struct croce_srq *fake_srq_new(uint32_t slots, uint32_t max_sge, uint32_t first)
{
	struct croce_srq *srq = calloc(1, sizeof(*srq));

	assert_non_null(srq);
	wq_new(&srq->wq, slots,
	       sizeof(struct croce_rqe) + max_sge * sizeof(struct croce_sge),
	       first);
	srq->wq.max_sge = max_sge;
	croce_lock_init(&srq->lock, true);
	return srq;
}

void fake_srq_free(struct croce_srq *srq)
{
	free(srq->wq.ctl);
	free(srq);
}

/* The module is done with @slots more: they are poison again. */
void fake_wq_release(struct croce_wq *wq, uint32_t slots)
{
	uint32_t cons = wq->ctl->cons;

	for (; slots; slots--, cons++)
		memset(croce_wq_slot(wq, cons), POISON, wq->stride);
	__atomic_store_n(&wq->ctl->cons, cons, __ATOMIC_RELEASE);
}

uint32_t fake_wq_posted(const struct croce_wq *wq)
{
	return wq->ctl->prod - wq->ctl->cons;
}

/* A cleared CQE, which the caller fills; the user may see it at once. */
struct croce_cqe *fake_cq_produce(struct croce_cq *cq)
{
	struct croce_cqe *cqe = croce_cq_ring_slot(&cq->ring,
						   cq->ring.ctl->prod);

	memset(cqe, 0, sizeof(*cqe));
	__atomic_fetch_add(&cq->ring.ctl->prod, 1, __ATOMIC_RELEASE);
	return cqe;
}

void assert_poisoned(const struct croce_wq *wq, uint32_t index)
{
	const uint8_t *slot = croce_wq_slot(wq, index);
	uint32_t i;

	for (i = 0; i < wq->stride; i++)
		if (slot[i] != POISON)
			fail_msg("byte 0x%x of slot %u was written", i, index);
}

void assert_words(const void *got, const void *want, size_t length,
		  const char *what)
{
	const uint32_t *g = got, *w = want;
	size_t i;

	for (i = 0; i < length / 4; i++)
		if (g[i] != w[i])
			fail_msg("%s: word at 0x%zx is 0x%08x, not 0x%08x",
				 what, i * 4, g[i], w[i]);
	if (length % 4)
		assert_memory_equal(g + i, w + i, length % 4);
}
