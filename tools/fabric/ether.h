/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the model has to know of an Ethernet frame. */
#ifndef FABRIC_ETHER_H
#define FABRIC_ETHER_H

#include "frame.h"

#define ETHER_ADDRESS	6U
#define ETHER_HEADER	14U

bool ether_classify(struct frame *frame);
void ether_mark(struct frame *frame);

#endif /* FABRIC_ETHER_H */
