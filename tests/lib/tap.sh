# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Test points, one TAP line each, with the reason beside those that fail.
#
#   point NAME COMMAND...   run a command (a function): 0 passes, 77 skips (the last
#                           line of its output says why), anything else fails
#   skip_point NAME WHY
#   finish                  ends the script: 1 if a point failed
#   excuses FILE            points that are not to run, for no fault of croce: lines
#                           "KERNELS | PATTERN OF NAMES | WHY"
#   LABEL=...               goes in front of the names of points
#
# Inside of a point the shell's -e holds: the first command that fails ends it, and
# is named.  `die REASON` ends it with words, `skip WHY` as a skip.

set -eu
POINTS=0
FAILED=0
LABEL=
EXCUSES=
LOGS=${OUT:-$(mktemp -d)}
export LC_ALL=C

die() {
	echo "$*"
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

excuses() {
	EXCUSES=$1
}

# excuse_for NAME: why it does not run
excuse_for() {
	local kernels pattern why
	[ -n "$EXCUSES" ] || return 1
	while IFS='|' read -r kernels pattern why; do
		case ,$kernels, in *,"${LAB_KERNEL:-}",*) ;; *) continue ;; esac
		# shellcheck disable=SC2254 # it is a pattern
		case $1 in $pattern) echo "$why"; return ;; esac
	done < <(sed 's/ *| */|/g; /^#/d' "$EXCUSES")
	return 1
}

point() {
	local name=$LABEL$1 log status start=$SECONDS why
	shift
	if why=$(excuse_for "$name"); then
		skip_point "$name" "$why"
		return
	fi
	POINTS=$((POINTS + 1))
	log=$LOGS/$POINTS.log
	set +e
	(
		trap end_jobs EXIT
		set -eE
		trap 'echo "failed ($?): $BASH_COMMAND"' ERR
		"$@"
	) >"$log" 2>&1 </dev/null
	status=$?
	set -e
	case $status in
	0) echo "ok $POINTS - $name" ;;
	77) echo "ok $POINTS - $name # SKIP $(tail -n 1 "$log")" ;;
	*)
		echo "not ok $POINTS - $name"
		tail -n 25 "$log" | sed 's/^/# /'
		FAILED=$((FAILED + 1))
		;;
	esac
	[ $((SECONDS - start)) -lt 20 ] || echo "# ($((SECONDS - start)) s)"
}

# What a point started in the background ends with it: a process that lives on keeps its
# network namespace alive.
end_jobs() {
	local pids
	pids=$(jobs -p)
	# shellcheck disable=SC2086 # a list
	[ -z "$pids" ] || { kill -9 $pids; wait $pids; } 2>/dev/null || :
}

skip_point() {
	POINTS=$((POINTS + 1))
	echo "ok $POINTS - $1 # SKIP $2"
}

finish() {
	echo "1..$POINTS"
	[ "$FAILED" = 0 ] && exit 0
	exit 1
}

# until_true SECONDS COMMAND...: wait for a condition
until_true() {
	local limit=$1 end
	shift
	end=$((SECONDS + limit))
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt "$end" ] || return 1
		sleep 0.05
	done
}
