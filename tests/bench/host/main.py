# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The command line of tests/bench/run."""

import argparse
import json
import os
import platform
import re
import subprocess
import tempfile
import time
from pathlib import Path

from lablib import host, qemu
from lablib.kernels import KERNELS, Kernel
from lablib.paths import CHECKOUT, cache_root
from lablib.shell import LabError, say

from .. import plan
from . import boots, goals, plots, report
from .results import Table, contenders_of

BUSY = 0.7          # processors that others may use
GNUPLOT = {"gnuplot": "gnuplot-nox"}


def main(argv: list[str]) -> int:
    """Measure in a guest of each kernel and return the exit status."""
    options = _parser().parse_args(argv)
    options.repeat = options.repeat or (5 if options.quick else 3)
    try:
        host.require_root()
        statuses = [_one_kernel(KERNELS[name], options) for name in options.kernel or ["6.12"]]
    except LabError as error:
        say(str(error))
        return 2
    return max(statuses)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tests/bench/run", description="Measure croce against rxe, siw and TCP.",
        epilog="The status is 1 when a goal of --goals is not met, 2 when nothing was measured.")
    add = parser.add_argument
    add("--kernel", "-k", action="append", choices=KERNELS, help="may be repeated (default: 6.12)")
    add("--quick", action="store_true",
        help="the gate: 64 KiB writes and 8-byte latency against rxe, with --goals floor")
    add("--filter", "-f", action="append", default=[], metavar="GLOB",
        help="only cases with such a name; may be repeated (--list shows the names)")
    add("--contender", "-c", action="append", choices=plan.CONTENDERS,
        help="may be repeated (default: all)")
    add("--repeat", "-r", type=int, metavar="N", help="repetitions (default: 3; --quick: 5)")
    add("--seconds", "-t", type=float, help="of each measurement (default: 1; --quick: 2)")
    add("--cpus", type=int, default=2, help="processors of the guest (default: 2)")
    add("--goals", choices=(*goals.SETS, "none"), help="judge the results by these goals")
    add("--out", type=Path, metavar="DIR", help="where results go (default: in the cache)")
    add("--list", action="store_true", help="show the cases, and measure nothing")
    add("--from", type=Path, dest="source", metavar="JSON",
        help="make the reports again from the results of an earlier run")
    return parser


def _cases(kernel: Kernel, options: argparse.Namespace) -> list[plan.Case]:
    # User-mode Linux has one processor, where a program that polls gets in its own way
    everything = plan.quick() if options.quick else plan.full(polling=not kernel.uml)
    cases = plan.chosen(everything, options.filter)
    if not cases:
        raise LabError("no case has such a name; --list shows them")
    return cases


def _contenders(options: argparse.Namespace) -> list[str]:
    given = options.contender or (("croce", "rxe") if options.quick else plan.CONTENDERS)
    return [who for who in plan.CONTENDERS if who in given]


def _one_kernel(kernel: Kernel, options: argparse.Namespace) -> int:
    """Measure (or read) and report; return 1 when a goal was missed."""
    cases, contenders = _cases(kernel, options), _contenders(options)
    steps = list(plan.steps(cases, contenders, options.repeat))
    if options.list:
        print("\n".join(case.name for case in cases))
        return 0
    if options.source:
        return _again(options)
    out = _directory(kernel, options)
    if not options.quick:
        host.install(GNUPLOT)
    facts = _facts(kernel, options)
    if os.getloadavg()[0] > BUSY:
        say(f"this machine is busy (load {_load()}): the figures will not be worth much")
    say(f"{kernel.name}: {len(steps)} measurements of {len(cases)} cases")
    seconds = options.seconds or (2 if options.quick else 1)
    records = boots.carry_out(kernel, steps, contenders, seconds, out, options.cpus)
    facts |= {"seconds of a measurement": f"{seconds:g}", "boots": str(records.boots),
              **records.facts, "load of this machine, at the end": _load()}
    return _report(out, records, facts, options)


def _again(options: argparse.Namespace) -> int:
    """Report on an earlier run, next to its results."""
    saved = json.loads(options.source.read_text())
    records = boots.Records(steps=saved["measurements"], notes=saved["notes"])
    return _report(options.source.parent, records, saved["facts"], options)


def _report(out: Path, records: boots.Records, facts: dict[str, str],
            options: argparse.Namespace) -> int:
    """Write all reports, print the table, judge."""
    table = Table(records.steps, int(facts["guest processors"]))
    chosen = options.goals or ("floor" if options.quick else "speed")
    wanted = goals.SETS.get(chosen, ()) if "croce" in contenders_of(table) else ()
    text = report.text(table, facts, wanted, records.notes)
    (out / "table.txt").write_text(text)
    report.write_json(out / "results.json", records.steps, facts, records.notes)
    report.write_csv(out / "results.csv", table, facts)
    if wanted:
        report.write_goals(out / "goals.csv", table, wanted)
    if plots.available():
        plots.write(out, table, f"Kernel {facts['kernel']}, {facts['commit']}")
    print("\n" + text)
    say(f"results are in {out}")
    missed = [verdict for verdict in goals.judge(table, wanted) if verdict.word not in ("met", "no rival")]
    return 1 if missed and (options.goals or options.quick) else 0


def _directory(kernel: Kernel, options: argparse.Namespace) -> Path:
    """Return a directory for the results of one kernel."""
    if options.out:
        out = options.out.absolute() / kernel.name
        out.mkdir(parents=True, exist_ok=True)
        return out
    base = cache_root() / "results"
    base.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f"bench-{kernel.name}-{time.strftime('%m%d-%H%M')}-", dir=base))


def _facts(kernel: Kernel, options: argparse.Namespace) -> dict[str, str]:
    """Return what a reader of the results wants to know."""
    cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"^model name\s*: (.*)", cpuinfo, re.MULTILINE)
    how = "User-mode Linux" if kernel.uml else "QEMU, " + ("KVM" if qemu.has_kvm() else "emulated (TCG)")
    return {"commit": _commit(), "date": time.strftime("%Y-%m-%d %H:%M %z"),
            "kernel": kernel.name, "machine": how, "repetitions": str(options.repeat),
            "host processor": f"{model.group(1) if model else platform.machine()}, {os.cpu_count()}",
            "host kernel": platform.release(), "load of this machine, at the start": _load()}


def _load() -> str:
    return " ".join(f"{value:.1f}" for value in os.getloadavg())


def _commit() -> str:
    """Return the checkout's commit, and whether the kernel and provider differ from it."""
    def git(*words: str) -> str:
        done = subprocess.run(["git", "-c", f"safe.directory={CHECKOUT}", *words], cwd=CHECKOUT,
                              capture_output=True, text=True, check=False)
        return done.stdout.strip()
    commit = git("rev-parse", "--short=12", "HEAD") or "unknown"
    changed = git("status", "--porcelain", "--", "kernel", "provider", "Kbuild")
    return commit + (" with changes" if changed else "")
