/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The task of a queue pair: who may touch its transport state.
 *
 * One bit, CROCE_TASK_RUNNING, is the owner's. A context with work sets the
 * bit of its kind of work; if RUNNING was clear it becomes the owner and takes
 * turns until no work bit is left, else it goes away and the owner takes one
 * more turn. So posting, receiving and timers run inline, in the context in
 * which they happen, and nobody spins for long. Turns are bounded; an owner
 * whose budget is used up hands over to the work queue. So do a softirq where
 * long runs come one after the other, and a poster that goes on without waiting:
 * there another CPU is worth its wake-up (Documentation/notes/0007). L3.
 */
#ifndef CROCE_TASK_H
#define CROCE_TASK_H

#include <linux/bits.h>
#include <linux/sizes.h>
#include <linux/types.h>

struct croce_qp;
struct sk_buff;

#define CROCE_TASK_RUNNING	BIT(0)	/* somebody owns the QP */
#define CROCE_TASK_SEND		BIT(1)	/* look at the send queue */
#define CROCE_TASK_RECV		BIT(2)	/* packets are in rx_backlog */
#define CROCE_TASK_TIMER	BIT(3)	/* the timer expired */
#define CROCE_TASK_RESPOND	BIT(4)	/* responses are owed */
#define CROCE_TASK_HANDOVER	BIT(5)	/* the work queue takes over */
#define CROCE_TASK_FAULT	BIT(6)	/* a page fault is over */
#define CROCE_TASK_WORK		(~CROCE_TASK_RUNNING)

/* Bytes of a run that make its QP a stream. */
#define CROCE_STREAM_BYTES	SZ_16K

/**
 * enum croce_context - where a turn runs
 * @CROCE_IN_POST: in a consumer's post call: no completion handler may run
 * @CROCE_IN_SOFTIRQ: receive path or timer
 * @CROCE_IN_WORK: work queue
 */
enum croce_context {
	CROCE_IN_POST,
	CROCE_IN_SOFTIRQ,
	CROCE_IN_WORK,
};

void croce_task_init(struct croce_qp *qp);
void croce_task_note_bytes(struct croce_qp *qp, u32 bytes);
void croce_task_run(struct croce_qp *qp, unsigned int work,
		    enum croce_context context);
void croce_task_receive(struct croce_qp *qp, struct sk_buff *skb);
void croce_task_defer(struct croce_qp *qp, unsigned int work);
bool croce_task_try_enter(struct croce_qp *qp);
void croce_task_enter(struct croce_qp *qp) __acquires(RCU);
void croce_task_leave(struct croce_qp *qp) __releases(RCU);
void croce_task_stop(struct croce_qp *qp);

#endif /* CROCE_TASK_H */
