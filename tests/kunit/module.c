// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The module that the suites share. */
#include <linux/module.h>

MODULE_DESCRIPTION("KUnit suites of croce");
MODULE_LICENSE("Dual BSD/GPL");
