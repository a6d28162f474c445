/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Differences between the releases of rdma-core that this provider builds in.
 * CMakeLists.txt looks for each in the headers of the tree itself, since the
 * interface is private and branches carry backports. Every entry names the
 * release that made it: once that is the oldest supported one, it goes.
 */
#ifndef CROCE_COMPAT_H
#define CROCE_COMPAT_H

#include <infiniband/driver.h>

/* 61: files may be handed over when a context opens. */
#ifdef CROCE_HAVE_CONTEXT_FD_ARR
#define croce_ibv_cmd_get_context(ctx, cmd, cmd_size, resp, resp_size)         \
	ibv_cmd_get_context(ctx, cmd, cmd_size, NULL, resp, resp_size)
#else
#define croce_ibv_cmd_get_context ibv_cmd_get_context
#endif

/* 55: a provider may add attributes to the registration of a dma-buf. */
#ifdef CROCE_HAVE_DMABUF_MR_DRIVER
#define croce_ibv_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, mr)  \
	ibv_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, mr, NULL)
#else
#define croce_ibv_cmd_reg_dmabuf_mr ibv_cmd_reg_dmabuf_mr
#endif

/* 59: a provider may bring the memory of the CQ. */
#ifdef CROCE_HAVE_CQ_PROV_ATTR
#define croce_ibv_cmd_create_cq_ex(ctx, attr, cq, cmd, cmd_size, resp,         \
				   resp_size)                                  \
	ibv_cmd_create_cq_ex(ctx, attr, NULL, cq, cmd, cmd_size, resp,         \
			     resp_size, 0)
#else
#define croce_ibv_cmd_create_cq_ex(ctx, attr, cq, cmd, cmd_size, resp,         \
				   resp_size)                                  \
	ibv_cmd_create_cq_ex(ctx, attr, cq, cmd, cmd_size, resp, resp_size, 0)
#endif

/* 65: a provider may add attributes to the creation of a QP. */
#ifdef CROCE_HAVE_QP_DRIVER
#define croce_ibv_cmd_create_qp_ex2(ctx, qp, attr, cmd, cmd_size, resp,        \
				    resp_size)                                 \
	ibv_cmd_create_qp_ex2(ctx, qp, attr, cmd, cmd_size, resp, resp_size,   \
			      NULL)
#else
#define croce_ibv_cmd_create_qp_ex2 ibv_cmd_create_qp_ex2
#endif

/* 47: FLUSH; CROCE_HAVE_FLUSH guards the few lines about it. */
/* 63: ibv_query_port_speed(); CROCE_HAVE_PORT_SPEED guards its entry. */

#endif /* CROCE_COMPAT_H */
