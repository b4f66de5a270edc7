# SPDX-License-Identifier: Apache-2.0
"""The report's pictures: speed-ups by query and by selectivity, and what was not read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latebloom.bench._report import Report, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LOSS, _GAIN, _READ, _LEFT = "#b5483a", "#3a7d5c", "#8a8f98", "#3f6fb0"
_DPI = 80


def draw(report: Report, out: Path) -> list[Path]:
    """Writes ``<suite>-<what>.png`` for what the report has figures for."""
    try:
        import matplotlib
    except ImportError:
        print("no plots: matplotlib is not installed (latebloom[bench])", file=sys.stderr)
        return []
    matplotlib.use("Agg")
    for old in out.glob(f"{report.suite}-*.png"):
        old.unlink()
    made = []
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
    # From 1 on a logarithmic axis: twice as fast and half as fast are bars of one length.
    axes.barh(names, [s - 1 for _, s in timed], left=1, color=colours)
    axes.set_xscale("log", base=2)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}x")
    axes.set_xlabel(f"speed-up of {report.subject} over {report.baseline}")
    axes.invert_yaxis()
    return _saved(figure, path)


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
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5))
    for chart in dict.fromkeys(r.chart for r in results):
        points = sorted(
            (r.selectivity, speedup)
            for r in results
            if r.chart == chart and (speedup := r.speedup(report.subject, report.baseline))
        )
        axes.plot(
            [100 * x for x, _ in points], [y for _, y in points], marker="o", ms=3, label=chart
        )
    # Nothing passes and one row in 10,000 passes are both wanted on one axis.
    axes.set_xscale("symlog", linthresh=0.01)
    axes.set_yscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}%")
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:g}x")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xlabel("rows that pass")
    axes.set_ylabel(f"speed-up of {report.subject} over {report.baseline}")
    axes.legend(fontsize=7, ncols=2)
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
