# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Many senders, one receiver: namespaces s1, s2, ... and r, joined by a switch (a bridge in
# its own namespace) whose port towards r is the slow one of tests/lib/bottleneck.sh.
#
#   incast N DRIVER         builds it; a second network, 10.8.0.0/16, is for TCP
#   incast_run NAME ARGUMENT...
#                           xfer from each sender to r, one after the other; all end together,
#                           $LENGTH s after the first.  In $LOGS/NAME: queue.csv, rates.csv
#                           and summary (tests/lib/incast.py)
#   measured NAME FIELD     of the summary
#   incast_end              takes it down
#
# The port. A sender that begins sends a window (256 packets, 281 KB) before a CNP can tell it
# anything, whatever the algorithm; and while this window leaves, nobody hears of the queue, so
# that all others send on as they did: up to 290 KB more were seen. Real fabrics have PFC and
# headroom for that; here it is the queue's room. Senders begin one after the other, when the
# last one that did has been slowed down, and there is room for one more window than two of
# them need. It is less than the windows of three, so senders that heed nobody overrun it.

RATE=${RATE:-200mbit}
MBITS=${RATE%mbit}
QUEUE=${QUEUE:-750000}
KMIN=${KMIN:-30000}
KMAX=${KMAX:-200000}
LENGTH=${LENGTH:-10}
BETWEEN=0.4			# two that begin

# shellcheck source=tests/lib/bottleneck.sh
. "${BASH_SOURCE[0]%/*}/bottleneck.sh"

incast_join() {
	local end=$1 bridge=$2 nic=$3 peer=$4
	ip link add "$nic" type veth peer name "$peer"
	ip link set "$nic" netns "$end"
	ip link set "$peer" netns switch
	ip netns exec switch ip link set "$peer" mtu "$MTU" master "$bridge" up
	at "$end" ip link set "$nic" mtu "$MTU" up
}

incast_end_of() {
	local end=$1 number=$2 driver=$3
	NS[$end]=$end DRIVER[$end]=$driver DEV[$end]=$driver-$end NIC[$end]=d$end
	IP4[$end]=10.9.0.$number IP6[$end]=fd09::$number
	ip netns add "$end"
	at "$end" ip link set lo up
	incast_join "$end" br0 "d$end" "p$end"
	incast_join "$end" br1 "c$end" "q$end"
	configure "$end"
	at "$end" ip addr add "10.8.0.$number/16" dev "c$end"
	add_device "$end"
	# its devices do not begin where their netdev is
	[ "$driver" != rxe ] || rdma dev set "${DEV[$end]}" netns "$end"
	learn "$end"
	GID[$end]=$(gid_index "$end" v4)
}

# Nobody asks for an address during the congestion.
incast_know_neighbours() {
	local end
	for end in $ENDS; do
		[ "$end" = r ] && continue
		at r ip neigh replace "${IP4[$end]}" lladdr "${MAC[$end]}" dev dr
		at "$end" ip neigh replace "${IP4[r]}" lladdr "${MAC[r]}" dev "d$end"
	done
}

declare -A GID

incast() {
	local n=$1 driver=$2 i
	ENDS=r
	rdma_netns exclusive
	cpuinfo
	ip netns add switch
	for i in 0 1; do
		ip netns exec switch ip link add "br$i" type bridge
		ip netns exec switch ip link set "br$i" mtu "$MTU" up
	done
	incast_end_of r 100 "$driver"
	for ((i = 1; i <= n; i++)); do
		incast_end_of "s$i" "$i" "$driver"
		ENDS="$ENDS s$i"
	done
	incast_know_neighbours
	# what is not ECN-capable is not dropped early either: drops are for want of room
	slow_port pr nodrop
}

incast_end() {
	local end
	for end in $ENDS; do
		at "$end" rdma link del "${DEV[$end]}"
		ip netns del "$end"
	done
	ip netns del switch
	ENDS=
}

# The paper's, for 40 Gb/s, with all times as many times as long as the port is slower; but the
# steps of 1 Mb/s, which cannot be smaller, are large for it, and therefore rare.
incast_knobs() {
	local end slower=$((40000 / MBITS))
	for end in $ENDS; do
		cc "$end" rp_min_rate 1
		cc "$end" rp_max_rate $((5 * MBITS))
		cc "$end" rp_byte_reset 0
		cc "$end" rp_threshold 1
		cc "$end" rp_clamp_tgt_rate 1
		cc "$end" rp_ai_rate 1
		cc "$end" rp_hai_rate 1
		cc "$end" np_min_time_between_cnps $((50 * slower))
		cc "$end" rp_rate_reduce_monitor_period $((50 * slower))
		cc "$end" rp_time_reset $((110 * slower))
		cc "$end" rp_dce_tcp_rtt $((55 * slower))
		cc "$end" rp_dce_tcp_g 1019
		cc "$end" rp_rate_to_set_on_first_cnp $((MBITS / 10))
	done
}

incast_algorithm() {
	local end
	for end in $ENDS; do
		cc "$end" algorithm "$1"
	done
}

incast_run() {
	local dir=$LOGS/$1 end port=18600 bad=0 pids=() watcher left
	shift
	set -- "$(tool xfer)" -s 32768 "$@"
	mkdir "$dir"
	for end in ${ENDS#r}; do
		port=$((port + 1))
		spawn r "$@" -D "$LENGTH" -d "${DEV[r]}" -x "${GID[r]}" -p $port >"$dir/server-$end" 2>&1
		pids+=("$SPAWNED")
	done
	until_true 20 incast_listens $((port - 18600)) || die "not all servers listen"
	ip netns exec switch python3 "$HERE/incast.py" watch pr "$dir/queue" &
	watcher=$!
	until_true 20 test -s "$dir/queue" || die "nobody looks at the queue"
	port=18600
	left=$LENGTH
	for end in ${ENDS#r}; do
		port=$((port + 1))
		spawn "$end" timeout -k 2 $((LENGTH + 60)) "$@" -D "$left" -d "${DEV[$end]}" \
			-x "${GID[$end]}" -p $port 10.8.0.100 >"$dir/flow-$end" 2>&1
		pids+=("$SPAWNED")
		left=$(awk "BEGIN { print $left - $BETWEEN }")
		sleep $BETWEEN
	done
	for end in "${pids[@]}"; do
		wait "$end" || bad=1
	done
	kill $watcher
	wait $watcher || :
	[ $bad = 0 ] || { tail -n 3 "$dir"/server-* "$dir"/flow-*; return 1; }
	python3 "$HERE/incast.py" report "$dir" >"$dir/summary"
}

incast_listens() {
	[ "$(at r ss -Hltn | grep -c ':186[0-9][0-9] ')" = "$1" ]
}

measured() {
	tr ' ' '\n' <"$LOGS/$1/summary" | sed -n "s/^$2=//p"
}
