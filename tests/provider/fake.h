/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Queues as the module would map them, and the module's side of them: just
 * enough to watch what the provider writes, word by word.
 */
#ifndef FAKE_H
#define FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "croce.h"

/* What free slots are filled with, so that a stray write shows. */
#define POISON 0xa5

struct fake_caps {
	enum ibv_qp_type type;
	uint32_t slots;
	uint32_t max_sge;
	uint32_t max_inline;
	uint32_t first; /* index that every ring starts at */
	bool sig_all;
};

/* The memory is exactly as long as the layout says; ASan watches its end. */
void *fake_map_new(struct croce_queue_map *map, size_t ctl_size,
		   uint32_t slots, uint32_t stride);

struct croce_qp *fake_qp_new(const struct fake_caps *caps);
void fake_qp_free(struct croce_qp *qp);
struct croce_cq *fake_cq_new(uint32_t slots, uint32_t first);
void fake_cq_free(struct croce_cq *cq);
struct croce_srq *fake_srq_new(uint32_t slots, uint32_t max_sge,
			       uint32_t first);
void fake_srq_free(struct croce_srq *srq);

/* The module's acts. */
void fake_wq_release(struct croce_wq *wq, uint32_t slots);
uint32_t fake_wq_posted(const struct croce_wq *wq);
struct croce_cqe *fake_cq_produce(struct croce_cq *cq);

void assert_poisoned(const struct croce_wq *wq, uint32_t index);
void assert_words(const void *got, const void *want, size_t length,
		  const char *what);

/* The doorbell: commands written, and what write() shall answer. */
struct fake_bell {
	unsigned int writes;
	unsigned int lib_calls;
	int write_errno; /* 0: the command is accepted */
	int lib_result;
	uint8_t cmd[64];
	size_t cmd_length;
};

extern struct fake_bell bell;

#endif /* FAKE_H */
