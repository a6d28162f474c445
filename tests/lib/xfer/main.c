// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Options, threads, sums. */

#define _GNU_SOURCE	/* sched_setaffinity */
#include "xfer.h"
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#define MAX_QPS		1024

static const char usage[] =
"usage: xfer [OPTION...] [SERVER-ADDRESS]    (without an address: be the server)\n"
"both ends must be given the same of these:\n"
"  -T TYPE   rc (default), uc, ud or xrc\n"
"  -o LIST   operations, of send,send_imm,write,write_imm,read,cas,add,hot (default: all)\n"
"  -w        first every size from 0 to 67 and around 1 to 4 times the MTU\n"
"  -t SEC    random operations for so long (default 0)\n"
"  -s BYTES  largest message (default 1048576)\n"
"  -a BYTES  memory for a batch of operations (default 4 times -s)\n"
"  -S SEED   (default 1)\n"
"  -g NUM    most scatter/gather elements (default 32)\n"
"  -I BYTES  most inlined bytes (default 256)\n"
"  -q NUM    QPs, each with a thread (default 1)\n"
"  -1        only the client sends requests\n"
"  -i SEC    be idle for so long before the end\n"
"  -D SEC    the client does nothing but write for so long, and tells how far it is\n"
"and for each end:\n"
"  -d NAME   device;  -x INDEX  GID;  -p PORT  of TCP (default 18600)\n"
"  -m MTU    path MTU (default: the port's);  -r NUM  timeout exponent (default 14)\n"
"  -c BYTE   traffic class;  -f LABEL  flow label\n"
"  -P        poll instead of waiting for events;  -X  ibv_wr_*() calls\n"
"  -L        post receives late;  -W SEC  patience (default 60)\n"
"  -F        flood the peer until something breaks (which is no failure)\n"
"  -O        memory on demand, whose pages are taken away all the time\n"
"  -N        once connected, go to the network namespace of process 1 (with -F)\n"
"  -V        tell numbers and keys of the QPs, and wait to be killed\n";

static const char *const type_names[] = {
	[IBV_QPT_RC] = "rc", [IBV_QPT_UC] = "uc", [IBV_QPT_UD] = "ud",
	[IBV_QPT_XRC_SEND] = "xrc",
};

static unsigned int parse_ops(char *list)
{
	unsigned int ops = 0;
	char *name;
	int kind;

	for (name = strtok(list, ","); name; name = strtok(NULL, ",")) {
		for (kind = 0; kind < OP_KINDS && strcasecmp(name, op_names[kind]); kind++)
			;
		if (kind == OP_KINDS) {
			fprintf(stderr, "xfer: no operation '%s'\n", name);
			exit(2);
		}
		ops |= 1U << kind;
	}
	return ops;
}

static enum ibv_qp_type parse_type(const char *name)
{
	int type;

	for (type = IBV_QPT_RC; type <= IBV_QPT_XRC_SEND; type++)
		if (type_names[type] && !strcmp(type_names[type], name))
			return type;
	fprintf(stderr, "%s", usage);
	exit(2);
}

/* What a QP of this type cannot do is left out. */
static void settle(struct options *opt)
{
	unsigned int able = (1U << OP_KINDS) - 1;

	if (opt->type == IBV_QPT_UC)
		able = 1U << OP_SEND | 1U << OP_SEND_IMM | 1U << OP_WRITE | 1U << OP_WRITE_IMM;
	if (opt->type == IBV_QPT_UD)
		able = 1U << OP_SEND | 1U << OP_SEND_IMM;
	opt->ops &= able;
	if (opt->type == IBV_QPT_UD && opt->max_sge >= MAX_SGE)
		opt->max_sge = MAX_SGE - 1;
	if (!opt->arena)
		opt->arena = 4 * opt->max_size;
	if (opt->arena < 65536)
		opt->arena = 65536;
	opt->arena = (opt->arena + 4095) & ~4095U;
	if (is_xrc(opt) && opt->flood)
		opt->ops = 0;
	if (!opt->ops || opt->max_sge < 1 || opt->max_sge > MAX_SGE || !opt->qps ||
	    opt->qps > MAX_QPS || opt->arena < opt->max_size + 2 * 4096) {
		fprintf(stderr, "%s", usage);
		exit(2);
	}
}

static void parse(struct options *opt, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "T:o:wt:s:a:S:g:I:q:1i:d:x:p:m:r:c:f:PXLW:FNVOD:")) != -1) {
		switch (c) {
		case 'T': opt->type = parse_type(optarg); break;
		case 'o': opt->ops = parse_ops(optarg); break;
		case 'w': opt->sweep = true; break;
		case 't': opt->seconds = atoi(optarg); break;
		case 's': opt->max_size = strtoul(optarg, NULL, 0); break;
		case 'a': opt->arena = strtoul(optarg, NULL, 0); break;
		case 'S': opt->seed = strtoull(optarg, NULL, 0); break;
		case 'g': opt->max_sge = atoi(optarg); break;
		case 'I': opt->max_inline = atoi(optarg); break;
		case 'q': opt->qps = atoi(optarg); break;
		case '1': opt->one_way = true; break;
		case 'i': opt->idle = atoi(optarg); break;
		case 'd': opt->device = optarg; break;
		case 'x': opt->gid = atoi(optarg); break;
		case 'p': opt->port = atoi(optarg); break;
		case 'm': opt->mtu = __builtin_ctz(atoi(optarg) | 1 << 13) - 7; break;
		case 'r': opt->timeout = atoi(optarg); break;
		case 'c': opt->traffic_class = strtoul(optarg, NULL, 0); break;
		case 'f': opt->flow_label = strtoul(optarg, NULL, 0); break;
		case 'P': opt->poll = true; break;
		case 'X': opt->extended = true; break;
		case 'L': opt->late = true; break;
		case 'W': opt->patience = atoi(optarg); break;
		case 'F': opt->flood = true; break;
		case 'D': opt->stream_ms = atof(optarg) * 1000; break;
		case 'V': opt->victim = true; break;
		case 'O': opt->on_demand = true; break;
		case 'N': opt->leave = true; break;
		default:
			fprintf(stderr, "%s", usage);
			exit(2);
		}
	}
	opt->peer = argv[optind];
	settle(opt);
}

/*
 * Unreliable services promise no order, but here it is compared. Packets that one processor
 * sends keep theirs: so each end stays on its own, unless it was given one.
 */
static void stay(bool is_client)
{
	cpu_set_t cpus;

	if (!sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) == 1)
		return;
	CPU_ZERO(&cpus);
	CPU_SET(is_client % sysconf(_SC_NPROCESSORS_ONLN), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		perror("xfer: sched_setaffinity");
}

/* Nothing here should break a QP; an event that says one did ends the program. */
static void *watch(void *arg)
{
	struct host *host = arg;
	struct ibv_async_event event;

	while (!ibv_get_async_event(host->ctx, &event)) {
		fprintf(stderr, "xfer: event: %s\n", ibv_event_type_str(event.event_type));
		if (event.event_type == IBV_EVENT_QP_FATAL ||
		    event.event_type == IBV_EVENT_QP_REQ_ERR ||
		    event.event_type == IBV_EVENT_QP_ACCESS_ERR ||
		    event.event_type == IBV_EVENT_CQ_ERR ||
		    event.event_type == IBV_EVENT_DEVICE_FATAL)
			exit(host->opt->flood ? 0 : 3);
		ibv_ack_async_event(&event);
	}
	return NULL;
}

static void *run_end(void *arg)
{
	struct end *end = arg;

	if (end->opt->stream_ms)
		return (void *)(intptr_t)stream(end);
	return (void *)(intptr_t)(end->opt->flood ? flood(end) : flow(end));
}

static int connect_all(struct host *host, struct end *ends)
{
	const struct options *opt = host->opt;
	int listener = opt->peer ? -1 : link_listen(opt->port);
	unsigned int i;
	int fd;

	if (!opt->peer && listener < 0)
		return -1;
	for (i = 0; i < opt->qps; i++) {
		fd = opt->peer ? link_connect(opt->peer, opt->port) : link_accept(listener);
		if (fd < 0 || end_open(&ends[i], host, i, fd))
			return -1;
	}
	if (listener >= 0)
		close(listener);
	return 0;
}

static int run_all(struct host *host, struct end *ends)
{
	unsigned int i, qps = host->opt->qps;
	pthread_t thread[MAX_QPS];
	void *result;
	int bad = 0;

	for (i = 0; i < qps; i++)
		pthread_create(&thread[i], NULL, run_end, &ends[i]);
	for (i = 0; i < qps; i++) {
		pthread_join(thread[i], &result);
		bad |= (intptr_t)result;
		if (bad)
			break;		/* the others may wait for ever */
	}
	return bad;
}

/* What the peers' QPs added to the shared word must be what it holds. */
static int check_hot(struct host *host, struct end *ends)
{
	uint64_t sum = 0, theirs;
	unsigned int i;

	for (i = 0; i < host->opt->qps; i++) {
		if (link_swap(ends[i].fd, &ends[i].added, &theirs, sizeof(theirs),
			      host->opt->patience))
			return -1;
		sum += theirs;
	}
	if (sum == *host->hot)
		return 0;
	fprintf(stderr, "xfer: the shared word is %llu, but %llu was added\n",
		(unsigned long long)*host->hot, (unsigned long long)sum);
	return -1;
}

static void report(struct end *ends, unsigned int qps, double seconds)
{
	uint64_t ops = 0, bytes = 0;
	unsigned int i;

	for (i = 0; i < qps; i++) {
		ops += ends[i].ops;
		bytes += ends[i].bytes;
	}
	printf("%llu operations, %llu bytes, all compared, in %.1f s\n",
	       (unsigned long long)ops, (unsigned long long)bytes, seconds);
}

int main(int argc, char **argv)
{
	static struct options opt = {
		.port = 18600, .type = IBV_QPT_RC, .max_size = 1 << 20, .seed = 1,
		.ops = ~0U, .qps = 1, .patience = 60, .max_sge = MAX_SGE, .max_inline = 256,
		.timeout = 14,
	};
	/* The watcher may look at it until the process is gone. */
	static struct host host;
	struct timespec start, end;
	struct end *ends;
	pthread_t watcher;
	unsigned int i;

	parse(&opt, argc, argv);
	if (opt.type != IBV_QPT_RC)
		stay(opt.peer);
	ends = calloc(opt.qps, sizeof(*ends));
	if (!ends || host_open(&host, &opt) || connect_all(&host, ends))
		return 1;
	if (opt.victim)
		return be_victim(ends, opt.qps);
	if (opt.leave && leave_namespace())	/* before there is another thread */
		return 1;
	pthread_create(&watcher, NULL, watch, &host);
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (run_all(&host, ends))
		return 1;
	if (opt.flood || opt.stream_ms)
		return 0;
	if (check_hot(&host, ends))
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &end);
	report(ends, opt.qps, end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9);
	for (i = 0; i < opt.qps; i++)
		end_close(&ends[i]);
	pthread_cancel(watcher);
	pthread_join(watcher, NULL);
	host_close(&host);
	free(ends);
	return 0;
}
