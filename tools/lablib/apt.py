# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Packages of several Debian releases, without touching the host's apt.

A second configuration in the cache has its own sources and lists.  The
mirrors are the host's own when the host is a Debian, so that the lab works
wherever apt does.
"""

import contextlib
import functools
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from . import cache
from .paths import cache_root
from .shell import LabError, run, say

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
FALLBACK = {"Debian": "http://deb.debian.org/debian",
            "Debian-Security": "http://deb.debian.org/debian-security"}
MAX_AGE_DAYS = 14
T = TypeVar("T")


@functools.cache
def mirrors() -> dict[str, str]:
    """Return the archive's addresses by label, as the host's apt has them."""
    found = dict(FALLBACK)
    listing = run(["apt-get", "indextargets", "--format",
                   "$(LABEL) $(REPO_URI)", "Created-By: Packages"])
    for line in listing.splitlines():
        label, _, address = line.rpartition(" ")
        if label in FALLBACK:
            found[label] = address.rstrip("/")
    return found


def suite_lines(release: str) -> list[str]:
    """Return the binary sources of a release, as lines of a sources.list."""
    main, security = mirrors()["Debian"], mirrors()["Debian-Security"]
    signed = f"[signed-by={KEYRING}]"
    lines = [f"deb {signed} {main} {release} main",
             f"deb {signed} {security} {release}-security main"]
    if release == "trixie":
        lines.append(f"deb {signed} {main} trixie-backports main")
    return lines


def _sources() -> str:
    """Return the lab's whole sources.list."""
    signed, main = f"[signed-by={KEYRING}]", mirrors()["Debian"]
    lines = suite_lines("bookworm") + suite_lines("trixie")
    lines += [f"deb-src {signed} {main} {suite} main" for suite in ("bookworm", "trixie", "sid")]
    return "\n".join(lines) + "\n"


@functools.cache
def config() -> Path:
    """Return the lab's apt.conf, with package lists that are there and not stale."""
    home = cache_root() / "apt"
    conf = home / "apt.conf"
    if _is_fresh(home / "updated"):
        return conf
    with cache.lock("apt"):
        if _is_fresh(home / "updated"):
            return conf
        for sub in ("state/lists/partial", "cache/archives/partial", "parts"):
            (home / sub).mkdir(parents=True, exist_ok=True)
        (home / "status").touch()
        conf.write_text(f'Dir::State "{home}/state"; Dir::Cache "{home}/cache";\n'
                        f'Dir::Etc::sourcelist "{home}/sources.list";\n'
                        f'Dir::Etc::sourceparts "{home}/parts";\n'
                        f'Dir::State::status "{home}/status"; APT::Sandbox::User "root";\n'
                        'Acquire::Languages "none"; Acquire::Retries "3";\n')
        (home / "sources.list").write_text(_sources())
        _update(conf)
        (home / "updated").touch()
    return conf


def _is_fresh(stamp: Path) -> bool:
    """Return whether the lists are young, and younger than the host's choice of mirrors."""
    if not stamp.exists():
        return False
    updated = stamp.stat().st_mtime
    apt_files = [*Path("/etc/apt").glob("sources.list*"), *Path("/etc/apt/sources.list.d").glob("*")]
    return (time.time() - updated < MAX_AGE_DAYS * 86400
            and all(path.stat().st_mtime < updated for path in apt_files))


def _update(conf: Path) -> None:
    """Fetch the package lists."""
    say("fetching package lists (bookworm, trixie, trixie-backports, sid sources)")
    run(["apt-get", "-qq", "update"], env={"APT_CONFIG": str(conf)})
    shutil.rmtree(conf.parent / "answers", ignore_errors=True)


def forget_lists() -> None:
    """Make the next use fetch new package lists."""
    (cache_root() / "apt" / "updated").unlink(missing_ok=True)
    config.cache_clear()


def remembered(function: Callable[[str], T]) -> Callable[..., T]:
    """Keep a function's answers (from apt-cache, which is slow) as long as the package lists."""
    @functools.wraps(function)
    def ask(*words: str) -> T:
        config()
        path = cache_root() / "apt" / "answers" / cache.key(function.__name__, *words)
        with contextlib.suppress(OSError, ValueError):
            return json.loads(path.read_text())
        answer = function(*words)
        path.parent.mkdir(exist_ok=True)
        scratch = path.with_suffix(f".{os.getpid()}")
        scratch.write_text(json.dumps(answer))
        scratch.rename(path)
        return answer
    return ask


def apt(*argv: object, cwd: Path | None = None) -> str:
    """Run an apt program under the lab's configuration."""
    return run(argv, cwd=cwd, env={"APT_CONFIG": str(config())})


@remembered
def newest(prefix: str, shape: str) -> str:
    """Return the newest package called PREFIX and then something of that shape."""
    names = apt("apt-cache", "pkgnames", prefix).split()
    pattern = re.compile(re.escape(prefix) + shape)
    found = [name for name in names if pattern.fullmatch(name)]
    if not found:
        raise LabError(f"no package {prefix}{shape} in the archive")
    return max(found, key=lambda name: [int(n) for n in re.findall(r"\d+", name)])


@remembered
def version(package: str) -> str:
    """Return a binary package's newest version."""
    listing = apt("apt-cache", "madison", package)
    rows = [line.split("|")[1].strip() for line in listing.splitlines() if "Sources" not in line]
    if not rows:
        raise LabError(f"package {package} is not in the archive")
    return functools.reduce(_later, rows)


@remembered
def version_in(package: str, release: str) -> str:
    """Return a binary package's newest version in a release proper."""
    rows = [line.split("|") for line in apt("apt-cache", "madison", package).splitlines()]
    versions = [row[1].strip() for row in rows if f" {release}/" in row[2]]
    if not versions:
        raise LabError(f"package {package} is not in {release}")
    return functools.reduce(_later, versions)


@remembered
def source_versions(package: str) -> list[str]:
    """Return the versions of a source package, oldest first."""
    rows = {line.split("|")[1].strip() for line in
            apt("apt-cache", "madison", package).splitlines() if "Sources" in line}
    return sorted(rows, key=functools.cmp_to_key(
        lambda a, b: 0 if a == b else (1 if _later(a, b) == a else -1)))


def _later(one: str, other: str) -> str:
    """Return the later one of two Debian versions."""
    test = subprocess.run(["dpkg", "--compare-versions", one, "gt", other], check=False)
    return one if test.returncode == 0 else other


def download(packages: list[str], into: Path) -> list[Path]:
    """Download packages (PACKAGE or PACKAGE=VERSION) and return the files."""
    into.mkdir(parents=True, exist_ok=True)
    _fresh_retry(lambda: apt("apt-get", "-qq", "download", *packages, cwd=into))
    return sorted(into.glob("*.deb"))


def unpack(packages: list[str], into: Path) -> None:
    """Download packages and unpack them into a directory, unconfigured."""
    debs = into / ".debs"
    for deb in download(packages, debs):
        run(["dpkg-deb", "-x", deb, into])
        deb.unlink()
    debs.rmdir()


def source_archive(package: str, ver: str, into: Path) -> Path:
    """Download upstream's archive of a source package, checked against the signed index."""
    listing = apt("apt-get", "-qq", "source", "--print-uris", "--only-source", f"{package}={ver}")
    found = re.search(r"^'(\S+)' (\S+\.orig\.tar\.\S+) \d+ (SHA\d+:\w+)$", listing, re.MULTILINE)
    if not found:
        raise LabError(f"source package {package} {ver} has no upstream archive")
    address, name, checksum = found.groups()
    apt("/usr/lib/apt/apt-helper", "download-file", address, into / name, checksum)
    return into / name


def _fresh_retry(action) -> None:
    """Try once more with new package lists: mirrors drop superseded files."""
    try:
        action()
    except LabError:
        _update(config())
        action()
