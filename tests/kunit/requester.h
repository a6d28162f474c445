/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A requester to be tested, and short words for what happens to it. */
#ifndef CROCE_TESTS_REQUESTER_H
#define CROCE_TESTS_REQUESTER_H

#include <kunit/test.h>

#include "../../kernel/core/psn.h"
#include "../../kernel/core/req.h"
#include "../../kernel/wire/aeth.h"

#define SLOTS		64
#define MTU		1024U
#define FIRST_PSN	0xfffff0U	/* wraps soon */
#define MS		1000000ULL
/* What a QP timeout of 14 means: two of 268 ms. */
#define TIMEOUT_NS	(8192ULL << 16)

/* The PSN of the n-th packet, counted from 0. */
#define PSN(n)		croce_psn_add(FIRST_PSN, n)

struct requester {
	struct croce_req req;
	struct croce_wqe ring[SLOTS];
	u64 now_ns;
};

static inline struct requester *
requester_with(struct kunit *test, const struct croce_req_config *cfg)
{
	struct requester *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, r);
	croce_req_init(&r->req, r->ring, SLOTS);
	croce_req_start(&r->req, cfg, FIRST_PSN);
	r->now_ns = 1000 * MS;
	return r;
}

#define RC_CONFIG {			\
	.mtu = MTU,			\
	.max_rd_atomic = 4,		\
	.retry_cnt = 7,			\
	.rnr_retry = 7,			\
	.timeout_ns = TIMEOUT_NS,	\
	.reliable = true,		\
}

static inline struct requester *requester_new(struct kunit *test)
{
	const struct croce_req_config cfg = RC_CONFIG;

	return requester_with(test, &cfg);
}

static inline struct croce_wqe *post(struct requester *r, u8 kind, u32 length)
{
	struct croce_wqe *wqe = croce_req_wqe(&r->req, r->req.prod);

	memset(wqe, 0, sizeof(*wqe));
	wqe->wr_id = r->req.prod++;
	wqe->kind = kind;
	wqe->length = length;
	return wqe;
}

static inline struct croce_req_run next(struct requester *r)
{
	return croce_req_next(&r->req, 64);
}

/* Send the next run, or perform the local operation. */
static inline struct croce_req_run send_run(struct requester *r)
{
	struct croce_req_run run = next(r);

	if (run.verdict >= CROCE_REQ_SEND)
		croce_req_on_sent(&r->req, &run, r->now_ns);
	return run;
}

/* Send all that may be sent now; returns how many packets that was. */
static inline u32 send_all(struct requester *r)
{
	struct croce_req_run run;
	u32 npkts = 0;

	while ((run = send_run(r)).verdict >= CROCE_REQ_SEND)
		npkts += run.npkts;
	return npkts;
}

static inline struct croce_comp_record receive(struct requester *r,
					       const struct croce_pkt *pkt)
{
	return croce_comp_on_packet(&r->req, pkt, r->now_ns);
}

static inline struct croce_comp_record on_syndrome(struct requester *r, u32 psn,
						   u8 syndrome)
{
	struct croce_pkt pkt = {
		.opcode = CROCE_OP_RC_ACK,
		.psn = psn,
		.syndrome = syndrome,
	};

	return receive(r, &pkt);
}

static inline struct croce_comp_record on_ack(struct requester *r, u32 psn)
{
	return on_syndrome(r, psn, croce_aeth_ack(CROCE_CREDIT_UNLIMITED));
}

static inline struct croce_comp_record on_nak(struct requester *r, u32 psn,
					      enum croce_nak code)
{
	return on_syndrome(r, psn, croce_aeth_nak(code));
}

static inline struct croce_comp_record on_rnr(struct requester *r, u32 psn)
{
	return on_syndrome(r, psn, croce_aeth_rnr(12));
}

static inline struct croce_comp_record on_response(struct requester *r,
						   u8 opcode, u32 psn,
						   u32 payload_len)
{
	struct croce_pkt pkt = {
		.opcode = opcode,
		.psn = psn,
		.payload_len = payload_len,
		.syndrome = croce_aeth_ack(CROCE_CREDIT_UNLIMITED),
	};

	return receive(r, &pkt);
}

/* Full packets of a READ response, from the n-th PSN on. */
static inline struct croce_comp_record on_middles(struct requester *r, u32 n,
						  u32 count)
{
	struct croce_comp_record rec = {};

	while (count--)
		rec = on_response(r, CROCE_OP_RC_READ_RESP_MIDDLE, PSN(n++),
				  r->req.cfg.mtu);
	return rec;
}

/* Let time pass until the timer is due. */
static inline struct croce_comp_record on_timer(struct requester *r)
{
	r->now_ns = r->req.deadline_ns;
	return croce_req_on_timer(&r->req, r->now_ns);
}

/* How many WQEs are finished; @status gets that of the last. */
static inline u32 reap_all(struct requester *r, u8 *status)
{
	struct croce_wqe *wqe;
	u32 n = 0;

	while ((wqe = croce_req_reap(&r->req))) {
		if (status)
			*status = wqe->status;
		n++;
	}
	return n;
}

#endif /* CROCE_TESTS_REQUESTER_H */
