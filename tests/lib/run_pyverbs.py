#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Run rdma-core's own Python tests on a device: run_pyverbs.py DEVICE [MUST-PASS-FILE] [PATTERN]

Prints TAP, one point a test.  Each module runs in a process of its own, for some
leave their interpreter in a bad state.  Modules for other vendors' devices are left
out.  A test that is named in the file must pass, not be skipped.
"""

import fnmatch
import importlib
import os
import re
import select
import signal
import sys
import time
import types
import unittest
from pathlib import Path

TESTS = Path("/usr/share/croce/rdma-core-tests/tests")
FOREIGN = re.compile(r"test_(mlx[45]|efa|irdma|cuda|hns)")
PATIENCE = 150      # seconds a module may be silent


class Stream(unittest.TestResult):
    """Passes each result on as a line: VERDICT, name, first line of the reason."""

    def __init__(self, sink):
        super().__init__()
        self.sink = sink
        self.said = set()

    def say(self, verdict, test, reason=""):
        name = getattr(test, "id", lambda: str(test))().removeprefix("tests.")
        if verdict == "ok" and name in self.said:      # a failed or skipped subtest
            return
        self.said.add(name)
        reason = " / ".join(line.strip() for line in str(reason).strip().splitlines())
        self.sink.write(f"{verdict}\t{name}\t{reason}\n")
        self.sink.flush()

    def startTest(self, test):
        super().startTest(test)
        self.say_start(test)

    def say_start(self, test):
        self.sink.write(f"start\t{test.id().removeprefix('tests.')}\t\n")
        self.sink.flush()

    def addSuccess(self, test):
        self.say("ok", test)

    def addSkip(self, test, reason):
        self.say("skip", test, reason)

    def addFailure(self, test, err):
        self.say("fail", test, self._exc_info_to_string(err, test))

    def addError(self, test, err):
        self.say("fail", test, self._exc_info_to_string(err, test))

    def addSubTest(self, test, subtest, err):
        if err:
            self.say("fail", test, self._exc_info_to_string(err, test))

    def addExpectedFailure(self, test, err):
        self.say("ok", test)

    def addUnexpectedSuccess(self, test):
        self.say("fail", test, "succeeded unexpectedly")


def main(device, must_pass_file, pattern):
    must_pass = set(Path(must_pass_file).read_text().split()) if must_pass_file else set()
    prepare(device)
    results = {}
    for module in modules():
        if fnmatch.fnmatch(module, pattern):
            results.update(run_module(module))
    return report(results, must_pass if pattern == "*" else must_pass & set(results))


def prepare(device):
    """Make the test package importable module by module, and the device its choice."""
    sys.path.insert(0, str(TESTS))
    package = types.ModuleType("tests")
    package.__path__ = [str(TESTS)]
    sys.modules["tests"] = package
    args_parser = importlib.import_module("args_parser")
    sys.argv = [sys.argv[0], "--dev", device]
    args_parser.parser.parse_args()
    for common in ("pyverbs.device", "tests.base", "tests.utils"):
        importlib.import_module(common)


def modules():
    """Return the names of the test modules, those of other devices left out."""
    names = sorted(path.stem for path in TESTS.glob("test_*.py"))
    foreign = [name for name in names if FOREIGN.match(name)]
    print(f"# not for this device: {' '.join(foreign)}", flush=True)
    return [name for name in names if name not in foreign]


def run_module(module):
    """Run a module in a child process; return {name: (verdict, reason)}."""
    source, sink = os.pipe()
    child = os.fork()
    if not child:
        os.close(source)
        os.setsid()
        with os.fdopen(sink, "w") as stream:
            try:
                loaded = importlib.import_module(f"tests.{module}")
                unittest.defaultTestLoader.loadTestsFromModule(loaded).run(Stream(stream))
            except Exception as error:      # the module does not even load
                stream.write(f"fail\t{module}\t{type(error).__name__}: {error}\n")
        os._exit(0)
    os.close(sink)
    lines, hung = read_lines(source)
    if hung:
        dump(child)
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
    _, status = os.waitpid(child, 0)
    return judge(lines, hung, status)


def read_lines(source):
    """Read until the end; (lines, whether it went silent)."""
    data = b""
    while True:
        if not select.select([source], [], [], PATIENCE)[0]:
            return data.decode(errors="replace").splitlines(), True
        more = os.read(source, 65536)
        if not more:
            return data.decode(errors="replace").splitlines(), False
        data += more


def dump(child):
    """Say where a silent process sits."""
    for name in ("wchan", "stack"):
        try:
            print(f"# {name}:", Path(f"/proc/{child}/{name}").read_text().replace("\n", "\n#  "))
        except OSError:
            continue


def judge(lines, hung, status):
    results = {}
    started = None
    for line in lines:
        verdict, name, reason = line.split("\t", 2)
        if verdict == "start":
            started = name
        else:
            results[name] = (verdict, reason)
            started = None
    if started:
        why = f"silent for {PATIENCE} s" if hung else f"the process died, status {status}"
        results[started] = ("fail", why)
    return results


def report(results, must_pass):
    failed = 0
    for number, (name, (verdict, reason)) in enumerate(sorted(results.items()), 1):
        if verdict == "skip" and name in must_pass:
            verdict, reason = "fail", f"is to pass, but was skipped: {reason}"
        failed += verdict == "fail"
        if verdict == "fail":
            print(f"not ok {number} - {name}\n# {reason[-1500:]}")
        else:
            print(f"ok {number} - {name}" + (f" # SKIP {reason}" if verdict == "skip" else ""))
    for name in sorted(must_pass - set(results)):
        failed += 1
        print(f"not ok - {name}\n# is to pass, but was not run")
    count = {word: sum(verdict == word for verdict, _ in results.values())
             for word in ("ok", "skip", "fail")}
    print(f"# {count['ok']} passed, {count['skip']} skipped, {failed} failed, "
          f"in {time.monotonic() - START:.0f} s", flush=True)
    return 1 if failed or not results else 0


if __name__ == "__main__":
    START = time.monotonic()
    sys.exit(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "",
                  sys.argv[3] if len(sys.argv) > 3 else "*"))
