/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Transmission: from decisions to packets. The unit is a run of packets. L3.
 */
#ifndef CROCE_SEND_H
#define CROCE_SEND_H

#include "qp.h"

u32 croce_send_max_pkts(const struct croce_qp *qp);
int croce_send_request(struct croce_qp *qp, struct croce_req_run *run);
int croce_send_response(struct croce_qp *qp, struct croce_resp_run *run);

#endif /* CROCE_SEND_H */
