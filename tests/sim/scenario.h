/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Two ends, a link and what goes over it, all out of one seed. */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include "endpoint.h"

/* What is to go wrong beyond what the transport can repair. */
enum trouble {
	TROUBLE_NONE,
	TROUBLE_BAD_WQE,	/* a WQE that the fetch finds bad */
	TROUBLE_FAULT,		/* payload that cannot be read */
	TROUBLE_VANISH,		/* memory that goes while it is being read */
	TROUBLE_BAD_RKEY,	/* a key that the responder refuses */
	TROUBLE_RNR,		/* too few RNR retries */
	TROUBLE_CUT,		/* the link is cut for good */
};

enum peer {
	PEER_RANDOM,
	PEER_CORE,
	PEER_STOCK,
};

/**
 * struct options - what the command line fixes; -1 or 0 leaves it to the seed
 * @loss: with @dup, @reorder and @corrupt in parts per million, or -1
 */
struct options {
	s64 loss;
	s64 dup;
	s64 reorder;
	s64 corrupt;
	u32 mtu;
	u32 ops;
	u32 peer;
	int unreliable;
	bool verbose;
};

/**
 * struct scenario - of one seed
 * @clean: the link is perfect and nobody waits: nothing may be sent twice, but
 *	where a drain or a failure of an end asks for it
 * @starve: receive WQEs come late, this long after each other
 * @link: from end 0, from end 1
 * @params: knobs of congestion control
 */
struct scenario {
	u64 seed;
	bool reliable;
	bool clean;
	bool stock;
	enum trouble trouble;
	u32 mtu;
	u32 ops[2];
	u32 length_max;
	u64 starve_ns;
	u64 post_ns;
	u64 cut_ns;
	struct link_config link[2];
	struct endpoint_config end[2];
	struct croce_cc_params params[2];
};

void scenario_make(struct scenario *scenario, u64 seed,
		   const struct options *options);
void scenario_fill(const struct scenario *scenario, struct flow *flow,
		   u32 from);
void scenario_run(const struct scenario *scenario, bool verbose);

#endif /* SIM_SCENARIO_H */
