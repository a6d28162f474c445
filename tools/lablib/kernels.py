# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The kernels that croce supports, and where each comes from."""

import functools
from dataclasses import dataclass

from . import apt
from .shell import LabError


@dataclass(frozen=True)
class Kernel:
    """A kernel series of a Debian release, or a User-mode Linux build."""

    name: str
    release: str        # the Debian release of its root file system
    series: str         # its packages are called linux-*-SERIES.*
    uml: bool = False

    @functools.cached_property
    def abi(self) -> str:
        """Return the release string (uname -r) of the newest packaged kernel."""
        if self.uml:
            raise LabError(f"{self.name} has no packages")
        revision = {"bookworm": r"0-\d+", "trixie": r"\d+\+deb13(\.\d+)?"}[self.release]
        name = apt.newest(f"linux-headers-{self.series}.", revision + "-amd64")
        return name.removeprefix("linux-headers-")

    @property
    def headers(self) -> str:
        """Return the package of the headers for this flavour."""
        return f"linux-headers-{self.abi}"

    def images(self) -> list[str]:
        """Return the packages that hold the kernel and its modules."""
        if self.series == "7.3":
            return [f"linux-{part}-{self.abi}" for part in ("binary", "modules", "base")]
        return [f"linux-image-{self.abi}"]


KERNELS = {kernel.name: kernel for kernel in (
    Kernel("6.1", "bookworm", "6.1"),
    Kernel("6.12", "trixie", "6.12"),
    Kernel("7.3", "trixie", "7.3"),
    Kernel("uml", "trixie", "7.3", uml=True),
    Kernel("uml-debug", "trixie", "7.3", uml=True),
)}


def get(name: str) -> Kernel:
    """Look a kernel up by name."""
    if name not in KERNELS:
        raise LabError(f"no kernel '{name}'; there are: {', '.join(KERNELS)}")
    return KERNELS[name]
