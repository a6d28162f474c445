// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Accesses that wait for a page of a region on demand. The page is faulted in
 * by a work item, which then starts the task again; the task makes the access
 * once more, from the beginning of the packet. Nothing else is remembered, so
 * the page may go again before, and then all of it is done again.
 *
 * A queue pair waits in three places at most, independent of each other: for
 * the packet at the head of the backlog, for the oldest response it owes, and
 * for the next request it sends.
 */
#include "fault.h"
#include "mr.h"
#include "odp.h"
#include "task.h"

/* More than the page at hand: the rest of the access is likely to follow. */
#define FAULT_BYTES	SZ_64K

static int resolve(const struct croce_fault *fault)
{
	int err;

	err = croce_odp_fault(fault->mr, fault->addr, fault->length,
			      fault->write, true);
	if (err && err != -EBUSY)
		err = croce_odp_fault(fault->mr, fault->addr, 1, fault->write,
				      true);
	/* The page comes and goes: try the access, and fault again. */
	return err == -EBUSY ? 0 : err;
}

static void fault_work(struct work_struct *work)
{
	struct croce_fault *fault = container_of(work, struct croce_fault,
						 work);
	struct croce_qp *qp = fault->qp;
	int err = resolve(fault);

	croce_mr_put(fault->mr);
	/* After this, the next fault may begin. */
	smp_store_release(&fault->state, err ? CROCE_FAULT_FAILED :
					       CROCE_FAULT_IDLE);
	croce_task_run(qp, CROCE_TASK_FAULT, CROCE_IN_WORK);
}

/**
 * croce_fault_init - nothing waits
 * @qp: new queue pair
 *
 * Context: any.
 */
void croce_fault_init(struct croce_qp *qp)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(qp->faults); i++) {
		qp->faults[i].qp = qp;
		INIT_WORK(&qp->faults[i].work, fault_work);
	}
}

static struct croce_fault *fault_of(struct croce_qp *qp, u32 access)
{
	if (!access)
		return &qp->faults[CROCE_FAULT_REQUEST];
	if (access == IB_ACCESS_REMOTE_READ)
		return &qp->faults[CROCE_FAULT_RESPONSE];
	return &qp->faults[CROCE_FAULT_RECEIVE];
}

static bool is_same(const struct croce_fault *fault, const struct croce_mr *mr,
		    u64 addr)
{
	return fault->key == mr->key && fault->addr == addr;
}

/**
 * croce_fault_begin - an access has come to a page that is not present
 * @qp: queue pair
 * @mr: region on demand, referenced
 * @addr: address that is not present
 * @length: bytes of the element from there on
 * @access: IB_ACCESS_* that the access needs, 0 for local reading
 *
 * Return: -EINPROGRESS when the task is run again with the page, and -EFAULT
 * when this was tried and there is none. Context: owner of the QP's task.
 */
int croce_fault_begin(struct croce_qp *qp, struct croce_mr *mr, u64 addr,
		      u32 length, u32 access)
{
	struct croce_fault *fault = fault_of(qp, access);
	/* Pairs with the release in fault_work(). */
	u8 state = smp_load_acquire(&fault->state);

	if (state == CROCE_FAULT_PENDING)
		return -EINPROGRESS;
	if (state == CROCE_FAULT_FAILED && is_same(fault, mr, addr)) {
		fault->state = CROCE_FAULT_IDLE;
		return -EFAULT;
	}
	croce_count(qp->dev, CROCE_CNT_PAGE_FAULTS);
	refcount_inc(&mr->refs);
	fault->mr = mr;
	fault->key = mr->key;
	fault->addr = addr;
	fault->length = min_t(u32, length, FAULT_BYTES);
	fault->write = access && access != IB_ACCESS_REMOTE_READ;
	fault->state = CROCE_FAULT_PENDING;
	croce_odp_queue(&fault->work, true);
	return -EINPROGRESS;
}

/**
 * croce_fault_stop - nothing waits any more, for good
 * @qp: dead queue pair
 *
 * Context: process, may sleep.
 */
void croce_fault_stop(struct croce_qp *qp)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(qp->faults); i++)
		if (cancel_work_sync(&qp->faults[i].work))
			croce_mr_put(qp->faults[i].mr);
}

/**
 * croce_fault_forget - what was received does not matter any more
 * @qp: queue pair on its way to reset or error
 *
 * The packet at the head of the backlog is dropped when the fault is over. A
 * request that has its response but not its data must not complete as if it had.
 *
 * Context: owner of the QP's task.
 */
void croce_fault_forget(struct croce_qp *qp)
{
	int i;

	if (qp->held.verdict)
		croce_req_fail(&qp->req, qp->held.wqe,
			       CROCE_STATUS_WR_FLUSH_ERR);
	qp->held.verdict = CROCE_COMP_DROP;
	qp->stalled = false;
	/* What such a fault finds out is not the answer to another access. */
	for (i = 0; i < ARRAY_SIZE(qp->faults); i++)
		qp->faults[i].key = 0;
}
