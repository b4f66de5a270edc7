# SPDX-License-Identifier: Apache-2.0
"""Queries for which the selective Parquet scan exists, with their bars."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from latebloom._data import Tpch

from latebloom_bench._suite import Query, Suite
from latebloom_bench.tables import _lineitem
from latebloom_bench.tables._generated import Generated, Layout, Made, Several

_COLUMNS, _WIDE = 16, 166


def _payload(columns: int, start: int, stop: int) -> Mapping[str, Any]:
    import numpy as np

    random = np.random.default_rng(start)
    return {f"p{i}": random.integers(0, 2**31, stop - start) for i in range(columns)}


def _coded(rows: int, start: int, stop: int) -> Mapping[str, Any]:
    """A string of 1,000 values, one of 10,000, and 16 other columns."""
    import numpy as np

    random = np.random.default_rng((1, start))
    n = stop - start
    return {
        "name": [f"name number {i}" for i in random.integers(0, 1000, n).tolist()],
        "rare": [f"rare number {i}" for i in random.integers(0, 10_000, n).tolist()],
        **_payload(_COLUMNS, start, stop),
    }


def _numbered(rows: int, start: int, stop: int) -> Mapping[str, Any]:
    """The row's place in the table, a random number below 10,000, and 14 other columns."""
    import numpy as np

    random = np.random.default_rng((2, start))
    place = (np.arange(start, stop) * 10_000 // rows).astype(np.int32)
    anywhere = random.integers(0, 10_000, stop - start).astype(np.int32)
    return {"place": place, "anywhere": anywhere, **_payload(_COLUMNS - 2, start, stop)}


def _stretch(rows: int, start: int, stop: int) -> Mapping[str, Any]:
    """Of ``near``, 4900 to 4999 in a hundredth of the rows, which lie together, and 15 other columns.

    Numbers below and above surround them, so that no minimum and maximum locates those rows.
    """
    import numpy as np

    random = np.random.default_rng((4, start))
    n = stop - start
    place = np.arange(start, stop) * 100 // rows
    others = random.integers(0, 9_900, n)
    others += 100 * (others >= 4900)
    near = np.where(place == 37, random.integers(4900, 5000, n), others)
    return {"near": near.astype(np.int32), **_payload(_COLUMNS - 1, start, stop)}


def _wide(rows: int, start: int, stop: int) -> Mapping[str, Any]:
    import numpy as np

    random = np.random.default_rng((3, start))
    keys = {k: random.integers(0, 10_000, stop - start) for k in ("k1", "k2")}
    return {**keys, **_payload(_WIDE - 2, start, stop)}


_CODED = Layout(dictionary=("name", "rare"))
TABLES = Generated(
    {
        "coded": Made(600_000, _coded, 8 * 18, _CODED),
        "numbered": Made(600_000, _numbered, 8 * _COLUMNS),
        "stretch": Made(600_000, _stretch, 8 * _COLUMNS),
        "wide166": Made(400_000, _wide, 5 * _WIDE, Layout(compression="zstd", group_rows=200_000)),
    }
)

Q28 = (
    "select avg(l_extendedprice), count(l_extendedprice), count(distinct l_extendedprice)"
    " from lineitem where l_quantity between 0 and 5 and (l_discount between 0.08 and 0.10"
    " or l_tax between 0.07 and 0.08 or l_suppkey between 500 and 1000)"
)

STRETCH = Query(
    "int 1 % clustered",
    "select * from stretch where near between 4900 and 4999",
    at_least=8,
    tables=("stretch",),
)

_coded_query = partial(Query, tables=("coded",), at_least=4)
_numbered_query = partial(Query, tables=("numbered",))
_wide_query = partial(Query, tables=("wide166",), at_least=30)


SUITE = Suite(
    "scan",
    "The selective Parquet scan's own work, with its bars: rare strings, rare numbers, clustered "
    "and random, many columns.",
    (
        _lineitem.on_lineitem(_lineitem.LIKE, 6),
        _lineitem.on_lineitem(_lineitem.PARTKEY, 2),
        _lineitem.on_lineitem(_lineitem.DICTIONARY, 2),
        _lineitem.on_lineitem(Query("q28-like", Q28), 3),
        _coded_query("string 1 %", "select * from coded where name like 'name number 7_'"),
        _coded_query("string 0.1 %", "select * from coded where name = 'name number 77'"),
        _coded_query("string 0.01 %", "select * from coded where rare = 'rare number 77'"),
        STRETCH,
        _numbered_query("int 1 % sorted", "select * from numbered where place < 100"),
        _numbered_query("int 1 % random", "select * from numbered where anywhere < 100", 2.5),
        _numbered_query("int 0.01 % random", "select * from numbered where anywhere = 77"),
        _numbered_query("int 0.01 % counted", "select count(*) from numbered where anywhere = 77"),
        _wide_query("166 columns, 0.01 %", "select * from wide166 where k1 = 77"),
        _wide_query("166 columns, two rare", "select * from wide166 where k1 = 77 and k2 < 100"),
    ),
    Several((Tpch("128MB"), TABLES)),
    scale=10,
)
