# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Where things are: the checkout, and the cache outside of it."""

import hashlib
import os
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
TOOLS = CHECKOUT / "tools"
GUEST = TOOLS / "lablib" / "guest"


def cache_root() -> Path:
    """Return the cache directory: $CROCE_CACHE, or croce in the user's cache."""
    if own := os.environ.get("CROCE_CACHE"):
        return Path(own).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base).absolute() / "croce"


def checkout_id() -> str:
    """Return a short name for this checkout, so that two can share a cache."""
    return hashlib.sha256(str(CHECKOUT).encode()).hexdigest()[:8]


def work_dir(kind: str, name: str) -> Path:
    """Return (and make) this checkout's private, incremental build directory."""
    path = cache_root() / "work" / f"{checkout_id()}" / f"{kind}-{name}"
    path.mkdir(parents=True, exist_ok=True)
    return path
