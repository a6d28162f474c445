// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Between packets and frames, and what one sees of them with --trace. */
#include "endpoint.h"

#include <stdarg.h>
#include <stdio.h>
#include <wire/parse.h>

bool trace_on;

/* The payload is the caller's to write; there is no ICRC, only its room. */
struct frame *frame_build(const struct croce_pkt *pkt, u8 **payload)
{
	u32 hdr_len = croce_opcode_info(pkt->opcode)->hdr_len;
	struct croce_pkt copy = *pkt;
	u8 header[CROCE_MAX_HDR_LEN];
	struct frame *frame;

	copy.pad = croce_pad_len(pkt->payload_len);
	copy.pkey = 0xffff;
	frame = frame_new(hdr_len + pkt->payload_len + copy.pad +
			  CROCE_ICRC_LEN);
	croce_pkt_build(header, &copy);
	memcpy(frame->bytes, header, hdr_len);
	if (payload)
		*payload = frame->bytes + hdr_len;
	return frame;
}

/* False for one that the ICRC would have given away. */
bool frame_parse(const struct frame *frame, struct croce_pkt *pkt)
{
	enum croce_parse verdict;

	verdict = croce_pkt_parse(pkt, frame->bytes, frame->len);
	if (frame->corrupt)
		return false;
	if (verdict != CROCE_PARSE_OK)
		oracle_fail("what was sent does not parse: %d, op %02x, %u bytes",
			    verdict, frame->bytes[0], frame->len);
	return true;
}

void trace(const struct endpoint *ep, const char *format, ...)
{
	va_list args;

	if (!trace_on)
		return;
	printf("%12.3f %s ", ep->vt->now_ns / 1000., ep->name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

void trace_packet(const struct endpoint *ep, const char *what,
		  const struct croce_pkt *pkt)
{
	trace(ep, "%s op %02x psn %06x len %u%s va %llx dma %u syn %02x", what,
	      pkt->opcode, pkt->psn, pkt->payload_len,
	      pkt->ackreq ? " ackreq" : "", (unsigned long long)pkt->va,
	      pkt->dma_len, pkt->syndrome);
}
