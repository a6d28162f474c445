// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Before 6.14 crc32_le() is table code on every architecture, and what the
 * processor can do is behind the crypto API. Which of the two is faster
 * depends on the machine (an emulated one has slow carry-less multiplication),
 * so it is measured once.
 */
#include "crc.h"

#ifdef CROCE_CRC32_BY_SHASH

#include <crypto/hash.h>
#include <linux/bottom_half.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#define TRIAL_BYTES	4096
#define TRIAL_ROUNDS	64

DEFINE_STATIC_KEY_FALSE(croce_crc_by_shash);
static struct crypto_shash *crc_shash;

/**
 * croce_crc_shash - continue the CRC register through the crypto API
 * @crc: register
 * @p: bytes
 * @len: their number
 *
 * Return: the register behind them. Context: any but hard interrupts.
 */
u32 croce_crc_shash(u32 crc, const void *p, size_t len)
{
	struct {
		struct shash_desc desc;
		u32 state;
	} shash = { .desc.tfm = crc_shash };

	/* As libcrc32c does: the state of a CRC is the register. */
	*(u32 *)shash_desc_ctx(&shash.desc) = crc;
	if (crypto_shash_update(&shash.desc, p, len))
		return crc32_le(crc, p, len);
	return *(u32 *)shash_desc_ctx(&shash.desc);
}

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

static u32 by_table(u32 crc, const void *p, size_t len)
{
	return crc32_le(crc, p, len);
}

/**
 * croce_crc_init - find the fastest CRC-32
 *
 * Context: process, may sleep.
 */
void croce_crc_init(void)
{
	void *bytes = kzalloc(TRIAL_BYTES, GFP_KERNEL);
	bool faster;

	if (!bytes)
		return;
	crc_shash = crypto_alloc_shash("crc32", 0, 0);
	if (IS_ERR(crc_shash))
		crc_shash = NULL;
	if (crc_shash && crypto_shash_descsize(crc_shash) == sizeof(u32) &&
	    croce_crc_shash(~0, bytes, TRIAL_BYTES) ==
	    crc32_le(~0, bytes, TRIAL_BYTES)) {
		local_bh_disable();
		faster = trial(croce_crc_shash, bytes) <
			 trial(by_table, bytes);
		local_bh_enable();
		if (faster)
			static_branch_enable(&croce_crc_by_shash);
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
	crypto_free_shash(crc_shash);
}

#endif
