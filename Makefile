# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# croce.ko for the running kernel:  make [KDIR=/path/to/kernel/build]
# Everything else goes through tools/lab and tests/run, which install what they need.

KDIR ?= /lib/modules/$(shell uname -r)/build
KBUILD = $(MAKE) -C $(KDIR) M=$(CURDIR)
release = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h)
version = $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

all:
	$(KBUILD) modules

# A kernel whose own signing key is not there gets the module as it is.
install:
	$(KBUILD) modules_install $(if $(wildcard $(KDIR)/certs/signing_key.pem),,CONFIG_MODULE_SIG_ALL=)
	depmod -a $(release)

clean:
	$(KBUILD) clean

# The same by DKMS, which builds it again for every kernel to come, and signs it.
dkms:
	-dkms remove croce/$(version) --all >/dev/null 2>&1
	dkms install --force -k $(release) $(CURDIR)

# A fabric of two guests with croce in both, and a short report of what it does; then a
# picture of seven senders and one receiver.
demo:
	tools/demo
	tests/incast/run

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
