// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A file of libpcap for each port of a switch, SWITCH-PEER.pcap: what it sends,
 * and what hosts send to it.
 */
#include "vswitch.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>

#define NS_PER_S	1000000000ULL

static pcap_t *format(void)
{
	static pcap_t *handle;

	if (!handle)
		handle = pcap_open_dead_with_tstamp_precision(
			DLT_EN10MB, ATTACHMENT_FRAME,
			PCAP_TSTAMP_PRECISION_NANO);
	if (!handle)
		abort();
	return handle;
}

/**
 * capture_open - begin to capture
 * @vswitch: what
 * @folder: where to
 */
void capture_open(struct vswitch *vswitch, const char *folder)
{
	const struct topology_node *nodes = vswitch->topology.nodes;
	char path[512];
	u32 i;

	for (i = 0; i < vswitch->num_lines; i++) {
		struct line *line = &vswitch->lines[i];

		snprintf(path, sizeof(path), "%s/%s-%s.pcap", folder,
			 nodes[line->port->node].name,
			 nodes[line->port->peer->node].name);
		line->dumper = pcap_dump_open(format(), path);
		if (!line->dumper) {
			fprintf(stderr, "%s\n", pcap_geterr(format()));
			exit(1);
		}
	}
}

/**
 * capture_frame - keep a frame
 * @line: that it is seen at
 * @frame: the frame
 */
void capture_frame(const struct line *line, const struct frame *frame)
{
	const struct vswitch *vswitch = line->vswitch;
	u64 at_ns = vswitch->epoch_ns + vswitch->vt.now_ns;
	struct pcap_pkthdr header = {
		.ts.tv_sec = at_ns / NS_PER_S,
		/* with PCAP_TSTAMP_PRECISION_NANO */
		.ts.tv_usec = at_ns % NS_PER_S,
		.caplen = frame->len,
		.len = frame->len,
	};

	if (line->dumper)
		pcap_dump(line->dumper, &header, frame->bytes);
}

/**
 * capture_flush - so that the files can be read
 * @vswitch: what
 */
void capture_flush(struct vswitch *vswitch)
{
	u32 i;

	for (i = 0; i < vswitch->num_lines; i++)
		if (vswitch->lines[i].dumper)
			pcap_dump_flush(vswitch->lines[i].dumper);
}

/**
 * capture_close - no more
 * @vswitch: what
 */
void capture_close(struct vswitch *vswitch)
{
	u32 i;

	for (i = 0; i < vswitch->num_lines; i++)
		if (vswitch->lines[i].dumper)
			pcap_dump_close(vswitch->lines[i].dumper);
	pcap_close(format());
}
