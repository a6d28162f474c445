// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "attachment.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static void name_socket(const struct text *text, const char *path,
			struct sockaddr_un *name)
{
	name->sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(name->sun_path))
		text_fail(text, "too long a name: %s", path);
	strcpy(name->sun_path, path);
}

static int open_socket(const struct text *text, struct attachment *attachment)
{
	const struct sockaddr_un *local = &attachment->local;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	unlink(local->sun_path);
	if (fd < 0 || bind(fd, (const void *)local, sizeof(*local)))
		text_fail(text, "%s: %s", local->sun_path, strerror(errno));
	return fd;
}

static int open_tap(const struct text *text, const char *name)
{
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };

	if (strlen(name) >= sizeof(request.ifr_name))
		text_fail(text, "too long a name: %s", name);
	strcpy(request.ifr_name, name);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &request))
		text_fail(text, "%s: %s", name, strerror(errno));
	return fd;
}

/**
 * attachment_init - nothing is attached
 * @attachment: which
 */
void attachment_init(struct attachment *attachment)
{
	memset(attachment, 0, sizeof(*attachment));
	attachment->fd = -1;
	queue_init(&attachment->backlog);
}

/**
 * attachment_read - open what a statement says
 * @attachment: to open, not open yet
 * @text: `attach HOST dgram LOCAL REMOTE` or `attach HOST tap NAME`
 */
void attachment_read(struct attachment *attachment, const struct text *text)
{
	if (attachment->fd >= 0)
		text_fail(text, "%s is attached already", text->words[1]);
	if (!strcmp(text->words[2], "dgram") && text->num_words == 5) {
		name_socket(text, text->words[3], &attachment->local);
		name_socket(text, text->words[4], &attachment->remote);
		attachment->fd = open_socket(text, attachment);
	} else if (!strcmp(text->words[2], "tap") && text->num_words == 4) {
		attachment->fd = open_tap(text, text->words[3]);
		attachment->is_tap = true;
	} else {
		text_fail(text, "attach HOST dgram LOCAL REMOTE, or tap NAME");
	}
}

/**
 * attachment_receive - take the next frame
 * @attachment: from which
 *
 * Return: the frame, of the caller, or NULL when there is none.
 */
struct frame *attachment_receive(struct attachment *attachment)
{
	static u8 bytes[ATTACHMENT_FRAME];
	ssize_t len = read(attachment->fd, bytes, sizeof(bytes));
	struct frame *frame;

	if (len <= 0)
		return NULL;
	attachment->received++;
	frame = frame_new(len);
	memcpy(frame->bytes, bytes, len);
	return frame;
}

static ssize_t hand_over(const struct attachment *attachment,
			 const struct frame *frame)
{
	if (attachment->is_tap)
		return write(attachment->fd, frame->bytes, frame->len);
	return sendto(attachment->fd, frame->bytes, frame->len, 0,
		      (const void *)&attachment->remote,
		      sizeof(attachment->remote));
}

/**
 * attachment_flush - try again what was not taken
 * @attachment: by whom
 *
 * Return: true when nothing waits any more.
 */
bool attachment_flush(struct attachment *attachment)
{
	struct frame *frame;

	while ((frame = attachment->backlog.first)) {
		if (hand_over(attachment, frame) < 0) {
			if (errno == EAGAIN)
				return false;
			attachment->refused++;
		}
		frame_free(queue_take(&attachment->backlog));
	}
	return true;
}

/**
 * attachment_send - give it a frame
 * @attachment: to which
 * @frame: the attachment's from now on
 *
 * A guest that is not there, or has not read for long, loses it.
 */
void attachment_send(struct attachment *attachment, struct frame *frame)
{
	if (attachment->fd < 0) {
		frame_free(frame);
		return;
	}
	if (attachment->backlog.frames == ATTACHMENT_BACKLOG) {
		attachment->refused++;
		frame_free(frame);
		return;
	}
	queue_put(&attachment->backlog, frame, frame->len);
	attachment_flush(attachment);
}

/**
 * attachment_close - and remove the socket
 * @attachment: which
 */
void attachment_close(struct attachment *attachment)
{
	if (attachment->fd < 0)
		return;
	queue_cleanup(&attachment->backlog);
	close(attachment->fd);
	if (!attachment->is_tap)
		unlink(attachment->local.sun_path);
	attachment->fd = -1;
}
