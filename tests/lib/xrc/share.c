// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Domains and target queue pairs of several processes. */

#include "xrc.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int new_file(void)
{
	char name[] = "/tmp/xrc-XXXXXX";
	int fd = mkstemp(name);

	unlink(name);
	return fd;
}

static int fails_with(struct ibv_xrcd *xrcd, int err, const char *what)
{
	if (!xrcd)
		return errno == err ? 0 : complain("%s: %s", what, strerror(errno));
	ibv_close_xrcd(xrcd);
	return complain("%s was opened", what);
}

int domain_of_a_file(void)
{
	int fd = new_file(), bad;
	struct ibv_xrcd *first, *second;
	struct pair pair;
	struct box box;

	bad = fails_with(domain_open(fd, 0), EAGAIN, "a domain that is not there");
	first = domain_open(fd, O_CREAT);
	bad = bad || fails_with(domain_open(fd, O_CREAT | O_EXCL), EINVAL, "one that is there");
	second = domain_open(fd, 0);
	bad = bad || !first || !second;
	/* Two handles, one domain. */
	bad = bad || box_open(&box, first, NULL) || pair_open(&pair, second, 7) ||
	      box_post(&box, 4, 0, 100) || send_to(&pair, box.num, 10) ||
	      wait_sent(&pair, IBV_WC_SUCCESS) || wait_received(&box, &pair, 4, 10);
	if (!bad) {
		pair_close(&pair);
		box_close(&box);
	}
	if (!bad && (ibv_close_xrcd(first) || ibv_close_xrcd(second)))
		bad = complain("an empty domain is busy");
	/* With the last handle it was gone. */
	bad = bad || fails_with(domain_open(fd, 0), EAGAIN, "a domain that is gone");
	close(fd);
	return bad;
}

static struct ibv_qp *open_qp(struct ibv_xrcd *xrcd, uint32_t qpn, enum ibv_qp_type type)
{
	struct ibv_qp_open_attr attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE,
		.qp_num = qpn,
		.xrcd = xrcd,
		.qp_type = type,
	};

	return ibv_open_qp(ctx, &attr);
}

int open_by_number(void)
{
	struct ibv_xrcd *xrcd = domain_open(-1, O_CREAT), *other = domain_open(-1, O_CREAT);
	struct ibv_qp *again = NULL;
	struct pair pair;
	int bad = pair_open(&pair, xrcd, 7);

	if (!bad && (open_qp(other, pair.tgt->qp_num, IBV_QPT_XRC_RECV) ||
		     open_qp(xrcd, pair.ini->qp_num, IBV_QPT_XRC_RECV) ||
		     open_qp(xrcd, pair.tgt->qp_num, IBV_QPT_RC)))
		bad = complain("what is no target of the domain was opened");
	if (!bad)
		again = open_qp(xrcd, pair.tgt->qp_num, IBV_QPT_XRC_RECV);
	if (!bad && !again)
		bad = complain("ibv_open_qp: %s", strerror(errno));
	if (again && (state(again) != IBV_QPS_RTS || ibv_destroy_qp(again)))
		bad = complain("a second handle is not in RTS, or busy");
	/* The first is as it was. */
	if (!bad && state(pair.tgt) != IBV_QPS_RTS)
		bad = complain("the target is in state %d", state(pair.tgt));
	pair_close(&pair);
	ibv_close_xrcd(xrcd);
	ibv_close_xrcd(other);
	return bad;
}

/* What the processes tell each other. */
struct word {
	uint32_t qpn;
	uint32_t ini_qpn;
	uint32_t srqn;
	int bad;
};

static int tell(int fd, const struct word *word)
{
	return write(fd, word, sizeof(*word)) == sizeof(*word) ? 0 : -1;
}

static int hear(int fd, struct word *word)
{
	return read(fd, word, sizeof(*word)) == sizeof(*word) ? word->bad : -1;
}

/*
 * Another process, which opens the target by number and has an SRQ of its own;
 * it receives @count messages and then finds the target in error.  No event
 * tells it: uverbs has no file for those of a QP that was opened (up to 7.3).
 */
static int other_process(int domain, int in, int out, int count)
{
	struct ibv_xrcd *xrcd;
	struct word word = {};
	struct pair pair = {};
	struct ibv_qp ini;
	struct box box;
	int i;

	ctx = open_device();
	pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	xrcd = pd ? domain_open(domain, 0) : NULL;
	if (!xrcd)
		return complain("no domain: %s", strerror(errno));
	if (hear(in, &word) || box_open(&box, xrcd, NULL))
		return -1;
	pair.tgt = open_qp(xrcd, word.qpn, IBV_QPT_XRC_RECV);
	ini.qp_num = word.ini_qpn;
	pair.ini = &ini;
	for (i = 0; i < count; i++)
		word.bad |= box_post(&box, i, 0, 1000);
	if (!pair.tgt)
		word.bad = complain("ibv_open_qp: %s", strerror(errno));
	word.srqn = box.num;
	if (tell(out, &word))
		return -1;
	for (i = 0; i < count; i++)
		if (wait_received(&box, &pair, i, 500 + i))
			return -1;
	if (tell(out, &word) || hear(in, &word))
		return -1;
	if (state(pair.tgt) != IBV_QPS_ERR)
		return complain("the target is in state %d", state(pair.tgt));
	return tell(out, &word);
}

/* Forks @function; its words come out of pipe[0], and go in by pipe[1]. */
static pid_t start(int pipes[2], int (*function)(int domain, int in, int out, int count),
		   int domain, int count)
{
	int down[2], up[2];
	pid_t pid;

	if (pipe(down) || pipe(up))
		return -1;
	pid = fork();
	if (!pid) {
		close(down[1]);
		close(up[0]);
		if (!function(domain, down[0], up[1], count))
			_exit(0);
		complain("the other process heard nothing");
		tell_complaint();
		_exit(1);
	}
	close(down[0]);
	close(up[1]);
	pipes[0] = up[0];
	pipes[1] = down[1];
	return pid;
}

int target_of_two_processes(void)
{
	int pipes[2] = { -1, -1 }, domain = new_file(), i, bad, status = -1;
	struct ibv_xrcd *xrcd = domain_open(domain, O_CREAT);
	struct word word = {};
	struct pair pair;
	pid_t pid;

	/* Before anything is mapped that must not be copied. */
	pid = start(pipes, other_process, domain, 4);
	bad = pair_open(&pair, xrcd, 7);
	word.qpn = pair.tgt ? pair.tgt->qp_num : 0;
	word.ini_qpn = pair.ini ? pair.ini->qp_num : 0;
	bad = bad || tell(pipes[1], &word) || hear(pipes[0], &word);
	for (i = 0; i < 4 && !bad; i++)
		bad = send_to(&pair, word.srqn, 500 + i) || wait_sent(&pair, IBV_WC_SUCCESS);
	bad = bad || hear(pipes[0], &word);
	forget_events(ctx);
	bad = bad || to_error(pair.tgt) || tell(pipes[1], &word) || hear(pipes[0], &word);
	if (!bad && !event_comes(ctx, IBV_EVENT_QP_LAST_WQE_REACHED, 5000))
		bad = complain("no event in the process that made the target");
	close(pipes[0]);
	close(pipes[1]);
	waitpid(pid, &status, 0);
	if (!bad && status)
		bad = complain("the other process failed");
	pair_close(&pair);
	ibv_close_xrcd(xrcd);
	close(domain);
	return bad ? complain("the other process failed") : 0;
}

/* Makes a target, connects it to @word's initiator by way of a pair, and waits. */
static int creator(int domain, int in, int out, int count)
{
	struct word word = {};
	struct pair pair;

	ctx = open_device();
	pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	if (!pd || pair_open(&pair, domain_open(domain, 0), 7))
		return -1;
	word.qpn = pair.tgt->qp_num;
	word.ini_qpn = pair.ini->qp_num;
	tell(out, &word);
	if (hear(in, &word))
		return -1;
	/* Its messages go to the SRQ of the process that lives on. */
	if (send_to(&pair, word.srqn, 77) || wait_sent(&pair, IBV_WC_SUCCESS))
		return -1;
	tell(out, &word);
	pause();
	return -1;
}

/* A target lives as long as somebody has it open. */
int creator_is_killed(void)
{
	int pipes[2] = { -1, -1 }, domain = new_file(), bad, status = 0;
	struct ibv_xrcd *xrcd = domain_open(domain, O_CREAT);
	struct pair pair = {};
	struct ibv_qp ini;
	struct word word = {};
	struct box box;
	pid_t pid = start(pipes, creator, domain, 0);

	bad = box_open(&box, xrcd, NULL) || box_post(&box, 1, 0, 100) || hear(pipes[0], &word);
	pair.tgt = bad ? NULL : open_qp(xrcd, word.qpn, IBV_QPT_XRC_RECV);
	ini.qp_num = word.ini_qpn;
	pair.ini = &ini;
	word.srqn = box.num;
	bad = bad || !pair.tgt || tell(pipes[1], &word) || hear(pipes[0], &word) ||
	      wait_received(&box, &pair, 1, 77);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(pipes[0]);
	close(pipes[1]);
	if (!bad && state(pair.tgt) != IBV_QPS_RTS)
		bad = complain("the target is in state %d", state(pair.tgt));
	if (!bad && ibv_close_xrcd(xrcd) != EBUSY)
		bad = complain("a domain with a target is not busy");
	if (pair.tgt && ibv_destroy_qp(pair.tgt))
		bad = complain("the target is busy");
	box_close(&box);
	if (!bad && ibv_close_xrcd(xrcd))
		bad = complain("an empty domain is busy");
	close(domain);
	return bad ? complain("the target does not work") : 0;
}
