# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Where the time of one measurement goes, by function and by kind of work.

In QEMU perf runs in the guest. User-mode Linux is a process of this machine, so
that perf runs here, at native speed; its functions are found by the guest's
own symbol table, for modules too.
"""

import argparse
import bisect
import collections
import json
import re
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from lablib import guest, host, overlay
from lablib.kernels import KERNELS, Kernel
from lablib.paths import cache_root
from lablib.shell import LabError, run, say

from .. import plan
from . import builds
from .kinds import kind_of

INSIDE = ["python3", "-ISB", "/croce/tests/bench/guest/profiler.py"]
PERF = {"perf": "linux-perf"}
Samples = dict[tuple[str, str], float]      # (object, function): count
HALF = 1 << 47              # kernels that are no processes live above
LARGEST = 1 << 16           # bytes of a function


def main(argv: list[str]) -> int:
    """Profile one case and print the report."""
    options = _parser().parse_args(argv)
    try:
        host.require_root()
        case = plan.parse(options.case)
        out = _directory(options)
        _measure(KERNELS[options.kernel], case, options, out)
        text = report(out, KERNELS[options.kernel], case, options.contender)
    except (LabError, ValueError) as error:
        say(str(error))
        return 2
    (out / "profile.txt").write_text(text)
    print(text)
    say(f"more in {out}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests/bench/profile", description=__doc__.split("\n", 1)[0])
    add = parser.add_argument
    add("case", help="a case of tests/bench/run --list, such as bw-write-1M-q1-m1500-block")
    add("--kernel", "-k", default="6.12", choices=KERNELS)
    add("--contender", "-c", default="croce", choices=plan.CONTENDERS)
    add("--seconds", "-t", type=float, default=5)
    add("--cpus", type=int, default=2)
    add("--out", type=Path, metavar="DIR", help="where the reports go (default: in the cache)")
    return parser


def _directory(options: argparse.Namespace) -> Path:
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        return options.out.absolute()
    base = cache_root() / "results"
    base.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f"profile-{options.kernel}-", dir=base))


def _measure(kernel: Kernel, case: plan.Case, options: argparse.Namespace, out: Path) -> None:
    """Run the load in a guest, watched from inside or from here."""
    for name in ("ready", "load.json", "addresses.txt", "perf.data"):
        (out / name).unlink(missing_ok=True)
    builds.provide(kernel, out / "bin")
    where = "host" if kernel.uml else "here"
    watcher = threading.Thread(target=_watch, args=(out, options.seconds))
    if kernel.uml:
        host.install(PERF)
        watcher.start()
    croce = options.contender == "croce"
    result = guest.run(guest.Spec(
        kernel=kernel.name, croce=croce, out=out, cpus=options.cpus,
        overlay=overlay.trees(kernel, croce, options.contender == "siw"),
        memory="2G" if kernel.uml else "4G", timeout=240 + 6 * options.seconds,
        command=[*INSIDE, case.name, options.contender, str(options.seconds), where]))
    (out / "ready").touch()
    if kernel.uml:
        watcher.join()
    if not (out / "load.json").exists():
        raise LabError(f"there is no profile; the guest's status is {result.status}")


def _watch(out: Path, seconds: float) -> None:
    """Record the User-mode Linux process that has this directory, once the load is steady."""
    while not (out / "ready").exists():
        time.sleep(0.1)
    pid = _process_of(out)
    if pid:
        run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "1999", "-p", pid, "--no-inherit",
             "-o", out / "perf.data", "--", "sleep", max(seconds - 1, 0.5)])


def _process_of(out: Path) -> int | None:
    """Return the oldest process with the guest's command line: its kernel."""
    wanted = f"lab.out={out}".encode()
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if wanted in line.read_bytes().split(b"\0"):
                found.append(int(line.parent.name))
        except OSError:
            continue
    return min(found, default=None)


def report(out: Path, kernel: Kernel, case: plan.Case, who: str) -> str:
    """Return the report as text."""
    samples = _samples(out, kernel.uml)
    load = json.loads((out / "load.json").read_text())
    kinds: dict[str, float] = collections.defaultdict(float)
    for (where, function), weight in samples.items():
        kinds[kind_of(where, function)] += weight
    working = sum(weight for kind, weight in kinds.items() if kind != "idle") or 1.0
    each = _busy_per_message(load)
    lines = [f"{case.name}, {who}, kernel {kernel.name}: {_summary(load, case)}", "",
             "by kind of work" + (" (and microseconds of processor time for a message)" if each else "")]
    ranked = sorted(kinds.items(), key=lambda item: -item[1])
    lines += [_line(kind, weight / working, each) for kind, weight in ranked if kind != "idle"]
    lines += ["", "by function"]
    top = sorted(samples.items(), key=lambda item: -item[1])
    lines += [_line(f"{where} {function}".strip(), weight / working, each, kind_of(where, function))
              for (where, function), weight in top[:70] if kind_of(where, function) != "idle"]
    return "\n".join(lines) + "\n"


def _line(name: str, share: float, each: float | None, kind: str = "") -> str:
    cost = f"{share * each:9.3f}" if each else ""
    return f"  {100 * share:5.1f} % {cost}  {name}" + (f"  ({kind})" if kind else "")


def _busy_per_message(load: dict) -> float | None:
    """Return the processor time of a message in microseconds."""
    if "messages" not in load:
        return None
    return load["busy"] / (load["messages"] / load["seconds"]) * 1e6


def _summary(load: dict, case: plan.Case) -> str:
    """Say in short what the load achieved."""
    if "p50" in load:
        return f"p50 {load['p50']:.1f} us, {load['busy']:.2f} processors busy"
    if "mibs" in load:
        return f"{load['mibs']:.1f} MiB/s, {load['mps']:.0f} messages/s, {load['busy']:.2f} processors busy"
    mibs = load["end"]["sum_received"]["bits_per_second"] / 8 / 2**20
    return f"{mibs:.1f} MiB/s, {load['busy']:.2f} processors busy"


def _samples(out: Path, uml: bool) -> Samples:
    """Count samples by function; addresses get their names from the guest's symbol table."""
    if uml:
        listing = run(["perf", "script", "-i", out / "perf.data", "-F", "ip,sym,dso"])
    else:
        listing = (out / "addresses.txt").read_text()
    starts, names = _symbols(out / "kallsyms")
    samples: Samples = collections.defaultdict(float)
    for line in listing.splitlines():
        match = re.match(r"\s*([0-9a-f]+)\s*(.*?)\s*\((.*)\)$", line)
        if not match:
            continue
        address = int(match.group(1), 16)
        number = bisect.bisect_right(starts, address) - 1
        if (address < HALF) == uml and number >= 0 and address - starts[number] < LARGEST:
            samples[names[number]] += 1
        elif uml:
            samples["[host]", match.group(2) or "?"] += 1
        else:
            samples[Path(match.group(3)).name, ""] += 1
    return samples


def _symbols(path: Path) -> tuple[list[int], list[tuple[str, str]]]:
    """Return the addresses of a guest's functions in order, and (object, name) of each."""
    rows = []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[1].lower() in "tw":
            rows.append((int(words[0], 16), words[3] if len(words) > 3 else "[kernel]", words[2]))
    rows.sort()
    return [row[0] for row in rows], [(row[1], row[2]) for row in rows]
