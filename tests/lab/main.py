# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The command line of tests/run."""

import argparse
import fnmatch

from lablib import host
from lablib.kernels import KERNELS
from lablib.shell import LabError, say

from . import discover, layers, outcome


def main(argv: list[str]) -> int:
    """Run layers of tests and return the exit status."""
    parser = argparse.ArgumentParser(prog="tests/run", description="Run croce's tests.")
    parser.add_argument("layer", nargs="*", choices=[*layers.LAYERS, []],
                        help="layers to run (default: all)")
    parser.add_argument("--kernel", "-k", action="append", choices=KERNELS,
                        help="only in this kernel's guests; may be repeated")
    parser.add_argument("--only", "-o", metavar="GLOB", help="only tests whose file name matches")
    parser.add_argument("--list", action="store_true", help="show the guest tests, run nothing")
    options = parser.parse_args(argv)
    if options.only:
        _restrict(options.only)
    try:
        if options.list:
            return _list()
        host.require_root()
    except LabError as error:
        say(str(error))
        return 1
    return outcome.summarize([layers.run(name, options.kernel)
                              for name in options.layer or layers.LAYERS])


def _restrict(pattern: str) -> None:
    """Make only tests that match visible."""
    everything = discover.executables
    discover.executables = lambda layer: [
        path for path in everything(layer)
        if fnmatch.fnmatch(path.name, pattern) or fnmatch.fnmatch(path.stem, pattern)]


def _list() -> int:
    for folder in ("guest", "interop"):
        for test in discover.guest_tests(folder, layers.PACKAGED, None):
            print(f"{folder}/{test.path.name:24} {test.boot.kernel:10} guests={test.boot.guests} "
                  f"timeout={test.timeout}")
    return 0
