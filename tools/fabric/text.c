// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "text.h"

#include <linux/kernel.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * text_fail - the description is wrong
 * @text: where it is read
 * @format: why, as of printf()
 */
void text_fail(const struct text *text, const char *format, ...)
{
	va_list args;

	if (text->depth) {
		const struct text_file *in = &text->files[text->depth - 1];

		fprintf(stderr, "%s:%u: ", in->path, in->line);
	}
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

static const char *get(const struct text *text, const char *name, u32 len)
{
	u32 i;

	for (i = 0; i < text->num_variables; i++) {
		const struct text_variable *known = &text->variables[i];

		if (strlen(known->name) == len &&
		    !strncmp(known->name, name, len))
			return known->value;
	}
	return NULL;
}

/**
 * text_get - what a variable stands for
 * @text: description
 * @name: of the variable
 *
 * Return: its value, or NULL.
 */
const char *text_get(const struct text *text, const char *name)
{
	return get(text, name, strlen(name));
}

static void set(struct text *text, const char *name, u32 len,
		const char *value)
{
	struct text_variable *new = &text->variables[text->num_variables];

	if (get(text, name, len))
		return;
	if (text->num_variables == TEXT_VARIABLES ||
	    len >= sizeof(new->name) || strlen(value) >= sizeof(new->value))
		text_fail(text, "too many or too long variables");
	memcpy(new->name, name, len);
	new->name[len] = 0;
	strcpy(new->value, value);
	text->num_variables++;
}

/**
 * text_set - give a variable a value that no file changes
 * @text: description, zeroed by the caller before the first
 * @assignment: NAME=VALUE
 */
void text_set(struct text *text, const char *assignment)
{
	const char *equal = strchr(assignment, '=');

	if (!equal)
		text_fail(text, "'%s' is not NAME=VALUE", assignment);
	set(text, assignment, equal - assignment, equal + 1);
}

/**
 * text_open - begin to read, or go on with another file
 * @text: description
 * @path: of the file
 */
void text_open(struct text *text, const char *path)
{
	struct text_file *in = &text->files[text->depth];

	if (text->depth == TEXT_DEPTH)
		text_fail(text, "files include each other too deep");
	if (strlen(path) >= sizeof(in->path))
		text_fail(text, "too long a name: %s", path);
	strcpy(in->path, path);
	in->line = 0;
	in->file = fopen(path, "r");
	if (!in->file)
		text_fail(text, "cannot open %s", path);
	text->depth++;
}

static void include(struct text *text, const char *name)
{
	const char *from = text->files[text->depth - 1].path;
	const char *slash = strrchr(from, '/');
	int folder = slash ? slash - from + 1 : 0;
	char path[sizeof(text->files[0].path)];

	if (snprintf(path, sizeof(path), "%.*s%s", folder, from, name) >=
	    (int)sizeof(path))
		text_fail(text, "too long a name: %s", name);
	text_open(text, path);
}

static u32 name_length(const char *at)
{
	return strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_-");
}

/* Put the values of variables in their places. */
static void expand(struct text *text, const char *from)
{
	char *to = text->line, *end = text->line + sizeof(text->line) - 1;

	while (*from && *from != '#' && *from != '\n' && to < end) {
		const char *value;
		u32 len;

		if (*from != '$') {
			*to++ = *from++;
			continue;
		}
		len = name_length(++from);
		value = get(text, from, len);
		if (!value)
			text_fail(text, "nobody set $%.*s", (int)len, from);
		from += len;
		while (*value && to < end)
			*to++ = *value++;
	}
	*to = 0;
	if (to == end)
		text_fail(text, "too long a line");
}

/**
 * text_split - cut the line into words
 * @text: whose line
 */
void text_split(struct text *text)
{
	char *word, *save;

	text->num_words = 0;
	for (word = strtok_r(text->line, " \t", &save); word;
	     word = strtok_r(NULL, " \t", &save)) {
		if (text->num_words == TEXT_WORDS)
			text_fail(text, "too many words");
		text->words[text->num_words++] = word;
	}
}

static bool read_line(struct text *text)
{
	char raw[sizeof(text->line)];

	while (text->depth) {
		struct text_file *in = &text->files[text->depth - 1];

		in->line++;
		if (fgets(raw, sizeof(raw), in->file)) {
			expand(text, raw);
			text_split(text);
			return true;
		}
		fclose(in->file);
		text->depth--;
	}
	return false;
}

/**
 * text_next - read the next statement
 * @text: description; its words are those of the statement then
 *
 * Return: false when there is none.
 */
bool text_next(struct text *text)
{
	while (read_line(text)) {
		if (!text->num_words)
			continue;
		if (text_is(text, "let", 3))
			set(text, text->words[1], strlen(text->words[1]),
			    text->words[2]);
		else if (text_is(text, "include", 2))
			include(text, text->words[1]);
		else
			return true;
	}
	return false;
}

/**
 * text_is - is it this statement?
 * @text: description
 * @name: first word
 * @words: that it has at least, with the first
 *
 * Return: true if so; the program ends when it has too few.
 */
bool text_is(const struct text *text, const char *name, u32 words)
{
	if (strcmp(text->words[0], name))
		return false;
	if (text->num_words < words)
		text_fail(text, "%s: too few words", name);
	return true;
}

static const struct {
	enum unit unit;
	const char *name;
	double scale;
} suffixes[] = {
	{ UNIT_COUNT, "", 1 },
	{ UNIT_BYTES, "", 1 }, { UNIT_BYTES, "B", 1 },
	{ UNIT_BYTES, "KB", 1e3 }, { UNIT_BYTES, "MB", 1e6 },
	{ UNIT_BYTES, "KiB", 1 << 10 }, { UNIT_BYTES, "MiB", 1 << 20 },
	{ UNIT_RATE, "M", 1e6 }, { UNIT_RATE, "G", 1e9 },
	{ UNIT_TIME, "ns", 1 }, { UNIT_TIME, "us", 1e3 },
	{ UNIT_TIME, "ms", 1e6 }, { UNIT_TIME, "s", 1e9 },
	{ UNIT_PPM, "", 1e6 }, { UNIT_MILLE, "", 1e3 },
};

static u64 set_value(const struct text *text, const char *word)
{
	const char *at = word;
	u64 bits = 0;

	if (!strcmp(word, "none"))
		return 0;
	do {
		if (*at < '0' || *at > '7' || (at[1] && at[1] != ','))
			text_fail(text, "'%s' is no set of priorities", word);
		bits |= 1U << (*at - '0');
		at += at[1] ? 2 : 1;
	} while (*at);
	return bits;
}

/**
 * text_value - read a value
 * @text: where it is
 * @word: its digits and suffix
 * @unit: what it is
 *
 * Return: the value.
 */
u64 text_value(const struct text *text, const char *word, enum unit unit)
{
	double number;
	char *end;
	u32 i;

	if (unit == UNIT_SET)
		return set_value(text, word);
	number = strtod(word, &end);
	if (end == word || number < 0 || (unit == UNIT_PPM && number > 1))
		text_fail(text, "'%s' is no value", word);
	for (i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (suffixes[i].unit == unit && !strcmp(suffixes[i].name, end))
			return number * suffixes[i].scale + 0.5;
	text_fail(text, "'%s' has no suffix that fits", word);
}

static void store(void *member, u32 size, u64 value)
{
	if (size == sizeof(u64))
		*(u64 *)member = value;
	else if (size == sizeof(u32))
		*(u32 *)member = value;
	else
		*(u8 *)member = value;
}

/**
 * text_option - read a word NAME=VALUE
 * @text: where it is
 * @word: the word
 * @options: that may be there; the last has no name
 * @base: the struct that they are members of
 */
void text_option(const struct text *text, const char *word,
		 const struct option_word *options, void *base)
{
	const char *equal = strchr(word, '=');
	const struct option_word *option;

	for (option = options; equal && option->name; option++) {
		u64 value;

		if (strlen(option->name) != (size_t)(equal - word) ||
		    strncmp(option->name, word, equal - word))
			continue;
		value = text_value(text, equal + 1, option->unit);
		if (option->size < sizeof(u64) &&
		    value >> (8 * option->size))
			text_fail(text, "'%s' is too large", word);
		store((u8 *)base + option->offset, option->size, value);
		return;
	}
	text_fail(text, "'%s' is not known here", word);
}

/**
 * text_options - read the rest of a statement
 * @text: the statement
 * @first: word that begins the rest
 * @options: that may be there; the last has no name
 * @base: the struct that they are members of
 */
void text_options(const struct text *text, u32 first,
		  const struct option_word *options, void *base)
{
	u32 i;

	for (i = first; i < text->num_words; i++)
		text_option(text, text->words[i], options, base);
}
