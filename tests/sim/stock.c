// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "stock.h"

#include <stdlib.h>

static void stock_receive(void *to, void *argument)
{
	struct frame *frame = argument;
	struct stock *stock = to;
	struct croce_pkt pkt;

	if (frame_parse(frame, &pkt)) {
		u32 flags = croce_opcode_info(pkt.opcode)->flags;

		/* CNPs are nothing to it. */
		if (flags & CROCE_OPF_REQUEST)
			stock_on_request(stock, &pkt, frame->bytes + pkt.hdr_len);
		else if (flags & CROCE_OPF_RESPONSE)
			stock_on_response(stock, &pkt, frame->bytes + pkt.hdr_len);
	}
	frame_free(frame);
}

static void stock_kick(struct endpoint *ep)
{
	stock_send_all((struct stock *)ep);
}

static void stock_check_idle(struct endpoint *ep)
{
	struct stock *stock = (struct stock *)ep;

	if (stock->una != stock->top)
		oracle_fail("%s: idle, but not acknowledged", ep->name);
	if (ep->received != ep->rx->received)
		oracle_fail("%s: %u receive WQEs completed, not %u", ep->name,
			    ep->received, ep->rx->received);
}

static void stock_destroy(struct endpoint *ep)
{
	struct stock *stock = (struct stock *)ep;

	free(stock->extents);
	free(stock->answers);
	free(stock);
}

static const struct endpoint_ops stock_ops = {
	.kick = stock_kick,
	.receive = stock_receive,
	.check_idle = stock_check_idle,
	.destroy = stock_destroy,
};

struct endpoint *stock_create(const struct endpoint *common)
{
	struct stock *stock = calloc(1, sizeof(*stock));

	if (!stock)
		abort();
	stock->ep = *common;
	stock->ep.ops = &stock_ops;
	stock->psn = common->cfg.first_psn;
	stock->top = common->cfg.first_psn;
	stock->una = common->cfg.first_psn;
	stock->expected = common->cfg.peer_psn;
	stock->extents = calloc(common->tx->count + 1,
				sizeof(*stock->extents));
	stock->answers = calloc(common->cfg.peer_rd_atomic,
				sizeof(*stock->answers));
	if (!stock->extents || !stock->answers)
		abort();
	return &stock->ep;
}
