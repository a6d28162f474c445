/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The part of <kunit/test.h> that suites of pure code use, for programs. Reports
 * KTAP as the kernel does. Each suite file becomes a program with main() of
 * kunit.c; arguments are patterns of "suite.case" to run instead of all.
 */
#ifndef SHIM_KUNIT_TEST_H
#define SHIM_KUNIT_TEST_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>
#include <string.h>

#define KUNIT_PARAM_DESC_SIZE 128
#define GFP_KERNEL 0

struct kunit_block;

struct kunit {
	const char *name;
	const void *param_value;
	void *priv;
	bool failed, skipped;
	char why[KUNIT_PARAM_DESC_SIZE];
	struct kunit_block *blocks;
	void *abort[64];
};

typedef const void *kunit_generator(const void *previous, char *desc);

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	kunit_generator *generate_params;
};

struct kunit_suite {
	const char name[256];
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	const struct kunit_case *test_cases;
	struct kunit_suite *next;
};

void kunit_register(struct kunit_suite *suite);
void kunit_say(const struct kunit *test, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));
void kunit_fail(struct kunit *test, bool fatal, const char *file, int line,
		const char *format, ...)
	__attribute__((__format__(__printf__, 5, 6)));
void kunit_fail_ints(struct kunit *test, bool fatal, const char *file,
		     int line, const char *text, s64 a, s64 b);
void kunit_fail_bytes(struct kunit *test, bool fatal, const char *file,
		      int line, const char *text, const void *a, const void *b,
		      size_t len);
void kunit_note(struct kunit *test, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));
void kunit_skip(struct kunit *test, const char *format, ...)
	__attribute__((__noreturn__, __format__(__printf__, 2, 3)));
void *kunit_kmalloc(struct kunit *test, size_t size, int gfp);
void *kunit_kzalloc(struct kunit *test, size_t size, int gfp);
void *kunit_kcalloc(struct kunit *test, size_t n, size_t size, int gfp);

#define kunit_info(test, ...)		kunit_say(test, __VA_ARGS__)
#define kunit_warn(test, ...)		kunit_say(test, __VA_ARGS__)
#define kunit_err(test, ...)		kunit_say(test, __VA_ARGS__)

#define KUNIT_CASE(f)			{ .run_case = f, .name = #f }
#define KUNIT_CASE_SLOW(f)		KUNIT_CASE(f)
#define KUNIT_CASE_PARAM(f, g) \
	{ .run_case = f, .name = #f, .generate_params = g }

#define KUNIT_ARRAY_PARAM(name, array, get_desc)			\
	static const void *name##_gen_params(const void *previous, char *desc) \
	{								\
		void (*text_of)(const __typeof__((array)[0]) *, char *) = \
			get_desc;					\
		const __typeof__((array)[0]) *next = previous;		\
									\
		next = next ? next + 1 : (array);			\
		if (next - (array) >= (ptrdiff_t)ARRAY_SIZE(array))	\
			return NULL;					\
		if (text_of)						\
			text_of(next, desc);				\
		return next;						\
	}

#define kunit_test_suite(suite)						\
	__attribute__((__constructor__))				\
	static void register_##suite(void)				\
	{								\
		kunit_register(&(suite));				\
	}

#define KUNIT_INTS(test, fatal, a, op, b, ...) do {			\
	__typeof__(a) ka_ = (a);					\
	__typeof__(b) kb_ = (b);					\
	if (!(ka_ op kb_)) {						\
		kunit_note(test, "" __VA_ARGS__);			\
		kunit_fail_ints(test, fatal, __FILE__, __LINE__,	\
				#a " " #op " " #b, (s64)ka_, (s64)kb_);	\
	}								\
} while (0)

#define KUNIT_PTRS(test, fatal, a, op, b, ...) do {			\
	const void *ka_ = (a), *kb_ = (b);				\
	if (!(ka_ op kb_)) {						\
		kunit_note(test, "" __VA_ARGS__);			\
		kunit_fail(test, fatal, __FILE__, __LINE__,		\
			   "%s: %p and %p", #a " " #op " " #b, ka_, kb_); \
	}								\
} while (0)

#define KUNIT_BOOL(test, fatal, c, want, ...) do {			\
	if (!!(c) != (want)) {						\
		kunit_note(test, "" __VA_ARGS__);			\
		kunit_fail(test, fatal, __FILE__, __LINE__, "%s is %s",	\
			   #c, (want) ? "false" : "true");		\
	}								\
} while (0)

#define KUNIT_BYTES(test, fatal, a, b, len, equal, ...) do {		\
	const void *ka_ = (a), *kb_ = (b);				\
	size_t kl_ = (len);						\
	if ((memcmp(ka_, kb_, kl_) == 0) != (equal)) {			\
		kunit_note(test, "" __VA_ARGS__);			\
		kunit_fail_bytes(test, fatal, __FILE__, __LINE__,	\
				 #a " against " #b, ka_, kb_, kl_);	\
	}								\
} while (0)

#define KUNIT_STRINGS(test, fatal, a, b, ...) do {			\
	const char *ka_ = (a), *kb_ = (b);				\
	if (strcmp(ka_, kb_)) {						\
		kunit_note(test, "" __VA_ARGS__);			\
		kunit_fail(test, fatal, __FILE__, __LINE__,		\
			   "%s: \"%s\" and \"%s\"", #a " == " #b, ka_, kb_); \
	}								\
} while (0)

#define KUNIT_EXPECT_EQ(t, a, b)	KUNIT_INTS(t, false, a, ==, b)
#define KUNIT_EXPECT_NE(t, a, b)	KUNIT_INTS(t, false, a, !=, b)
#define KUNIT_EXPECT_LT(t, a, b)	KUNIT_INTS(t, false, a, <, b)
#define KUNIT_EXPECT_LE(t, a, b)	KUNIT_INTS(t, false, a, <=, b)
#define KUNIT_EXPECT_GT(t, a, b)	KUNIT_INTS(t, false, a, >, b)
#define KUNIT_EXPECT_GE(t, a, b)	KUNIT_INTS(t, false, a, >=, b)
#define KUNIT_EXPECT_TRUE(t, c)		KUNIT_BOOL(t, false, c, true)
#define KUNIT_EXPECT_FALSE(t, c)	KUNIT_BOOL(t, false, c, false)
#define KUNIT_EXPECT_PTR_EQ(t, a, b)	KUNIT_PTRS(t, false, a, ==, b)
#define KUNIT_EXPECT_PTR_NE(t, a, b)	KUNIT_PTRS(t, false, a, !=, b)
#define KUNIT_EXPECT_NULL(t, a)		KUNIT_PTRS(t, false, a, ==, NULL)
#define KUNIT_EXPECT_NOT_NULL(t, a)	KUNIT_PTRS(t, false, a, !=, NULL)
#define KUNIT_EXPECT_STREQ(t, a, b)	KUNIT_STRINGS(t, false, a, b)
#define KUNIT_EXPECT_MEMEQ(t, a, b, n)	KUNIT_BYTES(t, false, a, b, n, true)
#define KUNIT_EXPECT_MEMNEQ(t, a, b, n)	KUNIT_BYTES(t, false, a, b, n, false)

#define KUNIT_EXPECT_EQ_MSG(t, a, b, ...) \
	KUNIT_INTS(t, false, a, ==, b, __VA_ARGS__)
#define KUNIT_EXPECT_NE_MSG(t, a, b, ...) \
	KUNIT_INTS(t, false, a, !=, b, __VA_ARGS__)
#define KUNIT_EXPECT_LT_MSG(t, a, b, ...) \
	KUNIT_INTS(t, false, a, <, b, __VA_ARGS__)
#define KUNIT_EXPECT_LE_MSG(t, a, b, ...) \
	KUNIT_INTS(t, false, a, <=, b, __VA_ARGS__)
#define KUNIT_EXPECT_GT_MSG(t, a, b, ...) \
	KUNIT_INTS(t, false, a, >, b, __VA_ARGS__)
#define KUNIT_EXPECT_GE_MSG(t, a, b, ...) \
	KUNIT_INTS(t, false, a, >=, b, __VA_ARGS__)
#define KUNIT_EXPECT_TRUE_MSG(t, c, ...) \
	KUNIT_BOOL(t, false, c, true, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE_MSG(t, c, ...) \
	KUNIT_BOOL(t, false, c, false, __VA_ARGS__)
#define KUNIT_EXPECT_MEMEQ_MSG(t, a, b, n, ...) \
	KUNIT_BYTES(t, false, a, b, n, true, __VA_ARGS__)

#define KUNIT_ASSERT_EQ(t, a, b)	KUNIT_INTS(t, true, a, ==, b)
#define KUNIT_ASSERT_NE(t, a, b)	KUNIT_INTS(t, true, a, !=, b)
#define KUNIT_ASSERT_LT(t, a, b)	KUNIT_INTS(t, true, a, <, b)
#define KUNIT_ASSERT_LE(t, a, b)	KUNIT_INTS(t, true, a, <=, b)
#define KUNIT_ASSERT_GT(t, a, b)	KUNIT_INTS(t, true, a, >, b)
#define KUNIT_ASSERT_GE(t, a, b)	KUNIT_INTS(t, true, a, >=, b)
#define KUNIT_ASSERT_TRUE(t, c)		KUNIT_BOOL(t, true, c, true)
#define KUNIT_ASSERT_FALSE(t, c)	KUNIT_BOOL(t, true, c, false)
#define KUNIT_ASSERT_NOT_NULL(t, a)	KUNIT_PTRS(t, true, a, !=, NULL)
#define KUNIT_ASSERT_NOT_ERR_OR_NULL(t, a) KUNIT_PTRS(t, true, a, !=, NULL)
#define KUNIT_ASSERT_MEMEQ(t, a, b, n)	KUNIT_BYTES(t, true, a, b, n, true)
#define KUNIT_ASSERT_EQ_MSG(t, a, b, ...) \
	KUNIT_INTS(t, true, a, ==, b, __VA_ARGS__)
#define KUNIT_ASSERT_TRUE_MSG(t, c, ...) \
	KUNIT_BOOL(t, true, c, true, __VA_ARGS__)

#define KUNIT_FAIL(t, ...) \
	kunit_fail(t, false, __FILE__, __LINE__, __VA_ARGS__)
#define KUNIT_FAIL_AND_ABORT(t, ...) \
	kunit_fail(t, true, __FILE__, __LINE__, __VA_ARGS__)

#endif /* SHIM_KUNIT_TEST_H */
