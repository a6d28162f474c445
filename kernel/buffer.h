/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory for the payload of packets to send. L3.
 */
#ifndef CROCE_BUFFER_H
#define CROCE_BUFFER_H

#include <linux/skbuff.h>

/* Bytes of one buffer at most. */
#define CROCE_BUFFER_BYTES	65536U

void *croce_buffer_attach(struct sk_buff *skb, u32 bytes);
void croce_buffer_exit(void);

#endif /* CROCE_BUFFER_H */
