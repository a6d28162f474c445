/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Responder: what a request means, what is owed for it, and in which order
 * that is sent.
 *
 * A request is handled in two steps. croce_resp_decide() looks at the packet
 * and changes nothing. The caller then does what the decision asks for (takes
 * a receive WQE, checks the R_Key, places the payload) and reports the
 * outcome with croce_resp_accept() or croce_resp_refuse(). What is owed to
 * the requester afterwards - responses in PSN order, then one acknowledgement
 * for everything - comes out of croce_resp_next().
 */
#ifndef CROCE_CORE_RESP_H
#define CROCE_CORE_RESP_H

#include "../wire/env.h"
#include "../wire/parse.h"

/**
 * enum croce_resp_verdict - what to do with a request
 * @CROCE_RESP_DROP: nothing
 * @CROCE_RESP_EXECUTE: execute, then croce_resp_accept() or _refuse()
 * @CROCE_RESP_DUPLICATE: was executed; what it is owed is owed again
 * @CROCE_RESP_OUT_OF_ORDER: ahead of the expected PSN; a NAK may be owed
 * @CROCE_RESP_INVALID: breaks the protocol: refuse with CROCE_NAK_INV_REQ
 */
enum croce_resp_verdict {
	CROCE_RESP_DROP,
	CROCE_RESP_EXECUTE,
	CROCE_RESP_DUPLICATE,
	CROCE_RESP_OUT_OF_ORDER,
	CROCE_RESP_INVALID,
};

/**
 * enum croce_resp_class - what executing means
 * @CROCE_RESP_SEND: payload into a receive WQE
 * @CROCE_RESP_WRITE: payload to va/rkey of the record
 * @CROCE_RESP_READ: nothing to place; check va/rkey for reading
 * @CROCE_RESP_ATOMIC: CmpSwap or FetchAdd at va/rkey
 * @CROCE_RESP_ATOMIC_WRITE: 8 bytes of payload, in one access, to va/rkey
 * @CROCE_RESP_FLUSH: make the range va/rkey visible
 */
enum croce_resp_class {
	CROCE_RESP_SEND,
	CROCE_RESP_WRITE,
	CROCE_RESP_READ,
	CROCE_RESP_ATOMIC,
	CROCE_RESP_ATOMIC_WRITE,
	CROCE_RESP_FLUSH,
};

/**
 * struct croce_resp_record - decision about one request packet
 * @verdict: enum croce_resp_verdict
 * @class: enum croce_resp_class
 * @takes_rqe: a receive WQE is needed now (first SEND packet, or immediate)
 * @completes_rqe: the receive WQE is finished by this packet
 * @first: first packet of the message: check the R_Key for all of @dma_len
 * @last: last packet of the message
 * @offset: payload bytes of the message before this packet
 * @length: payload bytes of this packet
 * @rkey: remote key the requester named
 * @dma_len: length the requester named (first packet and READ)
 * @va: where this packet's payload goes (or comes from)
 */
struct croce_resp_record {
	u8 verdict;
	u8 class;
	bool takes_rqe;
	bool completes_rqe;
	bool first;
	bool last;
	u32 offset;
	u32 length;
	u32 rkey;
	u32 dma_len;
	u64 va;
};

/**
 * struct croce_replay - a request that is answered by a response
 *
 * Kept after it was answered, until newer ones take its place, so that a
 * duplicate gets the same answer (IBA 9.7.5.1.5).
 *
 * @va: address (READ)
 * @orig: result (atomics)
 * @first_psn: PSN of the request and first PSN of the response
 * @next_psn: first PSN after the response
 * @tx_psn: next response packet to send
 * @end_psn: where sending stops; before @next_psn only for a partial repeat
 * @base_psn: PSN that @va and @length count from
 * @rkey: remote key (READ)
 * @srqn: XRC SRQ that the request named, else 0
 * @length: bytes asked for (READ)
 * @msn: message sequence number of the response
 * @class: enum croce_resp_class
 * @syndrome: of the NAK that is owed in place of the packets, or 0
 * @pending: response packets are owed
 * @repeat: they are owed because of a duplicate
 */
struct croce_replay {
	u64 va;
	u64 orig;
	u32 first_psn;
	u32 next_psn;
	u32 tx_psn;
	u32 end_psn;
	u32 base_psn;
	u32 rkey;
	u32 srqn;
	u32 length;
	u32 msn;
	u8 class;
	u8 syndrome;
	bool pending;
	bool repeat;
};

/**
 * struct croce_resp_config - fixed at the transition to RTR
 * @mtu: path MTU in bytes
 * @reliable: RC and XRC; false for UC
 */
struct croce_resp_config {
	u32 mtu;
	bool reliable;
};

/**
 * struct croce_resp - state of the responder
 * @cfg: configuration
 * @replay: ring of requests with a response, owned by the caller
 * @replay_slots: their number, max_dest_rd_atomic; may be 0
 * @replay_prod: next slot to fill
 * @replay_pending: entries of @replay with pending set
 * @epsn: expected PSN
 * @msn: message sequence number
 * @active: the QP is in RTR or later and not in error
 * @in_message: a SEND or WRITE has begun and not ended
 * @class: of that message
 * @skip: UC: the rest of a broken message is being skipped
 * @nak_sent: a NAK for @epsn was given; later packets get none
 * @dropped_psn: the farthest packet that was dropped since a sequence NAK
 * @ack_owed: an acknowledgement is owed
 * @ack_syndrome: its syndrome
 * @ack_before_psn: a positive one covers everything before this PSN
 * @offset: payload bytes of the message so far
 * @dma_len: length of a WRITE as its RETH said
 * @rkey: key of a WRITE
 * @srqn: XRC SRQ that the message names, else 0
 * @va: address of a WRITE
 */
struct croce_resp {
	struct croce_resp_config cfg;
	struct croce_replay *replay;
	u32 replay_slots;
	u32 replay_prod;
	u32 replay_pending;
	u32 epsn;
	u32 dropped_psn;
	u32 msn;
	bool active;
	bool in_message;
	u8 class;
	bool skip;
	bool nak_sent;
	bool ack_owed;
	u8 ack_syndrome;
	u32 ack_before_psn;
	u32 offset;
	u32 dma_len;
	u32 rkey;
	u32 srqn;
	u64 va;
};

/**
 * enum croce_resp_tx - kinds of packets a responder sends
 * @CROCE_RESP_TX_NONE: nothing is owed
 * @CROCE_RESP_TX_READ: READ response packets
 * @CROCE_RESP_TX_ATOMIC: one Atomic Acknowledge
 * @CROCE_RESP_TX_ACK: one Acknowledge, positive or negative
 */
enum croce_resp_tx {
	CROCE_RESP_TX_NONE,
	CROCE_RESP_TX_READ,
	CROCE_RESP_TX_ATOMIC,
	CROCE_RESP_TX_ACK,
};

/**
 * struct croce_resp_run - the next packets owed
 * @tx: enum croce_resp_tx
 * @syndrome: of the AETH
 * @slot: replay slot, U32_MAX for an Acknowledge of no response
 * @psn: of the first packet
 * @npkts: packets
 * @msn: of the AETH
 * @rkey: READ: where the bytes come from
 * @srqn: READ: XRC SRQ that the request named, else 0
 * @length: READ: bytes
 * @va: READ: where the bytes come from
 * @orig: atomic: result
 * @first: READ: the run starts the response
 * @last: READ: the run ends the response
 */
struct croce_resp_run {
	u8 tx;
	u8 syndrome;
	bool first;
	bool last;
	u32 slot;
	u32 psn;
	u32 npkts;
	u32 msn;
	u32 rkey;
	u32 srqn;
	u32 length;
	u64 va;
	u64 orig;
};

void croce_resp_init(struct croce_resp *resp);
void croce_resp_start(struct croce_resp *resp,
		      const struct croce_resp_config *cfg,
		      struct croce_replay *replay, u32 slots, u32 epsn);
struct croce_resp_record croce_resp_decide(const struct croce_resp *resp,
					   const struct croce_pkt *pkt);
void croce_resp_accept(struct croce_resp *resp, const struct croce_pkt *pkt,
		       const struct croce_resp_record *rec, u64 orig);
void croce_resp_refuse(struct croce_resp *resp, u8 syndrome);
void croce_resp_repeat(struct croce_resp *resp, const struct croce_pkt *pkt);
void croce_resp_on_gap(struct croce_resp *resp, const struct croce_pkt *pkt);
void croce_resp_stop(struct croce_resp *resp);
bool croce_resp_owes(const struct croce_resp *resp);
struct croce_resp_run croce_resp_next(const struct croce_resp *resp,
				      u32 max_pkts);
void croce_resp_on_sent(struct croce_resp *resp,
			const struct croce_resp_run *run);
bool croce_resp_abandon(struct croce_resp *resp,
			const struct croce_resp_run *run, u8 syndrome);
u8 croce_resp_opcode(const struct croce_resp_run *run, u32 i);

#endif /* CROCE_CORE_RESP_H */
