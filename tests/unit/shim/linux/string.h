/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SHIM_LINUX_STRING_H
#define SHIM_LINUX_STRING_H

#include <string.h>
#include <sys/types.h>

/* Unlike strlcpy() and strncpy(), ends the copy and reports truncation. */
static inline ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t len = strnlen(from, size);

	if (!size)
		return -7;	/* -E2BIG */
	if (len == size)
		len--;
	memcpy(to, from, len);
	to[len] = 0;
	return from[len] ? -7 : (ssize_t)len;
}

#endif /* SHIM_LINUX_STRING_H */
