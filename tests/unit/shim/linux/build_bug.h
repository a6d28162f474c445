/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SHIM_LINUX_BUILD_BUG_H
#define SHIM_LINUX_BUILD_BUG_H

#define BUILD_BUG_ON(c)		_Static_assert(!(c), "BUILD_BUG_ON(" #c ")")
#define BUILD_BUG_ON_MSG(c, m)	_Static_assert(!(c), m)
#define static_assert(e, ...)	static_assert_(e, ##__VA_ARGS__, #e)
#define static_assert_(e, m, ...) _Static_assert(e, m)

#endif /* SHIM_LINUX_BUILD_BUG_H */
