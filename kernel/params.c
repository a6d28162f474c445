// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Knobs; see params.h. As with mlx5, cc_params/ has one file for each, with
 * mlx5's names, units and plain decimal numbers. A value out of range is
 * refused with ERANGE. What is written holds at once, also for queue pairs
 * that are limited already.
 *
 *	croce/DEVICE/cc_algorithm	dcqcn, swift or none
 *	croce/DEVICE/cc_params/NAME	see struct croce_cc_params
 */
#include <linux/debugfs.h>
#include <linux/ethtool.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "params.h"

/* For netdevs that do not know their speed. */
#define DEFAULT_SPEED_MBPS	10000U
#define ALGORITHM_NAME_MAX	16

/**
 * struct croce_knob_file - one file of cc_params
 * @dev: device (I)
 * @index: in croce_cc_knobs (I)
 */
struct croce_knob_file {
	struct croce_dev *dev;
	u32 index;
};

/**
 * struct croce_params - a device's folder
 * @folder: in debugfs (I)
 * @files: as many as there are knobs (I)
 */
struct croce_params {
	struct dentry *folder;
	struct croce_knob_file files[];
};

static struct dentry *root;
/* Writers of croce_dev.cc_conf. */
static DEFINE_MUTEX(conf_mutex);

static const struct croce_cc_ops *default_ops;

static const struct croce_cc_ops *find_algorithm(const char *name)
{
	u32 i;

	for (i = 0; i < croce_cc_num_algorithms; i++)
		if (sysfs_streq(name, croce_cc_algorithms[i]->name))
			return croce_cc_algorithms[i];
	return NULL;
}

static int set_default(const char *value, const struct kernel_param *kp)
{
	const struct croce_cc_ops *ops = find_algorithm(value);

	if (!ops)
		return -EINVAL;
	WRITE_ONCE(default_ops, ops);
	return 0;
}

static const struct croce_cc_ops *get_default_ops(void)
{
	return READ_ONCE(default_ops) ?: croce_cc_algorithms[0];
}

static int get_default(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", get_default_ops()->name);
}

static const struct kernel_param_ops default_param = {
	.set = set_default,
	.get = get_default,
};

module_param_cb(cc_algorithm, &default_param, NULL, 0644);
MODULE_PARM_DESC(cc_algorithm,
		 "congestion control of new devices: dcqcn (default), swift or none");

static u64 line_rate_of(struct net_device *ndev)
{
	struct ethtool_link_ksettings link = {};
	u32 speed = 0;

	rtnl_lock();
	if (!__ethtool_get_link_ksettings(ndev, &link))
		speed = link.base.speed;
	rtnl_unlock();
	if (!speed || speed == (u32)SPEED_UNKNOWN)
		speed = DEFAULT_SPEED_MBPS;
	return speed * CROCE_CC_MBPS;
}

/**
 * croce_params_init_dev - initial values of a new device
 * @dev: device, with its netdev
 *
 * Return: 0 or -ENOMEM. Context: process, may sleep.
 */
int croce_params_init_dev(struct croce_dev *dev)
{
	struct croce_cc_conf *conf = kzalloc(sizeof(*conf), GFP_KERNEL);

	if (!conf)
		return -ENOMEM;
	croce_cc_params_init(&conf->params);
	RCU_INIT_POINTER(dev->cc_conf, conf);
	dev->cc_ops = get_default_ops();
	dev->line_rate = line_rate_of(dev->netdev);
	return 0;
}

/**
 * croce_params_free_dev - mirror of croce_params_init_dev()
 * @dev: device that nobody uses any more
 *
 * Context: process, may sleep.
 */
void croce_params_free_dev(struct croce_dev *dev)
{
	kfree(rcu_dereference_protected(dev->cc_conf, true));
}

static int knob_read(void *data, u64 *value)
{
	struct croce_knob_file *file = data;

	rcu_read_lock();
	*value = croce_cc_knob_get(&rcu_dereference(file->dev->cc_conf)->params,
				   file->index);
	rcu_read_unlock();
	return 0;
}

static int knob_write(void *data, u64 value)
{
	struct croce_knob_file *file = data;
	struct croce_cc_conf *old, *new;
	int err;

	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	mutex_lock(&conf_mutex);
	old = rcu_dereference_protected(file->dev->cc_conf,
					lockdep_is_held(&conf_mutex));
	new->params = old->params;
	err = croce_cc_knob_set(&new->params, file->index, value);
	if (!err)
		rcu_assign_pointer(file->dev->cc_conf, new);
	mutex_unlock(&conf_mutex);
	if (err)
		kfree(new);
	else
		kfree_rcu(old, rcu);
	return err;
}

DEFINE_DEBUGFS_ATTRIBUTE(knob_fops, knob_read, knob_write, "%llu\n");

static ssize_t algorithm_read(struct file *file, char __user *buffer,
			      size_t len, loff_t *pos)
{
	struct croce_dev *dev = file->private_data;
	char text[ALGORITHM_NAME_MAX];
	int n;

	n = scnprintf(text, sizeof(text), "%s\n", READ_ONCE(dev->cc_ops)->name);
	return simple_read_from_buffer(buffer, len, pos, text, n);
}

static ssize_t algorithm_write(struct file *file, const char __user *buffer,
			       size_t len, loff_t *pos)
{
	struct croce_dev *dev = file->private_data;
	char text[ALGORITHM_NAME_MAX] = {};
	const struct croce_cc_ops *ops;

	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buffer, len))
		return -EFAULT;
	ops = find_algorithm(text);
	if (!ops)
		return -EINVAL;
	WRITE_ONCE(dev->cc_ops, ops);
	return len;
}

static const struct file_operations algorithm_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = algorithm_read,
	.write = algorithm_write,
};

static bool name_is_taken(const char *name)
{
	struct dentry *there = debugfs_lookup(name, root);

	dput(there);
	return there;
}

/**
 * croce_params_publish - make the folder of a device
 * @dev: device
 * @name: of the device
 *
 * Without debugfs, or where a renamed device has the folder, there is none.
 *
 * Context: process, may sleep; one at a time.
 */
void croce_params_publish(struct croce_dev *dev, const char *name)
{
	struct croce_params *params;
	struct dentry *folder;
	u32 i;

	if (IS_ERR_OR_NULL(root) || name_is_taken(name))
		return;
	params = kzalloc(struct_size(params, files, croce_cc_num_knobs),
			 GFP_KERNEL);
	if (!params)
		return;
	dev->params = params;
	params->folder = debugfs_create_dir(name, root);
	debugfs_create_file("cc_algorithm", 0600, params->folder, dev,
			    &algorithm_fops);
	debugfs_create_bool("icrc", 0600, params->folder, &dev->icrc);
	debugfs_create_bool("gso", 0600, params->folder, &dev->gso);
	folder = debugfs_create_dir("cc_params", params->folder);
	for (i = 0; i < croce_cc_num_knobs; i++) {
		params->files[i].dev = dev;
		params->files[i].index = i;
		debugfs_create_file_unsafe(croce_cc_knobs[i].name, 0600,
					   folder, &params->files[i],
					   &knob_fops);
	}
}

/**
 * croce_params_unpublish - mirror of croce_params_publish()
 * @dev: device
 *
 * After this, nobody reads or writes a file of the device.
 *
 * Context: process, may sleep.
 */
void croce_params_unpublish(struct croce_dev *dev)
{
	if (!dev->params)
		return;
	debugfs_remove_recursive(dev->params->folder);
	kfree(dev->params);
	dev->params = NULL;
}

/**
 * croce_params_init - make the folder of all devices
 *
 * Context: process, may sleep.
 */
void croce_params_init(void)
{
	root = debugfs_create_dir("croce", NULL);
}

/**
 * croce_params_exit - mirror of croce_params_init(); no device is left
 *
 * Context: process, may sleep.
 */
void croce_params_exit(void)
{
	debugfs_remove_recursive(root);
}
