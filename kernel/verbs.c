// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the device is (attributes of device and port), contexts, protection
 * domains, and the table of verbs. What is reported here works, and what works
 * is reported.
 */
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>
#include "ah.h"
#include "cq.h"
#include "dev.h"
#include "mcast.h"
#include "mr.h"
#include "odp.h"
#include "qp.h"
#include "sock.h"
#include "srq.h"
#include "udata.h"
#include "umap.h"
#include "xrcd.h"

/* No IEEE OUI is ours: one from the locally administered space. */
#define VENDOR_ID		0x02c0ce
#define VENDOR_PART_ID		1
/* Clock of the completion timestamps: ns of CLOCK_MONOTONIC. */
#define CORE_CLOCK_KHZ		1000000
/* 4.096 us * 2^15 = 134 ms: what a busy host may take to answer. */
#define LOCAL_CA_ACK_DELAY	15
/* Where the netdev does not know its speed. */
#define SPEED_FALLBACK		SPEED_10000

#define DEVICE_CAPS		(IB_DEVICE_BAD_PKEY_CNTR |		\
				 IB_DEVICE_BAD_QKEY_CNTR |		\
				 IB_DEVICE_RC_RNR_NAK_GEN |		\
				 IB_DEVICE_SYS_IMAGE_GUID |		\
				 IB_DEVICE_PORT_ACTIVE_EVENT |		\
				 IB_DEVICE_SRQ_RESIZE |			\
				 IB_DEVICE_MEM_MGT_EXTENSIONS |		\
				 IB_DEVICE_MEM_WINDOW |			\
				 IB_DEVICE_MEM_WINDOW_TYPE_2B |		\
				 IB_DEVICE_XRC |			\
				 IB_DEVICE_FLUSH_GLOBAL |		\
				 IB_DEVICE_ATOMIC_WRITE)

#define ODP_CAPS_UD		(IB_ODP_SUPPORT_SEND |			\
				 IB_ODP_SUPPORT_RECV |			\
				 IB_ODP_SUPPORT_SRQ_RECV)
#define ODP_CAPS_UC		(ODP_CAPS_UD | IB_ODP_SUPPORT_WRITE)
#define ODP_CAPS_XRC		(ODP_CAPS_UC |				\
				 IB_ODP_SUPPORT_READ |			\
				 IB_ODP_SUPPORT_ATOMIC)
#define ODP_CAPS_RC		(ODP_CAPS_XRC |				\
				 IB_ODP_SUPPORT_FLUSH |			\
				 IB_ODP_SUPPORT_ATOMIC_WRITE)

static void query_odp(struct ib_device_attr *attr)
{
	if (!IS_ENABLED(CONFIG_INFINIBAND_ON_DEMAND_PAGING))
		return;
	attr->kernel_cap_flags |= IBK_ON_DEMAND_PAGING;
	attr->odp_caps.general_caps = IB_ODP_SUPPORT |
				      IB_ODP_SUPPORT_IMPLICIT;
	attr->odp_caps.per_transport_caps.rc_odp_caps = ODP_CAPS_RC;
	attr->odp_caps.per_transport_caps.uc_odp_caps = ODP_CAPS_UC;
	attr->odp_caps.per_transport_caps.ud_odp_caps = ODP_CAPS_UD;
	attr->odp_caps.per_transport_caps.xrc_odp_caps = ODP_CAPS_XRC;
}

static int query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			struct ib_udata *udata)
{
	if (udata && udata->inlen &&
	    !ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EOPNOTSUPP;

	memset(attr, 0, sizeof(*attr));
	attr->vendor_id = VENDOR_ID;
	attr->vendor_part_id = VENDOR_PART_ID;
	attr->sys_image_guid = ibdev->node_guid;
	attr->max_mr_size = CROCE_MAX_MR_SIZE;
	/* Blocks are virtual addresses, so they need not be whole pages. */
	attr->page_size_cap = ~(u64)(SZ_4K - 1);
	attr->device_cap_flags = DEVICE_CAPS;
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG | IBK_LOCAL_DMA_LKEY;
	query_odp(attr);
	attr->max_qp = CROCE_MAX_QP;
	attr->max_qp_wr = CROCE_MAX_WR;
	attr->max_send_sge = CROCE_MAX_SGE;
	attr->max_recv_sge = CROCE_MAX_SGE;
	attr->max_sge_rd = CROCE_MAX_SGE;
	attr->max_cq = CROCE_MAX_CQ;
	attr->max_cqe = CROCE_MAX_CQE;
	attr->max_mr = CROCE_MAX_MR;
	attr->max_mw = CROCE_MAX_MW;
	attr->max_pd = CROCE_MAX_PD;
	attr->max_qp_rd_atom = CROCE_MAX_RD_ATOMIC;
	attr->max_qp_init_rd_atom = CROCE_MAX_RD_ATOMIC;
	attr->max_res_rd_atom = CROCE_MAX_QP * CROCE_MAX_RD_ATOMIC;
	attr->atomic_cap = IB_ATOMIC_HCA;
	attr->max_mcast_grp = CROCE_MAX_MCAST_GRP;
	attr->max_mcast_qp_attach = CROCE_MAX_MCAST_QP;
	attr->max_total_mcast_qp_attach = CROCE_MAX_MCAST_GRP *
					  CROCE_MAX_MCAST_QP;
	attr->max_ah = CROCE_MAX_AH;
	attr->max_srq = CROCE_MAX_SRQ;
	attr->max_srq_wr = CROCE_MAX_SRQ_WR;
	attr->max_srq_sge = CROCE_MAX_SGE;
	attr->max_fast_reg_page_list_len = CROCE_MAX_FRMR_PAGES;
	attr->max_pkeys = 1;
	attr->local_ca_ack_delay = LOCAL_CA_ACK_DELAY;
	attr->timestamp_mask = U64_MAX;
	attr->hca_core_clock = CORE_CLOCK_KHZ;
	return croce_udata_out(udata, NULL, 0);
}

static const struct {
	u32 mbps;
	u16 speed;
	u8 width;
} speeds[] = {
	{ SPEED_2500,	IB_SPEED_SDR,	IB_WIDTH_1X },
	{ SPEED_10000,	IB_SPEED_FDR10,	IB_WIDTH_1X },
	{ SPEED_20000,	IB_SPEED_DDR,	IB_WIDTH_4X },
	{ SPEED_25000,	IB_SPEED_EDR,	IB_WIDTH_1X },
	{ SPEED_40000,	IB_SPEED_FDR10,	IB_WIDTH_4X },
	{ SPEED_50000,	IB_SPEED_HDR,	IB_WIDTH_1X },
	{ SPEED_100000,	IB_SPEED_EDR,	IB_WIDTH_4X },
	{ SPEED_200000,	IB_SPEED_HDR,	IB_WIDTH_4X },
	{ SPEED_400000,	IB_SPEED_NDR,	IB_WIDTH_4X },
	{ 800000,	IB_SPEED_XDR,	IB_WIDTH_4X },
};

static u32 netdev_mbps(struct net_device *ndev)
{
	struct ethtool_link_ksettings link = {};
	int err;

	rtnl_lock();
	err = __ethtool_get_link_ksettings(ndev, &link);
	rtnl_unlock();
	if (err || !link.base.speed || link.base.speed == (u32)SPEED_UNKNOWN)
		return SPEED_FALLBACK;
	return link.base.speed;
}

/* The next better combination that InfiniBand has a name for. */
static void query_speed(const struct croce_dev *dev, struct ib_port_attr *attr)
{
	u32 mbps = netdev_mbps(dev->netdev);
	unsigned int i = 0;

	while (i < ARRAY_SIZE(speeds) - 1 && speeds[i].mbps < mbps)
		i++;
	attr->active_speed = speeds[i].speed;
	attr->active_width = speeds[i].width;
}

static u8 phys_state(const struct croce_dev *dev)
{
	if (croce_dev_is_up(dev))
		return IB_PORT_PHYS_STATE_LINK_UP;
	return netif_running(dev->netdev) ? IB_PORT_PHYS_STATE_POLLING :
					    IB_PORT_PHYS_STATE_DISABLED;
}

static int query_port(struct ib_device *ibdev, u32 port,
		      struct ib_port_attr *attr)
{
	struct croce_dev *dev = croce_dev(ibdev);

	attr->state = croce_dev_is_up(dev) ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = phys_state(dev);
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = croce_dev_active_mtu(dev);
	attr->phys_mtu = READ_ONCE(dev->netdev->mtu);
	attr->gid_tbl_len = CROCE_GID_TABLE_LEN;
	attr->pkey_tbl_len = 1;
	attr->ip_gids = true;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->max_msg_sz = CROCE_MAX_MSG;
	attr->max_vl_num = 1;
	attr->bad_pkey_cntr = croce_stats_read(dev, CROCE_CNT_DROP_PKEY);
	attr->qkey_viol_cntr = croce_stats_read(dev, CROCE_CNT_DROP_QKEY);
	query_speed(dev, attr);
	return 0;
}

static int get_port_immutable(struct ib_device *ibdev, u32 port,
			      struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->pkey_tbl_len = 1;
	immutable->gid_tbl_len = CROCE_GID_TABLE_LEN;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static int query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = CROCE_PKEY;
	return 0;
}

static enum rdma_link_layer get_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static void get_dev_fw_str(struct ib_device *ibdev, char *str)
{
	strscpy(str, CROCE_VERSION, IB_FW_VERSION_NAME_MAX);
}

static int add_gid(const struct ib_gid_attr *attr, void **context)
{
	return croce_addr_add(croce_dev(attr->device), &attr->gid);
}

static int del_gid(const struct ib_gid_attr *attr, void **context)
{
	croce_addr_del(croce_dev(attr->device), &attr->gid);
	return 0;
}

static int alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	struct croce_alloc_ucontext_resp resp = {
		.abi_version = CROCE_ABI_VERSION,
		.max_inline = CROCE_MAX_INLINE,
	};
	struct croce_alloc_ucontext_req req;
	int err;

	err = croce_udata_in(udata, &req, sizeof(req));
	if (err)
		return err;
	if (req.comp_mask || req.reserved_c)
		return -EOPNOTSUPP;
	if (req.abi_version != CROCE_ABI_VERSION)
		return -EPROTONOSUPPORT;
	return croce_udata_out(udata, &resp, sizeof(resp));
}

static void dealloc_ucontext(struct ib_ucontext *ibuc)
{
}

/*
 * The objects go with the context, and the pages that a process maps stay its
 * own; see umap.c. That this exists lets a device go while it is open.
 */
static void disassociate_ucontext(struct ib_ucontext *ibuc)
{
}

static int alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct croce_dev *dev = croce_dev(ibpd->device);
	struct croce_pd *pd = croce_pd(ibpd);
	struct croce_alloc_pd_resp resp = {};
	int err;

	if (!atomic_add_unless(&dev->num_pds, 1, CROCE_MAX_PD))
		return -ENOMEM;
	pd->pdn = atomic_inc_return(&dev->pd_next);
	resp.pdn = pd->pdn;
	err = croce_udata_out(udata, &resp, sizeof(resp));
	if (err)
		goto err_uncount_pd;
	return 0;

err_uncount_pd:
	atomic_dec(&dev->num_pds);
	return err;
}

static int dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	atomic_dec(&croce_dev(ibpd->device)->num_pds);
	return 0;
}

static ssize_t parent_show(struct device *device, struct device_attribute *attr,
			   char *buf)
{
	struct croce_dev *dev =
		rdma_device_to_drv_device(device, struct croce_dev, ibdev);

	return sysfs_emit(buf, "%s\n", netdev_name(dev->netdev));
}
static DEVICE_ATTR_RO(parent);

static struct attribute *dev_attrs[] = {
	&dev_attr_parent.attr,
	NULL
};

static const struct attribute_group dev_group = {
	.attrs = dev_attrs,
};

static void __maybe_unused report_port_event(struct ib_device *ibdev,
					     struct net_device *ndev,
					     unsigned long event)
{
	croce_dev_port_changed(croce_dev(ibdev));
}

#include <rdma/croce-ops.h>

const struct ib_device_ops croce_dev_ops = {
	.owner = THIS_MODULE,
	.driver_id = CROCE_RDMA_DRIVER,
	.uverbs_abi_ver = CROCE_ABI_VERSION,
	.device_group = &dev_group,

	.query_device = query_device,
	.query_port = query_port,
	.query_pkey = query_pkey,
	.get_port_immutable = get_port_immutable,
	.get_link_layer = get_link_layer,
	.get_dev_fw_str = get_dev_fw_str,
	.dealloc_driver = croce_dev_dealloc,
	.add_gid = add_gid,
	.del_gid = del_gid,

	.alloc_ucontext = alloc_ucontext,
	.dealloc_ucontext = dealloc_ucontext,
	.disassociate_ucontext = disassociate_ucontext,
	.mmap = croce_umap_mmap,
	.mmap_free = croce_umap_mmap_free,

	.alloc_pd = alloc_pd,
	.dealloc_pd = dealloc_pd,

	.alloc_xrcd = croce_alloc_xrcd,
	.dealloc_xrcd = croce_dealloc_xrcd,

	.create_ah = croce_create_ah,
	.create_user_ah = croce_create_ah,
	.query_ah = croce_query_ah,
	.destroy_ah = croce_destroy_ah,

	.destroy_cq = croce_destroy_cq,
	.poll_cq = croce_poll_cq,
	.req_notify_cq = croce_req_notify_cq,

	.create_srq = croce_create_srq,
	.modify_srq = croce_modify_srq,
	.query_srq = croce_query_srq,
	.destroy_srq = croce_destroy_srq,
	.post_srq_recv = croce_post_srq_recv,

	.create_qp = croce_create_qp,
	.modify_qp = croce_modify_qp,
	.query_qp = croce_query_qp,
	.destroy_qp = croce_destroy_qp,
	.post_send = croce_post_send,
	.post_recv = croce_post_recv,
	.attach_mcast = croce_attach_mcast,
	.detach_mcast = croce_detach_mcast,

	.get_dma_mr = croce_get_dma_mr,
	.rereg_user_mr = croce_rereg_user_mr,
	.dereg_mr = croce_dereg_mr,
	.advise_mr = croce_advise_mr,
	.alloc_mr = croce_alloc_mr,
	.map_mr_sg = croce_map_mr_sg,
	.alloc_mw = croce_alloc_mw,
	.dealloc_mw = croce_dealloc_mw,
	COMPAT_DEVICE_OPS,

	INIT_RDMA_OBJ_SIZE(ib_ah, croce_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, croce_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_mw, croce_mw, ibmw),
	INIT_RDMA_OBJ_SIZE(ib_pd, croce_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, croce_qp_obj, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, croce_srq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, croce_ucontext, ibuc),
	INIT_RDMA_OBJ_SIZE(ib_xrcd, croce_xrcd, ibxrcd),
};
