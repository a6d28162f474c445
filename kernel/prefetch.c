// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_advise_mr(): parts of regions on demand are made present before somebody
 * needs them.
 */
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include "odp.h"

/* Bytes between two looks whether it is still wanted. */
#define PREFETCH_STEP		SZ_2M

/**
 * struct piece - part of a region
 * @mr: region, referenced
 * @addr: first address
 * @length: bytes
 */
struct piece {
	struct croce_mr *mr;
	u64 addr;
	u32 length;
};

/**
 * struct prefetch - an advice that nobody waits for
 * @work: does it
 * @advice: what to do
 * @num: pieces
 * @pieces: where to
 */
struct prefetch {
	struct work_struct work;
	enum ib_uverbs_advise_mr_advice advice;
	u32 num;
	struct piece pieces[] __counted_by(num);
};

static int prefetch_piece(const struct piece *piece,
			  enum ib_uverbs_advise_mr_advice advice)
{
	bool write = advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	bool fault = advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT;
	u32 done = 0, n;
	int err = 0;

	/* Who takes the region away does not wait for all of it. */
	while (done < piece->length && !err && READ_ONCE(piece->mr->valid)) {
		n = min_t(u32, piece->length - done, PREFETCH_STEP);
		err = croce_odp_fault(piece->mr, piece->addr + done, n, write,
				      fault);
		done += n;
		if (fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	return err;
}

static void put_pieces(struct prefetch *prefetch)
{
	u32 i;

	for (i = 0; i < prefetch->num; i++)
		if (prefetch->pieces[i].mr)
			croce_mr_put(prefetch->pieces[i].mr);
	kvfree(prefetch);
}

static int prefetch_pieces(struct prefetch *prefetch)
{
	int err = 0;
	u32 i;

	for (i = 0; i < prefetch->num && !err; i++)
		err = prefetch_piece(&prefetch->pieces[i], prefetch->advice);
	put_pieces(prefetch);
	return err;
}

static void prefetch_work(struct work_struct *work)
{
	prefetch_pieces(container_of(work, struct prefetch, work));
}

/* The reference is held for long, which is for regions on demand only. */
static int get_piece(struct ib_pd *pd, const struct ib_sge *sge, bool write,
		     struct piece *piece)
{
	struct croce_mr *mr;
	u64 addr = sge->addr;
	int err = 0;

	local_bh_disable();
	mr = croce_mr_get(croce_dev(pd->device), pd, sge->lkey, &addr,
			  sge->length, 0, false, 0);
	if (!mr)
		err = -EFAULT;
	else if (mr->type != CROCE_MR_ODP)
		err = -EINVAL;
	else if (write && !ib_access_writable(mr->access))
		err = -EPERM;
	if (mr && err)
		croce_mr_put(mr);
	local_bh_enable();
	if (err)
		return err;
	piece->mr = mr;
	piece->addr = addr;
	piece->length = sge->length;
	return 0;
}

static struct prefetch *make_prefetch(struct ib_pd *pd,
				      enum ib_uverbs_advise_mr_advice advice,
				      const struct ib_sge *sg_list, u32 num)
{
	bool write = advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	struct prefetch *prefetch;
	int err = 0;
	u32 i;

	prefetch = kvzalloc(struct_size(prefetch, pieces, num),
			    GFP_KERNEL_ACCOUNT);
	if (!prefetch)
		return ERR_PTR(-ENOMEM);
	INIT_WORK(&prefetch->work, prefetch_work);
	prefetch->advice = advice;
	prefetch->num = num;
	for (i = 0; i < num && !err; i++)
		err = get_piece(pd, &sg_list[i], write, &prefetch->pieces[i]);
	if (!err)
		return prefetch;
	put_pieces(prefetch);
	return ERR_PTR(err);
}

/**
 * croce_advise_mr - prefetch parts of regions on demand
 * @pd: protection domain
 * @advice: for reading, for writing, or only what the process has already
 * @flags: IB_UVERBS_ADVISE_MR_FLAG_FLUSH: be finished on return
 * @sg_list: parts
 * @num_sge: their number
 * @attrs: of the call
 *
 * Return: 0 or -errno, as ibv_advise_mr(3) has it. Context: process, may sleep.
 */
int croce_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice,
		    u32 flags, struct ib_sge *sg_list, u32 num_sge,
		    struct uverbs_attr_bundle *attrs)
{
	struct prefetch *prefetch;

	if (advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH &&
	    advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE &&
	    advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return -EOPNOTSUPP;
	prefetch = make_prefetch(pd, advice, sg_list, num_sge);
	if (IS_ERR(prefetch))
		return PTR_ERR(prefetch);
	if (flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH)
		return prefetch_pieces(prefetch);
	croce_odp_queue(&prefetch->work, false);
	return 0;
}
