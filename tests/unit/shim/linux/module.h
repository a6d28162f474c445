/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SHIM_LINUX_MODULE_H
#define SHIM_LINUX_MODULE_H

#define MODULE_LICENSE(x)	_Static_assert(1, x)
#define MODULE_DESCRIPTION(x)	_Static_assert(1, x)

#endif /* SHIM_LINUX_MODULE_H */
