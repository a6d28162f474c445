/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a slot must hold for a request, written down from the ABI header and
 * apart from the provider's own writers; and the values that requests of the
 * tests are made of, all different.
 */
#ifndef WANT_H
#define WANT_H

#include <arpa/inet.h>
#include <string.h>

#include "fake.h"

#define WR_ID 0x1122334455667788ULL
#define IMM_NET htonl(0xa1b2c3d4)
#define INV_RKEY 0x0badcafeU
#define RKEY 0x31323334U
#define REMOTE_ADDR 0x4142434445464748ULL
#define COMPARE 0x5152535455565758ULL
#define SWAP 0x6162636465666768ULL
#define AH 0x71727374U
#define QPN 0x00818283U
#define QKEY 0x91929394U
#define SRQN 0x00a18283U
#define MW_OLD_RKEY 0xa1a2a300U
#define MW_NEW_RKEY 0xa1a2a301U
#define MW_ADDR 0xb1b2b3b4b5b6b7b8ULL
#define MW_LENGTH 0xc1c2c3c4c5c6c7c8ULL
#define MW_ACCESS 0x0000001fU
#define MR_LKEY 0xd1d2d3d4U

static inline struct croce_sqe want_sqe(enum ibv_qp_type type, uint8_t opcode,
					uint8_t flags)
{
	struct croce_sqe want = {
		.wr_id = WR_ID,
		.opcode = opcode,
		.flags = flags,
	};

	if (type == IBV_QPT_UD) {
		want.ah = AH;
		want.remote_qpn = QPN;
		want.remote_qkey = QKEY;
	}
	if (type == IBV_QPT_XRC_SEND)
		want.remote_qpn = SRQN;

	switch (opcode) {
	case 0: /* RDMA_WRITE */
	case 4: /* RDMA_READ */
		want.rkey = RKEY;
		want.remote_addr = REMOTE_ADDR;
		break;
	case 1: /* RDMA_WRITE_WITH_IMM */
		want.rkey = RKEY;
		want.remote_addr = REMOTE_ADDR;
		want.imm = IMM_NET;
		break;
	case 3: /* SEND_WITH_IMM */
		want.imm = IMM_NET;
		break;
	case 5: /* ATOMIC_CMP_AND_SWP */
		want.swap = SWAP;
		/* fall through */
	case 6: /* ATOMIC_FETCH_AND_ADD */
		want.rkey = RKEY;
		want.remote_addr = REMOTE_ADDR;
		want.compare_add = COMPARE;
		break;
	case 7: /* LOCAL_INV */
	case 9: /* SEND_WITH_INV */
		want.imm = INV_RKEY;
		break;
	case 8: /* BIND_MW */
		want.rkey = MW_NEW_RKEY;
		want.ah = MW_OLD_RKEY;
		want.remote_addr = MW_ADDR;
		want.compare_add = MW_LENGTH;
		want.swap = MW_ACCESS | (uint64_t)MR_LKEY << 32;
		break;
	}
	return want;
}

/* Every SGE differs in every member. */
static inline struct ibv_sge some_sge(uint32_t i)
{
	return (struct ibv_sge){
		.addr = 0xe000000000000000ULL + i * 0x0101010101ULL,
		.length = 0x1000 + i,
		.lkey = 0xf0000000 + i,
	};
}

static inline void assert_slot(const struct croce_wq *wq, uint32_t index,
			       const struct croce_sqe *want,
			       const void *payload, size_t length)
{
	const struct croce_sqe *sqe = croce_wq_slot(wq, index);
	const uint8_t *rest = (const uint8_t *)(sqe + 1);
	size_t i;

	assert_words(sqe, want, sizeof(*want), "header");
	assert_words(rest, payload, length, "payload");
	for (i = length; i < wq->stride - sizeof(*want); i++)
		if (rest[i] != POISON)
			fail_msg("byte 0x%zx behind the payload was written",
				 i - length);
}

#endif /* WANT_H */
