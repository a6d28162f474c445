// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Making and unmaking devices, and following their netdevs.
 *
 * A device belongs to one netdev in one namespace and goes when the netdev
 * goes or moves. The netdev's unregistration waits for the reference that the
 * device holds, and nothing here waits for a process: uverbs takes its objects
 * away from under it.
 */
#include <linux/etherdevice.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_addr.h>
#include "dev.h"
#include "params.h"
#include "sock.h"

/* One device per netdev: serialises the check with the registration. */
static DEFINE_MUTEX(add_mutex);

static LIST_HEAD(devices);
static DEFINE_SPINLOCK(devices_lock);

/**
 * croce_dev_active_mtu - largest path MTU that fits the netdev
 * @dev: device
 *
 * By the reckoning of the RDMA core (every extended header at once), so that
 * connection managers, peers and we agree.
 *
 * Return: MTU; 0 when not even the smallest fits. Context: any.
 */
enum ib_mtu croce_dev_active_mtu(const struct croce_dev *dev)
{
	return iboe_get_mtu(READ_ONCE(dev->netdev->mtu));
}

/**
 * croce_dev_is_up - can the port carry packets?
 * @dev: device
 *
 * Return: true when it can. Context: any.
 */
bool croce_dev_is_up(const struct croce_dev *dev)
{
	return netif_running(dev->netdev) && netif_carrier_ok(dev->netdev) &&
	       croce_dev_active_mtu(dev);
}

/**
 * croce_dev_port_changed - something happened that may change the port's state
 * @dev: registered device
 *
 * Raises an event when the state is another one than the last event told.
 *
 * Context: any.
 */
void croce_dev_port_changed(struct croce_dev *dev)
{
	int up = croce_dev_is_up(dev);
	struct ib_event event = {
		.device = &dev->ibdev,
		.element.port_num = 1,
		.event = up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR,
	};

	if (atomic_xchg(&dev->port_up, up) == up)
		return;
	if (!up)
		croce_count(dev, CROCE_CNT_LINK_DOWNED);
	ib_dispatch_event(&event);
}

static void list_add_dev(struct croce_dev *dev)
{
	spin_lock(&devices_lock);
	list_add(&dev->node, &devices);
	spin_unlock(&devices_lock);
}

static void list_del_dev(struct croce_dev *dev)
{
	spin_lock(&devices_lock);
	list_del(&dev->node);
	spin_unlock(&devices_lock);
}

static bool guid_is_taken(__be64 guid)
{
	struct croce_dev *dev;
	bool taken = false;

	spin_lock(&devices_lock);
	list_for_each_entry(dev, &devices, node)
		taken |= dev->ibdev.node_guid == guid;
	spin_unlock(&devices_lock);
	return taken;
}

/*
 * EUI-64 of the MAC, where there is one that no other device has: a VLAN has
 * that of its parent, and connection managers tell devices apart by the GUID.
 */
static __be64 choose_guid(const struct net_device *ndev)
{
	u8 guid[8] = {};
	__be64 value;

	if (ndev->addr_len == ETH_ALEN && is_valid_ether_addr(ndev->dev_addr)) {
		memcpy(guid, ndev->dev_addr, 3);
		guid[0] ^= BIT(1);
		guid[3] = 0xff;
		guid[4] = 0xfe;
		memcpy(guid + 5, ndev->dev_addr + 3, 3);
	}
	memcpy(&value, guid, sizeof(value));
	while (!value || guid_is_taken(value)) {
		get_random_bytes(guid, sizeof(guid));
		/* Locally administered. */
		guid[0] &= ~BIT(1);
		memcpy(&value, guid, sizeof(value));
	}
	return value;
}

static void init_ibdev(struct croce_dev *dev)
{
	struct ib_device *ibdev = &dev->ibdev;

	/*
	 * No parent: with that of a NIC, libraries would take the device for
	 * the NIC's own, and udev would rename it.
	 */
	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = num_possible_cpus();
	ibdev->local_dma_lkey = 0;
	ibdev->node_guid = choose_guid(dev->netdev);
	strscpy(ibdev->node_desc, "croce", sizeof(ibdev->node_desc));
	/* The doorbell; everything else happens in mapped memory. */
	ibdev->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND);
	ib_set_device_ops(ibdev, &croce_dev_ops);
	ib_set_device_ops(ibdev, &croce_stats_ops);
}

static int init_resources(struct croce_dev *dev, struct net_device *ndev,
			  struct net *net)
{
	int err;

	xa_init_flags(&dev->mrs, XA_FLAGS_ALLOC1);
	xa_init_flags(&dev->ahs, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&dev->srqs, XA_FLAGS_ALLOC1);
	/* Keys of before a reboot should not fit by chance. */
	atomic_set(&dev->mr_variant, get_random_u8());
	dev->icrc = true;
	dev->gso = true;

	dev->stats = alloc_percpu(struct croce_stats);
	if (!dev->stats)
		return -ENOMEM;
	dev->net = croce_net_get(net);
	if (IS_ERR(dev->net)) {
		err = PTR_ERR(dev->net);
		goto err_free_stats;
	}
	netdev_hold(ndev, &dev->netdev_tracker, GFP_KERNEL);
	dev->netdev = ndev;
	dev->home = net;
	err = croce_params_init_dev(dev);
	if (err)
		goto err_put_netdev;
	return 0;

err_put_netdev:
	netdev_put(ndev, &dev->netdev_tracker);
	croce_net_put(dev->net);
err_free_stats:
	free_percpu(dev->stats);
	return err;
}

/**
 * croce_dev_dealloc - the RDMA core is done with a device
 * @ibdev: device; all its objects are gone, and so are its addresses
 *
 * Context: process, may sleep.
 */
void croce_dev_dealloc(struct ib_device *ibdev)
{
	struct croce_dev *dev = croce_dev(ibdev);

	croce_params_unpublish(dev);
	/* After this, no packet that found the device by address is around. */
	synchronize_net();
	croce_params_free_dev(dev);
	WARN_ON(!xa_empty(&dev->mrs));
	WARN_ON(!xa_empty(&dev->ahs));
	WARN_ON(!xa_empty(&dev->srqs));
	xa_destroy(&dev->mrs);
	xa_destroy(&dev->ahs);
	xa_destroy(&dev->srqs);
	free_percpu(dev->stats);
	croce_net_put(dev->net);
	/* After this, the namespace may go. */
	list_del_dev(dev);
	netdev_put(dev->netdev, &dev->netdev_tracker);
}

static bool has_device(struct net_device *ndev)
{
	struct ib_device *ibdev;

	ibdev = ib_device_get_by_netdev(ndev, CROCE_RDMA_DRIVER);
	if (ibdev)
		ib_device_put(ibdev);
	return ibdev;
}

/*
 * From here on the notifier finds the device; what happened before is made up
 * for. A netdev that went or moved meanwhile takes the device with it.
 */
static int catch_up(struct croce_dev *dev)
{
	struct net_device *ndev = dev->netdev;
	bool there;

	rtnl_lock();
	there = ndev->reg_state == NETREG_REGISTERED &&
		net_eq(dev_net(ndev), dev->home);
	if (there)
		croce_dev_port_changed(dev);
	rtnl_unlock();
	if (there)
		return 0;
	ib_unregister_device(&dev->ibdev);
	return -ENODEV;
}

static int add_to_net(const char *name, struct net_device *ndev,
		      struct net *net)
{
	struct croce_dev *dev;
	int err;

	dev = ib_alloc_device_with_net(croce_dev, ibdev, net);
	if (!dev)
		return -ENOMEM;
	err = init_resources(dev, ndev, net);
	if (err)
		goto err_dealloc_device;
	init_ibdev(dev);
	list_add_dev(dev);
	err = ib_device_set_netdev(&dev->ibdev, ndev, 1);
	if (err)
		goto err_dealloc_device;

	/* For the user who removes the device as soon as it is there. */
	get_device(&dev->ibdev.dev);
	atomic_set(&dev->port_up, croce_dev_is_up(dev));
	ib_mark_name_assigned_by_user(&dev->ibdev);
	croce_params_publish(dev, name);
	err = ib_register_device(&dev->ibdev, name, NULL);
	if (err)
		goto err_put_device;
	err = catch_up(dev);
	put_device(&dev->ibdev.dev);
	return err;

err_put_device:
	put_device(&dev->ibdev.dev);
err_dealloc_device:
	/* Calls croce_dev_dealloc(), once there are operations. */
	ib_dealloc_device(&dev->ibdev);
	return err;
}

static struct net *get_netdev_net(const struct net_device *ndev)
{
	struct net *net;

	rtnl_lock();
	net = maybe_get_net(dev_net(ndev));
	rtnl_unlock();
	return net;
}

/**
 * croce_dev_add - add a device to a netdev
 * @name: of the device
 * @ndev: any netdev, referenced by the caller
 *
 * Return: 0, -EEXIST when there is one already, -EINVAL when the netdev's MTU
 * is too small, -EADDRINUSE when somebody else has the UDP port, -ENODEV when
 * the netdev goes, -ENFILE when the name is taken, -ENOMEM.
 * Context: process, may sleep.
 */
int croce_dev_add(const char *name, struct net_device *ndev)
{
	struct net *net;
	int err;

	if (!iboe_get_mtu(READ_ONCE(ndev->mtu)))
		return -EINVAL;
	net = get_netdev_net(ndev);
	if (!net)
		return -ENODEV;
	mutex_lock(&add_mutex);
	err = has_device(ndev) ? -EEXIST : add_to_net(name, ndev, net);
	mutex_unlock(&add_mutex);
	put_net(net);
	return err;
}

static int netdev_event(struct notifier_block *nb, unsigned long event,
			void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct ib_device *ibdev;

	ibdev = ib_device_get_by_netdev(ndev, CROCE_RDMA_DRIVER);
	if (!ibdev)
		return NOTIFY_DONE;

	switch (event) {
	case NETDEV_UNREGISTER:
	/* Moved to another namespace while the device could not be found. */
	case NETDEV_REGISTER:
		ib_unregister_device_queued(ibdev);
		break;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
		croce_dev_port_changed(croce_dev(ibdev));
		break;
	}
	ib_device_put(ibdev);
	return NOTIFY_DONE;
}

static struct notifier_block netdev_notifier = {
	.notifier_call = netdev_event,
};

static struct croce_dev *get_dev_of(const struct net *net)
{
	struct croce_dev *dev;

	spin_lock(&devices_lock);
	list_for_each_entry(dev, &devices, node) {
		if (dev->home == net) {
			get_device(&dev->ibdev.dev);
			spin_unlock(&devices_lock);
			return dev;
		}
	}
	spin_unlock(&devices_lock);
	return NULL;
}

/*
 * A netdev that goes waits for its device, but one that is moved home does
 * not. The sockets need the namespace, so it waits here.
 */
static void __net_exit exit_net(struct net *net)
{
	struct croce_dev *dev;

	while ((dev = get_dev_of(net))) {
		ib_unregister_device(&dev->ibdev);
		put_device(&dev->ibdev.dev);
	}
}

static struct pernet_operations net_ops = {
	.exit = exit_net,
};

/**
 * croce_dev_init - begin to follow netdevs and namespaces
 *
 * Return: 0 or -errno. Context: process, may sleep.
 */
int croce_dev_init(void)
{
	int err;

	err = register_pernet_subsys(&net_ops);
	if (err)
		return err;
	err = register_netdevice_notifier(&netdev_notifier);
	if (err)
		goto err_unregister_pernet;
	return 0;

err_unregister_pernet:
	unregister_pernet_subsys(&net_ops);
	return err;
}

/**
 * croce_dev_exit - remove all devices
 *
 * Nobody adds any more.
 *
 * Context: process, may sleep.
 */
void croce_dev_exit(void)
{
	unregister_netdevice_notifier(&netdev_notifier);
	/* After this, no removal is queued that is not waited for here. */
	ib_unregister_driver(CROCE_RDMA_DRIVER);
	unregister_pernet_subsys(&net_ops);
}
