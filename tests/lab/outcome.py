# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What tests gave, and how it is reported."""

import re
import sys
import time
from dataclasses import dataclass, field

SKIPPED = 77        # exit status of a test that cannot run here
POINT = re.compile(r"^\s*(not )?ok\b\s*(\d+)?\s*-?\s*(.*?)\s*(?:#\s*(SKIP|TODO)\b\s*(.*))?$",
                   re.IGNORECASE)


@dataclass
class Outcome:
    """One test's result."""

    name: str
    verdict: str            # "pass", "fail" or "skip"
    seconds: float = 0.0
    detail: str = ""


@dataclass
class Layer:
    """The results of one layer."""

    name: str
    outcomes: list[Outcome] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    seconds: float = 0.0

    def add(self, *outcomes: Outcome) -> None:
        """Record results and show them at once."""
        for outcome in outcomes:
            self.outcomes.append(outcome)
            show(outcome)
        self.seconds = time.monotonic() - self.started

    def count(self, verdict: str) -> int:
        """Return how many tests ended so."""
        return sum(outcome.verdict == verdict for outcome in self.outcomes)


def from_output(name: str, status: int, output: str, seconds: float) -> list[Outcome]:
    """Turn a program's status, and TAP if it printed some, into results."""
    if status == SKIPPED:
        reason = output.strip().splitlines()[-1:] or [""]
        return [Outcome(name, "skip", seconds, reason[0])]
    outcomes = tap_points(name, output)
    failed = any(outcome.verdict == "fail" for outcome in outcomes)
    if not outcomes or (status and not failed):
        detail = f"exit status {status}\n{ending(output)}" if status else ""
        outcomes.append(Outcome(name, "fail" if status else "pass", seconds, detail))
    outcomes[0].seconds = seconds
    return outcomes


def tap_points(name: str, output: str) -> list[Outcome]:
    """Return the test points of TAP output (also of KTAP: innermost points only).

    What is said about a failure follows it in comments; KTAP has it in front.
    """
    lines = output.splitlines()
    found: list[Outcome] = []
    suite, remarks, after, depth = "", [], [], 0
    for index, line in enumerate(lines):
        match = POINT.match(line)
        if not match:
            told = (found and found[-1].verdict == "fail" and line.lstrip().startswith("#") and
                    _indent(line) == depth)
            (after if told else remarks).append(line)
            if told:
                found[-1].detail = "\n" + ending("\n".join(after), 25)
            if "# Subtest: " in line:
                suite = line.rpartition("# Subtest: ")[2] + "."
            continue
        if not _has_subtests(lines, index):
            failed, _, title, directive, why = match.groups()
            verdict = "skip" if directive else "fail" if failed else "pass"
            detail = why or ("\n" + ending("\n".join(remarks or lines), 15) if failed else "")
            found.append(Outcome(f"{name}: {suite}{title}" if title else name, verdict, detail=detail))
        depth = _indent(line)
        remarks, after = [], []
    return found


def _has_subtests(lines: list[str], index: int) -> bool:
    """Return whether a point sums up more deeply indented points right before it."""
    depth = _indent(lines[index])
    for line in reversed(lines[:index]):
        if POINT.match(line):
            return _indent(line) > depth
    return False


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def ending(output: str, lines: int = 30) -> str:
    """Return the end of a program's output, indented."""
    return "\n".join("    " + line for line in output.rstrip().splitlines()[-lines:])


def show(outcome: Outcome) -> None:
    """Print one result."""
    mark = {"pass": "ok  ", "fail": "FAIL", "skip": "skip"}[outcome.verdict]
    took = f" ({outcome.seconds:.1f} s)" if outcome.seconds >= 0.05 else ""
    why = f": {outcome.detail}" if outcome.detail and outcome.verdict != "pass" else ""
    print(f"{mark} {outcome.name}{took}{why}", flush=True)


def summarize(layers: list[Layer]) -> int:
    """Print the summary; return the exit status."""
    print()
    for layer in layers:
        print(f"{layer.name:10} {layer.count('pass'):5} passed {layer.count('fail'):4} failed "
              f"{layer.count('skip'):4} skipped {layer.seconds:7.0f} s")
    for layer in layers:
        for outcome in layer.outcomes:
            if outcome.verdict == "fail":
                print(f"failed: {layer.name} {outcome.name}")
    passed, failed = (sum(layer.count(verdict) for layer in layers) for verdict in ("pass", "fail"))
    print(f"{passed} passed, {failed} failed")
    sys.stdout.flush()
    return 1 if failed or not passed else 0
