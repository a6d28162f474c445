// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The floor of a software RoCE transport: what memcpy and CRC-32 alone cost here.
 *
 *	echo "BYTES PACKET" >/sys/module/croce_floor/parameters/run
 *	cat /sys/module/croce_floor/parameters/run
 *
 * BYTES of memory are copied to other memory PACKET by PACKET; each packet's
 * CRC is taken after its copy. Results are in MiB/s:
 *
 *	copy	copying alone
 *	crc	the kernel's crc32_le() alone
 *	crypto	the crypto interface's "crc32" alone, 0 where there is none
 *	mibs	copying and the faster CRC, once: what each end must do at least
 */
#include <crypto/hash.h>
#include <linux/crc32.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#define ROUND_NS	(300 * NSEC_PER_MSEC)

struct area {
	u8 *from;
	u8 *to;
	u32 bytes;
	u32 packet;
	struct crypto_shash *shash;
	u32 sum;		/* so that nothing is optimised away */
};

static unsigned int result_copy, result_crc, result_crypto, result_both;
static DEFINE_MUTEX(lock);

static void copy(struct area *area, u32 offset)
{
	memcpy(area->to + offset, area->from + offset, area->packet);
	barrier_data(area->to);
}

static void crc(struct area *area, u32 offset)
{
	area->sum ^= crc32_le(~0, area->to + offset, area->packet);
}

#if IS_ENABLED(CONFIG_CRYPTO_HASH)
static struct crypto_shash *open_crypto(void)
{
	struct crypto_shash *shash = crypto_alloc_shash("crc32", 0, 0);

	return IS_ERR(shash) ? NULL : shash;
}

static void close_crypto(struct crypto_shash *shash)
{
	if (shash)
		crypto_free_shash(shash);
}

static void crypto(struct area *area, u32 offset)
{
	SHASH_DESC_ON_STACK(desc, area->shash);
	u8 out[4];

	desc->tfm = area->shash;
	if (!crypto_shash_digest(desc, area->to + offset, area->packet, out))
		area->sum ^= out[0];
}
#else
static struct crypto_shash *open_crypto(void)
{
	return NULL;
}

static void close_crypto(struct crypto_shash *shash)
{
}

static void crypto(struct area *area, u32 offset)
{
}
#endif

static void copy_and_crc(struct area *area, u32 offset)
{
	copy(area, offset);
	crc(area, offset);
}

static void copy_and_crypto(struct area *area, u32 offset)
{
	copy(area, offset);
	crypto(area, offset);
}

/* Do something to all packets again and again; return the speed in MiB/s. */
static unsigned int speed_of(struct area *area, void (*work)(struct area *area, u32 offset))
{
	u64 begin = ktime_get_ns(), passed, bytes = 0;
	u32 offset;

	do {
		for (offset = 0; offset < area->bytes; offset += area->packet)
			work(area, offset);
		bytes += area->bytes;
		cond_resched();
		passed = ktime_get_ns() - begin;
	} while (passed < ROUND_NS);
	return div64_u64(bytes * 1000, div64_u64(passed, 1000)) * 1000 >> 20;
}

static void run_all(struct area *area)
{
	speed_of(area, copy);		/* warm up */
	result_copy = speed_of(area, copy);
	result_crc = speed_of(area, crc);
	result_both = speed_of(area, copy_and_crc);
	result_crypto = 0;
	if (area->shash) {
		result_crypto = speed_of(area, crypto);
		result_both = max(result_both, speed_of(area, copy_and_crypto));
	}
}

static int set_run(const char *text, const struct kernel_param *param)
{
	struct area area = {};
	int err = -ENOMEM;

	if (sscanf(text, "%u %u", &area.bytes, &area.packet) != 2 || !area.packet ||
	    area.bytes % area.packet || area.bytes > SZ_64M)
		return -EINVAL;
	area.from = kvzalloc(area.bytes, GFP_KERNEL);
	area.to = kvzalloc(area.bytes, GFP_KERNEL);
	area.shash = open_crypto();
	if (area.from && area.to) {
		mutex_lock(&lock);
		run_all(&area);
		mutex_unlock(&lock);
		err = 0;
	}
	close_crypto(area.shash);
	kvfree(area.from);
	kvfree(area.to);
	return err;
}

static int get_run(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "copy=%u crc=%u crypto=%u mibs=%u\n",
			  result_copy, result_crc, result_crypto, result_both);
}

static const struct kernel_param_ops run_ops = { .set = set_run, .get = get_run };

module_param_cb(run, &run_ops, NULL, 0600);
MODULE_PARM_DESC(run, "write BYTES PACKET, read speeds in MiB/s");
MODULE_DESCRIPTION("What memcpy and CRC-32 cost, for the benchmark of croce");
MODULE_LICENSE("Dual BSD/GPL");
