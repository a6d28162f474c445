# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cache entries: directories named by what they are made from.

An entry is built in a temporary directory and renamed into place when it is
complete, so that what exists is usable.  Its name carries a hash of its
inputs; a changed input gives another entry, never a changed one.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from .paths import cache_root
from .shell import say


@contextlib.contextmanager
def lock(name: str) -> Iterator[None]:
    """Hold a machine-wide lock; say so when another process has it."""
    path = cache_root() / "lock" / name.replace("/", "-")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another process that builds {name}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def key(*inputs: str) -> str:
    """Return a short hash of everything an entry is made from."""
    return hashlib.sha256("\0".join(inputs).encode()).hexdigest()[:12]


def digest(data: bytes) -> str:
    """Return a hash of a file's content, as an input of an entry."""
    return hashlib.sha256(data).hexdigest()


def entry_path(kind: str, name: str, *inputs: str) -> Path:
    """Return where an entry with these inputs lies, whether or not it exists."""
    return cache_root() / kind / f"{name}-{key(*inputs)}"


def ensure(kind: str, name: str, inputs: list[str], build: Callable[[Path], None]) -> Path:
    """Return an entry's path, building it first if it does not exist yet."""
    path = entry_path(kind, name, *inputs)
    if not path.exists():
        with lock(f"{kind}-{name}"):
            if not path.exists():
                _build(path, build)
    with contextlib.suppress(OSError):
        os.utime(path)
    return path


def _build(path: Path, build: Callable[[Path], None]) -> None:
    """Build an entry beside its final place and rename it there."""
    scratch = path.parent / f".new-{path.name}"
    if scratch.exists():
        shutil.rmtree(scratch)
    scratch.mkdir(parents=True)
    say(f"building {path.parent.name}/{path.name}")
    start = time.monotonic()
    build(scratch)
    scratch.rename(path)
    say(f"built {path.parent.name}/{path.name} in {time.monotonic() - start:.0f} s")


def forget_old(folder: Path, keep: int = 60) -> None:
    """Remove all but the newest folders with evidence of past runs."""
    found = [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    for path in sorted(found, key=lambda path: path.stat().st_mtime)[:-keep]:
        shutil.rmtree(path, ignore_errors=True)


def entries() -> Iterator[Path]:
    """Iterate over the complete entries of the cache."""
    for kind in sorted(cache_root().iterdir() if cache_root().exists() else []):
        if kind.is_dir() and kind.name not in ("lock", "apt"):
            yield from sorted(p for p in kind.iterdir() if p.is_dir() and not p.name.startswith("."))
