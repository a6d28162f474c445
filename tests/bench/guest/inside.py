#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Carry out /out/plan.json inside of a guest; one line of JSON for each measurement.

The host starts another guest for what is left when this one dies, or when a
contender leaves it unfit: processes that cannot be killed, processors that stay
busy with nothing to do. Then the status is plan.UNFIT.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, "/croce/tests")
sys.dont_write_bytecode = True

from bench import plan  # noqa: E402
from bench.guest import tools, world  # noqa: E402

OUT = Path("/out")
CALM = 0.4          # processors busy with nothing to do
PATIENCE = 10.0     # seconds to wait for calm


def main() -> int:
    """Do the steps of the plan that have no result yet."""
    orders = json.loads((OUT / "plan.json").read_text())
    give_perftest_a_clock()
    links, absent = world.build(orders["contenders"])
    (OUT / "guest.json").write_text(json.dumps({"facts": world.describe(), "absent": absent}))
    total = orders["total"]
    for number, entry in enumerate(orders["steps"], total - len(orders["steps"]) + 1):
        (OUT / "current").write_text(json.dumps(entry))
        record = {**entry, **attempt(entry, links, absent, orders["seconds"])}
        with (OUT / "results.jsonl").open("a") as results:
            results.write(json.dumps(record) + "\n")
        show(record, number, total)
        if not calm():
            print("the guest does not come to rest", flush=True)
            return plan.UNFIT
    return 0


def attempt(entry: dict, links: dict, absent: dict, seconds: float) -> dict:
    """Take one measurement; return its figures, or why there are none."""
    case, who = plan.parse(entry["case"]), entry["contender"]
    if who in absent:
        return {"error": absent[who]}
    any_link = next(link for link in links.values() if link.mtu == case.mtu)
    try:
        return {"figures": tools.measure(case, links.get((who, case.mtu), any_link), seconds,
                                         loaded=who != "idle")}
    except (world.Failed, subprocess.TimeoutExpired, OSError) as error:
        return {"error": " ".join(str(error).split())}


def calm() -> bool:
    """Wait until the guest's processors have nothing to do."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        before, start = tools.busy(), time.monotonic()
        time.sleep(0.15)
        if (tools.busy() - before) / (time.monotonic() - start) < CALM:
            return True
    return False


def show(record: dict, number: int, total: int) -> None:
    """Print one line about a measurement."""
    text = record.get("error") or "  ".join(
        f"{name} {value:.6g}" for name, value in record["figures"].items()
        if name not in ("messages", "seconds"))
    print(f"[{number}/{total}] {record['case']} {record['contender']}: {text}", flush=True)


def give_perftest_a_clock() -> None:
    """Let perftest find a processor frequency where /proc/cpuinfo has none."""
    text = Path("/proc/cpuinfo").read_text()
    if "cpu MHz" in text:
        return
    Path("/tmp/cpuinfo").write_text(text.rstrip("\n") + "\ncpu MHz\t\t: 2000.000\n\n")
    subprocess.run(["mount", "--bind", "/tmp/cpuinfo", "/proc/cpuinfo"], check=False)


if __name__ == "__main__":
    sys.exit(main())
