# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Counters of the ends' devices, and packets on the link.

# counter END NAME
counter() {
	at "$1" cat "/sys/class/infiniband/${DEV[$1]}/ports/1/hw_counters/$2"
}

# counters END: all that are not zero, as NAME=VALUE words
counters() {
	# shellcheck disable=SC2016 # for the shell over there
	at "$1" sh -c 'cd "/sys/class/infiniband/$0/ports/1/hw_counters" || exit
		grep -v "^0$" $(ls | grep -vx lifespan) | tr ":\n" "= "' "${DEV[$1]}"
	echo
}

# both NAME: the sum of both ends
both() {
	echo $(($(counter a "$1") + $(counter b "$1")))
}

# is_counted NAME...: each has counted something, at either end
is_counted() {
	local name
	for name; do
		[ "$(both "$name")" -gt 0 ] || die "$name is 0"
	done
}

# is_zero NAME...: none has counted anything
is_zero() {
	local name
	for name; do
		[ "$(both "$name")" = 0 ] || die "$name is $(both "$name")"
	done
}

# No QP has failed.
no_qp_errors() {
	is_zero req_cqe_error resp_cqe_error req_transport_retries_exceeded \
		req_rnr_retries_exceeded rnr_nak_retry_err req_remote_access_errors \
		req_remote_invalid_request resp_local_length_error
}

# roce_packets END SECONDS: those that come by, a line each
roce_packets() {
	at "$1" timeout "$2" tcpdump -t -n -x -i "${NIC[$1]}" udp port 4791 2>/dev/null || :
}
