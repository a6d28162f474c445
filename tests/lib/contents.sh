# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# xfer (tests/lib/xfer) between the ends $S and $C: all verbs, contents compared.

# xfer FAMILY ARGUMENT...: both ends get the arguments
xfer() {
	local family=$1 program
	shift
	program=$(tool xfer)
	set -- -W 20 "$@"
	pair tcp:18600 "$program" -d "${DEV[$S]}" -x "$(gid_index "$S" "$family")" "$@" -- \
		"$program" -d "${DEV[$C]}" -x "$(gid_index "$C" "$family")" "$@" "${IP4[$S]}"
	tail -n 1 "$CLIENT_LOG"
}

# What two CPUs send may overtake each other, which UC and UD take for a loss; and a queue pair
# may send where it has just received.
on_one_cpu() (
	taskset -pc 0 "$BASHPID" >/dev/null
	"$@"
)

# Sizes 0 to 67 and around the first multiples of the MTU, then random ones.
contents_rc() {
	point "rc v4: all sizes, all verbs" xfer v4 -w -t 2
	point "rc v6: all sizes, all verbs" xfer v6 -w -t 2 -S 2
	point "rc v4: all sizes in 256-byte packets" xfer v4 -w -m 256 -S 3
	point "rc v6: 1 element each, nothing inlined" xfer v6 -w -g 1 -I 0 -S 4
	point "rc v4: new posting calls" xfer v4 -w -X -S 5
	point "rc v6: new posting calls, 1 element each" xfer v6 -w -X -g 1 -I 0 -S 5
	point "rc v4: polling" xfer v4 -P -t 2 -s 65536 -S 6
	point "rc v4: receives posted late" xfer v4 -L -t 2 -s 65536 -S 7 -o send,send_imm,write_imm
	point "rc v6: receives posted late, all verbs" xfer v6 -L -t 2 -s 65536 -S 7
	point "rc v4: 16 QPs, one shared word" xfer v4 -q 16 -t 3 -s 65536 -S 8
	point "rc v4: atomics of 8 QPs" xfer v4 -q 8 -t 2 -s 64 -S 9 -o cas,add,hot
}

contents_xrc() {
	point "xrc v4: all sizes, all verbs" xfer v4 -T xrc -w -t 2 -S 11
	point "xrc v6: all sizes in 256-byte packets, new posting calls" xfer v6 -T xrc -w -X -m 256 -S 12
	point "xrc v4: 1 element each, nothing inlined" xfer v4 -T xrc -w -g 1 -I 0 -S 13
	point "xrc v4: receives posted late" xfer v4 -T xrc -L -t 2 -s 65536 -S 14
	point "xrc v6: 16 pairs of QPs in one domain" xfer v6 -T xrc -q 16 -t 3 -s 65536 -S 15
	point "xrc v4: memory on demand" xfer v4 -T xrc -O -t 2 -s 65536 -S 16
}

contents_ud() {
	point "ud v4: all sizes" on_one_cpu xfer v4 -T ud -w -S 1
	point "ud v6: all sizes" on_one_cpu xfer v6 -T ud -w -S 2
	point "ud v4: new posting calls" on_one_cpu xfer v4 -T ud -w -X -S 3
}

contents_uc() {
	point "uc v4: all sizes" on_one_cpu xfer v4 -T uc -w -S 1 -o send,send_imm,write_imm
}
