/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Stand-in for the header of rdma-core: what the provider uses of it. */
#ifndef SHIM_COMPILER_H
#define SHIM_COMPILER_H

#define SWITCH_FALLTHROUGH __attribute__((fallthrough))

#ifndef __force
#define __force
#endif

#endif /* SHIM_COMPILER_H */
