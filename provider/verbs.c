// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Device, port, domains, memory, windows, address handles: the verbs without a
 * queue. Each is a command and its library object.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "compat.h"
#include "croce.h"
#include "croce_abi.h"

/* Maps the memory that the kernel made for a queue. */
int croce_map_init(struct croce_map *map, struct ibv_context *ctx,
		   uint64_t offset, uint64_t length)
{
	void *addr = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED,
			  ctx->cmd_fd, offset);

	if (addr == MAP_FAILED)
		return errno;

	map->addr = addr;
	map->length = length;
	return 0;
}

void croce_map_cleanup(struct croce_map *map)
{
	if (map->addr)
		munmap(map->addr, map->length);
	map->addr = NULL;
}

int croce_query_device_ex(struct ibv_context *ctx,
			  const struct ibv_query_device_ex_input *input,
			  struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp = {};
	size_t resp_size = sizeof(resp);
	uint64_t fw_ver;
	int err;

	err = ibv_cmd_query_device_any(ctx, input, attr, attr_size, &resp,
				       &resp_size);
	if (err)
		return err;

	fw_ver = resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver),
		 "%u.%u.%u", (unsigned int)(fw_ver >> 32) & 0xffff,
		 (unsigned int)(fw_ver >> 16) & 0xffff,
		 (unsigned int)fw_ver & 0xffff);
	return 0;
}

int croce_query_port(struct ibv_context *ctx, uint8_t port,
		     struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd;

	return ibv_cmd_query_port(ctx, port, attr, &cmd, sizeof(cmd));
}

/* The raw clock of the timestamps is CLOCK_MONOTONIC. */
int croce_query_rt_values(struct ibv_context *ctx, struct ibv_values_ex *values)
{
	uint32_t asked = values->comp_mask;

	values->comp_mask = 0;
	if (asked & ~IBV_VALUES_MASK_RAW_CLOCK)
		return EINVAL;

	if (asked & IBV_VALUES_MASK_RAW_CLOCK) {
		clock_gettime(CLOCK_MONOTONIC, &values->raw_clock);
		values->comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
	}
	return 0;
}

struct ibv_pd *croce_alloc_pd(struct ibv_context *ctx)
{
	struct croce_cmd_alloc_pd_resp resp = {};
	struct ibv_alloc_pd cmd;
	struct croce_pd *pd;
	int err;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;

	err = ibv_cmd_alloc_pd(ctx, &pd->ibv_pd, &cmd, sizeof(cmd),
			       &resp.ibv_resp, sizeof(resp));
	if (err) {
		free(pd);
		errno = err;
		return NULL;
	}

	atomic_init(&pd->users, 0);
	pd->pdn = resp.pdn;
	return &pd->ibv_pd;
}

/* Queues live in memory of the kernel, so there is nothing to allocate. */
struct ibv_pd *croce_alloc_parent_domain(struct ibv_context *ctx,
					 struct ibv_parent_domain_init_attr *attr)
{
	struct croce_pd *pd;

	if (ibv_check_alloc_parent_domain(attr))
		return NULL;
	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;

	ibv_initialize_parent_domain(&pd->ibv_pd, attr->pd);
	atomic_init(&pd->users, 0);
	pd->contained = to_croce_pd(attr->pd);
	pd->pdn = pd->contained->pdn;
	atomic_fetch_add(&pd->contained->users, 1);
	if (attr->td) {
		pd->td = to_croce_td(attr->td);
		atomic_fetch_add(&pd->td->users, 1);
	}
	return &pd->ibv_pd;
}

static void free_parent_domain(struct croce_pd *pd)
{
	if (pd->td)
		atomic_fetch_sub(&pd->td->users, 1);
	atomic_fetch_sub(&pd->contained->users, 1);
	free(pd);
}

int croce_dealloc_pd(struct ibv_pd *ibpd)
{
	struct croce_pd *pd = to_croce_pd(ibpd);
	int err;

	if (atomic_load(&pd->users))
		return EBUSY;
	if (pd->contained) {
		free_parent_domain(pd);
		return 0;
	}

	err = ibv_cmd_dealloc_pd(ibpd);
	if (err)
		return err;

	free(pd);
	return 0;
}

/* Whether objects of @pd belong to one thread; @pd may be NULL. */
bool croce_pd_is_single_threaded(struct ibv_pd *pd)
{
	return pd && to_croce_pd(pd)->td;
}

struct ibv_td *croce_alloc_td(struct ibv_context *ctx,
			      struct ibv_td_init_attr *attr)
{
	struct croce_td *td;

	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}

	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;

	td->ibv_td.context = ctx;
	atomic_init(&td->users, 0);
	return &td->ibv_td;
}

int croce_dealloc_td(struct ibv_td *ibtd)
{
	struct croce_td *td = to_croce_td(ibtd);

	if (atomic_load(&td->users))
		return EBUSY;

	free(td);
	return 0;
}

struct ibv_mr *croce_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			    uint64_t hca_va, int access)
{
	struct ib_uverbs_reg_mr_resp resp;
	struct ibv_reg_mr cmd;
	struct verbs_mr *vmr;
	int err;

	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;

	err = ibv_cmd_reg_mr(pd, addr, length, hca_va, access, vmr, &cmd,
			     sizeof(cmd), &resp, sizeof(resp));
	if (err) {
		free(vmr);
		errno = err;
		return NULL;
	}
	return &vmr->ibv_mr;
}

struct ibv_mr *croce_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				   size_t length, uint64_t iova, int fd,
				   int access)
{
	struct verbs_mr *vmr;
	int err;

	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;

	err = croce_ibv_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access,
					  vmr);
	if (err) {
		free(vmr);
		errno = err;
		return NULL;
	}
	return &vmr->ibv_mr;
}

int croce_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		   void *addr, size_t length, int access)
{
	struct ib_uverbs_rereg_mr_resp resp;
	struct ibv_rereg_mr cmd;

	return ibv_cmd_rereg_mr(vmr, flags, addr, length, (uintptr_t)addr,
				access, pd, &cmd, sizeof(cmd), &resp,
				sizeof(resp));
}

int croce_dereg_mr(struct verbs_mr *vmr)
{
	int err = ibv_cmd_dereg_mr(vmr);

	if (err)
		return err;

	free(vmr);
	return 0;
}

struct ibv_mw *croce_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ib_uverbs_alloc_mw_resp resp;
	struct ibv_alloc_mw cmd;
	struct ibv_mw *mw;
	int err;

	mw = calloc(1, sizeof(*mw));
	if (!mw)
		return NULL;

	err = ibv_cmd_alloc_mw(pd, type, mw, &cmd, sizeof(cmd), &resp,
			       sizeof(resp));
	if (err) {
		free(mw);
		errno = err;
		return NULL;
	}
	return mw;
}

int croce_dealloc_mw(struct ibv_mw *mw)
{
	int err = ibv_cmd_dealloc_mw(mw);

	if (err)
		return err;

	free(mw);
	return 0;
}

struct ibv_ah *croce_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct croce_cmd_create_ah_resp resp = {};
	struct croce_ah *ah;
	int err;

	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return NULL;

	err = ibv_cmd_create_ah(pd, &ah->ibv_ah, attr, &resp.ibv_resp,
				sizeof(resp));
	if (err) {
		free(ah);
		errno = err;
		return NULL;
	}

	ah->ah = resp.ah;
	return &ah->ibv_ah;
}

int croce_destroy_ah(struct ibv_ah *ibah)
{
	int err = ibv_cmd_destroy_ah(ibah);

	if (err)
		return err;

	free(to_croce_ah(ibah));
	return 0;
}
