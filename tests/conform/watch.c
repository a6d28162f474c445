// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What is seen, in words: results of calls, completions, events, states. */

#define _GNU_SOURCE
#include "conform.h"
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AFTERMATH	(patience / 6)	/* seconds, for the rest, since something was seen */
#define SETTLE		0.015		/* for more than what is wanted */
#define NOTHING		0.04		/* for what should not be there at all */

#define RECEIVED	(1ULL << 32)

static const char * const statuses[] = {
	[IBV_WC_SUCCESS] = "SUCCESS",
	[IBV_WC_LOC_LEN_ERR] = "LOC_LEN_ERR",
	[IBV_WC_LOC_QP_OP_ERR] = "LOC_QP_OP_ERR",
	[IBV_WC_LOC_EEC_OP_ERR] = "LOC_EEC_OP_ERR",
	[IBV_WC_LOC_PROT_ERR] = "LOC_PROT_ERR",
	[IBV_WC_WR_FLUSH_ERR] = "WR_FLUSH_ERR",
	[IBV_WC_MW_BIND_ERR] = "MW_BIND_ERR",
	[IBV_WC_BAD_RESP_ERR] = "BAD_RESP_ERR",
	[IBV_WC_LOC_ACCESS_ERR] = "LOC_ACCESS_ERR",
	[IBV_WC_REM_INV_REQ_ERR] = "REM_INV_REQ_ERR",
	[IBV_WC_REM_ACCESS_ERR] = "REM_ACCESS_ERR",
	[IBV_WC_REM_OP_ERR] = "REM_OP_ERR",
	[IBV_WC_RETRY_EXC_ERR] = "RETRY_EXC_ERR",
	[IBV_WC_RNR_RETRY_EXC_ERR] = "RNR_RETRY_EXC_ERR",
	[IBV_WC_REM_ABORT_ERR] = "REM_ABORT_ERR",
	[IBV_WC_FATAL_ERR] = "FATAL_ERR",
	[IBV_WC_RESP_TIMEOUT_ERR] = "RESP_TIMEOUT_ERR",
	[IBV_WC_GENERAL_ERR] = "GENERAL_ERR",
};

static const char * const states[] = {
	[IBV_QPS_RESET] = "RESET", [IBV_QPS_INIT] = "INIT", [IBV_QPS_RTR] = "RTR",
	[IBV_QPS_RTS] = "RTS", [IBV_QPS_SQD] = "SQD", [IBV_QPS_SQE] = "SQE",
	[IBV_QPS_ERR] = "ERR",
};

static const char * const events[] = {
	[IBV_EVENT_CQ_ERR] = "CQ_ERR",
	[IBV_EVENT_QP_FATAL] = "QP_FATAL",
	[IBV_EVENT_QP_REQ_ERR] = "QP_REQ_ERR",
	[IBV_EVENT_QP_ACCESS_ERR] = "QP_ACCESS_ERR",
	[IBV_EVENT_COMM_EST] = "COMM_EST",
	[IBV_EVENT_SQ_DRAINED] = "SQ_DRAINED",
	[IBV_EVENT_SRQ_ERR] = "SRQ_ERR",
	[IBV_EVENT_SRQ_LIMIT_REACHED] = "SRQ_LIMIT_REACHED",
	[IBV_EVENT_QP_LAST_WQE_REACHED] = "QP_LAST_WQE_REACHED",
};

#define NAME(names, value) \
	((unsigned int)(value) < sizeof(names) / sizeof((names)[0]) && (names)[value] ? \
	 (names)[value] : "UNKNOWN")

const char *status_name(enum ibv_wc_status status)
{
	return NAME(statuses, status);
}

/* Adds a word to a text; equal ones in a row are counted: WORD*3. */
static void add_word(char *text, size_t size, const char *word)
{
	char *last = strrchr(text, ' ');
	size_t len = strlen(word);
	char *end;
	int n = 1;

	last = last ? last + 1 : text;
	if (!strncmp(last, word, len) && (!last[len] || last[len] == '*')) {
		if (last[len])
			n = strtol(last + len + 1, NULL, 10);
		end = last + len;
		snprintf(end, size - (end - text), "*%d", n + 1);
		return;
	}
	end = text + strlen(text);
	snprintf(end, size - (end - text), "%s%s", *text ? " " : "", word);
}

void say(struct rig *rig, const char *word)
{
	add_word(rig->out.calls, sizeof(rig->out.calls), word);
}

/* Calls return 0, an errno, or -1 and set errno. */
void called(struct rig *rig, int err)
{
	const char *name;

	if (err < 0)
		err = errno;
	name = strerrorname_np(err);
	say(rig, !err ? "ok" : name ? name : "unknown");
}

void called_ptr(struct rig *rig, const void *object)
{
	called(rig, object ? 0 : -1);
}

int complain(struct rig *rig, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(rig->why, sizeof(rig->why), format, args);
	va_end(args);
	return -1;
}

int skip(struct rig *rig, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(rig->why, sizeof(rig->why), format, args);
	va_end(args);
	return SKIP;
}

/*
 * Unsignalled ones that succeed have no completion, so IDs may be left out, but never go
 * back. A receive is told by its opcode, which an error has not.
 */
static bool is_next(struct end *end, const struct ibv_wc *wc)
{
	bool is_recv = wc->wr_id & RECEIVED;
	uint64_t *next = is_recv ? &end->next_recv : &end->next_send;
	uint64_t posted = is_recv ? end->received : end->sent;
	bool good = wc->wr_id >= *next && wc->wr_id < posted;

	*next = wc->wr_id + 1;
	return good;
}

static void add_completion(struct end *end, const struct ibv_wc *wc)
{
	bool is_recv = wc->wr_id & RECEIVED;

	add_word(end->log, sizeof(((struct outcome *)0)->from), status_name(wc->status));
	if (!is_next(end, wc))
		add_word(end->log, sizeof(((struct outcome *)0)->from), "DISORDERED");
	if (end->qp && wc->qp_num != end->qp->qp_num)
		add_word(end->log, sizeof(((struct outcome *)0)->from), "WRONG_QP");
	if (!wc->status && is_recv != !!(wc->opcode & IBV_WC_RECV))
		add_word(end->log, sizeof(((struct outcome *)0)->from), "WRONG_OPCODE");
	end->completions++;
}

static bool poll_cq(struct end *end)
{
	struct ibv_wc wc;
	bool seen = false;

	while (end->cq && ibv_poll_cq(end->cq, 1, &wc) == 1) {
		add_completion(end, &wc);
		seen = true;
	}
	return seen;
}

static bool is_of(const struct end *end, const struct ibv_async_event *event)
{
	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR:
		return event->element.cq == end->cq;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return event->element.srq == end->srq;
	default:
		return event->element.qp == end->qp;
	}
}

static void add_event(struct rig *rig, const struct ibv_async_event *event)
{
	struct end *end = is_of(&rig->from, event) ? &rig->from :
			  is_of(&rig->to, event) ? &rig->to : NULL;
	char word[64];

	snprintf(word, sizeof(word), "%s:%s", end ? end->side : "?",
		 NAME(events, event->event_type));
	add_word(rig->out.events, sizeof(rig->out.events), word);
	if (end)
		end->events++;
}

/* Events of ports and of the device are the network's. */
static bool is_of_object(enum ibv_event_type type)
{
	return type < sizeof(events) / sizeof(events[0]) && events[type];
}

static bool take_event(struct rig *rig, struct ibv_context *ctx, bool note)
{
	struct pollfd wait = { .fd = ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	if (poll(&wait, 1, 0) <= 0 || ibv_get_async_event(ctx, &event))
		return false;
	if (note && is_of_object(event.event_type))
		add_event(rig, &event);
	ibv_ack_async_event(&event);
	return true;
}

static bool look(struct rig *rig)
{
	bool seen = poll_cq(&rig->from) | poll_cq(&rig->to);

	seen |= take_event(rig, rig->from.ctx, true);
	if (rig->to.ctx != rig->from.ctx)
		seen |= take_event(rig, rig->to.ctx, true);
	return seen;
}

void forget_events(struct rig *rig)
{
	while (take_event(rig, rig->from.ctx, false))
		;
	while (take_event(rig, rig->to.ctx, false))
		;
}

static int await_count(struct rig *rig, const int *count, int wanted)
{
	double end = now() + patience;

	while (*count < wanted && now() < end)
		if (!look(rig))
			usleep(500);
	return *count < wanted ? -1 : 0;
}

/* In the middle of a case: so many completions of an end since its beginning. */
int await(struct rig *rig, struct end *end, int completions)
{
	return await_count(rig, &end->completions, completions);
}

int await_event(struct rig *rig, struct end *end, int wanted)
{
	return await_count(rig, &end->events, wanted);
}

static int count_words(const char *text)
{
	const char *star;
	int n = 0;

	while (*text) {
		size_t len = strcspn(text, " ");

		star = memchr(text, '*', len);
		n += star ? strtol(star + 1, NULL, 10) : 1;
		text += len + strspn(text + len, " ");
	}
	return n;
}

struct want whole(const struct row *row)
{
	struct want want = row->want;

	want.calls = want.calls ? want.calls : "ok";
	want.from = want.from ? want.from : "";
	want.to = want.to ? want.to : "";
	want.states = want.states ? want.states : row->how.bare ? "- -" : "RTS RTS";
	want.events = want.events ? want.events : "";
	return want;
}

static void name_states(struct rig *rig)
{
	const struct end *ends[] = { &rig->from, &rig->to };
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	const char *name[2];
	int i;

	for (i = 0; i < 2; i++) {
		name[i] = "-";
		if (ends[i]->qp && !ibv_query_qp(ends[i]->qp, &attr, IBV_QP_STATE, &init))
			name[i] = NAME(states, attr.qp_state);
	}
	snprintf(rig->out.states, sizeof(rig->out.states), "%s %s", name[0], name[1]);
}

/* Until everything wanted is there, and then a little longer. */
void watch(struct rig *rig)
{
	struct want want = whole(rig->row);
	int from = count_words(want.from), to = count_words(want.to);
	int events = count_words(want.events);
	double start = now(), last = start, time = start;

	while (time - start < patience) {
		if (look(rig))
			last = now();
		else
			usleep(500);
		time = now();
		if (rig->from.completions < from)
			continue;
		if (rig->to.completions >= to && rig->from.events + rig->to.events >= events)
			break;
		if (time - last > AFTERMATH)
			break;
	}
	for (last = now(); time - last < (from + to + events ? SETTLE : NOTHING); time = now())
		if (!look(rig))
			usleep(2000);
	name_states(rig);
}

/* A word of a text, which stands for so many of it. */
struct word {
	const char *text;
	size_t len;
	long left;
};

static void next_word(struct word *word)
{
	const char *star;

	if (--word->left > 0)
		return;
	word->text += strcspn(word->text, " ");
	word->text += strspn(word->text, " ");
	word->len = strcspn(word->text, " *");
	star = word->text + word->len;
	word->left = *star == '*' ? strtol(star + 1, NULL, 10) : 1;
}

static struct word first_word(const char *text)
{
	struct word word = { .text = text, .len = strcspn(text, " *") };
	const char *star = text + word.len;

	word.left = *star == '*' ? strtol(star + 1, NULL, 10) : 1;
	return word;
}

static bool is_one_of(const struct word *want, const struct word *got)
{
	const char *text = want->text, *end = want->text + want->len;

	while (text < end) {
		size_t n = strcspn(text, "| *");

		if (n == got->len && !memcmp(text, got->text, n))
			return true;
		text += n + 1;
	}
	return false;
}

bool matches(const char *want_text, const char *got_text)
{
	struct word want = first_word(want_text), got = first_word(got_text);

	while (*want.text && *got.text) {
		if (!is_one_of(&want, &got))
			return false;
		next_word(&want);
		next_word(&got);
	}
	return !*want.text && !*got.text;
}
