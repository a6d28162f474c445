# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What is laid over a guest's root: modules and the provider."""

import shutil
from pathlib import Path

from . import cache, image, module, provider
from .kernels import Kernel
from .shell import run


def trees(kernel: Kernel, croce: bool, siw: bool) -> list[Path]:
    """Build what is asked for, and return the trees to copy into a guest's root."""
    built: list[Path] = []
    modules: dict[str, bytes] = {}
    if croce:
        modules |= module.contents(kernel)
        built.append(provider.build(provider.for_kernel(kernel)))
    if siw and not kernel.uml:
        modules["siw.ko"] = (module.siw(kernel) / "siw.ko").read_bytes()
    if modules:
        built.append(_module_tree(kernel, modules))
    return built


def _module_tree(kernel: Kernel, modules: dict[str, bytes]) -> Path:
    """Return the modules in their place, with depmod's maps of all of the kernel's modules."""
    boot = image.bootable(kernel)
    abi = image.release(boot)
    inputs = ["1", boot.name, *(f"{name} {cache.digest(data)}" for name, data in sorted(modules.items()))]
    return cache.ensure("overlay", kernel.name, inputs,
                        lambda path: _lay_out(boot, abi, modules, path))


def _lay_out(boot: Path, abi: str, modules: dict[str, bytes], path: Path) -> None:
    """Run depmod over hard links of the kernel's modules and the new ones; keep what is new."""
    run(["cp", "-al", image.module_root(boot) / "usr", path / "usr"])
    tree = path / "usr/lib/modules" / abi
    for maps in tree.glob("modules.*"):     # hard links: never write into them
        content = maps.read_bytes()
        maps.unlink()
        maps.write_bytes(content)
    (tree / "updates").mkdir()
    for name, data in modules.items():
        (tree / "updates" / name).write_bytes(data)
    image.depmod(path, abi)
    shutil.rmtree(tree / "kernel")
