/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requester and completer: one sliding window over the send queue.
 *
 *     cons                 send                 prod       (WQEs)
 *      |  sent, not done    |   validated        |
 *   ---+--------------------+--------------------+--->
 *      una_psn          send_psn            next_psn       (PSNs)
 *       oldest not         next packet        first never
 *       acknowledged       to send            sent
 *
 * send_psn falls back to una_psn when something was lost (go-back-N), and
 * catches up with next_psn. Everything here is a transition of struct
 * croce_req under an event; the caller owns the object and does the effects.
 */
#ifndef CROCE_CORE_REQ_H
#define CROCE_CORE_REQ_H

#include "../wire/env.h"
#include "../wire/parse.h"
#include "wqe.h"

/* Bounds of the window in packets; see Documentation/protocol.rst. */
#define CROCE_REQ_WINDOW_MIN	1U
#define CROCE_REQ_WINDOW_MAX	256U
/* A loss that the peer reported leaves so much. */
#define CROCE_REQ_WINDOW_LOSS	16U
/* An AckReq at the end of the run that makes so many packets without one. */
#define CROCE_REQ_ACK_FREQ	64U
/* Response packets asked for by one READ request; a long READ is several. */
#define CROCE_REQ_READ_CHUNK	64U
/* Bounds of the early retransmission timer (roce_adp_retrans). */
#define CROCE_REQ_RTO_MIN_NS	(4 * 1000 * 1000ULL)
#define CROCE_REQ_RTO_INIT_NS	(20 * 1000 * 1000ULL)

/**
 * enum croce_req_state - may the requester send?
 * @CROCE_REQ_OFF: QP not in RTS
 * @CROCE_REQ_RUN: yes
 * @CROCE_REQ_DRAIN: SQD: finish what was begun, begin nothing
 * @CROCE_REQ_ERROR: never again
 */
enum croce_req_state {
	CROCE_REQ_OFF,
	CROCE_REQ_RUN,
	CROCE_REQ_DRAIN,
	CROCE_REQ_ERROR,
};

/**
 * struct croce_req_config - fixed at the transitions to RTR and RTS
 * @mtu: path MTU in bytes
 * @max_rd_atomic: READ and atomic requests outstanding at most
 * @retry_cnt: retransmissions after a timeout or sequence NAK, 0..7
 * @rnr_retry: retransmissions after an RNR NAK, 7 without end
 * @timeout_ns: between two regular expiries of the timer, or 0 for never; early
 *	retransmissions come before the first, while their step is half of it
 * @reliable: RC and XRC; false for UC, where a packet sent is a packet done
 */
struct croce_req_config {
	u32 mtu;
	u32 max_rd_atomic;
	u8 retry_cnt;
	u8 rnr_retry;
	u64 timeout_ns;
	bool reliable;
};

/**
 * struct croce_req - state of requester and completer
 * @cfg: configuration
 * @ring: private images, @mask + 1 of them
 * @mask: slots - 1
 * @state: enum croce_req_state
 * @retries: timeouts and sequence NAKs left
 * @rnr_retries: RNR NAKs left
 * @early: in the early retransmission phase of the current loss
 * @recovering: a retransmission was started and nothing came back since
 * @rnr_wait: the peer is not ready: nothing is sent before @deadline_ns
 * @rtt_armed: @rtt_psn is being timed
 * @cons: oldest incomplete WQE
 * @send: WQE that @send_psn belongs to
 * @prod: first WQE not validated yet
 * @una_psn: oldest unacknowledged
 * @send_psn: next to send
 * @next_psn: first never sent
 * @rd_atomic: READ and atomic requests outstanding
 * @unasked: packets sent since the last AckReq
 * @window: packets outstanding at most
 * @slow_start: until it has this size, @window grows with each packet
 *	acknowledged
 * @credit: acknowledged packets not yet turned into @window
 * @deadline_ns: when croce_req_on_timer() is due, 0 never
 * @rtt_psn: packet with AckReq that was sent once, at @rtt_start_ns
 * @rtt_start_ns: see @rtt_psn
 * @srtt_ns: smoothed time from AckReq to ACK, 0 unknown
 * @rto_ns: current early retransmission timer
 * @rnr_since_ns: when the peer first was not ready for @una_psn, 0 it was
 */
struct croce_req {
	struct croce_req_config cfg;
	struct croce_wqe *ring;
	u32 mask;
	u8 state;
	u8 retries;
	u8 rnr_retries;
	bool early;
	bool recovering;
	bool rnr_wait;
	bool rtt_armed;
	u32 cons;
	u32 send;
	u32 prod;
	u32 una_psn;
	u32 send_psn;
	u32 next_psn;
	u32 rd_atomic;
	u32 unasked;
	u32 window;
	u32 slow_start;
	u32 credit;
	u32 rtt_psn;
	u64 rtt_start_ns;
	u64 deadline_ns;
	u64 srtt_ns;
	u64 rto_ns;
	u64 rnr_since_ns;
};

/**
 * enum croce_req_verdict - what the requester wants next
 * @CROCE_REQ_IDLE: nothing: no WQE, or not allowed to send
 * @CROCE_REQ_BLOCKED: a WQE waits for an acknowledgement or response
 * @CROCE_REQ_SEND: send the packets of the run
 * @CROCE_REQ_LOCAL: perform the local operation of the WQE
 */
enum croce_req_verdict {
	CROCE_REQ_IDLE,
	CROCE_REQ_BLOCKED,
	CROCE_REQ_SEND,
	CROCE_REQ_LOCAL,
};

/**
 * struct croce_req_run - the next packets of one WQE
 * @verdict: enum croce_req_verdict; the rest means something with
 *	CROCE_REQ_SEND and CROCE_REQ_LOCAL
 * @ackreq: the last packet asks for an acknowledgement
 * @wqe: index of the WQE
 * @psn: of the first packet
 * @npsn: PSNs the run takes (READ: those of the response)
 * @npkts: packets to send
 * @offset: payload bytes of the message before the run
 * @length: payload bytes of the run (READ: bytes asked for)
 */
struct croce_req_run {
	u8 verdict;
	bool ackreq;
	u32 wqe;
	u32 psn;
	u32 npsn;
	u32 npkts;
	u32 offset;
	u32 length;
};

/**
 * enum croce_comp_verdict - what a response means
 * @CROCE_COMP_DROP: nothing: old, or not ours
 * @CROCE_COMP_PROGRESS: more is acknowledged; reap and send
 * @CROCE_COMP_PLACE: put payload or atomic result, then reap and send
 * @CROCE_COMP_SEQ_NAK: sequence NAK, retransmission starts
 * @CROCE_COMP_RNR_NAK: RNR NAK, retransmission at the deadline
 * @CROCE_COMP_IMPLIED_NAK: a response was lost, retransmission starts
 * @CROCE_COMP_EARLY: timer: early retransmission starts
 * @CROCE_COMP_TIMEOUT: timer: retransmission starts
 * @CROCE_COMP_RESUME: timer: the RNR wait is over
 * @CROCE_COMP_ERROR: the WQE at cons has failed; the QP goes to error
 */
enum croce_comp_verdict {
	CROCE_COMP_DROP,
	CROCE_COMP_PROGRESS,
	CROCE_COMP_PLACE,
	CROCE_COMP_SEQ_NAK,
	CROCE_COMP_RNR_NAK,
	CROCE_COMP_IMPLIED_NAK,
	CROCE_COMP_EARLY,
	CROCE_COMP_TIMEOUT,
	CROCE_COMP_RESUME,
	CROCE_COMP_ERROR,
};

/**
 * struct croce_comp_record - decision of the completer
 * @verdict: enum croce_comp_verdict
 * @status: of the failed WQE, with CROCE_COMP_ERROR
 * @wqe: index of the WQE to place into, with CROCE_COMP_PLACE
 * @offset: byte of its scatter list to start at
 * @length: bytes to place; the atomic result counts 8
 * @acked: packets newly acknowledged
 * @rtt_ns: a fresh round-trip sample, or 0
 */
struct croce_comp_record {
	u8 verdict;
	u8 status;
	u32 wqe;
	u32 offset;
	u32 length;
	u32 acked;
	u64 rtt_ns;
};

void croce_req_init(struct croce_req *req, struct croce_wqe *ring, u32 slots);
void croce_req_start(struct croce_req *req, const struct croce_req_config *cfg,
		     u32 first_psn);
struct croce_wqe *croce_req_wqe(const struct croce_req *req, u32 index);
struct croce_req_run croce_req_next(struct croce_req *req, u32 max_pkts);
void croce_req_on_sent(struct croce_req *req, const struct croce_req_run *run,
		       u64 now_ns);
void croce_req_unsend(struct croce_req *req, u32 psn);
u8 croce_req_opcode(const struct croce_wqe *wqe,
		    const struct croce_req_run *run, u32 i);
struct croce_wqe *croce_req_reap(struct croce_req *req);
void croce_req_fail(struct croce_req *req, u32 index, u8 status);
bool croce_req_is_drained(const struct croce_req *req);

struct croce_comp_record croce_comp_on_packet(struct croce_req *req,
					      const struct croce_pkt *pkt,
					      u64 now_ns);
bool croce_comp_is_early(const struct croce_req *req, u32 flags, u32 psn);
struct croce_comp_record croce_req_on_timer(struct croce_req *req, u64 now_ns);

/* Shared by req.c and comp.c. */
void croce_req_rewind(struct croce_req *req);
void croce_req_arm(struct croce_req *req, u64 now_ns);
void croce_req_skip_sent(struct croce_req *req);
u32 croce_req_oldest(const struct croce_req *req);

#endif /* CROCE_CORE_REQ_H */
