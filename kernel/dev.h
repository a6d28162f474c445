/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The device object. L2; its making and unmaking is in dev.c (L4).
 *
 * Lock legend, used for every member of every shared object:
 *   I  immutable after create
 *   T  owned by whoever holds the QP's task (see task.h)
 *   M  protected by the QP's modify mutex; written under M and T together
 *   C  protected by the CQ's lock
 *   S  protected by the SRQ's lock
 *   A  atomic
 *   R  published by RCU
 *   L  a list or table with its own lock, named beside it
 *   E, V  see struct croce_mr
 *   U  user-writable memory: read once, copied, validated; never trusted
 */
#ifndef CROCE_DEV_H
#define CROCE_DEV_H

#include <linux/netdevice.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/croce-abi.h>
#include <rdma/ib_verbs.h>
#include "core/cc.h"
#include "stats.h"

#define CROCE_VERSION		"0.1"
#define CROCE_RDMA_DRIVER	((enum rdma_driver_id)CROCE_DRIVER_ID)

/* Limits; query_device reports them and the code keeps them. */
#define CROCE_MAX_SGE		32
#define CROCE_MAX_INLINE	1024
#define CROCE_MAX_WR		32768U
#define CROCE_MAX_CQE		1048576U
#define CROCE_MAX_QP		1048576U
#define CROCE_MAX_CQ		1048576U
#define CROCE_MAX_MR		1048576U
/* What the RDMA core pins at most; see ib_umem_get(). */
#define CROCE_MAX_MR_SIZE	((u64)U32_MAX << PAGE_SHIFT)
#define CROCE_MAX_MW		1048576U
#define CROCE_MAX_PD		1048576U
#define CROCE_MAX_AH		1048576U
#define CROCE_MAX_SRQ		1048576U
#define CROCE_MAX_SRQ_WR	32768U
#define CROCE_MAX_XRCD		1048576U
#define CROCE_MAX_RD_ATOMIC	128
#define CROCE_MAX_FRMR_PAGES	512
#define CROCE_MAX_MCAST_GRP	8192
#define CROCE_MAX_MCAST_QP	128
#define CROCE_MAX_MSG		0x80000000U
#define CROCE_GID_TABLE_LEN	1024
#define CROCE_PKEY		0xffff

/* CNPs are spaced for so many groups of addresses; 1 group is the port. */
#define CROCE_CNP_SCOPES	64U

/**
 * struct croce_cc_conf - knobs of congestion control, as published
 * @rcu: freed after a grace period
 * @params: never changed once published
 */
struct croce_cc_conf {
	struct rcu_head rcu;
	struct croce_cc_params params;
};

struct croce_net;
struct croce_params;
struct croce_qp;

/**
 * struct croce_dev - one RDMA device on one netdev
 * @ibdev: RDMA core's part
 * @node: in the list of devices (L: devices_lock in dev.c)
 * @netdev: the netdev, held until the device is freed (I)
 * @netdev_tracker: of @netdev
 * @home: the netdev's namespace when the device was made; for comparing (I)
 * @net: sockets of the netdev's namespace, held like @netdev (I)
 * @mrs: key index -> struct croce_mr, regions and windows (R, L: its xa_lock)
 * @ahs: handle -> struct croce_av (R, L: its xa_lock)
 * @srqs: number -> struct croce_srq of XRC; other numbers are reserved (R, L: its
 *	xa_lock)
 * @mr_next: cyclic hint of @mrs (L: its xa_lock)
 * @ah_next: cyclic hint of @ahs (L: its xa_lock)
 * @srq_next: cyclic hint of @srqs (L: its xa_lock)
 * @mr_variant: low byte of the next key (A)
 * @gsi: queue pair 1, or NULL (R)
 * @pd_next: next protection domain number (A)
 * @num_pds: protection domains (A)
 * @num_cqs: completion queues (A)
 * @num_xrcds: XRC domains (A)
 * @port_up: state that the last port event told (A)
 * @num_groups: multicast groups (L: groups_mutex in mcast.c)
 * @stats: per-CPU counters (I)
 * @icrc: check and generate ICRCs; off only by request (READ_ONCE)
 * @cc_conf: knobs of congestion control (R, L: a mutex of params.c)
 * @cc_ops: algorithm; queue pairs begin anew when it changes (READ_ONCE)
 * @line_rate: of the port in bytes per second (I)
 * @cnp_ns: times of the last CNPs, by destination; [0] of the port (A)
 * @params: knobs as files, or NULL (I)
 * @gso: send runs of packets as one skb (READ_ONCE)
 */
struct croce_dev {
	struct ib_device ibdev;
	struct list_head node;
	struct net_device *netdev;
	netdevice_tracker netdev_tracker;
	const struct net *home;
	struct croce_net *net;
	struct xarray mrs;
	struct xarray ahs;
	struct xarray srqs;
	u32 mr_next;
	u32 ah_next;
	u32 srq_next;
	atomic_t mr_variant;
	struct croce_qp __rcu *gsi;
	atomic_t pd_next;
	atomic_t num_pds;
	atomic_t num_cqs;
	atomic_t num_xrcds;
	atomic_t port_up;
	unsigned int num_groups;
	struct croce_stats __percpu *stats;
	struct croce_cc_conf __rcu *cc_conf;
	const struct croce_cc_ops *cc_ops;
	u64 line_rate;
	atomic64_t cnp_ns[CROCE_CNP_SCOPES];
	struct croce_params *params;
	bool icrc;
	bool gso;
};

/**
 * struct croce_pd - protection domain
 * @ibpd: RDMA core's part
 * @pdn: number, for display (I)
 */
struct croce_pd {
	struct ib_pd ibpd;
	u32 pdn;
};

/**
 * struct croce_ucontext - one open of the device
 * @ibuc: RDMA core's part
 */
struct croce_ucontext {
	struct ib_ucontext ibuc;
};

static inline struct croce_dev *croce_dev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct croce_dev, ibdev);
}

static inline struct croce_pd *croce_pd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct croce_pd, ibpd);
}

/* Deferred turns and completion events; WQ_MEM_RECLAIM. The work of the second
 * stays on the CPU that queued it.
 */
extern struct workqueue_struct *croce_wq;
extern struct workqueue_struct *croce_local_wq;

extern const struct ib_device_ops croce_dev_ops;

int croce_dev_add(const char *name, struct net_device *ndev);
enum ib_mtu croce_dev_active_mtu(const struct croce_dev *dev);
bool croce_dev_is_up(const struct croce_dev *dev);
void croce_dev_port_changed(struct croce_dev *dev);
void croce_dev_dealloc(struct ib_device *ibdev);
int croce_dev_init(void);
void croce_dev_exit(void);

#endif /* CROCE_DEV_H */
