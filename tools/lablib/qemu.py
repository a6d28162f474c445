# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""QEMU's command line for one guest."""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from . import host, image, kernels, roots
from .paths import CHECKOUT

if TYPE_CHECKING:
    from . import lan
    from .guest import Spec

ARGUMENTS = ("panic=-1 oops=panic nokaslr mitigations=off random.trust_cpu=on "
             "console=ttyS0,115200 loglevel=5 log_buf_len=4M")
NO_KVM_ARGUMENTS = "tsc=reliable no_timer_check"
HOST_MTU = 9216


@functools.cache
def has_kvm() -> bool:
    """Return whether KVM can be trusted: the processor says so, and the device opens."""
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    if not re.search(r"^flags\s*:.*\b(vmx|svm)\b", flags, re.MULTILINE):
        return False
    try:
        os.close(os.open("/dev/kvm", os.O_RDWR))
    except OSError:
        return False
    return True


def command_line(spec: Spec, boot: Path, directory: Path, out: Path,
                 links: list[lan.Lan], number: int) -> list[str]:
    """Return the command that boots guest NUMBER of a run."""
    host.install(host.BASE)
    root = roots.squashfs(kernels.get(spec.kernel).release)
    words = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-no-reboot",
             "-display", "none", "-monitor", "none", "-smp", str(spec.cpus), "-m", spec.memory]
    if has_kvm():
        words += ["-M", "q35", "-accel", "kvm", "-cpu", "host"]
    else:
        words += ["-M", "q35", "-accel", "tcg,thread=multi", "-cpu", "max,la57=off"]
    arguments = f"{ARGUMENTS} {'' if has_kvm() else NO_KVM_ARGUMENTS} {spec.append}".strip()
    words += ["-kernel", str(boot / "kernel"), "-initrd", str(boot / "initramfs"),
              "-append", arguments]
    for drive in (root, boot / "modules.squashfs"):
        words += ["-drive", f"file={drive},if=virtio,format=raw,readonly=on,file.locking=off"]
    for tag, path, mode in (("run", directory, ""), ("out", out, ""),
                            ("checkout", CHECKOUT, ",readonly=on")):
        words += ["-virtfs", f"local,path={path},mount_tag={tag},security_model=none,"
                             f"multidevs=remap{mode}"]
    for link, prefix in zip(links, ("77", "99"), strict=False):
        ident = f"net{prefix}"
        for netdev in link.netdev(number - 1, ident):
            words += ["-netdev", netdev]
        words += ["-device", f"virtio-net-pci,netdev={ident},host_mtu={HOST_MTU},"
                             f"mac=52:54:00:{prefix}:00:{number:02x}"]
    return words + ["-serial", f"file:{directory / 'console'}", *_output(spec)]


def _output(spec: Spec) -> list[str]:
    """Return the second serial port: the command's output, or a terminal."""
    if spec.shell:
        return ["-chardev", "stdio,id=out,signal=off", "-serial", "chardev:out"]
    return ["-chardev", "file,id=out,path=/dev/stdout", "-serial", "chardev:out"]
