// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive WQEs, and the shared receive queue; see srq.h, and croce-abi.h for
 * the letters.
 *
 * A WQE is copied before it is checked, and only the copy is used.
 */
#include <linux/log2.h>
#include <linux/uaccess.h>
#include <rdma/uverbs_ioctl.h>
#include "srq.h"
#include "udata.h"

/**
 * croce_rqe_stride - bytes of a slot
 * @max_sge: elements it holds
 *
 * Return: bytes. Context: any.
 */
u32 croce_rqe_stride(u32 max_sge)
{
	return sizeof(struct croce_rqe) + max_sge * sizeof(struct croce_sge);
}

static void *rqe_slot(const struct croce_wq *wq, u32 index)
{
	return wq->ring + (size_t)(index & wq->mask) * wq->stride;
}

static int copy_rqe(const struct croce_wq *wq, struct croce_rqe_image *image)
{
	const struct croce_rqe *rqe = rqe_slot(wq, wq->cons);
	u32 reserved = READ_ONCE(rqe->reserved_c);
	u32 i;

	image->wr_id = READ_ONCE(rqe->wr_id);
	image->num_sge = READ_ONCE(rqe->num_sge);
	image->length = 0;
	if (reserved || image->num_sge > wq->max_sge) {
		image->num_sge = 0;
		return -EINVAL;
	}
	memcpy(image->sge, rqe + 1, image->num_sge * sizeof(*image->sge));
	/* From here on the compiler must not look at the ring again. */
	barrier();
	for (i = 0; i < image->num_sge; i++)
		image->length += image->sge[i].length;
	return 1;
}

/**
 * croce_rqe_fetch - copy the next receive WQE and release its slot
 * @wq: queue
 * @image: filled
 *
 * Return: 1 when copied, 0 when the queue is empty, -EINVAL when the WQE is
 * malformed; then it is consumed, and only the wr_id means something.
 * Context: consumer's side of the queue.
 */
int croce_rqe_fetch(struct croce_wq *wq, struct croce_rqe_image *image)
{
	int ret;

	if (!croce_wq_posted(wq))
		return 0;
	ret = copy_rqe(wq, image);
	/* B: the slot was read before cons is stored. */
	smp_store_release(&wq->ctl->cons, ++wq->cons);
	return ret;
}

/**
 * croce_rqe_write - post one receive WR of a kernel consumer
 * @wq: queue
 * @wr: request
 *
 * Return: 0, -ENOMEM when the queue is full, -EINVAL for too many elements.
 * Context: any; the caller has locked out other posters.
 */
int croce_rqe_write(struct croce_wq *wq, const struct ib_recv_wr *wr)
{
	struct croce_rqe *rqe = rqe_slot(wq, wq->prod);
	struct croce_sge *sge = (struct croce_sge *)(rqe + 1);
	int i;

	if (wr->num_sge < 0 || wr->num_sge > wq->max_sge)
		return -EINVAL;
	/* B: the consumer has read the slots before cons. */
	if (wq->prod - smp_load_acquire(&wq->ctl->cons) >= wq->max_wr)
		return -ENOMEM;

	rqe->wr_id = wr->wr_id;
	rqe->num_sge = wr->num_sge;
	rqe->reserved_c = 0;
	for (i = 0; i < wr->num_sge; i++) {
		sge[i].addr = wr->sg_list[i].addr;
		sge[i].length = wr->sg_list[i].length;
		sge[i].lkey = wr->sg_list[i].lkey;
	}
	/* A: the slot is written before prod is. */
	smp_store_release(&wq->ctl->prod, ++wq->prod);
	return 0;
}

/**
 * croce_srq_fetch - copy the next receive WQE of an SRQ
 * @srq: queue
 * @image: filled
 *
 * Raises the limit event when the queue has become short.
 *
 * Return: as croce_rqe_fetch(). Context: any; takes the SRQ's lock.
 */
int croce_srq_fetch(struct croce_srq *srq, struct croce_rqe_image *image)
{
	unsigned long flags;
	int ret;

	image->srq_num = srq->num;
	image->srq_serial = srq->serial;
	spin_lock_irqsave(&srq->lock, flags);
	ret = croce_rqe_fetch(&srq->wq, image);
	if (ret && srq->limit && croce_wq_posted(&srq->wq) < srq->limit) {
		srq->limit = 0;
		if (!srq->dying)
			queue_work(croce_wq, &srq->limit_work);
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	return ret;
}

static void limit_work(struct work_struct *work)
{
	struct croce_srq *srq = container_of(work, struct croce_srq, limit_work);
	struct ib_event event = {
		.device = srq->ibsrq.device,
		.element.srq = &srq->ibsrq,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
	};

	if (srq->ibsrq.event_handler)
		srq->ibsrq.event_handler(&event, srq->ibsrq.srq_context);
}

/* Memory for a queue of at least @max_wr; @wq keeps its other members. */
static struct croce_umap *alloc_queue(struct croce_wq *wq,
				      struct ib_ucontext *ibuc, u32 max_wr,
				      struct croce_queue_map *map)
{
	struct croce_umap *umap;

	wq->slots = roundup_pow_of_two(max_wr);
	wq->max_wr = wq->slots;
	wq->stride = croce_rqe_stride(wq->max_sge);
	umap = croce_umap_create(ibuc, croce_wq_size(wq->slots, wq->stride));
	if (!IS_ERR(umap))
		croce_wq_place(wq, umap, 0, map);
	return umap;
}

static void fill_response(struct croce_create_srq_resp *resp,
			  const struct croce_srq *srq,
			  const struct croce_umap *umap)
{
	resp->map_offset = croce_umap_offset(umap);
	resp->map_length = umap->size;
	resp->srq_num = srq->num;
}

/* Kernel consumers cannot name an SRQ in a work request. */
static int check_xrc(const struct ib_srq_init_attr *init, bool user)
{
	if (!user)
		return -EOPNOTSUPP;
	return init->ext.cq && init->ext.xrc.xrcd ? 0 : -EINVAL;
}

static int check_init(const struct ib_srq_init_attr *init, bool user)
{
	int err = 0;

	if (init->srq_type == IB_SRQT_XRC)
		err = check_xrc(init, user);
	else if (init->srq_type != IB_SRQT_BASIC)
		err = -EOPNOTSUPP;
	if (err)
		return err;
	if (!init->attr.max_wr || init->attr.max_wr > CROCE_MAX_SRQ_WR ||
	    init->attr.max_sge > CROCE_MAX_SGE ||
	    init->attr.srq_limit > init->attr.max_wr)
		return -EINVAL;
	return 0;
}

static void init_srq(struct croce_srq *srq, const struct ib_srq_init_attr *init,
		     bool user)
{
	static atomic64_t serials = ATOMIC64_INIT(0);

	srq->dev = croce_dev(srq->ibsrq.device);
	srq->user = user;
	srq->serial = atomic64_inc_return(&serials);
	srq->limit = init->attr.srq_limit;
	srq->wq.max_sge = init->attr.max_sge;
	if (init->srq_type == IB_SRQT_XRC) {
		srq->xrcd = init->ext.xrc.xrcd;
		srq->cq = croce_cq(init->ext.cq);
	}
	spin_lock_init(&srq->lock);
	mutex_init(&srq->resize_mutex);
	INIT_WORK(&srq->limit_work, limit_work);
}

/**
 * croce_create_srq - create an SRQ
 * @ibsrq: SRQ
 * @init: sizes; updated to what there is
 * @udata: of the call, or NULL
 *
 * Return: 0 or -errno. Context: process, may sleep.
 */
int croce_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		     struct ib_udata *udata)
{
	struct croce_create_srq_resp resp = {};
	struct croce_srq *srq = croce_srq(ibsrq);
	struct ib_ucontext *ibuc = NULL;
	int err;

	err = check_init(init, udata);
	if (err)
		return err;
	if (udata)
		ibuc = rdma_udata_to_uverbs_attr_bundle(udata)->context;
	init_srq(srq, init, udata);

	/* Reserve first: no packet may find an SRQ that is not complete. */
	err = xa_alloc_cyclic(&srq->dev->srqs, &srq->num, NULL,
			      XA_LIMIT(1, CROCE_MAX_SRQ), &srq->dev->srq_next,
			      GFP_KERNEL);
	if (err < 0)
		return -ENOMEM;
	srq->umap = alloc_queue(&srq->wq, ibuc, init->attr.max_wr, &resp.rq);
	if (IS_ERR(srq->umap)) {
		err = PTR_ERR(srq->umap);
		goto err_erase_srq;
	}
	fill_response(&resp, srq, srq->umap);
	err = croce_udata_out(udata, &resp, sizeof(resp));
	if (err)
		goto err_destroy_umap;
	init->attr.max_wr = srq->wq.max_wr;
	ibsrq->ext.xrc.srq_num = srq->num;
	/* Packets name SRQs of XRC only; others are not to be found. */
	if (srq->xrcd)
		xa_store(&srq->dev->srqs, srq->num, srq, GFP_KERNEL);
	return 0;

err_destroy_umap:
	croce_umap_destroy(srq->umap);
err_erase_srq:
	xa_erase(&srq->dev->srqs, srq->num);
	return err;
}

static void copy_slots(const struct croce_wq *from, const struct croce_wq *to,
		       u32 first, u32 next)
{
	for (; first != next; first++)
		memcpy(rqe_slot(to, first), rqe_slot(from, first), to->stride);
}

static int switch_queue_locked(struct croce_srq *srq, struct croce_wq *new,
			       u32 copied)
{
	u32 prod = srq->user ? copied : srq->wq.prod;

	lockdep_assert_held(&srq->lock);
	if (prod - srq->wq.cons > min(new->slots, srq->wq.slots))
		return -EINVAL;
	copy_slots(&srq->wq, new, copied, prod);
	new->prod = prod;
	new->cons = srq->wq.cons;
	new->ctl->prod = prod;
	new->ctl->cons = new->cons;
	srq->wq = *new;
	return 0;
}

/*
 * Most WQEs are copied without the lock: posted ones do not change. A kernel
 * consumer may post meanwhile, so the rest follows under the lock; a process
 * keeps its posters out. Those that are fetched meanwhile are copied in vain.
 */
static int move_queue(struct croce_srq *srq, struct croce_wq *new)
{
	u32 cons, prod;
	int err;

	spin_lock_irq(&srq->lock);
	cons = srq->wq.cons;
	prod = cons + croce_wq_posted(&srq->wq);
	spin_unlock_irq(&srq->lock);
	if (prod - cons > new->slots)
		return -EINVAL;
	copy_slots(&srq->wq, new, cons, prod);

	spin_lock_irq(&srq->lock);
	err = switch_queue_locked(srq, new, prod);
	spin_unlock_irq(&srq->lock);
	return err;
}

/* Tells the process about its new queue before there is no way back. */
static int answer_resize(const struct croce_srq *srq,
			 const struct croce_umap *umap,
			 struct croce_create_srq_resp *resp,
			 struct ib_udata *udata)
{
	struct croce_modify_srq_req req;
	int err;

	if (!udata)
		return 0;
	err = croce_udata_in(udata, &req, sizeof(req));
	if (err)
		return err;
	if (req.comp_mask)
		return -EOPNOTSUPP;
	fill_response(resp, srq, umap);
	return copy_to_user(u64_to_user_ptr(req.resp_addr), resp,
			    sizeof(*resp)) ? -EFAULT : 0;
}

static int resize(struct croce_srq *srq, u32 max_wr, struct ib_udata *udata)
{
	struct croce_create_srq_resp resp = {};
	struct ib_ucontext *ibuc = NULL;
	struct croce_umap *umap;
	struct croce_wq wq = {
		.max_sge = srq->wq.max_sge,
	};
	int err;

	if (!max_wr || max_wr > CROCE_MAX_SRQ_WR)
		return -EINVAL;
	if (udata)
		ibuc = rdma_udata_to_uverbs_attr_bundle(udata)->context;
	umap = alloc_queue(&wq, ibuc, max_wr, &resp.rq);
	if (IS_ERR(umap))
		return PTR_ERR(umap);
	err = answer_resize(srq, umap, &resp, udata);
	if (!err) {
		mutex_lock(&srq->resize_mutex);
		err = move_queue(srq, &wq);
		if (!err)
			swap(srq->umap, umap);
		mutex_unlock(&srq->resize_mutex);
	}
	/* The old memory now, or the new one in case of failure. */
	croce_umap_destroy(umap);
	return err;
}

static int set_limit(struct croce_srq *srq, u32 limit)
{
	int err = 0;

	spin_lock_irq(&srq->lock);
	if (limit <= srq->wq.max_wr)
		srq->limit = limit;
	else
		err = -EINVAL;
	spin_unlock_irq(&srq->lock);
	return err;
}

/**
 * croce_modify_srq - resize an SRQ, arm its limit event
 * @ibsrq: SRQ
 * @attr: new values
 * @mask: which of them
 * @udata: of the call, or NULL
 *
 * Return: 0, -EINVAL when the posted WRs do not fit, or -errno.
 * Context: process, may sleep; WRs may be fetched meanwhile.
 */
int croce_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		     enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct croce_srq *srq = croce_srq(ibsrq);
	int err = 0;

	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT))
		return -EOPNOTSUPP;
	/* After a resize there is no way back, so look at the limit first. */
	if ((mask & IB_SRQ_MAX_WR) && (mask & IB_SRQ_LIMIT) &&
	    attr->srq_limit > attr->max_wr)
		return -EINVAL;
	if (mask & IB_SRQ_MAX_WR)
		err = resize(srq, attr->max_wr, udata);
	if (!err && (mask & IB_SRQ_LIMIT))
		err = set_limit(srq, attr->srq_limit);
	return err;
}

/**
 * croce_query_srq - attributes of an SRQ
 * @ibsrq: SRQ
 * @attr: filled
 *
 * Return: 0. Context: process.
 */
int croce_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct croce_srq *srq = croce_srq(ibsrq);

	spin_lock_irq(&srq->lock);
	attr->max_wr = srq->wq.max_wr;
	attr->max_sge = srq->wq.max_sge;
	attr->srq_limit = srq->limit;
	spin_unlock_irq(&srq->lock);
	return 0;
}

/**
 * croce_destroy_srq - destroy an SRQ
 * @ibsrq: SRQ; no QP uses it any more, but for XRC targets that packets come to
 * @udata: of the call, or NULL
 *
 * Return: 0. Context: process, may sleep.
 */
int croce_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct croce_srq *srq = croce_srq(ibsrq);

	xa_erase(&srq->dev->srqs, srq->num);
	/* After this, no packet of XRC knows the SRQ, its CQ or its PD. */
	if (srq->xrcd)
		synchronize_rcu_expedited();
	spin_lock_irq(&srq->lock);
	srq->dying = true;
	spin_unlock_irq(&srq->lock);
	/* After this, no event is queued, because that is done under lock. */
	cancel_work_sync(&srq->limit_work);
	/* After this, nobody knows the SRQ: QPs that hold it went before it. */
	croce_umap_destroy(srq->umap);
	mutex_destroy(&srq->resize_mutex);
	return 0;
}

/**
 * croce_post_srq_recv - post receive WRs of a kernel consumer
 * @ibsrq: SRQ
 * @wr: list of requests
 * @bad_wr: the first one that was not taken
 *
 * Return: 0, -ENOMEM, -EINVAL. Context: any; takes the SRQ's lock.
 */
int croce_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad_wr)
{
	struct croce_srq *srq = croce_srq(ibsrq);
	unsigned long flags;
	int err = 0;

	if (srq->user)
		return wr ? -EINVAL : 0;
	spin_lock_irqsave(&srq->lock, flags);
	for (; wr && !err; wr = err ? wr : wr->next)
		err = croce_rqe_write(&srq->wq, wr);
	spin_unlock_irqrestore(&srq->lock, flags);
	if (err)
		*bad_wr = wr;
	return err;
}
