/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What stands for a host of the model: a datagram socket of QEMU, or a TAP. */
#ifndef FABRIC_ATTACHMENT_H
#define FABRIC_ATTACHMENT_H

#include "frame.h"
#include "topology.h"

#include <sys/un.h>

/* The largest frame that is taken. */
#define ATTACHMENT_FRAME	65536U
/* Frames that wait for one who does not read: Linux keeps 10 in a socket. */
#define ATTACHMENT_BACKLOG	1024U

/**
 * struct attachment - of a host
 * @fd: socket or TAP device, -1 none
 * @is_tap: which of the two
 * @local: name of the socket
 * @remote: where frames go to
 * @backlog: frames that the other side did not take yet
 * @received: frames that came
 * @refused: frames that the other side did not take
 */
struct attachment {
	int fd;
	bool is_tap;
	struct sockaddr_un local;
	struct sockaddr_un remote;
	struct queue backlog;
	u64 received;
	u64 refused;
};

void attachment_init(struct attachment *attachment);
void attachment_read(struct attachment *attachment, const struct text *text);
struct frame *attachment_receive(struct attachment *attachment);
void attachment_send(struct attachment *attachment, struct frame *frame);
bool attachment_flush(struct attachment *attachment);
void attachment_close(struct attachment *attachment);

#endif /* FABRIC_ATTACHMENT_H */
