/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Reception: from the UDP socket to the queue pair, and what a packet does
 * there. L3.
 */
#ifndef CROCE_RECV_H
#define CROCE_RECV_H

#include <linux/skbuff.h>
#include <net/sock.h>
#include "qp.h"

/**
 * struct croce_rx - one transport packet inside an skb
 * @skb: the skb; data is at the UDP payload
 * @offset: of the packet in @skb
 * @length: bytes, ICRC included
 * @index: of the packet in a run
 * @pkt: parsed headers
 */
struct croce_rx {
	struct sk_buff *skb;
	u32 offset;
	u32 length;
	u32 index;
	struct croce_pkt pkt;
};

int croce_recv_udp(struct sock *sk, struct sk_buff *skb);
u32 croce_recv_pkts(const struct sk_buff *skb);
void croce_recv_skb(struct croce_qp *qp, struct sk_buff *skb);
void croce_recv_run(struct croce_qp *qp, struct sk_buff *skb);
bool croce_recv_verify(struct croce_qp *qp, struct sk_buff *skb);
bool croce_recv_icrc_is_good(const struct croce_rx *rx);
bool croce_recv_request(struct croce_qp *qp, const struct croce_rx *rx);
bool croce_recv_response(struct croce_qp *qp, const struct croce_rx *rx);
bool croce_recv_datagram(struct croce_qp *qp, const struct croce_rx *rx);
void croce_completer_count(struct croce_qp *qp,
			   const struct croce_comp_record *rec);

#endif /* CROCE_RECV_H */
