# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Carrying out a plan: one guest, and another one for the rest when it dies.

A contender may bring the guest down or leave it unfit; that measurement counts
as failed, and those after it get a new boot.
"""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lablib import guest, overlay
from lablib.kernels import Kernel
from lablib.shell import LabError, say

from ..plan import UNFIT, Step
from . import builds

COMMAND = ["python3", "-ISB", "/croce/tests/bench/guest/inside.py"]
LIMIT_PER_STEP = 45         # seconds, on the average
MAX_BOOTS = 40
SPOILERS = 2                # after so many boots lost to the same case of the same contender, skip it


@dataclass
class Records:
    """What a run has measured."""

    steps: list[dict] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)      # kernel log reports, lost guests
    boots: int = 0


def carry_out(kernel: Kernel, steps: Sequence[Step], contenders: Sequence[str],
              seconds: float, out: Path, cpus: int) -> Records:
    """Measure all steps in guests of a kernel."""
    trees = overlay.trees(kernel, "croce" in contenders, "siw" in contenders)
    builds.provide(kernel, out / "bin")
    waiting = [entry(step) for step in steps]
    records = Records()
    while waiting and records.boots < MAX_BOOTS:
        _write_plan(out, waiting, contenders, seconds, len(steps))
        records.boots += 1
        result = guest.run(guest.Spec(
            kernel=kernel.name, command=COMMAND, overlay=trees, croce="croce" in contenders,
            out=out, memory="2G" if kernel.uml else "4G", cpus=cpus,
            timeout=60 + LIMIT_PER_STEP * len(waiting)))
        waiting = _collect(records, waiting, result, out)
    _remove_working_files(out)
    if waiting:
        raise LabError(f"{len(waiting)} measurements were not reached in {MAX_BOOTS} boots")
    return records


def entry(step: Step) -> dict:
    """Return a step as the guest gets it."""
    return {"case": step.case.name, "contender": step.contender, "repetition": step.repetition}


def _remove_working_files(out: Path, keep: str = "") -> None:
    for name in ("current", "plan.json", "results.jsonl", "guest.json"):
        (out / name).unlink(missing_ok=True)
    if keep != "bin":
        shutil.rmtree(out / "bin")


def _write_plan(out: Path, waiting: list[dict], contenders: Sequence[str], seconds: float,
                total: int) -> None:
    _remove_working_files(out, keep="bin")
    (out / "plan.json").write_text(json.dumps({
        "steps": waiting, "contenders": list(contenders), "seconds": seconds, "total": total}))


def _collect(records: Records, waiting: list[dict], result: guest.Result, out: Path) -> list[dict]:
    """Take the results of one boot; return what is left to do."""
    lines = _text(out / "results.jsonl").splitlines()
    done = [{**json.loads(line), "boot": records.boots} for line in lines if line.endswith("}")]
    if not (out / "guest.json").exists():
        raise LabError(f"the guest did not start measuring (see {result.directory})")
    about = json.loads((out / "guest.json").read_text())
    records.facts |= about["facts"]
    records.notes += [f"boot {records.boots}: {line}" for line in result.reports
                      if "Modules linked in" not in line]
    left = waiting[len(done):]
    if left and result.status not in (UNFIT, guest.NO_STATUS, guest.TIMED_OUT):
        raise LabError(f"measuring ended with status {result.status} (see {result.directory})")
    if left and result.status != UNFIT:         # it died with this step
        reason = "; ".join(result.reports[:1]) or f"status {result.status}"
        done.append({**left.pop(0), "boot": records.boots, "error": f"the guest died: {reason}"})
    if left:
        culprit = {**done[-1], "spoiled": True}
        done[-1] = culprit
        records.notes.append(f"boot {records.boots}: guest lost to {culprit['case']} of "
                             f"{culprit['contender']}")
        say(records.notes[-1])
    records.steps += done
    return _without_spoilers(records, left)


def _without_spoilers(records: Records, left: list[dict]) -> list[dict]:
    """Give up on what has cost guests repeatedly."""
    lost: dict[tuple, int] = {}
    for step in records.steps:
        if step.get("spoiled"):
            lost[step["case"], step["contender"]] = lost.get((step["case"], step["contender"]), 0) + 1
    keep = []
    for step in left:
        if lost.get((step["case"], step["contender"]), 0) >= SPOILERS:
            records.steps.append({**step, "boot": 0, "error": "not tried again"})
        else:
            keep.append(step)
    return keep


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""
