// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a request does: executes the decisions of core/resp.c.
 */
#include <linux/if_vlan.h>
#include "mr.h"
#include "place.h"
#include "recv.h"
#include "xrcd.h"
#include "wire/aeth.h"

/**
 * struct outcome - result of executing a request
 * @syndrome: NAK to give, or 0
 * @status: of the receive WQE in use, when it failed here
 * @event: of the QP, when it goes to error
 */
struct outcome {
	u8 syndrome;
	u8 status;
	enum ib_event_type event;
};

static const struct outcome invalid_request = {
	.syndrome = CROCE_AETH_TYPE_NAK | CROCE_NAK_INV_REQ,
	.status = CROCE_STATUS_LOC_QP_OP_ERR,
	.event = IB_EVENT_QP_REQ_ERR,
};

static const struct outcome access_error = {
	.syndrome = CROCE_AETH_TYPE_NAK | CROCE_NAK_REM_ACCESS,
	.status = CROCE_STATUS_LOC_QP_OP_ERR,
	.event = IB_EVENT_QP_ACCESS_ERR,
};

static const struct outcome too_long = {
	.syndrome = CROCE_AETH_TYPE_NAK | CROCE_NAK_INV_REQ,
	.status = CROCE_STATUS_LOC_LEN_ERR,
	.event = IB_EVENT_QP_REQ_ERR,
};

static const struct outcome local_error = {
	.syndrome = CROCE_AETH_TYPE_NAK | CROCE_NAK_REM_OP,
	.status = CROCE_STATUS_LOC_PROT_ERR,
	.event = IB_EVENT_QP_FATAL,
};

/* No syndrome of the wire: nothing is answered, the packet waits. */
static const struct outcome missing_page = {
	.syndrome = U8_MAX,
};

static const struct outcome good;

static const u32 class_access[] = {
	[CROCE_RESP_SEND]	  = 0,
	[CROCE_RESP_WRITE]	  = IB_ACCESS_REMOTE_WRITE,
	[CROCE_RESP_READ]	  = IB_ACCESS_REMOTE_READ,
	[CROCE_RESP_ATOMIC]	  = IB_ACCESS_REMOTE_ATOMIC,
	[CROCE_RESP_ATOMIC_WRITE] = IB_ACCESS_REMOTE_WRITE,
	[CROCE_RESP_FLUSH]	  = IB_ACCESS_FLUSH_GLOBAL,
};

static struct outcome outcome_of(int err, const struct outcome *failure)
{
	if (likely(!err))
		return good;
	return err == -EINPROGRESS ? missing_page : *failure;
}

static int fetch_rqe(struct croce_qp *qp)
{
	int ret;

	if (qp->rqe_valid)
		return 1;
	ret = qp->srq ? croce_srq_fetch(qp->srq, &qp->rqe) :
	      croce_rqe_fetch(&qp->rq, &qp->rqe);
	qp->rqe_valid = ret != 0;
	return ret;
}

static struct outcome take_rqe(struct croce_qp *qp)
{
	struct outcome rnr = {
		.syndrome = croce_aeth_rnr(qp->attr.min_rnr_timer),
	};
	int ret = fetch_rqe(qp);

	if (ret > 0)
		return good;
	if (ret < 0)
		return local_error;
	croce_count(qp->dev, CROCE_CNT_OUT_OF_BUFFER);
	if (croce_qp_is_reliable(qp))
		croce_count(qp->dev, CROCE_CNT_SEND_RNR_ERR);
	return rnr;
}

static struct outcome execute_send(struct croce_qp *qp,
				   const struct croce_rx *rx,
				   const struct croce_resp_record *rec)
{
	struct croce_cursor cursor;
	int err;

	if ((u64)rec->offset + rec->length > qp->rqe.length) {
		croce_count(qp->dev, CROCE_CNT_RESP_LOCAL_LENGTH_ERROR);
		return too_long;
	}
	croce_cursor_init(&cursor, qp, qp->rqe.sge, qp->rqe.num_sge,
			  rec->offset, IB_ACCESS_LOCAL_WRITE);
	err = croce_cursor_write_skb(&cursor, rx->skb,
				     rx->offset + rx->pkt.hdr_len,
				     rec->length);
	croce_cursor_end(&cursor);
	return outcome_of(err, &local_error);
}

static struct outcome execute_write(struct croce_qp *qp,
				    const struct croce_rx *rx,
				    const struct croce_resp_record *rec)
{
	struct croce_cursor cursor;
	int err = 0;

	if (rec->first && !croce_place_can(qp, rec->va, rec->rkey,
					   rec->dma_len,
					   IB_ACCESS_REMOTE_WRITE))
		return access_error;
	/* All that is yet to come, so that missing pages come together. */
	croce_cursor_init_remote(&cursor, qp, rec->va, rec->rkey,
				 rec->dma_len - rec->offset,
				 IB_ACCESS_REMOTE_WRITE);
	if (rec->length)
		err = croce_cursor_write_skb(&cursor, rx->skb,
					     rx->offset + rx->pkt.hdr_len,
					     rec->length);
	croce_cursor_end(&cursor);
	if (rec->first && !err)
		croce_count(qp->dev, CROCE_CNT_RX_WRITE_REQUESTS);
	return outcome_of(err, &access_error);
}

static struct outcome execute_read(struct croce_qp *qp,
				   const struct croce_resp_record *rec)
{
	croce_count(qp->dev, CROCE_CNT_RX_READ_REQUESTS);
	return croce_place_can(qp, rec->va, rec->rkey, rec->dma_len,
			       IB_ACCESS_REMOTE_READ) ? good : access_error;
}

static struct outcome execute_atomic(struct croce_qp *qp,
				     const struct croce_pkt *pkt, u64 *orig)
{
	bool compare = (pkt->opcode & CROCE_OP_MASK) == CROCE_OP_CMP_SWAP;
	int err;

	if (pkt->va & 7)
		return invalid_request;
	err = croce_place_atomic(qp, pkt, compare, orig);
	if (!err)
		croce_count(qp->dev, CROCE_CNT_RX_ATOMIC_REQUESTS);
	return outcome_of(err, &access_error);
}

static struct outcome execute_atomic_write(struct croce_qp *qp,
					   const struct croce_rx *rx)
{
	u64 value;

	if (rx->pkt.va & 7)
		return invalid_request;
	if (skb_copy_bits(rx->skb, rx->offset + rx->pkt.hdr_len, &value,
			  sizeof(value)))
		return invalid_request;
	return outcome_of(croce_place_atomic_write(qp, rx->pkt.va,
						   rx->pkt.rkey, &value),
			  &access_error);
}

static struct outcome execute_flush(struct croce_qp *qp,
				    const struct croce_pkt *pkt)
{
	u64 length = pkt->flush_sel ? 0 : pkt->dma_len;

	/* Persistence (bit 1) is not ours to promise, and no MR has it. */
	if (pkt->flush_plt & 2)
		return access_error;
	if (!croce_place_can(qp, pkt->va, pkt->rkey, length,
			     IB_ACCESS_FLUSH_GLOBAL))
		return access_error;
	/* Global visibility: everything placed is seen by all CPUs. */
	smp_mb();
	return good;
}

static struct outcome execute_class(struct croce_qp *qp,
				    const struct croce_rx *rx,
				    const struct croce_resp_record *rec,
				    u64 *orig)
{
	switch (rec->class) {
	case CROCE_RESP_SEND:
		return execute_send(qp, rx, rec);
	case CROCE_RESP_WRITE:
		return execute_write(qp, rx, rec);
	case CROCE_RESP_READ:
		return execute_read(qp, rec);
	case CROCE_RESP_ATOMIC:
		return execute_atomic(qp, &rx->pkt, orig);
	case CROCE_RESP_ATOMIC_WRITE:
		return execute_atomic_write(qp, rx);
	default:
		return execute_flush(qp, &rx->pkt);
	}
}

static struct outcome perform(struct croce_qp *qp, const struct croce_rx *rx,
			      const struct croce_resp_record *rec, u64 *orig)
{
	u32 flags = croce_opcode_info(rx->pkt.opcode)->flags;
	u32 access = class_access[rec->class];
	struct outcome out;

	if (access && !(qp->attr.qp_access_flags & access) &&
	    rec->class != CROCE_RESP_FLUSH)
		return invalid_request;
	if (rec->takes_rqe) {
		out = take_rqe(qp);
		if (out.syndrome)
			return out;
	}
	out = execute_class(qp, rx, rec, orig);
	if (!out.syndrome && (flags & CROCE_OPF_IETH) &&
	    croce_mr_invalidate(qp->dev, qp->pd, rx->pkt.inv_rkey, qp->qpn,
				true))
		return access_error;
	return out;
}

/* The rest of a message is for the SRQ that the first packet's WQE is from. */
static bool enter_srq(struct croce_qp *qp, const struct croce_pkt *pkt)
{
	return qp->rqe_valid ? croce_xrc_enter_for_rqe(qp) :
			       croce_xrc_enter(qp, pkt->xrc_srqn);
}

/* An SRQ that the packet may not name is answered as a bad key is. */
static struct outcome execute(struct croce_qp *qp, const struct croce_rx *rx,
			      const struct croce_resp_record *rec, u64 *orig)
{
	struct outcome out;

	if (!enter_srq(qp, &rx->pkt))
		return access_error;
	out = perform(qp, rx, rec, orig);
	croce_xrc_leave(qp);
	return out;
}

static void complete_rqe(struct croce_qp *qp, const struct croce_pkt *pkt,
			 const struct croce_resp_record *rec)
{
	u32 flags = croce_opcode_info(pkt->opcode)->flags;
	bool write = rec->class == CROCE_RESP_WRITE;
	struct croce_cqe cqe = {
		.opcode = write ? CROCE_WC_RECV_RDMA_WITH_IMM : CROCE_WC_RECV,
		.byte_len = write ? rec->dma_len : rec->offset + rec->length,
		.src_qp = qp->dest_qpn,
	};

	if (flags & CROCE_OPF_IMM) {
		cqe.wc_flags |= CROCE_CQE_WITH_IMM;
		cqe.imm = (__force u32)pkt->imm;
	}
	if (flags & CROCE_OPF_IETH) {
		cqe.wc_flags |= CROCE_CQE_WITH_INV;
		cqe.imm = pkt->inv_rkey;
	}
	if (pkt->solicited)
		cqe.wc_flags |= CROCE_CQE_SOLICITED;
	croce_qp_complete_rqe(qp, &cqe, pkt->solicited);
}

static void fail_rqe(struct croce_qp *qp, u8 status)
{
	struct croce_cqe cqe = {
		.opcode = CROCE_WC_RECV,
		.status = status,
	};

	if (!qp->rqe_valid)
		return;
	croce_count(qp->dev, CROCE_CNT_RESP_CQE_ERROR);
	croce_qp_complete_rqe(qp, &cqe, true);
}

static void refuse(struct croce_qp *qp, const struct outcome *out)
{
	croce_resp_refuse(&qp->resp, out->syndrome);
	if (croce_aeth_kind(out->syndrome) == CROCE_AETH_RNR ||
	    !croce_qp_is_reliable(qp))
		return;
	if (out->event == IB_EVENT_QP_ACCESS_ERR)
		croce_count(qp->dev, CROCE_CNT_RESP_REMOTE_ACCESS_ERRORS);
	fail_rqe(qp, out->status);
	/* The NAK goes out first; then the turn moves the QP to error. */
	qp->fatal = true;
	qp->fatal_event = out->event;
}

static void established(struct croce_qp *qp)
{
	if (likely(qp->comm_est))
		return;
	qp->comm_est = true;
	if (qp->state == IB_QPS_RTR)
		croce_qp_event(qp, IB_EVENT_COMM_EST);
}

/**
 * croce_recv_request - a request has arrived at a connected queue pair
 * @qp: queue pair
 * @rx: packet; everything but its meaning was checked
 *
 * What is owed for it is sent at the end of the turn.
 *
 * Return: false when it waits for a page and is to be taken in again.
 * Context: owner of the QP's task.
 */
bool croce_recv_request(struct croce_qp *qp, const struct croce_rx *rx)
{
	struct croce_resp *resp = &qp->resp;
	struct croce_resp_record rec = croce_resp_decide(resp, &rx->pkt);
	struct outcome out = good;
	u64 orig = 0;

	switch (rec.verdict) {
	case CROCE_RESP_EXECUTE:
		out = execute(qp, rx, &rec, &orig);
		break;
	case CROCE_RESP_DUPLICATE:
		croce_count(qp->dev, CROCE_CNT_DUPLICATE_REQUEST);
		croce_resp_repeat(resp, &rx->pkt);
		return true;
	case CROCE_RESP_OUT_OF_ORDER:
		croce_count(qp->dev, CROCE_CNT_OUT_OF_SEQUENCE);
		croce_resp_on_gap(resp, &rx->pkt);
		return true;
	case CROCE_RESP_INVALID:
		out = invalid_request;
		break;
	default:
		croce_count(qp->dev, CROCE_CNT_DROP_STATE);
		return true;
	}
	if (out.syndrome) {
		if (out.syndrome == missing_page.syndrome)
			return false;
		refuse(qp, &out);
		return true;
	}
	established(qp);
	qp->sq_monologue = 0;
	croce_resp_accept(resp, &rx->pkt, &rec, orig);
	if (rec.completes_rqe)
		complete_rqe(qp, &rx->pkt, &rec);
	return true;
}

static int write_grh(struct croce_cursor *cursor, const struct sk_buff *skb)
{
	u8 grh[sizeof(struct ib_grh)] = {};

	/* RoCEv2 over IPv4: the header in the last 20 bytes (Annex A17.4.5.2). */
	if (ip_hdr(skb)->version == 4)
		memcpy(grh + 20, ip_hdr(skb), 20);
	else
		memcpy(grh, ipv6_hdr(skb), sizeof(grh));
	return croce_cursor_write(cursor, grh, sizeof(grh));
}

/* rdma_cm finds the GID of a VLAN above the netdev by this. */
static u16 vlan_of(const struct croce_qp *qp, const struct sk_buff *skb)
{
	/* Not skb->dev: the packet may have waited, and holds no reference. */
	struct net_device *ndev = dev_get_by_index_rcu(dev_net(qp->dev->netdev),
						       skb->skb_iif);

	return ndev && is_vlan_dev(ndev) ? vlan_dev_vlan_id(ndev) : 0xffff;
}

static void complete_datagram(struct croce_qp *qp, const struct croce_rx *rx)
{
	const struct croce_pkt *pkt = &rx->pkt;
	bool is_ip4 = ip_hdr(rx->skb)->version == 4;
	struct croce_cqe cqe = {
		.opcode = CROCE_WC_RECV,
		.byte_len = sizeof(struct ib_grh) + pkt->payload_len,
		.src_qp = pkt->src_qpn,
		.wc_flags = CROCE_CQE_GRH,
		.network_hdr_type = is_ip4 ? CROCE_HDR_IPV4 : CROCE_HDR_IPV6,
		.vlan_id = vlan_of(qp, rx->skb),
	};

	if (croce_opcode_info(pkt->opcode)->flags & CROCE_OPF_IMM) {
		cqe.wc_flags |= CROCE_CQE_WITH_IMM;
		cqe.imm = (__force u32)pkt->imm;
	}
	if (pkt->solicited)
		cqe.wc_flags |= CROCE_CQE_SOLICITED;
	croce_qp_complete_rqe(qp, &cqe, pkt->solicited);
}

/**
 * croce_recv_datagram - a packet has arrived at a UD queue pair
 * @qp: queue pair
 * @rx: packet; addresses, P_Key, Q_Key and ICRC are good
 *
 * Without a receive WQE, or with one that is too short, the packet is dropped
 * (IBA 9.8.2.2); the WQE is kept for the next one.
 *
 * Return: false when it waits for a page and is to be taken in again.
 * Context: owner of the QP's task.
 */
bool croce_recv_datagram(struct croce_qp *qp, const struct croce_rx *rx)
{
	struct croce_cursor cursor;
	int ret = fetch_rqe(qp);
	int err;

	if (!ret) {
		croce_count(qp->dev, CROCE_CNT_OUT_OF_BUFFER);
		return true;
	}
	if (ret < 0) {
		fail_rqe(qp, CROCE_STATUS_LOC_PROT_ERR);
		return true;
	}
	if (qp->rqe.length < sizeof(struct ib_grh) + rx->pkt.payload_len) {
		croce_count(qp->dev, CROCE_CNT_DROP_UD_LENGTH);
		return true;
	}
	croce_cursor_init(&cursor, qp, qp->rqe.sge, qp->rqe.num_sge, 0,
			  IB_ACCESS_LOCAL_WRITE);
	err = write_grh(&cursor, rx->skb);
	if (!err)
		err = croce_cursor_write_skb(&cursor, rx->skb,
					     rx->offset + rx->pkt.hdr_len,
					     rx->pkt.payload_len);
	croce_cursor_end(&cursor);
	if (err == -EINPROGRESS)
		return false;
	if (err)
		fail_rqe(qp, CROCE_STATUS_LOC_PROT_ERR);
	else
		complete_datagram(qp, rx);
	return true;
}
