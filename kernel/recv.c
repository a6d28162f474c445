// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From the UDP socket to the queue pair. Nothing here believes a packet: it
 * is parsed by the one parser, must come from and go to the addresses of the
 * queue pair, and must have a good ICRC, before it changes anything.
 *
 * An skb may hold a run of packets that segmentation never split. Each is
 * checked with the header that segmentation would have given it.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/inet_ecn.h>
#include "recv.h"
#include "cnp.h"
#include "mcast.h"
#include "reorder.h"
#include "task.h"
#include "wire/icrc.h"

static bool skb_is_ip4(const struct sk_buff *skb)
{
	return ip_hdr(skb)->version == 4;
}

static void addresses_of(const struct sk_buff *skb, struct in6_addr *saddr,
			 struct in6_addr *daddr)
{
	if (skb_is_ip4(skb)) {
		ipv6_addr_set_v4mapped(ip_hdr(skb)->saddr, saddr);
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, daddr);
	} else {
		*saddr = ipv6_hdr(skb)->saddr;
		*daddr = ipv6_hdr(skb)->daddr;
	}
}

static bool skb_is_marked(const struct sk_buff *skb)
{
	u8 field = skb_is_ip4(skb) ? ip_hdr(skb)->tos :
		   ipv6_get_dsfield(ipv6_hdr(skb));

	return INET_ECN_is_ce(field);
}

static u32 crc_of_range(const struct sk_buff *skb, u32 crc, u32 from, u32 len)
{
	struct skb_seq_state state;
	const u8 *data;
	u32 done = 0, n;

	if (from + len <= skb_headlen(skb))
		return croce_icrc_update(crc, skb->data + from, len);
	skb_prepare_seq_read((struct sk_buff *)skb, from, from + len, &state);
	while ((n = skb_seq_read(done, &data, &state))) {
		n = min(n, len - done);
		crc = croce_icrc_update(crc, data, n);
		done += n;
		if (done == len)
			break;
	}
	skb_abort_seq_read(&state);
	return crc;
}

static u32 icrc_begin4(const struct croce_rx *rx, const struct udphdr *uh,
		       const u8 *bth)
{
	u8 header[CROCE_IP4_MAX_LEN];
	struct iphdr *ip = (struct iphdr *)header;
	u32 ip_len = ip_hdrlen(rx->skb);

	memcpy(header, ip_hdr(rx->skb), ip_len);
	if (skb_is_gso(rx->skb)) {
		ip->id = htons(ntohs(ip->id) + rx->index);
		ip->tot_len = htons(ip_len + sizeof(*uh) + rx->length);
	}
	return croce_icrc_begin4(ip, ip_len, uh, bth);
}

static u32 icrc_begin6(const struct croce_rx *rx, const struct udphdr *uh,
		       const u8 *bth)
{
	struct ipv6hdr ip6 = *ipv6_hdr(rx->skb);

	if (skb_is_gso(rx->skb))
		ip6.payload_len = uh->len;
	return croce_icrc_begin6(&ip6, uh, bth);
}

static u32 icrc_begin(const struct croce_rx *rx, const u8 *bth)
{
	struct udphdr uh = *udp_hdr(rx->skb);

	uh.len = htons(sizeof(uh) + rx->length);
	return skb_is_ip4(rx->skb) ? icrc_begin4(rx, &uh, bth) :
				     icrc_begin6(rx, &uh, bth);
}

/**
 * croce_recv_icrc_is_good - verify the invariant CRC of one packet
 * @rx: packet
 *
 * Return: true when it is right. Context: any.
 */
bool croce_recv_icrc_is_good(const struct croce_rx *rx)
{
	u8 bth[sizeof(struct croce_bth)];
	__le32 icrc;
	u32 crc;

	if (skb_copy_bits(rx->skb, rx->offset, bth, sizeof(bth)) ||
	    skb_copy_bits(rx->skb, rx->offset + rx->length - CROCE_ICRC_LEN,
			  &icrc, sizeof(icrc)))
		return false;
	crc = icrc_begin(rx, bth);
	crc = crc_of_range(rx->skb, crc, rx->offset + sizeof(struct croce_bth),
			   rx->length - sizeof(struct croce_bth) - CROCE_ICRC_LEN);
	return icrc == croce_icrc_final(crc);
}

static bool parse(struct croce_rx *rx)
{
	u8 buffer[CROCE_MAX_HDR_LEN];
	const u8 *bytes;

	bytes = skb_header_pointer(rx->skb, rx->offset,
				   min_t(u32, rx->length, sizeof(buffer)),
				   buffer);
	return bytes && croce_pkt_parse(&rx->pkt, bytes, rx->length) ==
			CROCE_PARSE_OK;
}

/**
 * struct heard - packets that a queue pair type listens to
 * @any: one of these CROCE_OPF_* it must have
 * @none: and none of these
 */
struct heard {
	u32 any;
	u32 none;
};

static const struct heard heard[] = {
	[IB_QPT_GSI]	 = { CROCE_OPF_UD },
	[IB_QPT_RC]	 = { CROCE_OPF_RC | CROCE_OPF_CNP },
	[IB_QPT_UC]	 = { CROCE_OPF_UC | CROCE_OPF_CNP },
	[IB_QPT_UD]	 = { CROCE_OPF_UD },
	[IB_QPT_XRC_INI] = { CROCE_OPF_XRC | CROCE_OPF_CNP, CROCE_OPF_REQUEST },
	[IB_QPT_XRC_TGT] = { CROCE_OPF_XRC | CROCE_OPF_CNP, CROCE_OPF_RESPONSE },
};

static bool type_fits(const struct croce_qp *qp, const struct croce_pkt *pkt)
{
	u32 flags = croce_opcode_info(pkt->opcode)->flags;

	return (flags & heard[qp->type].any) && !(flags & heard[qp->type].none);
}

static bool pkey_fits(u16 pkey)
{
	/* The table has one full-member key; a limited peer may talk to it. */
	return (pkey & 0x7fff) == (CROCE_PKEY & 0x7fff);
}

/* Connected queue pairs hear their peer only (IBA 9.6.1.2, 9.6.1.5). */
static bool addresses_fit(const struct croce_qp *qp, const struct sk_buff *skb)
{
	const struct croce_av *av = &qp->path.av;
	struct in6_addr saddr, daddr;

	if (!croce_qp_is_connected(qp))
		return true;
	addresses_of(skb, &saddr, &daddr);
	return ipv6_addr_equal(&daddr, &av->saddr) &&
	       ipv6_addr_equal(&saddr, &av->daddr);
}

static enum croce_counter drop_reason(struct croce_qp *qp,
				      const struct croce_rx *rx)
{
	const struct croce_pkt *pkt = &rx->pkt;

	if (pkt->dest_qpn != qp->qpn && pkt->dest_qpn != IB_MULTICAST_QPN)
		return CROCE_CNT_DROP_NO_QP;
	if (!type_fits(qp, pkt))
		return CROCE_CNT_DROP_OPCODE;
	if (qp->state < IB_QPS_RTR || qp->state == IB_QPS_ERR)
		return CROCE_CNT_DROP_STATE;
	if (!addresses_fit(qp, rx->skb))
		return CROCE_CNT_DROP_ADDRESS;
	if (!pkey_fits(pkt->pkey))
		return CROCE_CNT_DROP_PKEY;
	if (!croce_qp_is_connected(qp) && pkt->qkey != qp->qkey)
		return CROCE_CNT_DROP_QKEY;
	if (READ_ONCE(qp->dev->icrc) && !croce_rx_cb(rx->skb)->verified &&
	    !croce_recv_icrc_is_good(rx))
		return CROCE_CNT_RX_ICRC_ENCAPSULATED;
	return CROCE_CNT_NUM;
}

/* Returns false when the packet waits for a page. */
static bool receive(struct croce_qp *qp, const struct croce_rx *rx)
{
	u32 flags = croce_opcode_info(rx->pkt.opcode)->flags;

	if (!croce_qp_is_connected(qp))
		return croce_recv_datagram(qp, rx);
	if (flags & CROCE_OPF_REQUEST)
		return croce_recv_request(qp, rx);
	if (flags & CROCE_OPF_RESPONSE)
		return croce_recv_response(qp, rx);
	if (flags & CROCE_OPF_CNP)
		croce_cnp_received(qp);
	return true;
}

static void start_run(struct croce_rx *rx, struct sk_buff *skb)
{
	memset(rx, 0, sizeof(*rx));
	rx->skb = skb;
	rx->offset = croce_rx_cb(skb)->offset;
	rx->index = croce_rx_cb(skb)->index;
}

/* The next packet of a run; false at its end. */
static bool next_in_run(struct croce_rx *rx)
{
	u32 seg_len = skb_is_gso(rx->skb) ? skb_shinfo(rx->skb)->gso_size :
		      rx->skb->len;

	if (rx->length) {
		rx->offset += rx->length;
		rx->index++;
	}
	rx->length = min(rx->skb->len - rx->offset, seg_len);
	return rx->length;
}

static enum croce_counter reason_to_drop(struct croce_qp *qp,
					 struct croce_rx *rx)
{
	return parse(rx) ? drop_reason(qp, rx) : CROCE_CNT_DROP_MALFORMED;
}

/**
 * croce_recv_verify - check every packet of a run, without taking it in
 * @qp: queue pair
 * @skb: packet or run; marked as verified
 *
 * Return: true when all may be taken in; what may not is counted.
 * Context: owner of the QP's task, bottom halves off.
 */
bool croce_recv_verify(struct croce_qp *qp, struct sk_buff *skb)
{
	struct croce_rx rx;

	start_run(&rx, skb);
	while (next_in_run(&rx)) {
		enum croce_counter reason = reason_to_drop(qp, &rx);

		if (reason != CROCE_CNT_NUM) {
			croce_count(qp->dev, reason);
			return false;
		}
	}
	croce_rx_cb(skb)->verified = true;
	return true;
}

/* A packet of a run waits for a page, and all others behind it. */
static void stall(struct croce_qp *qp, const struct croce_rx *rx)
{
	struct croce_rx_cb *cb = croce_rx_cb(rx->skb);

	cb->offset = rx->offset;
	cb->index = rx->index;
	cb->stalled = true;
	qp->stalled = true;
	croce_backlog_give_back(&qp->rx_backlog, rx->skb);
}

static void drop(struct croce_qp *qp, enum croce_counter reason)
{
	croce_count(qp->dev, reason);
	/* A response that was good before it waited, and is not any more. */
	if (unlikely(qp->held.verdict))
		croce_req_fail(&qp->req, qp->held.wqe,
			       CROCE_STATUS_LOC_PROT_ERR);
	qp->held.verdict = CROCE_COMP_DROP;
}

/**
 * croce_recv_run - take in every packet of an skb
 * @qp: queue pair
 * @skb: one packet or a run of them; consumed
 *
 * Where a page is missing, the rest goes to the head of the backlog.
 *
 * Context: owner of the QP's task, bottom halves off.
 */
void croce_recv_run(struct croce_qp *qp, struct sk_buff *skb)
{
	bool marked = skb_is_marked(skb);
	struct croce_rx rx;
	u32 good = 0;

	start_run(&rx, skb);
	while (next_in_run(&rx)) {
		enum croce_counter reason = reason_to_drop(qp, &rx);

		if (unlikely(reason != CROCE_CNT_NUM)) {
			drop(qp, reason);
		} else if (unlikely(!receive(qp, &rx))) {
			stall(qp, &rx);
			return;
		}
		if (likely(reason == CROCE_CNT_NUM))
			good += rx.length;
		if (marked)
			croce_count(qp->dev,
				    CROCE_CNT_NP_ECN_MARKED_ROCE_PACKETS);
		if (unlikely(marked) && reason == CROCE_CNT_NUM)
			croce_cnp_on_mark(qp, &rx.pkt, skb->priority);
	}
	croce_task_note_bytes(qp, good);
	consume_skb(skb);
}

/**
 * croce_recv_skb - an skb has arrived that is addressed to a queue pair
 * @qp: queue pair
 * @skb: one packet or a run of them; consumed
 *
 * Taken in now, or kept until those before it are here.
 *
 * Context: owner of the QP's task, bottom halves off.
 */
void croce_recv_skb(struct croce_qp *qp, struct sk_buff *skb)
{
	if (unlikely(qp->dead)) {
		kfree_skb(skb);
		return;
	}
	if (croce_reorder_hold(qp, skb))
		return;
	do
		croce_recv_run(qp, skb);
	while ((skb = croce_reorder_next(qp)));
}

/* A datagram queue pair hears what is sent to an address of its device. */
static bool destination_fits(const struct croce_qp *qp,
			     const struct sk_buff *skb, struct net *net)
{
	struct in6_addr saddr, daddr;
	struct croce_dev *dev;

	if (!net_eq(dev_net(qp->dev->netdev), net))
		return false;
	if (croce_qp_is_connected(qp))
		return true;
	addresses_of(skb, &saddr, &daddr);
	dev = croce_addr_dev(net, &daddr, qp->dev->netdev->ifindex);
	return dev == qp->dev;
}

static bool headers_are_plain(const struct sk_buff *skb)
{
	u32 ip_len = skb_transport_offset(skb) - skb_network_offset(skb);

	/* The ICRC of extension headers is nowhere defined. */
	return skb_is_ip4(skb) ? ip_len <= CROCE_IP4_MAX_LEN :
	       ip_len == sizeof(struct ipv6hdr);
}

static struct croce_dev *dev_of(const struct sk_buff *skb, struct net *net)
{
	struct in6_addr saddr, daddr;

	addresses_of(skb, &saddr, &daddr);
	return croce_addr_dev(net, &daddr, skb->skb_iif);
}

/* QP 1 exists once for each device, and is named by the address. */
static struct croce_qp *find_gsi(const struct sk_buff *skb, struct net *net)
{
	struct croce_dev *dev = dev_of(skb, net);

	return dev ? rcu_dereference(dev->gsi) : NULL;
}

/* What names no queue pair is counted by the device it was sent to. */
static void drop_unknown(struct net *net, struct sk_buff *skb,
			 enum croce_counter reason)
{
	struct croce_dev *dev = dev_of(skb, net);

	if (dev)
		croce_count(dev, reason);
	kfree_skb(skb);
}

/**
 * croce_recv_pkts - packets in an skb
 * @skb: one packet or a run of them, from the BTH on
 *
 * Return: their number. Context: any.
 */
u32 croce_recv_pkts(const struct sk_buff *skb)
{
	return skb_is_gso(skb) ?
	       DIV_ROUND_UP(skb->len, skb_shinfo(skb)->gso_size) : 1;
}

static void deliver_to(struct croce_qp *qp, struct net *net,
		       struct sk_buff *skb)
{
	if (!destination_fits(qp, skb, net)) {
		croce_count(qp->dev, CROCE_CNT_DROP_ADDRESS);
		kfree_skb(skb);
		return;
	}
	croce_count_add(qp->dev, CROCE_CNT_RCVD_PKTS, croce_recv_pkts(skb));
	croce_count_add(qp->dev, CROCE_CNT_RCVD_BYTES, skb->len);
	croce_task_receive(qp, skb);
}

static void deliver(struct net *net, struct sk_buff *skb)
{
	const struct croce_bth *bth;
	struct croce_bth buffer;
	struct croce_qp *qp;
	u32 qpn;

	bth = skb_header_pointer(skb, 0, sizeof(buffer), &buffer);
	if (!bth) {
		drop_unknown(net, skb, CROCE_CNT_DROP_MALFORMED);
		return;
	}
	qpn = be32_to_cpu(bth->qpn) & CROCE_QPN_MASK;
	if (qpn == IB_MULTICAST_QPN) {
		croce_mcast_deliver(net, skb);
		return;
	}
	qp = qpn == 1 ? find_gsi(skb, net) : croce_qp_find(qpn);
	if (qp)
		deliver_to(qp, net, skb);
	else
		drop_unknown(net, skb, CROCE_CNT_DROP_NO_QP);
}

/**
 * croce_recv_udp - encap_rcv of the sockets
 * @sk: socket
 * @skb: data is at the UDP header; consumed
 *
 * Return: 0, consumed. Context: receive softirq, RCU read section.
 */
int croce_recv_udp(struct sock *sk, struct sk_buff *skb)
{
	struct net *net = sock_net(sk);

	if (!headers_are_plain(skb) ||
	    !pskb_may_pull(skb, sizeof(struct udphdr))) {
		kfree_skb(skb);
		return 0;
	}
	__skb_pull(skb, sizeof(struct udphdr));
	skb_dst_drop(skb);
	memset(croce_rx_cb(skb), 0, sizeof(struct croce_rx_cb));
	rcu_read_lock();
	deliver(net, skb);
	rcu_read_unlock();
	return 0;
}
