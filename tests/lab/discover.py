# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Finding tests: executables, with a header that says what they need."""

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from lablib.kernels import KERNELS
from lablib.shell import LabError

TESTS = Path(__file__).resolve().parents[1]
HEADER = re.compile(r"^(?:#|//|--)\s*lab:\s*(.*)$")
HEADER_LINES = 30


@dataclass(frozen=True)
class Boot:
    """What a guest must be like; tests with equal needs share one boot."""

    kernel: str
    guests: int = 1
    memory: str = "4G"
    cpus: int = 2
    mtu: int = 1500
    append: str = ""
    croce: bool = True
    siw: bool = False
    virtual_time: bool = False


@dataclass(frozen=True)
class GuestTest:
    """A test that runs inside of a guest."""

    path: Path
    boot: Boot
    timeout: int = 300
    allowed: tuple[str, ...] = ()       # harmless kernel log reports

    @property
    def name(self) -> str:
        """Return the test's name without its folder and suffix."""
        return self.path.stem


def executables(layer: str) -> list[Path]:
    """Return the executable files of a layer's folder, in order."""
    folder = TESTS / layer
    return sorted(path for path in folder.glob("*")
                  if path.is_file() and os.access(path, os.X_OK)) if folder.is_dir() else []


def guest_tests(layer: str, default: str, kernels: list[str] | None) -> list[GuestTest]:
    """Return a layer's guest tests, one for each kernel that it names and is wanted."""
    found = []
    for path in executables(layer):
        needs = header(path)
        named = needs.get("kernels", default).split(",")
        if kernels is not None:     # asked for by name: also where it is not run each time
            named += needs.get("more", "").split(",") if "more" in needs else []
        for kernel in named:
            if kernel not in KERNELS:
                raise LabError(f"{path}: unknown kernel '{kernel}'")
            if kernels is None or kernel in kernels:
                found.append(_test(path, kernel, needs))
    return found


def header(path: Path) -> dict[str, str]:
    """Return the NAME=VALUE words of a test's `# lab:` lines."""
    words: list[str] = []
    with path.open(encoding="utf-8", errors="replace") as handle:
        for _, line in zip(range(HEADER_LINES), handle, strict=False):
            if match := HEADER.match(line):
                words += shlex.split(match[1])
    return dict(word.partition("=")[::2] for word in words)


def _test(path: Path, kernel: str, needs: dict[str, str]) -> GuestTest:
    known = {"kernels", "more", "guests", "timeout", "memory", "cpus", "mtu", "append", "croce", "siw",
             "virtual-time", "allow-log"}
    if unknown := set(needs) - known:
        raise LabError(f"{path}: unknown needs in its header: {', '.join(sorted(unknown))}")
    defaults = Boot(kernel)
    boot = Boot(kernel, int(needs.get("guests", defaults.guests)),
                needs.get("memory", "2G" if KERNELS[kernel].uml else defaults.memory),
                int(needs.get("cpus", defaults.cpus)), int(needs.get("mtu", defaults.mtu)),
                needs.get("append", ""), needs.get("croce", "yes") != "no",
                needs.get("siw", "no") != "no",
                KERNELS[kernel].uml and needs.get("virtual-time", "no") != "no")
    allowed = tuple(needs["allow-log"].split("|||")) if "allow-log" in needs else ()
    return GuestTest(path, boot, int(needs.get("timeout", 300)), allowed)
