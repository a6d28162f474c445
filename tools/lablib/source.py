# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Copies of the checkout's sources to build in, so that the checkout stays clean."""

import filecmp
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from .paths import CHECKOUT

MANIFEST = ".lab-files"


def files(*parts: str) -> list[str]:
    """Return the checkout's files below these parts: tracked ones, and new ones not ignored."""
    listing = subprocess.run(
        ["git", "-c", f"safe.directory={CHECKOUT}", "ls-files", "-z", "--cached", "--others",
         "--exclude-standard", "--", *parts],
        cwd=CHECKOUT, capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        names = [name for name in listing.stdout.split("\0") if name]
    else:       # not a git checkout: an unpacked archive
        names = [str(path.relative_to(CHECKOUT)) for part in parts
                 for path in [CHECKOUT / part, *(CHECKOUT / part).rglob("*")] if path.is_file()]
    return sorted({name for name in names if (CHECKOUT / name).is_file()})


def mirror(names: Iterable[str], target: Path) -> None:
    """Bring copies of the checkout's files up to date; unchanged ones keep their times."""
    names = list(names)
    manifest = target / MANIFEST
    before = manifest.read_text().split("\n") if manifest.exists() else []
    for name in set(before) - set(names):
        if name:
            (target / name).unlink(missing_ok=True)
    for name in names:
        copy(CHECKOUT / name, target / name)
    manifest.write_text("\n".join(names))


def copy(source: Path, target: Path) -> None:
    """Copy a file if its content differs."""
    if target.exists() and filecmp.cmp(source, target, shallow=False):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    shutil.copymode(source, target)
