# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from latebloom._advise import Advice, Advices
from latebloom_bench import _advice

from bench._reports import measured, report, result


def gains(query, speedup, **more):
    return result(query, measured("off", speedup), measured("on", 1.0), **more)


def advice(description, speedup):
    return Advice("app", 1, description, 1.0, speedup, ())


def test_what_is_expected_is_the_median_of_the_baselines_executions(monkeypatch, tmp_path):
    found = [advice("off: a", s) for s in (2.0, 9.0, 3.0)] + [advice("on: b", 4.0)]
    asked = []

    def advise(folder, least):
        asked.append((folder, least))
        return Advices(tuple(found), 9)

    monkeypatch.setattr(_advice, "advise", advise)
    results = _advice.expecting([gains("a", 2.0), gains("b", 2.0)], "off", tmp_path)
    # The log has no advice for a query that reads no files of ours: nothing is expected of it.
    assert [r.expected for r in results] == [3.0, 1.0]
    assert asked == [(tmp_path, 0)]


def test_named_queries_and_gaining_queries_are_compared(tmp_path):
    results = (
        gains("found", 1.5, expected=1.25),
        gains("missed", 3.0, expected=1.24),
        gains("named, and gains", 1.2, expected=2.0),
        gains("named, and idle", 1.09, expected=2.0),
        gains("neither", 1.0, expected=1.0),
    )
    assert _advice.quality(results, "off", "on") == _advice.Quality(3, 2, 1, 1)
    text = report(*results).write(tmp_path).with_suffix(".md").read_text()
    assert "names 3 queries" in text and "it names 1 (50%)" in text and "1 (33%) gain less" in text
    assert "| expected |" in text and "| 1.24x |" in text


def test_a_run_that_did_not_ask_says_nothing(tmp_path):
    assert _advice.quality((gains("a", 2.0),), "off", "on") is None
    text = report(gains("a", 2.0)).write(tmp_path).with_suffix(".md").read_text()
    assert "advise" not in text and "expected" not in text


def test_without_a_named_query_there_is_no_share(tmp_path):
    quality = _advice.quality((gains("a", 1.0, expected=1.0),), "off", "on")
    assert "0 (none)" in str(quality)
