# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Single devices: both ends of a pair are made to be what a point needs.
#
#   lonely NETDEV [NS]      both ends are croce0 on NETDEV (in a namespace)
#   add NAME NETDEV [NS]    rdma link add, without any waiting
#   state NAME [NS]         such as ACTIVE
#   active_mtu NAME [NS]
#   gids NAME [NS]          its GIDs, one a line

in_ns() {
	local ns=$1
	shift
	if [ -n "$ns" ]; then ip netns exec "$ns" "$@"; else "$@"; fi
}

add() {
	in_ns "${3:-}" rdma link add "$1" type "${DRIVER_A:-croce}" netdev "$2"
}

lonely() {
	local ns=${2:-} end
	# shellcheck disable=SC2004 # the names are words
	for end in $ENDS; do
		NS[$end]=$ns
		DEV[$end]=croce0
		NIC[$end]=$1
		IP4[$end]=$(in_ns "$ns" ip -br -4 addr show "$1" | awk '{ sub("/.*", "", $3); print $3 }')
		IP6[$end]=$(in_ns "$ns" ip -br -6 addr show "$1" scope global |
			awk '{ sub("/.*", "", $3); print $3 }')
	done
}

state() {
	in_ns "${2:-}" cut -d ' ' -f 2 "/sys/class/infiniband/$1/ports/1/state"
}

active_mtu() {
	in_ns "${2:-}" ibv_devinfo -d "$1" | awk '$1 == "active_mtu:" { print $2 }'
}

gids() {
	in_ns "${2:-}" sh -c "grep -hsv '^\(fe80:\)*\(0000:*\)*$' /sys/class/infiniband/$1/ports/1/gids/*" || :
}

has_state() {
	[ "$(state "$1")" = "$2" ]
}

# fails_with WORDS COMMAND...: it fails, and says so
fails_with() {
	local words=$1 said
	shift
	if said=$("$@" 2>&1); then
		die "succeeded: $*"
	fi
	case $said in
	*"$words"*) ;;
	*) die "said '$said', not '$words': $*" ;;
	esac
}

clean() {
	local link ns device
	for ns in "" $(ip netns list | cut -d ' ' -f 1); do
		for link in $(in_ns "$ns" ls /sys/class/infiniband 2>/dev/null); do
			in_ns "$ns" rdma link del "$link" 2>/dev/null || :
		done
		for device in $(in_ns "$ns" ls /sys/class/net); do
			case $device in
			lo|eth0|ctl0|bonding_masters) ;;
			*) in_ns "$ns" ip link del "$device" 2>/dev/null || : ;;
			esac
		done
	done
	ip -all netns del
}
