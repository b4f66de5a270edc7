# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from latebloom import LateBloomError
from latebloom_bench import Measured, _bench, load
from latebloom_bench._report import beyond_noise

from bench._reports import FASTER, SLOWER, measured, report, result


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


def test_a_file_that_is_no_report_is_refused(tmp_path):
    wrong = tmp_path / "x.json"
    wrong.write_text('{"suite": "s"}')
    for path in (wrong, tmp_path / "missing.json"):
        with pytest.raises(LateBloomError, match="not a report"):
            load(path)
