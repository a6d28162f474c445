// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compat.h"
#include "croce_abi.h"
#include "fake_cmd.h"

#define FILE_NAME "croce-fake"
#define MAP_SIZE (64 * 1024)
#define RING_OFFSET 256

struct fake_module module;

static struct verbs_context vctx;
static uint64_t next_offset;

void fake_module_init(void)
{
	int fd = memfd_create(FILE_NAME, 0);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 256 * MAP_SIZE), 0);
	memset(&module, 0, sizeof(module));
	memset(&vctx, 0, sizeof(vctx));
	vctx.context.cmd_fd = fd;
	module.ctx = &vctx.context;
	module.abi_version = CROCE_ABI_VERSION;
	module.srq_slots = 8;
	next_offset = 0;
}

void fake_module_cleanup(void)
{
	close(module.ctx->cmd_fd);
}

unsigned int fake_module_maps(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned int found = 0;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		found += !!strstr(line, FILE_NAME);
	fclose(maps);
	return found;
}

static int enter(enum fake_cmd cmd)
{
	module.calls[cmd]++;
	return module.fail_err && module.fail_cmd == cmd ? module.fail_err : 0;
}

/* A place in the file, and the module's own look at it. */
static void *make_map(__u64 *map_offset, __u64 *map_length)
{
	void *addr;

	*map_offset = next_offset;
	*map_length = module.bad_map ? 0 : MAP_SIZE;
	addr = mmap(NULL, MAP_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		    module.ctx->cmd_fd, next_offset);
	assert_ptr_not_equal(addr, MAP_FAILED);
	next_offset += MAP_SIZE;
	return addr;
}

static struct croce_queue_map queue_map(uint32_t at, uint32_t slots,
					uint32_t stride)
{
	return (struct croce_queue_map){
		.ctl_offset = at,
		.ring_offset = at + RING_OFFSET,
		.slots = slots,
		.stride = stride,
	};
}

static void make_cq(struct croce_create_cq_resp *resp, uint32_t slots,
		    const struct croce_cq_ring *old)
{
	uint8_t *map = make_map(&resp->map_offset, &resp->map_length);
	struct croce_cq_ctl *ctl = (struct croce_cq_ctl *)map;
	uint32_t i;

	resp->cq = queue_map(0, slots, sizeof(struct croce_cqe));
	if (old) {
		*ctl = *old->ctl;
		for (i = ctl->cons; i != ctl->prod; i++)
			memcpy(map + RING_OFFSET +
				       (i & (slots - 1)) * resp->cq.stride,
			       croce_cq_ring_slot(old, i), resp->cq.stride);
	}
	munmap(map, MAP_SIZE);
}

#ifdef CROCE_HAVE_CQ_PROV_ATTR
int ibv_cmd_create_cq_ex(struct ibv_context *ctx,
			 const struct ibv_cq_init_attr_ex *attr,
			 struct verbs_create_cq_prov_attr *prov_attr,
			 struct verbs_cq *vcq, struct ibv_create_cq_ex *cmd,
			 size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *resp,
			 size_t resp_size, uint32_t cmd_flags)
#else
int ibv_cmd_create_cq_ex(struct ibv_context *ctx,
			 const struct ibv_cq_init_attr_ex *attr,
			 struct verbs_cq *vcq, struct ibv_create_cq_ex *cmd,
			 size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *resp,
			 size_t resp_size, uint32_t cmd_flags)
#endif
{
	struct croce_cmd_create_cq_resp *drv =
		container_of(resp, struct croce_cmd_create_cq_resp, ibv_resp);
	int err = enter(CMD_CREATE_CQ);

	assert_int_equal(resp_size, sizeof(*drv));
	if (err)
		return err;

	module.wc_flags = attr->wc_flags;
	module.cq_comp_mask = attr->comp_mask;
	vcq->cq.context = ctx;
	vcq->cq.cqe = attr->cqe;
	make_cq(&drv->drv_payload, attr->cqe, NULL);
	return 0;
}

int ibv_cmd_resize_cq(struct ibv_cq *cq, int cqe, struct ibv_resize_cq *cmd,
		      size_t cmd_size, struct ib_uverbs_resize_cq_resp *resp,
		      size_t resp_size)
{
	struct croce_cmd_resize_cq_resp *drv =
		container_of(resp, struct croce_cmd_resize_cq_resp, ibv_resp);
	int err = enter(CMD_RESIZE_CQ);

	assert_int_equal(cmd_size, sizeof(struct croce_cmd_resize_cq));
	assert_int_equal(resp_size, sizeof(*drv));
	if (err)
		return err;

	make_cq(&drv->drv_payload, cqe, &to_croce_cq(cq)->ring);
	cq->cqe = cqe;
	return 0;
}

int ibv_cmd_destroy_cq(struct ibv_cq *cq)
{
	return enter(CMD_DESTROY_CQ);
}

static void make_qp(struct croce_create_qp_resp *resp,
		    const struct ibv_qp_init_attr_ex *attr)
{
	uint32_t stride = 64 + 16 * attr->cap.max_send_sge;

	munmap(make_map(&resp->map_offset, &resp->map_length), MAP_SIZE);
	resp->sq = queue_map(0, attr->cap.max_send_wr, stride);
	resp->max_inline = 16 * attr->cap.max_send_sge;
	if (!attr->srq)
		resp->rq = queue_map(MAP_SIZE / 2, attr->cap.max_recv_wr,
				     16 + 16 * attr->cap.max_recv_sge);
}

int ibv_cmd_create_qp_ex2(struct ibv_context *ctx, struct verbs_qp *qp,
			  struct ibv_qp_init_attr_ex *attr,
			  struct ibv_create_qp_ex *cmd, size_t cmd_size,
			  struct ib_uverbs_ex_create_qp_resp *resp,
			  size_t resp_size
#ifdef CROCE_HAVE_QP_DRIVER
			  , struct ibv_command_buffer *driver
#endif
)
{
	struct croce_cmd_create_qp_resp *drv =
		container_of(resp, struct croce_cmd_create_qp_resp, ibv_resp);
	int err = enter(CMD_CREATE_QP);

	assert_int_equal(cmd_size, sizeof(struct croce_cmd_create_qp));
	assert_int_equal(resp_size, sizeof(*drv));
	if (err)
		return err;

	/* The kernel core makes a target for itself, and has no answer. */
	if (attr->qp_type != IBV_QPT_XRC_RECV)
		make_qp(&drv->drv_payload, attr);
	qp->comp_mask = 0;
	qp->qp.context = ctx;
	qp->qp.qp_type = attr->qp_type;
	qp->qp.send_cq = attr->send_cq;
	qp->qp.recv_cq = attr->recv_cq;
	qp->qp.srq = attr->srq;
	qp->qp.qp_num = 7;
	return 0;
}

int ibv_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		      int attr_mask, struct ibv_modify_qp *cmd, size_t cmd_size)
{
	struct croce_qp *cqp = to_croce_qp(qp);
	int err = enter(CMD_MODIFY_QP);

	if (!err && (attr_mask & IBV_QP_STATE) && cqp->sq.slots &&
	    attr->qp_state == IBV_QPS_RESET) {
		cqp->sq.ctl->cons = cqp->sq.ctl->prod;
		if (cqp->rq.slots)
			cqp->rq.ctl->cons = cqp->rq.ctl->prod;
	}
	return err;
}

int ibv_cmd_destroy_qp(struct ibv_qp *qp)
{
	return enter(CMD_DESTROY_QP);
}

static void make_srq(struct croce_create_srq_resp *resp, uint32_t max_sge,
		     const struct croce_wq *old)
{
	uint32_t slots = module.srq_slots, stride = 16 + 16 * max_sge, i;
	uint8_t *map = make_map(&resp->map_offset, &resp->map_length);
	struct croce_wq_ctl *ctl = (struct croce_wq_ctl *)map;

	resp->rq = queue_map(0, slots, stride);
	resp->srq_num = 99;
	if (old) {
		*ctl = *old->ctl;
		for (i = ctl->cons; i != ctl->prod; i++)
			memcpy(map + RING_OFFSET + (i & (slots - 1)) * stride,
			       croce_wq_slot(old, i), stride);
	}
	munmap(map, MAP_SIZE);
}

int ibv_cmd_create_srq_ex(struct ibv_context *ctx, struct verbs_srq *srq,
			  struct ibv_srq_init_attr_ex *attr,
			  struct ibv_create_xsrq *cmd, size_t cmd_size,
			  struct ib_uverbs_create_srq_resp *resp,
			  size_t resp_size)
{
	struct croce_cmd_create_srq_ex_resp *drv =
		container_of(resp, struct croce_cmd_create_srq_ex_resp,
			     ibv_resp);
	int err = enter(CMD_CREATE_SRQ);

	assert_int_equal(cmd_size, sizeof(struct croce_cmd_create_srq_ex));
	assert_int_equal(resp_size, sizeof(*drv));
	if (err)
		return err;

	srq->srq.context = ctx;
	srq->srq.pd = attr->pd;
	make_srq(&drv->drv_payload, attr->attr.max_sge, NULL);
	return 0;
}

int ibv_cmd_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
		       int attr_mask, struct ibv_modify_srq *cmd,
		       size_t cmd_size)
{
	struct croce_cmd_modify_srq *drv =
		container_of(cmd, struct croce_cmd_modify_srq, ibv_cmd);
	const struct croce_wq *wq = &to_croce_srq(srq)->wq;
	int err = enter(CMD_MODIFY_SRQ);

	assert_int_equal(cmd_size, sizeof(*drv));
	assert_int_equal(drv->comp_mask, 0);
	if (!err && (attr_mask & IBV_SRQ_MAX_WR))
		make_srq((void *)(uintptr_t)drv->resp_addr, wq->max_sge, wq);
	if (!err && (attr_mask & IBV_SRQ_LIMIT))
		err = module.srq_limit_err;
	return err;
}

int ibv_cmd_destroy_srq(struct ibv_srq *srq)
{
	return enter(CMD_DESTROY_SRQ);
}

int ibv_cmd_open_xrcd(struct ibv_context *ctx, struct verbs_xrcd *xrcd,
		      int vxrcd_size, struct ibv_xrcd_init_attr *attr,
		      struct ibv_open_xrcd *cmd, size_t cmd_size,
		      struct ib_uverbs_open_xrcd_resp *resp, size_t resp_size)
{
	assert_int_equal(vxrcd_size, sizeof(*xrcd));
	assert_int_equal(cmd_size, sizeof(*cmd));
	assert_int_equal(resp_size, sizeof(*resp));
	xrcd->xrcd.context = ctx;
	return enter(CMD_OPEN_XRCD);
}

int ibv_cmd_close_xrcd(struct verbs_xrcd *xrcd)
{
	return enter(CMD_CLOSE_XRCD);
}

int ibv_cmd_open_qp(struct ibv_context *ctx, struct verbs_qp *qp, int vqp_size,
		    struct ibv_qp_open_attr *attr, struct ibv_open_qp *cmd,
		    size_t cmd_size, struct ib_uverbs_create_qp_resp *resp,
		    size_t resp_size)
{
	assert_int_equal(vqp_size, sizeof(*qp));
	assert_int_equal(cmd_size, sizeof(*cmd));
	assert_int_equal(resp_size, sizeof(*resp));
	qp->qp.context = ctx;
	qp->qp.qp_num = attr->qp_num;
	qp->qp.qp_type = attr->qp_type;
	qp->qp.state = IBV_QPS_UNKNOWN;
	return enter(CMD_OPEN_QP);
}

int ibv_cmd_alloc_pd(struct ibv_context *ctx, struct ibv_pd *pd,
		     struct ibv_alloc_pd *cmd, size_t cmd_size,
		     struct ib_uverbs_alloc_pd_resp *resp, size_t resp_size)
{
	struct croce_cmd_alloc_pd_resp *drv =
		container_of(resp, struct croce_cmd_alloc_pd_resp, ibv_resp);

	assert_int_equal(resp_size, sizeof(*drv));
	drv->pdn = 0x5d;
	pd->context = ctx;
	pd->handle = 0x77;
	return enter(CMD_ALLOC_PD);
}

int ibv_cmd_dealloc_pd(struct ibv_pd *pd)
{
	return enter(CMD_DEALLOC_PD);
}

int ibv_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah,
		      struct ibv_ah_attr *attr,
		      struct ib_uverbs_create_ah_resp *resp, size_t resp_size)
{
	struct croce_cmd_create_ah_resp *drv =
		container_of(resp, struct croce_cmd_create_ah_resp, ibv_resp);

	assert_int_equal(resp_size, sizeof(*drv));
	drv->ah = 0xa4;
	return enter(CMD_OTHER);
}

int ibv_cmd_query_device_any(struct ibv_context *ctx,
			     const struct ibv_query_device_ex_input *input,
			     struct ibv_device_attr_ex *attr, size_t attr_size,
			     struct ib_uverbs_ex_query_device_resp *resp,
			     size_t *resp_size)
{
	memset(attr, 0, attr_size);
	if (attr_size == sizeof(*attr))
		attr->device_cap_flags_ex = module.device_caps;
	if (resp)
		resp->base.fw_ver = 1ULL << 32 | 2 << 16 | 3;
	return enter(CMD_OTHER);
}

int ibv_cmd_get_context(struct verbs_context *ctx, struct ibv_get_context *cmd,
			size_t cmd_size,
#ifdef CROCE_HAVE_CONTEXT_FD_ARR
			struct ibv_fd_arr *fds,
#endif
			struct ib_uverbs_get_context_resp *resp,
			size_t resp_size)
{
	struct croce_cmd_alloc_ucontext *req =
		container_of(cmd, struct croce_cmd_alloc_ucontext, ibv_cmd);
	struct croce_cmd_alloc_ucontext_resp *drv = container_of(
		resp, struct croce_cmd_alloc_ucontext_resp, ibv_resp);

	assert_int_equal(cmd_size, sizeof(*req));
	assert_int_equal(resp_size, sizeof(*drv));
	module.get_context_mask = req->comp_mask;
	module.get_context_version = req->abi_version;
	drv->abi_version = module.abi_version;
	drv->max_inline = 512;
	return enter(CMD_GET_CONTEXT);
}

void *_verbs_init_and_alloc_context(struct ibv_device *device, int cmd_fd,
				    size_t alloc_size,
				    struct verbs_context *context_offset,
				    uint32_t driver_id)
{
	struct ibv_device *dev = calloc(1, sizeof(*dev));
	uint8_t *drv = calloc(1, alloc_size);
	struct verbs_context *ctx;

	assert_int_equal(driver_id, CROCE_DRIVER_ID);
	ctx = (void *)(drv + (uintptr_t)context_offset);
	ctx->context.device = dev;
	return drv;
}

void verbs_uninit_context(struct verbs_context *ctx)
{
	free(ctx->context.device);
}

void verbs_set_ops(struct verbs_context *ctx,
		   const struct verbs_context_ops *ops)
{
	module.ops = ops;
}

void verbs_register_driver(const struct verbs_device_ops *ops)
{
}

void __verbs_log(struct verbs_context *ctx, uint32_t level, const char *fmt,
		 ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(module.log, sizeof(module.log), fmt, ap);
	va_end(ap);
}

/* Commands that the provider passes on, and no test looks at. */
#define PASSED_ON(name, ...)                                                   \
	int name(__VA_ARGS__)                                                  \
	{                                                                      \
		return enter(CMD_OTHER);                                       \
	}

PASSED_ON(ibv_cmd_advise_mr, struct ibv_pd *pd,
	  enum ibv_advise_mr_advice advice, uint32_t flags,
	  struct ibv_sge *list, uint32_t num_sge)
PASSED_ON(ibv_cmd_attach_mcast, struct ibv_qp *qp, const union ibv_gid *gid,
	  uint16_t lid)
PASSED_ON(ibv_cmd_detach_mcast, struct ibv_qp *qp, const union ibv_gid *gid,
	  uint16_t lid)
PASSED_ON(ibv_cmd_query_port, struct ibv_context *ctx, uint8_t port,
	  struct ibv_port_attr *attr, struct ibv_query_port *cmd, size_t size)
#ifdef CROCE_HAVE_PORT_SPEED
PASSED_ON(ibv_cmd_query_port_speed, struct ibv_context *ctx, uint32_t port,
	  uint64_t *speed)
#endif
PASSED_ON(ibv_cmd_reg_mr, struct ibv_pd *pd, void *addr, size_t length,
	  uint64_t hca_va, int access, struct verbs_mr *vmr,
	  struct ibv_reg_mr *cmd, size_t cmd_size,
	  struct ib_uverbs_reg_mr_resp *resp, size_t resp_size)
#ifdef CROCE_HAVE_DMABUF_MR_DRIVER
PASSED_ON(ibv_cmd_reg_dmabuf_mr, struct ibv_pd *pd, uint64_t offset,
	  size_t length, uint64_t iova, int fd, int access,
	  struct verbs_mr *vmr, struct ibv_command_buffer *driver)
#else
PASSED_ON(ibv_cmd_reg_dmabuf_mr, struct ibv_pd *pd, uint64_t offset,
	  size_t length, uint64_t iova, int fd, int access,
	  struct verbs_mr *vmr)
#endif
PASSED_ON(ibv_cmd_rereg_mr, struct verbs_mr *vmr, uint32_t flags, void *addr,
	  size_t length, uint64_t hca_va, int access, struct ibv_pd *pd,
	  struct ibv_rereg_mr *cmd, size_t cmd_size,
	  struct ib_uverbs_rereg_mr_resp *resp, size_t resp_size)
PASSED_ON(ibv_cmd_dereg_mr, struct verbs_mr *vmr)
PASSED_ON(ibv_cmd_alloc_mw, struct ibv_pd *pd, enum ibv_mw_type type,
	  struct ibv_mw *mw, struct ibv_alloc_mw *cmd, size_t cmd_size,
	  struct ib_uverbs_alloc_mw_resp *resp, size_t resp_size)
PASSED_ON(ibv_cmd_dealloc_mw, struct ibv_mw *mw)
PASSED_ON(ibv_cmd_destroy_ah, struct ibv_ah *ah)
PASSED_ON(ibv_cmd_query_srq, struct ibv_srq *srq, struct ibv_srq_attr *attr,
	  struct ibv_query_srq *cmd, size_t cmd_size)
PASSED_ON(ibv_cmd_query_qp, struct ibv_qp *qp, struct ibv_qp_attr *attr,
	  int attr_mask, struct ibv_qp_init_attr *init_attr,
	  struct ibv_query_qp *cmd, size_t cmd_size)
