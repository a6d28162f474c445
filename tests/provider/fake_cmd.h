/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Stand-in for libibverbs' commands: a module that makes queues in a file and
 * remembers what it was asked. Only with the private headers of a tree.
 */
#ifndef FAKE_CMD_H
#define FAKE_CMD_H

#include "fake.h"

#define NUM_CMDS 64

enum fake_cmd {
	CMD_GET_CONTEXT,
	CMD_ALLOC_PD,
	CMD_DEALLOC_PD,
	CMD_CREATE_CQ,
	CMD_RESIZE_CQ,
	CMD_DESTROY_CQ,
	CMD_CREATE_QP,
	CMD_MODIFY_QP,
	CMD_DESTROY_QP,
	CMD_CREATE_SRQ,
	CMD_MODIFY_SRQ,
	CMD_DESTROY_SRQ,
	CMD_OPEN_XRCD,
	CMD_CLOSE_XRCD,
	CMD_OPEN_QP,
	CMD_OTHER,
};

struct fake_module {
	struct ibv_context *ctx; /* open, with the file as its command file */
	unsigned int calls[NUM_CMDS];
	enum fake_cmd fail_cmd; /* fails with @fail_err when that is not 0 */
	int fail_err;
	bool bad_map; /* what is made next can't be mapped */
	uint32_t abi_version;
	uint64_t device_caps;
	uint32_t srq_slots; /* of the next SRQ or its next mapping */
	int srq_limit_err; /* what a change of the limit fails with */

	/* last request and object */
	uint64_t wc_flags;
	uint32_t cq_comp_mask;
	uint64_t get_context_mask;
	uint32_t get_context_version;
	struct croce_cq *cq;
	struct croce_srq *srq;
	const struct verbs_context_ops *ops;
	char log[256];
};

extern struct fake_module module;

void fake_module_init(void);
void fake_module_cleanup(void);

/* Mappings of the file that are in this process. */
unsigned int fake_module_maps(void);

#endif /* FAKE_CMD_H */
