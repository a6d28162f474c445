# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# A bad link: netem at both ends.

# spoil WORDS...: for netem; without words, the link is good again
spoil() {
	local end
	for end in $ENDS; do
		at "$end" tc qdisc del dev "${NIC[$end]}" root 2>/dev/null || :
		[ $# = 0 ] || at "$end" tc qdisc add dev "${NIC[$end]}" root netem limit 20000 "$@"
	done
}

# xfer_over "NETEM WORDS" FAMILY ARGUMENT...
xfer_over() {
	local how=$1
	shift
	# shellcheck disable=SC2086 # words
	spoil $how
	xfer "$@"
	spoil
}
