/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters: per CPU, lock-free, read through hw_counters and rdma statistic.
 * Names that mlx5 has mean what they mean there. L2.
 */
#ifndef CROCE_STATS_H
#define CROCE_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>

/**
 * enum croce_counter - index of a counter; names are in stats.c
 *
 * The first group has mlx5's names and meanings
 * (ports/<n>/hw_counters), the second rxe's, the third are the reasons for
 * which a packet was dropped (drop_*).
 *
 * @CROCE_CNT_RX_WRITE_REQUESTS: WRITE requests executed
 * @CROCE_CNT_RX_READ_REQUESTS: READ requests executed
 * @CROCE_CNT_RX_ATOMIC_REQUESTS: atomic requests executed
 * @CROCE_CNT_OUT_OF_BUFFER: a receive WQE was needed and none was posted
 * @CROCE_CNT_OUT_OF_SEQUENCE: requests ahead of the expected PSN
 * @CROCE_CNT_DUPLICATE_REQUEST: requests that were executed before
 * @CROCE_CNT_RNR_NAK_RETRY_ERR: RNR NAKs received
 * @CROCE_CNT_PACKET_SEQ_ERR: sequence NAKs received
 * @CROCE_CNT_IMPLIED_NAK_SEQ_ERR: gaps in responses
 * @CROCE_CNT_LOCAL_ACK_TIMEOUT_ERR: acknowledgement timeouts
 * @CROCE_CNT_RESP_LOCAL_LENGTH_ERROR: messages longer than the receive WQE
 * @CROCE_CNT_RESP_CQE_ERROR: receive completions with an error
 * @CROCE_CNT_REQ_CQE_ERROR: send completions with an error
 * @CROCE_CNT_REQ_REMOTE_INVALID_REQUEST: NAKs for invalid requests received
 * @CROCE_CNT_REQ_REMOTE_ACCESS_ERRORS: NAKs for access errors received
 * @CROCE_CNT_RESP_REMOTE_ACCESS_ERRORS: NAKs for access errors sent
 * @CROCE_CNT_RESP_CQE_FLUSH_ERROR: receive completions flushed
 * @CROCE_CNT_REQ_CQE_FLUSH_ERROR: send completions flushed
 * @CROCE_CNT_REQ_TRANSPORT_RETRIES_EXCEEDED: retry counts used up
 * @CROCE_CNT_REQ_RNR_RETRIES_EXCEEDED: RNR retry counts used up
 * @CROCE_CNT_ROCE_ADP_RETRANS: early retransmissions
 * @CROCE_CNT_RX_ICRC_ENCAPSULATED: packets with a wrong ICRC
 * @CROCE_CNT_NP_ECN_MARKED_ROCE_PACKETS: packets with a congestion mark
 * @CROCE_CNT_NP_CNP_SENT: congestion notifications sent
 * @CROCE_CNT_RP_CNP_HANDLED: congestion notifications that were heeded
 * @CROCE_CNT_RP_CNP_IGNORED: those that were not, for want of an algorithm
 * @CROCE_CNT_SENT_PKTS: packets given to the stack
 * @CROCE_CNT_SENT_BYTES: their bytes
 * @CROCE_CNT_RCVD_PKTS: packets and unsplit runs received
 * @CROCE_CNT_RCVD_BYTES: their bytes
 * @CROCE_CNT_SEND_ERR: packets that the stack refused
 * @CROCE_CNT_SEND_RNR_ERR: RNR NAKs sent
 * @CROCE_CNT_LINK_DOWNED: times the port went down
 * @CROCE_CNT_PAGE_FAULTS: times an access to a region on demand had to wait
 * @CROCE_CNT_DROP_MALFORMED: no packet that the parser knows
 * @CROCE_CNT_DROP_NO_QP: no such queue pair
 * @CROCE_CNT_DROP_ADDRESS: not from the peer, or not to the queue pair
 * @CROCE_CNT_DROP_PKEY: wrong P_Key
 * @CROCE_CNT_DROP_QKEY: wrong Q_Key
 * @CROCE_CNT_DROP_STATE: queue pair not ready to receive
 * @CROCE_CNT_DROP_OPCODE: not of the queue pair's type
 * @CROCE_CNT_DROP_UD_LENGTH: datagram longer than the receive WQE
 * @CROCE_CNT_DROP_BACKLOG: too much waits for a busy queue pair
 * @CROCE_CNT_DROP_MEMORY: out of memory
 * @CROCE_CNT_NUM: number of counters
 */
enum croce_counter {
	/* mlx5's */
	CROCE_CNT_RX_WRITE_REQUESTS,
	CROCE_CNT_RX_READ_REQUESTS,
	CROCE_CNT_RX_ATOMIC_REQUESTS,
	CROCE_CNT_OUT_OF_BUFFER,
	CROCE_CNT_OUT_OF_SEQUENCE,
	CROCE_CNT_DUPLICATE_REQUEST,
	CROCE_CNT_RNR_NAK_RETRY_ERR,
	CROCE_CNT_PACKET_SEQ_ERR,
	CROCE_CNT_IMPLIED_NAK_SEQ_ERR,
	CROCE_CNT_LOCAL_ACK_TIMEOUT_ERR,
	CROCE_CNT_RESP_LOCAL_LENGTH_ERROR,
	CROCE_CNT_RESP_CQE_ERROR,
	CROCE_CNT_REQ_CQE_ERROR,
	CROCE_CNT_REQ_REMOTE_INVALID_REQUEST,
	CROCE_CNT_REQ_REMOTE_ACCESS_ERRORS,
	CROCE_CNT_RESP_REMOTE_ACCESS_ERRORS,
	CROCE_CNT_RESP_CQE_FLUSH_ERROR,
	CROCE_CNT_REQ_CQE_FLUSH_ERROR,
	CROCE_CNT_REQ_TRANSPORT_RETRIES_EXCEEDED,
	CROCE_CNT_REQ_RNR_RETRIES_EXCEEDED,
	CROCE_CNT_ROCE_ADP_RETRANS,
	CROCE_CNT_RX_ICRC_ENCAPSULATED,
	CROCE_CNT_NP_ECN_MARKED_ROCE_PACKETS,
	CROCE_CNT_NP_CNP_SENT,
	CROCE_CNT_RP_CNP_HANDLED,
	CROCE_CNT_RP_CNP_IGNORED,
	/* rxe's */
	CROCE_CNT_SENT_PKTS,
	CROCE_CNT_SENT_BYTES,
	CROCE_CNT_RCVD_PKTS,
	CROCE_CNT_RCVD_BYTES,
	CROCE_CNT_SEND_ERR,
	CROCE_CNT_SEND_RNR_ERR,
	CROCE_CNT_LINK_DOWNED,
	/* ours */
	CROCE_CNT_PAGE_FAULTS,
	/* reasons of dropped packets */
	CROCE_CNT_DROP_MALFORMED,
	CROCE_CNT_DROP_NO_QP,
	CROCE_CNT_DROP_ADDRESS,
	CROCE_CNT_DROP_PKEY,
	CROCE_CNT_DROP_QKEY,
	CROCE_CNT_DROP_STATE,
	CROCE_CNT_DROP_OPCODE,
	CROCE_CNT_DROP_UD_LENGTH,
	CROCE_CNT_DROP_BACKLOG,
	CROCE_CNT_DROP_MEMORY,
	CROCE_CNT_NUM
};

/**
 * struct croce_stats - the counters of one CPU
 * @value: indexed by enum croce_counter; written by the owning CPU only
 */
struct croce_stats {
	u64 value[CROCE_CNT_NUM];
};

struct croce_dev;
struct ib_device_ops;

#define croce_count(dev, counter)	\
	this_cpu_inc((dev)->stats->value[counter])
#define croce_count_add(dev, counter, n)	\
	this_cpu_add((dev)->stats->value[counter], n)

u64 croce_stats_read(const struct croce_dev *dev, enum croce_counter counter);

extern const struct ib_device_ops croce_stats_ops;

#endif /* CROCE_STATS_H */
