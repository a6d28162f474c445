// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Command line of the simulator: scenarios of a range of seeds, until one fails. */
#include "scenario.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: sim [OPTION]...\n"
	"Two queue pairs over a link that loses, doubles, swaps and damages frames.\n"
	"\n"
	"  --seed N      first seed (1)\n"
	"  --seeds M     how many (1)\n"
	"  --loss P      probabilities, 0 to 1; the seed chooses those not given\n"
	"  --dup P\n"
	"  --reorder P\n"
	"  --corrupt P\n"
	"  --mtu BYTES   256, 512, 1024, 2048 or 4096\n"
	"  --ops N       messages from each end\n"
	"  --peer KIND   core or stock (like in-tree Soft-RoCE)\n"
	"  --uc          unreliable connection\n"
	"  --verbose     a line for each scenario\n"
	"  --trace       every packet\n"
	"\n"
	"The first failure ends the run with status 1 and tells its seed.\n";

static u64 current_seed;

void oracle_fail(const char *format, ...)
{
	va_list args;

	printf("seed %llu: FAILED: ", (unsigned long long)current_seed);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	exit(1);
}

static s64 to_ppm(const char *text)
{
	char *end;
	double p = strtod(text, &end);

	if (*end || p < 0 || p > 1) {
		fprintf(stderr, "sim: '%s' is not a probability\n", text);
		exit(2);
	}
	return p * PPM + 0.5;
}

static u32 to_peer(const char *text)
{
	if (!strcmp(text, "core"))
		return PEER_CORE;
	if (!strcmp(text, "stock"))
		return PEER_STOCK;
	fprintf(stderr, "sim: '%s' is neither core nor stock\n", text);
	exit(2);
}

static u32 to_mtu(const char *text)
{
	u32 mtu = strtoul(text, NULL, 0);

	if (mtu >= 256 && mtu <= 4096 && !(mtu & (mtu - 1)))
		return mtu;
	fprintf(stderr, "sim: '%s' is no path MTU\n", text);
	exit(2);
}

struct command {
	u64 first;
	u64 count;
	struct options options;
};

static void set(struct command *command, int option, const char *value)
{
	struct options *options = &command->options;

	switch (option) {
	case 's':
		command->first = strtoull(value, NULL, 0);
		break;
	case 'n':
		command->count = strtoull(value, NULL, 0);
		break;
	case 'l':
		options->loss = to_ppm(value);
		break;
	case 'd':
		options->dup = to_ppm(value);
		break;
	case 'r':
		options->reorder = to_ppm(value);
		break;
	case 'c':
		options->corrupt = to_ppm(value);
		break;
	case 'm':
		options->mtu = to_mtu(value);
		break;
	case 'o':
		options->ops = strtoul(value, NULL, 0);
		break;
	case 'p':
		options->peer = to_peer(value);
		break;
	case 'h':
		fputs(usage, stdout);
		exit(0);
	default:
		fputs(usage, stderr);
		exit(2);
	}
}

static void parse(int argc, char **argv, struct command *command)
{
	const struct option table[] = {
		{ "seed", 1, NULL, 's' }, { "seeds", 1, NULL, 'n' },
		{ "loss", 1, NULL, 'l' }, { "dup", 1, NULL, 'd' },
		{ "reorder", 1, NULL, 'r' }, { "corrupt", 1, NULL, 'c' },
		{ "mtu", 1, NULL, 'm' }, { "ops", 1, NULL, 'o' },
		{ "peer", 1, NULL, 'p' }, { "help", 0, NULL, 'h' },
		{ "uc", 0, &command->options.unreliable, 1 },
		{ "verbose", 0, NULL, 'v' }, { "trace", 0, NULL, 't' },
		{ }
	};
	int option;

	while ((option = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (option == 'v')
			command->options.verbose = true;
		else if (option == 't')
			trace_on = true;
		else if (option)
			set(command, option, optarg);
	}
	if (optind < argc)
		set(command, '?', NULL);
}

int main(int argc, char **argv)
{
	struct command command = {
		.first = 1,
		.count = 1,
		.options = { .loss = -1, .dup = -1, .reorder = -1,
			     .corrupt = -1 },
	};
	struct scenario scenario;
	u64 i;

	parse(argc, argv, &command);
	for (i = 0; i < command.count; i++) {
		current_seed = command.first + i;
		scenario_make(&scenario, current_seed, &command.options);
		scenario_run(&scenario, command.options.verbose);
	}
	printf("%llu scenarios from seed %llu: good\n",
	       (unsigned long long)command.count, (unsigned long long)command.first);
	return 0;
}
