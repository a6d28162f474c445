# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What is measured: cases, contenders, and the order of a run.

Used by both sides: the host makes the plan, the guest carries it out.
"""

import fnmatch
import re
from collections.abc import Iterator
from dataclasses import dataclass

CONTENDERS = ("croce", "rxe", "siw", "tcp")
MTUS = (1500, 9000)
KIB, MIB = 1 << 10, 1 << 20
UNFIT = 75          # the status of a guest that cannot be measured in any more


@dataclass(frozen=True)
class Case:
    """One thing to measure, the same for every contender.

    kind: bw and rate are a stream of messages, lat a ping-pong, ping is the
    host's ICMP echo while 16 queue pairs stream, floor is memcpy and CRC-32.
    wait: how programs wait for completions. `block` is a program of our own
    that sleeps; `poll` is perftest, which polls without end; `event` is
    perftest with completion events.
    """

    kind: str
    op: str
    size: int
    qps: int
    mtu: int
    wait: str = "block"

    @property
    def name(self) -> str:
        """Return the case's name, made of its parts."""
        return f"{self.kind}-{self.op}-{text_of(self.size)}-q{self.qps}-m{self.mtu}-{self.wait}"

    def contenders(self) -> tuple[str, ...]:
        """Return who can take part."""
        if self.kind == "floor":
            return ("kernel",)
        if self.op == "tcp":
            return ("tcp",)
        if self.kind == "ping":
            return ("idle", *CONTENDERS)
        return CONTENDERS[:3]

    def tcp_case(self) -> "Case | None":
        """Return the case in which TCP does the like."""
        if self.kind in ("bw", "lat") and self.op != "tcp":
            return Case(self.kind, "tcp", self.size, self.qps, self.mtu)
        return self if self.kind == "ping" else None


@dataclass(frozen=True)
class Step:
    """One measurement of a run."""

    case: Case
    contender: str
    repetition: int

    @property
    def name(self) -> str:
        """Return a name that no other step of the run has."""
        return f"{self.case.name}/{self.contender}/{self.repetition}"


def text_of(size: int) -> str:
    """Write a number of bytes as 8, 64K or 1M."""
    if size >= MIB and size % MIB == 0:
        return f"{size // MIB}M"
    return f"{size // KIB}K" if size >= KIB and size % KIB == 0 else str(size)


def parse(name: str) -> Case:
    """Make a case from its name."""
    match = re.fullmatch(r"(\w+)-(\w+)-(\d+)([KM]?)-q(\d+)-m(\d+)-(\w+)", name)
    if not match:
        raise ValueError(f"'{name}' is not like bw-write-64K-q1-m1500-block")
    kind, op, number, unit, qps, mtu, wait = match.groups()
    size = int(number) * {"": 1, "K": KIB, "M": MIB}[unit]
    return Case(kind, op, size, int(qps), int(mtu), wait)


def full(polling: bool) -> list[Case]:
    """Return the cases of a full run; polling: the kernel has processors to burn.

    What the larger MTU hardly changes is measured with the smaller one only.
    """
    cases: list[Case] = []
    for mtu in MTUS:
        all_qps = (1, 4, 16, 64) if mtu == MTUS[0] else (1, 16)
        cases += _floor(mtu) + _latency(mtu) + _rates(mtu, all_qps) + _streams(mtu, all_qps)
        cases.append(Case("ping", "write", MIB, 16, mtu))
    if polling:
        cases += _polling(MTUS[0])
    return cases


def quick() -> list[Case]:
    """Return the cases of the gate."""
    return [Case("bw", "write", 64 * KIB, 1, 1500), Case("lat", "write", 8, 1, 1500),
            Case("lat", "send", 8, 1, 1500)]


def _floor(mtu: int) -> list[Case]:
    return [Case("floor", "copycrc", size, 1, mtu, "kernel") for size in (64 * KIB, MIB)]


def _latency(mtu: int) -> list[Case]:
    return [Case("lat", op, 8, 1, mtu) for op in ("write", "send", "tcp")]


def _rates(mtu: int, all_qps: tuple[int, ...]) -> list[Case]:
    return [Case("rate", op, 64, qps, mtu) for op in ("write", "send") for qps in all_qps]


def _streams(mtu: int, all_qps: tuple[int, ...]) -> list[Case]:
    shapes = [(64 * KIB, qps) for qps in all_qps] + [(MIB, qps) for qps in (1, 16)]
    return [Case("bw", op, size, qps, mtu)
            for size, qps in shapes for op in ("write", "send", "read", "tcp")]


def _polling(mtu: int) -> list[Case]:
    cases = [Case("lat", op, 8, 1, mtu, "poll") for op in ("write", "send")]
    cases.append(Case("lat", "send", 8, 1, mtu, "event"))
    cases += [Case("rate", op, 64, qps, mtu, "poll") for op in ("write", "send") for qps in (1, 16)]
    cases += [Case("bw", op, size, qps, mtu, "poll") for size in (64 * KIB, MIB) for qps in (1, 16)
              for op in ("write", "send", "read")]
    return cases


def chosen(cases: list[Case], patterns: list[str]) -> list[Case]:
    """Return the cases that match a pattern; without patterns, all."""
    if not patterns:
        return cases
    return [case for case in cases
            if any(fnmatch.fnmatchcase(case.name, pattern) for pattern in patterns)]


def steps(cases: list[Case], contenders: list[str], repetitions: int) -> Iterator[Step]:
    """Yield the measurements in order: contenders take turns, the first one changes each time."""
    for repetition in range(repetitions):
        for case in cases:
            those = [who for who in case.contenders() if who in (*contenders, "kernel", "idle")]
            turn = repetition % max(len(those), 1)
            for who in those[turn:] + those[:turn]:
                yield Step(case, who, repetition)
