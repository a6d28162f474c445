# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Results as a table for people, and as CSV and JSON for programs."""

import csv
import json
from pathlib import Path

from ..plan import MTUS, Case, text_of
from .goals import Goal, judge
from .results import MAIN, Table, contenders_of

TITLES = {
    "lat": ("Latency, one way", "us"),
    "rate": ("Message rate", "1000/s"),
    "bw": ("Throughput", "MiB/s"),
    "cpu": ("Processor time, both ends", "s/GiB"),
    "cpum": ("Processor time, both ends", "us/message"),
    "ping": ("Ping of the host beside a stream of 1 MiB writes, 16 queue pairs; round trip", "us"),
}
# section: kind of case, figures, factor
SECTIONS = {
    "lat": ("lat", ("p50", "p99", "p999"), 1.0),
    "rate": ("rate", ("mps",), 1e-3),
    "bw": ("bw", ("mibs",), 1.0),
    "cpu": ("bw", ("cpu_gib",), 1.0),
    "cpum": ("rate", ("cpu_message",), 1.0),
    "ping": ("ping", ("p50", "p99", "max"), 1.0),
}
WAITS = {"block": "blocking", "poll": "polling", "event": "events"}


def number(value: float | None) -> str:
    """Write a number with three digits that count."""
    if value is None:
        return "-"
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def text(table: Table, facts: dict[str, str], goals: tuple[Goal, ...], notes: list[str]) -> str:
    """Return the whole report."""
    lines = [f"{name}: {value}" for name, value in facts.items()] + [""]
    for section in SECTIONS:
        for mtu in MTUS:
            lines += _section(table, section, mtu)
    lines += _floor(table) + _failures(table) + _goals(table, goals)
    if notes:
        lines += ["Guests lost, and reports in their kernel logs", *(f"  {note}" for note in notes)]
    return "\n".join(lines).rstrip() + "\n"


def _section(table: Table, section: str, mtu: int) -> list[str]:
    """Return a section's table for one MTU."""
    kind, figures, factor = SECTIONS[section]
    cases = [case for case in table.rows() if case.kind == kind and case.mtu == mtu]
    if not cases:
        return []
    names = contenders_of(table) + (["idle"] if kind == "ping" else [])
    rivals = [who for who in names if who not in ("croce", "idle")]
    title, unit = TITLES[section]
    head = ["", *names, *(f"/{who}" for who in rivals)]
    rows = [head] + [_row(table, case, figure, names, rivals, factor)
                     for case in sorted(cases, key=lambda case: case.wait)
                     for figure in figures]
    return [f"{title} ({unit}), MTU {mtu}", *_align(rows), ""]


def _row(table: Table, case: Case, figure: str, names: list[str], rivals: list[str],
         factor: float) -> list[str]:
    label = f"{case.op} {text_of(case.size)}"
    if case.kind in ("bw", "rate"):
        label += f", {case.qps} QP" + ("s" if case.qps > 1 else "")
    if case.kind in ("lat", "ping"):
        label += f" {figure.replace('p999', 'p99.9')}"
    return [f"{label}, {WAITS[case.wait]}", *(_value(table, case, who, figure, factor) for who in names),
            *(_times(table.ratio(case, who, figure)) for who in rivals)]


def _value(table: Table, case: Case, who: str, figure: str, factor: float) -> str:
    cell = table.cell(case, who)
    if not cell:
        return "-"
    median = cell.median(figure)
    if median is None:
        return "fails" if cell.errors else "-"
    return number(median * factor) + ("!" if cell.errors else "")


def _times(ratio: float | None) -> str:
    return "-" if ratio is None else f"{number(ratio)}x"


def _align(rows: list[list[str]]) -> list[str]:
    """Return rows in columns: the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  " + row[0].ljust(widths[0]) + "".join(
        cell.rjust(width + 2) for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows]


def _floor(table: Table) -> list[str]:
    """Return what memcpy and CRC-32 alone can do, and how near croce is to it."""
    rows = []
    for case in table.cases:
        if case.kind != "floor":
            continue
        values = [number(table.median(case, "kernel", name))
                  for name in ("copy", "crc", "crypto", "mibs")]
        write = Case("bw", "write", case.size, 1, case.mtu)
        rows.append([f"{text_of(case.size)}, MTU {case.mtu}", *values,
                     number(table.floor(write)), _times(table.floor_ratio(write)),
                     _times(table.floor_share(write))])
    if not rows:
        return []
    head = ["", "memcpy", "crc32_le", "crypto crc32", "one end", "both ends", "croce reaches",
            "of its processor time"]
    return ["Floor: memcpy and CRC-32 alone (MiB/s), and croce's write with 1 QP",
            *_align([head, *rows]), ""]


def _failures(table: Table) -> list[str]:
    """Return who failed where, and why."""
    lines = [f"  {cell.case.name} {cell.contender}: {len(cell.errors)} of "
             f"{len(cell.errors) + len(cell.samples)}: {cell.errors[0]}"
             for cell in table.cells.values() if cell.errors]
    return ["Failures (a figure with ! is without those)", *lines, ""] if lines else []


def _goals(table: Table, goals: tuple[Goal, ...]) -> list[str]:
    """Return each goal, in how many of its cases it is met, and the case that is worst."""
    rows = [["", "met in", "worst", ""]]
    for goal in goals:
        verdicts = list(judge(table, (goal,)))
        told = [verdict for verdict in verdicts if verdict.ratio is not None]
        fails = sum(verdict.failed for verdict in verdicts)
        if not told and not fails:
            continue
        met = sum(verdict.word == "met" for verdict in told)
        worst = (max if goal.most else min)(told, key=lambda verdict: verdict.ratio, default=None)
        rows.append([goal.title, f"{met} of {len(told) + fails}",
                     _times(worst.ratio) if worst else "-",
                     "croce fails" if fails else worst.case.name])
    return ["Goals (all cases: goals.csv)", *_align(rows), ""] if len(rows) > 1 else []


def write_goals(path: Path, table: Table, goals: tuple[Goal, ...]) -> None:
    """Write how each goal went in each case."""
    with path.open("w", newline="") as handle:
        out = csv.writer(handle, lineterminator="\n")
        out.writerow(["case", "figure", "goal", "ratio", "verdict"])
        out.writerows([verdict.case.name, verdict.goal.figure, verdict.goal, _csv(verdict.ratio),
                       verdict.word] for verdict in judge(table, goals))


FIGURES = ("mibs", "mps", "p50", "p90", "p99", "p999", "max", "lost", "cpu", "cpu_gib",
           "cpu_message", "copy", "crc", "crypto")


def write_csv(path: Path, table: Table, facts: dict[str, str]) -> None:
    """Write a line for each case and contender: medians, spread of the main figure, ratios."""
    rivals = [who for who in contenders_of(table) if who != "croce"]
    with path.open("w", newline="") as handle:
        handle.writelines(f"# {name}: {value}\n" for name, value in facts.items())
        out = csv.writer(handle, lineterminator="\n")
        out.writerow(["kind", "op", "bytes", "qps", "mtu", "wait", "contender", "repetitions",
                      "failures", *FIGURES, "least", "greatest",
                      *(f"times_{rival}" for rival in (*rivals, "floor")), "error"])
        for (case, who), cell in table.cells.items():
            values = cell.values(MAIN[case.kind])
            ratios = [table.ratio(case, rival) for rival in rivals] + [table.floor_ratio(case)]
            out.writerow([
                case.kind, case.op, case.size, case.qps, case.mtu, case.wait, who,
                len(cell.samples) + len(cell.errors), len(cell.errors),
                *(_csv(cell.median(name)) for name in FIGURES),
                _csv(min(values, default=None)), _csv(max(values, default=None)),
                *(_csv(ratio if who == "croce" else None) for ratio in ratios),
                cell.errors[0] if cell.errors else ""])


def _csv(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def write_json(path: Path, records: list[dict], facts: dict[str, str], notes: list[str]) -> None:
    """Write every measurement."""
    path.write_text(json.dumps({"facts": facts, "notes": notes, "measurements": records}, indent=1)
                    + "\n")
