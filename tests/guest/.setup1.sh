ip link add va type veth peer name vb
ip link set va up; ip link set vb up; ip addr add 10.0.0.1/24 dev va; ip -6 addr add fd00::1/64 dev va nodad
rdma link add croce0 type croce netdev va
sleep 1
