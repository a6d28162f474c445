# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# croce and another driver at the two ends, each as the client of the other.

# both_ways SUITE...: functions with points
both_ways() {
	local suite
	for suite; do
		roles b a
		LABEL="${DRIVER[a]} to ${DRIVER[b]}: "
		"$suite"
		roles a b
		LABEL="${DRIVER[b]} to ${DRIVER[a]}: "
		"$suite"
	done
}
