/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One turn of the task: take in what arrived, answer, send, complete. L3.
 */
#ifndef CROCE_TURN_H
#define CROCE_TURN_H

#include "qp.h"
#include "task.h"

unsigned int croce_turn(struct croce_qp *qp, unsigned int work,
			enum croce_context context);
void croce_turn_error(struct croce_qp *qp);

#endif /* CROCE_TURN_H */
