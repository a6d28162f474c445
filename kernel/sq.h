/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * From the send queue that the consumer writes to the private images. L3.
 */
#ifndef CROCE_SQ_H
#define CROCE_SQ_H

#include "qp.h"

/* REG_MR exists for kernel consumers only; above all numbers of the ABI. */
#define CROCE_WR_REG_MR		0x20

void croce_sq_fetch(struct croce_qp *qp);
int croce_sq_write(struct croce_qp *qp, const struct ib_send_wr *wr);
bool croce_sq_is_ahead(struct croce_qp *qp);
void croce_sq_report(struct croce_qp *qp, u32 state);

#endif /* CROCE_SQ_H */
