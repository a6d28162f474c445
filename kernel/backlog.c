// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * See backlog.h. What waits here was sent by anybody and not looked at, so
 * there is a limit to how much of it there is.
 */
#include <linux/sizes.h>
#include "backlog.h"

/* Skbs at most, for many that are small. */
#define SKBS_MAX	1024U
/* Four of the largest windows: CROCE_REQ_WINDOW_MAX packets of 4096 bytes. */
#define BYTES_MAX	SZ_4M

/**
 * croce_backlog_init - no packet waits
 * @backlog: new backlog
 *
 * Context: any.
 */
void croce_backlog_init(struct croce_backlog *backlog)
{
	skb_queue_head_init(&backlog->skbs);
	backlog->bytes = 0;
}

/**
 * croce_backlog_add - a packet or run waits behind the others
 * @backlog: backlog
 * @skb: packet; the backlog's when the answer is true, else the caller's
 *
 * Return: false when there is too much already.
 * Context: any.
 */
bool croce_backlog_add(struct croce_backlog *backlog, struct sk_buff *skb)
{
	struct sk_buff_head *skbs = &backlog->skbs;
	unsigned long flags;
	bool fits;

	spin_lock_irqsave(&skbs->lock, flags);
	fits = skb_queue_len(skbs) < SKBS_MAX &&
	       backlog->bytes + skb->len <= BYTES_MAX;
	if (fits) {
		__skb_queue_tail(skbs, skb);
		backlog->bytes += skb->len;
	}
	spin_unlock_irqrestore(&skbs->lock, flags);
	return fits;
}

/**
 * croce_backlog_give_back - what was taken waits again, before the others
 * @backlog: backlog
 * @skb: packet or run; the backlog's
 *
 * Context: owner of the task.
 */
void croce_backlog_give_back(struct croce_backlog *backlog,
			     struct sk_buff *skb)
{
	struct sk_buff_head *skbs = &backlog->skbs;
	unsigned long flags;

	spin_lock_irqsave(&skbs->lock, flags);
	__skb_queue_head(skbs, skb);
	backlog->bytes += skb->len;
	spin_unlock_irqrestore(&skbs->lock, flags);
}

/**
 * croce_backlog_take - the first of those that wait
 * @backlog: backlog
 *
 * Return: packet or run, the caller's, or NULL.
 * Context: owner of the task.
 */
struct sk_buff *croce_backlog_take(struct croce_backlog *backlog)
{
	struct sk_buff_head *skbs = &backlog->skbs;
	struct sk_buff *skb;
	unsigned long flags;

	spin_lock_irqsave(&skbs->lock, flags);
	skb = __skb_dequeue(skbs);
	if (skb)
		backlog->bytes -= skb->len;
	spin_unlock_irqrestore(&skbs->lock, flags);
	return skb;
}

/**
 * croce_backlog_purge - drop all that wait
 * @backlog: backlog
 *
 * Context: any.
 */
void croce_backlog_purge(struct croce_backlog *backlog)
{
	struct sk_buff *skb;

	while ((skb = croce_backlog_take(backlog)))
		kfree_skb(skb);
}
