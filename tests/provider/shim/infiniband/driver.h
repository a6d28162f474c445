/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stand-in for the private header of rdma-core: only what the provider's data
 * path uses of it, written from its interface. Layouts need not be the same.
 */
#ifndef SHIM_DRIVER_H
#define SHIM_DRIVER_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#define container_of(ptr, type, member)                                        \
	((type *)((char *)(ptr) - offsetof(type, member)))

struct verbs_device {
	struct ibv_device device;
};

struct verbs_qp {
	union {
		struct ibv_qp qp;
		struct ibv_qp_ex qp_ex;
	};
	uint32_t comp_mask;
};

struct verbs_cq {
	union {
		struct ibv_cq cq;
		struct ibv_cq_ex cq_ex;
	};
};

struct verbs_srq {
	struct ibv_srq srq;
	uint32_t srq_num;
};

struct verbs_mr {
	struct ibv_mr ibv_mr;
};

int ibv_cmd_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		      struct ibv_send_wr **bad_wr);

#endif /* SHIM_DRIVER_H */
