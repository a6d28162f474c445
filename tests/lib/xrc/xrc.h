/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * xrc: what names an SRQ must reach that one and no other, and what must not,
 * none.
 *
 * All is on one device.  A point is a function that returns 0, or complains and
 * returns -1.
 *
 *   rig.c       domains, SRQs ("boxes"), pairs of queue pairs
 *   deliver.c   messages and RDMA that arrive
 *   refuse.c    those that do not
 *   share.c     domains and target queue pairs of several processes
 *   main.c      the list of points
 */
#ifndef XRC_H
#define XRC_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define MEMORY		65536
#define MTU		1024
#define NO_SRQ		0xfffffe	/* more than a device has */

/* An SRQ, with a CQ, a region and perhaps a protection domain of its own. */
struct box {
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_mr *mr;
	uint8_t *buf;
	uint32_t num;
};

/* An initiator and its target; @scq is the initiator's. */
struct pair {
	struct ibv_cq *scq;
	struct ibv_qp *ini;
	struct ibv_qp *tgt;
	struct ibv_mr *mr;
	uint8_t *buf;
};

extern struct ibv_context *ctx;
extern struct ibv_pd *pd;
extern int gid_index;

__attribute__((format(printf, 1, 2))) int complain(const char *format, ...);

void tell_complaint(void);

/* rig.c */
struct ibv_context *open_device(void);
struct ibv_xrcd *domain_open(int fd, int oflags);
int box_open(struct box *box, struct ibv_xrcd *xrcd, struct ibv_pd *own_pd);
void box_close(struct box *box);
int box_post(struct box *box, uint64_t id, uint32_t off, uint32_t len);
int pair_open(struct pair *pair, struct ibv_xrcd *xrcd, int rnr_retry);
void pair_close(struct pair *pair);
enum ibv_qp_state state(struct ibv_qp *qp);
int to_error(struct ibv_qp *qp);
int send_to(struct pair *pair, uint32_t srqn, uint32_t len);
int rdma(struct pair *pair, enum ibv_wr_opcode opcode, uint32_t srqn, const struct box *box,
	 uint32_t off, uint32_t len);
int wait_wc(struct ibv_cq *cq, struct ibv_wc *wc, int patience_ms);
int wait_sent(struct pair *pair, enum ibv_wc_status status);
int wait_received(struct box *box, const struct pair *pair, uint64_t id, uint32_t len);
bool event_comes(struct ibv_context *from, enum ibv_event_type type, int patience_ms);
void forget_events(struct ibv_context *from);

/* points */
int many_srqs_of_one_target(void);
int many_targets_of_one_srq(void);
int rdma_reaches_the_srqs_domain(void);
int rnr_until_a_receive_comes(void);
int limit_event(void);
int receive_too_short(void);
int last_wqe(void);

int unknown_srq(void);
int basic_srq(void);
int srq_of_another_domain(void);
int rdma_for_unknown_srq(void);
int rdma_for_another_pd(void);
int destroyed_srq(void);
int destroyed_under_load(void);
int busy_objects(void);
int nothing_to_post_to(void);
int targets_take_no_requests(void);

int domain_of_a_file(void);
int open_by_number(void);
int target_of_two_processes(void);
int creator_is_killed(void);

#endif /* XRC_H */
