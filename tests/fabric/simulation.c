// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Runs a scenario, until all that was posted is completed. */
#include "simulation.h"

#include <linux/kernel.h>
#include <stdio.h>
#include <stdlib.h>

/* What takes longer than this after the last message is posted is stuck. */
#define DRAIN_NS	20000000000ULL
/* Events between two looks whether all is over. */
#define LOOK_EVENTS	4096U

static void drain(struct simulation *sim)
{
	u64 until = sim->vt.now_ns + DRAIN_NS;
	u32 i;

	while (!traffic_is_over(sim)) {
		if (sim->vt.now_ns > until)
			break;
		for (i = 0; i < LOOK_EVENTS && vtime_step(&sim->vt); i++)
			;
		if (!i)
			break;
	}
}

void simulation_run(struct simulation *sim, const char *csv)
{
	const struct scenario *scenario = sim->scenario;
	struct fabric_ops ops = {
		.deliver = traffic_deliver,
		.context = sim,
		.overhead = ENCAPSULATION_BYTES,
	};
	const char *wrong;

	sim->rng.state = rng_mix(sim->seed + 1);
	wrong = fabric_init(&sim->fabric, &scenario->topology, &ops, &sim->vt,
			    sim->seed);
	if (wrong) {
		fprintf(stderr, "%s: %s\n", scenario->name, wrong);
		exit(2);
	}
	traffic_init(sim);
	measure_init(sim, csv);
	/* The end of the measurement is an event at that time. */
	while (sim->vt.now_ns <= scenario->run.length_ns &&
	       vtime_step(&sim->vt))
		;
	drain(sim);
	traffic_check_end(sim);
}

void simulation_cleanup(struct simulation *sim)
{
	measure_cleanup(sim);
	traffic_cleanup(sim);
	fabric_cleanup(&sim->fabric);
	vtime_cleanup(&sim->vt);
}
