# SPDX-License-Identifier: Apache-2.0
"""The report's plots: speed-ups by query and by selectivity, and the share of data not read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latebloom_bench._report import Report, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LOSS, _GAIN, _READ, _LEFT = "#b5483a", "#3a7d5c", "#8a8f98", "#3f6fb0"
_BEHIND = "#d5d8dc"
_MARKS = (("o", _LEFT), ("^", _GAIN), ("s", _LOSS), ("D", _READ))
_DPI = 80
# Panels in a row of the selectivity plot.
_PANELS = 3


def draw(report: Report, out: Path) -> list[Path]:
    """Writes ``<suite>-<what>.png`` for each kind of figure in the report."""
    try:
        import matplotlib
    except ImportError:
        print("no plots: matplotlib is not installed (latebloom[bench])", file=sys.stderr)
        return []
    matplotlib.use("Agg")
    for old in out.glob(f"{report.suite}-*.png"):
        old.unlink()
    made = [_variants(report, out / f"{report.suite}-variants.png")]
    for variant in dict.fromkeys(r.variant for r in report.results):
        results = [r for r in report.results if r.variant == variant]
        slug = variant.replace(",", "").replace(" ", "-")
        lines = [r for r in results if r.chart]
        bars = [r for r in results if not r.chart]
        for what, picture, of in (
            ("selectivity", _selectivity, lines),
            ("speed-up", _speedups, bars),
            ("skipped", _skipped, bars),
        ):
            if any(r.speedup(report.subject, report.baseline) for r in of):
                made.append(picture(report, of, out / f"{report.suite}-{slug}-{what}.png"))
    return [path for path in made if path]


def _speedups(report: Report, results: Sequence[Result], path: Path) -> Path | None:
    pairs = [(r.query, r.speedup(report.subject, report.baseline)) for r in results]
    timed = [(query, speedup) for query, speedup in pairs if speedup]
    figure, axes = _bars(len(timed))
    names = [query for query, _ in timed]
    colours = [_GAIN if speedup >= 1 else _LOSS for _, speedup in timed]
    # From 1 on a logarithmic axis: twice as fast and half as fast get bars of equal length.
    axes.barh(names, [s - 1 for _, s in timed], left=1, color=colours)
    _speedup_axis(report, axes)
    axes.invert_yaxis()
    return _saved(figure, path)


def _speedup_axis(report: Report, axes: Axes) -> None:
    axes.set_xscale("log", base=2)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}x")
    axes.set_xlabel(f"speed-up of {report.subject} over {report.baseline}")


def _skipped(report: Report, results: Sequence[Result], path: Path) -> Path | None:
    shares = []
    for r in results:
        one, other = r.side(report.baseline), r.side(report.subject)
        if one and other and one.read and other.read and other.scan:
            values = [other.scan.get(key, 0) for key in ("valuesSkipped", "valuesDecoded")]
            share = values[0] / sum(values) if sum(values) else 0.0
            shares.append((r.query, min(other.read) / max(min(one.read), 1), share))
    if not shares:
        return None
    figure, axes = _bars(len(shares))
    rows = range(len(shares))
    axes.barh(
        [y - 0.2 for y in rows],
        [s[1] for s in shares],
        0.4,
        color=_READ,
        label="bytes read, of baseline's",
    )
    axes.barh(
        [y + 0.2 for y in rows],
        [s[2] for s in shares],
        0.4,
        color=_LEFT,
        label="values not decoded",
    )
    axes.set_yticks(list(rows), [s[0] for s in shares])
    axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f}%")
    axes.legend(loc="lower right", fontsize=8)
    axes.invert_yaxis()
    return _saved(figure, path)


def _selectivity(report: Report, results: Sequence[Result], path: Path) -> Path | None:
    """One panel per line, with all lines in grey behind it: eleven in one panel are unreadable."""
    from matplotlib import pyplot

    lines = {
        chart: sorted(
            (100 * r.selectivity, speedup)
            for r in results
            if r.chart == chart and (speedup := r.speedup(report.subject, report.baseline))
        )
        for chart in dict.fromkeys(r.chart for r in results)
    }
    rows = -(-len(lines) // _PANELS)
    size = (8, 0.8 + 1.7 * rows)
    figure, grid = pyplot.subplots(
        rows, _PANELS, figsize=size, sharex=True, sharey=True, squeeze=False
    )
    panels = list(grid.flat)
    for panel in panels[len(lines) :]:
        panel.set_axis_off()
    for panel, (chart, points) in zip(panels, lines.items(), strict=False):
        for other in lines.values():
            panel.plot(*zip(*other, strict=True), color=_BEHIND, linewidth=0.7)
        panel.plot(*zip(*points, strict=True), color=_LEFT, marker="o", markersize=3)
        panel.axhline(1, color="black", linewidth=0.8)
        panel.set_title(chart, fontsize=8)
        panel.tick_params(labelsize=6)
    # The axis shows both that no row passes and that one in 10,000 passes.
    panels[0].set_xscale("symlog", linthresh=0.01)
    panels[0].set_yscale("log", base=2)
    panels[0].set_xlim(-0.003, 180)
    panels[0].set_xticks([0, 0.01, 0.1, 1, 10, 100])
    panels[0].xaxis.set_major_formatter(lambda x, _: f"{x:g}%")
    panels[0].yaxis.set_major_formatter(lambda y, _: f"{y:g}x")
    figure.supxlabel("rows that pass", fontsize=8)
    figure.supylabel(f"speed-up of {report.subject} over {report.baseline}", fontsize=8)
    return _saved(figure, path)


def _variants(report: Report, path: Path) -> Path | None:
    """Each query a row, each variant a mark: shows where formats and kinds of join differ."""
    of = {
        (r.query, r.variant): speedup
        for r in report.results
        if not r.chart and (speedup := r.speedup(report.subject, report.baseline))
    }
    variants = list(dict.fromkeys(variant for _, variant in of))
    if len(variants) < 2:
        return None
    queries = list(dict.fromkeys(query for query, _ in of))
    figure, axes = _bars(len(queries))
    for variant, (marker, colour) in zip(variants, cycle(_MARKS)):
        there = [y for y, query in enumerate(queries) if (query, variant) in of]
        speedups = [of[queries[y], variant] for y in there]
        axes.scatter(speedups, there, s=22, marker=marker, color=colour, label=variant)
    axes.set_yticks(range(len(queries)), queries)
    axes.grid(axis="y", linewidth=0.3)
    axes.invert_yaxis()
    _speedup_axis(report, axes)
    axes.legend(fontsize=7, ncols=4, loc="lower center", bbox_to_anchor=(0.4, 1))
    return _saved(figure, path)


def _bars(count: int) -> tuple[Any, Axes]:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 1.2 + 0.22 * count))
    axes.tick_params(axis="y", labelsize=7)
    axes.margins(y=0.01)
    return figure, axes


def _saved(figure: Any, path: Path) -> Path:
    from matplotlib import pyplot

    figure.tight_layout()
    figure.savefig(path, dpi=_DPI)
    pyplot.close(figure)
    return path
