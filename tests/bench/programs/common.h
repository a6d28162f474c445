/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the benchmark's programs share: a clock, the guest's processor time,
 * percentiles, and a way to fail that the caller can read.
 *
 * Results and failures are one line of JSON on standard output.
 */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_SAMPLES	2000000
#define WARM_UP		0.3	/* seconds that are not measured */

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static inline void __attribute__((noreturn, format(printf, 1, 2)))
fail(const char *format, ...)
{
	va_list args;

	printf("{\"error\": \"");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\"}\n");
	fflush(stdout);
	_exit(1);
}

/* Processor time of the whole machine that was not idle, in seconds. */
static inline double busy(void)
{
	unsigned long long user, nice, system, idle, wait, irq, softirq, steal;
	FILE *file = fopen("/proc/stat", "r");

	if (!file || fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu",
			    &user, &nice, &system, &idle, &wait, &irq, &softirq, &steal) != 8)
		fail("/proc/stat cannot be read");
	fclose(file);
	return (double)(user + nice + system + irq + softirq + steal) / sysconf(_SC_CLK_TCK);
}

static inline void on_alarm(int sig)
{
	static const char text[] = "{\"error\": \"stalled\"}\n";

	(void)sig;
	if (write(1, text, sizeof(text) - 1) < 0)
		_exit(3);
	_exit(2);
}

static inline void on_child(int sig)
{
	static const char text[] = "{\"error\": \"the other end failed\"}\n";
	int status;

	(void)sig;
	if (waitpid(-1, &status, WNOHANG) <= 0 || !status)
		return;
	if (status == 1 << 8)	/* it has said what */
		_exit(1);
	if (write(1, text, sizeof(text) - 1) < 0)
		_exit(3);
	_exit(1);
}

/* Fork the server's end; it dies with this one, and this one fails with it. */
static inline pid_t fork_server(void)
{
	pid_t pid;

	signal(SIGCHLD, on_child);
	pid = fork();
	if (pid < 0)
		fail("fork: %m");
	if (!pid) {
		signal(SIGCHLD, SIG_DFL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	}
	return pid;
}

static inline void time_limit(unsigned int seconds)
{
	signal(SIGALRM, on_alarm);
	alarm(seconds);
}

static inline int compare_samples(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* One line about round trips in nanoseconds; one way is half of one. */
static inline void report_latency(uint32_t *samples, size_t count, double seconds, double cpu)
{
	static const struct {
		const char *name;
		double part;
	} table[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p999", 0.999 } };
	size_t i;

	if (!count)
		fail("no round trip was completed");
	qsort(samples, count, sizeof(*samples), compare_samples);
	printf("{");
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		printf("\"%s\": %.3f, ", table[i].name,
		       samples[(size_t)(table[i].part * (count - 1))] / 2000.0);
	printf("\"max\": %.3f, \"messages\": %zu, \"seconds\": %.3f, \"cpu\": %.2f}\n",
	       samples[count - 1] / 2000.0, count, seconds, cpu);
	fflush(stdout);
}

#endif
