// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters of the port: names, and the sums over all CPUs.
 */
#include <rdma/ib_verbs.h>
#include "dev.h"
#include "stats.h"

static const struct rdma_stat_desc descs[] = {
	[CROCE_CNT_RX_WRITE_REQUESTS].name = "rx_write_requests",
	[CROCE_CNT_RX_READ_REQUESTS].name = "rx_read_requests",
	[CROCE_CNT_RX_ATOMIC_REQUESTS].name = "rx_atomic_requests",
	[CROCE_CNT_OUT_OF_BUFFER].name = "out_of_buffer",
	[CROCE_CNT_OUT_OF_SEQUENCE].name = "out_of_sequence",
	[CROCE_CNT_DUPLICATE_REQUEST].name = "duplicate_request",
	[CROCE_CNT_RNR_NAK_RETRY_ERR].name = "rnr_nak_retry_err",
	[CROCE_CNT_PACKET_SEQ_ERR].name = "packet_seq_err",
	[CROCE_CNT_IMPLIED_NAK_SEQ_ERR].name = "implied_nak_seq_err",
	[CROCE_CNT_LOCAL_ACK_TIMEOUT_ERR].name = "local_ack_timeout_err",
	[CROCE_CNT_RESP_LOCAL_LENGTH_ERROR].name = "resp_local_length_error",
	[CROCE_CNT_RESP_CQE_ERROR].name = "resp_cqe_error",
	[CROCE_CNT_REQ_CQE_ERROR].name = "req_cqe_error",
	[CROCE_CNT_REQ_REMOTE_INVALID_REQUEST].name = "req_remote_invalid_request",
	[CROCE_CNT_REQ_REMOTE_ACCESS_ERRORS].name = "req_remote_access_errors",
	[CROCE_CNT_RESP_REMOTE_ACCESS_ERRORS].name = "resp_remote_access_errors",
	[CROCE_CNT_RESP_CQE_FLUSH_ERROR].name = "resp_cqe_flush_error",
	[CROCE_CNT_REQ_CQE_FLUSH_ERROR].name = "req_cqe_flush_error",
	[CROCE_CNT_REQ_TRANSPORT_RETRIES_EXCEEDED].name = "req_transport_retries_exceeded",
	[CROCE_CNT_REQ_RNR_RETRIES_EXCEEDED].name = "req_rnr_retries_exceeded",
	[CROCE_CNT_ROCE_ADP_RETRANS].name = "roce_adp_retrans",
	[CROCE_CNT_RX_ICRC_ENCAPSULATED].name = "rx_icrc_encapsulated",
	[CROCE_CNT_NP_ECN_MARKED_ROCE_PACKETS].name = "np_ecn_marked_roce_packets",
	[CROCE_CNT_NP_CNP_SENT].name = "np_cnp_sent",
	[CROCE_CNT_RP_CNP_HANDLED].name = "rp_cnp_handled",
	[CROCE_CNT_RP_CNP_IGNORED].name = "rp_cnp_ignored",
	[CROCE_CNT_SENT_PKTS].name = "sent_pkts",
	[CROCE_CNT_SENT_BYTES].name = "sent_bytes",
	[CROCE_CNT_RCVD_PKTS].name = "rcvd_pkts",
	[CROCE_CNT_RCVD_BYTES].name = "rcvd_bytes",
	[CROCE_CNT_SEND_ERR].name = "send_err",
	[CROCE_CNT_SEND_RNR_ERR].name = "send_rnr_err",
	[CROCE_CNT_LINK_DOWNED].name = "link_downed",
	[CROCE_CNT_PAGE_FAULTS].name = "page_faults",
	[CROCE_CNT_DROP_MALFORMED].name = "drop_malformed",
	[CROCE_CNT_DROP_NO_QP].name = "drop_no_qp",
	[CROCE_CNT_DROP_ADDRESS].name = "drop_address",
	[CROCE_CNT_DROP_PKEY].name = "drop_pkey",
	[CROCE_CNT_DROP_QKEY].name = "drop_qkey",
	[CROCE_CNT_DROP_STATE].name = "drop_state",
	[CROCE_CNT_DROP_OPCODE].name = "drop_opcode",
	[CROCE_CNT_DROP_UD_LENGTH].name = "drop_ud_length",
	[CROCE_CNT_DROP_BACKLOG].name = "drop_backlog",
	[CROCE_CNT_DROP_MEMORY].name = "drop_memory",
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
