# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Root file systems: one per Debian release, for guests and for builds."""

from collections.abc import Sequence
from pathlib import Path

from . import apt, cache, host, kernels
from .shell import run

TOOLS = """
    busybox kmod iproute2 iputils-ping ethtool tcpdump tshark procps psmisc strace
    util-linux nftables python3 python3-scapy
    rdma-core ibverbs-utils rdmacm-utils infiniband-diags perftest python3-pyverbs
    libibverbs-dev librdmacm-dev libibumad-dev
    iperf3 sockperf stress-ng
    gcc libc6-dev make bc pahole sparse
    cmake ninja-build pkg-config libnl-3-dev libnl-route-3-dev libudev-dev
""".split()
RELEASES = {"bookworm": ["linux-perf"], "trixie": ["linux-perf"]}
NOT_IN_GUEST = ("usr/src", "usr/lib/linux-kbuild-*", "usr/share/doc", "usr/share/man",
                "usr/share/locale", "var/cache", "var/lib/apt", "boot")


def packages(release: str) -> list[str]:
    """Return what a release's root consists of besides the essential packages."""
    headers = [kernel.headers for kernel in kernels.KERNELS.values()
               if kernel.release == release and not kernel.uml]
    return TOOLS + RELEASES[release] + headers


def root(release: str) -> Path:
    """Return the root directory of a release, bootstrapping it first if needed."""
    wanted = packages(release)
    return cache.ensure("root", release, ["1", *wanted],
                        lambda path: _bootstrap(release, wanted, path))


def _bootstrap(release: str, wanted: Sequence[str], path: Path) -> None:
    host.install(host.BASE)
    path.chmod(0o755)
    excludes = [f"--dpkgopt=path-exclude=/usr/share/{part}/*" for part in ("man", "doc", "locale")]
    run(["mmdebstrap", "--mode=root", "--variant=minbase", "--dpkgopt=force-unsafe-io",
         f"--include={','.join(wanted)}",
         "--aptopt=Acquire::Retries \"3\"", *excludes,
         "--customize-hook=mkdir -p $1/croce $1/out $1/lab $1/build",
         "--customize-hook=rm -f $1/etc/resolv.conf",
         release, path, *apt.suite_lines(release)],
        log=path.parent / f"{release}.log")


def squashfs(release: str) -> Path:
    """Return a release's root as an uncompressed squashfs image."""
    tree = root(release)
    entry = cache.ensure("image", release, ["1", tree.name, *NOT_IN_GUEST],
                         lambda path: _squash(tree, path / "root.squashfs"))
    return entry / "root.squashfs"


def _squash(tree: Path, image: Path) -> None:
    run(["mksquashfs", tree, image, "-quiet", "-no-progress", "-noI", "-noD", "-noF", "-noX",
         "-wildcards", "-e", *(f"{part}/*" for part in NOT_IN_GUEST)],
        log=image.parent.parent / "mksquashfs.log")


def enter(release: str, binds: dict[Path, str], argv: Sequence[object]) -> list[object]:
    """Return a command line that runs argv in a root, with directories bound into it.

    A private mount namespace holds the binds and /proc, and goes with the command.
    """
    tree = root(release)
    steps = ["set -e", f"mount --bind {tree} {tree}"]
    for source, target in binds.items():
        steps += [f"mkdir -p {tree}{target}", f"mount --bind {source} {tree}{target}"]
    steps += [f"mount -t proc proc {tree}/proc", f"mount --bind /dev {tree}/dev",
              f'exec chroot {tree} "$@"']
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private",
            "sh", "-c", "\n".join(steps), "sh", *argv]
