// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues; see cq.h, and croce-abi.h for the letters.
 *
 * Posting comes from the transport in any context; polling and arming come
 * from kernel consumers in any context, while a process does both in its own
 * memory. Handlers are never called under the lock.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/wait_bit.h>
#include <rdma/uverbs_ioctl.h>
#include "cq.h"
#include "qp.h"
#include "udata.h"

static struct croce_cqe *cq_slot(const struct croce_cq *cq, u32 index)
{
	return &cq->ring[index & cq->mask];
}

static bool is_full_locked(const struct croce_cq *cq)
{
	u32 cons;

	lockdep_assert_held(&cq->lock);
	if (!cq->user)
		return cq->prod - cq->cons > cq->mask;
	/* B: the process has read the CQEs before cons. */
	cons = smp_load_acquire(&cq->ctl->cons);
	return cq->prod - cons > cq->mask;
}

static void overrun_locked(struct croce_cq *cq)
{
	lockdep_assert_held(&cq->lock);
	cq->overrun = true;
	WRITE_ONCE(cq->ctl->flags, CROCE_CQ_OVERRUN);
	if (cq->dying)
		return;
	cq->report = true;
	queue_work(croce_wq, &cq->notify_work);
}

static bool user_wants_event_locked(struct croce_cq *cq, bool solicited)
{
	u32 arm;

	lockdep_assert_held(&cq->lock);
	/* Without a channel there is nobody to wake. */
	if (!cq->ibcq.cq_context)
		return false;
	/* D: prod was stored, arm is loaded. */
	smp_mb();
	arm = READ_ONCE(cq->ctl->arm);
	if (arm == cq->arm_seen ||
	    ((arm & CROCE_CQ_ARM_SOLICITED) && !solicited))
		return false;
	cq->arm_seen = arm;
	return true;
}

static bool kernel_wants_event_locked(struct croce_cq *cq, bool solicited)
{
	lockdep_assert_held(&cq->lock);
	if (!cq->armed || (cq->armed == IB_CQ_SOLICITED && !solicited))
		return false;
	cq->armed = 0;
	cq->pending = true;
	return true;
}

/**
 * croce_cq_post - write one completion
 * @cq: queue; the caller's QP keeps it alive
 * @cqe: completion; the timestamp is filled in here
 * @solicited: it counts as solicited (SE bit, or any error)
 *
 * The completion that does not fit is lost, and so is the queue: the consumer
 * gets IB_EVENT_CQ_ERR once.
 *
 * Return: true when the consumer asked for an event that this completion
 * satisfies; the caller then calls croce_cq_notify() once it holds no lock and
 * no QP task.
 * Context: any; takes the CQ's lock.
 */
bool croce_cq_post(struct croce_cq *cq, const struct croce_cqe *cqe,
		   bool solicited)
{
	struct croce_cqe *slot;
	unsigned long flags;
	bool event = false;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->overrun)
		goto out_unlock;
	if (is_full_locked(cq)) {
		overrun_locked(cq);
		goto out_unlock;
	}

	slot = cq_slot(cq, cq->prod);
	*slot = *cqe;
	slot->timestamp = ktime_get_ns();
	/* A: the CQE is written before prod is. */
	smp_store_release(&cq->ctl->prod, ++cq->prod);
	event = cq->user ? user_wants_event_locked(cq, solicited) :
			   kernel_wants_event_locked(cq, solicited);
out_unlock:
	spin_unlock_irqrestore(&cq->lock, flags);
	return event;
}

/**
 * croce_cq_unpolled - completions that the consumer has not taken yet
 * @cq: CQ
 *
 * Return: their number; of a process, what it says. Context: any.
 */
u32 croce_cq_unpolled(struct croce_cq *cq)
{
	unsigned long flags;
	u32 n;

	spin_lock_irqsave(&cq->lock, flags);
	n = cq->prod - (cq->user ? READ_ONCE(cq->ctl->cons) : cq->cons);
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

/* Calls the handler of a kernel consumer if an event is owed to it. */
static void run_handler(struct croce_cq *cq)
{
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	if (!cq->pending || cq->running || cq->dying)
		goto out_unlock;
	cq->pending = false;
	cq->running = true;
	spin_unlock_irqrestore(&cq->lock, flags);

	cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);

	spin_lock_irqsave(&cq->lock, flags);
	cq->running = false;
	if (cq->dying)
		wake_up_var(&cq->running);
	else if (cq->pending)
		queue_work(croce_wq, &cq->notify_work);
out_unlock:
	spin_unlock_irqrestore(&cq->lock, flags);
}

/**
 * croce_cq_notify - raise the event that croce_cq_post() asked for
 * @cq: queue; the caller's QP still keeps it alive
 * @direct: the handler of a kernel consumer may run here, that is, not in the
 *	consumer's own post call
 *
 * Context: any, without locks and without a QP's task.
 */
void croce_cq_notify(struct croce_cq *cq, bool direct)
{
	unsigned long flags;

	if (cq->user) {
		cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
		return;
	}
	if (direct) {
		run_handler(cq);
		return;
	}
	spin_lock_irqsave(&cq->lock, flags);
	if (!cq->dying)
		queue_work(croce_wq, &cq->notify_work);
	spin_unlock_irqrestore(&cq->lock, flags);
}

static void notify_work(struct work_struct *work)
{
	struct croce_cq *cq = container_of(work, struct croce_cq, notify_work);
	struct ib_event event = {
		.device = cq->ibcq.device,
		.element.cq = &cq->ibcq,
		.event = IB_EVENT_CQ_ERR,
	};
	bool report;

	spin_lock_irq(&cq->lock);
	report = cq->report;
	cq->report = false;
	spin_unlock_irq(&cq->lock);

	if (report && cq->ibcq.event_handler)
		cq->ibcq.event_handler(&event, cq->ibcq.cq_context);
	run_handler(cq);
}

/**
 * croce_cq_clean - forget the completions of a QP that is destroyed
 * @cq: queue
 * @qpn: number of the QP, which posts no more
 *
 * For kernel consumers, who are handed a pointer to the QP; the provider does
 * the same for processes.
 *
 * Context: process; takes the CQ's lock.
 */
void croce_cq_clean(struct croce_cq *cq, u32 qpn)
{
	unsigned long flags;
	u32 from, to;

	if (cq->user)
		return;
	spin_lock_irqsave(&cq->lock, flags);
	/* Towards the producer's end, so that only cons has to move. */
	to = cq->prod;
	for (from = cq->prod; from != cq->cons; from--) {
		if (cq_slot(cq, from - 1)->qp_num == qpn)
			continue;
		to--;
		if (to != from - 1)
			*cq_slot(cq, to) = *cq_slot(cq, from - 1);
	}
	cq->cons = to;
	spin_unlock_irqrestore(&cq->lock, flags);
}

static size_t cq_bytes(u32 slots)
{
	return sizeof(struct croce_cq_ctl) +
	       (size_t)slots * sizeof(struct croce_cqe);
}

static void fill_response(struct croce_create_cq_resp *resp,
			  const struct croce_umap *umap, u32 slots)
{
	memset(resp, 0, sizeof(*resp));
	resp->map_offset = croce_umap_offset(umap);
	resp->map_length = umap->size;
	resp->cq.ring_offset = sizeof(struct croce_cq_ctl);
	resp->cq.slots = slots;
	resp->cq.stride = sizeof(struct croce_cqe);
}

static int create_cq(struct croce_cq *cq, const struct ib_cq_init_attr *attr,
		     struct ib_udata *udata)
{
	struct croce_create_cq_resp resp;
	struct ib_ucontext *ibuc = NULL;
	u32 slots;
	int err;

	if (!attr->cqe || attr->cqe > CROCE_MAX_CQE)
		return -EINVAL;
	/* Every CQE has a timestamp. */
	if (attr->flags & ~IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION)
		return -EOPNOTSUPP;
	if (udata)
		ibuc = rdma_udata_to_uverbs_attr_bundle(udata)->context;
	if (!atomic_add_unless(&cq->dev->num_cqs, 1, CROCE_MAX_CQ))
		return -ENOMEM;

	slots = roundup_pow_of_two(attr->cqe);
	cq->umap = croce_umap_create(ibuc, cq_bytes(slots));
	if (IS_ERR(cq->umap)) {
		err = PTR_ERR(cq->umap);
		goto err_uncount_cq;
	}
	cq->ctl = cq->umap->mem;
	cq->ring = (void *)(cq->ctl + 1);
	cq->mask = slots - 1;
	cq->ibcq.cqe = slots;

	fill_response(&resp, cq->umap, slots);
	err = croce_udata_out(udata, &resp, sizeof(resp));
	if (err)
		goto err_destroy_umap;
	return 0;

err_destroy_umap:
	croce_umap_destroy(cq->umap);
err_uncount_cq:
	atomic_dec(&cq->dev->num_cqs);
	return err;
}

static void init_cq(struct croce_cq *cq, bool user)
{
	cq->dev = croce_dev(cq->ibcq.device);
	cq->user = user;
	spin_lock_init(&cq->lock);
	mutex_init(&cq->resize_mutex);
	INIT_WORK(&cq->notify_work, notify_work);
}

/**
 * croce_create_cq - create a CQ of a kernel consumer
 * @ibcq: CQ
 * @attr: size and so on
 * @attrs: NULL
 *
 * Return: 0 or -errno. Context: process, may sleep.
 */
int croce_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		    struct uverbs_attr_bundle *attrs)
{
	struct croce_cq *cq = croce_cq(ibcq);

	init_cq(cq, false);
	return create_cq(cq, attr, NULL);
}

/**
 * croce_create_user_cq - create a CQ of a process
 * @ibcq: CQ
 * @attr: size and so on
 * @attrs: of the call
 *
 * Return: 0 or -errno. Context: process, may sleep.
 */
int croce_create_user_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			 struct uverbs_attr_bundle *attrs)
{
	struct croce_cq *cq = croce_cq(ibcq);

	init_cq(cq, true);
	return create_cq(cq, attr, &attrs->driver_udata);
}

static bool is_running(struct croce_cq *cq)
{
	bool running;

	spin_lock_irq(&cq->lock);
	running = cq->running;
	spin_unlock_irq(&cq->lock);
	return running;
}

/**
 * croce_destroy_cq - destroy a CQ
 * @ibcq: CQ; no QP uses it any more
 * @udata: of the call, or NULL
 *
 * Return: 0. Context: process, may sleep.
 */
int croce_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct croce_cq *cq = croce_cq(ibcq);

	spin_lock_irq(&cq->lock);
	cq->dying = true;
	spin_unlock_irq(&cq->lock);
	/* After this, no handler is queued, because that is done under lock. */
	wait_var_event(&cq->running, !is_running(cq));
	/* After this, no handler runs in the context that posted. */
	cancel_work_sync(&cq->notify_work);
	/* After this, nobody knows the CQ: its QPs went before it. */
	croce_umap_destroy(cq->umap);
	mutex_destroy(&cq->resize_mutex);
	atomic_dec(&cq->dev->num_cqs);
	return 0;
}

/**
 * struct new_ring - where a CQ moves to
 * @umap: memory
 * @ctl: control words
 * @ring: CQEs
 * @mask: slots - 1
 */
struct new_ring {
	struct croce_umap *umap;
	struct croce_cq_ctl *ctl;
	struct croce_cqe *ring;
	u32 mask;
};

static void copy_cqes(const struct croce_cq *cq, const struct new_ring *new,
		      u32 first, u32 next)
{
	for (; first != next; first++)
		new->ring[first & new->mask] = *cq_slot(cq, first);
}

/*
 * Most CQEs are copied without the lock, since the kernel writes none of those
 * before prod again while the process does not consume them. What came in
 * meanwhile follows under the lock.
 */
static int move_ring(struct croce_cq *cq, struct new_ring *new)
{
	u32 cons = READ_ONCE(cq->ctl->cons);
	u32 prod;
	int err = 0;

	spin_lock_irq(&cq->lock);
	prod = cq->prod;
	spin_unlock_irq(&cq->lock);
	if (prod - cons > min(cq->mask, new->mask) + 1)
		return -EINVAL;
	copy_cqes(cq, new, cons, prod);

	spin_lock_irq(&cq->lock);
	if (cq->prod - cons > min(cq->mask, new->mask) + 1) {
		err = -EINVAL;
		goto out_unlock;
	}
	copy_cqes(cq, new, prod, cq->prod);
	new->ctl->cons = cons;
	new->ctl->arm = READ_ONCE(cq->ctl->arm);
	new->ctl->flags = cq->overrun ? CROCE_CQ_OVERRUN : 0;
	new->ctl->prod = cq->prod;
	swap(cq->umap, new->umap);
	cq->ctl = new->ctl;
	cq->ring = new->ring;
	cq->mask = new->mask;
	cq->ibcq.cqe = new->mask + 1;
out_unlock:
	spin_unlock_irq(&cq->lock);
	return err;
}

/**
 * croce_resize_user_cq - move a CQ of a process into another mapping
 * @ibcq: CQ
 * @cqe: least number of CQEs
 * @udata: of the call
 *
 * Return: 0, -EINVAL when the unconsumed CQEs do not fit, or -errno.
 * Context: process, may sleep; completions may come in meanwhile.
 */
int croce_resize_user_cq(struct ib_cq *ibcq, unsigned int cqe,
			 struct ib_udata *udata)
{
	struct croce_cq *cq = croce_cq(ibcq);
	struct croce_create_cq_resp resp;
	struct ib_ucontext *ibuc;
	struct new_ring new;
	int err;

	if (!udata)
		return -EOPNOTSUPP;
	if (!cqe || cqe > CROCE_MAX_CQE)
		return -EINVAL;

	cqe = roundup_pow_of_two(cqe);
	ibuc = rdma_udata_to_uverbs_attr_bundle(udata)->context;
	new.umap = croce_umap_create(ibuc, cq_bytes(cqe));
	if (IS_ERR(new.umap))
		return PTR_ERR(new.umap);
	new.ctl = new.umap->mem;
	new.ring = (void *)(new.ctl + 1);
	new.mask = cqe - 1;

	/* The answer goes first, since there is no way back after the move. */
	fill_response(&resp, new.umap, cqe);
	err = croce_udata_out(udata, &resp, sizeof(resp));
	if (!err) {
		mutex_lock(&cq->resize_mutex);
		err = move_ring(cq, &new);
		mutex_unlock(&cq->resize_mutex);
	}
	/* The old memory now, or the new one in case of failure. */
	croce_umap_destroy(new.umap);
	return err;
}

static struct ib_qp *find_qp(const struct croce_cq *cq, u32 qpn)
{
	struct ib_qp *ibqp = NULL;
	struct croce_qp *qp;

	rcu_read_lock();
	qp = qpn == 1 ? rcu_dereference(cq->dev->gsi) : croce_qp_find(qpn);
	if (qp)
		ibqp = qp->ibqp;
	rcu_read_unlock();
	return ibqp;
}

static void wc_set_datagram(struct ib_wc *wc, const struct croce_cqe *cqe)
{
	wc->src_qp = cqe->src_qp;
	wc->pkey_index = cqe->pkey_index;
	wc->sl = cqe->sl;
	wc->network_hdr_type = cqe->network_hdr_type == CROCE_HDR_IPV4 ?
			       RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
	wc->wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE;
	if (!is_zero_ether_addr(cqe->smac)) {
		ether_addr_copy(wc->smac, cqe->smac);
		wc->wc_flags |= IB_WC_WITH_SMAC;
	}
	if (cqe->vlan_id < VLAN_N_VID) {
		wc->vlan_id = cqe->vlan_id;
		wc->wc_flags |= IB_WC_WITH_VLAN;
	}
}

static void wc_from_cqe(const struct croce_cq *cq, struct ib_wc *wc,
			const struct croce_cqe *cqe)
{
	memset(wc, 0, sizeof(*wc));
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = cqe->opcode == CROCE_WC_REG_MR ? IB_WC_REG_MR :
		     cqe->opcode;
	wc->vendor_err = cqe->vendor_err;
	wc->byte_len = cqe->byte_len;
	wc->qp = find_qp(cq, cqe->qp_num);
	wc->port_num = 1;
	if (cqe->wc_flags & CROCE_CQE_GRH)
		wc->wc_flags |= IB_WC_GRH;
	if (cqe->wc_flags & CROCE_CQE_WITH_IMM) {
		wc->wc_flags |= IB_WC_WITH_IMM;
		wc->ex.imm_data = (__force __be32)cqe->imm;
	}
	if (cqe->wc_flags & CROCE_CQE_WITH_INV) {
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
		wc->ex.invalidate_rkey = cqe->imm;
	}
	if (cqe->network_hdr_type)
		wc_set_datagram(wc, cqe);
}

/**
 * croce_poll_cq - take completions out of a CQ of a kernel consumer
 * @ibcq: CQ
 * @num_entries: room in @wc
 * @wc: filled
 *
 * Return: number of completions. Context: any; takes the CQ's lock.
 */
int croce_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc)
{
	struct croce_cq *cq = croce_cq(ibcq);
	unsigned long flags;
	int n;

	spin_lock_irqsave(&cq->lock, flags);
	for (n = 0; n < num_entries && cq->cons != cq->prod; n++, cq->cons++)
		wc_from_cqe(cq, &wc[n], cq_slot(cq, cq->cons));
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

/**
 * croce_req_notify_cq - arm a CQ of a kernel consumer
 * @ibcq: CQ
 * @flags: what to wait for; IB_CQ_REPORT_MISSED_EVENTS
 *
 * Return: 1 when asked to report completions that are there already and there
 * are some, else 0. Context: any; takes the CQ's lock.
 */
int croce_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct croce_cq *cq = croce_cq(ibcq);
	unsigned long irq;
	bool missed;

	spin_lock_irqsave(&cq->lock, irq);
	/* An armed CQ never becomes less attentive. */
	if (cq->armed != IB_CQ_NEXT_COMP)
		cq->armed = flags & IB_CQ_SOLICITED_MASK;
	missed = (flags & IB_CQ_REPORT_MISSED_EVENTS) && cq->prod != cq->cons;
	spin_unlock_irqrestore(&cq->lock, irq);
	return missed;
}
