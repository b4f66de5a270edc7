# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from latebloom_bench import _estimates
from latebloom_bench._estimates import Estimates
from latebloom_bench._report import load

from bench._reports import measured, report, result


def planned(query, one, other):
    sides = (measured("off", 2.0, estimates=one), measured("on", 1.0, estimates=other))
    return result(query, *sides)


@pytest.mark.parametrize(
    ("planned", "came", "error"),
    [(10, 5, 2.0), (5, 10, 2.0), (7, 7, 1.0), (0, 4, 4.0), (3, 0, 3.0)],
)
def test_a_q_error_is_a_factor_either_way(planned, came, error):
    assert _estimates._q_error(planned, came) == error


def test_more_and_fewer_broadcasts_are_counted_by_query(tmp_path):
    made = report(
        planned("a", Estimates(3, 1, 2), Estimates(3, 2, 2, (1.0, 4.0))),
        planned("b", Estimates(2, 2, 1), Estimates(2, 1, 1, (2.0,))),
        planned("c", Estimates(1, 0, 1), Estimates(1, 0, 1)),
    )
    path = made.write(tmp_path)
    text = path.with_suffix(".md").read_text()
    assert "Of 6 joins 3 are planned with a broadcast, 3 of 6 on the baseline's side" in text
    assert "more of them in 1 queries, fewer in 1" in text
    assert "Of 4 scans with a condition the rows were known before for 3" in text
    assert "a median q-error of 2.00" in text
    assert "| broadcasts off | broadcasts on |" in text
    assert load(path.with_suffix(".json")) == made


def test_a_suite_that_did_not_ask_says_nothing():
    assert _estimates.told([]) == ""
    assert "q-error of unknown" in _estimates.told([(Estimates(1, 1, 1), Estimates(1, 1, 1))])
