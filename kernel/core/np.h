/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Notification point: when a packet with a congestion mark is answered by a
 * CNP. The first is answered at once, later ones not before the minimum time
 * has passed, and none when there are no marks.
 */
#ifndef CROCE_CORE_NP_H
#define CROCE_CORE_NP_H

#include "../wire/env.h"

/**
 * enum croce_np_scope - what the time between CNPs is counted for
 * @CROCE_NP_PER_QP: each queue pair
 * @CROCE_NP_PER_IP: each address that CNPs go to, as ConnectX-4 Lx
 * @CROCE_NP_PER_PORT: the port, as ConnectX-5 and 6 Dx
 * @CROCE_NP_SCOPES: number of scopes
 */
enum croce_np_scope {
	CROCE_NP_PER_QP,
	CROCE_NP_PER_IP,
	CROCE_NP_PER_PORT,
	CROCE_NP_SCOPES,
};

/**
 * croce_np_is_due - may a CNP be sent?
 * @last_ns: time of the last one in this scope, 0 never
 * @min_time_ns: between two of them
 * @now_ns: current time
 *
 * Return: true when it may. Context: any.
 */
static inline bool croce_np_is_due(u64 last_ns, u64 min_time_ns, u64 now_ns)
{
	return !last_ns || now_ns - last_ns >= min_time_ns;
}

#endif /* CROCE_CORE_NP_H */
