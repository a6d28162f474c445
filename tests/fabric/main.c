// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Command line of the simulator. */
#include "judge.h"
#include "simulation.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: fabric [OPTION]... SCENARIO [NAME=VALUE]...\n"
	"Queue pairs with the module's core in a fabric, in virtual time. Status 1: not all\n"
	"was as expected.\n"
	"\n"
	"  --seed N      of what is left to chance (1)\n"
	"  --csv FOLDER  queues.csv and rates.csv into it\n"
	"  --trace       every packet\n";

static const struct simulation *current;

void oracle_fail(const char *format, ...)
{
	va_list args;

	printf("not ok - %s, seed %llu, %.3f us: ", current->scenario->name,
	       current->seed, current->vt.now_ns / 1e3);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	exit(1);
}

/**
 * struct command - the command line
 * @seed: of the run
 * @csv: folder for CSV files, or NULL
 * @path: of the scenario
 */
struct command {
	u64 seed;
	const char *csv;
	const char *path;
};

static void refuse(void)
{
	fputs(usage, stderr);
	exit(2);
}

static void parse(int argc, char **argv, struct command *command,
		  struct text *text)
{
	static const struct option table[] = {
		{ "seed", 1, NULL, 's' }, { "csv", 1, NULL, 'c' },
		{ "trace", 0, NULL, 't' }, { "help", 0, NULL, 'h' }, { }
	};
	int option;

	while ((option = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (option == 's') {
			command->seed = strtoull(optarg, NULL, 0);
		} else if (option == 'c') {
			command->csv = optarg;
		} else if (option == 't') {
			trace_on = true;
		} else if (option == 'h') {
			fputs(usage, stdout);
			exit(0);
		} else {
			refuse();
		}
	}
	if (optind == argc)
		refuse();
	command->path = argv[optind++];
	while (optind < argc)
		text_set(text, argv[optind++]);
}

int main(int argc, char **argv)
{
	struct command command = { .seed = 1 };
	struct simulation sim = {};
	struct scenario scenario;
	struct text text = {};
	bool good;

	parse(argc, argv, &command, &text);
	scenario_read(&scenario, &text, command.path);
	sim.scenario = &scenario;
	sim.seed = command.seed;
	current = &sim;
	simulation_run(&sim, command.csv);
	good = judge(&sim);
	printf("%s - %s\n", good ? "ok" : "not ok", scenario.name);
	simulation_cleanup(&sim);
	scenario_cleanup(&scenario);
	return !good;
}
