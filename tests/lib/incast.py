#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What happens at the slow port of an incast, and to its flows, over time.

watch NIC FILE      lines "SECONDS BYTES DROPPED MARKED" of the port's red, until killed
report DIRECTORY    of DIRECTORY/queue and DIRECTORY/flow-*: rates.csv, queue.csv, and a line
                    NAME=VALUE... of the time when all flows were there
"""

import socket
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path

RTM_GETQDISC = 38
NLM_F_REQUEST_DUMP = 0x301
TCA_KIND, TCA_XSTATS, TCA_STATS2 = 1, 4, 7
TCA_STATS_QUEUE = 3
PERIOD = 0.01       # between two looks at the queue
STEP = 0.1          # of rates.csv
SETTLE = 0.35       # of the time that all flows are there, not measured
HEADER = 16         # of a netlink message


def attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield type and contents of each netlink attribute."""
    at = 0
    while at + 4 <= len(data):
        length, kind = struct.unpack_from("=HH", data, at)
        yield kind & 0x3fff, data[at + 4:at + length]
        at += max(length + 3 & ~3, 4)


def messages(link: socket.socket) -> Iterator[bytes]:
    """Yield the messages of a dump."""
    while True:
        data = link.recv(65536)
        while data:
            length, kind = struct.unpack_from("=IH", data)
            if kind in (2, 3):      # error, done
                return
            yield data[HEADER:length]
            data = data[length + 3 & ~3:]


def look(link: socket.socket, index: int) -> tuple[int, int, int]:
    """Return bytes, dropped and marked packets of the red on a device."""
    link.send(struct.pack("=IHHII", HEADER + 20, RTM_GETQDISC, NLM_F_REQUEST_DUMP, 0, 0) +
              struct.pack("=BxxxiIII", socket.AF_UNSPEC, index, 0, 0, 0))
    found = (0, 0, 0)
    for message in messages(link):
        values = dict(attributes(message[20:]))
        if struct.unpack_from("=i", message, 4)[0] != index or values[TCA_KIND] != b"red\0":
            continue
        queue = dict(attributes(values[TCA_STATS2]))[TCA_STATS_QUEUE]
        early, full, other, marked = struct.unpack_from("=IIII", values[TCA_XSTATS])
        found = (struct.unpack_from("=I", queue, 4)[0], early + full + other, marked)
    return found


def watch(nic: str, path: Path) -> None:
    """Look at the queue again and again."""
    index = socket.if_nametoindex(nic)
    with (socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as link,
          path.open("w", buffering=1) as out):
        while True:
            print(f"{time.monotonic():.4f}", *look(link, index), file=out)
            time.sleep(PERIOD)


def numbers(path: Path) -> list[list[float]]:
    """Return the lines of numbers in a file."""
    lines = [line.split() for line in path.read_text().splitlines() if line[:1].isdigit()]
    return [[float(word) for word in words] for words in lines]


def bytes_at(flow: list[list[float]], when: float) -> float:
    """Return what a flow had done at a time: between two completions, its share."""
    before = flow[0]
    for point in flow:
        if point[0] >= when:
            span = point[0] - before[0]
            return before[1] + ((when - before[0]) / span * (point[1] - before[1]) if span else 0)
        before = point
    return before[1]


def mbits(flow: list[list[float]], start: float, end: float) -> float:
    """Return a flow's rate."""
    return (bytes_at(flow, end) - bytes_at(flow, start)) * 8e-6 / (end - start)


def report(directory: Path) -> None:
    """Write the series, and print a summary."""
    names = sorted(directory.glob("flow-*"))
    flows = [numbers(path) for path in names]
    queue = numbers(directory / "queue")
    zero = min(flow[0][0] for flow in flows)
    together = max(flow[0][0] for flow in flows)
    end = min(flow[-1][0] for flow in flows)
    start = together + SETTLE * (end - together)
    rates = [mbits(flow, start, end) for flow in flows]
    measured = [point[1] for point in queue if start <= point[0] < end]

    with (directory / "rates.csv").open("w") as out:
        print("seconds", *(path.name.removeprefix("flow-") for path in names), sep=",", file=out)
        for i in range(int((end - zero) / STEP)):
            at = zero + i * STEP
            print(f"{at + STEP - zero:.1f}", *(f"{mbits(flow, at, at + STEP):.2f}" for flow in flows),
                  sep=",", file=out)
    with (directory / "queue.csv").open("w") as out:
        print("seconds,bytes,dropped,marked", file=out)
        for when, length, dropped, marked in queue:
            if zero <= when <= end:
                print(f"{when - zero:.3f},{length:.0f},{dropped:.0f},{marked:.0f}", file=out)
    squares = len(rates) * sum(rate * rate for rate in rates)
    print(f"goodput={sum(rates):.1f} jain={sum(rates) ** 2 / squares if squares else 0:.3f} "
          f"dropped={queue[-1][2] - queue[0][2]:.0f} marked={queue[-1][3] - queue[0][3]:.0f} "
          f"mean={sum(measured) / len(measured):.0f} longest={max(p[1] for p in queue):.0f} "
          f"looks={len(measured)} seconds={end - start:.1f}")


if __name__ == "__main__":
    if sys.argv[1] == "watch":
        watch(sys.argv[2], Path(sys.argv[3]))
    else:
        report(Path(sys.argv[2]))
