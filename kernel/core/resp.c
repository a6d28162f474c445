// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder (IBA 9.7.4 to 9.7.5.1; UC: 9.8.3; XRC: Annex A14).
 */
#include "resp.h"
#include "psn.h"
#include "../wire/aeth.h"
#include "../wire/opcode.h"

/* Credits of the end-to-end flow control: none given, 31 says so. */
#define SYNDROME_ACK	croce_aeth_ack(CROCE_CREDIT_UNLIMITED)
#define SYNDROME_SEQ_NAK croce_aeth_nak(CROCE_NAK_PSN_SEQ)

/**
 * croce_resp_init - responder of a QP that is not ready to receive
 * @resp: to initialise
 *
 * Context: any; the caller owns @resp.
 */
void croce_resp_init(struct croce_resp *resp)
{
	memset(resp, 0, sizeof(*resp));
}

/**
 * croce_resp_start - begin at the expected PSN (transition to RTR)
 * @resp: responder
 * @cfg: configuration, copied
 * @replay: memory for @slots requests, owned by the caller; cleared
 * @slots: max_dest_rd_atomic, may be 0
 * @epsn: rq_psn of the QP
 *
 * Context: any; the caller owns @resp.
 */
void croce_resp_start(struct croce_resp *resp,
		      const struct croce_resp_config *cfg,
		      struct croce_replay *replay, u32 slots, u32 epsn)
{
	croce_resp_init(resp);
	if (slots)
		memset(replay, 0, slots * sizeof(*replay));
	resp->cfg = *cfg;
	resp->replay = replay;
	resp->replay_slots = slots;
	resp->epsn = epsn;
	resp->active = true;
}

/* Longest message (IBA 9.3.3.1). */
#define MAX_MESSAGE	0x80000000U

static void set_pending(struct croce_resp *resp, struct croce_replay *entry,
			bool pending)
{
	if (entry->pending == pending)
		return;
	entry->pending = pending;
	resp->replay_pending += pending ? 1 : -1;
}

static u8 class_of(u32 flags)
{
	if (flags & CROCE_OPF_SEND)
		return CROCE_RESP_SEND;
	if (flags & CROCE_OPF_WRITE)
		return CROCE_RESP_WRITE;
	if (flags & CROCE_OPF_READ_REQ)
		return CROCE_RESP_READ;
	if (flags & CROCE_OPF_ATOMIC)
		return CROCE_RESP_ATOMIC;
	if (flags & CROCE_OPF_ATOMIC_WRITE)
		return CROCE_RESP_ATOMIC_WRITE;
	return CROCE_RESP_FLUSH;
}

/* First and only begin, middle and last continue what has begun, and all of
 * them name the same XRC SRQ.
 */
static bool sequence_fits(const struct croce_resp *resp, u32 flags,
			  const struct croce_pkt *pkt, u8 class)
{
	bool begins = !(flags & (CROCE_OPF_MIDDLE | CROCE_OPF_LAST));

	if (begins)
		return !resp->in_message;
	return resp->in_message && resp->class == class &&
	       resp->srqn == pkt->xrc_srqn;
}

/* Payload against path MTU and, for a WRITE, against the announced length. */
static bool length_fits(const struct croce_resp *resp, u32 flags,
			const struct croce_pkt *pkt,
			const struct croce_resp_record *rec)
{
	u32 mtu = resp->cfg.mtu;

	if (flags & (CROCE_OPF_FIRST | CROCE_OPF_MIDDLE)) {
		if (pkt->payload_len != mtu)
			return false;
	} else if (pkt->payload_len > mtu) {
		return false;
	}
	if (rec->class == CROCE_RESP_SEND)
		return (u64)rec->offset + pkt->payload_len <= MAX_MESSAGE;
	if (rec->dma_len > MAX_MESSAGE)
		return false;
	if (rec->class != CROCE_RESP_WRITE)
		return true;
	if (rec->last)
		return rec->offset + pkt->payload_len == rec->dma_len;
	return (u64)rec->offset + pkt->payload_len < rec->dma_len;
}

static void fill_record(const struct croce_resp *resp, u32 flags,
			const struct croce_pkt *pkt,
			struct croce_resp_record *rec)
{
	rec->class = class_of(flags);
	rec->first = !(flags & (CROCE_OPF_MIDDLE | CROCE_OPF_LAST));
	rec->last = !(flags & (CROCE_OPF_FIRST | CROCE_OPF_MIDDLE));
	rec->length = pkt->payload_len;
	if (rec->first) {
		rec->va = pkt->va;
		rec->rkey = pkt->rkey;
		rec->dma_len = pkt->dma_len;
	} else {
		rec->offset = resp->offset;
		rec->va = resp->va + resp->offset;
		rec->rkey = resp->rkey;
		rec->dma_len = resp->dma_len;
	}
	rec->takes_rqe = rec->class == CROCE_RESP_SEND ? rec->first :
			 !!(flags & CROCE_OPF_IMM);
	rec->completes_rqe = rec->class == CROCE_RESP_SEND ? rec->last :
			     !!(flags & CROCE_OPF_IMM);
}

/* One more than the slots may only come once the oldest was answered. A repeat
 * of that answer which is still to be sent is not needed then.
 */
static bool has_room_for_response(const struct croce_resp *resp, u8 class)
{
	const struct croce_replay *oldest;

	if (class < CROCE_RESP_READ)
		return true;
	if (!resp->replay_slots)
		return false;
	oldest = &resp->replay[resp->replay_prod];
	return !oldest->pending || oldest->repeat;
}

static void decide_uc(const struct croce_resp *resp, u32 flags,
		      const struct croce_pkt *pkt,
		      struct croce_resp_record *rec)
{
	bool in_order = pkt->psn == resp->epsn && !resp->skip;

	if (rec->class >= CROCE_RESP_READ)
		return;
	/* IBA 9.8.3: after a loss only the beginning of a message is good. */
	if (!rec->first && !(in_order && sequence_fits(resp, flags, pkt,
						       rec->class))) {
		rec->verdict = CROCE_RESP_OUT_OF_ORDER;
		return;
	}
	rec->verdict = length_fits(resp, flags, pkt, rec) ?
		       CROCE_RESP_EXECUTE : CROCE_RESP_OUT_OF_ORDER;
}

/**
 * croce_resp_decide - what to do with a request
 * @resp: responder
 * @pkt: parsed packet with an opcode that is a request
 *
 * Return: the decision. Context: any; the caller owns @resp.
 */
struct croce_resp_record croce_resp_decide(const struct croce_resp *resp,
					   const struct croce_pkt *pkt)
{
	struct croce_resp_record rec = { .verdict = CROCE_RESP_DROP };
	u32 flags = croce_opcode_info(pkt->opcode)->flags;
	s32 ahead = croce_psn_diff(pkt->psn, resp->epsn);

	if (!resp->active)
		return rec;
	fill_record(resp, flags, pkt, &rec);
	if (!resp->cfg.reliable) {
		decide_uc(resp, flags, pkt, &rec);
		return rec;
	}
	if (ahead > 0)
		rec.verdict = CROCE_RESP_OUT_OF_ORDER;
	else if (ahead < 0)
		rec.verdict = CROCE_RESP_DUPLICATE;
	else if (!sequence_fits(resp, flags, pkt, rec.class) ||
		 !length_fits(resp, flags, pkt, &rec) ||
		 !has_room_for_response(resp, rec.class))
		rec.verdict = CROCE_RESP_INVALID;
	else
		rec.verdict = CROCE_RESP_EXECUTE;
	return rec;
}

static void owe_response(struct croce_resp *resp, const struct croce_pkt *pkt,
			 const struct croce_resp_record *rec, u32 npsn,
			 u64 orig)
{
	struct croce_replay *entry;

	entry = &resp->replay[resp->replay_prod++];
	if (resp->replay_prod == resp->replay_slots)
		resp->replay_prod = 0;
	entry->class = rec->class;
	entry->va = rec->va;
	entry->rkey = rec->rkey;
	entry->srqn = pkt->xrc_srqn;
	entry->length = rec->class == CROCE_RESP_READ ? rec->dma_len : 0;
	entry->orig = orig;
	entry->first_psn = pkt->psn;
	entry->next_psn = croce_psn_add(pkt->psn, npsn);
	entry->base_psn = pkt->psn;
	entry->tx_psn = pkt->psn;
	entry->end_psn = entry->next_psn;
	entry->msn = resp->msn;
	entry->syndrome = 0;
	entry->repeat = false;
	set_pending(resp, entry, true);
	/* The response says everything an ACK of before would. */
	if (!resp->nak_sent)
		resp->ack_owed = false;
}

static void continue_message(struct croce_resp *resp,
			     const struct croce_pkt *pkt,
			     const struct croce_resp_record *rec)
{
	resp->in_message = !rec->last;
	resp->class = rec->class;
	resp->srqn = pkt->xrc_srqn;
	resp->offset = rec->last ? 0 : rec->offset + rec->length;
	if (rec->first) {
		resp->va = rec->va;
		resp->rkey = rec->rkey;
		resp->dma_len = rec->dma_len;
	}
}

/* What was said for the expected PSN of before. A sequence NAK that has not
 * gone out yet stays when the gap is filled only in part.
 */
static void settle_nak(struct croce_resp *resp)
{
	bool still_gap = resp->ack_owed &&
			 resp->ack_syndrome == SYNDROME_SEQ_NAK &&
			 croce_psn_diff(resp->dropped_psn, resp->epsn) >= 0;

	resp->nak_sent = still_gap;
	if (!still_gap)
		resp->ack_syndrome = SYNDROME_ACK;
}

/**
 * croce_resp_accept - the request was executed
 * @resp: responder
 * @pkt: the packet
 * @rec: its decision, with verdict CROCE_RESP_EXECUTE
 * @orig: result of an atomic operation
 *
 * Context: any; the caller owns @resp.
 */
void croce_resp_accept(struct croce_resp *resp, const struct croce_pkt *pkt,
		       const struct croce_resp_record *rec, u64 orig)
{
	u32 npsn = 1;

	if (rec->class == CROCE_RESP_READ)
		npsn = croce_psn_count(rec->dma_len, resp->cfg.mtu);
	resp->epsn = croce_psn_add(pkt->psn, npsn);
	settle_nak(resp);
	resp->skip = false;
	if (rec->last)
		resp->msn = croce_psn_add(resp->msn, 1);
	if (rec->class >= CROCE_RESP_READ) {
		owe_response(resp, pkt, rec, npsn, orig);
		return;
	}
	continue_message(resp, pkt, rec);
	resp->ack_before_psn = resp->epsn;
	if (resp->cfg.reliable && pkt->ackreq)
		resp->ack_owed = true;
}

/**
 * croce_resp_refuse - the request was not executed
 * @resp: responder
 * @syndrome: RNR NAK or NAK of the AETH
 *
 * The expected PSN stays; after anything but an RNR NAK the caller moves the
 * QP to error once croce_resp_next() has nothing left.
 *
 * Context: any; the caller owns @resp.
 */
void croce_resp_refuse(struct croce_resp *resp, u8 syndrome)
{
	resp->nak_sent = true;
	if (!resp->cfg.reliable) {
		resp->skip = true;
		resp->in_message = false;
		return;
	}
	resp->ack_owed = true;
	resp->ack_syndrome = syndrome;
	if (croce_aeth_kind(syndrome) != CROCE_AETH_RNR)
		resp->active = false;
}

/* Newest first: PSNs wrap, and old entries stay where READs are rare. */
static struct croce_replay *find_replay(const struct croce_resp *resp, u32 psn)
{
	u32 i;

	for (i = 1; i <= resp->replay_slots; i++) {
		u32 slot = resp->replay_prod + resp->replay_slots - i;
		struct croce_replay *entry;

		entry = &resp->replay[slot % resp->replay_slots];

		if (entry->first_psn != entry->next_psn &&
		    croce_psn_in(psn, entry->first_psn, entry->next_psn))
			return entry;
	}
	return NULL;
}

static void owe_again(struct croce_resp *resp, struct croce_replay *entry)
{
	entry->syndrome = 0;
	entry->repeat = true;
	set_pending(resp, entry, true);
}

/* A partial repeat names its own address and length (IBA 9.7.5.1.9). */
static void repeat_read(struct croce_resp *resp,
			struct croce_replay *entry,
			const struct croce_pkt *pkt)
{
	u32 npsn = croce_psn_count(pkt->dma_len, resp->cfg.mtu);
	u32 left = (entry->next_psn - pkt->psn) & CROCE_PSN_MASK;

	if (npsn > left)
		return;
	entry->va = pkt->va;
	entry->rkey = pkt->rkey;
	entry->srqn = pkt->xrc_srqn;
	entry->length = pkt->dma_len;
	entry->base_psn = pkt->psn;
	entry->tx_psn = pkt->psn;
	entry->end_psn = croce_psn_add(pkt->psn, npsn);
	owe_again(resp, entry);
}

/*
 * A requester that went back has thrown away the responses behind the point it
 * went back to. An ACK at or beyond such a request would complete it without
 * its data, so a repeated ACK stops before the first one.
 */
static void acknowledge_again(struct croce_resp *resp, u32 psn)
{
	u32 limit = resp->epsn;
	u32 i;

	/* A NAK that is still owed says more than a repeated ACK. */
	if (resp->ack_owed && resp->ack_syndrome != SYNDROME_ACK)
		return;
	for (i = 0; i < resp->replay_slots; i++) {
		const struct croce_replay *entry = &resp->replay[i];

		if (entry->first_psn != entry->next_psn &&
		    croce_psn_diff(entry->first_psn, psn) > 0 &&
		    croce_psn_diff(entry->first_psn, limit) < 0)
			limit = entry->first_psn;
	}
	resp->ack_owed = true;
	resp->ack_syndrome = SYNDROME_ACK;
	resp->ack_before_psn = limit;
}

/**
 * croce_resp_repeat - a request was executed before: owe its answer again
 * @resp: responder
 * @pkt: the packet, with verdict CROCE_RESP_DUPLICATE
 *
 * SEND and WRITE are acknowledged again, a READ is read again, an atomic gets
 * its saved result (IBA 9.7.4.4). A request that left the replay ring is
 * ignored: the requester has its answer already.
 *
 * Context: any; the caller owns @resp.
 */
void croce_resp_repeat(struct croce_resp *resp, const struct croce_pkt *pkt)
{
	u32 flags = croce_opcode_info(pkt->opcode)->flags;
	u8 class = class_of(flags);
	struct croce_replay *entry;

	if (class < CROCE_RESP_READ) {
		acknowledge_again(resp, pkt->psn);
		return;
	}
	entry = find_replay(resp, pkt->psn);
	if (!entry || entry->class != class)
		return;
	if (class == CROCE_RESP_READ) {
		repeat_read(resp, entry, pkt);
	} else if (entry->first_psn == pkt->psn) {
		entry->tx_psn = entry->first_psn;
		owe_again(resp, entry);
	}
}

/**
 * croce_resp_on_gap - packets before this one are missing
 * @resp: responder
 * @pkt: the packet, with verdict CROCE_RESP_OUT_OF_ORDER
 *
 * RC: one sequence NAK for each gap (IBA 9.7.5.2.8). UC: the message under way
 * is lost, the caller keeps its receive WQE for the next one.
 *
 * Context: any; the caller owns @resp.
 */
void croce_resp_on_gap(struct croce_resp *resp, const struct croce_pkt *pkt)
{
	if (!resp->cfg.reliable) {
		resp->skip = true;
		resp->in_message = false;
		resp->offset = 0;
		resp->epsn = croce_psn_add(pkt->psn, 1);
		return;
	}
	if (!resp->nak_sent || croce_psn_diff(pkt->psn, resp->dropped_psn) > 0)
		resp->dropped_psn = pkt->psn;
	if (resp->nak_sent)
		return;
	resp->nak_sent = true;
	resp->ack_owed = true;
	resp->ack_syndrome = SYNDROME_SEQ_NAK;
}

/* Oldest first. */
static u32 pending_slot(const struct croce_resp *resp)
{
	u32 i, slot;

	if (!resp->replay_pending)
		return U32_MAX;
	for (i = 0; i < resp->replay_slots; i++) {
		slot = (resp->replay_prod + i) % resp->replay_slots;
		if (resp->replay[slot].pending)
			return slot;
	}
	return U32_MAX;
}

/**
 * croce_resp_owes - is there anything to send?
 * @resp: responder
 *
 * Return: true when croce_resp_next() has an answer.
 * Context: any; the caller owns @resp.
 */
bool croce_resp_owes(const struct croce_resp *resp)
{
	return resp->ack_owed || resp->replay_pending;
}

static void plan_read(const struct croce_resp *resp,
		      const struct croce_replay *entry, u32 max_pkts,
		      struct croce_resp_run *run)
{
	u32 index = (run->psn - entry->base_psn) & CROCE_PSN_MASK;
	u32 left = (entry->end_psn - run->psn) & CROCE_PSN_MASK;
	u32 offset = index * resp->cfg.mtu;

	run->tx = CROCE_RESP_TX_READ;
	run->npkts = min(left, max_pkts);
	run->first = !index;
	run->last = run->npkts == left;
	run->va = entry->va + offset;
	run->rkey = entry->rkey;
	run->srqn = entry->srqn;
	run->length = (u32)min_t(u64, (u64)run->npkts * resp->cfg.mtu,
				 entry->length - offset);
}

/**
 * croce_resp_next - decide what to send next
 * @resp: responder
 * @max_pkts: packets of one run at most, at least 1
 *
 * Return: the run; CROCE_RESP_TX_NONE when nothing is owed.
 * Context: any; the caller owns @resp.
 */
struct croce_resp_run croce_resp_next(const struct croce_resp *resp,
				      u32 max_pkts)
{
	struct croce_resp_run run = { .syndrome = SYNDROME_ACK };
	const struct croce_replay *entry;

	run.slot = pending_slot(resp);
	if (run.slot == U32_MAX) {
		if (!resp->ack_owed)
			return run;
		run.tx = CROCE_RESP_TX_ACK;
		run.syndrome = resp->ack_syndrome;
		/* An ACK names the last PSN executed, a NAK the expected one. */
		run.psn = croce_aeth_kind(run.syndrome) == CROCE_AETH_ACK ?
			  croce_psn_add(resp->ack_before_psn, -1) :
			  resp->epsn;
		run.msn = resp->msn;
		run.npkts = 1;
		return run;
	}
	entry = &resp->replay[run.slot];
	run.psn = entry->tx_psn;
	run.msn = entry->msn;
	if (entry->syndrome) {
		run.tx = CROCE_RESP_TX_ACK;
		run.syndrome = entry->syndrome;
		run.npkts = 1;
	} else if (entry->class == CROCE_RESP_ATOMIC) {
		run.tx = CROCE_RESP_TX_ATOMIC;
		run.orig = entry->orig;
		run.npkts = 1;
	} else {
		plan_read(resp, entry, max_pkts, &run);
	}
	return run;
}

/**
 * croce_resp_on_sent - the run was handed to the network
 * @resp: responder
 * @run: the answer of croce_resp_next() just before
 *
 * Context: any; the caller owns @resp.
 */
void croce_resp_on_sent(struct croce_resp *resp,
			const struct croce_resp_run *run)
{
	struct croce_replay *entry;

	if (run->slot == U32_MAX) {
		resp->ack_owed = false;
		return;
	}
	entry = &resp->replay[run->slot];
	entry->tx_psn = croce_psn_add(run->psn, run->npkts);
	if (run->tx != CROCE_RESP_TX_READ || run->last)
		set_pending(resp, entry, false);
}

/**
 * croce_resp_abandon - a response cannot be produced (key gone, page gone)
 * @resp: responder
 * @run: the answer of croce_resp_next() just before
 * @syndrome: NAK to give instead
 *
 * The NAK carries the PSN of the response that is missing, so that the
 * requester fails the right request and does not ask for ever. Where the
 * response is a repeat, the requester may have had it long ago and its memory
 * may have been taken back since: to the requester the NAK is a ghost then, and
 * nothing else changes.
 *
 * Return: true when the QP goes to error once croce_resp_next() has nothing
 * left. Context: any; the caller owns @resp.
 */
bool croce_resp_abandon(struct croce_resp *resp,
			const struct croce_resp_run *run, u8 syndrome)
{
	struct croce_replay *entry = &resp->replay[run->slot];
	u32 i;

	if (entry->repeat) {
		entry->syndrome = syndrome;
		return false;
	}
	for (i = 0; i < resp->replay_slots; i++)
		set_pending(resp, &resp->replay[i], false);
	resp->epsn = run->psn;
	croce_resp_refuse(resp, syndrome);
	return true;
}

/**
 * croce_resp_stop - the QP goes to error: accept nothing, owe nothing
 * @resp: responder
 *
 * Context: any; the caller owns @resp.
 */
void croce_resp_stop(struct croce_resp *resp)
{
	u32 i;

	resp->active = false;
	resp->ack_owed = false;
	for (i = 0; i < resp->replay_slots; i++)
		set_pending(resp, &resp->replay[i], false);
}

/**
 * croce_resp_opcode - RC opcode of one packet of a run
 * @run: the run
 * @i: packet, counted from 0
 *
 * Return: the opcode with the RC transport prefix; XRC replaces it.
 * Context: any.
 */
u8 croce_resp_opcode(const struct croce_resp_run *run, u32 i)
{
	bool first = run->first && i == 0;
	bool last = run->last && i + 1 == run->npkts;

	if (run->tx == CROCE_RESP_TX_ACK)
		return CROCE_OP_RC_ACK;
	if (run->tx == CROCE_RESP_TX_ATOMIC)
		return CROCE_OP_RC_ATOMIC_ACK;
	if (first)
		return last ? CROCE_OP_RC_READ_RESP_ONLY :
			      CROCE_OP_RC_READ_RESP_FIRST;
	return last ? CROCE_OP_RC_READ_RESP_LAST :
		      CROCE_OP_RC_READ_RESP_MIDDLE;
}
