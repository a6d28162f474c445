/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Goes when 7.3 is the oldest supported release. */
#ifndef CROCE_COMPAT_NET_UDP_TUNNEL_H
#define CROCE_COMPAT_NET_UDP_TUNNEL_H

#include_next <net/udp_tunnel.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
#define setup_udp_tunnel_sock(net, sk, cfg)				\
	setup_udp_tunnel_sock(net, (sk)->sk_socket, cfg)
#define udp_tunnel_sock_release(sk)					\
	udp_tunnel_sock_release((sk)->sk_socket)
#endif

#endif /* CROCE_COMPAT_NET_UDP_TUNNEL_H */
