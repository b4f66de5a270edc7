# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys

import latebloom
import matplotlib
import matplotlib.colors
import pytest
from latebloom import _plot
from latebloom._scanned import to_scan_profile

STEPS = [
    {"name": "rows of the row groups that were opened", "rows": 2000, "left": 2000, "nanos": None},
    {"name": "(price = '$1' or '$2')", "rows": 2000, "left": 500, "nanos": 4_000_000},
    {"name": "n = 3", "rows": 500, "left": 0, "nanos": 1_000_000},
    {"name": "output", "rows": 0, "left": 0, "nanos": 0},
]


def scan_of(**told):
    return to_scan_profile(
        {
            "node": "LateScan parquet",
            "table": "file:/t",
            "format": "parquet",
            "applied": True,
            **{key: [] for key in ("filterColumns", "scanFilters", "joinFilters", "topRows")},
            **{key: [] for key in ("residual", "payload", "outcomes")},
            "steps": STEPS,
            "metrics": [
                {"key": "bytesFetched", "label": "", "kind": "size", "value": 3_000_000},
                {"key": "bytesAvoided", "label": "", "kind": "size", "value": 12_000_000},
            ],
            **told,
        }
    )


def widths(axes):
    return [bar.get_width() for bar in axes.patches]


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_each_step_has_its_rows_and_time_and_the_bytes_stand_beside_them():
    rows, times, fetched = _plot.funnels("1 s", [scan_of()]).axes
    assert rows.get_title(loc="left") == "LateScan parquet file:/t"
    # First the rows that reached a step, then those that it left.
    assert widths(rows) == [2000, 2000, 500, 0, 2000, 500, 0, 0]
    assert texts(rows) == ["2,000  100.00%", "500  25.00%", "0  0.00%", "0  0.00%"]
    named = [label.get_text() for label in rows.get_yticklabels()]
    assert named[2:] == ["n = 3", "output"]
    assert widths(times) == [0.004, 0.001, 0]
    assert texts(times) == ["4 ms", "1 ms", "0 ms"]
    assert widths(fetched) == [3_000_000, 12_000_000]
    assert texts(fetched) == ["3.0 MB", "12 MB"]
    assert [label.get_text() for label in fetched.get_yticklabels()] == ["fetched", "not fetched"]


def test_the_first_step_is_at_the_top_and_every_figure_in_the_picture():
    figure = _plot.funnels("1 s", [scan_of()])
    figure.draw_without_rendering()
    rows = figure.axes[0]
    below, above = rows.get_ylim()
    assert below > above
    for axes in figure.axes:
        for text in axes.texts:
            assert axes.bbox.x1 + 1 >= text.get_window_extent().x1, text.get_text()
        box = axes.get_tightbbox()
        assert box.x0 >= 0 and box.x1 <= figure.bbox.x1


def test_text_that_looks_like_mathematics_is_drawn_as_it_is():
    figure = _plot.funnels("1 s", [scan_of()])
    (label,) = [t for t in figure.axes[0].get_yticklabels() if "price" in t.get_text()]
    assert label.get_text() == r"(price = '\$1' or '\$2')"
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_a_scan_that_stays_sparks_is_a_line_with_its_reason():
    spark = scan_of(applied=False, code="no-filter", reason="It has none.", fix="", steps=[])
    (late, *_, line) = _plot.funnels("1 s", [scan_of(), spark]).axes
    assert late.patches
    (text,) = texts(line)
    assert "[no-filter] It has none." in text
    assert line.patches[:] == []


def test_a_query_without_scans_says_so():
    (line,) = _plot.funnels("1 s", []).axes
    assert texts(line) == ["The query has no scan of tables or files."]


def luminance(colour):
    parts = matplotlib.colors.to_rgb(colour)
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_bars_and_texts_are_told_from_the_ground_in_light_and_dark(style):
    from matplotlib import pyplot

    with pyplot.style.context(style):
        figure = _plot.funnels("1 s", [scan_of()])
    ground = luminance(figure.get_facecolor())

    def contrast(colour):
        low, high = sorted((ground, luminance(colour)))
        return (high + 0.05) / (low + 0.05)

    # WCAG 2.2: 4.5 for text, 3 for graphics.
    for axes in figure.axes:
        assert all(contrast(text.get_color()) >= 4.5 for text in axes.texts)
        bars = [bar for bar in axes.patches if bar.get_alpha() is None]
        assert bars and all(contrast(bar.get_facecolor()) >= 3 for bar in bars)


def test_a_profile_draws_itself_and_shows_nothing(spark, orders):
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    told = latebloom.profile(spark.read.parquet(str(orders)).where("status = 'open' and id < 99"))
    figure = told.plot()
    assert isinstance(figure, matplotlib.figure.Figure)
    assert len(texts(figure.axes[0])) == len(told.scans[0].steps)
    assert texts(figure.axes[0])[-1].startswith(f"{told.rows:,} ")
    assert pyplot.get_fignums() == before


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    profile = latebloom.Profile(1.0, 1, (scan_of(),), latebloom.WhyNot(()), None)
    monkeypatch.delitem(sys.modules, "latebloom._plot", raising=False)
    monkeypatch.delattr(latebloom, "_plot", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(latebloom.LateBloomError) as error:
        profile.plot()
    assert "pip install 'latebloom[plot]'" in str(error.value)
