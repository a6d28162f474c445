# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# croce.ko for the running kernel:  make [KDIR=/path/to/kernel/build]
# Everything else goes through tools/lab and tests/run, which install what they need.

KDIR ?= /lib/modules/$(shell uname -r)/build
KBUILD = $(MAKE) -C $(KDIR) M=$(CURDIR)

all:
	$(KBUILD) modules

install:
	$(KBUILD) modules_install
	depmod -a

clean:
	$(KBUILD) clean

# DKMS: cp -r . /usr/src/croce-VERSION; dkms install croce/VERSION
dkms:
	dkms install --force $(CURDIR)

# A fabric of two guests with croce in both, and a short report of what it does.
demo:
	tools/demo

# All tests, or one layer of them; the last line is "N passed, N failed".
check:
	tests/run
unit lint kunit guest interop:
	tests/run $@

bench:
	tests/bench/run

# Fetch and build all that the tests and the demo use (they do it by themselves too).
setup:
	tools/lab setup

.PHONY: all install clean dkms demo check unit lint kunit guest interop bench setup
