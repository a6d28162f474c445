/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A responder to be tested, and short words for what happens to it. */
#ifndef CROCE_TESTS_RESPONDER_H
#define CROCE_TESTS_RESPONDER_H

#include <kunit/test.h>

#include "../../kernel/core/psn.h"
#include "../../kernel/core/resp.h"
#include "../../kernel/wire/aeth.h"

#define SLOTS		3	/* no power of two */
#define MTU		1024U
#define FIRST_PSN	0xfffffcU	/* wraps soon */
#define VA		0x123456789000ULL
#define RKEY		0x4711U

/* The PSN of the n-th packet, counted from 0. */
#define PSN(n)		croce_psn_add(FIRST_PSN, n)

#define ACK		croce_aeth_ack(CROCE_CREDIT_UNLIMITED)
#define SEQ_NAK		croce_aeth_nak(CROCE_NAK_PSN_SEQ)
#define ACCESS_NAK	croce_aeth_nak(CROCE_NAK_REM_ACCESS)
#define RNR		croce_aeth_rnr(12)

struct responder {
	struct croce_resp resp;
	struct croce_replay replay[SLOTS];
};

static inline struct responder *
responder_with(struct kunit *test, u32 slots, u32 mtu, bool reliable)
{
	struct croce_resp_config cfg = { .mtu = mtu, .reliable = reliable };
	struct responder *r = kunit_kmalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, r);
	memset(r, 0x5a, sizeof(*r));
	croce_resp_init(&r->resp);
	croce_resp_start(&r->resp, &cfg, r->replay, slots, FIRST_PSN);
	return r;
}

static inline struct responder *responder_new(struct kunit *test)
{
	return responder_with(test, SLOTS, MTU, true);
}

static inline struct croce_pkt packet(u8 opcode, u32 psn, u32 payload_len)
{
	return (struct croce_pkt){
		.opcode = opcode,
		.psn = psn,
		.payload_len = payload_len,
		.va = VA,
		.rkey = RKEY,
		.dma_len = payload_len,
	};
}

static inline struct croce_pkt read_request(u32 psn, u64 va, u32 length)
{
	struct croce_pkt pkt = packet(CROCE_OP_RC_READ_REQ, psn, 0);

	pkt.va = va;
	pkt.dma_len = length;
	pkt.ackreq = true;
	return pkt;
}

/* What the performer does with a request; @orig is the result of atomics. */
static inline u8 take(struct responder *r, const struct croce_pkt *pkt, u64 orig)
{
	struct croce_resp_record rec = croce_resp_decide(&r->resp, pkt);

	switch (rec.verdict) {
	case CROCE_RESP_EXECUTE:
		croce_resp_accept(&r->resp, pkt, &rec, orig);
		break;
	case CROCE_RESP_DUPLICATE:
		croce_resp_repeat(&r->resp, pkt);
		break;
	case CROCE_RESP_OUT_OF_ORDER:
		croce_resp_on_gap(&r->resp, pkt);
		break;
	case CROCE_RESP_INVALID:
		croce_resp_refuse(&r->resp, croce_aeth_nak(CROCE_NAK_INV_REQ));
		break;
	}
	return rec.verdict;
}

static inline u8 take_send(struct responder *r, u32 psn, bool ackreq)
{
	struct croce_pkt pkt = packet(CROCE_OP_RC_SEND_ONLY, psn, 5);

	pkt.ackreq = ackreq;
	return take(r, &pkt, 0);
}

static inline u8 take_read(struct responder *r, u32 psn, u32 npkts)
{
	struct croce_pkt pkt = read_request(psn, VA, npkts * MTU);

	return take(r, &pkt, 0);
}

static inline u8 take_atomic(struct responder *r, u32 psn, u64 orig)
{
	struct croce_pkt pkt = packet(CROCE_OP_RC_FETCH_ADD, psn, 0);

	return take(r, &pkt, orig);
}

/* The next run, as if it were sent. */
static inline struct croce_resp_run answer(struct responder *r)
{
	struct croce_resp_run run = croce_resp_next(&r->resp, 64);

	if (run.tx != CROCE_RESP_TX_NONE)
		croce_resp_on_sent(&r->resp, &run);
	return run;
}

static inline void answer_all(struct responder *r)
{
	while (croce_resp_owes(&r->resp))
		answer(r);
}

/* The next thing owed is an Acknowledge with these. */
static inline void expect_ack(struct kunit *test, struct responder *r, u32 psn,
			      u8 syndrome)
{
	struct croce_resp_run run = answer(r);

	KUNIT_EXPECT_EQ(test, run.tx, CROCE_RESP_TX_ACK);
	KUNIT_EXPECT_EQ(test, run.psn, psn);
	KUNIT_EXPECT_EQ(test, run.syndrome, syndrome);
	KUNIT_EXPECT_EQ(test, run.npkts, 1);
	KUNIT_EXPECT_EQ(test, croce_resp_opcode(&run, 0), CROCE_OP_RC_ACK);
}

/* The next thing owed is this part of a READ response. */
static inline void expect_read(struct kunit *test, struct responder *r, u32 psn,
			       u32 npkts, u64 va)
{
	struct croce_resp_run run = answer(r);

	KUNIT_EXPECT_EQ(test, run.tx, CROCE_RESP_TX_READ);
	KUNIT_EXPECT_EQ(test, run.psn, psn);
	KUNIT_EXPECT_EQ(test, run.npkts, npkts);
	KUNIT_EXPECT_EQ(test, run.va, va);
	KUNIT_EXPECT_EQ(test, run.length, npkts * MTU);
}

static inline void expect_nothing(struct kunit *test, struct responder *r)
{
	KUNIT_EXPECT_FALSE(test, croce_resp_owes(&r->resp));
	KUNIT_EXPECT_EQ(test, croce_resp_next(&r->resp, 64).tx,
			CROCE_RESP_TX_NONE);
}

#endif /* CROCE_TESTS_RESPONDER_H */
