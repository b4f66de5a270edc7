# SPDX-License-Identifier: Apache-2.0
"""Queries where late materialisation has nothing to gain, and must not lose either."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from latebloom._data import Tpch

from latebloom_bench._suite import Query, Suite
from latebloom_bench.tables import _lineitem
from latebloom_bench.tables._generated import Generated, Layout, Made, Several

_WIDE = 1000
_WIDEST = 5000
# No slower than noise.
_EVEN = 0.95


def _wide(columns: int, rows: int, start: int, stop: int) -> Mapping[str, Any]:
    import numpy as np

    at = np.arange(start, stop)
    return {f"c{i}": at * (i + 1) % 9973 for i in range(columns)}


def _keyed(distinct: int, rows: int, start: int, stop: int) -> Mapping[str, Any]:
    import numpy as np

    at = np.arange(start, stop)
    keys = np.random.default_rng(start).integers(0, distinct, stop - start)
    return {
        "id": at,
        "half": at % 2,
        "name": [f"name {key:08}" for key in keys.tolist()],
        **{f"p{i}": at * (i + 7) for i in range(8)},
    }


_TABLES = Generated(
    {
        "alternating": Made(2_000_000, partial(_keyed, 100), 90, Layout(dictionary=("half",))),
        "high_cardinality": Made(
            2_000_000, partial(_keyed, 500_000), 90, Layout(dictionary=("name",))
        ),
        "tiny_files": Made(100_000, partial(_keyed, 100), 90, Layout(files=1000)),
        "wide": Made(20_000, partial(_wide, _WIDE), 8 * _WIDE, Layout(group_rows=10_000)),
        # More columns than rows: planning and the start of each column dominate.
        "widest": Made(1_000, partial(_wide, _WIDEST), 8 * _WIDEST),
    }
)


def _even(name: str, sql: str, table: str, *, settled: bool = True) -> Query:
    return Query(name, sql, at_least=_EVEN, tables=(table,), settled=settled)


SUITE = Suite(
    "worst",
    "Queries that a selective scan cannot help, or not much: no bar but to be no slower.",
    (
        *(
            _lineitem.on_lineitem(query, _EVEN)
            for query in (
                _lineitem.Q1,
                _lineitem.Q6,
                _lineitem.NO_FILTER,
                _lineitem.KEEPS_ALL,
                _lineitem.KEEPS_ALL_UNPROVEN,
            )
        ),
        _even("limit", "select * from lineitem limit 100", "lineitem", settled=False),
        _even(
            "filter and limit",
            "select * from lineitem where l_quantity < 25 limit 100",
            "lineitem",
            settled=False,
        ),
        _even("every second row", "select * from alternating where half = 1", "alternating"),
        _even(
            "high cardinality",
            "select * from high_cardinality where name > 'name 00250000'",
            "high_cardinality",
        ),
        _even("tiny files", "select * from tiny_files where id % 10 = 3", "tiny_files"),
        _even("tiny files, none", "select * from tiny_files where name = 'x'", "tiny_files"),
        _even("wide", "select * from wide where c0 % 2 = 0", "wide"),
        _even("wide, selective", "select * from wide where c0 < 10", "wide"),
        _even("5,000 columns, keeps all", "select * from widest where c0 % 9973 >= 0", "widest"),
        _even("5,000 columns, selective", "select * from widest where c0 = 77", "widest"),
    ),
    Several((Tpch("128MB"), _TABLES)),
    scale=1,
)
