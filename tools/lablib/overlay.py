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
    modules: list[Path] = []
    if croce:
        modules += module.build(kernel).rglob("*.ko")
        built.append(provider.build(provider.for_kernel(kernel)))
    if siw and not kernel.uml:
        modules += module.siw(kernel).glob("siw.ko")
    if modules:
        built.append(_module_tree(kernel, sorted(modules)))
    return built


def _module_tree(kernel: Kernel, modules: list[Path]) -> Path:
    """Return the modules in their place, with depmod's maps of all of the kernel's modules."""
    boot = image.bootable(kernel)
    abi = image.release(boot)
    contents = [cache.key(module.read_bytes().hex()) for module in modules]
    inputs = ["1", boot.name, *(f"{module.name} {content}"
                                for module, content in zip(modules, contents, strict=True))]
    return cache.ensure("overlay", kernel.name, inputs,
                        lambda path: _lay_out(boot, abi, modules, path))


def _lay_out(boot: Path, abi: str, modules: list[Path], path: Path) -> None:
    """Run depmod over hard links of the kernel's modules and the new ones; keep what is new."""
    run(["cp", "-al", image.module_root(boot) / "usr", path / "usr"])
    tree = path / "usr/lib/modules" / abi
    for maps in tree.glob("modules.*"):     # hard links: never write into them
        content = maps.read_bytes()
        maps.unlink()
        maps.write_bytes(content)
    (tree / "updates").mkdir()
    for module in modules:
        shutil.copyfile(module, tree / "updates" / module.name)
    image.depmod(path, abi)
    shutil.rmtree(tree / "kernel")
