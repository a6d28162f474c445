// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A UDP socket with encap_rcv gets a segmentation skb split, with a checksum
 * computed for every packet in software, unless it is marked as a tunnel's.
 * The mark must not be set by the sender: a NIC driver that meets it on the
 * way would take it for an encapsulated packet. So it is set here, when the
 * skb has arrived for good, by a netfilter hook on local input.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/net_namespace.h>
#include "hook.h"
#include "wire/hdr.h"

static unsigned int mark_run(struct sk_buff *skb, unsigned int ip_len)
{
	struct udphdr *uh, buffer;

	uh = skb_header_pointer(skb, skb_network_offset(skb) + ip_len,
				sizeof(buffer), &buffer);
	if (uh && uh->dest == htons(CROCE_UDP_PORT))
		skb_shinfo(skb)->gso_type |= SKB_GSO_UDP_TUNNEL;
	return NF_ACCEPT;
}

static unsigned int input4(void *priv, struct sk_buff *skb,
			   const struct nf_hook_state *state)
{
	if (!skb_is_gso(skb) ||
	    !(skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4))
		return NF_ACCEPT;
	return mark_run(skb, ip_hdrlen(skb));
}

static unsigned int input6(void *priv, struct sk_buff *skb,
			   const struct nf_hook_state *state)
{
	if (!skb_is_gso(skb) ||
	    !(skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4))
		return NF_ACCEPT;
	return mark_run(skb, sizeof(struct ipv6hdr));
}

static const struct nf_hook_ops hooks[] = {
	{
		.hook = input4,
		.pf = NFPROTO_IPV4,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP_PRI_LAST,
	},
	{
		.hook = input6,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP6_PRI_LAST,
	},
};

/**
 * croce_hook_open - mark runs that arrive in a namespace
 * @net: namespace
 *
 * Return: 0 or -errno. Context: process, may sleep.
 */
int croce_hook_open(struct net *net)
{
	return nf_register_net_hooks(net, hooks, ARRAY_SIZE(hooks));
}

/**
 * croce_hook_close - mirror of croce_hook_open()
 * @net: namespace
 *
 * Context: process, may sleep.
 */
void croce_hook_close(struct net *net)
{
	nf_unregister_net_hooks(net, hooks, ARRAY_SIZE(hooks));
}
