# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The command line of tools/lab."""

import argparse
import sys
from pathlib import Path

from . import apt, cache, guest, host, image, inventory, module, overlay, provider, roots, umlbuild
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
    setup = commands.add_parser("setup", help="fetch and build all that runs need")
    _kernels_option(setup)
    setup.add_argument("--update", action="store_true", help="look for newer packages first")
    setup.set_defaults(action=_setup)
    shell = commands.add_parser("shell", help="boot guests and give a shell in the first")
    _guest_options(shell)
    shell.set_defaults(action=_shell)
    path = commands.add_parser("path", help="print where a kernel's tree (UML) or image is")
    path.add_argument("kernel", choices=KERNELS)
    path.set_defaults(action=_path)
    commands.add_parser("list", help="show what is cached").set_defaults(action=_list)
    clean = commands.add_parser("clean", help="remove cached things")
    clean.add_argument("--all", action="store_true",
                       help="everything; otherwise what the present inputs do not use")
    clean.set_defaults(action=_clean)
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
    add("--memory", help="default: 4G, User-mode Linux 2G")
    add("--cpus", type=int, default=2)
    add("--append", default="", help="kernel arguments")
    add("--virtual-time", action="store_true", help="UML: time passes only while idle")
    add("--allow-log", action="append", default=[], metavar="REGEX")


def _run(options: argparse.Namespace) -> int:
    words = options.words[1:] if options.words[:1] == ["--"] else options.words
    if not words:
        raise LabError("no command given")
    return guest.run(_spec(options, command=words)).status


def _shell(options: argparse.Namespace) -> int:
    say("leave the shell to power the guests off")
    return guest.run(_spec(options, command=["true"], shell=True)).status


def _spec(options: argparse.Namespace, **more: object) -> guest.Spec:
    kernel = KERNELS[options.kernel]
    return guest.Spec(
        kernel=kernel.name, overlay=overlay.trees(kernel, options.croce, options.siw),
        guests=options.guests, everywhere=options.all,
        peer_command=[options.peer_command] if options.peer_command else [],
        croce=options.croce, mtu=options.mtu, out=options.share and options.share.absolute(),
        timeout=options.timeout, cpus=options.cpus,
        memory=options.memory or ("2G" if kernel.uml else "4G"),
        append=options.append, virtual_time=options.virtual_time, allowed=options.allow_log, **more)


def _setup(options: argparse.Namespace) -> int:
    if options.update:
        apt.forget_lists()
    for kernel in _kernels(options):
        image.bootable(kernel)
        if not kernel.uml:
            roots.squashfs(kernel.release)
        provider.for_kernel(kernel)
    return 0


def _path(options: argparse.Namespace) -> int:
    kernel = KERNELS[options.kernel]
    print(umlbuild.tree(kernel) if kernel.uml else image.bootable(kernel))
    return 0


def _list(_: argparse.Namespace) -> int:
    used = inventory.in_use()
    for path in cache.entries():
        print(f"{inventory.size(path) / 2**20:8.0f} MiB  {'used' if path in used else '    '}  "
              f"{path.parent.name}/{path.name}")
    return 0


def _clean(options: argparse.Namespace) -> int:
    used = set() if options.all else inventory.in_use()
    for path in cache.entries():
        if path not in used:
            say(f"removing {path.parent.name}/{path.name}")
            inventory.remove(path)
    return 0
