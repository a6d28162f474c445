# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""User-mode Linux's command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from . import image, kernels, roots
from .paths import CHECKOUT

if TYPE_CHECKING:
    from .guest import Spec

ARGUMENTS = ("panic=-1", "oops=panic", "loglevel=5", "stderr=1", "con=null", "con0=null,fd:2", "ssl=null")


def command_line(spec: Spec, boot: Path, directory: Path, out: Path) -> list[str]:
    """Return the command that boots a guest; its kernel log goes to standard error."""
    root = roots.root(kernels.get(spec.kernel).release)
    words = [str(boot / "kernel"), f"mem={spec.memory}", f"initrd={boot / 'initramfs'}",
             f"lab.root={root}", f"lab.modules={image.module_root(boot)}",
             f"lab.run={directory}", f"lab.out={out}", f"lab.checkout={CHECKOUT}", *ARGUMENTS]
    words.append("con1=fd:0,fd:1" if spec.shell else "con1=null,fd:1")
    words.append("time-travel=inf-cpu" if spec.virtual_time else "seccomp=on")
    return words + spec.append.split()
