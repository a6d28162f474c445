// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory of the arenas; with -O, a thread that takes its pages away, not their contents. */

#include "xfer.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE	65536

/* What MADV_DONTNEED takes from shared memory comes back as it was. */
uint8_t *memory_alloc(const struct options *opt)
{
	void *memory;

	if (!opt->on_demand)
		return aligned_alloc(4096, opt->arena);
	memory = mmap(NULL, opt->arena, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void memory_free(const struct options *opt, uint8_t *memory)
{
	if (opt->on_demand)
		munmap(memory, opt->arena);
	else
		free(memory);
}

static void *steal(void *arg)
{
	struct end *end = arg;
	uint64_t rng = end->opt->seed;

	for (;;) {
		uint8_t *arena = draw(&rng) & 1 ? end->src : end->dst;
		uint32_t from = draw(&rng) % end->opt->arena & ~4095U;
		uint32_t len = end->opt->arena - from;

		if (madvise(arena + from, len < PIECE ? len : PIECE, MADV_DONTNEED))
			perror("xfer: madvise");
		usleep(draw(&rng) % 300);
	}
	return NULL;
}

int memory_disturb(struct end *end)
{
	if (!end->opt->on_demand)
		return 0;
	return pthread_create(&end->thief, NULL, steal, end);
}

void memory_leave_alone(struct end *end)
{
	if (!end->opt->on_demand)
		return;
	pthread_cancel(end->thief);
	pthread_join(end->thief, NULL);
}
