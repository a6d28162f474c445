// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The TCP connection that keeps two ends in step. */

#define _GNU_SOURCE	/* accept4 */
#include "xfer.h"
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int link_listen(int port)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, (void *)&any, sizeof(any)) || listen(fd, 128)) {
		perror("xfer: listening");
		return -1;
	}
	return fd;
}

static int ready(int fd)
{
	int one = 1;

	if (fd >= 0)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

int link_accept(int listener)
{
	return ready(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
}

int link_connect(const char *host, int port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list, *one;
	int fd = -1, tries;
	char service[16];

	snprintf(service, sizeof(service), "%d", port);
	if (getaddrinfo(host, service, &hints, &list)) {
		fprintf(stderr, "xfer: no such host: %s\n", host);
		return -1;
	}
	for (tries = 0; fd < 0 && tries < 100; tries++) {
		if (tries)
			usleep(100000);
		for (one = list; fd < 0 && one; one = one->ai_next) {
			fd = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
			if (fd >= 0 && connect(fd, one->ai_addr, one->ai_addrlen)) {
				close(fd);
				fd = -1;
			}
		}
	}
	if (fd < 0)
		perror("xfer: connecting");
	freeaddrinfo(list);
	return ready(fd);
}

static int take(int fd, void *to, size_t len, int patience)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	char *at = to;
	ssize_t got;

	while (len) {
		if (poll(&wait, 1, patience * 1000) <= 0) {
			fprintf(stderr, "xfer: no word from the peer for %d s\n", patience);
			return -1;
		}
		got = read(fd, at, len);
		if (got <= 0) {
			fprintf(stderr, "xfer: the peer went away\n");
			return -1;
		}
		at += got;
		len -= got;
	}
	return 0;
}

/* Tell the peer something and hear the same kind of thing from it. */
int link_swap(int fd, const void *mine, void *theirs, size_t len, int patience)
{
	if (send(fd, mine, len, MSG_NOSIGNAL) != (ssize_t)len) {
		fprintf(stderr, "xfer: the peer went away: %s\n", strerror(errno));
		return -1;
	}
	return take(fd, theirs, len, patience);
}
