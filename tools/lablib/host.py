# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What the host itself needs, installed when it is missing."""

import os
import shutil
from pathlib import Path

from . import cache
from .shell import LabError, run, say

# program or file -> package that has it
BASE = {"mmdebstrap": "mmdebstrap", "mksquashfs": "squashfs-tools", 
        "qemu-system-x86_64": "qemu-system-x86", "zstd": "zstd",
        "xz": "xz-utils", "depmod": "kmod", "unshare": "util-linux",
        "dpkg-source": "dpkg-dev", "patch": "patch", "rsync": "rsync",
        "/usr/share/keyrings/debian-archive-keyring.gpg": "debian-archive-keyring"}
MODULE = {"make": "make", "gcc": "gcc"}
UML = {"make": "make", "gcc": "gcc", "flex": "flex", "bison": "bison", "bc": "bc",
       "/usr/include/libelf.h": "libelf-dev", "/usr/include/openssl/ssl.h": "libssl-dev"}
SBIN = ("/usr/sbin", "/sbin")


def missing(needs: dict[str, str]) -> list[str]:
    """Return the packages for those needs that the host does not have."""
    path = os.pathsep.join([os.environ.get("PATH", ""), *SBIN])
    absent = {package for what, package in needs.items()
              if not (Path(what).exists() if what.startswith("/") else shutil.which(what, path=path))}
    return sorted(absent)


def install(needs: dict[str, str]) -> None:
    """Install what is missing with the host's apt, saying what it installs."""
    packages = missing(needs)
    if not packages:
        return
    if os.geteuid():
        raise LabError("these packages are missing; as root: apt-get install " + " ".join(packages))
    with cache.lock("host-apt"):
        packages = missing(needs)
        if not packages:
            return
        say("installing on this host: " + " ".join(packages))
        env = {"DEBIAN_FRONTEND": "noninteractive"}
        run(["apt-get", "-qq", "update"], env=env)
        run(["apt-get", "-qq", "install", "-y", "--no-install-recommends", *packages], env=env)


def require_root() -> None:
    """Refuse to go on without root: chroot, mounts and guests need it."""
    if os.geteuid():
        raise LabError("this needs root (chroot builds, bind mounts)")
    os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", ""), *SBIN])
