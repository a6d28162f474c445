// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* UD: what is dropped, and counted. */

#include "errors.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct shot {
	uint32_t qpn;		/* 0: the other side's */
	uint32_t qkey;		/* 0: the right one */
	uint32_t len;
};

/* Send a datagram; the sender must see it succeed. */
static int shoot(struct side *a, struct side *b, struct shot shot)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .num_sge = 1,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_sge sge = part(a, 0, shot.len);
	struct ibv_ah_attr attr;
	int bad;

	set_path(&attr);
	wr.sg_list = &sge;
	wr.wr.ud.ah = ibv_create_ah(a->pd, &attr);
	if (!wr.wr.ud.ah)
		return complain("no AH: %s", strerror(errno));
	wr.wr.ud.remote_qpn = shot.qpn ? shot.qpn : b->qp->qp_num;
	wr.wr.ud.remote_qkey = shot.qkey ? shot.qkey : QKEY;
	bad = post_wr(a, &wr);
	if (bad)
		return bad;
	bad = wait_for(a, IBV_WC_SUCCESS);
	ibv_destroy_ah(wr.wr.ud.ah);
	return bad;
}

/* A datagram that is dropped: a counter says so, the next good one arrives. */
static int dropped(struct shot shot, uint32_t room, bool has_receive, const char *name)
{
	struct how how = { .type = IBV_QPT_UD };
	long long before = counter(name);
	struct ibv_sge to;
	struct side a, b;
	int bad = pair_open(&a, &b, &how);

	if (bad)
		return bad;
	to = part(&b, 0, room);
	if (has_receive)
		bad = receive(&b, &to, 1);
	bad = bad || shoot(&a, &b, shot) || nothing(&b);
	if (!bad && counter(name) <= before)
		bad = complain("%s did not count", name);
	to = part(&b, 0, 4096);
	if (!has_receive || room < 40 + 16)
		bad = bad || receive(&b, &to, 1);
	shot = (struct shot){ .len = 16 };
	bad = bad || shoot(&a, &b, shot) || wait_for(&b, IBV_WC_SUCCESS);
	pair_close(&a, &b);
	return bad;
}

int wrong_qkey(void)
{
	return dropped((struct shot){ .qkey = 0x222, .len = 16 }, 4096, true, "drop_qkey");
}

int unknown_qpn(void)
{
	return dropped((struct shot){ .qpn = 0xfffff0, .len = 16 }, 4096, true, "drop_no_qp");
}

int datagram_receive_too_short(void)
{
	return dropped((struct shot){ .len = 500 }, 300, true, "drop_ud_length");
}

int datagram_without_receive(void)
{
	return dropped((struct shot){ .len = 16 }, 0, false, "out_of_buffer");
}

int datagram_too_long(void)
{
	struct how how = { .type = IBV_QPT_UD };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .num_sge = 1,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_ah_attr attr;
	struct ibv_sge sge;
	struct side a, b;
	int bad = pair_open(&a, &b, &how), err;

	if (bad)
		return bad;
	set_path(&attr);
	sge = part(&a, 0, 1025);	/* the MTU is 1024 */
	wr.sg_list = &sge;
	wr.wr.ud.ah = ibv_create_ah(a.pd, &attr);
	wr.wr.ud.remote_qpn = b.qp->qp_num;
	wr.wr.ud.remote_qkey = QKEY;
	err = post_wr(&a, &wr);
	bad = err ? REFUSED(err, EINVAL) : wait_for(&a, IBV_WC_LOC_LEN_ERR);
	ibv_destroy_ah(wr.wr.ud.ah);
	pair_close(&a, &b);
	return bad;
}
