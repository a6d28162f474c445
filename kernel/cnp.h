/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Congestion notification packets: sent as notification point, heeded as
 * reaction point. L3.
 */
#ifndef CROCE_CNP_H
#define CROCE_CNP_H

#include "qp.h"

void croce_cnp_on_mark(struct croce_qp *qp, const struct croce_pkt *pkt,
		       u32 priority);
void croce_cnp_received(struct croce_qp *qp);

#endif /* CROCE_CNP_H */
