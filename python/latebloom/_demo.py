# SPDX-License-Identifier: Apache-2.0
"""``latebloom demo``: what the extension does to five queries over TPC-H's lineitem."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from latebloom import _tpch
from latebloom._compare import Comparison, compare
from latebloom._explain import explain
from latebloom._local import local_session, parquet_view
from latebloom._render import seconds

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

QUERIES = (_tpch.LIKE, _tpch.DICTIONARY, _tpch.PARTKEY, _tpch.POINT, _tpch.Q6)


def demo(cache: Path, *, scale: int = 1, runs: int = 3) -> int:
    """Runs the demo; 0 if every answer was the same and every query got a LateScan, else 1."""
    from rich.console import Console

    console = Console()
    with console.status(f"TPC-H lineitem, scale factor {scale} ..."):
        data = _tpch.lineitem(scale, "64MB", cache)
    compared = []
    with local_session("demo") as spark:
        parquet_view(spark, "lineitem", data / "lineitem.parquet")
        for query in QUERIES:
            with console.status(f"{query.name}: off and on, {runs} times each ..."):
                compared.append((query, compare(spark.sql(query.sql), runs)))
        explanation = explain(spark.sql(_tpch.DICTIONARY.sql))
    console.print(_queries())
    console.print(_results(compared))
    console.print(f"EXPLAIN of {_tpch.DICTIONARY.name!r}:", style="bold")
    console.print(str(explanation), markup=False, highlight=False, soft_wrap=True)
    return _verdict(console, compared)


def _queries() -> Table:
    from rich.table import Table

    table = Table("query", "SQL", box=None, title="Queries", title_justify="left")
    for query in QUERIES:
        table.add_row(query.name, query.sql)
    return table


def _results(compared: list[tuple[_tpch.Query, Comparison]]) -> Table:
    from rich.table import Table

    table = Table(title="LateBloom off and on (median wall-clock time)", title_justify="left")
    table.add_column("query", no_wrap=True)
    for name in ("off", "on", "speed-up", "rows", "rows\nskipped", "pages\nread", "pages\nskipped"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("equal", no_wrap=True)
    for query, c in compared:
        table.add_row(
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
    return table


def _verdict(console: Console, compared: list[tuple[_tpch.Query, Comparison]]) -> int:
    different = [query.name for query, c in compared if not c.equal]
    untouched = [query.name for query, c in compared if not c.scans]
    if different:
        console.print(f"FAILED: a different answer with LateBloom on: {', '.join(different)}")
    if untouched:
        console.print(f"FAILED: no LateScan in the plan of: {', '.join(untouched)}")
    return 1 if different or untouched else 0
