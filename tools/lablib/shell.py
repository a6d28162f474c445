# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Running programs, and telling the user what goes on."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path


class LabError(Exception):
    """A failure whose message is meant for the user."""


def say(message: str) -> None:
    """Print one progress line to standard error."""
    print(f"lab: {message}", file=sys.stderr, flush=True)


def run(argv: Sequence[object], *, cwd: Path | None = None,
        env: Mapping[str, str] | None = None, log: Path | None = None,
        stdin: str | None = None) -> str:
    """Run a program and return its output; raise LabError when it fails.

    With log, standard output and standard error go to that file instead.
    """
    words = [str(word) for word in argv]
    full_env = {**os.environ, "LC_ALL": "C", **(env or {})}
    if log:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a") as sink:
            print("+", *words, file=sink, flush=True)
            done = subprocess.run(words, cwd=cwd, env=full_env, stdout=sink,
                                  stderr=subprocess.STDOUT, check=False,
                                  stdin=subprocess.DEVNULL)
        output = ""
    else:
        done = subprocess.run(words, cwd=cwd, env=full_env, text=True,
                              input=stdin or "", capture_output=True, check=False)
        output = done.stdout
    if done.returncode:
        detail = tail(log.read_text(errors="replace")) if log else tail(done.stdout + done.stderr)
        raise LabError(f"{words[0]} exited with {done.returncode}\n{detail}"
                       + (f"\n(all of it: {log})" if log else ""))
    return output


def tail(text: str, lines: int = 25) -> str:
    """Return the last lines of a text."""
    return "\n".join(text.rstrip().splitlines()[-lines:])


def nice(argv: Sequence[object]) -> list[object]:
    """Prefix a long build so that it yields to interactive work."""
    return ["nice", "-n", "10", *argv]
