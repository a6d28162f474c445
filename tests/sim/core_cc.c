// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Congestion control and pacing of an end with the core: what kernel/pacer.c
 * and kernel/cnp.c do, in their order, with virtual time.
 */
#include "core.h"

#include <core/np.h>
#include <core/psn.h>
#include <linux/kernel.h>

/* Ethernet, IP, UDP, BTH and ICRC, about; as in kernel/pacer.c. */
#define PACKET_OVERHEAD	64U

static struct croce_cc_env env_of(const struct core *core)
{
	return (struct croce_cc_env) {
		.params = core->ep.cfg.cc_params,
		.now_ns = core->ep.vt->now_ns,
		.line_rate = core->ep.cfg.line_rate,
		.mtu = core->ep.cfg.mtu,
	};
}

void core_cc_start(struct core *core)
{
	const struct croce_cc_ops *ops = core->ep.cfg.cc;
	struct croce_cc_env env = env_of(core);

	croce_cc_start(&core->cc, ops ? ops : &croce_cc_none, &env);
	croce_pace_start(&core->pace, env.now_ns);
}

static struct croce_pace_rule rule_of(const struct core *core)
{
	return (struct croce_pace_rule) {
		.rate = core->cc.now.rate,
		.quantum = core->ep.cfg.cc_params->pace_quantum,
		.packet = core->ep.cfg.mtu + PACKET_OVERHEAD,
	};
}

static u32 room_of_rate(struct core *core)
{
	struct croce_pace_rule rule = rule_of(core);
	u32 room = croce_pace_room(&core->pace, &rule, core->ep.vt->now_ns);

	if (room)
		return max(room / rule.packet, 1U);
	core->pace_ns = min_not_zero(croce_pace_when(&core->pace, &rule),
				     core->cc.now.until_ns);
	return 0;
}

static u32 room_of_window(const struct core *core)
{
	u32 flight = (core->req.send_psn - core->req.una_psn) & CROCE_PSN_MASK;
	u32 window = core->cc.now.window;

	return window - min(flight, window);
}

/* Packets with data that may leave now, 0 when the turn has to end. */
u32 core_cc_room(struct core *core, u32 max_pkts)
{
	struct croce_cc_env env;
	u32 pkts = max_pkts;

	if (!core->cc.limited)
		return max_pkts;
	env = env_of(core);
	croce_cc_update(&core->cc, &env);
	if (core->cc.now.window)
		pkts = min(pkts, room_of_window(core));
	if (pkts && core->cc.now.rate)
		pkts = min(pkts, room_of_rate(core));
	return pkts;
}

bool core_cc_allows(const struct core *core, struct croce_req_run *run,
		    u32 room)
{
	const struct croce_wqe *wqe = croce_req_wqe(&core->req, run->wqe);

	if (run->verdict != CROCE_REQ_SEND ||
	    croce_kind_has_response(wqe->kind))
		return true;
	run->ackreq = core->ep.cfg.reliable;
	return room;
}

bool core_cc_limits_responses(const struct core *core)
{
	return core->cc.limited && !core->cc.now.window;
}

void core_cc_on_sent(struct core *core, u32 pkts, u32 bytes)
{
	struct croce_cc_env env;
	u32 charge = bytes + pkts * PACKET_OVERHEAD;

	if (!core->cc.limited)
		return;
	env = env_of(core);
	if (core->cc.now.rate) {
		struct croce_pace_rule rule = rule_of(core);

		croce_pace_on_sent(&core->pace, &rule, charge, env.now_ns);
	}
	croce_cc_on_sent(&core->cc, &env, charge);
}

void core_cc_on_record(struct core *core, const struct croce_comp_record *rec)
{
	struct croce_cc_sample sample = {
		.acked = rec->acked,
		.rtt_ns = rec->rtt_ns,
	};
	struct croce_cc_env env;

	if (!core->cc.limited)
		return;
	env = env_of(core);
	switch (rec->verdict) {
	case CROCE_COMP_SEQ_NAK:
	case CROCE_COMP_IMPLIED_NAK:
		croce_cc_on_loss(&core->cc, &env, false);
		break;
	case CROCE_COMP_EARLY:
	case CROCE_COMP_TIMEOUT:
		croce_cc_on_loss(&core->cc, &env, true);
		break;
	default:
		if (rec->acked)
			croce_cc_on_ack(&core->cc, &env, &sample);
	}
}

void core_cc_on_mark(struct core *core, const struct croce_pkt *pkt)
{
	u32 flags = croce_opcode_info(pkt->opcode)->flags;
	const struct croce_cc_params *p = core->ep.cfg.cc_params;
	u64 now = core->ep.vt->now_ns;
	struct croce_pkt cnp = {
		.opcode = CROCE_OP_CNP,
		.becn = true,
		.dest_qpn = core->ep.cfg.dest_qpn,
	};

	core->ep.marks++;
	if (!p || !(flags & (CROCE_OPF_REQUEST | CROCE_OPF_READ_RESP)) ||
	    !croce_np_is_due(core->cnp_ns,
			     p->np_min_time_between_cnps * CROCE_CC_NS_PER_US,
			     now))
		return;
	core->cnp_ns = now;
	core->ep.cnps_sent++;
	trace_packet(&core->ep, "notifies", &cnp);
	endpoint_send(&core->ep, frame_build(&cnp, NULL));
}

void core_cc_on_cnp(struct core *core)
{
	struct croce_cc_env env = env_of(core);
	bool was_limited = core->cc.limited;

	core->pace_ns = 0;
	if (!croce_cc_on_cnp(&core->cc, &env))
		return;
	core->ep.cnps_handled++;
	if (!was_limited)
		croce_pace_start(&core->pace, env.now_ns);
}

u64 core_rate(const struct endpoint *ep)
{
	const struct core *core = (const struct core *)ep;

	return core->cc.now.rate;
}
