# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# The pingpong programs of libibverbs, between the ends $S and $C.

# pingpong TYPE FAMILY ARGUMENT...
pingpong() {
	local program=ibv_$1_pingpong family=$2
	shift 2
	pair tcp:18515 "$program" -d "${DEV[$S]}" -g "$(gid_index "$S" "$family")" "$@" -- \
		"$program" -d "${DEV[$C]}" -g "$(gid_index "$C" "$family")" "$@" "${IP4[$S]}"
}

pingpong_rc() {
	local family
	for family in v4 v6; do
		point "rc $family" pingpong rc $family -n 20
		point "rc $family, events" pingpong rc $family -n 100 -e
	done
	point "rc ll" pingpong rc ll -n 100 -e
	point "rc, 1 byte" pingpong rc v4 -s 1 -n 100 -e
	point "rc, 1 MB in 256-byte packets" pingpong rc v4 -s 1000000 -m 256 -n 5 -e -c
	point "rc, 64 KiB, compared" pingpong rc v6 -s 65536 -n 20 -e -c
	point "rc, new posting calls" pingpong rc v4 -s 20000 -n 50 -e -N -c
}

pingpong_ud() {
	local family
	for family in v4 v6; do
		point "ud $family" pingpong ud $family -s 1024 -n 20
		point "ud $family, events" pingpong ud $family -s 1000 -n 100 -e -c
	done
	point "ud, 1 byte" pingpong ud v4 -s 1 -n 50 -e
}

pingpong_uc() {
	point "uc v4" pingpong uc v4 -n 20
	point "uc v6, events" pingpong uc v6 -s 65536 -n 50 -e -c
}

# The domain is that of a file, which both ends share: their devices differ.
pingpong_xsrq() {
	point "xsrq v4" pingpong xsrq v4 -n 20
	point "xsrq v6, events" pingpong xsrq v6 -n 100 -e
	point "xsrq v4, 64 KiB in 256-byte packets" pingpong xsrq v4 -s 65536 -m 256 -n 20 -e
}

pingpong_srq() {
	point "srq v4" pingpong srq v4 -n 100 -e
	point "srq v6, 16 QPs" pingpong srq v6 -q 16 -r 500 -n 200 -e -c
}
