/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * xfer: moves bytes between two hosts by every verb and compares them.
 *
 * Both ends draw the same operations from the same seeded generator, so each
 * knows what the other is about to do and what has to be found afterwards: in
 * the receive completions, in the target memory, and beside it. Both ends are
 * requester and responder at once. A TCP connection for each QP keeps the
 * ends in step.
 *
 *   plan.c   which operations; patterns of bytes
 *   link.c   the TCP connection
 *   ends.c   device, memory and QP
 *   post.c   operations to work requests
 *   flow.c   one batch after the other, and the comparison
 *   flood.c  as much as possible until something breaks, without comparison
 *   victim.c QPs that wait for what an attacker sends
 *   main.c   options, threads, sums
 */
#ifndef XFER_H
#define XFER_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BATCH_OPS	16
#define MAX_SGE		32
#define GUARD		32		/* untouched bytes after each operation's */
#define GUARD_BYTE	0xa5
#define GRH_LEN		40		/* in front of what a UD QP receives */

enum op_kind {
	OP_SEND,
	OP_SEND_IMM,
	OP_WRITE,
	OP_WRITE_IMM,
	OP_READ,
	OP_CAS,
	OP_ADD,
	OP_HOT,			/* fetch-and-add on the word that all QPs share */
	OP_KINDS
};

extern const char *const op_names[OP_KINDS];

/* How an operation's bytes are spread over scatter/gather elements. */
struct split {
	int n;
	uint32_t len[MAX_SGE];
};

struct op {
	enum op_kind kind;
	uint32_t len;
	uint32_t off;		/* of its bytes, in the arenas of both ends */
	uint32_t imm;
	uint64_t arg;		/* added, or swapped in */
	uint64_t compare;
	uint64_t before;	/* the target word's first value */
	uint64_t seed;		/* of its bytes */
	bool inlined;
	bool signaled;
	bool fence;
	bool solicited;
	bool chained;		/* posted in one list with the next */
	struct split local;
	struct split remote;	/* of the receive */
};

struct options {
	const char *peer;	/* NULL: be the server */
	const char *device;
	int port;
	int gid;
	enum ibv_qp_type type;	/* of the QP that sends: XRC_SEND for XRC */
	enum ibv_mtu mtu;
	uint32_t max_size;
	uint32_t arena;
	uint64_t seed;
	unsigned int ops;	/* bit mask of enum op_kind */
	unsigned int qps;
	unsigned int seconds;	/* of random operations */
	unsigned int stream_ms;	/* to do nothing but write */
	unsigned int idle;	/* seconds to do nothing at the end */
	unsigned int patience;	/* seconds to wait for a completion */
	int max_sge;
	int max_inline;
	int timeout;
	int traffic_class;
	int flow_label;
	bool sweep;		/* every small size and around multiples of the MTU */
	bool one_way;		/* only the client requests */
	bool poll;		/* do not wait for events */
	bool extended;		/* ibv_wr_*() instead of ibv_post_send() */
	bool late;		/* receives come after the sends (RNR) */
	bool flood;		/* until something breaks; nothing is compared */
	bool on_demand;		/* memory is not pinned, and is taken away all the time */
	bool leave;		/* the network namespace, once connected */
	bool victim;		/* tell all about the QPs, and wait to be killed */
};

struct plan {
	uint64_t rng;
	const struct options *opt;
	unsigned int swept;	/* position in the sweep */
	bool is_active;
};

struct batch {
	int n;
	struct op op[BATCH_OPS];
	uint32_t used;		/* bytes of the arena */
};

/* What one end tells the other to get connected. */
struct address {
	uint8_t gid[16];
	uint32_t qpn;
	uint32_t target_qpn;	/* of the QP that receives, the same but for XRC */
	uint32_t srqn;
	uint32_t psn;
	uint32_t rkey;
	uint32_t hot_rkey;
	uint64_t target;
	uint64_t hot;
	uint64_t agreed;	/* hash of the options both ends must share */
};

/* What all QPs of one end share. */
struct host {
	const struct options *opt;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_xrcd *xrcd;
	struct ibv_mr *hot_mr;
	uint64_t *hot;
	uint32_t mtu;		/* bytes */
};

/* One connected QP, its memory, and its connection to the peer. */
struct end {
	struct host *host;
	const struct options *opt;
	int index;
	int fd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_qp *target;		/* what receives: @qp, but for XRC */
	struct ibv_srq *srq;		/* XRC */
	struct ibv_qp_ex *qpx;
	struct ibv_ah *ah;
	struct ibv_mr *src_mr[2];	/* two keys for the same bytes */
	struct ibv_mr *dst_mr[2];
	uint8_t *src;			/* what own operations send from or read into */
	uint8_t *dst;			/* what the peer's operations find */
	pthread_t thief;		/* takes their pages away */
	struct address peer;
	struct plan mine;
	struct plan theirs;
	uint64_t ops;
	uint64_t bytes;
	uint64_t added;			/* to the peer's hot word */
	uint64_t last_hot;
};

/* plan.c */
void plan_init(struct plan *plan, const struct options *opt, int qp, bool is_client);
void plan_batch(struct plan *plan, struct batch *batch, uint32_t mtu);
bool plan_sweep_done(const struct plan *plan, uint32_t mtu);
uint64_t draw(uint64_t *rng);
void fill(uint8_t *to, uint32_t len, uint64_t seed);
long mismatch(const uint8_t *at, uint32_t len, uint64_t seed);
static inline bool takes_receive(enum op_kind kind)
{
	return kind == OP_SEND || kind == OP_SEND_IMM || kind == OP_WRITE_IMM;
}

static inline bool is_xrc(const struct options *opt)
{
	return opt->type == IBV_QPT_XRC_SEND;
}

static inline bool is_reliable(const struct options *opt)
{
	return opt->type == IBV_QPT_RC || is_xrc(opt);
}

static inline bool is_atomic(enum op_kind kind)
{
	return kind == OP_CAS || kind == OP_ADD || kind == OP_HOT;
}

/* link.c */
int link_listen(int port);
int link_accept(int listener);
int link_connect(const char *host, int port);
int link_swap(int fd, const void *mine, void *theirs, size_t len, int patience);

/* ends.c */
int host_open(struct host *host, const struct options *opt);
void host_close(struct host *host);
int end_open(struct end *end, struct host *host, int index, int fd);
void end_close(struct end *end);

/* memory.c */
uint8_t *memory_alloc(const struct options *opt);
void memory_free(const struct options *opt, uint8_t *memory);
int memory_disturb(struct end *end);
void memory_leave_alone(struct end *end);

/* post.c */
int post_requests(struct end *end, const struct batch *batch);
int post_receives(struct end *end, const struct batch *batch);

/* flow.c */
int flow(struct end *end);

/* flood.c */
int leave_namespace(void);
int next_completion(struct end *end, struct ibv_wc *wc);
int flood(struct end *end);

/* stream.c */
int stream(struct end *end);

/* victim.c */
int be_victim(struct end *ends, unsigned int qps);

#endif /* XFER_H */
