# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The programs that measure, and how to read what they print.

Each function returns a dictionary of figures: mibs (MiB/s), mps (messages/s),
p50, p99, p999, max (us, one way), cpu (busy processors), or raises Failed.
"""

import contextlib
import functools
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from ..plan import KIB, Case
from .world import Failed, Link, gid_index

BIN = Path("/out/bin")
FLOOR = Path("/sys/module/croce_floor/parameters/run")
PERFTEST_PORT, IPERF_PORT = 18515, 5201
IN_FLIGHT, GROUPS, MAX_DEPTH = 4 << 20, 4, 128      # as in verbs.c
LAT_ROUNDS = 1000
GRACE = 12          # seconds that a program may take besides its measurement
PINGS, PING_GAP = 300, 0.01
Figures = dict[str, float]


def measure(case: Case, link: Link, seconds: float, loaded: bool = True) -> Figures:
    """Take one measurement; loaded: while the contender streams (for ping)."""
    if case.kind == "floor":
        return floor(case)
    if case.kind == "ping":
        return host_ping(case, link, seconds, loaded)
    if case.op == "tcp":
        return iperf(case, link, seconds) if case.kind == "bw" else tcp_rr(case, link, seconds)
    if case.wait in ("poll", "event"):
        return perftest(case, link, seconds)
    return verbs(case, link, seconds)


def busy() -> float:
    """Return the processor seconds of the whole guest that were not idle."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def started(argv: list[str]) -> Iterator[subprocess.Popen]:
    """Start a program in its own process group; end the group afterwards."""
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=5)


def finish(process: subprocess.Popen, seconds: float) -> str:
    """Wait for a program, and return its output."""
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Failed(f"stalled: no end after {seconds:.0f} s") from None
    if process.returncode < 0:
        raise Failed(f"{Path(process.args[-1]).name}: killed by signal {-process.returncode}")
    return output


def finish_sampled(process: subprocess.Popen, link: Link, limit: float) -> tuple[str, Figures]:
    """Like finish(); also return how many processors were busy while data flowed."""
    samples = []
    deadline = time.monotonic() + limit
    with tempfile.TemporaryFile("w+") as sink:
        # its output must not fill the pipe while nobody reads
        copier = threading.Thread(target=shutil.copyfileobj, args=(process.stdout, sink))
        copier.start()
        while process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError, ValueError):
                samples.append((time.monotonic(), busy(), sent_bytes(process.pid, link.ends[0])))
            time.sleep(0.1)
        if process.poll() is None:
            raise Failed(f"stalled: no end after {limit:.0f} s")
        copier.join()
        sink.seek(0)
        return sink.read(), busy_while_flowing(samples)


def sent_bytes(pid: int, device: str) -> int:
    """Return how much a network device of a process's namespace has sent and received."""
    table = Path(f"/proc/{pid}/net/dev").read_text()
    row = re.search(rf"^\s*{device}:(.*)", table, re.MULTILINE)
    words = row.group(1).split() if row else ["0"] * 9
    return int(words[0]) + int(words[8])


def busy_while_flowing(samples: list[tuple[float, float, int]]) -> Figures:
    """Return busy processors from the first to the last interval with at least half the usual flow."""
    flows = [(after[2] - before[2]) / (after[0] - before[0])
             for before, after in itertools.pairwise(samples)]
    usual = sorted(flows)[3 * len(flows) // 4] if flows else 0
    flowing = [number for number, flow in enumerate(flows) if flow and flow >= usual / 2]
    if len(flowing) < 3:
        return {}
    (t0, b0, _), (t1, b1, _) = samples[flowing[0] + 1], samples[flowing[-1]]
    return {"cpu": (b1 - b0) / (t1 - t0)} if t1 > t0 else {}


def own_program(argv: list[str], limit: float) -> Figures:
    """Run a program of ours, whose last line is JSON."""
    with started(argv) as process:
        output = finish(process, limit)
    for line in reversed(output.splitlines()):
        with contextlib.suppress(ValueError):
            figures = json.loads(line)
            if "error" in figures:
                raise Failed(figures["error"])
            figures["cpu"] /= figures["seconds"]
            return figures
    raise Failed(output.strip()[-300:] or f"no output, status {process.returncode}")


def verbs_command(case: Case, link: Link, seconds: float) -> list[str]:
    """Return how to run programs/verbs.c."""
    (one, other), (here, there) = link.ends, link.addresses
    flags = ["-c"] if link.contender == "siw" else []
    return link.command(BIN / "verbs", "-m", "lat" if case.kind == "lat" else "bw", "-o", case.op,
                        "-s", case.size, "-q", case.qps, "-t", seconds, "-w", case.wait, *flags,
                        one, here, other, there)


def verbs(case: Case, link: Link, seconds: float) -> Figures:
    """Stream or ping-pong with programs/verbs.c."""
    return own_program(verbs_command(case, link, seconds), 5 * seconds + GRACE)


def tcp_rr(case: Case, link: Link, seconds: float) -> Figures:
    """Ping-pong over TCP."""
    return own_program(link.command(BIN / "tcprr", *link.addresses, case.size, seconds),
                       seconds + GRACE)


def iperf_command(case: Case, link: Link, seconds: float) -> tuple[list[str], list[str]]:
    """Return how to run both ends of iperf3."""
    here, there = link.addresses
    return (link.command("iperf3", "-s", "-1", "-B", there, "-p", IPERF_PORT),
            link.command("iperf3", "-c", there, "-B", here, "-p", IPERF_PORT, "-J",
                         "-t", seconds, "-P", case.qps, "-l", case.size))


def iperf(case: Case, link: Link, seconds: float) -> Figures:
    """Stream over TCP connections."""
    seconds = max(round(seconds), 1)
    server_argv, client_argv = iperf_command(case, link, seconds)
    with started(server_argv) as server:
        wait_for_listener(server, IPERF_PORT)
        with started(client_argv) as client:
            output, cpu = finish_sampled(client, link, seconds + GRACE)
    try:
        report = json.loads(output)
        mibs = report["end"]["sum_received"]["bits_per_second"] / 8 / 2**20
    except (ValueError, KeyError):
        raise Failed(f"iperf3: {output.strip()[-300:]}") from None
    return {"mibs": mibs, "mps": mibs * 2**20 / case.size, **cpu}


def wait_for_listener(process: subprocess.Popen, port: int) -> None:
    """Wait until a process's namespace has a listener on a port (3 s at most)."""
    pattern = re.compile(rf":{port:04X} [0-9A-F]+:0000 0A")
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError):
            tables = (Path(f"/proc/{process.pid}/net/{name}") for name in ("tcp", "tcp6"))
            if any(pattern.search(table.read_text()) for table in tables if table.exists()):
                return
        time.sleep(0.05)


def depth(case: Case) -> int:
    """Return how many messages of a case are in flight on each queue pair, as verbs.c has it."""
    count = IN_FLIGHT // (case.size * case.qps) // GROUPS * GROUPS
    return min(max(count, GROUPS), MAX_DEPTH)


def perftest_options(case: Case, link: Link, number: int, seconds: int) -> list[str]:
    """Return the command line of one end of a perftest program."""
    lat = case.kind == "lat"
    words = [f"ib_{case.op}_{'lat' if lat else 'bw'}", "-F", "-d", link.ends[number],
             "-s", str(case.size), "-p", str(PERFTEST_PORT)]
    if lat:
        words += ["-n", str(LAT_ROUNDS)]
    else:
        words += ["-D", str(seconds), "-f", "1", "-q", str(case.qps), "-t", str(depth(case)),
                  "-Q", str(depth(case) // GROUPS)]
    if case.wait == "event":
        words.append("-e")
    if link.contender == "siw":
        words += ["-R", source_option(words[0]), link.addresses[number]]
    else:
        words += ["-x", str(gid_index(link, number))]
    return words


@functools.cache
def source_option(program: str) -> str:
    """Return what this version of perftest calls the option for the source address."""
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=False).stdout
    return "--bind_source_ip" if "--bind_source_ip" in text else "--source_ip"


def perftest(case: Case, link: Link, seconds: float) -> Figures:
    """Stream or ping-pong with perftest, which polls."""
    duration = round(seconds) + 2       # it leaves out a second at each end
    server_argv = link.command(*perftest_options(case, link, 1, duration))
    client_argv = link.command(*perftest_options(case, link, 0, duration), link.addresses[1])
    with started(server_argv) as server:
        wait_for_listener(server, PERFTEST_PORT)
        with started(client_argv) as client:
            output, cpu = finish_sampled(client, link, duration + GRACE)
    return {**(perftest_latency(output) if case.kind == "lat" else perftest_rate(output, case)),
            **cpu}


def perftest_rows(output: str) -> list[list[float]]:
    """Return the lines of figures that perftest printed."""
    rows = []
    for line in output.splitlines():
        with contextlib.suppress(ValueError):
            row = [float(word) for word in line.split()]
            if len(row) >= 5:
                rows.append(row)
    if not rows:
        raise Failed(f"perftest: {complaint(output)}")
    return rows


def complaint(output: str) -> str:
    """Return the most telling line of perftest's output."""
    lines = [line.strip() for line in output.splitlines()
             if line.strip(" -") and not line.strip().startswith("--")]
    telling = [line for line in lines if re.search(r"fail|error|couldn't|unable|syndrom", line, re.I)]
    return (telling or lines or ["no output"])[0][:200]


def perftest_rate(output: str, case: Case) -> Figures:
    """Read the result of a bandwidth test: bytes, iterations, peak, average, rate."""
    mibs = perftest_rows(output)[-1][3]
    if mibs <= 0:
        raise Failed("perftest: nothing was transferred")
    return {"mibs": mibs, "mps": mibs * 2**20 / case.size}


def perftest_latency(output: str) -> Figures:
    """Read the result of a latency test: bytes, rounds, min, max, typical, average, ... 99 %, 99.9 %."""
    row = perftest_rows(output)[-1]
    if len(row) < 9:
        raise Failed(f"perftest: {complaint(output)}")
    return {"p50": row[4], "max": row[3], "p99": row[7], "p999": row[8]}


def host_ping(case: Case, link: Link, seconds: float, loaded: bool) -> Figures:
    """Measure the round trip of the host's pings, while the contender streams or not."""
    with contextlib.ExitStack() as stack:
        load = start_load(stack, case, link, seconds + PINGS * PING_GAP + GRACE) if loaded else None
        time.sleep(1 if load else 0)
        with started(link.command("ping", "-n", "-i", PING_GAP, "-c", PINGS, "-W", 2,
                                  "-I", *link.addresses)) as ping:
            output = finish(ping, PINGS * PING_GAP + GRACE)
        if load and load.poll() is not None:
            raise Failed("the load ended early: " + load.communicate()[0].strip()[-200:])
    times = sorted(float(word) * 1000 for word in re.findall(r"time=([\d.]+) ms", output))
    if len(times) < PINGS // 2:
        raise Failed(f"{PINGS - len(times)} of {PINGS} pings were lost")
    return {"p50": times[len(times) // 2], "p99": times[int(0.99 * (len(times) - 1))],
            "max": times[-1], "lost": PINGS - len(times)}


def start_load(stack: contextlib.ExitStack, case: Case, link: Link,
               seconds: float) -> subprocess.Popen:
    """Start the stream beside which is pinged."""
    if link.contender == "tcp":
        server_argv, client_argv = iperf_command(case, link, round(seconds))
        wait_for_listener(stack.enter_context(started(server_argv)), IPERF_PORT)
    else:
        load = Case("bw", case.op, case.size, case.qps, case.mtu, case.wait)
        client_argv = verbs_command(load, link, seconds)
    return stack.enter_context(started(client_argv))


def floor(case: Case) -> Figures:
    """Time memcpy and CRC-32 in packets of the RoCE MTU that fits the link's."""
    if not FLOOR.exists():
        subprocess.run(["modprobe", "-q", "crc32-pclmul"], check=False)
        done = subprocess.run(["insmod", BIN / "croce_floor.ko"], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise Failed(done.stderr.strip())
    packet = 1024 if case.mtu < 2 * KIB else 4096
    FLOOR.write_text(f"{case.size} {packet}")
    return {name: float(value) for name, value in
            (word.split("=") for word in FLOOR.read_text().split())}
