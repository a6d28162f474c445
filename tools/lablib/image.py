# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Bootable kernels: the uncompressed kernel, its modules, and an initramfs."""

import lzma
import shutil
import subprocess
import zlib
from pathlib import Path

from . import apt, cache, cpio, host, umlbuild
from .kernels import Kernel
from .paths import GUEST
from .shell import LabError, run

EARLY = ("virtio_pci", "virtio_blk", "9pnet_virtio", "9p", "overlay", "squashfs")
UNWANTED = ("sound", "drivers/gpu", "drivers/media", "drivers/net/wireless", "drivers/staging",
            "drivers/iio", "drivers/hid", "drivers/input", "drivers/usb", "drivers/comedi",
            "drivers/net/ethernet", "drivers/infiniband/hw", "drivers/hwmon", "drivers/scsi",
            "drivers/ata", "drivers/mmc", "drivers/mfd", "drivers/platform", "drivers/leds",
            "drivers/power", "drivers/regulator", "drivers/bluetooth", "drivers/i2c",
            "drivers/video", "drivers/thunderbolt", "drivers/soundwire", "drivers/isdn",
            "drivers/edac", "drivers/rtc", "drivers/pinctrl", "drivers/mtd", "drivers/accel",
            "drivers/crypto", "net/bluetooth", "net/wireless", "net/mac80211", "fs/ocfs2")
DIRECTORIES = ["bin", "dev", "proc", "sys", "lower", "mods", "rw", "root", "m"]


def bootable(kernel: Kernel) -> Path:
    """Return a directory with `kernel`, `initramfs`, and `modules` (or modules.squashfs)."""
    init = (GUEST / "initramfs-init").read_text()
    if kernel.uml:
        tree = umlbuild.tree(kernel)
        return cache.ensure("kernel", kernel.name, ["1", tree.name, init],
                            lambda path: _from_uml(tree, path))
    packages = [f"{name}={apt.version(name)}" for name in kernel.images()]
    return cache.ensure("kernel", kernel.name, ["1", *packages, init, *UNWANTED],
                        lambda path: _from_packages(kernel, packages, path))


def module_root(boot: Path) -> Path:
    """Return the directory below which usr/lib/modules lies."""
    return boot / "modules"


def release(boot: Path) -> str:
    """Return what `uname -r` says in this kernel."""
    return next((module_root(boot) / "usr/lib/modules").iterdir()).name


def _from_packages(kernel: Kernel, packages: list[str], path: Path) -> None:
    host.install(host.BASE)
    raw = path / "raw"
    raw.mkdir()
    apt.unpack(packages, raw)
    compressed = next(raw.rglob("vmlinuz*"))
    (path / "kernel").write_bytes(extract_vmlinux(compressed.read_bytes()))
    modules = next(lib for lib in (raw / "usr/lib/modules", raw / "lib/modules") if lib.is_dir())
    _take_modules(modules / kernel.abi, path)
    shutil.rmtree(raw)
    _initramfs(path, kernel.abi)
    run(["mksquashfs", module_root(path), path / "modules.squashfs", "-quiet", "-no-progress",
         "-all-root", "-noI", "-noD", "-noF", "-noX"])


def _from_uml(tree: Path, path: Path) -> None:
    shutil.copy2(tree / "linux", path / "kernel")
    modules = next((tree / "install/lib/modules").iterdir())
    _take_modules(modules, path)
    _initramfs(path, modules.name)


def _take_modules(source: Path, path: Path) -> None:
    """Move a kernel's modules here, without the unwanted ones, uncompressed, with depmod's maps."""
    target = module_root(path) / "usr/lib/modules" / source.name
    target.parent.mkdir(parents=True)
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("build", "source", "vmlinuz"))
    for name in UNWANTED:
        shutil.rmtree(target / "kernel" / name, ignore_errors=True)
    for suffix, tool in ((".xz", "xz"), (".zst", "zstd")):
        packed = list(target.rglob(f"*.ko{suffix}"))
        if packed:
            run([tool, "-q", "-d", "-f", *packed])
        for file in packed:
            file.unlink(missing_ok=True)
    depmod(module_root(path), source.name)


def depmod(base: Path, abi: str) -> None:
    """Run depmod for the modules in base/usr/lib/modules."""
    if not (base / "lib").exists():
        (base / "lib").symlink_to("usr/lib")
    run(["depmod", "-b", base, abi])
    (base / "lib").unlink()


def _initramfs(path: Path, abi: str) -> None:
    """Write the initramfs: busybox, early modules in load order, and init."""
    apt.unpack(["busybox-static"], path / "busybox")
    binary = next(file for file in (path / "busybox").rglob("busybox")
                  if file.is_file() and file.parent.name == "bin")
    files = {"init": ((GUEST / "initramfs-init").read_bytes(), 0o755),
             "bin/busybox": (binary.read_bytes(), 0o755)}
    order = _load_order(module_root(path) / "usr/lib/modules" / abi)
    for module in order:
        files[f"m/{module.name}"] = (module.read_bytes(), 0o644)
    files["m/order"] = ("".join(f"{module.name}\n" for module in order).encode(), 0o644)
    (path / "initramfs").write_bytes(cpio.archive(DIRECTORIES, files))
    shutil.rmtree(path / "busybox")


def _load_order(tree: Path) -> list[Path]:
    """Return the early modules and what they need, dependencies first."""
    needs: dict[str, list[str]] = {}
    by_name = {}
    for line in (tree / "modules.dep").read_text().splitlines():
        module, _, deps = line.partition(":")
        needs[module] = deps.split()
        by_name[Path(module).name.removesuffix(".ko").replace("-", "_")] = module
    order: list[str] = []
    for name in EARLY:
        if module := by_name.get(name):
            order += [dep for dep in [*reversed(needs[module]), module] if dep not in order]
    return [tree / module for module in order]


def extract_vmlinux(image: bytes) -> bytes:
    """Return the ELF kernel inside of a compressed x86 bzImage."""
    for magic, unpack in ((b"\x28\xb5\x2f\xfd", _unzstd), (b"\xfd7zXZ\0", _unxz),
                          (b"\x1f\x8b\x08", _ungzip)):
        start = image.find(magic)
        while start >= 0:
            try:
                data = unpack(image[start:])
            except (lzma.LZMAError, zlib.error, LabError):
                data = b""
            if data.startswith(b"\x7fELF"):
                return data
            start = image.find(magic, start + 1)
    raise LabError("found no ELF kernel in the kernel image")


def _unxz(data: bytes) -> bytes:
    return lzma.LZMADecompressor().decompress(data)


def _ungzip(data: bytes) -> bytes:
    return zlib.decompressobj(wbits=31).decompress(data)


def _unzstd(data: bytes) -> bytes:
    return subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=False).stdout
