/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Descriptions: a statement a line, of words; `#` begins a comment.
 *
 *	let NAME VALUE		$NAME stands for it below, unless the command
 *				line has given it another value
 *	include FILE		from the folder of this one
 *
 * What is wrong ends the program with status 2, file and line.
 */
#ifndef FABRIC_TEXT_H
#define FABRIC_TEXT_H

#include <linux/types.h>

#define TEXT_WORDS	32
#define TEXT_VARIABLES	64
#define TEXT_DEPTH	4

/**
 * enum unit - what a value is
 * @UNIT_COUNT: a number
 * @UNIT_BYTES: with B, KB, MB (powers of 1000), KiB or MiB
 * @UNIT_RATE: with M or G, bits per second
 * @UNIT_TIME: with ns, us, ms or s; read into ns
 * @UNIT_PPM: a fraction, 0 to 1; read into parts per million
 * @UNIT_MILLE: a factor; read into 1/1000
 * @UNIT_SET: numbers from 0 to 7, joined by commas, or `none`; bits
 */
enum unit {
	UNIT_COUNT,
	UNIT_BYTES,
	UNIT_RATE,
	UNIT_TIME,
	UNIT_PPM,
	UNIT_MILLE,
	UNIT_SET,
};

/**
 * struct option_word - a word NAME=VALUE
 * @name: its name
 * @unit: of its value
 * @size: bytes of the member that it sets
 * @offset: of that, in its struct
 */
struct option_word {
	const char *name;
	enum unit unit;
	u32 size;
	u32 offset;
};

#define OPTION_WORD(name_, unit_, type_, member_) {			\
	.name = name_,							\
	.unit = unit_,							\
	.size = sizeof(((type_ *)0)->member_),				\
	.offset = offsetof(type_, member_),				\
}

/**
 * struct text_variable - what a name stands for
 * @name: the name
 * @value: its value
 */
struct text_variable {
	char name[24];
	char value[72];
};

/**
 * struct text_file - one that is being read
 * @file: the open file
 * @path: its name
 * @line: number of the line
 */
struct text_file {
	void *file;
	char path[512];
	u32 line;
};

/**
 * struct text - a description that is being read
 * @files: that include each other
 * @depth: how many
 * @variables: known so far
 * @num_variables: how many
 * @line: the line, cut into words
 * @words: of the line
 * @num_words: how many
 */
struct text {
	struct text_file files[TEXT_DEPTH];
	u32 depth;
	struct text_variable variables[TEXT_VARIABLES];
	u32 num_variables;
	char line[1024];
	char *words[TEXT_WORDS];
	u32 num_words;
};

void text_fail(const struct text *text, const char *format, ...)
	__attribute__((__noreturn__, __format__(__printf__, 2, 3)));
void text_set(struct text *text, const char *assignment);
const char *text_get(const struct text *text, const char *name);
void text_open(struct text *text, const char *path);
bool text_next(struct text *text);
void text_split(struct text *text);
bool text_is(const struct text *text, const char *name, u32 words);
u64 text_value(const struct text *text, const char *word, enum unit unit);
void text_option(const struct text *text, const char *word,
		 const struct option_word *options, void *base);
void text_options(const struct text *text, u32 first,
		  const struct option_word *options, void *base);

#endif /* FABRIC_TEXT_H */
