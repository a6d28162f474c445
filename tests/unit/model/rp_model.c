// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DCQCN's reaction point once more, in floating point and with real timers:
 * every alpha update, check for a cut and increase is an event of its own, as
 * the DCQCN paper and the public simulators describe it. Runs random sequences
 * of CNPs and sent bytes through this model and through kernel/core/dcqcn.c,
 * with random knobs, and compares the rates.
 *
 *	rp_model [SEQUENCES [FIRST-SEED]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../kunit/rp.h"

/* Agreement asked for; both sides round at other places. */
#define TOLERANCE	0.001

struct model {
	const struct croce_cc_params *p;
	double line, now;		/* Mb/s, us */
	double rc, rt, alpha;
	double next_alpha, next_check, next_increase;	/* us, or INFINITY */
	double bytes;
	int limited, cnp_alpha, cnp_cut;
	long t_count, b_count;
	long increases;
};

static double top(const struct model *m)
{
	double r = m->p->rp_max_rate;

	return r > 0 && r < m->line ? r : m->line;
}

static double bottom(const struct model *m)
{
	return fmin(m->p->rp_min_rate, top(m));
}

static double gain(const struct model *m)
{
	return 1 - m->p->rp_dce_tcp_g / 1024.0;
}

static double timer(const struct model *m)
{
	return m->p->rp_time_reset ? m->now + m->p->rp_time_reset : INFINITY;
}

static void model_cut(struct model *m)
{
	double keep = 1 - m->alpha / pow(2, m->p->rp_gd - 10.0);

	if (m->p->rp_clamp_tgt_rate || m->b_count > 0 ||
	    (m->p->rp_clamp_tgt_rate_ati && m->t_count > 0))
		m->rt = m->rc;
	m->rc *= fmax(keep, m->p->rp_min_dec_fac / 100.0);
	m->rc = fmax(m->rc, bottom(m));
	m->t_count = m->b_count = 0;
	m->bytes = 0;
	m->cnp_cut = 0;
	m->next_increase = timer(m);
}

static void model_increase(struct model *m, long *counter)
{
	const struct croce_cc_params *p = m->p;
	long t, b, lo, hi;

	if (p->rp_count_first)
		++*counter;
	t = p->rp_time_reset ? m->t_count : m->b_count;
	b = p->rp_byte_reset ? m->b_count : m->t_count;
	lo = t < b ? t : b;
	hi = t < b ? b : t;
	if (hi >= (long)p->rp_threshold && lo <= (long)p->rp_threshold)
		m->rt += p->rp_ai_rate;
	else if (hi >= (long)p->rp_threshold)
		m->rt += (double)p->rp_hai_rate *
			 (p->rp_hai_ramp ? lo - (long)p->rp_threshold : 1);
	if (!p->rp_count_first)
		++*counter;
	m->rt = fmin(m->rt, top(m));
	m->rc = fmax((m->rc + m->rt) / 2, bottom(m));
	m->increases++;
	/* Full speed, to a Mb/s, and no CNP waits for its cut. */
	if (!m->cnp_cut && m->rc + 1 > top(m)) {
		m->limited = 0;
		m->next_alpha = m->next_check = m->next_increase = INFINITY;
	}
}

static void model_alpha(struct model *m)
{
	m->alpha = (1 - gain(m)) * m->alpha + (m->cnp_alpha ? gain(m) : 0);
	m->cnp_alpha = 0;
	m->next_alpha += m->p->rp_dce_tcp_rtt;
}

/* Of events at one time: alpha, increase, check. */
static void model_run(struct model *m, double until)
{
	for (;;) {
		double t = fmin(m->next_alpha,
				fmin(m->next_increase, m->next_check));

		if (t > until + 1e-7)
			break;
		m->now = t;
		if (m->next_alpha <= t + 1e-7) {
			model_alpha(m);
		} else if (m->next_increase <= t + 1e-7) {
			m->next_increase += m->p->rp_time_reset;
			model_increase(m, &m->t_count);
		} else {
			m->next_check += m->p->rp_rate_reduce_monitor_period;
			if (m->cnp_cut)
				model_cut(m);
		}
	}
	m->now = until;
}

static void model_first(struct model *m)
{
	const struct croce_cc_params *p = m->p;

	m->limited = 1;
	m->rc = p->rp_rate_to_set_on_first_cnp ?
		fmin(p->rp_rate_to_set_on_first_cnp, top(m)) : top(m);
	m->rt = m->rc;
	m->alpha = p->rp_initial_alpha_value / 1024.0;
	m->t_count = m->b_count = 0;
	m->bytes = 0;
	m->cnp_alpha = 0;
	m->next_alpha = m->now + p->rp_dce_tcp_rtt;
	m->next_increase = INFINITY;
	m->next_check = p->rp_rate_reduce_monitor_period ?
			m->now + 0.001 + p->rp_rate_reduce_monitor_period :
			INFINITY;
}

static void model_cnp(struct model *m)
{
	const struct croce_cc_params *p = m->p;
	int first = !m->limited;

	if (first)
		model_first(m);
	m->cnp_cut = 1;
	if (!p->rp_rate_reduce_monitor_period)
		model_cut(m);
	if (p->rp_alpha_on_cnp) {
		m->alpha = (1 - gain(m)) * m->alpha + gain(m);
		m->next_alpha = m->now + p->rp_dce_tcp_rtt;
	} else if (!first) {
		m->cnp_alpha = 1;
	}
}

static void model_sent(struct model *m, double bytes)
{
	/* Timer and byte counter start with the first cut. */
	if (!m->limited || !m->p->rp_byte_reset ||
	    (m->cnp_cut && !m->t_count && !m->b_count &&
	     isinf(m->next_increase) && m->p->rp_time_reset))
		return;
	m->bytes += bytes;
	while (m->limited && m->bytes >= m->p->rp_byte_reset) {
		m->bytes -= m->p->rp_byte_reset;
		model_increase(m, &m->b_count);
	}
}

static unsigned long rnd(unsigned long *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 16;
}

static unsigned long pick(unsigned long *s, unsigned long lo, unsigned long hi)
{
	return lo + rnd(s) % (hi - lo + 1);
}

static void choose_knobs(struct rp *rp, unsigned long *s)
{
	struct croce_cc_params *p = &rp->p;
	u64 line = (u64)pick(s, 1, 400) * GBPS;

	if (rnd(s) % 3 == 0)
		rp_init_paper(rp, line);
	else
		rp_init(rp, line);
	if (rnd(s) & 1)
		p->rp_byte_reset = rnd(s) & 1 ? 0 : pick(s, 20000, 3000000);
	if (rnd(s) & 1)
		p->rp_time_reset = pick(s, 20, 2000);
	if (rnd(s) & 1)
		p->rp_threshold = pick(s, 0, 31);
	if (rnd(s) & 1)
		p->rp_ai_rate = pick(s, 0, 500);
	if (rnd(s) & 1)
		p->rp_hai_rate = pick(s, 1, 2000);
	if (rnd(s) & 1)
		p->rp_gd = pick(s, 10, 13);
	if (rnd(s) & 1)
		p->rp_min_dec_fac = pick(s, 1, 100);
	if (rnd(s) & 1)
		p->rp_min_rate = pick(s, 1, 2000);
	if (rnd(s) % 4 == 0)
		p->rp_max_rate = pick(s, 100, 500000);
	if (rnd(s) % 4 == 0)
		p->rp_rate_to_set_on_first_cnp = pick(s, 100, 100000);
	if (rnd(s) & 1)
		p->rp_dce_tcp_g = pick(s, 512, 1023);
	if (rnd(s) & 1)
		p->rp_dce_tcp_rtt = pick(s, 1, 100);
	if (rnd(s) & 1)
		p->rp_rate_reduce_monitor_period = pick(s, 1, 100);
	if (rnd(s) % 4 == 0)
		p->rp_initial_alpha_value = pick(s, 1, 1024);
	if (rnd(s) % 4 == 0)
		p->rp_clamp_tgt_rate ^= 1;
	if (rnd(s) % 4 == 0)
		p->rp_clamp_tgt_rate_ati ^= 1;
	if (rnd(s) % 4 == 0)
		p->rp_alpha_on_cnp ^= 1;
	if (rnd(s) % 4 == 0)
		p->rp_count_first ^= 1;
	if (rnd(s) % 4 == 0)
		p->rp_hai_ramp ^= 1;
}

static double rate_mbps(struct rp *rp, double us)
{
	rp_at(rp, (u64)llround(us * 1000));
	croce_cc_update(&rp->cc, &rp->env);
	return rp->cc.now.rate * 8 / 1e6;
}

struct totals {
	long compared, cnps, increases, released;
	double worst;
};

static int compare(struct rp *rp, struct model *m, double us,
		   unsigned long seed, struct totals *sum)
{
	double got, want, off;

	model_run(m, us);
	got = rate_mbps(rp, us);
	want = m->limited ? fmin(fmax(m->rc, bottom(m)), top(m)) : 0;
	/* Released a moment earlier or later is the same speed. */
	got = got ?: top(m);
	want = want ?: top(m);
	off = fabs(got - want) / want;
	sum->worst = fmax(sum->worst, off);
	sum->compared++;
	sum->released += !m->limited;
	if (off <= TOLERANCE)
		return 0;
	printf("# seed %lu at %.3f us: %.6f Mb/s, the model has %.6f\n", seed,
	       us, got, want);
	return 1;
}

/* 300 events: bursts of CNPs, pauses, bytes at the current rate. */
static int sequence(unsigned long seed, struct totals *sum)
{
	unsigned long s = seed * 0x9e3779b97f4a7c15UL + 1;
	struct model m = {};
	struct rp rp;
	double us = 0;
	int i;

	for (i = 0; i < 8; i++)
		rnd(&s);
	choose_knobs(&rp, &s);
	m.p = &rp.p;
	m.line = rp.env.line_rate * 8 / 1e6;
	m.next_alpha = m.next_check = m.next_increase = INFINITY;
	for (i = 0; i < 300; i++) {
		double pause = pick(&s, 1, rnd(&s) % 8 ? 200 : 20000);
		double bytes = fmin(floor(pause * (m.limited ? m.rc : m.line) / 8),
				    1e7);

		us += pause;
		if (compare(&rp, &m, us, seed, sum))
			return 1;
		if (rnd(&s) & 1) {
			model_sent(&m, bytes);
			rp_sent(&rp, (u64)llround(us * 1000), (u32)bytes);
		}
		if (rnd(&s) % 4 == 0) {
			sum->cnps++;
			model_cnp(&m);
			rp_cnp(&rp, (u64)llround(us * 1000));
		}
		if (compare(&rp, &m, us, seed, sum))
			return 1;
	}
	sum->increases += m.increases;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	unsigned long seed, failed = 0;
	struct totals sum = {};

	printf("TAP version 13\n1..1\n");
	for (seed = first; seed < first + n; seed++)
		failed += sequence(seed, &sum);
	printf("# %lu sequences, %ld CNPs, %ld increases, %ld comparisons (%ld at full speed), worst %.6f %%\n",
	       n, sum.cnps, sum.increases, sum.compared, sum.released,
	       100 * sum.worst);
	printf("%s 1 rp_agrees_with_the_floating_point_model\n",
	       failed ? "not ok" : "ok");
	return failed != 0;
}
