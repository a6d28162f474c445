# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Many senders, one receiver: namespaces s1, s2, ... and r, joined by a switch (a bridge in
# its own namespace) whose port towards r is the slow one of tests/lib/bottleneck.sh.
#
#   incast N DRIVER         builds it; a second network, 10.8.0.0/16, is for TCP
#   incast_run ARGUMENT...  xfer from each sender to r, one after the other, each
#                           $SECONDS_OF_INCAST long (their middle is measured); into $LOGS/goodput a line for each: Mbit/s
#   incast_end              takes it down

SECONDS_OF_INCAST=${SECONDS_OF_INCAST:-40}

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
	learn "$end"
}

# Nobody asks for an address during the congestion: such packets are not ECN-capable.
incast_know_neighbours() {
	local end
	for end in $ENDS; do
		[ "$end" = r ] && continue
		at r ip neigh replace "${IP4[$end]}" lladdr "${MAC[$end]}" dev dr
		at "$end" ip neigh replace "${IP4[r]}" lladdr "${MAC[r]}" dev "d$end"
	done
}

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
	slow_port pr
}

incast_end() {
	local end
	for end in $ENDS; do
		at "$end" rdma link del "${DEV[$end]}"
		ip netns del "$end"
	done
	ip netns del switch
}

incast_run() {
	local end pids=() servers=() port=18600 bad=0
	set -- "$(tool xfer)" "$@" -D "$SECONDS_OF_INCAST"
	: >"$LOGS/goodput"
	for end in $ENDS; do
		[ "$end" = r ] && continue
		port=$((port + 1))
		spawn r "$@" -d "${DEV[r]}" -x "$(gid_index r v4)" -p $port >"$LOGS/server-$end.log" 2>&1
		servers+=("$SPAWNED")
	done
	until_true 20 incast_listens $((port - 18600)) || die "not all servers listen"
	port=18600
	for end in $ENDS; do
		[ "$end" = r ] && continue
		port=$((port + 1))
		spawn "$end" timeout -k 2 $((SECONDS_OF_INCAST + 60)) "$@" -d "${DEV[$end]}" \
			-x "$(gid_index "$end" v4)" -p $port 10.8.0.100 >"$LOGS/client-$end.log" 2>&1
		pids+=("$SPAWNED")
		# not all at once: the first messages know nothing of each other
		sleep 0.5
	done
	wait_for_all "${pids[@]}" || bad=1
	wait_for_all "${servers[@]}" || bad=1
	for end in $ENDS; do
		[ "$end" = r ] || goodput_of "$LOGS/client-$end.log" >>"$LOGS/goodput"
	done
	[ $bad = 0 ] || tail -n 3 "$LOGS"/client-*.log "$LOGS"/server-*.log
	return $bad
}

incast_listens() {
	[ "$(at r ss -Hltn | grep -c ':186[0-9][0-9] ')" = "$1" ]
}

wait_for_all() {
	local pid bad=0
	for pid; do
		wait "$pid" || bad=1
	done
	return $bad
}

# Mbit/s of a client; 0 if it has no result
goodput_of() {
	awk '/^stream:/ { mbits = $2 } END { print mbits + 0 }' "$1"
}

# Jain's index of fairness, and the sum, of numbers
fairness() {
	awk '{ s += $1; q += $1 * $1 } END { printf "%.3f %.1f\n", q ? s * s / (NR * q) : 0, s }'
}
