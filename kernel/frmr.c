// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fast registration: the consumer maps a list of pages while the key is not
 * valid, and the send queue makes it valid (REG_MR) and invalid (LOCAL_INV).
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include "mr.h"

/**
 * croce_alloc_mr - allocate a region for fast registration
 * @pd: protection domain
 * @type: IB_MR_TYPE_MEM_REG
 * @max_num_sg: most pages of one registration
 *
 * Return: region or ERR_PTR. Context: process, may sleep.
 */
struct ib_mr *croce_alloc_mr(struct ib_pd *pd, enum ib_mr_type type,
			     u32 max_num_sg)
{
	struct croce_mr *mr;
	int err = -ENOMEM;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_sg || max_num_sg > CROCE_MAX_FRMR_PAGES)
		return ERR_PTR(-EINVAL);

	mr = croce_mr_alloc(pd, CROCE_MR_FRMR);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->blocks = kvcalloc(max_num_sg, sizeof(*mr->blocks), GFP_KERNEL);
	if (!mr->blocks)
		goto err_free_mr;
	mr->max_blocks = max_num_sg;
	err = croce_mr_insert(mr);
	if (err)
		goto err_free_blocks;
	mr->ibmr.lkey = mr->key;
	mr->ibmr.rkey = mr->key;
	return &mr->ibmr;

err_free_blocks:
	kvfree(mr->blocks);
err_free_mr:
	kfree(mr);
	return ERR_PTR(err);
}

static int set_page(struct ib_mr *ibmr, u64 addr)
{
	struct croce_mr *mr = croce_mr(ibmr);

	if (mr->nblocks == mr->max_blocks)
		return -ENOMEM;
	mr->blocks[mr->nblocks++] = addr;
	return 0;
}

/**
 * croce_map_mr_sg - put pages into a region that is not valid
 * @ibmr: region; its page size is set
 * @sg: pages, mapped
 * @sg_nents: elements of @sg
 * @sg_offset: byte of the first element to begin at, or NULL
 *
 * Return: elements mapped, or -errno. Context: any.
 */
int croce_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		    unsigned int *sg_offset)
{
	struct croce_mr *mr = croce_mr(ibmr);
	int mapped;

	if (!is_power_of_2(ibmr->page_size))
		return -EINVAL;
	mr->nblocks = 0;
	mapped = ib_sg_to_pages(ibmr, sg, sg_nents, sg_offset, set_page);
	mr->shift = ilog2(ibmr->page_size);
	mr->base = ibmr->iova & (ibmr->page_size - 1);
	return mapped;
}

/**
 * croce_mr_reg - REG_MR: make a mapped region valid
 * @dev: device
 * @mr: region
 * @key: key it shall have; the number must be its own
 * @access: IB_ACCESS_*
 *
 * Address and length are taken now, since a consumer may have changed them
 * after mapping.
 *
 * Return: 0 or -EINVAL. Context: bottom halves off, no reference from
 * croce_mr_get() held.
 */
int croce_mr_reg(struct croce_dev *dev, struct croce_mr *mr, u32 key,
		 u32 access)
{
	int err = -EINVAL;

	spin_lock_bh(&mr->lock);
	if (mr->type != CROCE_MR_FRMR || croce_dev(mr->pd->device) != dev ||
	    croce_key_index(mr->key) != croce_key_index(key) || mr->valid ||
	    mr->base + mr->ibmr.length > (u64)mr->nblocks << mr->shift)
		goto out_unlock;

	/* Those who found the old key hold references for a moment more. */
	croce_mr_quiesce_locked(mr);
	mr->key = key;
	mr->access = access;
	mr->iova = mr->ibmr.iova;
	mr->length = mr->ibmr.length;
	croce_mr_validate_locked(mr);
	err = 0;
out_unlock:
	spin_unlock_bh(&mr->lock);
	return err;
}
