# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One lab run: guests with a kernel, a command, and a verdict."""

import contextlib
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from . import cache, image, klog, kernels, lan, qemu, uml
from .paths import GUEST, cache_root
from .shell import LabError, say, tail

LOG_BAD = 120       # the command succeeded, but a kernel log has a report
NO_STATUS = 121     # a guest died without a status
TIMED_OUT = 124
BOOT_TIMEOUT = 120  # seconds that a boot may take beside the command's own time
BOOTS = 3           # of a kernel that dies before it has run anything


@dataclass
class Spec:
    """What to run, and on what."""

    kernel: str
    command: list[str]
    guests: int = 1
    peer_command: list[str] = field(default_factory=list)
    everywhere: bool = False            # the command runs in all guests
    overlay: list[Path] = field(default_factory=list)   # trees copied into the guest's root
    croce: bool = False                 # load croce before the command
    mtu: int = 1500
    out: Path | None = None             # the host's directory that guests see as /out
    timeout: float = 600
    memory: str = "4G"
    cpus: int = 2
    append: str = ""                    # kernel arguments
    virtual_time: bool = False          # UML only
    allowed: list[str] = field(default_factory=list)    # harmless kernel log reports
    shell: bool = False
    quiet: bool = False                 # do not copy the command's output


@dataclass
class Guest:
    """A running guest."""

    number: int
    directory: Path
    process: subprocess.Popen
    has_command: bool

    def status(self) -> int | None:
        """Return the command's status, or None while there is none."""
        try:
            word, number = (self.directory / "status").read_text().split()
        except (OSError, ValueError):
            return None
        return int(number) if word == "exit" and number.isdecimal() else None

    def died_booting(self) -> bool:
        """Return whether nothing of ours has run yet.

        QEMU without KVM runs processors on threads, and a processor may trap where another one
        has just replaced an instruction: "Oops: int3" in sched_clock_cpu(), seen twice.
        """
        return self.status() is None and not (self.directory / "began").exists()

    def log(self) -> str:
        """Return the kernel log: what the guest saved, or its console."""
        for name in ("dmesg", "console"):
            path = self.directory / name
            if path.exists() and path.stat().st_size:
                return path.read_text(errors="replace")
        return ""


@dataclass
class Result:
    """How a run ended."""

    status: int
    directory: Path         # console, dmesg and output of each guest
    out: Path
    reports: list[str] = field(default_factory=list)
    seconds: float = 0.0


def run(spec: Spec) -> Result:
    """Boot, run, judge; the run's directory is kept when something went wrong."""
    kernel = kernels.get(spec.kernel)
    if kernel.uml and spec.guests > 1:
        raise LabError("User-mode Linux runs have one guest; use network namespaces in it")
    boot = image.bootable(kernel)
    runs = cache_root() / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    cache.forget_old(runs)
    cache.forget_old(cache_root() / "results")
    start = time.monotonic()
    for boots in range(1, BOOTS + 1):
        base = Path(tempfile.mkdtemp(prefix=time.strftime("%m%d-%H%M%S-"), dir=runs))
        out = spec.out or base / "out"
        out.mkdir(parents=True, exist_ok=True)
        with (_ended_by_signals(), _links(spec) as links,
              _guests(spec, boot, base, out, links) as guests):
            timed_out = _attend(spec, guests)
        dead = [guest for guest in guests if guest.died_booting()]
        if timed_out or not dead or boots == BOOTS:
            break
        say(f"host{dead[0].number}: its kernel died before it ran anything, see {base}; once more")
    result = _judge(spec, guests, timed_out, base, out)
    result.seconds = time.monotonic() - start
    return result


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let what ends this process end its guests, too, as an interrupt does."""
    def leave(number: int, _frame: FrameType | None) -> None:
        sys.exit(128 + number)

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)
              if signal.getsignal(number) != signal.SIG_IGN}     # nohup(1)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _links(spec: Spec) -> Iterator[list[lan.Lan]]:
    """Make the data link and the control link."""
    with contextlib.ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="croce-lan-")))
        names = ("eth", "ctl") if spec.guests > 1 else ("eth",)
        yield [stack.enter_context(lan.Lan(directory, name, spec.guests)) for name in names]


@contextlib.contextmanager
def _guests(spec: Spec, boot: Path, base: Path, out: Path,
            links: list[lan.Lan]) -> Iterator[list[Guest]]:
    """Start all guests; end those that still run."""
    guests: list[Guest] = []
    try:
        for number in range(1, spec.guests + 1):
            guests.append(_start(spec, boot, base, out, links, number))
        yield guests
    finally:
        for guest in guests:
            _kill(guest.process)


def _start(spec: Spec, boot: Path, base: Path, out: Path,
           links: list[lan.Lan], number: int) -> Guest:
    directory = base / f"host{number}"
    has_command = number == 1 or spec.everywhere or bool(spec.peer_command)
    _fill(spec, directory, number)
    if kernels.get(spec.kernel).uml:
        argv = uml.command_line(spec, boot, directory, out)
    else:
        argv = qemu.command_line(spec, boot, directory, out, links, number)
    (directory / "argv").write_text(shlex.join(argv) + "\n")
    # User-mode Linux prints its kernel log there
    errors_name = "console" if kernels.get(spec.kernel).uml else "stderr"
    with (directory / errors_name).open("w") as errors:
        process = subprocess.Popen(argv, stdout=None if spec.shell else subprocess.PIPE,
                                   stdin=None if spec.shell else subprocess.DEVNULL,
                                   stderr=errors, start_new_session=not spec.shell)
    return Guest(number, directory, process, has_command)


def _fill(spec: Spec, directory: Path, number: int) -> None:
    """Write a guest's own directory, which it sees as /lab."""
    (directory / "bin").mkdir(parents=True)
    for name in ("agent", "on"):
        shutil.copy(GUEST / name, directory / "bin" / name)
        (directory / "bin" / name).chmod(0o755)
    shutil.copy(GUEST / "init", directory / "init")
    for tree in spec.overlay:
        shutil.copytree(tree, directory / "overlay", symlinks=True, dirs_exist_ok=True)
    main = number == 1 or spec.everywhere
    argv = spec.command if main else spec.peer_command or ["true"]
    script = argv[0] if len(argv) == 1 else shlex.join(argv)
    (directory / "command").write_text(script + "\n")
    is_uml = kernels.get(spec.kernel).uml
    settings = {
        "LAB_KERNEL": spec.kernel, "LAB_GUESTS": spec.guests, "LAB_HOST": number,
        "LAB_CROCE": "1" if spec.croce else "", "LAB_MTU": spec.mtu,
        "LAB_NIC": "" if is_uml else "1", "LAB_TTY": "/dev/tty1" if is_uml else "/dev/ttyS1",
        "LAB_WAIT": "1" if spec.guests > 1 else "", "LAB_SHELL": "1" if spec.shell else "",
        "LAB_TERM": os.environ.get("TERM", "dumb") if spec.shell else "dumb"}
    (directory / "env").write_text(
        "".join(f"{name}={shlex.quote(str(value))}\n" for name, value in settings.items()))


def _attend(spec: Spec, guests: list[Guest]) -> bool:
    """Copy output until all guests have ended; return whether time ran out."""
    deadline = time.monotonic() + spec.timeout + BOOT_TIMEOUT
    with selectors.DefaultSelector() as selector:
        for guest in guests:
            if guest.process.stdout:
                selector.register(guest.process.stdout, selectors.EVENT_READ, guest)
        while any(guest.process.poll() is None for guest in guests) or selector.get_map():
            if time.monotonic() > deadline:
                return True
            for key, _ in selector.select(timeout=0.2):
                _copy_output(spec, selector, key)
            if spec.guests > 1:
                _stop_when_done(guests)
    return False


def _copy_output(spec: Spec, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    """Copy what a guest has printed to its file, and to the user."""
    guest: Guest = key.data
    data = os.read(key.fd, 65536)
    if not data:
        selector.unregister(key.fileobj)
        return
    with (guest.directory / "output").open("ab") as handle:
        handle.write(data)
    if guest.has_command and not spec.quiet:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def _stop_when_done(guests: list[Guest]) -> None:
    """When the commands have ended, or a guest has died, let the others finish."""
    ended = all((guest.directory / "status.new").exists() or guest.process.poll() is not None
                for guest in guests if guest.has_command)
    if ended or any(guest.process.poll() is not None for guest in guests):
        for guest in guests:
            (guest.directory / "stop").touch()


def _kill(process: subprocess.Popen) -> None:
    """End a guest that did not end by itself."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            if os.getpgid(process.pid) == process.pid:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
    process.wait()


def _judge(spec: Spec, guests: list[Guest], timed_out: bool, base: Path, out: Path) -> Result:
    """Turn what the guests left into one status."""
    statuses = [guest.status() for guest in guests]
    reports = [f"host{guest.number}: {line}" for guest in guests
               for line in klog.reports(guest.log(), spec.allowed)]
    status = next((code for guest, code in zip(guests, statuses, strict=True)
                   if guest.has_command and code), 0)
    if timed_out:
        status = TIMED_OUT
    elif None in statuses:
        status = NO_STATUS
    elif not status and reports:
        status = LOG_BAD
    result = Result(status, base, out, reports)
    if status:
        _explain(result, guests, statuses)
    elif out == base / "out" and any(out.iterdir()):
        say(f"files from the guest: {out}")
    else:
        shutil.rmtree(base)
    return result


def _explain(result: Result, guests: list[Guest], statuses: list[int | None]) -> None:
    """Say what went wrong and where the evidence is."""
    if result.status == TIMED_OUT:
        say("the time is over; the guests were ended")
    for guest, status in zip(guests, statuses, strict=True):
        if status is None:
            say(f"host{guest.number} ended without a status; its console ends:\n"
                + tail(_text(guest.directory / "console")) + _text(guest.directory / "stderr"))
    for line in result.reports[:10]:
        say(f"kernel log of {line}")
    say(f"console, kernel log and output are kept in {result.directory}")


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""
