# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# perftest between the ends $S and $C.  Nothing here judges a speed.

# perftest FAMILY PROGRAM ARGUMENT...
perftest() {
	local family=$1 program=$2
	shift 2
	pair tcp:18515 "$program" -F -d "${DEV[$S]}" -x "$(gid_index "$S" "$family")" "$@" -- \
		"$program" -F -d "${DEV[$C]}" -x "$(gid_index "$C" "$family")" "$@" "${IP4[$S]}"
	has_results "$program"
}

# with -R: addresses find the device, by rdma_cm; that of Debian 12 does not know IPv6 there
perftest_cm() {
	local family=$1 program=$2 address=${IP4[$S]} from=${IP4[$C]}
	shift 2
	"$program" --help | grep -q -e --ipv6-addr || family=v4
	[ "$family" = v4 ] || { address=${IP6[$S]}; from=${IP6[$C]}; }
	[ "$family" = v4 ] || set -- "$@" --ipv6-addr
	[ "${NS[a]}" != "${NS[b]}" ] || set -- "$@" --bind_source_ip "$from"
	pair cm "$program" -F -R -d "${DEV[$S]}" "$@" -- \
		"$program" -F -R -d "${DEV[$C]}" "$@" "$address"
	has_results "$program"
}

has_results() {
	grep -Eq '^ *[0-9]+ +[0-9]+ +([0-9]|inf)' "$CLIENT_LOG" && return
	cat "$CLIENT_LOG"
	die "no results from $1"
}

# Latencies of 8 MiB take long: FULL=1 has all sizes.
LAT_SIZES=(-s 9000)
[ -z "${FULL:-}" ] || LAT_SIZES=(-a)

# All sizes (2 bytes to 8 MiB), few iterations.
perftest_sizes() {
	local verb
	for verb in send write read; do
		point "ib_${verb}_bw, all sizes" perftest v4 ib_${verb}_bw -a -n 5
		point "ib_${verb}_lat, sizes" perftest v6 ib_${verb}_lat "${LAT_SIZES[@]}" -n 5
	done
	point "ib_write_bw, both ways" perftest v6 ib_write_bw -s 100000 -n 10 -b
}

perftest_atomics() {
	local kind
	for kind in FETCH_AND_ADD CMP_AND_SWAP; do
		point "ib_atomic_bw $kind" perftest v4 ib_atomic_bw -A $kind -n 100
		point "ib_atomic_lat $kind" perftest v6 ib_atomic_lat -A $kind -n 50
	done
	point "ib_atomic_bw, 16 QPs" perftest v4 ib_atomic_bw -q 16 -n 20
}

perftest_many() {
	local verb
	for verb in send write read; do
		point "ib_${verb}_bw, 16 QPs, 8 bytes" perftest v4 ib_${verb}_bw -q 16 -s 8 -n 20
		point "ib_${verb}_bw, 16 QPs, 64 KiB" perftest v6 ib_${verb}_bw -q 16 -s 65536 -n 5
	done
	point "ib_write_bw, 16 QPs, 1 MiB" perftest v4 ib_write_bw -q 16 -s 1048576 -n 5
	[ -n "${FULL:-}" ] || return 0
	for verb in send write read; do
		LIMIT=600 point "ib_${verb}_bw, 16 QPs, all sizes" perftest v4 ib_${verb}_bw -q 16 -a -n 5
	done
}

perftest_ud() {
	point "ib_send_bw, UD" perftest v4 ib_send_bw -c UD -s 1024 -n 50
	point "ib_send_bw, UD, IPv6, 4 QPs" perftest v6 ib_send_bw -c UD -s 64 -n 50 -q 4
	point "ib_send_lat, UD" perftest v4 ib_send_lat -c UD -s 1024 -n 10
}

perftest_xrc() {
	point "ib_send_bw, XRC" perftest v4 ib_send_bw -c XRC -s 65536 -n 20
	point "ib_send_lat, XRC" perftest v6 ib_send_lat -c XRC -s 64 -n 50
	point "ib_write_bw, XRC" perftest v6 ib_write_bw -c XRC -s 65536 -n 20
	point "ib_read_bw, XRC" perftest v4 ib_read_bw -c XRC -s 65536 -n 20
	point "ib_send_bw, XRC, 4 QPs" perftest v4 ib_send_bw -c XRC -q 4 -s 4096 -n 20
}

perftest_events() {
	point "ib_send_bw, events" perftest v4 ib_send_bw -e -s 65536 -n 20
	point "ib_send_lat, events" perftest v4 ib_send_lat -e -s 64 -n 50
	point "ib_read_bw, events" perftest v6 ib_read_bw -e -s 65536 -n 20
}

perftest_by_cm() {
	local verb
	for verb in send write read; do
		point "ib_${verb}_bw -R" perftest_cm v4 ib_${verb}_bw -s 65536 -n 20
		point "ib_${verb}_lat -R" perftest_cm v6 ib_${verb}_lat -s 8 -n 20
	done
	point "ib_atomic_bw -R" perftest_cm v4 ib_atomic_bw -n 20
	point "ib_write_bw -R, 16 QPs" perftest_cm v4 ib_write_bw -q 16 -s 4096 -n 10
	point "ib_send_bw -R, UD" perftest_cm v4 ib_send_bw -c UD -s 1024 -n 20
}
