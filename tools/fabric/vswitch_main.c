// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Command line of the software switch, and its loop. */
#include "vswitch.h"

#include <getopt.h>
#include <linux/kernel.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S	1000000000ULL
/* Frames of one host before another is looked at. */
#define BATCH		64U
/* Between two tries to give a guest a frame. */
#define RETRY_NS	100000ULL
/* Without the FCS, which frames do not have here. */
#define FCS_BYTES	4U

static const char usage[] =
	"usage: vswitch [OPTION]... TOPOLOGY [NAME=VALUE]...\n"
	"A network of switches for guests, in real time; see README.md.\n"
	"\n"
	"  --attach 'HOST dgram LOCAL REMOTE'\n"
	"  --attach 'HOST tap NAME'  as the statement does\n"
	"  --counters PATH           a socket that tells the counters to who connects\n"
	"  --pcap FOLDER             SWITCH-PEER.pcap of each port into it\n"
	"  --seed N                  of what is left to chance (1)\n";

static volatile sig_atomic_t is_over;

static void on_signal(int signal)
{
	(void)signal;
	is_over = 1;
}

/**
 * struct command - the command line
 * @counters: path of the socket, or NULL
 * @pcap: folder, or NULL
 * @seed: of the model
 */
struct command {
	const char *counters;
	const char *pcap;
	u64 seed;
};

static u64 clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void deliver(void *context, u32 host, struct frame *frame)
{
	struct vswitch *vswitch = context;

	attachment_send(&vswitch->attachments[host], frame);
}

static void tap(void *context, struct port *port, struct frame *frame)
{
	(void)port;
	if (frame->ecn == FRAME_CE && !frame->is_control)
		ether_mark(frame);
	capture_frame(context, frame);
}

/* Attachments are of hosts that there are: after all other statements. */
static void attach(struct vswitch *vswitch, const struct text *text)
{
	u32 node = topology_find(&vswitch->topology, text->words[1]);

	if (node == NOWHERE || vswitch->topology.nodes[node].is_switch)
		text_fail(text, "there is no host %s", text->words[1]);
	attachment_read(&vswitch->attachments[vswitch->topology.nodes[node].host],
			text);
}

static void need_attachments(struct vswitch *vswitch)
{
	u32 i;

	if (vswitch->attachments)
		return;
	vswitch->attachments = calloc(vswitch->topology.num_hosts + 1,
				      sizeof(*vswitch->attachments));
	if (!vswitch->attachments)
		abort();
	for (i = 0; i < vswitch->topology.num_hosts; i++)
		attachment_init(&vswitch->attachments[i]);
}

static void read_topology(struct vswitch *vswitch, struct text *text,
			  const char *path)
{
	u32 hosts = 0;

	topology_init(&vswitch->topology);
	text_open(text, path);
	while (text_next(text)) {
		if (text_is(text, "attach", 4)) {
			need_attachments(vswitch);
			hosts = vswitch->topology.num_hosts;
			attach(vswitch, text);
		} else if (!topology_statement(&vswitch->topology, text)) {
			text_fail(text, "'%s' is not known", text->words[0]);
		}
		if (hosts && hosts != vswitch->topology.num_hosts)
			text_fail(text, "hosts come before attachments");
	}
	need_attachments(vswitch);
}

static void attach_option(struct vswitch *vswitch, struct text *text,
			  const char *option)
{
	snprintf(text->line, sizeof(text->line), "attach %s", option);
	text_split(text);
	if (text_is(text, "attach", 4))
		attach(vswitch, text);
}

static void add_lines(struct vswitch *vswitch)
{
	const struct topology *topology = &vswitch->topology;
	u32 i, k;

	vswitch->lines = calloc(2 * topology->num_links + 1,
				sizeof(*vswitch->lines));
	if (!vswitch->lines)
		abort();
	for (i = 0; i < topology->num_nodes; i++) {
		struct fabric_node *node = &vswitch->fabric.nodes[i];

		for (k = 0; k < node->num_ports && topology->nodes[i].is_switch;
		     k++) {
			struct line *line =
				&vswitch->lines[vswitch->num_lines++];

			line->vswitch = vswitch;
			line->port = &node->ports[k];
			line->port->tap = tap;
			line->port->tap_context = line;
		}
	}
}

static void build(struct vswitch *vswitch, const struct command *command)
{
	struct fabric_ops ops = {
		.deliver = deliver,
		.context = vswitch,
		.real_hosts = true,
		.overhead = FCS_BYTES,
	};
	const char *wrong;

	wrong = fabric_init(&vswitch->fabric, &vswitch->topology, &ops,
			    &vswitch->vt, command->seed);
	if (wrong) {
		fprintf(stderr, "vswitch: %s\n", wrong);
		exit(2);
	}
	add_lines(vswitch);
	if (command->pcap)
		capture_open(vswitch, command->pcap);
	vswitch->start_ns = clock_ns(CLOCK_MONOTONIC);
	vswitch->epoch_ns = clock_ns(CLOCK_REALTIME);
}

static int listen_at(const char *path)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(name.sun_path)) {
		fprintf(stderr, "vswitch: too long a name: %s\n", path);
		exit(2);
	}
	strcpy(name.sun_path, path);
	unlink(path);
	if (fd < 0 || bind(fd, (const void *)&name, sizeof(name)) ||
	    listen(fd, 8)) {
		perror(path);
		exit(2);
	}
	return fd;
}

static void follow(struct vswitch *vswitch)
{
	vtime_follow(&vswitch->vt,
		     clock_ns(CLOCK_MONOTONIC) - vswitch->start_ns);
}

static void take_in(struct vswitch *vswitch, u32 host)
{
	struct frame *frame;
	u32 i;

	for (i = 0; i < BATCH; i++) {
		frame = attachment_receive(&vswitch->attachments[host]);
		if (!frame)
			return;
		follow(vswitch);
		vswitch_receive(vswitch, host, frame);
	}
}

static void tell(struct vswitch *vswitch, int listener)
{
	int fd = accept(listener, NULL, NULL);

	if (fd < 0)
		return;
	capture_flush(vswitch);
	counters_write(vswitch, fd);
	close(fd);
}

/* Returns true when nobody has to be tried again. */
static bool flush(struct vswitch *vswitch)
{
	bool done = true;
	u32 i;

	for (i = 0; i < vswitch->topology.num_hosts; i++)
		done &= attachment_flush(&vswitch->attachments[i]);
	return done;
}

static struct timespec until_due(struct vswitch *vswitch)
{
	u64 due = vtime_due(&vswitch->vt);
	u64 wait = flush(vswitch) ? NS_PER_S : RETRY_NS;

	if (due != U64_MAX)
		wait = min(wait, due - min(due, vswitch->vt.now_ns));
	return (struct timespec){ wait / NS_PER_S, wait % NS_PER_S };
}

/* Signals come only while waiting. */
static void loop(struct vswitch *vswitch, int listener, const sigset_t *mask)
{
	u32 hosts = vswitch->topology.num_hosts, i;
	struct pollfd *polls = calloc(hosts + 1, sizeof(*polls));

	if (!polls)
		abort();
	for (i = 0; i < hosts; i++)
		polls[i] = (struct pollfd){ vswitch->attachments[i].fd,
					    POLLIN, 0 };
	polls[hosts] = (struct pollfd){ listener, POLLIN, 0 };
	while (!is_over) {
		struct timespec wait;

		follow(vswitch);
		wait = until_due(vswitch);
		if (ppoll(polls, hosts + 1, &wait, mask) <= 0)
			continue;
		for (i = 0; i < hosts; i++)
			if (polls[i].revents)
				take_in(vswitch, i);
		if (polls[hosts].revents)
			tell(vswitch, listener);
	}
	free(polls);
}

static void block_signals(sigset_t *mask)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, mask);
	sigdelset(mask, SIGINT);
	sigdelset(mask, SIGTERM);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static void close_all(struct vswitch *vswitch, const struct command *command,
		      int listener)
{
	u32 i;

	counters_write(vswitch, STDOUT_FILENO);
	if (listener >= 0) {
		close(listener);
		unlink(command->counters);
	}
	if (command->pcap)
		capture_close(vswitch);
	for (i = 0; i < vswitch->topology.num_hosts; i++)
		attachment_close(&vswitch->attachments[i]);
	fabric_cleanup(&vswitch->fabric);
	vtime_cleanup(&vswitch->vt);
	topology_cleanup(&vswitch->topology);
	free(vswitch->attachments);
	free(vswitch->lines);
}

#define MAX_ATTACH	64

static u32 parse(int argc, char **argv, struct command *command,
		 const char **attach_options)
{
	static const struct option table[] = {
		{ "attach", 1, NULL, 'a' }, { "counters", 1, NULL, 'c' },
		{ "pcap", 1, NULL, 'p' }, { "seed", 1, NULL, 's' },
		{ "help", 0, NULL, 'h' }, { }
	};
	u32 attached = 0;
	int option;

	while ((option = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (option == 'a' && attached < MAX_ATTACH) {
			attach_options[attached++] = optarg;
		} else if (option == 'c') {
			command->counters = optarg;
		} else if (option == 'p') {
			command->pcap = optarg;
		} else if (option == 's') {
			command->seed = strtoull(optarg, NULL, 0);
		} else {
			fputs(usage, option == 'h' ? stdout : stderr);
			exit(option == 'h' ? 0 : 2);
		}
	}
	return attached;
}

int main(int argc, char **argv)
{
	static struct vswitch vswitch;
	static struct text text;
	const char *attach_options[MAX_ATTACH];
	struct command command = { .seed = 1 };
	int listener = -1, i;
	u32 attached, k;
	sigset_t mask;

	attached = parse(argc, argv, &command, attach_options);
	if (optind == argc) {
		fputs(usage, stderr);
		return 2;
	}
	for (i = optind + 1; i < argc; i++)
		text_set(&text, argv[i]);
	read_topology(&vswitch, &text, argv[optind]);
	for (k = 0; k < attached; k++)
		attach_option(&vswitch, &text, attach_options[k]);
	block_signals(&mask);
	build(&vswitch, &command);
	if (command.counters)
		listener = listen_at(command.counters);
	loop(&vswitch, listener, &mask);
	close_all(&vswitch, &command, listener);
	return 0;
}
