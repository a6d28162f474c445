// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What an acknowledgement or response does: executes the decisions of
 * core/comp.c.
 */
#include "pacer.h"
#include "place.h"
#include "recv.h"

static const enum croce_counter verdict_counter[] = {
	[CROCE_COMP_SEQ_NAK]	 = CROCE_CNT_PACKET_SEQ_ERR,
	[CROCE_COMP_RNR_NAK]	 = CROCE_CNT_RNR_NAK_RETRY_ERR,
	[CROCE_COMP_IMPLIED_NAK] = CROCE_CNT_IMPLIED_NAK_SEQ_ERR,
	[CROCE_COMP_EARLY]	 = CROCE_CNT_ROCE_ADP_RETRANS,
	[CROCE_COMP_TIMEOUT]	 = CROCE_CNT_LOCAL_ACK_TIMEOUT_ERR,
};

static void count_error(struct croce_qp *qp, u8 status)
{
	switch (status) {
	case CROCE_STATUS_REM_INV_REQ_ERR:
		croce_count(qp->dev, CROCE_CNT_REQ_REMOTE_INVALID_REQUEST);
		break;
	case CROCE_STATUS_REM_ACCESS_ERR:
		croce_count(qp->dev, CROCE_CNT_REQ_REMOTE_ACCESS_ERRORS);
		break;
	case CROCE_STATUS_RETRY_EXC_ERR:
		croce_count(qp->dev, CROCE_CNT_REQ_TRANSPORT_RETRIES_EXCEEDED);
		break;
	case CROCE_STATUS_RNR_RETRY_EXC_ERR:
		croce_count(qp->dev, CROCE_CNT_REQ_RNR_RETRIES_EXCEEDED);
		break;
	}
}

/**
 * croce_completer_count - count what a decision of the completer means
 * @qp: queue pair
 * @rec: decision
 *
 * Context: owner of the QP's task.
 */
void croce_completer_count(struct croce_qp *qp,
			   const struct croce_comp_record *rec)
{
	if (rec->verdict == CROCE_COMP_ERROR)
		count_error(qp, rec->status);
	else if (rec->verdict >= CROCE_COMP_SEQ_NAK &&
		 rec->verdict <= CROCE_COMP_TIMEOUT)
		croce_count(qp->dev, verdict_counter[rec->verdict]);
}

static int place(struct croce_qp *qp, const struct croce_rx *rx,
		 const struct croce_comp_record *rec)
{
	const struct croce_wqe *wqe = croce_req_wqe(&qp->req, rec->wqe);
	struct croce_sq_slot *slot = croce_sq_slot(qp, rec->wqe);
	struct croce_cursor cursor;
	int err;

	croce_cursor_init(&cursor, qp, slot->sge, wqe->num_sge, rec->offset,
			  IB_ACCESS_LOCAL_WRITE);
	if (wqe->kind == CROCE_KIND_READ)
		err = croce_cursor_write_skb(&cursor, rx->skb,
					     rx->offset + rx->pkt.hdr_len,
					     rec->length);
	else
		err = croce_cursor_write(&cursor, &rx->pkt.atomic_orig,
					 rec->length);
	croce_cursor_end(&cursor);
	return err;
}

/* Returns false when a page is missing; the decision is kept, not made again. */
static bool place_or_hold(struct croce_qp *qp, const struct croce_rx *rx,
			  const struct croce_comp_record *rec)
{
	int err = place(qp, rx, rec);

	if (err == -EINPROGRESS) {
		qp->held = *rec;
		return false;
	}
	if (err)
		croce_req_fail(&qp->req, rec->wqe, CROCE_STATUS_LOC_PROT_ERR);
	return true;
}

/**
 * croce_recv_response - an acknowledgement or response has arrived
 * @qp: queue pair
 * @rx: packet; everything but its meaning was checked
 *
 * The turn reaps and sends afterwards.
 *
 * Return: false when it waits for a page and is to be taken in again.
 * Context: owner of the QP's task.
 */
bool croce_recv_response(struct croce_qp *qp, const struct croce_rx *rx)
{
	struct croce_comp_record rec;

	if (unlikely(qp->held.verdict)) {
		rec = qp->held;
		qp->held.verdict = CROCE_COMP_DROP;
		return place_or_hold(qp, rx, &rec);
	}
	rec = croce_comp_on_packet(&qp->req, &rx->pkt, ktime_get_ns());
	if (unlikely(qp->cc.limited))
		croce_pacer_on_response(qp, &rec);
	croce_completer_count(qp, &rec);
	if (rec.verdict == CROCE_COMP_PLACE)
		return place_or_hold(qp, rx, &rec);
	return true;
}
