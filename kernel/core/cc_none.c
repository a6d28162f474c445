// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * No congestion control: line rate always, CNPs ignored. Also the template of
 * an algorithm.
 */
#include "cc.h"

static struct croce_cc_limit none_limit(struct croce_cc *cc,
					const struct croce_cc_env *env)
{
	return (struct croce_cc_limit) {};
}

const struct croce_cc_ops croce_cc_none = {
	.name = "none",
	.limit = none_limit,
};
