rdma system set netns exclusive
ip netns add a; ip netns add b
ip link add va netns a type veth peer name vb netns b
for n in a b; do ip -n $n link set lo up; ip -n $n link set v$n up ${MTU:+mtu $MTU}; done
ip -n a addr add 10.0.0.1/24 dev va; ip -n b addr add 10.0.0.2/24 dev vb
ip -n a addr add fd00::1/64 dev va nodad; ip -n b addr add fd00::2/64 dev vb nodad
ip netns exec a rdma link add ca type croce netdev va
ip netns exec b rdma link add cb type croce netdev vb
A="ip netns exec a"; B="ip netns exec b"
