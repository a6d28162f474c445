/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Numbers out of a run, and what is expected of them. */
#ifndef FABRIC_JUDGE_H
#define FABRIC_JUDGE_H

#include "scenario.h"

struct simulation;

/* Words that say what a metric is about. */
enum about {
	ABOUT_ALL,
	ABOUT_GROUP,
	ABOUT_PORT,
};

/**
 * struct metric - a number
 * @name: its name
 * @about: what it is about
 * @unit: of the number
 * @of: computes it
 */
struct metric {
	const char *name;
	enum about about;
	enum unit unit;
	double (*of)(const struct simulation *sim,
		     const struct expectation *what);
};

const struct metric *metric_named(const char *name);
bool judge(const struct simulation *sim);

#endif /* FABRIC_JUDGE_H */
