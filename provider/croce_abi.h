/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The commands of <rdma/croce-abi.h> behind the core's own, in the layout that
 * the ibv_cmd_*() functions want. Each line asserts that no padding slipped in.
 */
#ifndef CROCE_DRV_ABI_H
#define CROCE_DRV_ABI_H

#include <infiniband/kern-abi.h>
#include <rdma/croce-abi.h>
#include <kernel-abi/croce-abi.h>

DECLARE_DRV_CMD(croce_cmd_alloc_ucontext, IB_USER_VERBS_CMD_GET_CONTEXT,
		croce_alloc_ucontext_req, croce_alloc_ucontext_resp);
DECLARE_DRV_CMD(croce_cmd_alloc_pd, IB_USER_VERBS_CMD_ALLOC_PD,
		empty, croce_alloc_pd_resp);
DECLARE_DRV_CMD(croce_cmd_create_ah, IB_USER_VERBS_CMD_CREATE_AH,
		empty, croce_create_ah_resp);
DECLARE_DRV_CMD(croce_cmd_create_cq, IB_USER_VERBS_EX_CMD_CREATE_CQ,
		empty, croce_create_cq_resp);
DECLARE_DRV_CMD(croce_cmd_resize_cq, IB_USER_VERBS_CMD_RESIZE_CQ,
		empty, croce_create_cq_resp);
DECLARE_DRV_CMD(croce_cmd_create_qp, IB_USER_VERBS_EX_CMD_CREATE_QP,
		croce_create_qp_req, croce_create_qp_resp);
DECLARE_DRV_CMD(croce_cmd_create_srq_ex, IB_USER_VERBS_CMD_CREATE_XSRQ,
		empty, croce_create_srq_resp);
DECLARE_DRV_CMD(croce_cmd_modify_srq, IB_USER_VERBS_CMD_MODIFY_SRQ,
		croce_modify_srq_req, empty);

#endif /* CROCE_DRV_ABI_H */
