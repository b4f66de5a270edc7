# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from latebloom_bench import Measured, _plots

from bench._reports import FASTER, measured, report, result


def test_plots_are_drawn_of_what_has_figures(tmp_path):
    pytest.importorskip("matplotlib")
    on = measured("on", 1.0, scan={"valuesSkipped": 3, "valuesDecoded": 1})
    bars = result("q", measured("off", 2.0), on)
    line = [replace(bars, query=str(x), chart="string", selectivity=x) for x in (0.0, 0.01, 1.0)]
    failed = result("f", measured("off", 2.0), Measured("on", "failed"))
    # More lines than colours are easily told apart: each has a panel of its own.
    line += [replace(one, chart=f"line {i}") for i in range(12) for one in line]
    drawn = _plots.draw(report(bars, failed, *line), tmp_path)
    assert [path.name for path in drawn] == [
        "s-parquet-selectivity.png",
        "s-parquet-speed-up.png",
        "s-parquet-skipped.png",
    ]
    assert all(path.stat().st_size < 100_000 for path in drawn)


def test_variants_stand_in_one_picture_even_where_one_lacks_a_query(tmp_path):
    pytest.importorskip("matplotlib")
    one = result("q", measured("off", 2.0), measured("on", 1.0))
    other = replace(one, variant="orc, no broadcast")
    failed = result("f", measured("off", 2.0), Measured("on", "failed"))
    given = report(one, other, failed, replace(one, query="only here"))
    drawn = _plots.draw(given, tmp_path)
    assert [path.name for path in drawn] == [
        "s-variants.png",
        "s-parquet-speed-up.png",
        "s-orc-no-broadcast-speed-up.png",
    ]


def test_without_matplotlib_the_report_comes_without_plots(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert _plots.draw(report(FASTER), tmp_path) == []
    assert "matplotlib is not installed" in capsys.readouterr().err
