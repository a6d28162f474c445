/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Lets runs of packets that were never split reach the sockets whole. L3.
 */
#ifndef CROCE_HOOK_H
#define CROCE_HOOK_H

#include <linux/kconfig.h>

struct net;

#if IS_ENABLED(CONFIG_NETFILTER)
int croce_hook_open(struct net *net);
void croce_hook_close(struct net *net);
#else
/* Without netfilter the runs arrive split: slower, not wrong. */
static inline int croce_hook_open(struct net *net)
{
	return 0;
}

static inline void croce_hook_close(struct net *net)
{
}
#endif

#endif /* CROCE_HOOK_H */
