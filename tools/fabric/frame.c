// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "frame.h"

#include <stdlib.h>
#include <string.h>

/**
 * frame_new - an empty frame
 * @len: bytes it has, all 0
 *
 * Return: the frame, of the caller; the program ends when there is no memory.
 */
struct frame *frame_new(u32 len)
{
	struct frame *frame = calloc(1, sizeof(*frame) + len);

	if (!frame)
		abort();
	frame->len = len;
	return frame;
}

/**
 * frame_copy - another one like it
 * @frame: which
 *
 * Return: the copy, of the caller.
 */
struct frame *frame_copy(const struct frame *frame)
{
	struct frame *copy = frame_new(frame->len);

	memcpy(copy, frame, sizeof(*frame) + frame->len);
	copy->next = NULL;
	return copy;
}

/**
 * frame_free - it has arrived, or is lost
 * @frame: which; void, so that it can be the end of a link
 */
void frame_free(void *frame)
{
	free(frame);
}

/**
 * queue_init - no frames
 * @queue: which
 */
void queue_init(struct queue *queue)
{
	*queue = (struct queue){ .last = &queue->first };
}

/**
 * queue_put - one more, at the end
 * @queue: where
 * @frame: the queue's from now on
 * @bytes: buffer that it occupies
 */
void queue_put(struct queue *queue, struct frame *frame, u32 bytes)
{
	frame->next = NULL;
	*queue->last = frame;
	queue->last = &frame->next;
	queue->frames++;
	queue->bytes += bytes;
}

/**
 * queue_take - the oldest
 * @queue: from which; the caller takes the bytes off
 *
 * Return: the frame, or NULL.
 */
struct frame *queue_take(struct queue *queue)
{
	struct frame *frame = queue->first;

	if (!frame)
		return NULL;
	queue->first = frame->next;
	if (!queue->first)
		queue->last = &queue->first;
	queue->frames--;
	return frame;
}

/**
 * queue_cleanup - lose what is left
 * @queue: which
 */
void queue_cleanup(struct queue *queue)
{
	struct frame *frame;

	while ((frame = queue_take(queue)))
		frame_free(frame);
}
