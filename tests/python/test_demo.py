# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import latebloom
import pytest
from latebloom import _demo


def test_a_query_without_a_gain_is_not_passed_over_in_silence():
    def compared(off, on):
        same, none = latebloom.Digest(1, 0, 0), ()
        times = (latebloom.Times((seconds,)) for seconds in (off, on))
        return latebloom.Comparison(True, False, same, same, *times, none)

    fast, even, slower = compared(5.0, 1.0), compared(1.05, 1.0), compared(0.8, 1.0)
    assert _demo.remark([("a", fast)]) == ""
    assert _demo.remark([("a", fast), ("b", even), ("c", slower)]).startswith(
        "Little to gain for b, c: "
    )


@pytest.mark.parametrize(
    ("equal", "scans", "failures"),
    [
        (True, (latebloom.ScanMetrics("LateScan", {}),), []),
        (False, (latebloom.ScanMetrics("LateScan", {}),), ["q6: a different answer"]),
        (True, (), ["q6: no LateScan"]),
    ],
)
def test_the_demo_fails_on_a_different_answer_and_on_a_plan_without_late_scan(
    equal, scans, failures
):
    same, times = latebloom.Digest(1, 0, 0), latebloom.Times((1.0,))
    compared = latebloom.Comparison(equal, False, same, same, times, times, scans)
    found = _demo.verdict([("q6", compared)])
    assert len(found) == len(failures)
    assert all(map(str.startswith, found, failures))
