# SPDX-License-Identifier: Apache-2.0
"""``latebloom demo``: six queries over TPC-H's lineitem with the extension off and on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from latebloom._compare import Comparison, compare
from latebloom._data import Cache, Tpch
from latebloom._explain import explain
from latebloom._local import local_session, parquet_view
from latebloom._render import seconds, table

QUERIES = {
    "like": "select * from lineitem where l_comment like '%pending%foxes%slyly%'",
    "dictionary": "select * from lineitem where l_shipinstruct = 'DELIVER IN PERSON'"
    " and l_shipmode in ('AIR', 'REG AIR') and l_returnflag = 'R' and l_discount = 0.05",
    "partkey": "select * from lineitem where l_partkey < 100",
    "point": "select * from lineitem where l_orderkey = 3000000",
    "q6": "select sum(l_extendedprice * l_discount) revenue from lineitem"
    " where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'"
    " and l_discount between 0.05 and 0.07 and l_quantity < 24",
    "join": "select l.* from lineitem l join part on l_partkey = p_partkey"
    " where p_brand = 'Brand#23' and p_container = 'JUMBO PKG'",
}

# A smaller one is not told from chance.
_LEAST_GAIN = 1.1

_HEADER = (
    *("query", "off", "on", "speed-up", "rows", "rows skipped"),
    *("pages read", "pages skipped", "equal"),
)


def demo(cache: Path, *, scale: int = 1, runs: int = 3) -> int:
    """Runs the demo; 0 if every answer was the same and every query got a LateScan, else 1."""
    _progress(f"TPC-H lineitem at scale factor {scale}, in {cache} ...")
    data = {name: Tpch("64MB").table(name, scale, Cache(cache)) for name in ("lineitem", "part")}
    compared = []
    with local_session("demo") as spark:
        for name, path in data.items():
            parquet_view(spark, name, path)
        for name, sql in QUERIES.items():
            _progress(f"{name}: off and on, {runs} timed runs each ...")
            compared.append((name, compare(spark.sql(sql), runs)))
        explanation = explain(spark.sql(QUERIES["dictionary"]))
    print(table(("query", "SQL"), list(QUERIES.items())))
    print("\nLateBloom off and on, median wall-clock time:\n")
    print(table(_HEADER, [_row(*pair) for pair in compared], right=range(1, 8)))
    print("\nRows are skipped wherever their values are not decoded, in pages that are read, too.")
    told = remark(compared)
    if told:
        print(f"\n{told}")
    print(f"\nEXPLAIN of dictionary:\n\n{explanation}")
    failures = verdict(compared)
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failures else 0


def verdict(compared: Sequence[tuple[str, Comparison]]) -> list[str]:
    """The failures: different answers, and plans without a LateScan."""
    failures = [
        f"{query}: a different answer with LateBloom on" for query, c in compared if not c.equal
    ]
    return failures + [f"{query}: no LateScan in its plan" for query, c in compared if not c.scans]


def remark(compared: Sequence[tuple[str, Comparison]]) -> str:
    """Why queries have nothing to gain; empty if all have."""
    few = [query for query, c in compared if c.equal and c.speedup < _LEAST_GAIN]
    if not few:
        return ""
    return (
        f"Little to gain for {', '.join(few)}: nearly all rows are needed, or statistics lead Spark "
        "alone to the few rows as well. Times of a fraction of a second vary by more than such a gain."
    )


def _row(query: str, c: Comparison) -> tuple[str, ...]:
    return (
        query,
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
