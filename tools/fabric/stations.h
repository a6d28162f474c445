/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Which MAC address is at which host: learned from what hosts send. */
#ifndef FABRIC_STATIONS_H
#define FABRIC_STATIONS_H

#include "ether.h"

/* A power of two. */
#define STATIONS	4096U

/**
 * struct station - an address
 * @address: MAC address
 * @host: where it was seen last
 * @is_known: there is one
 */
struct station {
	u8 address[ETHER_ADDRESS];
	u32 host;
	bool is_known;
};

/**
 * struct stations - all that are known; what does not fit is flooded
 * @table: by hash, then the next free place
 */
struct stations {
	struct station table[STATIONS];
};

void stations_learn(struct stations *stations, const u8 *address, u32 host);
bool stations_find(const struct stations *stations, const u8 *address,
		   u32 *host);

#endif /* FABRIC_STATIONS_H */
