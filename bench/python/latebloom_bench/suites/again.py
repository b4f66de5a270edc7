# SPDX-License-Identifier: Apache-2.0
"""Queries that are asked again: what the first run found, the next one starts from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from latebloom._data import Tpch

from latebloom_bench._sides import AGAIN, INDEXED, OFF, ON, WITHOUT_INDEX
from latebloom_bench._suite import Query, Suite, Variant
from latebloom_bench.tables import _lineitem
from latebloom_bench.tables._generated import Generated, Layout, Made, Several

_LINES = Tpch("128MB")

_on_lineitem = partial(Query, tables=("lineitem",))
_on_files = partial(Query, tables=("thousand_files",))


def _row(rows: int, start: int, stop: int) -> Mapping[str, Any]:
    """A number that no statistics locate, a text, and six other columns."""
    import numpy as np

    random = np.random.default_rng((5, start))
    n = stop - start
    return {
        "anywhere": random.integers(0, 1_000_000, n),
        "name": [f"name number {i}" for i in random.integers(0, 10_000, n).tolist()],
        **{f"p{i}": random.integers(0, 2**31, n) for i in range(6)},
    }


# About 100 KB a file.
_FILES = Generated({"thousand_files": Made(1_800_000, _row, 60, Layout(files=1000))})

_SLOW = Variant(
    "20 ms a request",
    scheme="slow",
    confs={"fs.slow.latencyMs": "20", "fs.slow.bytesPerSecond": str(90 * 2**20)},
)

_SESSION = {
    "spark.hadoop.fs.slow.impl": "latebloom.testkit.SlowFileSystem",
    # An instance keeps its initial latency.
    "spark.hadoop.fs.slow.impl.disable.cache": "true",
}

SUITE = Suite(
    "again",
    "The same query a second time, and nearly the same, against the first time.",
    (
        _on_lineitem("like, again", _lineitem.LIKE.sql, at_least=3),
        _on_lineitem(
            "like and more, again",
            _lineitem.LIKE.sql + " and l_quantity < 10",
        ),
        _on_lineitem(
            "point on an unclustered key, again",
            "select * from lineitem where l_partkey = 1234567",
            at_least=10,
        ),
        _on_lineitem(
            "point on a clustered key, again",
            "select * from lineitem where l_orderkey = 31415936",
            at_least=10,
        ),
        _on_lineitem("keeps all, again", _lineitem.KEEPS_ALL_UNPROVEN.sql, at_least=0.97),
        Query(
            "star join, again",
            "select n_name, sum(l_extendedprice) price from lineitem, supplier, nation"
            " where l_suppkey = s_suppkey and s_nationkey = n_nationkey and n_name = 'CANADA'"
            " and s_acctbal > 9900 group by n_name",
            tables=("lineitem", "supplier", "nation"),
        ),
    ),
    _LINES,
    scale=10,
    sides=(ON, AGAIN, OFF),
)

STORE = Suite(
    "again-store",
    "1,000 files of about 100 KB behind a file system that takes 20 ms for each request: the same "
    "query a second time.",
    (
        _on_files("rare number", "select * from thousand_files where anywhere = 77", at_least=5),
        _on_files(
            "rare name of few",
            "select * from thousand_files where name = 'name number 77' and anywhere < 1000",
            at_least=5,
        ),
        _on_files(
            "a name in many files",
            "select p0, p1 from thousand_files where name = 'name number 77'",
        ),
    ),
    Several((_FILES,)),
    scale=1,
    variants=(_SLOW,),
    confs=_SESSION,
    needs_testkit=True,
    sides=(ON, AGAIN, OFF),
)

INDEX = Suite(
    "again-index",
    "1,000 files of about 100 KB behind a file system that takes 20 ms for each request: needles, "
    "with a skip index of two columns.",
    (
        _on_files("needle", "select * from thousand_files where anywhere = 77", at_least=5),
        _on_files(
            "needle among names",
            "select * from thousand_files where name = 'name number 77' and anywhere = 77",
        ),
        _on_files(
            "a name in many files",
            "select p0, p1 from thousand_files where name = 'name number 77'",
        ),
        _on_files(
            "a name in all files",
            "select sum(p0) s from thousand_files where name >= 'name number 5'",
            at_least=0.98,
        ),
    ),
    Several((_FILES,)),
    scale=1,
    variants=(_SLOW,),
    confs=_SESSION,
    needs_testkit=True,
    sides=(WITHOUT_INDEX, INDEXED, OFF),
    indexed={"thousand_files": ("anywhere", "name")},
)
