/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Transmission: from decisions to packets. The unit is a run of packets. L3.
 */
#ifndef CROCE_SEND_H
#define CROCE_SEND_H

#include "qp.h"

/**
 * struct croce_batch - packets on their way into one skb
 * @qp: queue pair
 * @skb: open skb, or NULL
 * @end: where its next packet goes
 * @seg_len: bytes of each packet but the last
 * @room: bytes left in @skb
 * @pkts: packets in @skb
 * @unsent_psn: of the first packet that was not handed to the stack
 * @restricted: more packets would have shared @skb but for @qp->single
 * @closed: the last packet was shorter; nothing may follow it
 *
 * Lives in one turn. Packets of several requests share an skb where their
 * lengths allow it.
 */
struct croce_batch {
	struct croce_qp *qp;
	struct sk_buff *skb;
	u8 *end;
	u32 seg_len;
	u32 room;
	u32 pkts;
	u32 unsent_psn;
	bool restricted;
	bool closed;
};

u32 croce_send_max_pkts(const struct croce_qp *qp);
int croce_send_request(struct croce_batch *batch, struct croce_req_run *run);
int croce_send_flush(struct croce_batch *batch);
int croce_send_response(struct croce_qp *qp, struct croce_resp_run *run);

#endif /* CROCE_SEND_H */
