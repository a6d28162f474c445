#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Judging a kernel log: what in it means that something went wrong.

Runs on the host as a module, and in guests as a program:
    klog.py FILE [ALLOWED-REGEX ...]     exit 1 and print when FILE has a report
"""

import re
import sys

REPORT = re.compile("|".join((
    r"\bBUG\b", r"WARNING: ", r"\bOops\b", r"general protection fault", r"Kernel panic",
    r"INFO: task .* blocked", r"soft lockup", r"hard LOCKUP", r"hung task",
    r"rcu: .*(stall|starved)", r"rcu_\w+ .*detected .*stall", r"suspicious RCU usage",
    r"possible (circular|recursive|irq lock|deadlock)", r"inconsistent lock state",
    r"bad unlock balance", r"held lock freed", r"sleeping function called", r"scheduling while atomic",
    r"KASAN:", r"KFENCE:", r"KCSAN:", r"UBSAN:", r"kmemleak: [1-9]\d* new", r"refcount_t: ",
    r"list_(add|del) corruption", r"Poison overwritten", r"Object padding overwritten",
    r"Redzone overwritten", r"Objects remaining in", r"ODEBUG:",
    r"unregister_netdevice: waiting", r"unable to handle (kernel|page)", r"segfault at .* in croce",
    r"workqueue lockup", r"Modules linked in:", r"page allocation failure", r"croce: leak",
)))
HARMLESS = re.compile("|".join((
    r"clocksource: .*", r"WARNING: CPU .* unpatched", r"Command line: ", r"Kernel command line: ",
    r"Unknown kernel command line parameters", r"KUNIT_FAULT",
    r"# .*(BUG|WARNING)",                   # KUnit diagnostics quote names
)))


def reports(log: str, allowed: list[str] | None = None) -> list[str]:
    """Return the lines of a kernel log that report a fault.

    A fault whose block has a line that matches an allowed pattern is left out;
    a block is the fault's line and what follows it up to 40 lines.
    """
    permit = [re.compile(pattern) for pattern in allowed or []]
    lines = log.splitlines()
    found = []
    for number, line in enumerate(lines):
        if not REPORT.search(line) or HARMLESS.search(line):
            continue
        block = lines[max(0, number - 40):number + 40]
        if any(pattern.search(other) for pattern in permit for other in block):
            continue
        found.append(line.strip())
    return found


def main(argv: list[str]) -> int:
    """Check one file."""
    with open(argv[0], encoding="utf-8", errors="replace") as handle:
        found = reports(handle.read(), argv[1:])
    for line in found[:20]:
        print(f"kernel log: {line}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
