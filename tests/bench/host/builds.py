# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Building what the guest needs: two programs, and the module for the floor."""

import shutil
from pathlib import Path

from lablib import cache, module, roots, source
from lablib.kernels import Kernel
from lablib.paths import CHECKOUT, work_dir
from lablib.shell import run

HERE = "tests/bench"
PROGRAMS = {"verbs": ["-libverbs", "-lrdmacm"], "tcprr": []}


def provide(kernel: Kernel, into: Path) -> None:
    """Put the programs and the module into a directory."""
    into.mkdir(parents=True, exist_ok=True)
    for path in [*programs(kernel), floor(kernel)]:
        shutil.copy2(path, into / path.name)


def programs(kernel: Kernel) -> list[Path]:
    """Compile the C programs in the kernel's root, against its rdma-core."""
    directory = work_dir("bench", kernel.release)
    with cache.lock(directory.name):
        for name, libraries in PROGRAMS.items():
            for part in (f"{name}.c", "common.h"):
                shutil.copy2(CHECKOUT / HERE / "programs" / part, directory / part)
            run(roots.enter(kernel.release, {directory: "/build"}, [
                "gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", f"/build/{name}",
                f"/build/{name}.c", *libraries]))
    return [directory / name for name in PROGRAMS]


def floor(kernel: Kernel) -> Path:
    """Build the module that times memcpy and CRC-32."""
    directory = work_dir("floor", kernel.name)
    part = f"{HERE}/floor"
    with cache.lock(directory.name):
        for name in source.files(part):
            source.copy(CHECKOUT / name, directory / Path(name).name)
        module.make(kernel, directory, ["modules"])
    return directory / "croce_floor.ko"
