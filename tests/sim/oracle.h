/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What must happen. A flow is what one end asks of the other: a list of
 * messages, in the order in which they are posted, and how far each of them has
 * come. Both ends report what they do to the flow, and the run ends at the
 * first thing that is lost, doubled, out of order or different.
 *
 * No message is stored: its bytes are a function of the region of memory they
 * belong to and of their place in it. Message i of a flow has region i.
 */
#ifndef SIM_ORACLE_H
#define SIM_ORACLE_H

#include <core/wqe.h>
#include <linux/types.h>

#include "rng.h"

#define REGION_SHIFT	33
#define CELLS		4
#define CELLS_VA	0x100ULL
#define RKEY_GOOD	0x600dU
#define RKEY_BAD	0xbadU

/**
 * struct message - a work request and its fate
 * @orig: result that an atomic must give
 * @fetch_status: error that is found before anything is sent, or 0
 * @faults: the payload cannot be read from @fault_at on
 * @vanishes: READ: the memory is gone when the answer is to be sent
 * @executed: bytes the responder has executed
 * @is_executed: it has executed all
 * @placed: bytes the requester has placed (READ and atomics)
 * @is_begun: the first packet was sent, or the local operation performed
 */
struct message {
	u64 va;
	u64 compare_add;
	u64 swap;
	u64 orig;
	u32 length;
	u32 imm;
	u32 rkey;
	u8 kind;
	u8 flags;
	u8 fetch_status;
	bool faults;
	u32 fault_at;
	bool vanishes;
	u32 executed;
	bool is_executed;
	u32 placed;
	bool is_begun;
};

/**
 * struct flow - messages of one direction
 * @room: of @messages
 * @posted: next message to post
 * @begun: next message to begin
 * @exec: next message that the responder executes
 * @done: next message to complete
 * @received: receive WQEs completed
 * @bytes: payload executed by the responder
 * @may_fail: bits of enum croce_status that the first failure may have
 * @failed: status of the first failure
 * @cells: memory for atomics at the responder
 */
struct flow {
	const char *name;
	struct message *messages;
	u32 count;
	u32 posted;
	u32 begun;
	u32 exec;
	u32 done;
	u32 received;
	u32 room;
	u64 bytes;
	u32 may_fail;
	u8 failed;
	bool reliable;
	u64 cells[CELLS];
	u64 model[CELLS];
};

/* One packet's worth of execution at the responder. */
struct piece {
	u8 kind;
	u64 va;
	u32 rkey;
	u32 offset;
	u32 length;
	bool last;
	bool has_imm;
	u32 imm;
	u32 tag;
};

/* Ends the program; the seed is printed. */
void oracle_fail(const char *format, ...)
	__attribute__((__noreturn__, __format__(__printf__, 1, 2)));

void bytes_fill(u64 region, u32 offset, u8 *bytes, u32 len);
bool bytes_are(u64 region, u32 offset, const u8 *bytes, u32 len);

void flow_init(struct flow *flow, const char *name, u32 count, bool reliable);
void flow_cleanup(struct flow *flow);
struct message *flow_add(struct flow *flow, const struct message *message);

/* The requester. */
void flow_begin(struct flow *flow, u32 index);
void flow_payload(const struct flow *flow, u32 index, u32 offset, u8 *bytes,
		  u32 len);
void flow_place(struct flow *flow, u32 index, u32 offset, const u8 *bytes,
		u32 len);
void flow_place_atomic(struct flow *flow, u32 index, u64 orig);
void flow_complete(struct flow *flow, u64 wr_id, u8 status);

/* The responder. */
void flow_execute(struct flow *flow, const struct piece *piece,
		  const u8 *bytes);
void flow_execute_read(struct flow *flow, u64 va, u32 len);
u64 flow_execute_atomic(struct flow *flow, u8 kind, u64 va, u64 swap_add,
			u64 compare);
void flow_read(const struct flow *flow, u64 va, u8 *bytes, u32 len);
bool flow_can_read(const struct flow *flow, u64 va);

bool flow_is_over(const struct flow *flow);
void flow_check_end(const struct flow *flow);

#endif /* SIM_ORACLE_H */
