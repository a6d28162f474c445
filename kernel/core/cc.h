/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Congestion control: what an algorithm is, what it is told and what it says.
 *
 * An algorithm sees one queue pair. It is told facts (a CNP came, bytes left,
 * packets were acknowledged after so long) together with the time, and says a
 * rate and a window. It has no timer: what should have happened since it was
 * last asked, it makes up for when it is asked. While it says neither rate nor
 * window, the queue pair is not limited and nothing but on_cnp() needs to be
 * called; @limited of struct croce_cc is the one branch of the fast path.
 *
 * A new algorithm is one file with a struct croce_cc_ops, and one line in
 * croce_cc_algorithms. cc_none.c is the smallest.
 */
#ifndef CROCE_CORE_CC_H
#define CROCE_CORE_CC_H

#include "../wire/env.h"

/* Bytes of state that an algorithm may have. */
#define CROCE_CC_PRIVATE	96U

/* Bytes per second in 1 Mb/s: rates are u64 in bytes per second everywhere. */
#define CROCE_CC_MBPS		125000ULL

#define CROCE_CC_NS_PER_US	1000U
#define CROCE_CC_NS_PER_S	1000000000ULL

/**
 * struct croce_cc_params - the knobs, under the names and units of mlx5
 * @rp_clamp_tgt_rate: every cut sets the target rate to the current one
 * @rp_clamp_tgt_rate_ati: so does a cut after an increase by the timer; one
 *	after an increase by the byte counter always does
 * @rp_time_reset: us between increases by the timer, 0 none
 * @rp_byte_reset: bytes between increases by the byte counter, 0 none
 * @rp_threshold: increases before leaving a phase of recovery
 * @rp_max_rate: Mb/s at which the limiter is released, 0 port speed
 * @rp_ai_rate: Mb/s that an additive increase adds
 * @rp_hai_rate: Mb/s that a hyper increase adds
 * @rp_gd: a cut is by alpha / 2^(@rp_gd - 10)
 * @rp_min_dec_fac: percent of the rate that a cut leaves at least
 * @rp_min_rate: Mb/s that are left at least
 * @rp_rate_to_set_on_first_cnp: Mb/s to start with, 0 full speed
 * @rp_dce_tcp_g: weight in 1/1024 of the old alpha in the new one
 * @rp_dce_tcp_rtt: us between updates of alpha
 * @rp_rate_reduce_monitor_period: us between cuts; 0 cuts at each CNP
 * @rp_initial_alpha_value: alpha at the first CNP, in 1/1024
 * @rp_alpha_on_cnp: alpha rises with each CNP, and its period starts over, as
 *	in the paper; else CNPs count at the end of the period, as in mlx5
 * @rp_count_first: an increase counts before its phase is looked up, as in
 *	the paper; else after it, as in mlx5
 * @rp_hai_ramp: the n-th hyper increase adds n * @rp_hai_rate, as in the
 *	paper; else each adds the same, as in mlx5
 * @np_min_time_between_cnps: us between CNPs at least
 * @np_cnp_scope: what that is counted for, enum croce_np_scope
 * @np_cnp_dscp: DSCP of CNPs
 * @np_cnp_prio_mode: CNPs have the priority of the marked packet
 * @np_cnp_prio: priority of CNPs otherwise
 * @pace_quantum: bytes that leave in one burst at most
 * @swift_base_delay: us that the path may take
 * @swift_hop_delay: us more for each hop
 * @swift_max_scaling: us more at most for flows with a small window
 * @swift_fs_min: window in 1/1000 packet that gets all of @swift_max_scaling
 * @swift_fs_max: window in 1/1000 packet that gets none of it
 * @swift_ai: 1/1000 packet that the window grows in a round trip
 * @swift_beta: 1/1000 by which the excess of delay counts
 * @swift_max_mdf: 1/1000 of the window that a decrease takes at most
 * @swift_min_cwnd: smallest window, 1/1000 packet
 * @swift_max_cwnd: largest window, 1/1000 packet
 * @swift_retransmit_limit: timeouts in a row before the smallest window
 */
struct croce_cc_params {
	u32 rp_clamp_tgt_rate;
	u32 rp_clamp_tgt_rate_ati;
	u32 rp_time_reset;
	u32 rp_byte_reset;
	u32 rp_threshold;
	u32 rp_max_rate;
	u32 rp_ai_rate;
	u32 rp_hai_rate;
	u32 rp_gd;
	u32 rp_min_dec_fac;
	u32 rp_min_rate;
	u32 rp_rate_to_set_on_first_cnp;
	u32 rp_dce_tcp_g;
	u32 rp_dce_tcp_rtt;
	u32 rp_rate_reduce_monitor_period;
	u32 rp_initial_alpha_value;
	u32 rp_alpha_on_cnp;
	u32 rp_count_first;
	u32 rp_hai_ramp;
	u32 np_min_time_between_cnps;
	u32 np_cnp_scope;
	u32 np_cnp_dscp;
	u32 np_cnp_prio_mode;
	u32 np_cnp_prio;
	u32 pace_quantum;
	u32 swift_base_delay;
	u32 swift_hop_delay;
	u32 swift_max_scaling;
	u32 swift_fs_min;
	u32 swift_fs_max;
	u32 swift_ai;
	u32 swift_beta;
	u32 swift_max_mdf;
	u32 swift_min_cwnd;
	u32 swift_max_cwnd;
	u32 swift_retransmit_limit;
};

/**
 * struct croce_cc_knob - one of the parameters
 * @name: as in struct croce_cc_params
 * @offset: there, in bytes
 * @min: smallest value
 * @max: largest value
 * @initial: value of a new device
 */
struct croce_cc_knob {
	const char *name;
	u32 offset;
	u32 min;
	u32 max;
	u32 initial;
};

/**
 * struct croce_cc_env - the world as an algorithm sees it
 * @params: valid and unchanging during the call; they may be others next time
 * @now_ns: time, never running backwards for one queue pair
 * @line_rate: of the port in bytes per second, at least 1 Mb/s
 * @mtu: path MTU in bytes
 */
struct croce_cc_env {
	const struct croce_cc_params *params;
	u64 now_ns;
	u64 line_rate;
	u32 mtu;
};

/**
 * struct croce_cc_sample - packets were acknowledged
 * @acked: how many
 * @hops: hops on the path, 0 unknown
 * @rtt_ns: from the newest of them to its acknowledgement, 0 not measured
 * @host_ns: part of that which the peer took
 */
struct croce_cc_sample {
	u32 acked;
	u32 hops;
	u64 rtt_ns;
	u64 host_ns;
};

/**
 * struct croce_cc_limit - what an algorithm allows
 * @rate: bytes per second, 0 any
 * @window: packets outstanding, 0 any. READ responses are under no limit
 *	of an algorithm that has a window: nobody acknowledges them, so it
 *	would never hear that the path is free again
 * @until_ns: when @rate is going to rise without any call, 0 never: who waits
 *	for his turn at @rate must ask again then
 */
struct croce_cc_limit {
	u64 rate;
	u64 until_ns;
	u32 window;
};

struct croce_cc;

/**
 * struct croce_cc_ops - an algorithm
 * @name: what the user calls it; required
 * @on_sent: bytes have left; optional; called only while limited
 * @on_ack: packets were acknowledged; optional; called only while limited
 * @limit: what is allowed now; required
 * @on_cnp: a congestion notification came; optional: without it, CNPs are
 *	ignored
 * @on_loss: packets are sent again, after a timeout or not; optional; called
 *	only while limited
 * @start: the private area was cleared, the queue pair begins to send;
 *	optional
 *
 * All are called by the owner of @cc, and do bounded work.
 */
struct croce_cc_ops {
	const char *name;
	void (*on_sent)(struct croce_cc *cc, const struct croce_cc_env *env,
			u32 bytes);
	void (*on_ack)(struct croce_cc *cc, const struct croce_cc_env *env,
		       const struct croce_cc_sample *sample);
	struct croce_cc_limit (*limit)(struct croce_cc *cc,
				       const struct croce_cc_env *env);
	void (*on_cnp)(struct croce_cc *cc, const struct croce_cc_env *env);
	void (*on_loss)(struct croce_cc *cc, const struct croce_cc_env *env,
			bool timeout);
	void (*start)(struct croce_cc *cc, const struct croce_cc_env *env);
};

/**
 * struct croce_cc - congestion control of one queue pair
 * @ops: algorithm
 * @limited: @now limits something
 * @now: what is allowed since the last call
 * @private: the algorithm's
 */
struct croce_cc {
	const struct croce_cc_ops *ops;
	bool limited;
	struct croce_cc_limit now;
	u64 private[CROCE_CC_PRIVATE / sizeof(u64)];
};

/* Algorithms have their names here and nowhere else; the first is default. */
extern const struct croce_cc_ops *const croce_cc_algorithms[];
extern const u32 croce_cc_num_algorithms;
extern const struct croce_cc_ops croce_cc_none;
extern const struct croce_cc_ops croce_cc_dcqcn;
extern const struct croce_cc_ops croce_cc_swift;

extern const struct croce_cc_knob croce_cc_knobs[];
extern const u32 croce_cc_num_knobs;

void croce_cc_params_init(struct croce_cc_params *params);
u32 croce_cc_knob_get(const struct croce_cc_params *params, u32 index);
int croce_cc_knob_set(struct croce_cc_params *params, u32 index, u64 value);

void croce_cc_start(struct croce_cc *cc, const struct croce_cc_ops *ops,
		    const struct croce_cc_env *env);
void croce_cc_update(struct croce_cc *cc, const struct croce_cc_env *env);
bool croce_cc_on_cnp(struct croce_cc *cc, const struct croce_cc_env *env);
void croce_cc_on_sent(struct croce_cc *cc, const struct croce_cc_env *env,
		      u32 bytes);
void croce_cc_on_ack(struct croce_cc *cc, const struct croce_cc_env *env,
		     const struct croce_cc_sample *sample);
void croce_cc_on_loss(struct croce_cc *cc, const struct croce_cc_env *env,
		      bool timeout);

#endif /* CROCE_CORE_CC_H */
