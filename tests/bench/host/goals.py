# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What croce is to reach, as ratios against the others in the same run."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..plan import KIB, MIB, Case, text_of
from .results import Table


@dataclass(frozen=True)
class Goal:
    """A bound for croce's figure as a multiple of another contender's."""

    kind: str
    figure: str
    against: str
    bound: float
    most: bool = False              # at most the bound, instead of at least
    sizes: tuple[int, ...] = ()     # empty: any
    ops: tuple[str, ...] = ()
    qps: tuple[int, ...] = ()
    waits: tuple[str, ...] = ()

    def covers(self, case: Case) -> bool:
        """Return whether the goal is about a case."""
        return (case.kind == self.kind
                and all(not allowed or value in allowed for value, allowed in (
                    (case.size, self.sizes), (case.op, self.ops), (case.qps, self.qps),
                    (case.wait, self.waits))))

    def met(self, ratio: float) -> bool:
        """Return whether a ratio is good enough."""
        return ratio <= self.bound if self.most else ratio >= self.bound

    @property
    def title(self) -> str:
        """Say what is compared in which cases."""
        name = {"mibs": "throughput", "mps": "message rate", "p50": "latency p50",
                "p99": "latency p99", "cpu_gib": "processor time per GiB"}[self.figure]
        words = [name, *self.ops, *(text_of(size) for size in self.sizes)]
        if self.qps:
            words.append("/".join(str(count) for count in self.qps) + " QP")
        return f"{' '.join(words)} {self}"

    def __str__(self) -> str:
        return f"{'<=' if self.most else '>='} {self.bound:g}x {self.against}"


STREAMS = (64 * KIB, MIB)
FLOOR_GOALS = (
    Goal("bw", "mibs", "rxe", 1.5, sizes=(64 * KIB,), ops=("write",), qps=(1,)),
    Goal("lat", "p50", "rxe", 0.5, most=True, sizes=(8,)),
)
SPEED_GOALS = (
    Goal("bw", "mibs", "rxe", 4.0, sizes=STREAMS, qps=(1,)),
    Goal("bw", "mibs", "rxe", 3.0, sizes=STREAMS, qps=(16,)),
    Goal("bw", "mibs", "siw", 1.5, sizes=STREAMS, qps=(1, 16)),
    Goal("bw", "mibs", "tcp", 0.8, sizes=STREAMS, qps=(1, 16)),
    Goal("bw", "mibs", "floor", 0.5, sizes=(MIB,), qps=(1, 16)),
    Goal("bw", "cpu_gib", "rxe", 0.3, most=True, sizes=(MIB,), ops=("write",), qps=(1,)),
    Goal("bw", "cpu_gib", "siw", 0.7, most=True, sizes=(MIB,), ops=("write",), qps=(1,)),
    Goal("bw", "cpu_gib", "tcp", 1.5, most=True, sizes=(MIB,), ops=("write",), qps=(1,),
         waits=("block",)),
    Goal("rate", "mps", "rxe", 3.0, qps=(1, 16)),
    Goal("rate", "mps", "siw", 2.0, qps=(1, 16)),
    Goal("lat", "p50", "rxe", 0.35, most=True),
    Goal("lat", "p50", "siw", 0.6, most=True),
    Goal("lat", "p50", "tcp", 0.8, most=True),
    Goal("lat", "p99", "rxe", 0.35, most=True),
    Goal("lat", "p99", "siw", 0.6, most=True),
)
SETS = {"floor": FLOOR_GOALS, "speed": SPEED_GOALS}


@dataclass(frozen=True)
class Verdict:
    """A goal applied to a case; ratio is None where one of both has no figure."""

    goal: Goal
    case: Case
    ratio: float | None
    failed: bool                    # croce itself has no figure

    @property
    def word(self) -> str:
        """Return met, short, or why it cannot be told."""
        if self.failed:
            return "croce fails"
        if self.ratio is None:
            return "no rival"
        return "met" if self.goal.met(self.ratio) else "short"


def judge(table: Table, goals: tuple[Goal, ...]) -> Iterator[Verdict]:
    """Apply goals to all cases that they cover."""
    for goal in goals:
        for case in table.rows():
            if goal.covers(case):
                yield _verdict(table, goal, case)


def _verdict(table: Table, goal: Goal, case: Case) -> Verdict:
    ours = table.median(case, "croce", goal.figure)
    if goal.against == "floor":
        ratio = table.floor_ratio(case)
    else:
        ratio = table.ratio(case, goal.against, goal.figure)
    return Verdict(goal, case, ratio, ours is None)
