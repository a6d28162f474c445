# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# A fabric whose ends meet in a switch with one slow port:
#
#   fabric bottleneck       ns a: va ===\                       /=== vb :ns b
#                                        bridge in ns switch ===   slow towards b
#                           ns a: ca ===================== cb :ns b    10.8.0.1, 10.8.0.2
#
# c* is for the TCP connections of test programs: red drops what is not ECN-capable.
# The port towards b has RATE (200mbit), a queue of QUEUE bytes, and marks from KMIN to
# KMAX bytes of it.  queue_stat FIELD: dropped or marked packets of that queue.
# cc END NAME [VALUE]: reads or sets a knob or `algorithm`.  counter END NAME: a counter.

RATE=${RATE:-200mbit}
QUEUE=${QUEUE:-400000}
KMIN=${KMIN:-30000}
KMAX=${KMAX:-90000}

fabric_bottleneck() {
	local end
	rdma_netns exclusive
	NS=([a]=a [b]=b)
	ip netns add switch
	ip netns exec switch ip link add br0 type bridge
	ip netns exec switch ip link set br0 mtu "$MTU" up
	for end in $ENDS; do
		ip netns add "$end"
		ip link add "${NIC[$end]}" type veth peer name "s$end"
		ip link set "${NIC[$end]}" netns "$end"
		ip link set "s$end" netns switch
		ip netns exec switch ip link set "s$end" mtu "$MTU" master br0 up
		at "$end" ip link set lo up
		configure "$end"
	done
	control_link
	know_neighbours
	slow_port sb
}

SLOW_PORT=

# slow_port NIC [WORD...]: of the switch, with more words for red, which sees the queue
# that tbf makes
slow_port() {
	SLOW_PORT=$1
	shift
	ip netns exec switch tc qdisc add dev "$SLOW_PORT" root handle 1: tbf rate "$RATE" \
		burst 40000 limit "$QUEUE"
	ip netns exec switch tc qdisc add dev "$SLOW_PORT" parent 1: handle 2: red limit "$QUEUE" \
		min "$KMIN" max "$KMAX" avpkt 1000 burst $((KMIN / 1000 + 1)) \
		bandwidth "$RATE" ecn "$@"
}

control_link() {
	local end
	ip link add ca type veth peer name cb
	for end in $ENDS; do
		ip link set "c$end" netns "$end"
		at "$end" ip link set "c$end" up
	done
	at a ip addr add 10.8.0.1/24 dev ca
	at b ip addr add 10.8.0.2/24 dev cb
}

# ARP and neighbour discovery are not ECN-capable either
know_neighbours() {
	local end other address
	for end in $ENDS; do
		other=$([ "$end" = a ] && echo b || echo a)
		address=$(at "$other" cat "/sys/class/net/${NIC[$other]}/address")
		at "$end" ip neigh replace "${IP4[$other]}" lladdr "$address" dev "${NIC[$end]}"
		at "$end" ip neigh replace "${IP6[$other]}" lladdr "$address" dev "${NIC[$end]}"
	done
}

# stream FAMILY PROGRAM ARGUMENT...: perftest from a to b, arranged over the control link
stream() {
	local family=$1 program=$2
	shift 2
	roles b a
	pair tcp:18515 "$program" -F -d "${DEV[b]}" -x "$(gid_index b "$family")" "$@" -- \
		"$program" -F -d "${DEV[a]}" -x "$(gid_index a "$family")" "$@" 10.8.0.2
}

# marks or drops of the slow port
queue_stat() {
	local text
	text=$(ip netns exec switch tc -s qdisc show dev "$SLOW_PORT" parent 1:) || return
	case $1 in
	marks) grep -o 'marked [0-9]*' <<<"$text" | grep -o '[0-9]*' ;;
	drops) grep -o 'dropped [0-9]*' <<<"$text" | grep -o '[0-9]*' ;;
	esac
}

# Parameters for flows of some Mb/s: mlx5's are for 25 Gb/s and more, where a CNP comes
# every few us; here queues are milliseconds long.
slow_knobs() {
	local end
	for end in $ENDS; do
		cc "$end" rp_max_rate 1000
		cc "$end" rp_min_rate 2
		cc "$end" rp_time_reset 10000
		cc "$end" rp_byte_reset 0
		cc "$end" rp_threshold 5
		cc "$end" rp_clamp_tgt_rate 1
		cc "$end" rp_dce_tcp_rtt 1000
		cc "$end" rp_dce_tcp_g 960
		cc "$end" rp_ai_rate 1
		cc "$end" rp_hai_rate 5
		cc "$end" rp_rate_reduce_monitor_period 10000
		cc "$end" np_min_time_between_cnps 500
	done
}

cc() {
	local file=/sys/kernel/debug/croce/${DEV[$1]}/cc_params/$2
	[ "$2" != algorithm ] || file=/sys/kernel/debug/croce/${DEV[$1]}/cc_algorithm
	mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
	if [ $# = 3 ]; then echo "$3" >"$file"; else cat "$file"; fi
}

counter() {
	at "$1" cat "/sys/class/infiniband/${DEV[$1]}/ports/1/hw_counters/$2"
}
