# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Building kernel modules out of tree."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from . import apt, cache, host, roots, source, umlbuild
from .kernels import Kernel
from .paths import work_dir
from .shell import LabError, run, say

PARTS = ("Kbuild", "kernel", "tests/kunit", "tests/unit")
TROUBLE = re.compile(r"\bwarning\b|\berror:|WARNING: modpost", re.IGNORECASE)
HARMLESS = re.compile(r"warning: the compiler differs from the one used to build the kernel")
SIW = "drivers/infiniband/sw/siw"


def build(kernel: Kernel, arguments: tuple[str, ...] = ()) -> Path:
    """Build the checkout's modules for a kernel and return the build directory.

    Anything that looks like a warning fails the build.
    """
    directory = _directory(kernel, arguments)
    with cache.lock(directory.name):
        _build(kernel, directory, arguments)
    return directory


def contents(kernel: Kernel) -> dict[str, bytes]:
    """Build the checkout's modules for a kernel and return them by file name."""
    directory = _directory(kernel, ())
    with cache.lock(directory.name):
        _build(kernel, directory, ())
        return {path.name: path.read_bytes() for path in directory.rglob("*.ko")}


def _directory(kernel: Kernel, arguments: tuple[str, ...]) -> Path:
    variant = "-".join([kernel.name, *(re.sub(r"\W", "", word) for word in arguments)])
    return work_dir("module", variant)


def _build(kernel: Kernel, directory: Path, arguments: tuple[str, ...]) -> None:
    source.mirror(source.files(*PARTS), directory)
    if not (directory / "Kbuild").exists():
        raise LabError("there is no Kbuild in the checkout")
    try:
        make(kernel, directory, ["modules", *arguments])
    except LabError:    # what was compiled with a warning is to warn again next time
        for obj in directory.rglob("*.o"):
            obj.unlink()
        raise
    modules = sorted(directory.rglob("*.ko"))
    say(f"{kernel.name}: " + " ".join(f"{module.relative_to(directory)}" for module in modules))


def make(kernel: Kernel, directory: Path, arguments: list[str]) -> None:
    """Run kbuild in a directory of external modules; fail on a warning."""
    words = ["make", f"-j{os.cpu_count()}", "CONFIG_DEBUG_INFO_BTF_MODULES="]
    if kernel.uml:
        host.install(host.UML)
        argv = [*words, "ARCH=um", "CROCE_KUNIT=m", "-C", umlbuild.tree(kernel),
                f"M={directory}", *arguments]
    else:
        argv = roots.enter(kernel.release, {directory: "/build"}, [
            *words, "-C", f"/usr/src/{kernel.headers}", "M=/build", *arguments])
    log = directory / "build.log"
    with log.open("w") as sink:
        done = subprocess.run([str(word) for word in argv], stdout=sink, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, check=False,
                              env={**os.environ, "LC_ALL": "C"})
    text = log.read_text(errors="replace").replace("/build/", "")
    bad = [line for line in text.splitlines()
           if TROUBLE.search(line) and not HARMLESS.search(line)]
    if done.returncode or bad:
        raise LabError(f"the build for {kernel.name} has warnings or errors:\n"
                       + (text if len(text) < 20000 else "\n".join(bad[:60])))


def siw(kernel: Kernel) -> Path:
    """Return a directory with siw.ko built from the kernel's own source package."""
    if kernel.uml:
        return umlbuild.tree(kernel) / SIW
    package = f"linux-source-{kernel.series}"
    version = apt.version(package)
    return cache.ensure("siw", kernel.name, ["1", version, kernel.abi],
                        lambda path: _build_siw(kernel, f"{package}={version}", path))


def _build_siw(kernel: Kernel, package: str, path: Path) -> None:
    raw = path / "raw"
    raw.mkdir()
    apt.unpack([package], raw)
    archive = next((raw / "usr/src").glob("linux-source-*.tar.xz"))
    run(["tar", "-xf", archive, "-C", path, "--wildcards", "--strip-components=5", f"*/{SIW}/*"])
    shutil.rmtree(raw)
    (path / "Kconfig").unlink(missing_ok=True)
    make(kernel, path, ["modules", "CONFIG_RDMA_SIW=m"])
