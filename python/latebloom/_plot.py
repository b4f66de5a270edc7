# SPDX-License-Identifier: Apache-2.0
"""Pictures of profiles. Imports matplotlib, and so is imported only when one is drawn."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from latebloom._render import seconds, size
from latebloom._scanned import ScanProfile, Step

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.gridspec import GridSpec

# Each is told from a white and from a black ground.
ROWS, TIME, FETCHED, LEFT_OUT = "#4f86c6", "#c97b35", "#4f86c6", "#4f9a68"

# How much of the colour the rows that reached a step have, behind those that it left.
_REACHED = 0.35

_WIDTH = 11.0
_INCHES_A_STEP = 0.32
_LONGEST = 52
_SMALL = 8


class Picture(Figure):
    """A figure that a notebook shows although no window or backend was asked for."""

    def _repr_png_(self) -> bytes:
        out = io.BytesIO()
        self.savefig(out, format="png", dpi=110)
        return out.getvalue()


def funnels(headline: str, scans: Sequence[ScanProfile]) -> Figure:
    """Draws the funnels of scans below each other, and a line for each that stayed Spark's."""
    heights = [_INCHES_A_STEP * len(s.steps) + 1.1 if s.steps else 0.5 for s in scans] or [0.5]
    figure = Picture(figsize=(_WIDTH, sum(heights) + 0.6), layout="constrained")
    grid = figure.add_gridspec(len(heights), 3, height_ratios=heights, width_ratios=(5, 2, 2))
    figure.suptitle(headline, fontsize=_SMALL + 2, x=0.01, ha="left")
    for row, scan in enumerate(scans):
        if scan.steps:
            _scan(figure, grid, row, scan)
        else:
            why = f"left to Spark: [{scan.scan.code}] {scan.scan.reason}"
            _line(figure, grid, row, f"{_title(scan)}\n{why}")
    if not scans:
        _line(figure, grid, 0, "The query has no scan of tables or files.")
    return figure


def _scan(figure: Figure, grid: GridSpec, row: int, scan: ScanProfile) -> None:
    rows = figure.add_subplot(grid[row, 0])
    _rows(rows, scan.steps)
    rows.set_title(_title(scan), fontsize=_SMALL + 1, loc="left")
    times = figure.add_subplot(grid[row, 1], sharey=rows)
    _times(times, scan.steps)
    _bytes(figure.add_subplot(grid[row, 2]), scan)


def _rows(axes: Axes, steps: Sequence[Step]) -> None:
    whole = steps[0].rows
    at = range(len(steps))
    axes.barh(at, [s.rows for s in steps], color=ROWS, alpha=_REACHED, label="reached")
    axes.barh(at, [s.left for s in steps], color=ROWS, label="left")
    # Linear up to one row, so that none has a bar of no length.
    axes.set_xscale("symlog", linthresh=1, linscale=0.3)
    # Room for the figures beside the bars.
    axes.set_xlim(0, max(whole, 1) * 60)
    for y, step in enumerate(steps):
        share = f"  {step.left / whole:.2%}" if whole else ""
        _label(axes, max(step.rows, step.left), y, f"{step.left:,}{share}")
    axes.set_yticks(at, [_shortened(step.name) for step in steps])
    axes.set_ylim(len(steps) - 0.5, -0.5)
    _finish(axes, "rows that reached a step (pale), and that it left")
    axes.minorticks_off()


def _times(axes: Axes, steps: Sequence[Step]) -> None:
    for y, step in enumerate(steps):
        if step.seconds is not None:
            axes.barh(y, step.seconds, color=TIME)
            _label(axes, step.seconds, y, seconds(step.seconds))
    axes.set_xlim(0, max((s.seconds or 0 for s in steps), default=0) * 1.5 or 1)
    axes.tick_params(axis="y", labelleft=False)
    _finish(axes, "time, all tasks")
    axes.set_xticks([])


def _bytes(axes: Axes, scan: ScanProfile) -> None:
    shown = (
        ("fetched", scan.metric("bytesFetched"), FETCHED),
        ("not fetched", scan.metric("bytesAvoided"), LEFT_OUT),
    )
    axes.barh([0, 1], [n for _, n, _ in shown], color=[colour for *_, colour in shown])
    for y, (_, n, _) in enumerate(shown):
        _label(axes, n, y, size(n))
    axes.set_xlim(0, max(n for _, n, _ in shown) * 1.5 or 1)
    # Bars beside those of the steps, and as thick.
    axes.set_ylim(max(len(scan.steps), 2) - 0.5, -0.5)
    axes.set_yticks([0, 1], [name for name, *_ in shown])
    _finish(axes, "bytes")
    axes.set_xticks([])


def _label(axes: Axes, x: float, y: float, text: str) -> None:
    axes.annotate(
        text, (x, y), xytext=(4, 0), textcoords="offset points", va="center", fontsize=_SMALL
    )


def _finish(axes: Axes, about: str) -> None:
    axes.set_xlabel(about, fontsize=_SMALL)
    axes.tick_params(labelsize=_SMALL)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _line(figure: Figure, grid: GridSpec, row: int, text: str) -> None:
    axes = figure.add_subplot(grid[row, :])
    axes.set_axis_off()
    axes.text(0, 0.5, text, transform=axes.transAxes, va="center", fontsize=_SMALL)


def _title(scan: ScanProfile) -> str:
    where = scan.scan.location
    if len(where) > _LONGEST:
        where = f"…{where[-_LONGEST:]}"
    return f"{scan.scan.node} {where}".rstrip()


def _shortened(text: str) -> str:
    # A pair of dollars would be mathematics.
    line = " ".join(text.split()).replace("$", r"\$")
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
