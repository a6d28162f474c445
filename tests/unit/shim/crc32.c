// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * crc32_le() of the kernel: the raw register in and out, no inversion. Four
 * bits at a time, with a table that fits into the eye. There is no other way.
 */
#include <linux/crc32.h>
#include <linux/jump_label.h>

void croce_crc_init(void);
void croce_crc_exit(void);
u32 croce_crc_other(u32 crc, const void *p, size_t len);

DEFINE_STATIC_KEY_FALSE(croce_crc_by_other);

static const u32 nibbles[16] = {
	0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
	0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
	0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
	0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

u32 crc32_le(u32 crc, const void *p, size_t len)
{
	const u8 *byte = p;

	while (len--) {
		crc ^= *byte++;
		crc = crc >> 4 ^ nibbles[crc & 15];
		crc = crc >> 4 ^ nibbles[crc & 15];
	}
	return crc;
}

u32 croce_crc_other(u32 crc, const void *p, size_t len)
{
	return crc32_le(crc, p, len);
}

void croce_crc_init(void)
{
}

void croce_crc_exit(void)
{
}
