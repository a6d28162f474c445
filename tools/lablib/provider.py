# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Building the provider inside of rdma-core, for each release's libibverbs.

The provider ABI is private to a release of rdma-core, so provider/ is grafted
into the release's source tree as providers/croce and built there.
"""

import functools
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import apt, cache, roots, source
from .kernels import Kernel
from .paths import CHECKOUT, cache_root, work_dir
from .shell import LabError, run, say

ABI = "kernel/uapi/rdma/croce-abi.h"
LIB = "usr/lib/x86_64-linux-gnu"
CMAKE = ("-GNinja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_INSTALL_PREFIX=/usr",
         "-DCMAKE_INSTALL_SYSCONFDIR=/etc", "-DCMAKE_INSTALL_RUNDIR=/run",
         "-DNO_PYVERBS=1", "-DNO_MAN_PAGES=1", "-DENABLE_STATIC=0")
# Debian 12's rdma-core is of 2023; mirrors have been seen without its source archive.
FALLBACK = {"bookworm": "trixie"}


@dataclass(frozen=True)
class Tree:
    """A release of rdma-core to build the provider in."""

    name: str           # bookworm, trixie, or newest
    release: str        # the root to build in, and to run in
    version: str        # Debian's version of the source package
    whole: bool = False     # the guest's own libibverbs is another: bring this one along

    @property
    def upstream(self) -> str:
        """Return upstream's version."""
        return self.version.rsplit("-", 1)[0]


def trees() -> dict[str, Tree]:
    """Return the trees by name: the one of each supported release, and Debian's newest."""
    packaged = {release: apt.version_in("rdma-core", release) for release in ("bookworm", "trixie")}
    found = {release: Tree(release, release, version) for release, version in packaged.items()}
    found["newest"] = Tree("newest", "trixie", apt.source_versions("rdma-core")[-1])
    return found


def for_kernel(kernel: Kernel) -> Tree:
    """Return the tree whose provider a kernel's guests use."""
    return usable(trees()[kernel.release])


@functools.cache
def usable(tree: Tree) -> Tree:
    """Return the tree, or its stand-in when no mirror has its source."""
    try:
        _pristine(tree)
    except LabError:
        if tree.name not in FALLBACK:
            raise
        other = trees()[FALLBACK[tree.name]]
        say(f"no mirror has rdma-core {tree.upstream}; {tree.name} gets {other.upstream} as a whole "
            f"(or put upstream's rdma-core-{tree.upstream}.tar.gz into {cache_root()}/downloads)")
        return Tree(tree.name, tree.release, other.version, whole=True)
    return tree


def _pristine(tree: Tree) -> Path:
    """Return upstream's unpacked source of a tree."""
    return cache.ensure("rdma-core", tree.upstream, ["1", tree.version],
                        lambda path: _unpack(tree, path))


def _unpack(tree: Tree, path: Path) -> None:
    own = cache_root() / "downloads" / f"rdma-core-{tree.upstream}.tar.gz"
    archive = own if own.exists() else apt.source_archive("rdma-core", tree.version, path)
    run(["tar", "-xf", archive, "-C", path, "--strip-components=1"])
    if archive != own:
        archive.unlink()


def build(tree: Tree) -> Path:
    """Build the provider in a tree; return an overlay for guests. A warning is an error."""
    directory = work_dir("provider", f"{tree.name}-{tree.upstream}")
    with cache.lock(directory.name):
        _graft(tree, directory / "src")
        _compile(tree, directory)
        return _overlay(tree, directory)


def _graft(tree: Tree, src: Path) -> None:
    """Put the checkout's provider into the source tree."""
    if not src.exists():
        scratch = src.with_name("src.new")
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.copytree(_pristine(tree), scratch, symlinks=True)
        (scratch / "providers/croce").mkdir()
        _edit(scratch / "CMakeLists.txt", r"^add_subdirectory\(providers/siw\)$",
              r"add_subdirectory(providers/croce)\n\g<0>")
        _edit(scratch / "kernel-headers/CMakeLists.txt", r"^  rdma/siw-abi\.h$",
              r"  rdma/croce-abi.h\n\g<0>")
        scratch.rename(src)
    names = source.files("provider")
    if not names:
        raise LabError("there is no provider/ in the checkout")
    copies = {name.removeprefix("provider/") for name in names}
    for name in copies:
        source.copy(CHECKOUT / "provider" / name, src / "providers/croce" / name)
    for stale in (src / "providers/croce").rglob("*"):
        if stale.is_file() and str(stale.relative_to(src / "providers/croce")) not in copies:
            stale.unlink()
    source.copy(CHECKOUT / ABI, src / "kernel-headers/rdma/croce-abi.h")


def _edit(path: Path, pattern: str, replacement: str) -> None:
    """Edit every line of a file that matches; there must be one."""
    text, count = re.subn(pattern, replacement, path.read_text(), flags=re.MULTILINE)
    if not count:
        raise LabError(f"{path} has no line like {pattern}")
    path.write_text(text)


def _compile(tree: Tree, directory: Path) -> None:
    """Configure once, then build what is out of date."""
    inside = functools.partial(roots.enter, tree.release, {directory: "/build"})
    if not (directory / "build/build.ninja").exists():
        run(inside(["cmake", "-S/build/src", "-B/build/build", *CMAKE]), log=directory / "cmake.log")
    targets = ["all"] if tree.whole else [_target(directory)]
    argv = [str(word) for word in inside(["ninja", "-C", "/build/build", *targets])]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    (directory / "build.log").write_text(done.stdout)
    bad = re.search(r"providers/croce/.*warning:", done.stdout)
    if bad:     # what is up to date prints no warning next time: build it again then
        for obj in directory.glob("build/providers/croce/**/*.o"):
            obj.unlink()
    if done.returncode or bad:
        text = done.stdout.replace("/build/src/providers/croce/", "provider/")
        raise LabError(f"the provider does not build in rdma-core {tree.upstream}:\n{text[-12000:]}")


def _target(directory: Path) -> str:
    """Return ninja's name of the provider's shared object."""
    text = (directory / "build/build.ninja").read_text()
    found = re.search(r"^build (\S*/)?(lib/libcroce-rdmav\d+\.so):", text, re.MULTILINE)
    if not found:
        raise LabError("rdma-core's build does not know libcroce; see provider/CMakeLists.txt")
    return (found[1] or "") + found[2]


def _overlay(tree: Tree, directory: Path) -> Path:
    """Return what a guest needs: the provider, and rdma-core's tests of this version."""
    built = directory / "build/lib"
    libraries = sorted(built.glob("lib*-rdmav*.so" if tree.whole else "libcroce-rdmav*.so"))
    whole = [*built.glob("libibverbs.so.*"), *built.glob("librdmacm.so.*")] if tree.whole else []
    inputs = ["1", tree.version, *(cache.digest(path.read_bytes()) for path in [*libraries, *whole])]

    def lay_out(path: Path) -> None:
        drivers, config = path / LIB / "libibverbs", path / "etc/libibverbs.d"
        drivers.mkdir(parents=True)
        config.mkdir(parents=True)
        for library in libraries:
            shutil.copy2(library, drivers)
        for library in whole:
            shutil.copy2(library, path / LIB, follow_symlinks=False)
        (config / "croce.driver").write_text("driver croce\n")
        shutil.copytree(directory / "src/tests", path / "usr/share/croce/rdma-core-tests/tests")

    return cache.ensure("overlay", f"provider-{tree.name}", inputs, lay_out)
