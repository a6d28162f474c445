. /croce/tests/lib/fabric.sh
. /croce/tests/lib/pair.sh
. /croce/tests/lib/perftest.sh
. /croce/tests/lib/bottleneck.sh
LIMIT=15
fabric bottleneck
for algo in none dcqcn; do
cc a algorithm $algo
cc b algorithm $algo
for tool in ib_write_bw ib_read_bw; do
echo "== $algo $tool"
( stream v4 $tool -s 65536 -n ${N:-400} --report_gbits ) | tail -3
cat $CLIENT_LOG | tail -2
for c in np_ecn_marked_roce_packets np_cnp_sent rp_cnp_handled rp_cnp_ignored packet_seq_err implied_nak_seq_err roce_adp_retrans local_ack_timeout_err; do echo $c $(counter a $c) $(counter b $c); done
ip netns exec switch tc -s qdisc show dev sb
done
done
