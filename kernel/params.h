/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the user can set: module parameters, and for each device the folder
 * croce/DEVICE of debugfs. L4.
 */
#ifndef CROCE_PARAMS_H
#define CROCE_PARAMS_H

#include "dev.h"

int croce_params_init_dev(struct croce_dev *dev);
void croce_params_free_dev(struct croce_dev *dev);
void croce_params_publish(struct croce_dev *dev, const char *name);
void croce_params_unpublish(struct croce_dev *dev);
void croce_params_init(void);
void croce_params_exit(void);

#endif /* CROCE_PARAMS_H */
