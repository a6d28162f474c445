// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which CRC-32 is the fastest depends on the machine: an emulated one has slow
 * carry-less multiplication. So it is measured once. Before 6.14 crc32_le() is
 * table code on every architecture, and what the processor can do is behind the
 * crypto API. Since then crc32_le() does what the processor can, from a few
 * bytes on, and the table code beside it goes byte by byte; the other way is
 * one of eight at a time.
 */
#include "crc.h"
#include <linux/bottom_half.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#define TRIAL_BYTES	4096
#define TRIAL_ROUNDS	64

DEFINE_STATIC_KEY_FALSE(croce_crc_by_other);

#ifdef CROCE_CRC32_BY_SHASH

#include <crypto/hash.h>

static struct crypto_shash *crc_shash;

/**
 * croce_crc_other - continue the CRC register the other way
 * @crc: register
 * @p: bytes
 * @len: their number
 *
 * Return: the register behind them. Context: any but hard interrupts.
 */
u32 croce_crc_other(u32 crc, const void *p, size_t len)
{
	struct {
		struct shash_desc desc;
		u32 state;
	} shash = { .desc.tfm = crc_shash };

	if (unlikely(!crc_shash))
		return crc32_le(crc, p, len);
	/* As libcrc32c does: the state of a CRC is the register. */
	*(u32 *)shash_desc_ctx(&shash.desc) = crc;
	if (crypto_shash_update(&shash.desc, p, len))
		return crc32_le(crc, p, len);
	return *(u32 *)shash_desc_ctx(&shash.desc);
}

static bool other_init(void)
{
	crc_shash = crypto_alloc_shash("crc32", 0, 0);
	if (IS_ERR(crc_shash))
		crc_shash = NULL;
	return crc_shash && crypto_shash_descsize(crc_shash) == sizeof(u32);
}

static void other_exit(void)
{
	crypto_free_shash(crc_shash);
	crc_shash = NULL;
}

#else

/* [k][b]: register after byte b and k zero bytes, from 0. */
static u32 slices[8][256];

u32 croce_crc_other(u32 crc, const void *bytes, size_t len)
{
	const u8 *p = bytes;

	for (; len >= 8; len -= 8, p += 8) {
		u64 word = get_unaligned_le64(p) ^ crc;

		crc = slices[7][word & 0xff] ^
		      slices[6][word >> 8 & 0xff] ^
		      slices[5][word >> 16 & 0xff] ^
		      slices[4][word >> 24 & 0xff] ^
		      slices[3][word >> 32 & 0xff] ^
		      slices[2][word >> 40 & 0xff] ^
		      slices[1][word >> 48 & 0xff] ^
		      slices[0][word >> 56];
	}
	for (; len; len--, p++)
		crc = slices[0][(crc ^ *p) & 0xff] ^ crc >> 8;
	return crc;
}

static bool other_init(void)
{
	static const u8 zero;
	int b, k;

	for (b = 0; b < 256; b++) {
		u8 byte = b;

		slices[0][b] = crc32_le(0, &byte, 1);
		for (k = 1; k < 8; k++)
			slices[k][b] = crc32_le(slices[k - 1][b], &zero, 1);
	}
	return true;
}

static void other_exit(void)
{
}

#endif

static u64 trial(u32 (*update)(u32 crc, const void *p, size_t len),
		 const void *bytes)
{
	u64 start = ktime_get_ns();
	u32 crc = ~0;
	int i;

	for (i = 0; i < TRIAL_ROUNDS; i++)
		crc = update(crc, bytes, TRIAL_BYTES);
	/* Keep the result alive. */
	return ktime_get_ns() - start + !crc;
}

static u32 library(u32 crc, const void *p, size_t len)
{
	return crc32_le(crc, p, len);
}

static bool other_is_right(const u8 *bytes)
{
	size_t len;

	for (len = 0; len < 64; len++)
		if (croce_crc_other(~0, bytes + (len & 7), len) !=
		    crc32_le(~0, bytes + (len & 7), len))
			return false;
	/* Accelerated code leaves short ones to the library. */
	return croce_crc_other(~0, bytes, TRIAL_BYTES) ==
	       crc32_le(~0, bytes, TRIAL_BYTES) &&
	       croce_crc_other(~0, bytes + 1, TRIAL_BYTES - 8) ==
	       crc32_le(~0, bytes + 1, TRIAL_BYTES - 8);
}

/**
 * croce_crc_init - find the fastest CRC-32
 *
 * Context: process, may sleep.
 */
void croce_crc_init(void)
{
	u8 *bytes = kmalloc(TRIAL_BYTES, GFP_KERNEL);
	bool faster;
	int i;

	if (!bytes)
		return;
	for (i = 0; i < TRIAL_BYTES; i++)
		bytes[i] = i * i + i / 7;
	if (other_init() && other_is_right(bytes)) {
		local_bh_disable();
		faster = trial(croce_crc_other, bytes) < trial(library, bytes);
		local_bh_enable();
		if (faster)
			static_branch_enable(&croce_crc_by_other);
	}
	kfree(bytes);
}

/**
 * croce_crc_exit - mirror of croce_crc_init()
 *
 * Context: process, may sleep; nobody computes a CRC any more.
 */
void croce_crc_exit(void)
{
	static_branch_disable(&croce_crc_by_other);
	other_exit();
}
