/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A queue pair with the module's core, its two halves, and what slows it down. */
#ifndef SIM_CORE_H
#define SIM_CORE_H

#include <core/pace.h>
#include <core/req.h>
#include <core/resp.h>

#include "endpoint.h"

/**
 * struct core - an endpoint with the core
 * @ep: the endpoint
 * @req: requester and completer
 * @resp: responder
 * @ring: WQEs
 * @replay: answers that may be asked for again
 * @backlog: frames received and not looked at
 * @last: where the next one goes
 * @turn_ns: a turn is scheduled at that time, U64_MAX none is
 * @retry_local: the local queue was full; nothing is sent before another turn
 * @rqe_valid: a receive WQE is in use
 * @fatal: to error once the NAK is out
 * @is_error: in error
 * @is_held: drained, and not told to go on
 * @wake_ns: a turn for the timer is scheduled at that time
 * @cc: congestion control
 * @pace: departure times
 * @pace_ns: the pacer allows more then, 0 it does not wait
 * @cnp_ns: of the last CNP sent, 0 none
 */
struct core {
	struct endpoint ep;
	struct croce_req req;
	struct croce_resp resp;
	struct croce_wqe *ring;
	struct croce_replay *replay;
	struct frame *backlog;
	struct frame **last;
	u64 turn_ns;
	bool retry_local;
	bool rqe_valid;
	bool fatal;
	bool is_error;
	bool is_held;
	u64 wake_ns;
	struct croce_cc cc;
	struct croce_pace pace;
	u64 pace_ns;
	u64 cnp_ns;
};

bool core_queue_is_full(struct core *core);

/* The responder; core_respond() tells whether there is more to do. */
void core_on_request(struct core *core, const struct croce_pkt *pkt,
		     const u8 *bytes);
bool core_respond(struct core *core);

/* The requester; core_request() tells whether there is more to do. */
void core_on_response(struct core *core, const struct croce_pkt *pkt,
		      const u8 *bytes);
void core_on_timer(struct core *core);
bool core_request(struct core *core);

/* Congestion control and pacing. */
void core_cc_start(struct core *core);
u32 core_cc_room(struct core *core, u32 max_pkts);
bool core_cc_allows(const struct core *core, struct croce_req_run *run,
		    u32 room);
bool core_cc_limits_responses(const struct core *core);
void core_cc_on_sent(struct core *core, u32 pkts, u32 bytes);
void core_cc_on_record(struct core *core, const struct croce_comp_record *rec);
void core_cc_on_mark(struct core *core, const struct croce_pkt *pkt);
void core_cc_on_cnp(struct core *core);

#endif /* SIM_CORE_H */
