/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SHIM_LINUX_MINMAX_H
#define SHIM_LINUX_MINMAX_H

#include <linux/types.h>

#define min(a, b) __extension__ ({		\
	__typeof__(a) a_ = (a);			\
	__typeof__(b) b_ = (b);			\
	(void)(&a_ == &b_);			\
	a_ < b_ ? a_ : b_; })
#define max(a, b) __extension__ ({		\
	__typeof__(a) a_ = (a);			\
	__typeof__(b) b_ = (b);			\
	(void)(&a_ == &b_);			\
	a_ > b_ ? a_ : b_; })
#define min_t(t, a, b) __extension__ ({		\
	t at_ = (a), bt_ = (b);			\
	at_ < bt_ ? at_ : bt_; })
#define max_t(t, a, b) __extension__ ({		\
	t at_ = (a), bt_ = (b);			\
	at_ > bt_ ? at_ : bt_; })
#define min3(a, b, c)		min(min(a, b), c)
#define clamp(v, lo, hi)	min(max(v, lo), hi)
#define clamp_t(t, v, lo, hi)	min_t(t, max_t(t, v, lo), hi)
#define min_not_zero(a, b) __extension__ ({	\
	__typeof__(a) an_ = (a);		\
	__typeof__(b) bn_ = (b);		\
	!an_ ? bn_ : !bn_ ? an_ : min(an_, bn_); })
#define swap(a, b) \
	do { __typeof__(a) t_ = (a); (a) = (b); (b) = t_; } while (0)

#endif /* SHIM_LINUX_MINMAX_H */
