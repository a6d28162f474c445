#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Run the planned tests inside of a guest (see guests.py): /out/plan.json says which.

For each test: a folder in /out with its output and verdict.json.  Between tests
the guest is put back to how it was: no leftover processes, devices or namespaces.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, "/croce/tools")

from lablib import klog  # noqa: E402

OUT = pathlib.Path("/out")
KEPT_DEVICES = {"lo", "eth0", "ctl0", "sit0", "ip6tnl0", "tunl0", "gre0", "gretap0", "erspan0"}


def main() -> int:
    """Run the plan; stop after a test that left a report in the kernel log."""
    plan = json.loads((OUT / "plan.json").read_text())
    mark("the boot")
    for test in plan:
        verdict = run(test)
        folder = OUT / test["name"]
        (folder / "verdict.new").write_text(json.dumps(verdict))
        (folder / "verdict.new").rename(folder / "verdict.json")
        if verdict["reports"] or verdict["status"] == 124:
            (OUT / "spoiled").write_text(test["name"])
            break
        clean_up()
    return 0


def run(test: dict) -> dict:
    """Run one test in its own session and folder."""
    folder = OUT / test["name"]
    folder.mkdir(exist_ok=True)
    mark(test["name"])
    start = time.monotonic()
    environment = {**os.environ, "LAB_TEST": test["name"], "OUT": str(folder),
                   "PATH": f"/croce/tests/guest/lib:{os.environ['PATH']}"}
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen([test["path"]], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT, env=environment,
                                   start_new_session=True)
        try:
            status = process.wait(timeout=test["timeout"])
        except subprocess.TimeoutExpired:
            status = 124
            output.write(b"lab: the test did not end in time\n")
            subprocess.run("ps --ppid 2 -p 2 --deselect -wwo pid,stat,wchan:24,args; for p in /proc/[0-9]*; do "
                           "grep -q ' D ' $p/stat && { echo $p; cat $p/stack; }; done",
                           shell=True, stdout=output, stderr=subprocess.STDOUT, check=False)
        end_session(process.pid)
    seconds = time.monotonic() - start
    log = since_mark(test["name"])
    (folder / "dmesg").write_text(log)
    return {"status": status if status >= 0 else 128 - status, "seconds": seconds,
            "reports": klog.reports(log, test["allowed"])}


def mark(name: str) -> None:
    """Write a line to the kernel log that tells where a test begins."""
    pathlib.Path("/dev/kmsg").write_text(f"lab: begin {name}\n")


def since_mark(name: str) -> str:
    """Return the kernel log since a test's mark."""
    log = subprocess.run(["dmesg"], capture_output=True, text=True, errors="replace",
                         check=False).stdout
    return log.rpartition(f"lab: begin {name}\n")[2]


def end_session(session: int) -> None:
    """Kill what a test left running."""
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                os.kill(int(status.parent.name), signal.SIGKILL)
        except (OSError, ValueError, IndexError):
            continue


def clean_up() -> None:
    """Remove RDMA links, namespaces and devices that a test left behind."""
    for link in names("/sys/class/infiniband"):
        subprocess.run(["rdma", "link", "delete", link], capture_output=True, check=False)
    namespaces = names("/run/netns")
    if namespaces:
        subprocess.run(["ip", "-all", "netns", "delete"], capture_output=True, check=False)
    for device in set(names("/sys/class/net")) - KEPT_DEVICES:
        subprocess.run(["ip", "link", "delete", device], capture_output=True, check=False)
    if pathlib.Path("/sys/class/net/eth0").exists():
        subprocess.run(["tc", "qdisc", "delete", "dev", "eth0", "root"],
                       capture_output=True, check=False)


def names(directory: str) -> list[str]:
    """Return what a directory holds."""
    return os.listdir(directory) if os.path.isdir(directory) else []


if __name__ == "__main__":
    sys.exit(main())
