// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parser and builder of the transport headers. The peer is hostile: nothing is
 * read before the length says that it is there, and no length is subtracted
 * before it was compared.
 *
 * Headers follow one another in the order of the CROCE_OPF_ header flags; each
 * get_ and put_ function moves one and returns where the next one starts.
 */
#include "parse.h"

static const u8 *get_bth(struct croce_pkt *pkt, const u8 *p)
{
	const struct croce_bth *bth = (const void *)p;
	u32 qpn = be32_to_cpu(bth->qpn);
	u32 psn = be32_to_cpu(bth->psn);

	pkt->opcode = bth->opcode;
	pkt->solicited = bth->flags & CROCE_BTH_SE;
	pkt->migreq = bth->flags & CROCE_BTH_MIGREQ;
	pkt->pad = (bth->flags & CROCE_BTH_PAD_MASK) >> CROCE_BTH_PAD_SHIFT;
	pkt->pkey = be16_to_cpu(bth->pkey);
	pkt->fecn = qpn & CROCE_BTH_FECN;
	pkt->becn = qpn & CROCE_BTH_BECN;
	pkt->dest_qpn = qpn & CROCE_QPN_MASK;
	pkt->ackreq = psn & CROCE_BTH_ACKREQ;
	pkt->psn = psn & CROCE_BTH_PSN_MASK;
	return p + sizeof(*bth);
}

static u8 *put_bth(const struct croce_pkt *pkt, u8 *p)
{
	struct croce_bth *bth = (void *)p;

	bth->opcode = pkt->opcode;
	bth->flags = (pkt->solicited ? CROCE_BTH_SE : 0) |
		     (pkt->migreq ? CROCE_BTH_MIGREQ : 0) |
		     ((pkt->pad << CROCE_BTH_PAD_SHIFT) & CROCE_BTH_PAD_MASK);
	bth->pkey = cpu_to_be16(pkt->pkey);
	bth->qpn = cpu_to_be32((pkt->fecn ? CROCE_BTH_FECN : 0) |
			       (pkt->becn ? CROCE_BTH_BECN : 0) |
			       (pkt->dest_qpn & CROCE_QPN_MASK));
	bth->psn = cpu_to_be32((pkt->ackreq ? CROCE_BTH_ACKREQ : 0) |
			       (pkt->psn & CROCE_BTH_PSN_MASK));
	return p + sizeof(*bth);
}

static const u8 *get_deth(struct croce_pkt *pkt, const u8 *p)
{
	const struct croce_deth *deth = (const void *)p;

	pkt->qkey = be32_to_cpu(deth->qkey);
	pkt->src_qpn = be32_to_cpu(deth->src_qpn) & CROCE_QPN_MASK;
	return p + sizeof(*deth);
}

static u8 *put_deth(const struct croce_pkt *pkt, u8 *p)
{
	struct croce_deth *deth = (void *)p;

	deth->qkey = cpu_to_be32(pkt->qkey);
	deth->src_qpn = cpu_to_be32(pkt->src_qpn & CROCE_QPN_MASK);
	return p + sizeof(*deth);
}

static const u8 *get_xrceth(struct croce_pkt *pkt, const u8 *p)
{
	const struct croce_xrceth *xrceth = (const void *)p;

	pkt->xrc_srqn = be32_to_cpu(xrceth->srqn) & CROCE_QPN_MASK;
	return p + sizeof(*xrceth);
}

static u8 *put_xrceth(const struct croce_pkt *pkt, u8 *p)
{
	struct croce_xrceth *xrceth = (void *)p;

	xrceth->srqn = cpu_to_be32(pkt->xrc_srqn & CROCE_QPN_MASK);
	return p + sizeof(*xrceth);
}

static const u8 *get_feth(struct croce_pkt *pkt, const u8 *p)
{
	const struct croce_feth *feth = (const void *)p;
	u32 flush = be32_to_cpu(feth->flush);

	pkt->flush_plt = flush & CROCE_FETH_PLT_MASK;
	pkt->flush_sel = (flush & CROCE_FETH_SEL_MASK) >> CROCE_FETH_SEL_SHIFT;
	return p + sizeof(*feth);
}

static u8 *put_feth(const struct croce_pkt *pkt, u8 *p)
{
	struct croce_feth *feth = (void *)p;
	u32 sel = (u32)pkt->flush_sel << CROCE_FETH_SEL_SHIFT;

	feth->flush = cpu_to_be32((pkt->flush_plt & CROCE_FETH_PLT_MASK) |
				  (sel & CROCE_FETH_SEL_MASK));
	return p + sizeof(*feth);
}

static const u8 *get_reth(struct croce_pkt *pkt, const u8 *p)
{
	const struct croce_reth *reth = (const void *)p;

	pkt->va = be64_to_cpu(reth->va);
	pkt->rkey = be32_to_cpu(reth->rkey);
	pkt->dma_len = be32_to_cpu(reth->dma_len);
	return p + sizeof(*reth);
}

static u8 *put_reth(const struct croce_pkt *pkt, u8 *p)
{
	struct croce_reth *reth = (void *)p;

	reth->va = cpu_to_be64(pkt->va);
	reth->rkey = cpu_to_be32(pkt->rkey);
	reth->dma_len = cpu_to_be32(pkt->dma_len);
	return p + sizeof(*reth);
}

static const u8 *get_atomiceth(struct croce_pkt *pkt, const u8 *p)
{
	const struct croce_atomiceth *atomiceth = (const void *)p;

	pkt->va = be64_to_cpu(atomiceth->va);
	pkt->rkey = be32_to_cpu(atomiceth->rkey);
	pkt->swap_add = be64_to_cpu(atomiceth->swap_add);
	pkt->compare = be64_to_cpu(atomiceth->compare);
	return p + sizeof(*atomiceth);
}

static u8 *put_atomiceth(const struct croce_pkt *pkt, u8 *p)
{
	struct croce_atomiceth *atomiceth = (void *)p;

	atomiceth->va = cpu_to_be64(pkt->va);
	atomiceth->rkey = cpu_to_be32(pkt->rkey);
	atomiceth->swap_add = cpu_to_be64(pkt->swap_add);
	atomiceth->compare = cpu_to_be64(pkt->compare);
	return p + sizeof(*atomiceth);
}

static const u8 *get_aeth(struct croce_pkt *pkt, const u8 *p)
{
	const struct croce_aeth *aeth = (const void *)p;
	u32 word = be32_to_cpu(aeth->syndrome_msn);

	pkt->syndrome = word >> CROCE_AETH_SYNDROME_SHIFT;
	pkt->msn = word & CROCE_MSN_MASK;
	return p + sizeof(*aeth);
}

static u8 *put_aeth(const struct croce_pkt *pkt, u8 *p)
{
	u32 syndrome = (u32)pkt->syndrome << CROCE_AETH_SYNDROME_SHIFT;
	struct croce_aeth *aeth = (void *)p;

	aeth->syndrome_msn = cpu_to_be32(syndrome |
					 (pkt->msn & CROCE_MSN_MASK));
	return p + sizeof(*aeth);
}

static const u8 *get_atomicacketh(struct croce_pkt *pkt, const u8 *p)
{
	const struct croce_atomicacketh *atomicacketh = (const void *)p;

	pkt->atomic_orig = be64_to_cpu(atomicacketh->orig);
	return p + sizeof(*atomicacketh);
}

static u8 *put_atomicacketh(const struct croce_pkt *pkt, u8 *p)
{
	struct croce_atomicacketh *atomicacketh = (void *)p;

	atomicacketh->orig = cpu_to_be64(pkt->atomic_orig);
	return p + sizeof(*atomicacketh);
}

static const u8 *get_immdt(struct croce_pkt *pkt, const u8 *p)
{
	const struct croce_immdt *immdt = (const void *)p;

	pkt->imm = immdt->imm;
	return p + sizeof(*immdt);
}

static u8 *put_immdt(const struct croce_pkt *pkt, u8 *p)
{
	struct croce_immdt *immdt = (void *)p;

	immdt->imm = pkt->imm;
	return p + sizeof(*immdt);
}

static const u8 *get_ieth(struct croce_pkt *pkt, const u8 *p)
{
	const struct croce_ieth *ieth = (const void *)p;

	pkt->inv_rkey = be32_to_cpu(ieth->rkey);
	return p + sizeof(*ieth);
}

static u8 *put_ieth(const struct croce_pkt *pkt, u8 *p)
{
	struct croce_ieth *ieth = (void *)p;

	ieth->rkey = cpu_to_be32(pkt->inv_rkey);
	return p + sizeof(*ieth);
}

static u8 *put_cnp_body(u8 *p)
{
	memset(p, 0, sizeof(struct croce_cnp_body));
	return p + sizeof(struct croce_cnp_body);
}

static void get_extended(struct croce_pkt *pkt, const u8 *p, u32 flags)
{
	if (flags & CROCE_OPF_DETH)
		p = get_deth(pkt, p);
	if (flags & CROCE_OPF_XRCETH)
		p = get_xrceth(pkt, p);
	if (flags & CROCE_OPF_FETH)
		p = get_feth(pkt, p);
	if (flags & CROCE_OPF_RETH)
		p = get_reth(pkt, p);
	if (flags & CROCE_OPF_ATOMICETH)
		p = get_atomiceth(pkt, p);
	if (flags & CROCE_OPF_AETH)
		p = get_aeth(pkt, p);
	if (flags & CROCE_OPF_ATOMICACKETH)
		p = get_atomicacketh(pkt, p);
	if (flags & CROCE_OPF_IMM)
		p = get_immdt(pkt, p);
	if (flags & CROCE_OPF_IETH)
		get_ieth(pkt, p);
}

static enum croce_parse check_payload(const struct croce_pkt *pkt, u8 rule)
{
	bool good = false;

	switch ((enum croce_payload)rule) {
	case CROCE_PAYLOAD_NONE:
		good = pkt->payload_len == 0;
		break;
	case CROCE_PAYLOAD_FULL_MTU:
		good = pkt->payload_len >= CROCE_MIN_MTU;
		break;
	case CROCE_PAYLOAD_1_TO_MTU:
		good = pkt->payload_len > 0;
		break;
	case CROCE_PAYLOAD_0_TO_MTU:
		good = true;
		break;
	case CROCE_PAYLOAD_EXACT8:
		good = pkt->payload_len == 8;
		break;
	}
	if (!good || pkt->payload_len > CROCE_MAX_MTU)
		return CROCE_PARSE_BAD_LENGTH;
	return CROCE_PARSE_OK;
}

/**
 * croce_pkt_parse - read and check the transport headers of a packet
 * @pkt: filled in if the verdict is CROCE_PARSE_OK, undefined otherwise
 * @bytes: the packet from the BTH on, of which min(@len, CROCE_MAX_HDR_LEN)
 *	bytes are readable; any alignment
 * @len: length of the packet from the BTH on, ICRC included
 *
 * Verifies neither the ICRC nor the path MTU. Reserved bits are ignored.
 *
 * Context: any. Return: the verdict.
 */
enum croce_parse croce_pkt_parse(struct croce_pkt *pkt, const u8 *bytes,
				 u32 len)
{
	const struct croce_bth *bth = (const void *)bytes;
	const struct croce_opcode_info *info;
	const u8 *p;
	u32 body;

	if (len < sizeof(*bth) + CROCE_ICRC_LEN)
		return CROCE_PARSE_TOO_SHORT;
	info = croce_opcode_info(bth->opcode);
	if (!info->flags)
		return CROCE_PARSE_BAD_OPCODE;
	if (bth->flags & CROCE_BTH_TVER_MASK)
		return CROCE_PARSE_BAD_TVER;
	if (len < (u32)info->hdr_len + CROCE_ICRC_LEN)
		return CROCE_PARSE_TOO_SHORT;
	if (len % 4)
		return CROCE_PARSE_BAD_LENGTH;

	memset(pkt, 0, sizeof(*pkt));
	p = get_bth(pkt, bytes);
	body = len - info->hdr_len - CROCE_ICRC_LEN;
	if (pkt->pad > body)
		return CROCE_PARSE_BAD_PAD;
	if (pkt->pad && info->payload == CROCE_PAYLOAD_FULL_MTU)
		return CROCE_PARSE_BAD_PAD;
	pkt->hdr_len = info->hdr_len;
	pkt->payload_len = body - pkt->pad;
	get_extended(pkt, p, info->flags);
	return check_payload(pkt, info->payload);
}

/**
 * croce_pkt_build - write the transport headers of a packet
 * @bytes: where to write, CROCE_MAX_HDR_LEN bytes; any alignment
 * @pkt: what to write; the opcode must be a known one
 *
 * Writes what the opcode carries and nothing else; bits that a field has no
 * room for are cut off, reserved bits are zero. Payload, pad bytes and ICRC are
 * the caller's.
 *
 * Context: any. Return: bytes written.
 */
u32 croce_pkt_build(u8 *bytes, const struct croce_pkt *pkt)
{
	u32 flags = croce_opcode_flags(pkt->opcode);
	u8 *p = put_bth(pkt, bytes);

	if (flags & CROCE_OPF_DETH)
		p = put_deth(pkt, p);
	if (flags & CROCE_OPF_XRCETH)
		p = put_xrceth(pkt, p);
	if (flags & CROCE_OPF_FETH)
		p = put_feth(pkt, p);
	if (flags & CROCE_OPF_RETH)
		p = put_reth(pkt, p);
	if (flags & CROCE_OPF_ATOMICETH)
		p = put_atomiceth(pkt, p);
	if (flags & CROCE_OPF_AETH)
		p = put_aeth(pkt, p);
	if (flags & CROCE_OPF_ATOMICACKETH)
		p = put_atomicacketh(pkt, p);
	if (flags & CROCE_OPF_IMM)
		p = put_immdt(pkt, p);
	if (flags & CROCE_OPF_IETH)
		p = put_ieth(pkt, p);
	if (flags & CROCE_OPF_CNP_BODY)
		p = put_cnp_body(p);
	return p - bytes;
}
