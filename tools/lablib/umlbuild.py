# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Building User-mode Linux from Debian's kernel source package."""

import os
import shutil
from pathlib import Path

from . import apt, cache, host
from .kernels import Kernel
from .paths import TOOLS
from .shell import nice, run

CONFIGS = TOOLS / "uml"
FRAGMENTS = {"uml": ("common", "prune", "tt"), "uml-debug": ("common", "prune", "debug")}
PATCH = CONFIGS / "crc32-pclmul.patch"
DROP = ("Documentation", "sound", "samples", "LICENSES", "rust", "drivers", "fs", "mm", "tools")


def tree(kernel: Kernel) -> Path:
    """Return the built source tree of a UML kernel: its `linux`, modules and headers."""
    package = f"linux-source-{kernel.series}"
    version = apt.version(package)
    config = config_text(kernel)
    inputs = ["1", version, config, PATCH.read_text()]
    return cache.ensure("uml", kernel.name, inputs,
                        lambda path: _build(path, f"{package}={version}", config))


def config_text(kernel: Kernel) -> str:
    """Return the configuration fragments of a UML kernel, joined."""
    return "".join((CONFIGS / name).read_text() for name in FRAGMENTS[kernel.name])


def _build(path: Path, package: str, config: str) -> None:
    host.install(host.UML)
    log = path.parent / f"{path.name.lstrip('.')}.log"
    log.unlink(missing_ok=True)
    _unpack(path, package)
    run(["patch", "-p1", "-i", PATCH], cwd=path, log=log)
    (path / "fragment").write_text(config)
    make = ["make", "ARCH=um", f"-j{os.cpu_count()}", "-s"]
    run([*make, "alldefconfig"], cwd=path, log=log)
    run(["scripts/kconfig/merge_config.sh", "-m", ".config", "fragment"], cwd=path, log=log)
    run([*make, "olddefconfig"], cwd=path, log=log)
    run(nice([*make, "linux", "modules"]), cwd=path, log=log)
    run([*make, "modules_install", "INSTALL_MOD_PATH=install", "DEPMOD=true"], cwd=path, log=log)
    _prune(path)


def _unpack(path: Path, package: str) -> None:
    """Unpack the kernel source that is inside of the package into path itself."""
    apt.unpack([package], path)
    archive = next((path / "usr/src").glob("linux-source-*.tar.xz"))
    run(["tar", "-xf", archive, "-C", path, "--strip-components=1"])
    archive.unlink()


def _prune(path: Path) -> None:
    """Drop sources and objects that out-of-tree modules do not need."""
    for obj in path.rglob("*.o"):
        if "scripts" not in obj.relative_to(path).parts:
            obj.unlink()
    for name in DROP:
        for source in (path / name).rglob("*"):
            if source.suffix in (".c", ".S", ".rst", ".h", ".txt", ".dtsi", ".dts", ".rs", ".yaml") \
                    and source.is_file():
                source.unlink()
    for arch in (path / "arch").iterdir():
        if arch.is_dir() and arch.name not in ("um", "x86"):
            shutil.rmtree(arch)
