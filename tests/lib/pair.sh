# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# A server at one end, a client at the other, and a judgement on both.
#
#   roles SERVER CLIENT     which end is which (b and a at first): sets S and C
#   pair READY SERVER-COMMAND... -- CLIENT-COMMAND...
#       READY is how to see that the server listens: tcp:PORT, cm (an rdma_cm listener),
#       or a number of seconds.  Succeeds when both commands succeed; prints their
#       output.  LIMIT seconds for each (60).  Output stays in $SERVER_LOG, $CLIENT_LOG.

S=b
C=a
LIMIT=${LIMIT:-60}
SERVER_LOG=$LOGS/server.log
CLIENT_LOG=$LOGS/client.log

roles() {
	S=$1
	C=$2
}

listens_on_tcp() {
	at "$S" ss -Hltn "sport = :$1" | grep -q .
}

# rdma_listen() shows the state some time before the listener is entered where requests are
# looked up, and a request that comes between is rejected: "invalid service ID" (8). When it
# has returned, the program sleeps for events.
listens_by_cm() {
	local pid
	pid=$(at "$S" rdma resource show cm_id | grep "comm ${1:0:15}" | grep LISTEN |
		grep -o 'pid [0-9]*' | grep -m 1 -o '[0-9]*')
	[ -n "$pid" ] && at "$S" cat "/proc/$pid/status" "/proc/$pid"/task/*/status | is_asleep
}

is_asleep() {
	! grep '^State:' | grep -v 'S (sleeping)'
}

# wait_for_server READY PROGRAM
wait_for_server() {
	case $1 in
	tcp:*) until_true 20 listens_on_tcp "${1#tcp:}" ;;
	cm) until_true 20 listens_by_cm "$2" ;;
	*) sleep "$1" ;;
	esac
}

is_gone() {
	! kill -0 "$1" 2>/dev/null
}

# wait_or_kill PID SECONDS: its status, or 124
wait_or_kill() {
	local pid=$1 status=0
	until_true "$2" is_gone "$pid" && {
		wait "$pid" || status=$?
		return $status
	}
	kill "$pid" 2>/dev/null || :	# timeout(1) passes it on
	until_true 5 is_gone "$pid" || kill -9 "$pid" 2>/dev/null || :
	wait "$pid" 2>/dev/null || :
	return 124
}

show_logs() {
	echo "--- server (${DEV[$S]} at $S), status $1:"
	tail -n 10 "$SERVER_LOG"
	echo "--- client (${DEV[$C]} at $C), status $2:"
	tail -n 10 "$CLIENT_LOG"
}

pair() {
	local ready=$1 server=() pid s=0 c=0
	shift
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	spawn "$S" timeout -k 2 $((LIMIT + 20)) "${server[@]}" >"$SERVER_LOG" 2>&1
	pid=$SPAWNED
	wait_for_server "$ready" "${server[0]##*/}" || {
		wait_or_kill "$pid" 0 || s=$?
		show_logs $s "not started"
		die "the server does not listen: ${server[*]}"
	}
	at "$C" timeout -k 2 "$LIMIT" "$@" >"$CLIENT_LOG" 2>&1 || c=$?
	wait_or_kill "$pid" $((c ? 2 : LIMIT)) || s=$?
	[ "$s$c" = 00 ] && return
	show_logs $s $c
	[ $c != 124 ] || echo "the client did not end in $LIMIT s"
	[ $s != 124 ] || echo "the server did not end"
	die "failed: ${server[*]} -- $*"
}
