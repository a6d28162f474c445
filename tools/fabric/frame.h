/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A frame on its way. What the model looks at are the members; the bytes are
 * the business of the ends. Which of its layers they hold is theirs, too: in
 * the simulator the transport packet from the BTH to the ICRC, in the software
 * switch the Ethernet frame.
 */
#ifndef FABRIC_FRAME_H
#define FABRIC_FRAME_H

#include <linux/types.h>

#define FRAME_PRIORITIES	8U

/* The two ECN bits of IP (RFC 3168, section 5). */
enum frame_ecn {
	FRAME_NOT_ECT,
	FRAME_ECT1,
	FRAME_ECT0,
	FRAME_CE,
};

/**
 * struct frame - bytes, and what is known of them
 * @next: in the queue it is in
 * @len: of @bytes
 * @tag: the ends'
 * @source: host it comes from
 * @destination: host it goes to
 * @entropy: equal for frames that shall take one path
 * @ingress: port of the switch that it came in by
 * @priority: 0 to 7, IEEE 802.1Q
 * @ecn: enum frame_ecn
 * @is_control: a MAC control frame, from one port to the next only
 * @corrupt: a bit was flipped
 * @bytes: @len of them
 */
struct frame {
	struct frame *next;
	u32 len;
	u32 tag;
	u32 source;
	u32 destination;
	u32 entropy;
	u32 ingress;
	u8 priority;
	u8 ecn;
	bool is_control;
	bool corrupt;
	u8 bytes[];
};

/**
 * struct queue - frames, oldest first
 * @first: the oldest
 * @last: where the next one goes
 * @frames: how many
 * @bytes: buffer that they occupy
 */
struct queue {
	struct frame *first;
	struct frame **last;
	u32 frames;
	u64 bytes;
};

struct frame *frame_new(u32 len);
struct frame *frame_copy(const struct frame *frame);
void frame_free(void *frame);

void queue_init(struct queue *queue);
void queue_put(struct queue *queue, struct frame *frame, u32 bytes);
struct frame *queue_take(struct queue *queue);
void queue_cleanup(struct queue *queue);

#endif /* FABRIC_FRAME_H */
