// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "rng.h"
#include "stations.h"

#include <string.h>

/* Places to look at: they are few enough to be cheap, and rarely all taken. */
#define PROBES	16U

static struct station *place(const struct stations *stations,
			     const u8 *address)
{
	u64 hash = 0;
	u32 i;

	for (i = 0; i < ETHER_ADDRESS; i++)
		hash = hash << 8 | address[i];
	hash = rng_mix(hash);
	for (i = 0; i < PROBES; i++) {
		const struct station *station =
			&stations->table[(hash + i) % STATIONS];

		if (!station->is_known ||
		    !memcmp(station->address, address, ETHER_ADDRESS))
			return (struct station *)station;
	}
	return NULL;
}

/**
 * stations_learn - an address sends
 * @stations: table
 * @address: source address; one of a group is not learned
 * @host: where
 */
void stations_learn(struct stations *stations, const u8 *address, u32 host)
{
	struct station *station;

	if (address[0] & 1)
		return;
	station = place(stations, address);
	if (!station)
		return;
	memcpy(station->address, address, ETHER_ADDRESS);
	station->host = host;
	station->is_known = true;
}

/**
 * stations_find - where is it?
 * @stations: table
 * @address: destination address
 * @host: where it is, if that is known
 *
 * Return: true if it is.
 */
bool stations_find(const struct stations *stations, const u8 *address,
		   u32 *host)
{
	const struct station *station;

	if (address[0] & 1)
		return false;
	station = place(stations, address);
	if (!station || !station->is_known)
		return false;
	*host = station->host;
	return true;
}
