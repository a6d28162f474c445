// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "judge.h"
#include "simulation.h"

#include <linux/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S	1000000000ULL

static double seconds(const struct simulation *sim)
{
	const struct run_config *run = &sim->scenario->run;

	return (double)(run->length_ns - run->from_ns) / NS_PER_S;
}

/**
 * struct rates - payload of the connections of a group, bits per second
 * @count: connections
 * @sum: of their rates
 * @squares: sum of the squares
 * @least: the lowest
 * @most: the highest
 */
struct rates {
	u32 count;
	double sum;
	double squares;
	double least;
	double most;
};

static struct rates rates_of(const struct simulation *sim,
			     const struct expectation *what)
{
	struct rates rates = {};
	u32 i;

	for (i = 0; i < sim->num_connections; i++) {
		const struct connection *connection = &sim->connections[i];
		double rate = connection->measured * 8 / seconds(sim);

		if (strcmp(connection->cfg->group, what->group))
			continue;
		rates.least = rates.count ? min(rates.least, rate) : rate;
		rates.most = max(rates.most, rate);
		rates.sum += rate;
		rates.squares += rate * rate;
		rates.count++;
	}
	return rates;
}

static double rate(const struct simulation *sim,
		   const struct expectation *what)
{
	return rates_of(sim, what).sum;
}

static double slowest(const struct simulation *sim,
		      const struct expectation *what)
{
	return rates_of(sim, what).least;
}

static double fastest(const struct simulation *sim,
		      const struct expectation *what)
{
	return rates_of(sim, what).most;
}

static double mean(const struct simulation *sim,
		   const struct expectation *what)
{
	struct rates rates = rates_of(sim, what);

	return rates.count ? rates.sum / rates.count : 0;
}

/* Jain, Chiu and Hawe, DEC TR-301: 1/n to 1. */
static double jain(const struct simulation *sim,
		   const struct expectation *what)
{
	struct rates rates = rates_of(sim, what);

	return rates.squares ? rates.sum * rates.sum /
			       (rates.count * rates.squares) : 0;
}

static const struct watch *watch_of(const struct simulation *sim,
				    const struct expectation *what, u32 *index)
{
	u32 i;

	for (i = 0; i < sim->scenario->num_watches; i++) {
		const u32 *port = sim->scenario->watches[i];

		if (port[0] == what->port[0] && port[1] == what->port[1]) {
			*index = i;
			return &sim->watches[i];
		}
	}
	fprintf(stderr, "nobody watches the port of: %s\n", what->text);
	exit(2);
}

/* Of the link: bytes on the wire, gaps between frames included. */
static double utilization(const struct simulation *sim,
			  const struct expectation *what)
{
	u32 i;
	const struct watch *watch = watch_of(sim, what, &i);

	return sim->measured_wire_bytes[i] * 8 / seconds(sim) /
	       watch->port->cfg.rate_bps;
}

static int compare(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static double percentile(const struct simulation *sim,
			 const struct expectation *what, u32 percent)
{
	u32 i;
	const struct watch *watch = watch_of(sim, what, &i);

	if (!watch->count)
		return 0;
	qsort(watch->lengths, watch->count, sizeof(u32), compare);
	return watch->lengths[(u64)(watch->count - 1) * percent / 100];
}

static double queue_p50(const struct simulation *sim,
			const struct expectation *what)
{
	return percentile(sim, what, 50);
}

static double queue_p90(const struct simulation *sim,
			const struct expectation *what)
{
	return percentile(sim, what, 90);
}

static double queue_max(const struct simulation *sim,
			const struct expectation *what)
{
	return percentile(sim, what, 100);
}

static double queue_mean(const struct simulation *sim,
			 const struct expectation *what)
{
	u32 i, k;
	const struct watch *watch = watch_of(sim, what, &i);
	double sum = 0;

	for (k = 0; k < watch->count; k++)
		sum += watch->lengths[k];
	return watch->count ? sum / watch->count : 0;
}

#define COUNT_OF(name_, value_)						\
static double name_(const struct simulation *sim,			\
		    const struct expectation *what)			\
{									\
	(void)what;							\
	return value_;							\
}

COUNT_OF(marks, fabric_count(&sim->fabric).marks)
COUNT_OF(drops, fabric_count(&sim->fabric).drops)
COUNT_OF(lost, fabric_count(&sim->fabric).lost)
COUNT_OF(pauses, fabric_count(&sim->fabric).pauses)
COUNT_OF(late_pauses, sim->last.pauses - sim->first.pauses)
COUNT_OF(events, sim->vt.fired)

static double cnps(const struct simulation *sim,
		   const struct expectation *what)
{
	double sum = 0;
	u32 i;

	(void)what;
	for (i = 0; i < 2 * sim->num_connections; i++)
		sum += sim->connections[i / 2].side[i % 2].ep->cnps_handled;
	return sum;
}

static double retransmits(const struct simulation *sim,
			  const struct expectation *what)
{
	double sum = 0;
	u32 i;

	(void)what;
	for (i = 0; i < 2 * sim->num_connections; i++) {
		const struct endpoint *ep =
			sim->connections[i / 2].side[i % 2].ep;

		sum += ep->retransmits + ep->timeouts;
	}
	return sum;
}

static const struct metric metrics[] = {
	{ "rate", ABOUT_GROUP, UNIT_RATE, rate },
	{ "slowest", ABOUT_GROUP, UNIT_RATE, slowest },
	{ "fastest", ABOUT_GROUP, UNIT_RATE, fastest },
	{ "mean", ABOUT_GROUP, UNIT_RATE, mean },
	{ "jain", ABOUT_GROUP, UNIT_PPM, jain },
	{ "utilization", ABOUT_PORT, UNIT_PPM, utilization },
	{ "queue-p50", ABOUT_PORT, UNIT_BYTES, queue_p50 },
	{ "queue-p90", ABOUT_PORT, UNIT_BYTES, queue_p90 },
	{ "queue-max", ABOUT_PORT, UNIT_BYTES, queue_max },
	{ "queue-mean", ABOUT_PORT, UNIT_BYTES, queue_mean },
	{ "marks", ABOUT_ALL, UNIT_COUNT, marks },
	{ "drops", ABOUT_ALL, UNIT_COUNT, drops },
	{ "lost", ABOUT_ALL, UNIT_COUNT, lost },
	{ "pauses", ABOUT_ALL, UNIT_COUNT, pauses },
	{ "late-pauses", ABOUT_ALL, UNIT_COUNT, late_pauses },
	{ "cnps", ABOUT_ALL, UNIT_COUNT, cnps },
	{ "retransmits", ABOUT_ALL, UNIT_COUNT, retransmits },
	{ "events", ABOUT_ALL, UNIT_COUNT, events },
};

const struct metric *metric_named(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(metrics); i++)
		if (!strcmp(metrics[i].name, name))
			return &metrics[i];
	return NULL;
}

static void print(enum unit unit, double value)
{
	if (unit == UNIT_RATE)
		printf("%.3fG", value / 1e9);
	else if (unit == UNIT_PPM)
		printf("%.4f", value);
	else if (unit == UNIT_BYTES)
		printf("%.1fKB", value / 1e3);
	else
		printf("%.0f", value);
}

/* Fractions are read in parts per million, and computed from 0 to 1. */
static bool holds(const struct expectation *what, double value)
{
	double wanted = what->metric->unit == UNIT_PPM ? what->value / PPM :
							 what->value;

	switch (what->relation) {
	case '>':
		return value >= wanted;
	case '<':
		return value <= wanted;
	case '=':
		return value == wanted;
	default:
		return true;
	}
}

/**
 * judge - was it as expected? Tells all of it, in TAP
 * @sim: what was run
 *
 * Return: true if so.
 */
bool judge(const struct simulation *sim)
{
	const struct scenario *scenario = sim->scenario;
	bool good = true;
	u32 i;

	for (i = 0; i < scenario->num_expectations; i++) {
		const struct expectation *what = &scenario->expectations[i];
		double value = what->metric->of(sim, what);

		printf("#   %s: ", what->text);
		print(what->metric->unit, value);
		puts(holds(what, value) ? "" : "  FAILED");
		good &= holds(what, value);
	}
	return good;
}
