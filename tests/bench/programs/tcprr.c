// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * tcprr FROM TO BYTES SECONDS: ping-pong over a TCP connection from one local
 * address to another, as netperf's TCP_RR does it: both ends block in recv().
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "common.h"

static struct sockaddr_in address(const char *text, int port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };

	if (inet_pton(AF_INET, text, &in.sin_addr) != 1)
		fail("%s is no IPv4 address", text);
	return in;
}

static void receive(int fd, char *buf, size_t size)
{
	if (recv(fd, buf, size, MSG_WAITALL) != (ssize_t)size)
		_exit(0);
}

static void transmit(int fd, const char *buf, size_t size)
{
	if (send(fd, buf, size, MSG_NOSIGNAL) != (ssize_t)size)
		_exit(0);
}

static void serve(int listener, char *buf, size_t size)
{
	int one = 1, fd = accept(listener, NULL, NULL);

	if (fd < 0)
		fail("accept: %m");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	for (;;) {
		receive(fd, buf, size);
		transmit(fd, buf, size);
	}
}

static void ping(int fd, char *buf, size_t size, double duration)
{
	uint32_t *samples = malloc(MAX_SAMPLES * sizeof(*samples));
	double warm = now() + WARM_UP, start = 0, cpu = 0, before, after;
	size_t count = 0;

	do {
		before = now();
		transmit(fd, buf, size);
		receive(fd, buf, size);
		after = now();
		if (start) {
			samples[count++] = (after - before) * 1e9;
		} else if (after > warm) {
			cpu = busy();
			start = now();
		}
	} while (!start || (after < start + duration && count < MAX_SAMPLES));
	report_latency(samples, count, after - start, busy() - cpu);
}

int main(int argc, char **argv)
{
	struct sockaddr_in from, to;
	int one = 1, fd, listener;
	size_t size;
	char *buf;

	if (argc != 5)
		fail("usage: tcprr FROM TO BYTES SECONDS");
	size = atoi(argv[3]);
	buf = calloc(1, size);
	from = address(argv[1], 0);
	to = address(argv[2], 5202);
	time_limit(atof(argv[4]) + 10);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, (struct sockaddr *)&to, sizeof(to)) || listen(listener, 1))
		fail("listen at %s: %m", argv[2]);
	if (!fork_server())
		serve(listener, buf, size);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(fd, (struct sockaddr *)&from, sizeof(from)) ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)))
		fail("connect to %s: %m", argv[2]);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	ping(fd, buf, size, atof(argv[4]));
	return 0;
}
