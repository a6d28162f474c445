/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The queue pair. L2. Letters: see dev.h.
 *
 * Lifetime. struct croce_qp_obj belongs to the RDMA core and goes when
 * destroy returns; struct croce_qp is what the data path knows. It is found
 * in croce_qps under RCU, without a reference, and freed after a grace
 * period; destroy marks it dead under the task (T), after which no turn does
 * anything, and then takes its resources away.
 */
#ifndef CROCE_QP_H
#define CROCE_QP_H

#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include "core/cc.h"
#include "backlog.h"
#include "core/pace.h"
#include "core/req.h"
#include "core/resp.h"
#include "cq.h"
#include "dev.h"
#include "sock.h"
#include "srq.h"
#include "umap.h"

/**
 * struct croce_sq_slot - what a private send WQE needs beside its core image
 * @ah: UD: handle of the address vector
 * @remote_qpn: UD; XRC: number of the remote SRQ
 * @remote_qkey: UD
 * @inline_len: bytes at @data, when CROCE_WQE_INLINE
 * @arg: operands of local operations (BIND_MW, REG_MR)
 * @reg_mr: REG_MR: region of the kernel consumer
 * @sge: elements, or inline payload
 */
struct croce_sq_slot {
	u32 ah;
	u32 remote_qpn;
	u32 remote_qkey;
	u32 inline_len;
	u64 arg[2];
	struct croce_mr *reg_mr;
	struct croce_sge sge[];
};

/**
 * enum croce_fault_state - how far a page fault is
 * @CROCE_FAULT_IDLE: there is none, or it has succeeded
 * @CROCE_FAULT_PENDING: the work is under way
 * @CROCE_FAULT_FAILED: there is no such page; the access is told when it is
 *	made again
 */
enum croce_fault_state {
	CROCE_FAULT_IDLE,
	CROCE_FAULT_PENDING,
	CROCE_FAULT_FAILED,
};

/**
 * enum croce_fault_place - what waits for a page
 * @CROCE_FAULT_RECEIVE: the packet at the head of the backlog
 * @CROCE_FAULT_RESPONSE: the oldest response that is owed
 * @CROCE_FAULT_REQUEST: the next request
 * @CROCE_FAULT_NUM: their number
 */
enum croce_fault_place {
	CROCE_FAULT_RECEIVE,
	CROCE_FAULT_RESPONSE,
	CROCE_FAULT_REQUEST,
	CROCE_FAULT_NUM
};

/**
 * struct croce_fault - a page that an access waits for
 *
 * The work owns it while it is pending, but for @key; else the task.
 *
 * @work: faults the page in
 * @qp: queue pair (I)
 * @mr: region, referenced while pending
 * @addr: address in @mr
 * @length: bytes that are likely to be needed, too
 * @key: of @mr; 0 when nobody wants to know how it ends (T)
 * @write: for writing
 * @state: enum croce_fault_state (see fault.c)
 */
struct croce_fault {
	struct work_struct work;
	struct croce_qp *qp;
	struct croce_mr *mr;
	u64 addr;
	u32 length;
	u32 key;
	bool write;
	u8 state;
};

/**
 * struct croce_qp - queue pair, the data path's part
 * @rcu: freed after a grace period
 * @ibqp: RDMA core's part; valid until dead
 * @dev: device (I)
 * @pd: protection domain (I; XRC target: T, see xrcd.h)
 * @send_cq: completions of the send queue; XRC target: NULL (I)
 * @recv_cq: completions of the receive queue; XRC initiator: NULL (I; XRC
 *	target: T, see xrcd.h)
 * @srq: shared receive queue, or NULL (I; XRC target: T, see xrcd.h)
 * @xrcd: XRC target: its domain, else NULL (I)
 * @qpn: number; 1 for the GSI (I)
 * @type: enum ib_qp_type (I)
 * @transport: CROCE_TRANSPORT_* of the packets it sends (I)
 * @user: queues belong to a process (I)
 * @sig_all: every send WR is signalled (I)
 * @max_inline: bytes of inline payload (I)
 * @work: CROCE_TASK_* bits (A)
 * @waiters: processes that wait to own the task (A)
 * @rx_backlog: packets that found the task owned (L: its lock)
 * @stream_until: jiffies; until then softirqs leave the task to @deferral (T,
 *	read anywhere with READ_ONCE)
 * @deferral: continues the task in the work queue
 * @timer: acknowledgement and RNR timer, and retries after local congestion
 * @timer_ns: what @timer is set to, KTIME_MAX when idle (T)
 * @modify_mutex: serialises state changes
 * @attr: attributes as query returns them (M)
 * @state: enum ib_qp_state (M; read anywhere with READ_ONCE)
 * @dead: destroy has begun (T)
 * @sqd_notify: raise SQ_DRAINED when the send queue is quiet (T)
 * @umap: memory of the rings (I)
 * @sq: send queue (T)
 * @sq_post_lock: serialises kernel posters of the send queue
 * @sq_slots: private images beside @req's ring (T)
 * @sq_slot_size: bytes per entry of @sq_slots (I)
 * @sq_busy: value last reported in ctl->state (T)
 * @sq_monologue: WRs since the peer's last request (T)
 * @sq_unsignalled: of these, since the last signalled one (T)
 * @sq_rung_ns: time of the last doorbell (T)
 * @sq_broken: the process wrote an impossible index (T)
 * @req: requester (T)
 * @rq: receive queue; slots is 0 with an SRQ and with XRC (T)
 * @rq_post_lock: serialises kernel posters of the receive queue
 * @resp: responder (T)
 * @replay: ring of @resp (T)
 * @rqe: receive WQE in use (T)
 * @rqe_valid: @rqe is in use (T)
 * @path: way to the peer; UD: route cache of the last address vector (T)
 * @dest_qpn: peer (T)
 * @qkey: UD (T)
 * @notify: CQs whose consumers are to be told in this turn (T)
 * @retry_local: the qdisc refused a packet; send again after a pause (T)
 * @refused_ns: since when nothing passes, 0 something did (T)
 * @single: packets that go one by one, because it refused an skb (T)
 * @cc: congestion control (T)
 * @cc_choice: algorithm of the device that @cc began with; NULL: begin (T)
 * @pace: departure times, while @cc is limited (T)
 * @pace_ns: when more may leave; 0: nothing waits for that (T)
 * @cnp_ns: time of the last CNP sent, 0 never (T)
 * @early_requests: requests ahead of the expected PSN, by PSN (T)
 * @early_responses: responses ahead of the expected PSN, by PSN (T)
 * @early_ns: when the gap before them is taken for a loss, 0 never (T)
 * @faults: pages that accesses wait for
 * @stalled: the packet at the head of @rx_backlog waits for a page (T)
 * @held: that packet is a response, and this is what it means; no request
 *	completes before it is placed (T)
 * @comm_est: the peer was heard (T)
 * @fatal: the responder failed: to error after its NAK (T)
 * @fatal_event: event that goes with @fatal (T)
 */
struct croce_qp {
	struct rcu_head rcu;
	struct ib_qp *ibqp;
	struct croce_dev *dev;
	struct ib_pd *pd;
	struct croce_cq *send_cq;
	struct croce_cq *recv_cq;
	struct croce_srq *srq;
	struct ib_xrcd *xrcd;
	u32 qpn;
	u8 type;
	u8 transport;
	bool user;
	bool sig_all;
	u32 max_inline;

	atomic_t work;
	atomic_t waiters;
	struct croce_backlog rx_backlog;
	unsigned long stream_until;
	struct work_struct deferral;
	struct hrtimer timer;
	u64 timer_ns;

	struct mutex modify_mutex;
	struct ib_qp_attr attr;
	u8 state;
	bool dead;
	bool sqd_notify;

	struct croce_umap *umap;
	struct croce_wq sq;
	spinlock_t sq_post_lock;
	void *sq_slots;
	size_t sq_slot_size;
	u32 sq_busy;
	u32 sq_monologue;
	u32 sq_unsignalled;
	u64 sq_rung_ns;
	bool sq_broken;
	struct croce_req req;

	struct croce_wq rq;
	spinlock_t rq_post_lock;
	struct croce_resp resp;
	struct croce_replay *replay;
	struct croce_rqe_image rqe;
	bool rqe_valid;

	struct croce_path path;
	u32 dest_qpn;
	u32 qkey;
	struct croce_cq *notify[2];
	bool retry_local;
	u64 refused_ns;
	u8 single;
	struct croce_cc cc;
	const struct croce_cc_ops *cc_choice;
	struct croce_pace pace;
	u64 pace_ns;
	u64 cnp_ns;
	struct sk_buff_head early_requests;
	struct sk_buff_head early_responses;
	u64 early_ns;
	struct croce_fault faults[CROCE_FAULT_NUM];
	bool stalled;
	struct croce_comp_record held;
	bool comm_est;
	bool fatal;
	enum ib_event_type fatal_event;
};

/**
 * struct croce_qp_obj - queue pair, the RDMA core's part
 * @ibqp: RDMA core's
 * @qp: the data path's
 */
struct croce_qp_obj {
	struct ib_qp ibqp;
	struct croce_qp *qp;
};

static inline struct croce_qp *croce_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct croce_qp_obj, ibqp)->qp;
}

static inline struct croce_sq_slot *croce_sq_slot(const struct croce_qp *qp,
						  u32 index)
{
	return qp->sq_slots + (index & qp->sq.mask) * qp->sq_slot_size;
}

static inline bool croce_qp_is_xrc(const struct croce_qp *qp)
{
	return qp->transport == CROCE_TRANSPORT_XRC;
}

static inline bool croce_qp_is_reliable(const struct croce_qp *qp)
{
	return qp->type == IB_QPT_RC || croce_qp_is_xrc(qp);
}

static inline bool croce_qp_is_connected(const struct croce_qp *qp)
{
	return qp->transport != CROCE_TRANSPORT_UD;
}

int croce_qp_init(void);
void croce_qp_exit(void);
struct croce_qp *croce_qp_find(u32 qpn);
int croce_qp_insert(struct croce_qp *qp);
void croce_qp_erase(struct croce_qp *qp);
int croce_qp_alloc_queues(struct croce_qp *qp, struct ib_ucontext *ibuc,
			  struct ib_qp_cap *cap,
			  struct croce_create_qp_resp *resp);
void croce_qp_free_queues(struct croce_qp *qp);
void croce_qp_complete(struct croce_qp *qp, struct croce_cq *cq,
		       struct croce_cqe *cqe, bool solicited);
void croce_qp_complete_rqe(struct croce_qp *qp, struct croce_cqe *cqe,
			   bool solicited);
void croce_qp_event(struct croce_qp *qp, enum ib_event_type event);

int croce_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		    struct ib_udata *udata);
int croce_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_udata *udata);
int croce_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init);
int croce_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
int croce_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad_wr);
int croce_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad_wr);

#endif /* CROCE_QP_H */
