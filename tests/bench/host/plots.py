# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Plots of the ratios, by gnuplot: how many times better croce is than each rival."""

import math
import shutil
import subprocess
from pathlib import Path

from lablib.shell import LabError

from ..plan import MTUS, Case, text_of
from .report import SECTIONS, TITLES, WAITS
from .results import SMALLER_IS_BETTER, Table, contenders_of

COLOURS = {"rxe": "#c44e52", "siw": "#dd8452", "tcp": "#4c72b0"}
FIGURES = {"lat": ("p50", "p99"), "ping": ("p50", "p99")}
SMALLER = SMALLER_IS_BETTER | {"cpum"}

SCRIPT = """
set terminal pngcairo size {width},720 noenhanced font 'sans,10'
set output '{picture}'
set title "{title}"
set ylabel 'times better than the rival (above 1: croce is ahead)'
set yrange [{low}:{high}]
set ytics ({tics})
set bmargin 14
set rmargin 4
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.9 noborder
set boxwidth 0.9
set xtics rotate by 90 right noenhanced scale 0
set grid ytics
set key outside top center horizontal
set xzeroaxis lw 2 lt -1
plot {bars}
"""


def write(directory: Path, table: Table, heading: str) -> list[Path]:
    """Write a picture for each section that has ratios, and return them."""
    plots = []
    for section, (kind, figures, _) in SECTIONS.items():
        points = [(case, figure) for mtu in MTUS
                  for case in sorted(table.rows(), key=lambda case: case.wait)
                  for figure in FIGURES.get(section, figures)
                  if case.kind == kind and case.mtu == mtu]
        rivals = [who for who in contenders_of(table) if who != "croce"
                  and any(table.ratio(case, who, figure) for case, figure in points)]
        rows = [(_label(case, figure), [_better(table, section, case, who, figure)
                                        for who in rivals]) for case, figure in points]
        if rivals:
            plots.append(_draw(directory / f"{section}.png", f"{TITLES[section][0]}. {heading}",
                               rivals, rows))
    return plots


def _label(case: Case, figure: str) -> str:
    words = [case.op, text_of(case.size)]
    if case.kind in ("bw", "rate"):
        words.append(f"{case.qps} QP")
    if case.kind in ("lat", "ping"):
        words.append(figure)
    return " ".join([*words, WAITS[case.wait], str(case.mtu)])


def _better(table: Table, section: str, case: Case, who: str, figure: str) -> float | None:
    ratio = table.ratio(case, who, figure)
    return 1 / ratio if ratio and section in SMALLER else ratio


def _draw(picture: Path, title: str, rivals: list[str],
          rows: list[tuple[str, list[float | None]]]) -> Path:
    """Draw bars on a logarithmic axis, from 1 up or down (gnuplot's own begin at the bottom)."""
    data = picture.with_suffix(".dat")
    data.write_text("".join(
        f'"{label}" ' + " ".join(f"{math.log2(value):.4g}" if value else "NaN" for value in values)
        + "\n" for label, values in rows))
    powers = [math.log2(value) for _, values in rows for value in values if value]
    low, high = min(-1, math.floor(min(powers))), max(1, math.ceil(max(powers)))
    tics = ", ".join(f"'{2.0 ** power:g}' {power}" for power in range(low, high + 1))
    bars = ", ".join(f"'{data}' using {column}:xtic(1) title 'against {who}' "
                     f"lc rgb '{COLOURS[who]}'" for column, who in enumerate(rivals, 2))
    script = SCRIPT.format(
        width=max(900, 260 + 34 * len(rows)), picture=picture, title=title, low=low, high=high,
        tics=tics, bars=bars)
    done = subprocess.run(["gnuplot"], input=script, text=True, check=False, capture_output=True)
    if done.returncode:
        raise LabError(f"gnuplot: {done.stderr.strip()}")
    data.unlink()
    return picture


def available() -> bool:
    """Return whether there is a gnuplot."""
    return shutil.which("gnuplot") is not None
