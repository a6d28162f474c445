// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The list of points: xrc DEVICE GID-INDEX [PART-OF-NAME] */

#include "xrc.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ibv_context *ctx;
struct ibv_pd *pd;
int gid_index;

static const char *device;
static char complaint[1024];

static const struct {
	const char *name;
	int (*run)(void);
} points[] = {
	{ "one target, many SRQs and CQs", many_srqs_of_one_target },
	{ "many targets, one SRQ", many_targets_of_one_srq },
	{ "RDMA in the SRQ's protection domain", rdma_reaches_the_srqs_domain },
	{ "receiver not ready, until a receive comes", rnr_until_a_receive_comes },
	{ "SRQ limit", limit_event },
	{ "a receive that is too short", receive_too_short },
	{ "the last receive of a target", last_wqe },
	{ "SEND to an SRQ that is not there", unknown_srq },
	{ "SEND to a basic SRQ", basic_srq },
	{ "SEND to an SRQ of another domain", srq_of_another_domain },
	{ "RDMA for an SRQ that is not there", rdma_for_unknown_srq },
	{ "RDMA with keys of another protection domain", rdma_for_another_pd },
	{ "SEND to an SRQ that was destroyed", destroyed_srq },
	{ "an SRQ is destroyed while messages come", destroyed_under_load },
	{ "objects in use", busy_objects },
	{ "queues that are not there", nothing_to_post_to },
	{ "requests for a target, past the provider", targets_take_no_requests },
	{ "a domain that belongs to a file", domain_of_a_file },
	{ "targets opened by number", open_by_number },
	{ "a target of two processes", target_of_two_processes },
	{ "a target's creator is killed", creator_is_killed },
};

int complain(const char *format, ...)
{
	va_list args;

	if (*complaint)
		return -1;
	va_start(args, format);
	vsnprintf(complaint, sizeof(complaint), format, args);
	va_end(args);
	return -1;
}

void tell_complaint(void)
{
	if (*complaint)
		printf("# %s\n", complaint);
}

struct ibv_context *open_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (; list && *list; list++)
		if (!strcmp(ibv_get_device_name(*list), device))
			return ibv_open_device(*list);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned int i, failed = 0;
	int bad;

	if (argc < 3)
		return 2;
	device = argv[1];
	gid_index = atoi(argv[2]);
	ctx = open_device();
	pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	if (!pd) {
		perror("xrc: opening the device");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		if (argc > 3 && !strstr(points[i].name, argv[3]))
			continue;
		*complaint = 0;
		alarm(90);
		bad = points[i].run();
		printf("%sok %u - %s\n", bad ? "not " : "", i + 1, points[i].name);
		if (bad)
			tell_complaint();
		failed += !!bad;
	}
	if (ibv_dealloc_pd(pd)) {
		printf("not ok - something was left in the protection domain\n");
		failed++;
	}
	ibv_close_device(ctx);
	return failed ? 1 : 0;
}
