// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The list of points: errors DEVICE GID-INDEX [PART-OF-NAME] */

#include "errors.h"
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ibv_context *ctx;
struct ibv_device_attr limits;
const char *device;
int gid_index;

static char complaint[1024];

static const struct {
	const char *name;
	int (*run)(void);
} points[] = {
	{ "a QP with too much of everything", qp_with_too_much },
	{ "a CQ with too much of everything", cq_with_too_much },
	{ "a region of bad memory", mr_of_bad_memory },
	{ "a region of read-only memory", mr_of_read_only_memory },
	{ "a region beyond the limit of locked memory", mr_beyond_memlock },
	{ "states and attributes that are not to be had", bad_transitions },
	{ "bad address handles", bad_ah },
	{ "500 QPs, CQs and regions", many_objects },
	{ "too many scatter/gather elements", too_many_sges },
	{ "full queues", full_queues },
	{ "too much inline data", inline_too_long },
	{ "posting before RTS", post_too_early },
	{ "posting in the error state", post_in_error },
	{ "RDMA on a UD QP", ud_opcodes },
	{ "a message beyond 2 GiB", too_long_message },
	{ "bad lkeys", bad_lkey },
	{ "beyond the local region", beyond_region },
	{ "a receive into a region that is not writable", receive_not_writable },
	{ "a READ into a region that is not writable", read_not_writable },
	{ "bad rkeys", bad_rkey },
	{ "beyond the remote region", remote_beyond_region },
	{ "nothing to move, with bad keys", zero_length },
	{ "what the region does not allow", region_rights },
	{ "what the QP does not allow", qp_rights },
	{ "a region of another PD", foreign_pd },
	{ "a region that is deregistered", deregistered },
	{ "atomics that are not aligned", misaligned_atomic },
	{ "a receive that is too short", receive_too_short },
	{ "receiver not ready, no retries", rnr_without_retries },
	{ "receiver not ready, 3 retries", rnr_some_retries },
	{ "receiver not ready, for a while", rnr_for_ever },
	{ "a peer that does not answer", dead_peer },
	{ "a READ where none is allowed", reads_not_allowed },
	{ "event for a bad rkey", access_event },
	{ "CQ overrun", cq_overrun },
	{ "flushing", flush_order },
	{ "other QPs are not touched", other_qps_live },
	{ "UD: wrong Q_Key", wrong_qkey },
	{ "UD: unknown QP", unknown_qpn },
	{ "UD: longer than the MTU", datagram_too_long },
	{ "UD: a receive that is too short", datagram_receive_too_short },
	{ "UD: no receive", datagram_without_receive },
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

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (; list && *list; list++)
		if (!strcmp(ibv_get_device_name(*list), name))
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
	ctx = open_device(device);
	if (!ctx || ibv_query_device(ctx, &limits)) {
		perror("errors: opening the device");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		if (argc > 3 && !strstr(points[i].name, argv[3]))
			continue;
		*complaint = 0;
		alarm(60);
		bad = points[i].run();
		printf("%sok %u - %s\n", bad ? "not " : "", i + 1, points[i].name);
		if (*complaint)
			printf("# %s\n", complaint);
		failed += !!bad;
	}
	ibv_close_device(ctx);
	return failed ? 1 : 0;
}
