# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from latebloom import LateBloomError
from latebloom_bench import Measured, Report, Result, _bench, _cli, _plots, diff, load
from latebloom_bench._report import beyond_noise, markdown
from latebloom_bench.suites import jmh

FACTS = {
    "machine": {"cores": 2},
    "versions": {"spark": "4.1.3"},
    "commit": "abc",
    "confs": {"spark.master": "local[2]"},
}


def measured(side, *seconds, answer="equal", **more):
    answer = "" if side == "off" else answer
    read = tuple(1_000_000 for _ in seconds)
    return Measured(side, answer, "1 rows", "", seconds, seconds, read, **more)


def result(query, *sides, **more):
    return Result("parquet", query, "select 1", sides, 1, **more)


def report(*results, **more):
    sides = {"off": "Spark alone", "on": "with LateBloom"}
    given = {"complete": True, "sides": sides, "problems": (), **more}
    return Report(
        suite="s",
        about="About.",
        date="now",
        runs=3,
        scale=1,
        facts=FACTS,
        data={"t": 10},
        results=results,
        **given,
    )


FASTER = result("faster", measured("off", 4.0, 4.1), measured("on", 1.0, 1.1))
SLOWER = result("slower", measured("off", 1.0, 1.1), measured("on", 2.0, 2.1), at_least=0.95)


def test_json_reads_back_as_it_was(tmp_path):
    one = report(FASTER, SLOWER, problems=("no duckdb",))
    stem = one.write(tmp_path)
    assert load(stem.with_suffix(".json")) == one


def test_losses_stand_first_and_a_missed_bar_is_said(tmp_path):
    text = report(FASTER, SLOWER).write(tmp_path).with_suffix(".md").read_text()
    assert text.index("| slower | 0.51x | 0.95x **missed**") < text.index("| faster | 3.86x |")
    assert "| parquet | 2 | 1 | 1 |" in text


def test_an_interrupted_run_is_said_to_be_one(tmp_path):
    half = report(FASTER, complete=False)
    assert "Interrupted" in half.write(tmp_path).with_suffix(".md").read_text()
    assert _bench.conclude(half, tmp_path) == 130


@pytest.mark.parametrize(
    ("side", "status"),
    [
        (measured("on", 1.0), 0),
        (measured("on", 1.0, answer="rounded"), 0),
        (measured("on", 1.0, answer="DIFFERENT"), 1),
        (Measured("on", "failed", problem="no such table"), 1),
        (measured("spark-rf", 1.0, answer="DIFFERENT"), 1),
        (Measured("spark-rf", "failed", problem="no such conf"), 0),
        (measured("duckdb", 1.0, answer="DIFFERENT"), 0),
    ],
)
def test_a_different_answer_fails_the_run_and_a_failing_peer_does_not(side, status, tmp_path):
    peers = {"off": "", "on": "", "spark-rf": "", "duckdb": ""}
    one = report(result("q", measured("off", 1.0), side), sides=peers)
    assert _bench.conclude(one, tmp_path) == status
    if side.answer in ("DIFFERENT", "failed"):
        text = (tmp_path / "s.md").read_text()
        assert f"- parquet, q: {side.side} {side.answer}" in text
        assert side.problem in text


@pytest.mark.parametrize(
    ("one", "other", "changed"),
    [
        ((1.0, 1.1, 1.2), (1.3, 1.4, 1.5), True),
        ((1.0, 1.1, 1.3), (1.2, 1.4, 1.5), False),
        ((1.0, 1.001), (1.01, 1.011), False),
        ((1.0,), (1.05,), False),
        ((1.0,), (1.2,), True),
    ],
)
def test_a_change_is_more_than_scatter(one, other, changed):
    assert beyond_noise(one, other) is changed
    assert beyond_noise(other, one) is changed


class TestDiff:
    def test_what_became_slower_stands_first_and_is_a_regression(self):
        later = replace(FASTER, sides=(FASTER.sides[0], measured("on", 3.0, 3.1)))
        found = diff(report(FASTER), report(later))
        assert [change.query for change in found.slower] == ["faster"]
        assert found.steady == 1
        assert found.regressed
        assert "2.90x" in str(found)
        back = diff(report(later), report(FASTER))
        assert [change.after.side for change in back.faster] == ["on"]
        assert not back.regressed

    def test_a_slower_baseline_is_the_machine_and_no_regression(self):
        later = replace(FASTER, sides=(measured("off", 8.0, 8.1), FASTER.sides[1]))
        found = diff(report(FASTER), report(later))
        assert found.slower
        assert not found.regressed

    def test_what_only_one_has_is_named(self):
        found = diff(report(FASTER), report(FASTER, SLOWER))
        assert found.only == ("parquet, slower, off", "parquet, slower, on")

    def test_the_command_fails_on_a_regression(self, tmp_path, capsys):
        one = str(report(FASTER).write(tmp_path / "a").with_suffix(".json"))
        later = replace(FASTER, sides=(FASTER.sides[0], measured("on", 3.0, 3.1)))
        other = str(report(later).write(tmp_path / "b").with_suffix(".json"))
        assert _cli.main(["--compare", one, other]) == 1
        assert "1 slower" in capsys.readouterr().out
        assert _cli.main(["--compare", one, one]) == 0


def test_a_file_that_is_no_report_is_refused(tmp_path):
    wrong = tmp_path / "x.json"
    wrong.write_text('{"suite": "s"}')
    for path in (wrong, tmp_path / "missing.json"):
        with pytest.raises(LateBloomError, match="not a report"):
            load(path)


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


def test_variants_share_one_plot_even_if_one_lacks_a_query(tmp_path):
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
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    assert _plots.draw(report(FASTER), tmp_path) == []
    assert "matplotlib is not installed" in capsys.readouterr().err


def test_jmh_pairs_each_method_with_sparks_of_the_same_parameters():
    def entry(method, pattern, score):
        return {
            "benchmark": f"latebloom.bench.LikeBenchmark.{method}",
            "params": {"pattern": pattern},
            "primaryMetric": {"scoreUnit": "ns/op", "rawData": [[score, score + 1]]},
        }

    found = jmh.report(
        [entry("bytes", "a", 10), entry("spark", "a", 40), entry("bytes", "b", 7)], "now", FACTS
    )
    assert [(r.variant, r.query) for r in found.results] == [
        ("Like", "bytes pattern=a"),
        ("Like", "bytes pattern=b"),
    ]
    assert found.results[0].speedup("latebloom", "spark") == pytest.approx(40.5 / 10.5)
    assert found.results[1].side("spark") is None
    assert not found.failures
    text = markdown(found, Path("nowhere"))
    assert "10.50 (10.00) ns" in text
    assert "CPU" not in text.partition("## Like")[2]


def test_jmh_in_another_unit_is_refused():
    wrong = {
        "benchmark": "a.B.c",
        "primaryMetric": {"scoreUnit": "ops/s", "rawData": [[1.0]]},
    }
    with pytest.raises(LateBloomError, match="ops/s"):
        jmh.report([wrong], "now", FACTS)
