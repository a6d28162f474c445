// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "pfc.h"

#include <string.h>

/* To 01-80-C2-00-00-01, from nobody, MAC control, opcode 0x0101. */
static const u8 header[16] = {
	0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0, 0, 0, 0, 0, 0,
	0x88, 0x08, 0x01, 0x01,
};

/* The class-enable vector, and after it the times. */
#define VECTOR_AT	16U
#define TIMES_AT	18U

/**
 * pfc_frame - say it
 * @pfc: what
 *
 * Return: a frame, of the caller.
 */
struct frame *pfc_frame(const struct pfc *pfc)
{
	struct frame *frame = frame_new(PFC_FRAME_LEN);
	u32 i;

	memcpy(frame->bytes, header, sizeof(header));
	frame->bytes[VECTOR_AT + 1] = pfc->mask;
	for (i = 0; i < FRAME_PRIORITIES; i++) {
		frame->bytes[TIMES_AT + 2 * i] = pfc->quanta[i] >> 8;
		frame->bytes[TIMES_AT + 2 * i + 1] = pfc->quanta[i];
	}
	frame->is_control = true;
	return frame;
}

/**
 * pfc_parse - understand it
 * @frame: an Ethernet frame
 * @pfc: what it says
 *
 * Return: false when it is another kind of frame.
 */
bool pfc_parse(const struct frame *frame, struct pfc *pfc)
{
	const u8 *times = frame->bytes + TIMES_AT;
	u32 i;

	if (frame->len < TIMES_AT + 2 * FRAME_PRIORITIES ||
	    memcmp(frame->bytes, header, 6) ||
	    memcmp(frame->bytes + 12, header + 12, 4))
		return false;
	pfc->mask = frame->bytes[VECTOR_AT + 1];
	for (i = 0; i < FRAME_PRIORITIES; i++)
		pfc->quanta[i] = times[2 * i] << 8 | times[2 * i + 1];
	return true;
}

/**
 * pfc_quanta_ns - how long is that?
 * @quanta: units of 512 bit times
 * @rate_bps: of the link, bits per second
 *
 * Return: ns.
 */
u64 pfc_quanta_ns(u32 quanta, u64 rate_bps)
{
	return quanta * 512ULL * 1000000000ULL / rate_bps;
}
