// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * verbs [OPTIONS] DEVICE-A ADDRESS-A DEVICE-B ADDRESS-B
 *
 * Both ends of an RDMA measurement between two devices of this host. Unlike
 * perftest it can block for completions in every test, takes exact percentiles,
 * and takes the processor time of the measured interval alone.
 *
 *	-m bw|lat		what to measure: messages in a stream, or ping-pong
 *	-o write|send|read	by which operation (lat: write or send)
 *	-s BYTES -q QPS -t SECONDS
 *	-w block|yield|spin	how to wait for completions
 *	-c			connect by rdma_cm (iWARP); otherwise without it
 *
 * A WRITE's receiver has no completion to block for: in `lat` it looks at its
 * memory, and yields the processor between looks (spin: does not).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <rdma/rdma_cma.h>

#include "common.h"

#define MAX_QPS		64
#define IN_FLIGHT	(4 << 20)	/* bytes, all queue pairs together */
#define GROUPS		4		/* groups of messages in flight on a queue pair */
#define MAX_DEPTH	128		/* messages in flight on a queue pair */
#define RECEIVES	512
#define SIGNAL_EVERY	32		/* sends of a ping-pong */
#define PORT		7174

enum how { BLOCK, YIELD, SPIN };

static struct {
	int latency;
	enum ibv_wr_opcode opcode;
	size_t size;
	int qps;
	double seconds;
	enum how wait;
	int cm;
} option = { .opcode = IBV_WR_RDMA_WRITE, .size = 65536, .qps = 1, .seconds = 1 };

/* What one end tells the other. */
struct hello {
	union ibv_gid gid;
	uint64_t addr;
	uint32_t rkey;
	uint32_t qpn[MAX_QPS];
};

struct end {
	const char *device;
	const char *address;
	int peer;			/* socket to the other end */
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *send_cq, *recv_cq;
	int armed;
	char *buf;
	struct ibv_mr *mr;
	uint32_t gid_index;
	enum ibv_mtu mtu;
	uint32_t max_inline;
	uint8_t max_reads;
	int receives;			/* posted on each queue pair */
	struct ibv_qp *qp[MAX_QPS];
	struct hello own, far;
};

/*
 * Receives used, by queue pair, shared by both ends: an iWARP sender does not
 * wait for the receiver, so that somebody has to count.
 */
static volatile uint64_t *received;

static int to_number(const char *word, const char *const *words)
{
	int i;

	for (i = 0; words[i]; i++)
		if (!strcmp(word, words[i]))
			return i;
	fail("what is '%s'?", word);
}

/* Setting up -------------------------------------------------------------- */

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	if (!context)
		fail("no device %s", name);
	return context;
}

/* Find the RoCE v2 identifier of the IPv4 address. */
static void find_gid(struct end *end)
{
	struct ibv_gid_entry table[64];
	struct in_addr in;
	ssize_t count, i;

	inet_pton(AF_INET, end->address, &in);
	count = ibv_query_gid_table(end->context, table, 64, 0);
	for (i = 0; i < count; i++) {
		if (table[i].gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    memcmp(table[i].gid.raw + 12, &in, 4) || table[i].gid.raw[10] != 0xff)
			continue;
		end->own.gid = table[i].gid;
		end->gid_index = table[i].gid_index;
		return;
	}
	fail("%s has no RoCE v2 identifier for %s", end->device, end->address);
}

static int depth(void)
{
	size_t count = IN_FLIGHT / (option.size * option.qps) / GROUPS * GROUPS;

	if (option.latency)
		return 2 * SIGNAL_EVERY;
	return count < GROUPS ? GROUPS : count > MAX_DEPTH ? MAX_DEPTH : count;
}

/* Protection domain, queues, memory: all but the queue pairs. */
static void make_objects(struct end *end)
{
	size_t bytes = option.size * (option.latency ? 2 : option.qps);
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	struct ibv_device_attr device;
	struct ibv_port_attr port;

	if (ibv_query_device(end->context, &device) || ibv_query_port(end->context, 1, &port))
		fail("%s cannot be queried", end->device);
	end->mtu = port.active_mtu;
	end->max_reads = device.max_qp_rd_atom < 16 ? device.max_qp_rd_atom : 16;
	end->receives = RECEIVES * option.qps > 16384 ? 16384 / option.qps : RECEIVES;
	end->pd = ibv_alloc_pd(end->context);
	end->channel = ibv_create_comp_channel(end->context);
	end->send_cq = ibv_create_cq(end->context, (depth() + 1) * option.qps, NULL,
				     end->channel, 0);
	end->recv_cq = ibv_create_cq(end->context, end->receives * option.qps, NULL,
				     end->channel, 0);
	bytes = (bytes + 4095) & ~4095ul;
	end->buf = aligned_alloc(4096, bytes);
	if (!end->pd || !end->channel || !end->send_cq || !end->recv_cq || !end->buf)
		fail("objects of %s: %m", end->device);
	memset(end->buf, 0, bytes);
	end->mr = ibv_reg_mr(end->pd, end->buf, bytes, access);
	if (!end->mr)
		fail("memory of %s: %m", end->device);
	end->own.addr = (uintptr_t)end->buf;
	end->own.rkey = end->mr->rkey;
}

static struct ibv_qp *create_qp(struct end *end, struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = end->send_cq,
		.recv_cq = end->recv_cq,
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = depth() + 1,
			.max_recv_wr = end->receives,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = option.size <= 256 ? option.size : 0,
		},
	};
	struct ibv_qp *qp;

	if (id)
		qp = rdma_create_qp(id, end->pd, &attr) ? NULL : id->qp;
	else
		qp = ibv_create_qp(end->pd, &attr);
	if (!qp)
		fail("queue pair of %s: %m", end->device);
	end->max_inline = attr.cap.max_inline_data;
	return qp;
}

static void post_receive(struct end *end, int i)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)end->buf + (option.latency ? 1 : i) * option.size,
		.length = option.size,
		.lkey = end->mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 };

	errno = ibv_post_recv(end->qp[i], &wr, &bad);
	if (errno)
		fail("receive on %s: %m", end->device);
}

static void swap_hellos(struct end *end)
{
	if (write(end->peer, &end->own, sizeof(end->own)) != sizeof(end->own) ||
	    recv(end->peer, &end->far, sizeof(end->far), MSG_WAITALL) != sizeof(end->far))
		fail("%s: the other end went away", end->device);
}

static void modify(struct end *end, struct ibv_qp *qp, struct ibv_qp_attr attr, int mask)
{
	errno = ibv_modify_qp(qp, &attr, mask | IBV_QP_STATE);
	if (errno)
		fail("queue pair of %s to state %d: %m", end->device, attr.qp_state);
}

/* Make a queue pair that is ready for receives to be posted. */
static void add_qp(struct end *end, int i, struct rdma_cm_id *id)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
	int n;

	end->qp[i] = create_qp(end, id);
	end->own.qpn[i] = end->qp[i]->qp_num;
	if (!id)
		modify(end, end->qp[i], init,
		       IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	if (option.opcode == IBV_WR_SEND)
		for (n = 0; n < end->receives; n++)
			post_receive(end, i);
}

static void start_qp(struct end *end, int i)
{
	struct ibv_qp_attr receive = {
		.qp_state = IBV_QPS_RTR, .path_mtu = end->mtu, .dest_qp_num = end->far.qpn[i],
		.max_dest_rd_atomic = end->max_reads, .min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1, .port_num = 1,
			.grh = {
				.dgid = end->far.gid, .sgid_index = end->gid_index, .hop_limit = 64,
			},
		},
	};
	struct ibv_qp_attr send = {
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
		.max_rd_atomic = end->max_reads,
	};

	modify(end, end->qp[i], receive, IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
	       IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	modify(end, end->qp[i], send, IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
	       IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

static void connect_plain(struct end *end)
{
	int i;

	end->context = open_device(end->device);
	make_objects(end);
	find_gid(end);
	for (i = 0; i < option.qps; i++)
		add_qp(end, i, NULL);
	swap_hellos(end);
	for (i = 0; i < option.qps; i++)
		start_qp(end, i);
	swap_hellos(end);	/* both are ready */
}

static struct sockaddr_in socket_address(const char *address, int port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, address, &in.sin_addr);
	return in;
}

static struct rdma_cm_id *new_id(void)
{
	struct rdma_cm_id *id;

	if (rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP))
		fail("rdma_create_id: %m");
	return id;
}

static struct rdma_conn_param cm_parameters(const struct end *end)
{
	return (struct rdma_conn_param){
		.responder_resources = end->max_reads, .initiator_depth = end->max_reads,
		.retry_count = 7, .rnr_retry_count = 7,
	};
}

static void accept_by_cm(struct end *end)
{
	struct sockaddr_in in = socket_address(end->address, PORT);
	struct rdma_cm_id *id, *listener = new_id();
	struct rdma_conn_param param = { 0 };
	int i;

	if (rdma_bind_addr(listener, (struct sockaddr *)&in) || rdma_listen(listener, MAX_QPS))
		fail("listen at %s: %m", end->address);
	end->context = listener->verbs;
	make_objects(end);
	swap_hellos(end);
	param = cm_parameters(end);
	for (i = 0; i < option.qps; i++) {
		if (rdma_get_request(listener, &id))
			fail("connection request: %m");
		add_qp(end, i, id);
		if (rdma_accept(id, &param))
			fail("accept: %m");
	}
}

static void connect_by_cm(struct end *end, const char *server)
{
	struct sockaddr_in from = socket_address(end->address, 0);
	struct sockaddr_in to = socket_address(server, PORT);
	struct rdma_conn_param param = { 0 };
	struct rdma_cm_id *id;
	int i;

	for (i = 0; i < option.qps; i++) {
		id = new_id();
		if (rdma_resolve_addr(id, (struct sockaddr *)&from, (struct sockaddr *)&to, 2000) ||
		    rdma_resolve_route(id, 2000))
			fail("path to %s: %m", server);
		if (!i) {
			end->context = id->verbs;
			make_objects(end);
			swap_hellos(end);
			param = cm_parameters(end);
		}
		add_qp(end, i, id);
		if (rdma_connect(id, &param))
			fail("connect: %m");
	}
}

/* Moving data ------------------------------------------------------------- */

static void check(const struct end *end, const struct ibv_wc *wc, int count)
{
	if (count < 0)
		fail("%s: poll failed", end->device);
	for (; count > 0; count--, wc++)
		if (wc->status != IBV_WC_SUCCESS)
			fail("%s: %s", end->device, ibv_wc_status_str(wc->status));
}

static void block(struct end *end)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(end->channel, &cq, &context))
		fail("%s: completion event: %m", end->device);
	ibv_ack_cq_events(cq, 1);
	end->armed = 0;
}

/* Wait for completions, at most @max, at least one. */
static int reap(struct end *end, struct ibv_cq *cq, struct ibv_wc *wc, int max)
{
	int count;

	for (;;) {
		count = ibv_poll_cq(cq, max, wc);
		check(end, wc, count);
		if (count)
			return count;
		if (option.wait == YIELD) {
			sched_yield();
		} else if (option.wait == BLOCK && end->armed) {
			block(end);
		} else if (option.wait == BLOCK) {
			errno = ibv_req_notify_cq(cq, 0);
			if (errno)
				fail("%s: notification: %m", end->device);
			end->armed = 1;
		}
	}
}

static void post_send(struct end *end, int i, int signaled)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)end->buf + (option.latency ? 0 : i) * option.size,
		.length = option.size,
		.lkey = end->mr->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.wr_id = i, .sg_list = &sge, .num_sge = 1, .opcode = option.opcode,
		.send_flags = signaled ? IBV_SEND_SIGNALED : 0,
		.wr.rdma = {
			.remote_addr = end->far.addr + (option.latency ? 1 : i) * option.size,
			.rkey = end->far.rkey,
		},
	};

	if (option.opcode != IBV_WR_RDMA_READ && option.size <= end->max_inline)
		wr.send_flags |= IBV_SEND_INLINE;
	errno = ibv_post_send(end->qp[i], &wr, &bad);
	if (errno)
		fail("send on %s: %m", end->device);
}

struct stream {
	int group;			/* messages of a group; the last one is signaled */
	int groups[MAX_QPS];		/* in flight */
	uint64_t sent[MAX_QPS];
	int in_flight;			/* groups, all queue pairs */
	int starved;			/* a queue pair waits for the receiver */
};

/* Send on a queue pair as much as may be in flight. */
static void top_up(struct end *end, struct stream *stream, int i)
{
	int n;

	while (stream->groups[i] < GROUPS) {
		if (option.opcode == IBV_WR_SEND &&
		    stream->sent[i] + stream->group > received[i] + end->receives) {
			stream->starved = 1;
			return;
		}
		for (n = 1; n <= stream->group; n++)
			post_send(end, i, n == stream->group);
		stream->sent[i] += stream->group;
		stream->groups[i]++;
		stream->in_flight++;
	}
}

static void top_up_all(struct end *end, struct stream *stream)
{
	int i;

	stream->starved = 0;
	for (i = 0; i < option.qps; i++)
		top_up(end, stream, i);
}

/* Wait for groups to complete, and replace them. Return how many messages these were. */
static int turn(struct end *end, struct stream *stream)
{
	struct ibv_wc wc[16];
	int i, count;

	if (stream->starved)
		top_up_all(end, stream);
	if (!stream->in_flight) {
		usleep(20);
		return 0;
	}
	count = reap(end, end->send_cq, wc, 16);
	for (i = 0; i < count; i++) {
		stream->groups[wc[i].wr_id]--;
		stream->in_flight--;
		top_up(end, stream, wc[i].wr_id);
	}
	return count * stream->group;
}

static void report_stream(uint64_t messages, double seconds, double cpu)
{
	double mib = (double)messages * option.size / (1 << 20);

	printf("{\"mibs\": %.4f, \"mps\": %.1f, \"messages\": %llu, \"seconds\": %.3f, \"cpu\": %.2f}\n",
	       mib / seconds, messages / seconds, (unsigned long long)messages, seconds, cpu);
	fflush(stdout);
}

/*
 * The measured interval begins and ends with a completion. A slow transport gets
 * up to four times the time, so that all that is in flight completes twice.
 */
static void send_stream(struct end *end)
{
	struct stream stream = { .group = depth() / GROUPS };
	uint64_t done = 0, first = 0, enough = 2ull * depth() * option.qps;
	double begin = now(), start = 0, cpu = 0, t;

	top_up_all(end, &stream);
	for (;;) {
		done += turn(end, &stream);
		t = now();
		if (!start && done && t > begin + WARM_UP) {
			cpu = busy();
			start = now();
			first = done;
		} else if (start && t > start + option.seconds &&
			   (done - first >= enough || t > start + 4 * option.seconds)) {
			break;
		}
	}
	report_stream(done - first, t - start, busy() - cpu);
}

static void receive_stream(struct end *end)
{
	struct ibv_wc wc[16];
	int i, count;

	for (;;) {
		count = reap(end, end->recv_cq, wc, 16);
		for (i = 0; i < count; i++) {
			post_receive(end, wc[i].wr_id);
			received[wc[i].wr_id]++;
		}
	}
}

static void await_message(struct end *end, uint8_t mark)
{
	volatile uint8_t *last = (uint8_t *)end->buf + 2 * option.size - 1;
	struct ibv_wc wc;

	if (option.opcode == IBV_WR_SEND) {
		reap(end, end->recv_cq, &wc, 1);
		post_receive(end, 0);
		return;
	}
	while (*last != mark)
		if (option.wait != SPIN)
			sched_yield();
}

static void send_message(struct end *end, uint64_t number)
{
	struct ibv_wc wc;

	end->buf[option.size - 1] = (uint8_t)number;
	post_send(end, 0, number % SIGNAL_EVERY == 0);
	if (number % SIGNAL_EVERY == SIGNAL_EVERY - 1 && number > SIGNAL_EVERY)
		while (!ibv_poll_cq(end->send_cq, 1, &wc))
			sched_yield();
}

static void answer_pings(struct end *end)
{
	uint64_t number;

	for (number = 1;; number++) {
		await_message(end, number);
		send_message(end, number);
	}
}

static void ping(struct end *end)
{
	uint32_t *samples = malloc(MAX_SAMPLES * sizeof(*samples));
	double warm = now() + WARM_UP, start = 0, cpu = 0, before, after;
	uint64_t number = 0;
	size_t count = 0;

	do {
		before = now();
		send_message(end, ++number);
		await_message(end, number);
		after = now();
		if (start) {
			samples[count++] = (after - before) * 1e9;
		} else if (after > warm) {
			cpu = busy();
			start = now();
		}
	} while (!start || (after < start + option.seconds && count < MAX_SAMPLES));
	report_latency(samples, count, after - start, busy() - cpu);
}

static void serve(struct end *end)
{
	char byte;

	if (option.cm)
		accept_by_cm(end);
	else
		connect_plain(end);
	if (option.latency)
		answer_pings(end);
	else if (option.opcode == IBV_WR_SEND)
		receive_stream(end);
	if (read(end->peer, &byte, 1) < 0)
		fail("%s: the other end went away", end->device);
	_exit(0);
}

static void parse(int argc, char **argv)
{
	static const char *const modes[] = { "bw", "lat", NULL };
	static const char *const operations[] = { "write", "send", "read", NULL };
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_WRITE, IBV_WR_SEND, IBV_WR_RDMA_READ
	};
	static const char *const waits[] = { "block", "yield", "spin", NULL };
	int c;

	while ((c = getopt(argc, argv, "m:o:s:q:t:w:c")) >= 0) {
		switch (c) {
		case 'm':
			option.latency = to_number(optarg, modes);
			break;
		case 'o':
			option.opcode = opcodes[to_number(optarg, operations)];
			break;
		case 's':
			option.size = strtoul(optarg, NULL, 0);
			break;
		case 'q':
			option.qps = atoi(optarg);
			break;
		case 't':
			option.seconds = atof(optarg);
			break;
		case 'w':
			option.wait = to_number(optarg, waits);
			break;
		case 'c':
			option.cm = 1;
			break;
		default:
			fail("the head of verbs.c says how to call it");
		}
	}
	if (argc - optind != 4 || !option.size || option.qps < 1 || option.qps > MAX_QPS ||
	    (option.latency && (option.opcode == IBV_WR_RDMA_READ || option.qps != 1)))
		fail("the head of verbs.c says how to call it");
}

int main(int argc, char **argv)
{
	struct end client = { 0 }, server = { 0 };
	int sockets[2];
	pid_t pid;

	parse(argc, argv);
	client.device = argv[optind];
	client.address = argv[optind + 1];
	server.device = argv[optind + 2];
	server.address = argv[optind + 3];
	time_limit(5 * option.seconds + 12);
	received = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (received == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		fail("cannot start: %m");
	client.peer = sockets[0];
	server.peer = sockets[1];
	pid = fork_server();
	if (!pid)
		serve(&server);
	if (option.cm)
		connect_by_cm(&client, server.address);
	else
		connect_plain(&client);
	if (option.latency)
		ping(&client);
	else
		send_stream(&client);
	signal(SIGCHLD, SIG_DFL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}
