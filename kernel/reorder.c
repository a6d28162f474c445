// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tolerance of reordering. A multi-queue path, two CPUs that send for one
 * queue pair, or netem exchange packets without losing any; go-back-N takes
 * each exchange for a loss and sends a whole window again. So a packet ahead
 * of the expected one is kept, and the NAK for the gap is given only when the
 * gap has lasted: REORDER_SKBS later ones, or REORDER_NS. Packets that are
 * kept are used when the gap closes, so that after a real loss the peer's
 * retransmission ends early. The peer needs to know nothing of this.
 */
#include <linux/ktime.h>
#include "recv.h"
#include "reorder.h"
#include "core/psn.h"

/* Later skbs that prove a loss. */
#define REORDER_SKBS	8
/* Packets ahead; more is no reordering but a ghost. */
#define REORDER_PSNS	1024
/* Skbs kept for one queue pair and direction. */
#define REORDER_MAX	128
/* Time that proves a loss; below the shortest retransmission timer. */
#define REORDER_NS	(1 * NSEC_PER_MSEC)

/**
 * croce_reorder_init - nothing is kept yet
 * @qp: new queue pair
 *
 * Context: any.
 */
void croce_reorder_init(struct croce_qp *qp)
{
	__skb_queue_head_init(&qp->early_requests);
	__skb_queue_head_init(&qp->early_responses);
}

static bool peek(const struct sk_buff *skb, u8 *opcode, u32 *psn)
{
	struct croce_bth buffer;
	const struct croce_bth *bth;

	bth = skb_header_pointer(skb, 0, sizeof(buffer), &buffer);
	if (!bth)
		return false;
	*opcode = bth->opcode;
	*psn = be32_to_cpu(bth->psn) & CROCE_PSN_MASK;
	return true;
}

static bool is_early(const struct croce_qp *qp, u32 flags, u32 psn)
{
	s32 ahead = croce_psn_diff(psn, qp->resp.epsn);

	if (flags & CROCE_OPF_REQUEST)
		return qp->resp.active && ahead > 0 && ahead < REORDER_PSNS;
	if (flags & CROCE_OPF_RESPONSE)
		return croce_comp_is_early(&qp->req, flags, psn);
	return false;
}

/* Sorted by PSN; true when there is none with this PSN yet. */
static bool insert(struct sk_buff_head *list, struct sk_buff *skb)
{
	u32 psn = croce_rx_cb(skb)->psn;
	struct sk_buff *at;

	skb_queue_reverse_walk(list, at) {
		s32 diff = croce_psn_diff(psn, croce_rx_cb(at)->psn);

		if (!diff)
			return false;
		if (diff > 0) {
			__skb_queue_after(list, at, skb);
			return true;
		}
	}
	__skb_queue_head(list, skb);
	return true;
}

static void prove_loss(struct croce_qp *qp, struct sk_buff_head *list)
{
	struct sk_buff *skb = skb_peek(list);
	struct croce_pkt pkt = { .psn = croce_rx_cb(skb)->psn };

	qp->early_ns = 0;
	if (list == &qp->early_requests) {
		croce_resp_on_gap(&qp->resp, &pkt);
		return;
	}
	/* The completer draws the conclusion from the packet itself. */
	__skb_unlink(skb, list);
	croce_recv_run(qp, skb);
}

/**
 * croce_reorder_hold - keep a packet if it came too early
 * @qp: queue pair
 * @skb: packet or run; consumed when the answer is true
 *
 * Return: true when it was kept (or dropped as a copy or as no packet of this
 * queue pair), false when it is the caller's to take in.
 * Context: owner of the QP's task.
 */
bool croce_reorder_hold(struct croce_qp *qp, struct sk_buff *skb)
{
	struct sk_buff_head *list;
	u8 opcode;
	u32 flags, psn;

	if (!croce_qp_is_reliable(qp) || !peek(skb, &opcode, &psn))
		return false;
	flags = croce_opcode_info(opcode)->flags;
	if (likely(!is_early(qp, flags, psn)))
		return false;
	if (croce_rx_cb(skb)->stalled)
		return false;
	list = flags & CROCE_OPF_REQUEST ? &qp->early_requests :
	       &qp->early_responses;
	if (skb_queue_len(list) >= REORDER_MAX ||
	    !croce_recv_verify(qp, skb)) {
		kfree_skb(skb);
		return true;
	}
	croce_rx_cb(skb)->psn = psn;
	croce_rx_cb(skb)->flags = flags;
	croce_count(qp->dev, CROCE_CNT_OUT_OF_SEQUENCE);
	if (!insert(list, skb)) {
		kfree_skb(skb);
		return true;
	}
	if (skb_queue_len(list) >= REORDER_SKBS)
		prove_loss(qp, list);
	else if (!qp->early_ns)
		qp->early_ns = ktime_get_ns() + REORDER_NS;
	return true;
}

static struct sk_buff *take(struct croce_qp *qp, struct sk_buff_head *list)
{
	struct sk_buff *skb = skb_peek(list);

	if (!skb || qp->stalled ||
	    is_early(qp, croce_rx_cb(skb)->flags, croce_rx_cb(skb)->psn))
		return NULL;
	__skb_unlink(skb, list);
	if (skb_queue_empty(list))
		qp->early_ns = 0;
	return skb;
}

/**
 * croce_reorder_next - a kept packet whose turn has come
 * @qp: queue pair
 *
 * Return: packet or run, the caller's, or NULL.
 * Context: owner of the QP's task.
 */
struct sk_buff *croce_reorder_next(struct croce_qp *qp)
{
	return take(qp, &qp->early_requests) ?:
	       take(qp, &qp->early_responses);
}

/**
 * croce_reorder_on_timer - a gap may have lasted too long
 * @qp: queue pair
 * @now_ns: current time
 *
 * Context: owner of the QP's task.
 */
void croce_reorder_on_timer(struct croce_qp *qp, u64 now_ns)
{
	if (!qp->early_ns || now_ns < qp->early_ns)
		return;
	if (!skb_queue_empty(&qp->early_requests))
		prove_loss(qp, &qp->early_requests);
	if (!skb_queue_empty(&qp->early_responses))
		prove_loss(qp, &qp->early_responses);
	qp->early_ns = 0;
}

/**
 * croce_reorder_purge - drop what is kept
 * @qp: queue pair
 *
 * Context: owner of the QP's task.
 */
void croce_reorder_purge(struct croce_qp *qp)
{
	__skb_queue_purge(&qp->early_requests);
	__skb_queue_purge(&qp->early_responses);
	qp->early_ns = 0;
}
