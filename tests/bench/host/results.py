# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Medians and ratios out of the records of a run."""

import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..plan import CONTENDERS, Case, parse

MAIN = {"bw": "mibs", "rate": "mps", "lat": "p50", "ping": "p50", "floor": "mibs"}
SMALLER_IS_BETTER = {"lat", "ping", "cpu"}


@dataclass
class Cell:
    """What one contender did in one case, all repetitions."""

    case: Case
    contender: str
    samples: list[dict[str, float]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def values(self, name: str) -> list[float]:
        """Return a figure of every repetition that has it."""
        return [sample[name] for sample in self.samples if name in sample]

    def median(self, name: str | None = None) -> float | None:
        """Return a figure's median (the case's main one), or None when the contender failed.

        It failed when half of its repetitions or more did.
        """
        values = self.values(name or MAIN[self.case.kind])
        if not values or len(self.errors) >= len(self.samples):
            return None
        return statistics.median(values)


class Table:
    """All cells of a run, in a guest with so many processors."""

    def __init__(self, records: Iterable[dict], processors: int) -> None:
        self.processors = processors
        self.cells: dict[tuple[Case, str], Cell] = {}
        for record in records:
            case, who = parse(record["case"]), record["contender"]
            cell = self.cells.setdefault((case, who), Cell(case, who))
            if "figures" in record:
                cell.samples.append(_complete(case, record["figures"]))
            else:
                cell.errors.append(record["error"])
        self.cases = list(dict.fromkeys(case for case, _ in self.cells))

    def cell(self, case: Case, who: str) -> Cell | None:
        """Return a contender's cell; TCP's is that of the case in which it does the like."""
        if who == "tcp":
            other = case.tcp_case()
            return self.cells.get((other, who)) if other else None
        return self.cells.get((case, who))

    def median(self, case: Case, who: str, name: str | None = None) -> float | None:
        """Return the median of a figure, None where there is none."""
        cell = self.cell(case, who)
        return cell.median(name) if cell else None

    def ratio(self, case: Case, who: str, name: str | None = None) -> float | None:
        """Return croce's median as a multiple of another contender's."""
        ours, theirs = self.median(case, "croce", name), self.median(case, who, name)
        return ours / theirs if ours is not None and theirs else None

    def floor(self, case: Case) -> float | None:
        """Return what memcpy and CRC-32 allow in a stream case, in MiB/s.

        Both ends have to do it: each on a processor of its own, if there are two.
        """
        one_end = self._one_end(case)
        return one_end and one_end * min(1.0, self.processors / 2)

    def floor_ratio(self, case: Case) -> float | None:
        """Return croce's median as a part of the floor's speed."""
        ours, floor = self.median(case, "croce"), self.floor(case)
        return ours / floor if ours is not None and floor else None

    def floor_share(self, case: Case) -> float | None:
        """Return how much of croce's processor time memcpy and CRC-32 at both ends would take."""
        spent, one_end = self.median(case, "croce", "cpu_gib"), self._one_end(case)
        return 2 * 1024 / one_end / spent if spent and one_end else None

    def _one_end(self, case: Case) -> float | None:
        if case.kind != "bw":
            return None
        return self.median(Case("floor", "copycrc", case.size, 1, case.mtu, "kernel"), "kernel")

    def rows(self) -> Iterator[Case]:
        """Yield the cases in which RDMA contenders meet."""
        return (case for case in self.cases if case.op != "tcp" and case.kind != "floor")


def _complete(case: Case, figures: dict[str, float]) -> dict[str, float]:
    """Add processor time for a GiB (s) and for a message (us) to what was measured."""
    full = dict(figures)
    if case.kind in ("bw", "rate") and figures.get("cpu") is not None and figures["mps"] > 0:
        full["cpu_gib"] = figures["cpu"] / (figures["mps"] * case.size) * 2**30
        full["cpu_message"] = figures["cpu"] / figures["mps"] * 1e6
    return full


def contenders_of(table: Table) -> list[str]:
    """Return who took part, croce first."""
    present = {who for _, who in table.cells}
    return [who for who in CONTENDERS if who in present]
