# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The command line of tools/lab."""

import argparse
import sys
from pathlib import Path

from . import guest, host, module, overlay, provider
from .kernels import KERNELS, Kernel
from .shell import LabError, say


def main(argv: list[str]) -> int:
    """Run one command of the lab and return its exit status."""
    options = _parser().parse_args(argv)
    try:
        host.require_root()
        return options.action(options)
    except LabError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tools/lab", description="Kernels, roots and guests.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="boot guests and run a command in them")
    _guest_options(run)
    run.add_argument("words", nargs=argparse.REMAINDER, metavar="-- COMMAND ...")
    run.set_defaults(action=_run)
    build = commands.add_parser("build", help="build croce.ko (and its tests) for kernels")
    _kernels_option(build)
    build.add_argument("--w1", action="store_true", help="with kbuild's extra warnings (W=1)")
    build.add_argument("--sparse", action="store_true", help="check with sparse (C=2)")
    build.add_argument("--siw", action="store_true", help="build siw of these kernels instead")
    build.set_defaults(action=_build)
    grafted = commands.add_parser("provider", help="build the provider in rdma-core")
    grafted.add_argument("--tree", "-t", action="append", choices=("bookworm", "trixie", "newest"),
                         help="whose rdma-core; may be repeated (default: all)")
    grafted.set_defaults(action=_provider)
    return parser


def _kernels_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kernel", "-k", action="append", choices=KERNELS, metavar="K",
                        help=f"may be repeated; one of {', '.join(KERNELS)} (default: all)")


def _kernels(options: argparse.Namespace) -> list[Kernel]:
    return [KERNELS[name] for name in options.kernel or KERNELS]


def _build(options: argparse.Namespace) -> int:
    arguments = ("W=1",) if options.w1 else ()
    if options.sparse:
        arguments += ("C=2", "CHECK=sparse", "CF=-D__CHECK_ENDIAN__")
    for kernel in _kernels(options):
        path = module.siw(kernel) if options.siw else module.build(kernel, arguments)
        print(path)
    return 0


def _provider(options: argparse.Namespace) -> int:
    trees = provider.trees()
    for name in options.tree or trees:
        tree = provider.usable(trees[name])
        print(f"{name} {tree.upstream} {provider.build(tree)}")
    return 0


def _guest_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--kernel", "-k", default="6.12", choices=KERNELS)
    add("--guests", "-n", type=int, default=1, help="number of guests on one link (1-9)")
    add("--all", action="store_true", help="run the command in all guests")
    add("--peer-command", help="what the other guests run (a shell command)")
    add("--croce", action=argparse.BooleanOptionalAction, default=False)
    add("--siw", action="store_true", help="have siw.ko at hand (--croce: croce.ko, loaded)")
    add("--mtu", type=int, default=1500)
    add("--share", type=Path, metavar="DIR", help="keep the guests' /out here")
    add("--timeout", type=float, default=600, metavar="S")
    add("--memory", default="4G")
    add("--cpus", type=int, default=2)
    add("--append", default="", help="kernel arguments")
    add("--virtual-time", action="store_true", help="UML: time passes only while idle")
    add("--allow-log", action="append", default=[], metavar="REGEX")


def _run(options: argparse.Namespace) -> int:
    words = options.words[1:] if options.words[:1] == ["--"] else options.words
    if not words:
        raise LabError("no command given")
    kernel = KERNELS[options.kernel]
    spec = guest.Spec(
        kernel=kernel.name, command=words, overlay=overlay.trees(kernel, options.croce, options.siw), guests=options.guests,
        peer_command=[options.peer_command] if options.peer_command else [],
        everywhere=options.all, croce=options.croce, mtu=options.mtu, out=options.share,
        timeout=options.timeout, memory=options.memory, cpus=options.cpus,
        append=options.append, virtual_time=options.virtual_time, allowed=options.allow_log)
    return guest.run(spec).status
