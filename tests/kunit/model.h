/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The opcodes once more, written down by hand from the tables of the IBA
 * specification and not from kernel/wire: what follows the BTH, as a string.
 *
 *	r RETH		a AETH		i ImmDt		k IETH
 *	t AtomicETH	o AtomicAckETH	f FETH		c body of a CNP
 *
 * and how much payload may follow: '0' none, 'F' one MTU, '1' one byte or more,
 * '-' anything up to one MTU, '8' eight bytes.
 */
#ifndef CROCE_TESTS_MODEL_H
#define CROCE_TESTS_MODEL_H

#include "../../kernel/wire/env.h"

struct model_row {
	const char *headers;
	char payload;
};

/* By the low five bits of the opcode, for RC. */
static const struct model_row model_rc[32] = {
	[0x00] = { "", 'F' },	[0x01] = { "", 'F' },
	[0x02] = { "", '1' },	[0x03] = { "i", '1' },
	[0x04] = { "", '-' },	[0x05] = { "i", '-' },
	[0x06] = { "r", 'F' },	[0x07] = { "", 'F' },
	[0x08] = { "", '1' },	[0x09] = { "i", '1' },
	[0x0a] = { "r", '-' },	[0x0b] = { "ri", '-' },
	[0x0c] = { "r", '0' },	[0x0d] = { "a", 'F' },
	[0x0e] = { "", 'F' },	[0x0f] = { "a", '1' },
	[0x10] = { "a", '-' },	[0x11] = { "a", '0' },
	[0x12] = { "ao", '0' },	[0x13] = { "t", '0' },
	[0x14] = { "t", '0' },	[0x16] = { "k", '1' },
	[0x17] = { "k", '-' },	[0x1c] = { "fr", '0' },
	[0x1d] = { "r", '8' },
};

static inline bool model_is_response(u8 opcode)
{
	return (opcode & 0x1f) >= 0x0d && (opcode & 0x1f) <= 0x12;
}

/* The row of an opcode, or NULL; @prefix gets the bytes of DETH or XRCETH. */
static inline const struct model_row *model_row(u8 opcode, u32 *prefix)
{
	static const struct model_row cnp = { "c", '0' };
	const struct model_row *row = &model_rc[opcode & 0x1f];

	*prefix = 0;
	if (opcode == 0x81)
		return &cnp;
	if (!row->headers)
		return NULL;
	switch (opcode >> 5) {
	case 0:	/* RC */
		return row;
	case 1:	/* UC has SEND and WRITE without invalidation */
		return (opcode & 0x1f) <= 0x0b ? row : NULL;
	case 3:	/* UD has SEND Only */
		*prefix = 8;
		return opcode == 0x64 || opcode == 0x65 ? row : NULL;
	case 5:	/* XRC has what RC has, but not Annex A19 */
		*prefix = model_is_response(opcode) ? 0 : 4;
		return (opcode & 0x1f) <= 0x17 ? row : NULL;
	}
	return NULL;
}

/* Bytes of BTH and extended headers. */
static inline u32 model_hdr_len(const struct model_row *row, u32 prefix)
{
	u32 len = 12 + prefix;
	const char *h;

	for (h = row->headers; *h; h++)
		len += *h == 'r' || *h == 'c' ? 16 :
		       *h == 't' ? 28 :
		       *h == 'o' ? 8 : 4;
	return len;
}

#endif /* CROCE_TESTS_MODEL_H */
