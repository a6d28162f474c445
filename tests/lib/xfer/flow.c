// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* One batch after the other, and the comparison. */

#include "xfer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LATE_US		3000
#define LONG_STALL	2	/* seconds; told, not judged */

/* Completions of one batch that were seen. */
struct seen {
	int sends;		/* the operation after the last one known complete */
	int receives;		/* the operation after the last one received */
};

struct word {
	uint32_t step;
	uint32_t failed;
	uint32_t more;
};

static __attribute__((format(printf, 3, 4)))
int complain(const struct end *end, const struct op *op, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "xfer: QP %d: ", end->index);
	if (op)
		fprintf(stderr, "%s of %u bytes%s, %d elements here, %d there: ",
			op_names[op->kind], op->len, op->inlined ? " inline" : "",
			op->local.n, op->remote.n);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return -1;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Both ends reach this point; *more becomes what the client says. */
static int meet(struct end *end, uint32_t step, int failed, bool *more)
{
	struct word mine = { step, !!failed, more && *more }, theirs;

	if (link_swap(end->fd, &mine, &theirs, sizeof(mine), 2 * end->opt->patience))
		return -1;
	if (theirs.failed && !failed)
		fprintf(stderr, "xfer: the peer has failed\n");
	if (theirs.step != step)
		return complain(end, NULL, "the peer is at step %u, not %u", theirs.step, step);
	if (more && !end->opt->peer)
		*more = theirs.more;
	return failed || theirs.failed ? -1 : 0;
}

/* --- before ------------------------------------------------------------- */

static void prepare_source(struct end *end, const struct batch *batch)
{
	const struct op *op;

	memset(end->src, GUARD_BYTE, batch->used);
	for (op = batch->op; op < batch->op + batch->n; op++)
		if (op->kind <= OP_WRITE_IMM)
			fill(end->src + op->off, op->len, op->seed);
}

static void prepare_target(struct end *end, const struct batch *batch)
{
	const struct op *op;

	memset(end->dst, GUARD_BYTE, batch->used);
	for (op = batch->op; op < batch->op + batch->n; op++) {
		if (op->kind == OP_READ)
			fill(end->dst + op->off, op->len, op->seed);
		else if (op->kind == OP_CAS || op->kind == OP_ADD)
			memcpy(end->dst + op->off, &op->before, sizeof(op->before));
	}
}

/* --- completions ---------------------------------------------------------- */

static enum ibv_wc_opcode send_opcode(enum op_kind kind)
{
	static const enum ibv_wc_opcode codes[OP_KINDS] = {
		[OP_SEND] = IBV_WC_SEND,
		[OP_SEND_IMM] = IBV_WC_SEND,
		[OP_WRITE] = IBV_WC_RDMA_WRITE,
		[OP_WRITE_IMM] = IBV_WC_RDMA_WRITE,
		[OP_READ] = IBV_WC_RDMA_READ,
		[OP_CAS] = IBV_WC_COMP_SWAP,
		[OP_ADD] = IBV_WC_FETCH_ADD,
		[OP_HOT] = IBV_WC_FETCH_ADD,
	};

	return codes[kind];
}

static int check_send(struct end *end, const struct batch *batch, struct seen *seen,
		      const struct ibv_wc *wc)
{
	const struct op *op;

	for (; seen->sends < (int)wc->wr_id; seen->sends++)
		if (batch->op[seen->sends].signaled)
			return complain(end, &batch->op[seen->sends],
					"no completion; that of request %d came",
					(int)wc->wr_id);
	if (seen->sends++ != (int)wc->wr_id)
		return complain(end, NULL, "request %d completed twice", (int)wc->wr_id);
	op = &batch->op[wc->wr_id];
	if (!op->signaled)
		return complain(end, op, "completion of an unsignalled request");
	if (wc->opcode != send_opcode(op->kind))
		return complain(end, op, "completion has opcode %d", wc->opcode);
	return 0;
}

static int check_receive(struct end *end, const struct batch *batch, struct seen *seen,
			 const struct ibv_wc *wc)
{
	uint32_t grh = end->opt->type == IBV_QPT_UD ? GRH_LEN : 0;
	int index = wc->wr_id - BATCH_OPS;
	const struct op *op;
	bool has_imm;

	while (seen->receives < batch->n && !takes_receive(batch->op[seen->receives].kind))
		seen->receives++;
	if (seen->receives++ != index)
		return complain(end, NULL, "receive %d completed out of order", index);
	op = &batch->op[index];
	has_imm = op->kind != OP_SEND;
	if (wc->opcode != (op->kind == OP_WRITE_IMM ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV))
		return complain(end, op, "receive has opcode %d", wc->opcode);
	if (wc->byte_len != op->len + grh)
		return complain(end, op, "receive has %u bytes", wc->byte_len);
	if (!(wc->wc_flags & IBV_WC_WITH_IMM) != !has_imm)
		return complain(end, op, "receive has flags 0x%x", wc->wc_flags);
	if (has_imm && ntohl(wc->imm_data) != op->imm)
		return complain(end, op, "immediate is 0x%x, not 0x%x",
				ntohl(wc->imm_data), op->imm);
	if (end->srq && wc->src_qp != end->peer.qpn)
		return complain(end, op, "receive has source QP 0x%x, not 0x%x", wc->src_qp,
				end->peer.qpn);
	if (grh && (!(wc->wc_flags & IBV_WC_GRH) || wc->src_qp != end->peer.qpn))
		return complain(end, op, "receive has flags 0x%x, source QP 0x%x, not 0x%x",
				wc->wc_flags, wc->src_qp, end->peer.qpn);
	return 0;
}

/* Wait until the CQ may have something; 0: it may, or a while has passed. */
static int wait_for_cq(struct end *end)
{
	struct pollfd wait;
	struct ibv_cq *cq;
	void *context;

	if (!end->channel) {
		sched_yield();
		return 0;
	}
	wait.fd = end->channel->fd;
	wait.events = POLLIN;
	if (poll(&wait, 1, 1000) <= 0)
		return 0;
	if (ibv_get_cq_event(end->channel, &cq, &context))
		return complain(end, NULL, "ibv_get_cq_event: %s", strerror(errno));
	ibv_ack_cq_events(cq, 1);
	return 0;
}

static int reap(struct end *end, const struct batch *mine, const struct batch *theirs,
		struct seen *seen, int sends, int receives)
{
	double start = now();
	struct ibv_qp *qp;
	struct ibv_wc wc;
	bool armed = false;
	int n, bad;

	while (seen->sends < sends || seen->receives < receives) {
		n = ibv_poll_cq(end->cq, 1, &wc);
		if (n < 0)
			return complain(end, NULL, "ibv_poll_cq failed");
		if (!n && now() - start > end->opt->patience)
			return complain(end, NULL, "no completion for %u s: %d of %d sent, %d of %d received",
					end->opt->patience, seen->sends, sends,
					seen->receives, receives);
		if (!n && end->channel && !armed) {
			if (ibv_req_notify_cq(end->cq, 0))
				return complain(end, NULL, "ibv_req_notify_cq failed");
			armed = true;
			continue;
		}
		if (!n && wait_for_cq(end))
			return -1;
		if (!n) {
			armed = false;
			continue;
		}
		if (wc.status)
			return complain(end, wc.wr_id < BATCH_OPS ? &mine->op[wc.wr_id] :
					&theirs->op[wc.wr_id - BATCH_OPS], "%s: %s, vendor 0x%x",
					wc.wr_id < BATCH_OPS ? "request" : "receive",
					ibv_wc_status_str(wc.status), wc.vendor_err);
		qp = wc.wr_id < BATCH_OPS ? end->qp : end->target;
		if (wc.qp_num != qp->qp_num)
			return complain(end, NULL, "completion has QP number 0x%x, not 0x%x",
					wc.qp_num, qp->qp_num);
		bad = wc.wr_id < BATCH_OPS ? check_send(end, mine, seen, &wc)
					   : check_receive(end, theirs, seen, &wc);
		if (bad)
			return bad;
		if (now() - start > LONG_STALL)
			printf("QP %d: a completion took %.1f s\n", end->index, now() - start);
		start = now();
	}
	return 0;
}

/* The operation after the last one that takes a receive. */
static int last_receive(const struct batch *batch)
{
	int i;

	for (i = batch->n; i && !takes_receive(batch->op[i - 1].kind); i--)
		;
	return i;
}

/* --- after -------------------------------------------------------------- */

static int check_bytes(struct end *end, const struct op *op, const uint8_t *at, const char *where)
{
	long offset = mismatch(at, op->len, op->seed);

	if (offset < 0)
		return 0;
	return complain(end, op, "%s differs at byte %ld: 0x%02x", where, offset, at[offset]);
}

/* What lies between the operations' bytes must be untouched. */
static int check_guards(struct end *end, const struct batch *batch, const uint8_t *arena,
			uint32_t grh, const char *where)
{
	const struct op *op;
	uint32_t at = 0;

	for (op = batch->op; op < batch->op + batch->n; op++) {
		for (; at < op->off - (takes_receive(op->kind) ? grh : 0); at++)
			if (arena[at] != GUARD_BYTE)
				return complain(end, op, "%s: byte %d before it was written",
						where, (int)(op->off - at));
		at = op->off + op->len;
	}
	for (; at < batch->used; at++)
		if (arena[at] != GUARD_BYTE)
			return complain(end, op - 1, "%s: byte %u after it was written", where,
					at - op[-1].off - op[-1].len);
	return 0;
}

static int check_old(struct end *end, const struct op *op)
{
	uint64_t old;

	memcpy(&old, end->src + op->off, sizeof(old));
	if (op->kind != OP_HOT)
		return old == op->before ? 0 : complain(end, op, "returned 0x%llx, not 0x%llx",
			(unsigned long long)old, (unsigned long long)op->before);
	if (old < end->last_hot)
		return complain(end, op, "the shared word went back to %llu from %llu",
				(unsigned long long)old, (unsigned long long)end->last_hot);
	end->last_hot = old + op->arg;
	end->added += op->arg;
	return 0;
}

static int check_source(struct end *end, const struct batch *batch)
{
	const struct op *op;
	int bad = 0;

	for (op = batch->op; op < batch->op + batch->n && !bad; op++) {
		if (op->kind == OP_READ)
			bad = check_bytes(end, op, end->src + op->off, "what was read");
		else if (is_atomic(op->kind))
			bad = check_old(end, op);
		end->ops++;
		end->bytes += op->len;
	}
	return bad ? bad : check_guards(end, batch, end->src, 0, "source");
}

static int check_grh(struct end *end, const struct op *op)
{
	const uint8_t *grh = end->dst + op->off - GRH_LEN;
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (memcmp(end->peer.gid, mapped, sizeof(mapped)))
		return grh[0] >> 4 == 6 && !memcmp(grh + 8, end->peer.gid, 16) ? 0 :
			complain(end, op, "GRH does not name the IPv6 source");
	grh += 20;
	return grh[0] == 0x45 && !memcmp(grh + 12, end->peer.gid + 12, 4) ? 0 :
		complain(end, op, "GRH does not hold the IPv4 header");
}

static int check_target(struct end *end, const struct batch *batch)
{
	uint32_t grh = end->opt->type == IBV_QPT_UD ? GRH_LEN : 0;
	const struct op *op;
	uint64_t word, want;
	int bad = 0;

	for (op = batch->op; op < batch->op + batch->n && !bad; op++) {
		if (op->kind <= OP_READ)
			bad = check_bytes(end, op, end->dst + op->off, "what arrived");
		if (grh && !bad)
			bad = check_grh(end, op);
		if (op->kind != OP_CAS && op->kind != OP_ADD)
			continue;
		memcpy(&word, end->dst + op->off, sizeof(word));
		want = op->before + op->arg;
		if (op->kind == OP_CAS)
			want = op->compare == op->before ? op->arg : op->before;
		if (word != want)
			bad = complain(end, op, "left 0x%llx, not 0x%llx",
				       (unsigned long long)word, (unsigned long long)want);
	}
	return bad ? bad : check_guards(end, batch, end->dst, grh, "target");
}

/* --- all of it ------------------------------------------------------------ */

static int run_batch(struct end *end, const struct batch *mine, const struct batch *theirs)
{
	struct seen seen = { 0, 0 };
	int bad;

	prepare_source(end, mine);
	prepare_target(end, theirs);
	bad = end->opt->late ? 0 : post_receives(end, theirs);
	if (meet(end, 1, bad, NULL))
		return -1;
	bad = post_requests(end, mine);
	if (!bad && end->opt->late) {
		usleep(LATE_US);
		bad = post_receives(end, theirs);
	}
	if (!bad)
		bad = reap(end, mine, theirs, &seen, mine->n, 0);
	if (meet(end, 2, bad, NULL))
		return -1;
	bad = reap(end, mine, theirs, &seen, mine->n, last_receive(theirs));
	if (!bad)
		bad = check_source(end, mine);
	return bad ? bad : check_target(end, theirs);
}

int flow(struct end *end)
{
	double stop = now() + end->opt->seconds;
	struct batch mine, theirs;
	bool more = true;
	int bad;

	while (more) {
		plan_batch(&end->mine, &mine, end->host->mtu);
		plan_batch(&end->theirs, &theirs, end->host->mtu);
		bad = run_batch(end, &mine, &theirs);
		more = now() < stop || !plan_sweep_done(&end->mine, end->host->mtu) ||
		       !plan_sweep_done(&end->theirs, end->host->mtu);
		if (meet(end, 3, bad, &more))
			return -1;
	}
	if (end->opt->idle) {
		if (!end->index) {
			printf("idle\n");
			fflush(stdout);
		}
		sleep(end->opt->idle);
	}
	return meet(end, 4, 0, NULL);
}
