/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Choice of the CRC-32 of wire/crc.h. L3.
 */
#ifndef CROCE_CRC_H
#define CROCE_CRC_H

#include "wire/crc.h"

void croce_crc_init(void);
void croce_crc_exit(void);

#endif /* CROCE_CRC_H */
