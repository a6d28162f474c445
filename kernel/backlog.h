/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packets that found the task of their queue pair owned, for the owner. L2.
 */
#ifndef CROCE_BACKLOG_H
#define CROCE_BACKLOG_H

#include <linux/skbuff.h>

/**
 * struct croce_backlog - packets that wait for the owner of a task
 * @skbs: in order of arrival; its lock is L
 * @bytes: of them (L)
 */
struct croce_backlog {
	struct sk_buff_head skbs;
	unsigned int bytes;
};

void croce_backlog_init(struct croce_backlog *backlog);
bool croce_backlog_add(struct croce_backlog *backlog, struct sk_buff *skb);
void croce_backlog_give_back(struct croce_backlog *backlog,
			     struct sk_buff *skb);
struct sk_buff *croce_backlog_take(struct croce_backlog *backlog);
void croce_backlog_purge(struct croce_backlog *backlog);

/**
 * croce_backlog_is_empty - no packet waits
 * @backlog: backlog
 *
 * Return: what is true for the owner of the task until packets arrive.
 * Context: any.
 */
static inline bool croce_backlog_is_empty(const struct croce_backlog *backlog)
{
	return skb_queue_empty_lockless(&backlog->skbs);
}

#endif /* CROCE_BACKLOG_H */
