# SPDX-License-Identifier: Apache-2.0
"""The cost of the order of conditions, written well or badly, and when the data changes half way.

Compare the times of ``on``: the worst order with the best, and both halves in one query with the
sum of the queries of one half, which suit different orders.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from latebloom_bench._suite import Query, Suite
from latebloom_bench.tables._generated import Generated, Layout, Made

_ROWS = 16_000_000
# They pass 99.9, 95, 90, 50 and 1 % of the rows.
_CONDITIONS = ("a < 999", "b < 950", "c < 900", "d < 500", "e < 10")


def _conditions(rows: int, start: int, stop: int) -> Mapping[str, Any]:
    import numpy as np

    random = np.random.default_rng(start)
    at = np.arange(start, stop)
    late = at >= rows // 2
    columns = {name: random.integers(0, 1000, stop - start) for name in "abcde"}
    # In the first half only x drops rows, in the second only y.
    x = np.where(late, 0, random.integers(0, 1000, stop - start))
    y = np.where(late, random.integers(0, 1000, stop - start), 0)
    payload = {f"p{i}": random.integers(0, 2**40, stop - start) for i in range(2)}
    return {"half": late.astype("int64"), **columns, "x": x, "y": y, **payload}


def _query(name: str, *conditions: str) -> Query:
    where = " and ".join(conditions)
    return Query(name, f"select count(*), sum(p0), max(p1) from conditions where {where}")


SUITE = Suite(
    "adaptive",
    "Five conditions on integers, in the best order and in the worst; two conditions of which one drops "
    "rows in the first half of the table and the other in the second, over each half and over both.",
    (
        _query("best order", *reversed(_CONDITIONS)),
        _query("worst order", *_CONDITIONS),
        _query("first half, best order", "half = 0", "x < 10", "y < 10"),
        _query("second half, best order", "half = 1", "y < 10", "x < 10"),
        _query("both halves, x first", "x < 10", "y < 10"),
        _query("both halves, y first", "y < 10", "x < 10"),
    ),
    Generated({"conditions": Made(_ROWS, _conditions, 80, Layout(group_rows=500_000))}),
    scale=1,
)
