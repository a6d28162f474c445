/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * conform: does a device do what the verbs say?
 *
 * A case is a row of a table: how two ends are connected, what is done, and what must be
 * seen of it: what the calls returned, the completions of both ends in order, the states
 * of both QPs, the asynchronous events. Everything is seen before it is judged, so that
 * devices can be compared.
 *
 *   main.c      options, the list of tables, TAP and CSV
 *   rig.c       two ends
 *   drive.c     posting, and steps that rows have in common
 *   watch.c     completions, events and states as words; judging
 *
 *   keys.c      keys, bounds, rights, lengths
 *   flow.c      receiver not ready, retries, flushing, full queues
 *   states.c    changes of state, posting in each of them
 *   windows.c   memory windows, keys that are taken away
 *   datagram.c  UD and UC
 *   shared.c    shared receive queues, XRC
 *   limits.c    what query_device and query_port call a maximum
 *   caps.c      what they say the device can do
 *   odp.c       the same of memory on demand
 */
#ifndef CONFORM_H
#define CONFORM_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PORT		1
#define QKEY		0x11111111
#define MEMORY		65536
#define NO_QPN		0xfffff0
#define NO_KEY		0x7fffff00	/* to be XORed to a key: another index */
#define NONE		(-1)		/* where 0 means "the usual" */
#define SKIP		77
#define ALL_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

/* How far an end is taken; 0 is RTS. */
#define AT(state)	((state) + 1)

/**
 * struct how - how two ends are made and connected; zeros are good for most
 * @type: 0 is RC
 * @bare: no QPs at all
 * @srq: the responder receives from an SRQ
 * @foreign_pd: the responder has a PD of its own
 * @access: rights of the responder's QP
 * @mr_access: rights of the responder's region
 * @from_access: rights of the requester's region
 * @timeout: exponent of the requester's transport timer
 * @retry: its retry count
 * @rnr_retry: its RNR retry count, 7 (without end) by default
 * @rd_atomic: its depth of READs and atomics
 * @dest_rd_atomic: the responder's
 * @rnr_timer: the responder's code of the RNR timer
 * @psn_ahead: the requester starts at another PSN than the responder expects
 * @qpn: whom the requester takes for its peer
 * @cqe: room of the requester's CQ
 * @wrs: room of the requester's send queue
 * @sges: elements of each request
 * @from: state of the requester, AT(...)
 * @to: state of the responder, AT(...)
 */
struct how {
	enum ibv_qp_type type;
	bool bare, srq, foreign_pd;
	int access, mr_access, from_access;
	int timeout, retry, rnr_retry, rd_atomic, dest_rd_atomic, rnr_timer;
	int psn_ahead;
	uint32_t qpn;
	int cqe, wrs, sges;
	int from, to;
};

/**
 * struct op - requests of the requester
 * @opcode: WRITE is 0
 * @at: offset of the local memory
 * @len: bytes; 0 means no element at all
 * @lkey: XORed to the local key
 * @to: offset of the remote memory
 * @rkey: XORed to the remote key
 * @flags: beside SIGNALED
 * @unsignalled: not even that
 * @count: how many, 0 is one
 * @qpn: UD: XORed to the responder's number
 * @qkey: UD: XORed to the responder's key
 */
struct op {
	enum ibv_wr_opcode opcode;
	int64_t at;
	uint32_t len, lkey;
	int64_t to;
	uint32_t rkey;
	unsigned int flags;
	bool unsignalled;
	int count;
	uint32_t qpn, qkey;
};

/**
 * struct want - what must be seen, in words with blanks between
 *
 * A word may name alternatives, a|b, where the specification leaves it open.
 * WORD*3 are three of them.
 *
 * @calls: results of the calls, "ok" or the name of an errno; NULL is "ok"
 * @from: completions of the requester; NULL is none
 * @to: of the responder
 * @states: of both QPs; NULL is "RTS RTS"
 * @events: as "to:QP_ACCESS_ERR"; NULL is none
 */
struct want {
	const char *calls, *from, *to, *states, *events;
};

/* What was seen, in the same words. */
struct outcome {
	char calls[1024], from[512], to[512], states[32], events[256];
};

struct end {
	struct ibv_context *ctx;
	int gid_index;
	const char *side;		/* "from" or "to" */
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct ibv_ah *ah;		/* UD: of the other end */
	uint8_t *buf;
	uint64_t sent, received;	/* IDs of the next WRs */
	uint64_t next_send, next_recv;	/* IDs that the next completions may have */
	char *log;			/* completions, in words */
	int completions, events;
};

struct rig {
	const struct row *row;
	struct end from, to;
	struct ibv_mw *mw;		/* of the responder */
	uint32_t rkey;			/* of the responder's memory, for requests */
	uint64_t raddr;
	struct outcome out;
	char why[256];			/* it is skipped, or could not be done */
};

/**
 * struct row - a case
 * @name: of the case, unique
 * @how: how the ends are connected
 * @recvs: receives that the responder has posted
 * @room: their length
 * @needs: asked before anything else: 0, or what skip() returns
 * @before: done first, when the ends are there: 0, or what complain() and skip() return
 * @op: then this is posted, unless
 * @act: is there, which is done instead
 * @want: what must be seen
 * @source: who says so
 */
struct row {
	const char *name;
	struct how how;
	int recvs;
	uint32_t room;
	int (*needs)(struct rig *rig);
	int (*before)(struct rig *rig);
	struct op op;
	int (*act)(struct rig *rig);
	struct want want;
	const char *source;
};

struct table {
	const char *name;
	const struct row *rows;
	unsigned int num;
};

#define TABLE(title, array)	{ title, array, sizeof(array) / sizeof((array)[0]) }

extern const struct table keys_table, flow_table, states_table, windows_table,
	datagram_table, shared_table, limits_table, caps_table, odp_table;
extern struct ibv_device_attr_ex limits;	/* of the first device */
extern struct ibv_port_attr port;
extern const char *link_command;		/* takes the link down and up again */
extern double patience;				/* seconds, for what is wanted */
extern bool is_thorough;			/* also what takes minutes */

/* rig.c */
int rig_open(struct rig *rig);
void rig_close(struct rig *rig);
int end_qp(struct end *end, const struct how *how, const struct ibv_qp_cap *cap);
int to_state(struct end *end, const struct end *peer, const struct how *how,
	     enum ibv_qp_state last);
int set_state(struct end *end, enum ibv_qp_state state);
void set_path(struct ibv_ah_attr *ah, const struct end *end, const struct end *peer);
int connect_ends(struct rig *rig);
int mtu_bytes(void);

/* drive.c */
struct ibv_sge part(const struct end *end, int64_t at, uint32_t len);
int post_op(struct rig *rig, const struct op *op);
int send_it(struct end *end, struct ibv_send_wr *wr);
int receive(struct end *end, uint32_t room, int count);
double now(void);

/* watch.c */
void called(struct rig *rig, int err);
void called_ptr(struct rig *rig, const void *object);
void say(struct rig *rig, const char *word);
__attribute__((format(printf, 2, 3))) int complain(struct rig *rig, const char *format, ...);
__attribute__((format(printf, 2, 3))) int skip(struct rig *rig, const char *format, ...);
int await(struct rig *rig, struct end *end, int completions);
int await_event(struct rig *rig, struct end *end, int events);
void watch(struct rig *rig);
void forget_events(struct rig *rig);
bool matches(const char *want, const char *got);
const char *status_name(enum ibv_wc_status status);
struct want whole(const struct row *row);

#endif
