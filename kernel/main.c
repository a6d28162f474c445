// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The module: what comes and goes with it, and `rdma link add ... type croce`.
 */
#include <linux/if_vlan.h>
#include <linux/module.h>
#include <rdma/rdma_netlink.h>
#include "buffer.h"
#include "crc.h"
#include "dev.h"
#include "odp.h"
#include "params.h"
#include "qp.h"
#include "sock.h"

static int newlink(const char *name, struct net_device *ndev)
{
	/* The RDMA core gives GIDs of a VLAN to a device on its parent only. */
	if (is_vlan_dev(ndev))
		return -EOPNOTSUPP;
	return croce_dev_add(name, ndev);
}

static struct rdma_link_ops link_ops = {
	.type = "croce",
	.newlink = newlink,
};

static int __init croce_init(void)
{
	int err;

	croce_crc_init();
	err = croce_odp_init();
	if (err)
		goto err_exit_crc;
	err = croce_qp_init();
	if (err)
		goto err_exit_odp;
	err = croce_sock_init();
	if (err)
		goto err_exit_qp;
	croce_params_init();
	err = croce_dev_init();
	if (err)
		goto err_exit_params;
	rdma_link_register(&link_ops);
	return 0;

err_exit_params:
	croce_params_exit();
	croce_sock_exit();
err_exit_qp:
	croce_qp_exit();
err_exit_odp:
	croce_odp_exit();
err_exit_crc:
	croce_crc_exit();
	return err;
}

static void __exit croce_exit(void)
{
	rdma_link_unregister(&link_ops);
	/* After this, no device is made. */
	croce_dev_exit();
	/* After this, there is none, and so no socket and no queue pair. */
	croce_params_exit();
	croce_sock_exit();
	croce_qp_exit();
	croce_buffer_exit();
	croce_odp_exit();
	croce_crc_exit();
	/* After this, no callback of ours is left in a grace period. */
	rcu_barrier();
}

module_init(croce_init);
module_exit(croce_exit);

MODULE_DESCRIPTION("Congestion-controlled software RoCEv2 transport");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(CROCE_VERSION);
MODULE_ALIAS_RDMA_LINK("croce");
