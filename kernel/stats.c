// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters of the port: names, and the sums over all CPUs.
 */
#include <rdma/ib_verbs.h>
#include "dev.h"
#include "stats.h"

#define COUNTER(symbol, text) [CROCE_CNT_##symbol] = { .name = text }

static const struct rdma_stat_desc descs[] = {
	COUNTER(RX_WRITE_REQUESTS, "rx_write_requests"),
	COUNTER(RX_READ_REQUESTS, "rx_read_requests"),
	COUNTER(RX_ATOMIC_REQUESTS, "rx_atomic_requests"),
	COUNTER(OUT_OF_BUFFER, "out_of_buffer"),
	COUNTER(OUT_OF_SEQUENCE, "out_of_sequence"),
	COUNTER(DUPLICATE_REQUEST, "duplicate_request"),
	COUNTER(RNR_NAK_RETRY_ERR, "rnr_nak_retry_err"),
	COUNTER(PACKET_SEQ_ERR, "packet_seq_err"),
	COUNTER(IMPLIED_NAK_SEQ_ERR, "implied_nak_seq_err"),
	COUNTER(LOCAL_ACK_TIMEOUT_ERR, "local_ack_timeout_err"),
	COUNTER(RESP_LOCAL_LENGTH_ERROR, "resp_local_length_error"),
	COUNTER(RESP_CQE_ERROR, "resp_cqe_error"),
	COUNTER(REQ_CQE_ERROR, "req_cqe_error"),
	COUNTER(REQ_REMOTE_INVALID_REQUEST, "req_remote_invalid_request"),
	COUNTER(REQ_REMOTE_ACCESS_ERRORS, "req_remote_access_errors"),
	COUNTER(RESP_REMOTE_ACCESS_ERRORS, "resp_remote_access_errors"),
	COUNTER(RESP_CQE_FLUSH_ERROR, "resp_cqe_flush_error"),
	COUNTER(REQ_CQE_FLUSH_ERROR, "req_cqe_flush_error"),
	COUNTER(REQ_TRANSPORT_RETRIES_EXCEEDED, "req_transport_retries_exceeded"),
	COUNTER(REQ_RNR_RETRIES_EXCEEDED, "req_rnr_retries_exceeded"),
	COUNTER(ROCE_ADP_RETRANS, "roce_adp_retrans"),
	COUNTER(RX_ICRC_ENCAPSULATED, "rx_icrc_encapsulated"),
	COUNTER(NP_ECN_MARKED_ROCE_PACKETS, "np_ecn_marked_roce_packets"),
	COUNTER(SENT_PKTS, "sent_pkts"),
	COUNTER(SENT_BYTES, "sent_bytes"),
	COUNTER(RCVD_PKTS, "rcvd_pkts"),
	COUNTER(RCVD_BYTES, "rcvd_bytes"),
	COUNTER(SEND_ERR, "send_err"),
	COUNTER(SEND_RNR_ERR, "send_rnr_err"),
	COUNTER(LINK_DOWNED, "link_downed"),
	COUNTER(DROP_MALFORMED, "drop_malformed"),
	COUNTER(DROP_NO_QP, "drop_no_qp"),
	COUNTER(DROP_ADDRESS, "drop_address"),
	COUNTER(DROP_PKEY, "drop_pkey"),
	COUNTER(DROP_QKEY, "drop_qkey"),
	COUNTER(DROP_STATE, "drop_state"),
	COUNTER(DROP_OPCODE, "drop_opcode"),
	COUNTER(DROP_UD_LENGTH, "drop_ud_length"),
	COUNTER(DROP_NO_RQE, "drop_no_rqe"),
	COUNTER(DROP_BACKLOG, "drop_backlog"),
	COUNTER(DROP_MEMORY, "drop_memory"),
};
static_assert(ARRAY_SIZE(descs) == CROCE_CNT_NUM);

/**
 * croce_stats_read - value of one counter
 * @dev: device
 * @counter: which
 *
 * Return: sum over all CPUs; exact once nobody counts any more. Context: any.
 */
u64 croce_stats_read(const struct croce_dev *dev, enum croce_counter counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(dev->stats, cpu)->value[counter]);
	return sum;
}

static struct rdma_hw_stats *alloc_hw_port_stats(struct ib_device *ibdev,
						 u32 port)
{
	return rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
			u32 port, int index)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(descs); i++)
		stats->value[i] = croce_stats_read(croce_dev(ibdev), i);
	return ARRAY_SIZE(descs);
}

const struct ib_device_ops croce_stats_ops = {
	.alloc_hw_port_stats = alloc_hw_port_stats,
	.get_hw_stats = get_hw_stats,
};
