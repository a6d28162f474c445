/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A queue pair that behaves like in-tree Soft-RoCE, written from what can be
 * seen of that on the wire, and sharing nothing with the module's core:
 *
 *  - every packet is handled at once, acknowledged by itself, and answered
 *    wholly: no coalescing, no budget;
 *  - AckReq on the last packet of a message, and on every 64th;
 *  - a READ is one request, however long, and is answered in one go;
 *  - go-back-N with one fixed timer, that is started over only when an
 *    acknowledgement comes; retry_cnt 7 has no end;
 *  - one sequence NAK for a gap, also behind an RNR NAK;
 *  - at most 128 PSNs of requests without acknowledgement.
 */
#ifndef SIM_STOCK_H
#define SIM_STOCK_H

#include <wire/aeth.h>
#include <wire/parse.h>

#include "endpoint.h"

#define STOCK_MASK	0xffffff

/* A request that was answered, to be answered again. */
struct answer {
	u32 psn;
	u32 count;
	bool atomic;
	u64 orig;
};

/* PSNs of a posted message. */
struct extent {
	u32 psn;
	u32 count;
};

/**
 * struct stock - an endpoint without the core
 * @at: message that is sent next
 * @psn: its next packet; before @una never
 * @top: first PSN never sent
 * @una: first PSN not acknowledged
 * @reads: READs and atomics not answered
 * @since_ack: packets since the last AckReq
 * @is_back: went back, and nothing was acknowledged since
 * @wait_ns: RNR: nothing before that time
 * @timer: number of the timer that counts
 */
struct stock {
	struct endpoint ep;
	struct extent *extents;
	u32 assigned;
	u32 at;
	u32 psn;
	u32 top;
	u32 una;
	u32 reads;
	u32 since_ack;
	bool is_back;
	u64 wait_ns;
	u64 timer;
	/* responder */
	u32 expected;
	u32 msn;
	bool nak_given;
	u32 done;
	u64 write_va;
	u32 write_key;
	struct answer *answers;
	u32 answered;
};

static inline bool is_before(u32 a, u32 b)
{
	return ((a - b) & STOCK_MASK) >= 0x800000;
}

void stock_send_all(struct stock *stock);
void stock_on_response(struct stock *stock, const struct croce_pkt *pkt,
		       const u8 *bytes);
void stock_on_request(struct stock *stock, const struct croce_pkt *pkt,
		      const u8 *bytes);

#endif /* SIM_STOCK_H */
