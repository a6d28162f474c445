# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What the cache holds, and what of it is still of use."""

import os
import shutil
from pathlib import Path

from . import cache

# made again at no cost, or kept only for a look at what went wrong
PASSING = ("runs", "results", "overlay")


def in_use() -> set[Path]:
    """Return the entries that have been used lately: the newest of each name, and work."""
    newest: dict[tuple[str, str], Path] = {}
    used = set()
    for path in cache.entries():
        kind, name = path.parent.name, path.name.rpartition("-")[0]
        if kind == "work":
            used.add(path)
        elif kind not in PASSING:
            other = newest.get((kind, name))
            if other is None or other.stat().st_mtime < path.stat().st_mtime:
                newest[kind, name] = path
    return used | set(newest.values())


def size(path: Path) -> int:
    """Return how much room a file or a tree takes."""
    if not path.is_dir() or path.is_symlink():
        return path.lstat().st_blocks * 512
    total = 0
    for folder, _, files in os.walk(path):
        total += sum(os.lstat(os.path.join(folder, name)).st_blocks * 512 for name in files)
    return total


def remove(path: Path) -> None:
    """Remove an entry, first of all its name."""
    if path.is_dir() and not path.is_symlink():
        gone = path.parent / f".gone-{path.name}"
        path.rename(gone)
        shutil.rmtree(gone)
    else:
        path.unlink()
