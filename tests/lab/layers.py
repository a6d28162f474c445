# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The layers of tests, cheapest first."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lablib import guest, module, overlay
from lablib.kernels import KERNELS
from lablib.paths import cache_root
from lablib.shell import LabError

from . import discover, guests
from .outcome import Layer, Outcome, from_output, tap_points

PACKAGED = "6.1,6.12,7.3"
UNIT_FOLDERS = ("unit", "provider", "sim", "fabric")
KUNIT_COMMAND = ("for m in $(cd /lib/modules/$(uname -r)/updates && ls *kunit*.ko); do "
                 "modprobe ${m%.ko} || exit 1; done; dmesg >/out/kunit.log")


def unit(layer: Layer, _: list[str] | None) -> None:
    """User-space tests: `make check` or an executable `run` in each folder."""
    for name in UNIT_FOLDERS:
        folder = discover.TESTS / name
        if os.access(folder / "run", os.X_OK):
            _host(layer, name, [str(folder / "run")], folder)
        elif (folder / "Makefile").exists():
            _host(layer, name, ["make", "-s", "-C", str(folder), "check"], folder)


def lint(layer: Layer, _: list[str] | None) -> None:
    """Checks of the sources: every executable in tests/lint."""
    for path in discover.executables("lint"):
        _host(layer, path.stem, [str(path)], discover.TESTS.parent)


def kunit(layer: Layer, kernels: list[str] | None) -> None:
    """KUnit suites (*kunit*.ko) in User-mode Linux, plain and with sanitizers."""
    for name in [name for name, kernel in KERNELS.items() if kernel.uml]:
        if kernels is None or name in kernels:
            _kunit(layer, name)


def _kunit(layer: Layer, name: str) -> None:
    kernel = KERNELS[name]
    if not any("kunit" in path.name for path in module.build(kernel).rglob("*.ko")):
        return
    start = time.monotonic()
    result = guest.run(guest.Spec(kernel=name, command=[KUNIT_COMMAND], memory="2G", timeout=300,
                                  overlay=overlay.trees(kernel, True, False), quiet=True, out=_results(name)))
    log = result.out / "kunit.log"
    text = log.read_text(errors="replace") if log.exists() else ""
    lines = [line.partition("] ")[2] if line.startswith("[") else line for line in text.splitlines()]
    outcomes = tap_points(f"{name}", "\n".join(lines))
    if result.status or not outcomes:
        outcomes.append(Outcome(name, "fail", detail=f"status {result.status}: no KUnit result, or "
                                "a kernel log report:\n" + "\n".join(result.reports)))
    outcomes[0].seconds = time.monotonic() - start
    if not any(outcome.verdict == "fail" for outcome in outcomes):
        shutil.rmtree(result.out)
    layer.add(*outcomes)


def _results(name: str) -> Path:
    """Make a folder that is kept if a test fails."""
    results = cache_root() / "results"
    results.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f"kunit-{name}-", dir=results))


def in_guests(folder: str) -> Callable[[Layer, list[str] | None], None]:
    """Return a layer whose tests are a folder's executables, run in guests."""
    def run(layer: Layer, kernels: list[str] | None) -> None:
        guests.run_all(layer, discover.guest_tests(folder, PACKAGED, kernels))
    return run


def _host(layer: Layer, name: str, argv: list[str], folder: Path) -> None:
    """Run a program on this machine as a test, or as many as its TAP tells."""
    start = time.monotonic()
    done = subprocess.run(argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    layer.add(*from_output(name, done.returncode, done.stdout, time.monotonic() - start))


LAYERS: dict[str, Callable[[Layer, list[str] | None], None]] = {
    "unit": unit, "lint": lint, "kunit": kunit,
    "guest": in_guests("guest"), "interop": in_guests("interop"),
}


def run(name: str, kernels: list[str] | None) -> Layer:
    """Run one layer."""
    layer = Layer(name)
    try:
        LAYERS[name](layer, kernels)
    except LabError as error:
        layer.add(Outcome("preparing", "fail", detail=str(error)))
    return layer
