// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ownership of a queue pair's transport state; see task.h. Everybody who owns
 * the task runs with bottom halves off, but for the moment between two turns,
 * so an owner is seldom interrupted by a receive softirq of its own CPU that
 * would only find the task taken.
 *
 * Lifetime: an owner is inside an RCU read section, and everything that
 * outlives it (deferral, timer) is started while it still owns the task. So
 * after croce_task_stop() has owned the task once and marked the QP dead,
 * cancelling both is final, and a grace period later nobody knows the QP.
 */
#include <linux/bottom_half.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/processor.h>
#include <linux/rcupdate.h>
#include "fault.h"
#include "task.h"
#include "qp.h"
#include "recv.h"
#include "reorder.h"
#include "sq.h"
#include "turn.h"

/* Turns an owner takes before it hands over to the work queue. */
#define TURNS_MAX	16
/* Other CPUs that are asked whether they have time. */
#define CPUS_ASKED	8
/* How long a queue pair that moved much at once is taken for a stream. */
#define STREAM_TIME	(HZ / 100 + 1)

/* The CPU is inside a turn, or in one inside another. */
static DEFINE_PER_CPU(bool, is_in_turn);

static void task_work(struct work_struct *work)
{
	struct croce_qp *qp = container_of(work, struct croce_qp, deferral);

	croce_task_run(qp, CROCE_TASK_HANDOVER, CROCE_IN_WORK);
}

static enum hrtimer_restart task_timer(struct hrtimer *timer)
{
	struct croce_qp *qp = container_of(timer, struct croce_qp, timer);

	croce_task_run(qp, CROCE_TASK_TIMER, CROCE_IN_SOFTIRQ);
	return HRTIMER_NORESTART;
}

/**
 * croce_task_init - prepare the task of a new QP
 * @qp: QP nobody else knows
 *
 * Context: any.
 */
void croce_task_init(struct croce_qp *qp)
{
	atomic_set(&qp->work, 0);
	atomic_set(&qp->waiters, 0);
	croce_backlog_init(&qp->rx_backlog);
	croce_reorder_init(qp);
	croce_fault_init(qp);
	INIT_WORK(&qp->deferral, task_work);
	hrtimer_setup(&qp->timer, task_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	qp->timer_ns = KTIME_MAX;
	qp->stream_until = jiffies;
}

/*
 * A CPU that is in no turn. Where there is none a wake-up would be for nothing:
 * the worker waits for a CPU as long as the work would have taken here.
 */
static bool another_cpu_has_time(void)
{
	int cpu, self = smp_processor_id();
	unsigned int asked = 0;

	for_each_cpu_wrap(cpu, cpu_online_mask, self + 1) {
		if (cpu == self || asked++ == CPUS_ASKED)
			break;
		if (!per_cpu(is_in_turn, cpu))
			return true;
	}
	return false;
}

/*
 * The ends of a virtual link share the CPU of whoever sends, and a NIC's queue
 * has one: where much is moved, another CPU does that.
 */
static bool is_stream(const struct croce_qp *qp)
{
	unsigned long until = READ_ONCE(qp->stream_until);

	/* Not one of half a cycle of jiffies ago. */
	return time_in_range_open(jiffies, until - STREAM_TIME, until) &&
	       another_cpu_has_time();
}

/**
 * croce_task_note_bytes - bytes of a QP were moved at once
 * @qp: QP
 * @bytes: of the run; received ones have been checked
 *
 * After a long run softirqs leave the work of @qp to the work queue for a while.
 * Short messages are not worth waking a worker.
 *
 * Context: owner of the QP's task.
 */
void croce_task_note_bytes(struct croce_qp *qp, u32 bytes)
{
	unsigned long until = jiffies + STREAM_TIME;

	if (bytes >= CROCE_STREAM_BYTES && croce_qp_is_reliable(qp) &&
	    READ_ONCE(qp->stream_until) != until)
		WRITE_ONCE(qp->stream_until, until);
}

/*
 * Nobody puts the packets of UC and UD into order again, and those of two CPUs
 * overtake each other.
 */
static void queue_turn(struct croce_qp *qp)
{
	queue_work(croce_qp_is_reliable(qp) ? croce_wq : croce_local_wq,
		   &qp->deferral);
}

/*
 * Hand over with the work bits as they are; false when one more appeared. The
 * worker's own must not be among them: it would come, change nothing and go,
 * and nobody would notice that it was here.
 */
static bool task_hand_over(struct croce_qp *qp)
{
	int bits = atomic_fetch_andnot(CROCE_TASK_HANDOVER, &qp->work) &
		   ~CROCE_TASK_HANDOVER;

	queue_turn(qp);
	return atomic_try_cmpxchg_release(&qp->work, &bits,
					  bits & ~CROCE_TASK_RUNNING);
}

/*
 * What was sent goes on its way before there is more, here or on another CPU.
 * Nothing happens under a caller with bottom halves off. Who is preempted is
 * not to own anything, where that can be had.
 */
static void let_softirqs_run(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_disable();
	local_bh_enable();
	local_bh_disable();
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_enable();
}

/*
 * A process waits on its CPU, and does what there is when it has owned the task.
 */
static bool is_awaited(const struct croce_qp *qp)
{
	return unlikely(atomic_read(&qp->waiters));
}

static int take_turn(struct croce_qp *qp, unsigned int work,
		     enum croce_context context)
{
	bool nested = __this_cpu_read(is_in_turn);
	int left;

	__this_cpu_write(is_in_turn, true);
	left = croce_turn(qp, work, context);
	__this_cpu_write(is_in_turn, nested);
	return left;
}

/*
 * The owner's loop. Ownership ends by a compare-and-exchange that fails when
 * a work bit has appeared, so no mark left by another context is lost.
 */
static void task_own(struct croce_qp *qp, enum croce_context context)
{
	unsigned int turns = 0;

	for (;;) {
		if (is_awaited(qp)) {
			atomic_fetch_andnot_release(CROCE_TASK_RUNNING,
						    &qp->work);
			return;
		}
		int work = atomic_fetch_and(CROCE_TASK_RUNNING, &qp->work);
		int left = take_turn(qp, work & CROCE_TASK_WORK, context);
		int idle = CROCE_TASK_RUNNING;

		if (left)
			atomic_or(left, &qp->work);
		if (atomic_try_cmpxchg_release(&qp->work, &idle, 0))
			return;
		if (is_awaited(qp))
			continue;
		/* A softirq has not disabled them; it is one. */
		if (context != CROCE_IN_SOFTIRQ)
			let_softirqs_run();
		if (++turns >= TURNS_MAX && !qp->dead && task_hand_over(qp))
			return;
	}
}

/*
 * Only an owner starts the deferral; one that sees the QP dead does not. Timers
 * are not late because of it.
 */
static bool task_leave_to_work(struct croce_qp *qp, unsigned int work,
			       enum croce_context context)
{
	if (qp->dead)
		return false;
	if (context == CROCE_IN_SOFTIRQ)
		return work & CROCE_TASK_RECV && is_stream(qp) &&
		       task_hand_over(qp);
	if (context != CROCE_IN_POST || !croce_qp_is_reliable(qp) ||
	    num_online_cpus() == 1 ||
	    !(croce_sq_is_ahead(qp) || is_stream(qp)))
		return false;
	/* The poster goes on without ringing, and the work sends several. */
	croce_sq_report(qp, CROCE_SQ_BUSY);
	return task_hand_over(qp);
}

/**
 * croce_task_run - there is work: do it here, or leave it to another
 * @qp: QP
 * @work: CROCE_TASK_* bits of the work
 * @context: where the caller runs
 *
 * Context: any but hard interrupts or with interrupts off, where
 * croce_task_defer() is for. The caller keeps @qp alive (RCU or ownership).
 */
void croce_task_run(struct croce_qp *qp, unsigned int work,
		    enum croce_context context)
{
	local_bh_disable();
	rcu_read_lock();
	if (!(atomic_fetch_or(work | CROCE_TASK_RUNNING, &qp->work) &
	      CROCE_TASK_RUNNING) && !task_leave_to_work(qp, work, context))
		task_own(qp, context);
	rcu_read_unlock();
	local_bh_enable();
}

static void backlog_add(struct croce_qp *qp, struct sk_buff *skb)
{
	if (likely(croce_backlog_add(&qp->rx_backlog, skb)))
		return;
	croce_count(qp->dev, CROCE_CNT_DROP_BACKLOG);
	kfree_skb(skb);
}

/**
 * croce_task_receive - a packet has arrived for the QP
 * @qp: QP
 * @skb: packet; consumed
 *
 * Taken in here and now when nobody owns the task, else left in the backlog
 * for the owner, behind what is there already.
 *
 * Context: receive softirq, RCU read section.
 */
void croce_task_receive(struct croce_qp *qp, struct sk_buff *skb)
{
	if (is_stream(qp) || !croce_backlog_is_empty(&qp->rx_backlog) ||
	    is_awaited(qp) || !croce_task_try_enter(qp)) {
		backlog_add(qp, skb);
		croce_task_run(qp, CROCE_TASK_RECV, CROCE_IN_SOFTIRQ);
		return;
	}
	croce_recv_skb(qp, skb);
	atomic_or(CROCE_TASK_RESPOND, &qp->work);
	task_own(qp, CROCE_IN_SOFTIRQ);
}

/**
 * croce_task_defer - there is work, but not for this context
 * @qp: QP
 * @work: CROCE_TASK_* bits of the work
 *
 * Context: any. The caller keeps @qp from being destroyed.
 */
void croce_task_defer(struct croce_qp *qp, unsigned int work)
{
	atomic_or(work, &qp->work);
	queue_turn(qp);
}

/**
 * croce_task_try_enter - become the owner if there is none
 * @qp: QP
 *
 * Return: true when the caller owns the task now; it calls
 * croce_task_leave() afterwards. Context: bottom halves off, RCU read section.
 */
bool croce_task_try_enter(struct croce_qp *qp)
{
	return !(atomic_fetch_or(CROCE_TASK_RUNNING, &qp->work) &
		 CROCE_TASK_RUNNING);
}

/*
 * Who is asked to leave counts on us to be there at once: we stay on this CPU,
 * as an owner does on its own. There, PREEMPT_RT is different: an owner may have
 * been preempted by us, so we sleep, and nobody leaves for us.
 */
#define WAITER_SPINS	(!IS_ENABLED(CONFIG_PREEMPT_RT))

static void wait_begin(struct croce_qp *qp)
{
	if (!WAITER_SPINS)
		return;
	preempt_disable();
	atomic_inc(&qp->waiters);
}

static void wait_a_little(void)
{
	if (WAITER_SPINS)
		cpu_relax();
	else
		usleep_range(20, 100);
}

/* Work that was left because of us is seen by croce_task_leave(). */
static void wait_end(struct croce_qp *qp)
{
	if (!WAITER_SPINS)
		return;
	atomic_dec(&qp->waiters);
	preempt_enable();
}

/**
 * croce_task_enter - become the owner, for the control path
 * @qp: QP
 *
 * Waits for the end of one turn at most (PREEMPT_RT: of the work there is): who
 * owns the task or comes to own it leaves its work to the process that waits.
 *
 * Context: process, may sleep; returns with bottom halves off and in an RCU
 * read section, both ended by croce_task_leave().
 */
void croce_task_enter(struct croce_qp *qp)
	__acquires(RCU)
{
	wait_begin(qp);
	for (;;) {
		local_bh_disable();
		rcu_read_lock();
		if (!(atomic_read(&qp->work) & CROCE_TASK_RUNNING) &&
		    croce_task_try_enter(qp))
			break;
		rcu_read_unlock();
		local_bh_enable();
		wait_a_little();
	}
	wait_end(qp);
}

/**
 * croce_task_leave - end what croce_task_enter() began
 * @qp: QP
 *
 * Does the work that others left meanwhile. Context: owner of the task.
 */
void croce_task_leave(struct croce_qp *qp)
	__releases(RCU)
{
	int idle = CROCE_TASK_RUNNING;

	if (!atomic_try_cmpxchg_release(&qp->work, &idle, 0))
		task_own(qp, CROCE_IN_WORK);
	rcu_read_unlock();
	local_bh_enable();
}

/**
 * croce_task_stop - end the task for good
 * @qp: QP
 *
 * After this no turn does anything, no timer is armed and no deferral is
 * queued; readers that found the QP before it was erased only see it dead.
 *
 * Context: process, may sleep.
 */
void croce_task_stop(struct croce_qp *qp)
{
	croce_task_enter(qp);
	qp->dead = true;
	croce_reorder_purge(qp);
	croce_task_leave(qp);
	/* After this no page fault can start a turn, nor hold a region. */
	croce_fault_stop(qp);
	/* After this the timer can no longer start a turn. */
	hrtimer_cancel(&qp->timer);
	/* After this the work queue can no longer. */
	cancel_work_sync(&qp->deferral);
	/* Packets that arrive from now on are dropped by their turn. */
	croce_backlog_purge(&qp->rx_backlog);
}
