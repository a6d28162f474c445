/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The AETH syndrome (IBA volume 1, 9.7.5.1): acknowledgment with end-to-end
 * credits, RNR NAK with a timer, NAK with a code.
 *
 * Credits and RNR timers count on one scale, a number with one bit of mantissa:
 *
 *	code	0  1  2  3  4  5  6   7   8   9  10 ...    30     31     32
 *	step	0  1  2  3  4  6  8  12  16  24  32 ... 32768  49152  65536
 *
 * Credits are steps of one receive WQE, codes 0 to 30. RNR timers are steps of
 * 10 us, codes 1 to 31, and code 0 stands for 32.
 */
#ifndef CROCE_WIRE_AETH_H
#define CROCE_WIRE_AETH_H

#include "env.h"

#define CROCE_AETH_VALUE_MASK	0x1f
#define CROCE_AETH_TYPE_MASK	0xe0	/* with the reserved top bit */
#define CROCE_AETH_TYPE_ACK	0x00
#define CROCE_AETH_TYPE_RNR	0x20
#define CROCE_AETH_TYPE_NAK	0x60

/* The credit code that says "not counted": always sent with an SRQ. */
#define CROCE_CREDIT_UNLIMITED	31
#define CROCE_CREDIT_CODE_MAX	30
#define CROCE_RNR_STEP_NS	10000ULL
#define CROCE_RNR_CODE_COUNT	32

/**
 * enum croce_nak - NAK codes
 * @CROCE_NAK_PSN_SEQ: PSN sequence error
 * @CROCE_NAK_INV_REQ: invalid request
 * @CROCE_NAK_REM_ACCESS: remote access error
 * @CROCE_NAK_REM_OP: remote operational error
 * @CROCE_NAK_INV_RD: invalid RD request
 */
enum croce_nak {
	CROCE_NAK_PSN_SEQ	= 0,
	CROCE_NAK_INV_REQ	= 1,
	CROCE_NAK_REM_ACCESS	= 2,
	CROCE_NAK_REM_OP	= 3,
	CROCE_NAK_INV_RD	= 4,
};

/**
 * enum croce_aeth_kind - what a syndrome says
 * @CROCE_AETH_RESERVED: nothing known; drop the packet
 * @CROCE_AETH_ACK: acknowledgment
 * @CROCE_AETH_RNR: receiver not ready
 * @CROCE_AETH_NAK: negative acknowledgment
 */
enum croce_aeth_kind {
	CROCE_AETH_RESERVED,
	CROCE_AETH_ACK,
	CROCE_AETH_RNR,
	CROCE_AETH_NAK,
};

/**
 * croce_aeth_kind - classify a syndrome
 * @syndrome: from the wire
 *
 * Return: its kind; NAK only with a code of enum croce_nak. Context: any.
 */
static inline enum croce_aeth_kind croce_aeth_kind(u8 syndrome)
{
	switch (syndrome & CROCE_AETH_TYPE_MASK) {
	case CROCE_AETH_TYPE_ACK:
		return CROCE_AETH_ACK;
	case CROCE_AETH_TYPE_RNR:
		return CROCE_AETH_RNR;
	case CROCE_AETH_TYPE_NAK:
		if ((syndrome & CROCE_AETH_VALUE_MASK) <= CROCE_NAK_INV_RD)
			return CROCE_AETH_NAK;
		fallthrough;
	default:
		return CROCE_AETH_RESERVED;
	}
}

/**
 * croce_aeth_value - the value next to the kind
 * @syndrome: from the wire
 *
 * Return: credit code, RNR timer code or NAK code, by croce_aeth_kind().
 * Context: any.
 */
static inline u8 croce_aeth_value(u8 syndrome)
{
	return syndrome & CROCE_AETH_VALUE_MASK;
}

/**
 * croce_aeth_ack - syndrome of an acknowledgment
 * @credit: credit code, see croce_credit_code(), or CROCE_CREDIT_UNLIMITED
 *
 * Return: the syndrome. Context: any.
 */
static inline u8 croce_aeth_ack(u8 credit)
{
	return CROCE_AETH_TYPE_ACK | (credit & CROCE_AETH_VALUE_MASK);
}

/**
 * croce_aeth_rnr - syndrome of an RNR NAK
 * @code: RNR timer code
 *
 * Return: the syndrome. Context: any.
 */
static inline u8 croce_aeth_rnr(u8 code)
{
	return CROCE_AETH_TYPE_RNR | (code & CROCE_AETH_VALUE_MASK);
}

/**
 * croce_aeth_nak - syndrome of a NAK
 * @code: why
 *
 * Return: the syndrome. Context: any.
 */
static inline u8 croce_aeth_nak(enum croce_nak code)
{
	return CROCE_AETH_TYPE_NAK | ((u8)code & CROCE_AETH_VALUE_MASK);
}

/**
 * croce_aeth_step - decode the scale that credits and RNR timers share
 * @code: 0 to 32
 *
 * Return: the step. Context: any.
 */
static inline u32 croce_aeth_step(u8 code)
{
	return code < 2 ? code : (2U | (code & 1)) << (code / 2 - 1);
}

/**
 * croce_aeth_step_code - encode the scale that credits and RNR timers share
 * @steps: any number
 *
 * Return: the highest code whose step is not above @steps, possibly above 32.
 * Context: any.
 */
static inline u8 croce_aeth_step_code(u32 steps)
{
	u32 top;

	if (steps < 2)
		return steps;
	top = fls(steps) - 1;
	return 2 * top + ((steps >> (top - 1)) & 1);
}

/**
 * croce_credit_wqes - receive WQEs that a credit code stands for
 * @code: from an ACK, 0 to CROCE_CREDIT_CODE_MAX
 *
 * Return: the count. Context: any.
 */
static inline u32 croce_credit_wqes(u8 code)
{
	return croce_aeth_step(code);
}

/**
 * croce_credit_code - credit code for a number of receive WQEs
 * @wqes: receive WQEs posted and not consumed
 *
 * Return: the code, rounded down: never promises more than there is.
 * Context: any.
 */
static inline u8 croce_credit_code(u32 wqes)
{
	return min_t(u8, croce_aeth_step_code(wqes), CROCE_CREDIT_CODE_MAX);
}

/**
 * croce_rnr_timer_ns - time that an RNR timer code stands for
 * @code: 0 to 31
 *
 * Return: nanoseconds, 10 us to 655.36 ms. Context: any.
 */
static inline u64 croce_rnr_timer_ns(u8 code)
{
	code &= CROCE_AETH_VALUE_MASK;
	return croce_aeth_step(code ? code : CROCE_RNR_CODE_COUNT) *
	       CROCE_RNR_STEP_NS;
}

/**
 * croce_rnr_timer_code - RNR timer code for a time
 * @ns: nanoseconds
 *
 * Return: the code of the shortest timer that is not below @ns, or of the
 * longest there is. Context: any.
 */
static inline u8 croce_rnr_timer_code(u64 ns)
{
	u32 steps;
	u8 code;

	if (ns > 0xffff * CROCE_RNR_STEP_NS)
		return 0;
	steps = div64_u64(ns + CROCE_RNR_STEP_NS - 1, CROCE_RNR_STEP_NS);
	code = croce_aeth_step_code(max(steps, 1U));
	if (croce_aeth_step(code) < steps)
		code++;
	return code & CROCE_AETH_VALUE_MASK;
}

#endif /* CROCE_WIRE_AETH_H */
