/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Accesses of a queue pair that wait for a page. L3.
 */
#ifndef CROCE_FAULT_H
#define CROCE_FAULT_H

#include "qp.h"

void croce_fault_init(struct croce_qp *qp);
int croce_fault_begin(struct croce_qp *qp, struct croce_mr *mr, u64 addr,
		      u32 length, u32 access);
void croce_fault_stop(struct croce_qp *qp);
void croce_fault_forget(struct croce_qp *qp);

#endif /* CROCE_FAULT_H */
