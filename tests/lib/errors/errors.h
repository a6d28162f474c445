/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * errors: what goes wrong must end in the right errno, status, event or counter.
 *
 * Both queue pairs of a point are on one device.  A point is a function that
 * returns 0, or complains and returns -1.
 *
 *   side.c      a QP with its CQ and memory; posting and waiting
 *   create.c    objects that are not to be had
 *   post.c      requests that are refused
 *   reliable.c  RC: keys, lengths, rights, retries
 *   datagram.c  UD: what is dropped, and counted
 *   main.c      the list of points
 */
#ifndef ERRORS_H
#define ERRORS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PORT		1
#define QKEY		0x11111111
#define MEMORY		65536
#define ALL_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

struct side {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *buf;
};

/* How a pair is made; zeros are good for most. */
struct how {
	enum ibv_qp_type type;		/* 0: RC */
	struct ibv_qp_cap cap;		/* zeros: 16 WRs, 4 SGEs, 64 inline */
	int cqe;			/* of the first side; 0: 64 */
	int access[2];			/* of the QPs; 0: all, -1: none */
	int mr_access;			/* of the second side's region; 0: all */
	bool own_pd;			/* the second side has another PD */
	int timeout;			/* 0: 10 */
	int retry;			/* 0: 3; -1: none */
	int rnr_retry;			/* 0: 7 (for ever); -1: none */
	int rd_atomic;			/* 0: 8; -1: none */
	int min_rnr_timer;		/* 0: 12 */
	uint32_t remote_qpn;		/* of the first side; 0: the second side's */
};

extern struct ibv_context *ctx;
extern struct ibv_device_attr limits;
extern const char *device;
extern int gid_index;

__attribute__((format(printf, 1, 2))) int complain(const char *format, ...);

/* side.c */
int side_open(struct side *side, const struct how *how, struct ibv_pd *pd);
void side_close(struct side *side);
int pair_open(struct side *a, struct side *b, const struct how *how);
void pair_close(struct side *a, struct side *b);
int to_init(struct side *side, const struct how *how, int access);
int to_rtr(struct side *side, const struct how *how, uint32_t qpn);
int to_rts(struct side *side, const struct how *how);
int to_error(struct side *side);
enum ibv_qp_state state(const struct side *side);
void set_path(struct ibv_ah_attr *ah);
struct ibv_sge part(const struct side *side, uint32_t off, uint32_t len);
int post(struct side *side, enum ibv_wr_opcode opcode, struct ibv_sge *sge, int n,
	 uint64_t remote, uint32_t rkey);
int post_wr(struct side *side, struct ibv_send_wr *wr);
int receive(struct side *side, struct ibv_sge *sge, int n);
int wait_for(struct side *side, enum ibv_wc_status status);
int wait_wc(struct side *side, struct ibv_wc *wc, int patience_ms);
int nothing(struct side *side);
bool event_comes(enum ibv_event_type type, int patience_ms);
void forget_events(void);
long long counter(const char *name);
double now(void);
int refused(const char *what, int err, const int *errnos);

#define REFUSED(call, ...)							\
	refused(#call, (call), (const int[]){ __VA_ARGS__, 0 })

/* points */
int qp_with_too_much(void);
int cq_with_too_much(void);
int mr_of_bad_memory(void);
int mr_of_read_only_memory(void);
int mr_beyond_memlock(void);
int bad_transitions(void);
int bad_ah(void);
int many_objects(void);

int too_many_sges(void);
int full_queues(void);
int inline_too_long(void);
int post_too_early(void);
int post_in_error(void);
int ud_opcodes(void);
int too_long_message(void);

int bad_lkey(void);
int beyond_region(void);
int receive_not_writable(void);
int read_not_writable(void);
int bad_rkey(void);
int remote_beyond_region(void);
int zero_length(void);
int region_rights(void);
int qp_rights(void);
int foreign_pd(void);
int deregistered(void);
int misaligned_atomic(void);
int receive_too_short(void);
int rnr_without_retries(void);
int rnr_some_retries(void);
int rnr_for_ever(void);
int dead_peer(void);
int reads_not_allowed(void);
int access_event(void);
int cq_overrun(void);
int flush_order(void);
int other_qps_live(void);

int wrong_qkey(void);
int unknown_qpn(void);
int datagram_too_long(void);
int datagram_receive_too_short(void);
int datagram_without_receive(void);

#endif /* ERRORS_H */
