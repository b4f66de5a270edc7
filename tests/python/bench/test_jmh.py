# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
from latebloom import LateBloomError
from latebloom_bench._report import markdown
from latebloom_bench.suites import jmh

from bench._reports import FACTS


def test_jmh_stands_each_method_next_to_sparks_of_the_same_parameters():
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
