// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runner of KUnit suites in a program: KTAP on stdout, status 1 if a case
 * failed or none ran. Memory of kunit_kmalloc() is as long as asked for and not
 * a byte longer, so that the address sanitizer sees what runs over its end.
 */
#include <kunit/test.h>

#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct kunit_block {
	struct kunit_block *next;
	void *memory;
};

static struct kunit_suite *suites;
static char **patterns;

_Static_assert(sizeof(jmp_buf) <= sizeof(((struct kunit *)0)->abort),
	       "struct kunit has no room for a jmp_buf");

void kunit_register(struct kunit_suite *suite)
{
	struct kunit_suite **end = &suites;

	while (*end)
		end = &(*end)->next;
	*end = suite;
}

static void say(const struct kunit *test, const char *format, va_list args)
{
	printf("    # %s: ", test->name);
	vprintf(format, args);
	putchar('\n');
}

void kunit_say(const struct kunit *test, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(test, format, args);
	va_end(args);
}

void kunit_note(struct kunit *test, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(test->why, sizeof(test->why), format, args);
	va_end(args);
}

static __attribute__((__noreturn__)) void leave(struct kunit *test)
{
	longjmp((void *)test->abort, 1);
}

static void failed(struct kunit *test, bool fatal)
{
	test->failed = true;
	if (test->why[0])
		kunit_say(test, "  %s", test->why);
	test->why[0] = '\0';
	if (fatal)
		leave(test);
}

void kunit_fail(struct kunit *test, bool fatal, const char *file, int line,
		const char *format, ...)
{
	va_list args;

	kunit_say(test, "%s FAILED at %s:%d",
		  fatal ? "ASSERTION" : "EXPECTATION", file, line);
	va_start(args, format);
	say(test, format, args);
	va_end(args);
	failed(test, fatal);
}

void kunit_fail_ints(struct kunit *test, bool fatal, const char *file,
		     int line, const char *text, s64 a, s64 b)
{
	kunit_fail(test, fatal, file, line,
		   "%s: %lld (0x%llx) and %lld (0x%llx)", text, (long long)a,
		   (long long)a, (long long)b, (long long)b);
}

static void say_bytes(struct kunit *test, const char *what, const u8 *bytes,
		      size_t len)
{
	char text[3 * 64 + 1] = "";
	size_t i;

	for (i = 0; i < len && i < 64; i++)
		sprintf(text + 3 * i, "%02x ", bytes[i]);
	kunit_say(test, "%s %s%s", what, text, len > 64 ? "..." : "");
}

void kunit_fail_bytes(struct kunit *test, bool fatal, const char *file,
		      int line, const char *text, const void *a, const void *b,
		      size_t len)
{
	say_bytes(test, " left:", a, len);
	say_bytes(test, "right:", b, len);
	kunit_fail(test, fatal, file, line, "%s", text);
}

void kunit_skip(struct kunit *test, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(test->why, sizeof(test->why), format, args);
	va_end(args);
	test->skipped = true;
	leave(test);
}

void *kunit_kmalloc(struct kunit *test, size_t size, int gfp)
{
	struct kunit_block *block = malloc(sizeof(*block));

	(void)gfp;
	if (!block)
		abort();
	block->memory = malloc(size);
	if (!block->memory)
		abort();
	memset(block->memory, 0xa5, size);
	block->next = test->blocks;
	test->blocks = block;
	return block->memory;
}

void *kunit_kzalloc(struct kunit *test, size_t size, int gfp)
{
	return memset(kunit_kmalloc(test, size, gfp), 0, size);
}

void *kunit_kcalloc(struct kunit *test, size_t n, size_t size, int gfp)
{
	return kunit_kzalloc(test, n * size, gfp);
}

static void free_blocks(struct kunit *test)
{
	struct kunit_block *block;

	while ((block = test->blocks)) {
		test->blocks = block->next;
		free(block->memory);
		free(block);
	}
}

static void run_once(const struct kunit_suite *suite,
		     const struct kunit_case *c, struct kunit *test)
{
	if (!setjmp((void *)test->abort)) {
		if (suite->init && suite->init(test))
			kunit_fail(test, true, suite->name, 0, "init failed");
		c->run_case(test);
	}
	if (suite->exit)
		suite->exit(test);
	free_blocks(test);
}

static void report(const char *indent, const struct kunit *test, int number,
		   const char *title)
{
	printf("%s%sok %d %s%s%s\n", indent, test->failed ? "not " : "",
	       number, title, test->skipped ? " # SKIP " : "",
	       test->skipped ? test->why : "");
	fflush(stdout);
}

static void run_params(const struct kunit_suite *suite,
		       const struct kunit_case *c, struct kunit *all)
{
	char desc[KUNIT_PARAM_DESC_SIZE] = "";
	const void *param = NULL;
	int number = 0;

	printf("        KTAP version 1\n        # Subtest: %s\n", c->name);
	while ((param = c->generate_params(param, desc))) {
		struct kunit test = { .name = c->name, .param_value = param };

		run_once(suite, c, &test);
		report("        ", &test, ++number, desc);
		all->failed |= test.failed;
	}
}

static bool wanted(const struct kunit_suite *suite, const struct kunit_case *c)
{
	char name[512];
	char **pattern;

	snprintf(name, sizeof(name), "%s.%s", suite->name, c->name);
	for (pattern = patterns; *pattern; pattern++)
		if (!fnmatch(*pattern, name, 0))
			return true;
	return !*patterns;
}

static int count_wanted(const struct kunit_suite *suite)
{
	const struct kunit_case *c;
	int n = 0;

	for (c = suite->test_cases; c->run_case; c++)
		n += wanted(suite, c);
	return n;
}

static void run_suite(const struct kunit_suite *suite, struct kunit *all)
{
	const struct kunit_case *c;
	int number = 0;

	printf("    KTAP version 1\n    # Subtest: %s\n    1..%d\n", suite->name,
	       count_wanted(suite));
	for (c = suite->test_cases; c->run_case; c++) {
		struct kunit test = { .name = c->name };

		if (!wanted(suite, c))
			continue;
		if (c->generate_params)
			run_params(suite, c, &test);
		else
			run_once(suite, c, &test);
		report("    ", &test, ++number, c->name);
		all->failed |= test.failed;
	}
}

int main(int argc, char **argv)
{
	struct kunit_suite *suite;
	bool bad = false;
	int number = 0;

	(void)argc;
	patterns = argv + 1;
	puts("KTAP version 1");
	for (suite = suites; suite; suite = suite->next) {
		struct kunit all = { .name = suite->name };

		if (!count_wanted(suite))
			continue;
		run_suite(suite, &all);
		report("", &all, ++number, suite->name);
		bad |= all.failed;
	}
	printf("1..%d\n", number);
	return bad || !number;
}
