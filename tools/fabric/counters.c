// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "vswitch.h"

#include <stdio.h>

static void write_line(const struct vswitch *vswitch, const struct line *line,
		       int fd)
{
	const struct topology_node *nodes = vswitch->topology.nodes;
	const struct port_count *count = &line->port->count;

	dprintf(fd, "%s-%s frames=%llu bytes=%llu queue=%llu marks=%llu drops=%llu lost=%llu pauses_sent=%llu resumes_sent=%llu pauses_received=%llu paused_us=%llu down=%d\n",
		nodes[line->port->node].name,
		nodes[line->port->peer->node].name, count->frames,
		count->wire_bytes, port_queued(line->port), count->marks,
		count->drops, count->lost + line->port->wire.lost,
		count->pauses_sent, count->resumes_sent,
		count->pauses_received, count->paused_ns / 1000,
		line->port->is_down);
}

/**
 * counters_write - tell all
 * @vswitch: of which
 * @fd: to whom
 *
 * A line for each port of a switch, then for each host that is attached, then
 * one for all. `drops` are of frames that came in by the port.
 */
void counters_write(const struct vswitch *vswitch, int fd)
{
	const struct topology *topology = &vswitch->topology;
	u32 i;

	for (i = 0; i < vswitch->num_lines; i++)
		write_line(vswitch, &vswitch->lines[i], fd);
	for (i = 0; i < topology->num_hosts; i++) {
		const struct attachment *attachment = &vswitch->attachments[i];

		if (attachment->fd >= 0)
			dprintf(fd, "%s received=%llu refused=%llu\n",
				topology->nodes[topology->hosts[i]].name,
				attachment->received, attachment->refused);
	}
	dprintf(fd, "all time_us=%llu flooded=%llu refused=%llu\n",
		vswitch->vt.now_ns / 1000, vswitch->flooded, vswitch->refused);
}
