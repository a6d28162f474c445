# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Running guest tests: one boot for all tests that need the same guests.

A test that brings its guest down, or leaves a report in the kernel log, fails;
the tests after it get a new boot.
"""

import itertools
import json
import shutil
import tempfile
from pathlib import Path

from lablib import guest, overlay
from lablib.kernels import KERNELS
from lablib.paths import CHECKOUT, cache_root
from lablib.shell import LabError, say

from .discover import Boot, GuestTest
from .outcome import Layer, Outcome, from_output

RUNNER = "python3 -ISB /croce/tests/lab/inside.py"


def run_all(layer: Layer, tests: list[GuestTest]) -> None:
    """Run guest tests, grouped by what they need, and record the results."""
    def order(test: GuestTest) -> tuple:
        return (list(KERNELS).index(test.boot.kernel), test.boot.guests, repr(test.boot))

    for boot, group in itertools.groupby(sorted(tests, key=order), key=lambda test: test.boot):
        try:
            _run_group(layer, boot, list(group))
        except LabError as error:
            layer.add(Outcome(f"{boot.kernel}: preparing the guests", "fail", detail=str(error)))


def _run_group(layer: Layer, boot: Boot, waiting: list[GuestTest]) -> None:
    trees = overlay.trees(KERNELS[boot.kernel], boot.croce, boot.siw)
    while waiting:
        done = _run_boot(layer, boot, waiting, trees)
        waiting = waiting[max(done, 1):]


def _run_boot(layer: Layer, boot: Boot, tests: list[GuestTest], trees: list[Path]) -> int:
    """Boot once; run tests until all are done or the guest is spoiled. Return how many ran."""
    names = "guest" if boot.guests == 1 else "guests"
    say(f"{boot.kernel}, {boot.guests} {names}: {len(tests)} tests")
    runs = cache_root() / "results"
    runs.mkdir(parents=True, exist_ok=True)
    out = Path(tempfile.mkdtemp(prefix=f"{layer.name}-{boot.kernel}-", dir=runs))
    plan = [{"name": test.name, "path": f"/croce/{test.path.relative_to(CHECKOUT)}",
             "timeout": test.timeout, "allowed": test.allowed} for test in tests]
    (out / "plan.json").write_text(json.dumps(plan))
    result = guest.run(guest.Spec(
        kernel=boot.kernel, command=[RUNNER], guests=boot.guests, overlay=trees, croce=boot.croce,
        mtu=boot.mtu, out=out, memory=boot.memory, cpus=boot.cpus, append=boot.append,
        virtual_time=boot.virtual_time, timeout=sum(test.timeout + 10 for test in tests),
        allowed=[pattern for test in tests for pattern in test.allowed], quiet=True))
    return _collect(layer, boot, tests, out, result)


def _collect(layer: Layer, boot: Boot, tests: list[GuestTest], out: Path,
             result: guest.Result) -> int:
    """Record the results of one boot; return how many tests it has dealt with."""
    failures = layer.count("fail")
    label = boot.kernel + (f"/{boot.guests}" if boot.guests > 1 else "")
    count = 0
    for test in tests:
        verdict = out / test.name / "verdict.json"
        if not verdict.exists():
            break
        layer.add(*_outcomes(f"{label} {test.name}", json.loads(verdict.read_text()),
                             _read(out / test.name / "output")))
        count += 1
    spoiled = (out / "spoiled").exists()
    if count < len(tests) and not spoiled:      # the guest went away under this test
        layer.add(Outcome(f"{label} {tests[count].name}", "fail",
                          detail=f"the guest died or hung (status {result.status}), see "
                                 f"{result.directory}\n" + _read(out / tests[count].name / "output")[-3000:]))
        count += 1
    elif result.status and not spoiled and layer.count("fail") == failures:
        layer.add(Outcome(f"{label} after the tests", "fail",
                          detail="\n".join(result.reports) or f"status {result.status}"))
    if layer.count("fail") == failures:
        shutil.rmtree(out)
    return count


def _outcomes(name: str, verdict: dict, output: str) -> list[Outcome]:
    """Return a test's results; a kernel log report is a failure beside them."""
    outcomes = from_output(name, verdict["status"], output, verdict["seconds"])
    if verdict["reports"]:
        outcomes.append(Outcome(f"{name}: kernel log", "fail",
                                detail="\n    ".join(["", *verdict["reports"][:10]])))
    return outcomes


def _read(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""
