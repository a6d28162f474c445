// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Options, the list of tables, TAP on standard output and CSV into a file. */

#include "conform.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct ibv_device_attr_ex limits;
struct ibv_port_attr port;
const char *link_command;
double patience = 6;
bool is_thorough;

static const struct table * const tables[] = {
	&keys_table, &flow_table, &states_table, &windows_table, &datagram_table,
	&shared_table, &limits_table, &caps_table, &odp_table,
};

static const char usage[] =
	"conform -d DEVICE [-p DEVICE] [-x GID-INDEX] [-o PART-OF-NAME] [-c FILE] [-n]\n"
	"        [-k COMMAND] [-w SECONDS] [-t] [-l]\n"
	"  -d  device under test: requester and responder\n"
	"  -p  another device is the responder\n"
	"  -x  GID of the requester; by default the first of RoCE v2, of IPv4 if there is one\n"
	"  -y  GID of the responder\n"
	"  -o  only cases whose TABLE/NAME has this in it\n"
	"  -c  outcomes as CSV, for compare\n"
	"  -n  outcomes are shown, and none is a failure\n"
	"  -k  a command that takes the device's link down and up again\n"
	"  -w  patience for a completion, 6 by default\n"
	"  -t  thorough: also limits that take minutes and gigabytes\n"
	"  -l  list cases, what is wanted, and the source\n";

static struct options {
	const char *device, *peer, *only, *csv;
	int gid, peer_gid;
	bool tolerant, list;
} opt = { .gid = NONE, .peer_gid = NONE };

static int parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "d:p:x:y:o:c:nk:w:tlh")) != -1) {
		switch (c) {
		case 'd': opt.device = optarg; break;
		case 'p': opt.peer = optarg; break;
		case 'x': opt.gid = atoi(optarg); break;
		case 'y': opt.peer_gid = atoi(optarg); break;
		case 'o': opt.only = optarg; break;
		case 'c': opt.csv = optarg; break;
		case 'n': opt.tolerant = true; break;
		case 'k': link_command = optarg; break;
		case 'w': patience = atof(optarg); break;
		case 't': is_thorough = true; break;
		case 'l': opt.list = true; break;
		default: return -1;
		}
	}
	return opt.device || opt.list ? 0 : -1;
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (; list && *list; list++)
		if (!strcmp(ibv_get_device_name(*list), name))
			return ibv_open_device(*list);
	return NULL;
}

/* The first of RoCE v2 with an IPv4 address, or else with any. */
static int choose_gid(struct ibv_context *ctx)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_gid_entry entry;
	int i, found = 0;

	for (i = port.gid_tbl_len - 1; i >= 0; i--) {
		if (ibv_query_gid_ex(ctx, PORT, i, &entry, 0))
			continue;
		if (entry.gid_type == IBV_GID_TYPE_ROCE_V2 &&
		    !memcmp(entry.gid.raw, mapped, sizeof(mapped)))
			return i;
	}
	for (i = port.gid_tbl_len - 1; i >= 0; i--)
		if (!ibv_query_gid_ex(ctx, PORT, i, &entry, 0) &&
		    entry.gid_type == IBV_GID_TYPE_ROCE_V2)
			found = i;
	return found;
}

static int open_ends(struct rig *rig)
{
	struct end *from = &rig->from, *to = &rig->to;

	from->ctx = open_device(opt.device);
	to->ctx = opt.peer ? open_device(opt.peer) : from->ctx;
	if (!from->ctx || !to->ctx || ibv_query_device_ex(from->ctx, NULL, &limits) ||
	    ibv_query_port(from->ctx, PORT, &port)) {
		perror("conform: opening the device");
		return -1;
	}
	from->gid_index = opt.gid == NONE ? choose_gid(from->ctx) : opt.gid;
	to->gid_index = opt.peer_gid != NONE ? opt.peer_gid :
			opt.peer ? choose_gid(to->ctx) : from->gid_index;
	from->received = to->received = 1ULL << 32;
	return 0;
}

/* Each case opens the devices itself; GIDs are looked for once, since tables are long. */
static int look_around(void)
{
	struct rig rig = {};

	if (open_ends(&rig))
		return -1;
	opt.gid = rig.from.gid_index;
	opt.peer_gid = rig.to.gid_index;
	ibv_close_device(rig.from.ctx);
	if (opt.peer)
		ibv_close_device(rig.to.ctx);
	return 0;
}

/* Returns 0 when it could be done, whatever came of it. */
static int perform(struct rig *rig)
{
	const struct row *row = rig->row;
	int bad = row->needs ? row->needs(rig) : 0;

	if (bad)
		return bad;
	bad = rig_open(rig);
	if (!bad && row->recvs && receive(&rig->to, row->room, row->recvs))
		bad = complain(rig, "receives: %s", strerror(errno));
	if (!bad && row->before)
		bad = row->before(rig);
	if (!bad && row->act)
		bad = row->act(rig);
	else if (!bad)
		called(rig, post_op(rig, &row->op));
	if (!bad)
		watch(rig);
	rig_close(rig);
	return bad;
}

static bool is_as_wanted(const struct rig *rig)
{
	const struct outcome *out = &rig->out;
	struct want want = whole(rig->row);

	return matches(want.calls, out->calls) && matches(want.from, out->from) &&
	       matches(want.to, out->to) && matches(want.states, out->states) &&
	       matches(want.events, out->events);
}

static void differ(const char *what, const char *want, const char *got)
{
	if (!matches(want, got))
		printf("#   %s: '%s', not '%s'\n", what, got, want);
}

static void show_differences(const struct rig *rig)
{
	struct want want = whole(rig->row);

	differ("calls", want.calls, rig->out.calls);
	differ("requester", want.from, rig->out.from);
	differ("responder", want.to, rig->out.to);
	differ("states", want.states, rig->out.states);
	differ("events", want.events, rig->out.events);
	printf("#   (%s)\n", rig->row->source);
}

static void write_csv(FILE *csv, const struct table *table, const struct rig *rig,
		      const char *verdict)
{
	const struct outcome *out = &rig->out;

	if (csv)
		fprintf(csv, "\"%s/%s\",%s,\"%s\",\"%s\",\"%s\",\"%s\",\"%s\"\n", table->name,
			rig->row->name, verdict, *rig->why ? rig->why : out->calls, out->from,
			out->to, out->states, out->events);
}

/* Returns whether it is a failure. */
static bool run(FILE *csv, const struct table *table, const struct row *row, int number)
{
	struct rig rig = { .row = row };
	const char *verdict;
	bool failed;
	int bad;

	alarm(is_thorough ? 600 : 40);
	bad = open_ends(&rig) ? complain(&rig, "no device") : perform(&rig);
	verdict = bad == SKIP ? "skip" : bad || !is_as_wanted(&rig) ? "FAIL" : "ok";
	failed = *verdict == 'F' && !opt.tolerant;
	printf("%sok %d - %s/%s%s%s\n", failed ? "not " : "", number, table->name, row->name,
	       bad == SKIP ? " # SKIP " : *verdict == 'F' && !failed ? " # differs" : "",
	       bad == SKIP ? rig.why : "");
	if (bad && bad != SKIP)
		printf("#   %s\n", rig.why);
	else if (*verdict == 'F')
		show_differences(&rig);
	write_csv(csv, table, &rig, verdict);
	return failed;
}

/* What a provider does to its process, or a driver to a system call, ends one case only. */
static bool run_apart(FILE *csv, const struct table *table, const struct row *row, int number)
{
	struct rig rig = { .row = row };
	double start = now();
	pid_t child = fork();
	int status;

	if (!child) {
		status = run(csv, table, row, number);
		fflush(csv);
		fflush(stdout);
		_exit(status);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return true;
	if (now() - start > 2)
		printf("# (%.1f s)\n", now() - start);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	complain(&rig, "%s", WTERMSIG(status) == SIGALRM ? "no end" : strsignal(WTERMSIG(status)));
	printf("%sok %d - %s/%s # %s\n", opt.tolerant ? "" : "not ", number, table->name,
	       row->name, rig.why);
	write_csv(csv, table, &rig, "FAIL");
	fflush(csv);
	return !opt.tolerant;
}

static bool is_chosen(const struct table *table, const struct row *row)
{
	char name[256];

	snprintf(name, sizeof(name), "%s/%s", table->name, row->name);
	return !opt.only || strstr(name, opt.only);
}

static void list_row(const struct table *table, const struct row *row)
{
	struct want want = whole(row);

	printf("%s/%s\n\tcalls '%s', requester '%s', responder '%s', states '%s', events '%s'\n"
	       "\t%s\n", table->name, row->name, want.calls, want.from, want.to, want.states,
	       want.events, row->source);
}

static int run_all(FILE *csv)
{
	const struct table *table;
	unsigned int i, k;
	int number = 0, failed = 0;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		table = tables[i];
		for (k = 0; k < table->num; k++) {
			if (!is_chosen(table, &table->rows[k]))
				continue;
			number++;
			if (opt.list)
				list_row(table, &table->rows[k]);
			else
				failed += run_apart(csv, table, &table->rows[k], number);
		}
	}
	if (!opt.list)
		printf("# %s: %d cases, %d failed\n1..%d\n", opt.device, number, failed, number);
	return failed || !number;
}

int main(int argc, char **argv)
{
	FILE *csv = NULL;

	if (parse(argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!opt.list && look_around())
		return 2;
	if (opt.csv) {
		csv = fopen(opt.csv, "w");
		if (!csv) {
			perror(opt.csv);
			return 2;
		}
		fputs("case,verdict,calls,requester,responder,states,events\n", csv);
	}
	fflush(csv);
	return run_all(csv);
}
