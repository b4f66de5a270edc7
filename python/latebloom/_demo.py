# SPDX-License-Identifier: Apache-2.0
"""``latebloom demo``: what the extension does to five queries over TPC-H's lineitem."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from latebloom._compare import Comparison, compare
from latebloom._explain import explain
from latebloom._local import local_session, parquet_view
from latebloom._render import seconds, table
from latebloom.bench import _tpch
from latebloom.bench._data import Cache
from latebloom.bench._suite import Query

QUERIES = (_tpch.LIKE, _tpch.DICTIONARY, _tpch.PARTKEY, _tpch.POINT, _tpch.Q6)

_HEADER = (
    *("query", "off", "on", "speed-up", "rows", "rows skipped"),
    *("pages read", "pages skipped", "equal"),
)


def demo(cache: Path, *, scale: int = 1, runs: int = 3) -> int:
    """Runs the demo; 0 if every answer was the same and every query got a LateScan, else 1."""
    _progress(f"TPC-H lineitem at scale factor {scale}, in {cache} ...")
    data = _tpch.Tpch("64MB").table("lineitem", scale, Cache(cache))
    compared = []
    with local_session("demo") as spark:
        parquet_view(spark, "lineitem", data)
        for query in QUERIES:
            _progress(f"{query.name}: off and on, {runs} timed runs each ...")
            compared.append((query, compare(spark.sql(query.sql), runs)))
        explanation = explain(spark.sql(_tpch.DICTIONARY.sql))
    print(table(("query", "SQL"), [(query.name, query.sql) for query in QUERIES]))
    print("\nLateBloom off and on, median wall-clock time:\n")
    print(table(_HEADER, [_row(*pair) for pair in compared], right=range(1, 8)))
    print(f"\nEXPLAIN of {_tpch.DICTIONARY.name}:\n\n{explanation}")
    failures = verdict(compared)
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failures else 0


def verdict(compared: Sequence[tuple[Query, Comparison]]) -> list[str]:
    """What went wrong: answers that differ, and plans that LateBloom left alone."""
    failures = [
        f"{q.name}: a different answer with LateBloom on" for q, c in compared if not c.equal
    ]
    return failures + [f"{q.name}: no LateScan in its plan" for q, c in compared if not c.scans]


def _row(query: Query, c: Comparison) -> tuple[str, ...]:
    return (
        query.name,
        seconds(c.off.median),
        seconds(c.on.median),
        f"{c.speedup:.1f}x",
        f"{c.rows:,}",
        f"{c.total('rowsPruned') + c.total('rowsFiltered'):,}",
        f"{c.total('pagesRead'):,}",
        f"{c.total('pagesSkipped'):,}",
        "yes" if c.equal else "NO",
    )


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
