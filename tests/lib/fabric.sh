# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Two ends, a and b, with an RDMA device each, joined by one link.
#
#   fabric netns [A [B]]    ns a: va ======= vb :ns b       a veth pair in one guest; RDMA
#                                                           devices belong to namespaces
#   fabric flat [A [B]]     va ======= vb                   both ends in one namespace, with
#                                                           rules that force traffic through
#   fabric guests [A [B]]   host1: eth0 ======= eth0 :host2 two guests
#
# A and B are drivers, croce by default.  rxe works only in the first namespace before
# 7.3, and has no rdma_cm elsewhere even there: its end of `netns` is that one.
#
#   at END COMMAND...       runs a command at an end
#   spawn END COMMAND...    the same in the background; its process is $SPAWNED
#   gid_index END FAMILY    v4, v6 or ll (link-local): index in the end's GID table
#
# ${DRIVER[END]} ${DEV[END]} ${NIC[END]} ${IP4[END]} ${IP6[END]} ${LL[END]} ${MAC[END]}
# and ${NS[END]}: a namespace, "" for this one, or @HOST.  MTU=9000 before: of the link.

# shellcheck source=tests/lib/tap.sh
. "${BASH_SOURCE[0]%/*}/tap.sh"

declare -A DRIVER NS DEV NIC IP4 IP6 LL MAC
HERE=/croce/tests/lib
TOOLS=/tmp/croce-tests
ENDS="a b"
MTU=${MTU:-1500}
KERNEL=${LAB_KERNEL:-$(uname -r)}
IS_UML=$(grep -qs "User Mode Linux" /proc/cpuinfo && echo yes || echo)
SPAWNED=

at() {
	local where=${NS[$1]}
	shift
	case $where in
	"") "$@" ;;
	@*) on "${where#@}" "$@" ;;
	*) ip netns exec "$where" "$@" ;;
	esac
}

spawn() {
	local where=${NS[$1]}
	shift
	case $where in
	"") exec "$@" ;;
	@*) exec on "${where#@}" "$@" ;;
	*) exec ip netns exec "$where" "$@" ;;
	esac &
	SPAWNED=$!
}

is_gid_of() {
	local family=$1 gid=$2
	case $family:$gid in
	v4:0000:0000:0000:0000:0000:ffff:*) return 0 ;;
	v6:fd*) return 0 ;;
	ll:fe80:*) return 0 ;;
	esac
	return 1
}

# list_gids END: lines "INDEX GID TYPE" of the table. Few processes: this is called often.
list_gids() {
	# shellcheck disable=SC2016 # for the shell over there
	at "$1" sh -c 'cd "/sys/class/infiniband/$0/ports/1" || exit
		grep -s "" $(ls gids | sort -n | head -n 64 |
			sed "s,.*,gids/& gid_attrs/types/&,") || :' "${DEV[$1]}" |
		awk '{ name = $0; sub(":.*", "", name); sub("[^:]*:", "") }
			name ~ /^gids/ { sub(".*/", "", name); at = name; gid = $0; next }
			gid !~ /^[0:]*$/ { print at, gid, $0 }'
}

# The whole list is read first: what still writes it would be a process in the namespace.
gid_index() {
	local list index gid type
	list=$(list_gids "$1") || return
	while read -r index gid type; do
		case $type in *v2*) ;; *) continue ;; esac
		if is_gid_of "$2" "$gid"; then
			echo "$index"
			return
		fi
	done <<<"$list"
	return 1
}

has_gids() {
	gid_index "$1" v4 && gid_index "$1" v6 && gid_index "$1" ll
}

# port_field END NAME: from rdma link show, such as state or physical_state
port_field() {
	at "$1" rdma link show "${DEV[$1]}/1" | tr ' ' '\n' | grep -A 1 -x "$2" | tail -n 1
}

# has_mtu BYTES: the active MTU of both devices
has_mtu() {
	local end
	for end in $ENDS; do
		at "$end" ibv_devinfo -d "${DEV[$end]}" | grep active_mtu | tee /dev/stderr |
			grep -q "[[:space:]]$1 " || die "not $1 on ${DEV[$end]}"
	done
}

fabric() {
	local kind=$1

	DRIVER=([a]=${2:-${DRIVER_A:-croce}} [b]=${3:-${DRIVER_B:-croce}})
	DEV=([a]=${DRIVER[a]}0 [b]=${DRIVER[b]}1)
	IP4=([a]=10.9.0.1 [b]=10.9.0.2)
	IP6=([a]=fd09::1 [b]=fd09::2)
	NIC=([a]=va [b]=vb)
	trap unfabric EXIT
	cpuinfo
	build "$kind"
}

# build KIND: (again) what the description above says
build() {
	"fabric_$1"
	add_device a
	add_device b
	learn a
	learn b
}

# perftest wants to know the processor's frequency
cpuinfo() {
	grep -q "cpu MHz" /proc/cpuinfo && return
	{ cat /proc/cpuinfo; echo "cpu MHz : 1000.000"; } >/tmp/cpuinfo
	mount --bind /tmp/cpuinfo /proc/cpuinfo
}

rdma_netns() {
	rdma system show | grep -q "netns $1" || until_true 10 rdma system set netns "$1"
}

fabric_netns() {
	local end
	rdma_netns exclusive
	NS=([a]=a [b]=b)
	for end in $ENDS; do
		[ "${DRIVER[$end]}" != rxe ] || NS[$end]=
		[ -z "${NS[$end]}" ] || ip netns add "$end"
	done
	if [ -z "${NS[a]}${NS[b]}" ]; then
		echo "fabric netns: only one end can be rxe" >&2
		return 1
	fi
	# shellcheck disable=SC2086 # words
	ip link add va ${VETH:-} type veth peer name vb ${VETH:-}
	for end in $ENDS; do
		[ -z "${NS[$end]}" ] || ip link set "${NIC[$end]}" netns "${NS[$end]}"
		at "$end" ip link set lo up
		configure "$end"
	done
}

configure() {
	at "$1" sysctl -qw "net.ipv6.conf.${NIC[$1]}.accept_dad=0" \
		"net.ipv6.conf.${NIC[$1]}.router_solicitations=0"
	at "$1" ip link set "${NIC[$1]}" mtu "$MTU" up
	at "$1" ip addr add "${IP4[$1]}/24" dev "${NIC[$1]}"
	at "$1" ip addr add "${IP6[$1]}/64" dev "${NIC[$1]}" nodad
}

# In front of the table of local addresses: what comes from one end and goes to the
# other takes the link.
force_way() {
	local from=$1 to=$2 table=$3
	ip rule add pref 10 from "${IP4[$from]}" to "${IP4[$to]}" iif lo lookup "$table"
	ip route add "${IP4[$to]}" dev "${NIC[$from]}" table "$table"
	ip neigh replace "${IP4[$to]}" lladdr "$(cat "/sys/class/net/${NIC[$to]}/address")" \
		dev "${NIC[$from]}"
	ip -6 rule add pref 10 from "${IP6[$from]}" to "${IP6[$to]}" iif lo lookup "$table"
	ip -6 route add "${IP6[$to]}" dev "${NIC[$from]}" table "$table"
	ip -6 neigh replace "${IP6[$to]}" dev "${NIC[$from]}" \
		lladdr "$(cat "/sys/class/net/${NIC[$to]}/address")"
}

fabric_flat() {
	NS=([a]="" [b]="")
	ip link add va type veth peer name vb
	configure a
	configure b
	for where in va vb all; do
		sysctl -qw net.ipv4.conf.$where.accept_local=1 net.ipv4.conf.$where.rp_filter=0
	done
	ip rule add pref 20 lookup local
	ip rule del pref 0
	ip -6 rule add pref 20 lookup local
	ip -6 rule del pref 0
	force_way a b 101
	force_way b a 102
}

fabric_guests() {
	NS=([a]="" [b]=@host2)
	IP4=([a]=10.77.0.1 [b]=10.77.0.2)
	IP6=([a]=fd00:77::1 [b]=fd00:77::2)
	NIC=([a]=eth0 [b]=eth0)
	at a ip link set eth0 mtu "$MTU"
	at b ip link set eth0 mtu "$MTU"
	# shellcheck disable=SC2016
	on host2 'for d in $(ls /sys/class/infiniband); do rdma link del $d; done'
}

add_device() {
	case ${DRIVER[$1]} in
	croce) ;;
	siw) at "$1" modprobe siw ;;
	*) at "$1" modprobe "rdma_${DRIVER[$1]}" ;;
	esac
	at "$1" rdma link add "${DEV[$1]}" type "${DRIVER[$1]}" netdev "${NIC[$1]}"
}

learn() {
	until_true 10 has_gids "$1" || {
		echo "fabric: no GIDs on ${DEV[$1]} of end $1:" >&2
		list_gids "$1" >&2
		at "$1" ip addr show "${NIC[$1]}" >&2
		return 1
	}
	MAC[$1]=$(at "$1" cat "/sys/class/net/${NIC[$1]}/address")
	LL[$1]=$(at "$1" ip -br -6 addr show "${NIC[$1]}" scope link | grep -o 'fe80[^/]*')
}

unfabric() {
	local end
	for end in $ENDS; do
		at "$end" rdma link del "${DEV[$end]}" 2>/dev/null || :
	done
	[ "${NIC[a]}" != va ] || at a ip link del va 2>/dev/null || :
	for end in $ENDS; do
		case ${NS[$end]} in
		""|@*) ;;
		*)
			ip netns pids "${NS[$end]}" 2>/dev/null | xargs -r kill -9 2>/dev/null || :
			ip netns del "${NS[$end]}" 2>/dev/null || :
			;;
		esac
	done
	ip rule add pref 0 lookup local 2>/dev/null && ip -6 rule add pref 0 lookup local
	for end in 10 10 20; do
		ip rule del pref $end 2>/dev/null || :
		ip -6 rule del pref $end 2>/dev/null || :
	done
}

# tool NAME: build a C program of tests/lib, where it is missing; prints its path
tool() {
	local name=$1 path=$TOOLS/$1
	mkdir -p "$TOOLS"
	if [ ! -x "$path" ]; then
		gcc -O2 -o "$path" "$HERE/$name"/*.c -lrdmacm -libverbs -lpthread >&2 || return
	fi
	case "${NS[*]:-}" in
	*@*) on host2 sh -c "test -x $path || { mkdir -p $TOOLS && gcc -O2 -o $path $HERE/$name/*.c -lrdmacm -libverbs -lpthread; }" >&2 ;;
	esac
	echo "$path"
}
