# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# The programs of librdmacm, between the ends $S and $C.

# address END FAMILY: as the other end would write it
address() {
	case $2 in
	v4) echo "${IP4[$1]}" ;;
	v6) echo "${IP6[$1]}" ;;
	ll) echo "${LL[$1]}%${NIC[$(other "$1")]}" ;;
	esac
}

other() {
	[ "$1" = a ] && echo b || echo a
}

# any_address FAMILY: what a server listens on
any_address() {
	[ "$1" = v4 ] && echo 0.0.0.0 || echo ::
}

rping() {
	local family=$1
	shift
	pair cm rping -s -a "$(any_address "$family")" -V -C 10 "$@" -- \
		"$HERE/rping" -c -a "$(address "$S" "$family")" -V -C 10 "$@"
}

rdma_client() {
	pair cm rdma_server -s "$(any_address "$1")" -- rdma_client -s "$(address "$S" "$1")"
}

udaddy() {
	local family=$1
	shift
	pair cm udaddy -b "$(any_address "$family")" "$@" -- \
		udaddy -s "$(address "$S" "$family")" "$@"
}

ucmatose() {
	local family=$1
	shift
	pair cm ucmatose -b "$(any_address "$family")" "$@" -- \
		ucmatose -s "$(address "$S" "$family")" "$@"
}

rdma_xclient() {
	pair cm rdma_xserver -c "$1" -- rdma_xclient -s "${IP4[$S]}" -c "$1"
}

rstream() {
	local program=$1
	shift
	pair cm "$program" "$@" -- "$program" -s "${IP4[$S]}" "$@"
}

# its server stays, in some releases
cmtime() {
	local pid
	spawn "$S" timeout 60 cmtime -c 50 >"$SERVER_LOG" 2>&1
	pid=$SPAWNED
	wait_for_server cm cmtime
	at "$C" timeout 50 cmtime -c 50 -s "${IP4[$S]}"
	kill "$pid" 2>/dev/null || :
}

rdma_cm_connections() {
	local family
	for family in v4 v6 ll; do
		point "rping $family" rping $family
		point "rdma_client $family" rdma_client $family
	done
	point "rping, large" rping v4 -S 65000
	point "rping, persistent server" rping_persistent
	point "ucmatose, 200 connections" ucmatose v4 -c 200 -C 2 -S 64
	point "ucmatose v6" ucmatose v6 -c 10
	point "cmtime, 50 connections" cmtime
	point "rdma_xclient" rdma_xclient r
	point "rstream" rstream rstream -T b -C 20 -S 4096
	point "riostream" rstream riostream -T b -C 20 -S 4096
}

rdma_cm_datagrams() {
	local family
	for family in v4 v6 ll; do
		point "udaddy $family" udaddy $family -c 4 -C 10
	done
}

# a server that serves one client after the other
rping_persistent() {
	local i pid
	spawn "$S" timeout 60 rping -s -P -a 0.0.0.0 >"$SERVER_LOG" 2>&1
	pid=$SPAWNED
	wait_for_server cm rping
	for i in 1 2 3 4 5; do
		at "$C" timeout 20 "$HERE/rping" -c -a "${IP4[$S]}" -C 3 -V || {
			tail "$SERVER_LOG"
			die "client $i failed"
		}
	done
	kill "$pid"
}

# One end sends to a group that the other has joined.
mckey() {
	local group=$1 from=$2 to=$3 pid
	spawn "$S" timeout 60 mckey -m "$group" -b "$to" -C 20 >"$SERVER_LOG" 2>&1
	pid=$SPAWNED
	sleep 1
	at "$C" timeout 30 mckey -m "$group" -b "$from" -s -C 20 >"$CLIENT_LOG" 2>&1 || {
		cat "$CLIENT_LOG"
		wait_or_kill "$pid" 0 || :
		! grep -q "error 524" "$CLIENT_LOG" ||
			skip "rdma_cm joins no IPv6 groups on RoCE v2"
		die "the sender failed"
	}
	wait_or_kill "$pid" 20 || {
		cat "$SERVER_LOG"
		die "the receiver failed"
	}
}

rdma_cm_multicast() {
	point "mckey v4" mckey 239.77.1.1 "${IP4[$C]}" "${IP4[$S]}"
	point "mckey v6" mckey ff0e::4d:1 "${IP6[$C]}" "${IP6[$S]}"
}
