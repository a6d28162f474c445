/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One end of a connection: a queue pair. There are two kinds, with the
 * module's core (core.c) and a simple one of our own that behaves like in-tree
 * Soft-RoCE (stock.c).
 */
#ifndef SIM_ENDPOINT_H
#define SIM_ENDPOINT_H

#include <core/cc.h>

#include "link.h"
#include "oracle.h"

/**
 * struct endpoint_config - what a queue pair is like
 * @budget: packets of one turn at most
 * @max_pkts: packets of one run at most
 * @turn_ns: a turn begins at most so long after what it is for
 * @local_fail: the local queue refuses a packet, parts per million
 * @drain: a turn takes the queue to SQD, parts per million
 * @dest_qpn: QPN of the other end
 * @cc: algorithm of congestion control, NULL for none
 * @cc_params: its knobs
 * @line_rate: of the port, bytes per second
 */
struct endpoint_config {
	u32 mtu;
	bool reliable;
	u32 first_psn;
	u32 peer_psn;
	u32 max_rd_atomic;
	u32 peer_rd_atomic;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 rnr_code;
	u64 timeout_ns;
	u32 sq_depth;
	u32 budget;
	u32 max_pkts;
	u64 turn_ns;
	u32 local_fail;
	u32 drain;
	u32 dest_qpn;
	const struct croce_cc_ops *cc;
	const struct croce_cc_params *cc_params;
	u64 line_rate;
};

struct endpoint;

/**
 * struct outlet - where an end sends
 * @has_room: will it take a frame?
 * @send: here is one, which is the outlet's from now on
 * @to: of these
 */
struct outlet {
	bool (*has_room)(void *to);
	void (*send)(void *to, struct frame *frame);
	void *to;
};

struct endpoint_ops {
	/* Messages were posted to tx, or receive WQEs. */
	void (*kick)(struct endpoint *ep);
	/* Takes the frame. */
	vtime_fn *receive;
	/* Complains about what is left when all is over. */
	void (*check_idle)(struct endpoint *ep);
	void (*destroy)(struct endpoint *ep);
};

/**
 * struct endpoint - what both kinds have
 * @tx: what it asks of the peer
 * @rx: what the peer asks of it
 * @receives: receive WQEs posted and not completed
 * @received: receive WQEs completed
 * @retransmits: duplicates, gaps and NAKs of loss: a perfect link must not see
 *	any
 * @timeouts: timers that took silence for loss
 * @rnrs: RNR NAKs given
 * @marks: packets with a congestion mark received
 * @cnps_sent: CNPs sent
 * @cnps_handled: CNPs received that the algorithm heeds
 * @on_done: something was completed; may post more; optional
 * @context: of @on_done
 */
struct endpoint {
	const struct endpoint_ops *ops;
	const char *name;
	struct endpoint_config cfg;
	struct vtime *vt;
	struct outlet out;
	struct flow *tx;
	struct flow *rx;
	struct rng rng;
	u32 receives;
	u32 received;
	u64 retransmits;
	u64 timeouts;
	u64 rnrs;
	u64 marks;
	u64 cnps_sent;
	u64 cnps_handled;
	void (*on_done)(void *context);
	void *context;
};

static inline void endpoint_send(struct endpoint *ep, struct frame *frame)
{
	ep->out.send(ep->out.to, frame);
}

extern bool trace_on;

/* One line of what happens, with --trace. */
void trace(const struct endpoint *ep, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

struct croce_pkt;

struct frame *frame_build(const struct croce_pkt *pkt, u8 **payload);
bool frame_parse(const struct frame *frame, struct croce_pkt *pkt);
void trace_packet(const struct endpoint *ep, const char *what,
		  const struct croce_pkt *pkt);

/* What the reaction point of one with the core allows, bytes per second. */
u64 core_rate(const struct endpoint *ep);

struct endpoint *core_create(const struct endpoint *common);
struct endpoint *stock_create(const struct endpoint *common);

#endif /* SIM_ENDPOINT_H */
