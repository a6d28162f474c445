/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Priority-based flow control frames (IEEE 802.1Q-2018, clause 36 and 46). */
#ifndef FABRIC_PFC_H
#define FABRIC_PFC_H

#include "frame.h"

/* Without the FCS. */
#define PFC_FRAME_LEN	60U
#define PFC_MAX_QUANTA	0xffffU

/**
 * struct pfc - what such a frame says
 * @mask: priorities that it speaks of, bit n for priority n
 * @quanta: how long each of them has to wait; 0: it may go on
 */
struct pfc {
	u8 mask;
	u16 quanta[FRAME_PRIORITIES];
};

struct frame *pfc_frame(const struct pfc *pfc);
bool pfc_parse(const struct frame *frame, struct pfc *pfc);
u64 pfc_quanta_ns(u32 quanta, u64 rate_bps);

#endif /* FABRIC_PFC_H */
