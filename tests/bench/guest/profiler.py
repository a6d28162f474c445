#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Run one load inside of a guest while perf looks on, here or on the host.

    profiler.py CASE CONTENDER SECONDS here|host

Leaves in /out: load.json (what the load achieved), kallsyms, and with `here`
addresses.txt (one line for each sample) and callers.txt (call graphs).
"""

import contextlib
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
DATA = "/tmp/perf.data"
RATE = 997
SETTLE = 1.5        # seconds from the start of a load until it is steady
OVERTIME = 12       # seconds that perf may take to start and to stop


def main(argv: list[str]) -> int:
    """Start the load, let perf look, write what it saw."""
    case, who, seconds, where = plan.parse(argv[0]), argv[1], float(argv[2]), argv[3]
    links, absent = world.build([who])
    if absent:
        print(absent[who])
        return 1
    (OUT / "kallsyms").write_text(Path("/proc/kallsyms").read_text())
    with contextlib.ExitStack() as stack:
        load = start(stack, case, links[who, case.mtu], seconds + SETTLE + OVERTIME)
        time.sleep(SETTLE)
        before, begin = tools.busy(), time.monotonic()
        observe(seconds, where)
        after, end = tools.busy(), time.monotonic()
        if load.poll() is not None:
            print("the load ended early: " + (load.communicate()[0] or "").strip()[-300:])
            return 1
        output = tools.finish(load, 6 * (seconds + OVERTIME))
    achieved = json.loads(output[output.index("{"):])
    achieved["busy"] = (after - before) / (end - begin)
    (OUT / "load.json").write_text(json.dumps(achieved))
    if where == "here":
        write_reports()
    return 0


def start(stack: contextlib.ExitStack, case: plan.Case, link: world.Link,
          seconds: float) -> subprocess.Popen:
    """Start the load, for so long."""
    if case.kind == "lat" and case.op == "tcp":
        argv = link.command(tools.BIN / "tcprr", *link.addresses, case.size, seconds)
        return stack.enter_context(tools.started(argv))
    if case.kind == "lat":
        return stack.enter_context(tools.started(tools.verbs_command(case, link, seconds)))
    return tools.start_load(stack, case, link, seconds)


def observe(seconds: float, where: str) -> None:
    """Record here, or give the host the time to do so."""
    if where == "host":
        (OUT / "ready").touch()
        time.sleep(seconds)
        return
    subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", str(RATE), "-a", "-g",
                    "-o", DATA, "--", "sleep", str(seconds)], check=True)


def write_reports() -> None:
    """Write all sampled addresses, and a report of who called whom."""
    addresses = ["perf", "script", "-i", DATA, "-G", "-F", "ip,dso"]
    callers = ["perf", "report", "-i", DATA, "--stdio", "--no-inline", "--no-children",
               "-g", "caller,0.5,callee,function,percent", "--percent-limit", "0.2",
               "--sort", "symbol"]
    for name, argv in (("addresses.txt", addresses), ("callers.txt", callers)):
        done = subprocess.run(argv, capture_output=True, text=True, check=True)
        (OUT / name).write_text(done.stdout)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
