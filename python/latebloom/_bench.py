# SPDX-License-Identifier: Apache-2.0
"""``latebloom bench``: suites of queries, timed off and on in one session."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from latebloom import _machine, _tpch
from latebloom._compare import Comparison, compare
from latebloom._errors import LateBloomError
from latebloom._local import local_session, parquet_view
from latebloom._render import table


@dataclass(frozen=True)
class Suite:
    """Queries over TPC-H's lineitem, and the data and session that they are meant for."""

    name: str
    queries: tuple[_tpch.Query, ...]
    scale: int
    row_group: str
    master: str

    def select(self, names: Sequence[str]) -> tuple[_tpch.Query, ...]:
        """The queries of these names, all of them if there are none."""
        known = {query.name: query for query in self.queries}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise LateBloomError(
                f"there is no query {', '.join(unknown)}",
                where=f"suite {self.name}",
                fix=f"choose of {', '.join(known)}",
            )
        return tuple(known[name] for name in names) if names else self.queries


FIRST_LIGHT = Suite(
    "first-light",
    (
        _tpch.LIKE,
        _tpch.PARTKEY,
        _tpch.DICTIONARY,
        _tpch.QUANTITY,
        _tpch.Q1,
        _tpch.Q6,
        _tpch.NO_FILTER,
        _tpch.KEEPS_ALL,
        _tpch.KEEPS_ALL_UNPROVEN,
    ),
    scale=10,
    row_group="128MB",
    master="local[2]",
)
SUITES = {suite.name: suite for suite in (FIRST_LIGHT,)}

_HEADER = ("query", "off", "on", "off min", "on min", "speed-up", "at least", "rows", "answer")


def bench(
    suite: Suite,
    *,
    cache: Path,
    out: Path,
    data: Path | None = None,
    names: Sequence[str] = (),
    runs: int = 3,
    scale: int | None = None,
) -> int:
    """Times the suite, and writes ``<out>/<suite>.md`` and ``.json``.

    Args:
        suite: what to run.
        cache: where generated data is kept.
        out: the directory for the results.
        data: a directory with ``lineitem.parquet`` to use in place of generated data.
        names: the queries to run, all if empty.
        runs: timed runs of each side; the comparison of the answers warms both up before.
        scale: TPC-H scale factor in place of the suite's.

    Returns:
        0 if all answers are equal, else 1. A speed-up that is missed is reported, not an error.
    """
    queries = suite.select(names)
    data = data or _tpch.lineitem(scale or suite.scale, suite.row_group, cache)
    compared = []
    with local_session(f"bench {suite.name}", master=suite.master) as spark:
        parquet_view(spark, "lineitem", data / "lineitem.parquet")
        about = _machine.describe(spark)
        rows = spark.table("lineitem").count()
        for query in queries:
            compared.append((query, compare(spark.sql(query.sql), runs)))
            print(" ".join(_row(*compared[-1])), flush=True)
    report = {
        "suite": suite.name,
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "data": {
            "table": "lineitem",
            "rows": rows,
            "bytes": (data / "lineitem.parquet").stat().st_size,
        },
        "runs": runs,
        **about,
        "results": [
            {"query": q.name, "sql": q.sql, "atLeast": q.at_least, **c.to_dict()}
            for q, c in compared
        ],
    }
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{suite.name}.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    (out / f"{suite.name}.md").write_text(_markdown(report, compared), encoding="utf-8")
    print(f"\n{table(_HEADER, [_row(*pair) for pair in compared], right=range(1, 8))}")
    print(f"\nwritten: {out / suite.name}.md and .json")
    return 0 if all(c.equal for _, c in compared) else 1


def _row(query: _tpch.Query, c: Comparison) -> tuple[str, ...]:
    missed = "" if c.speedup >= query.at_least else " missed"
    return (
        query.name,
        f"{c.off.median:.2f}",
        f"{c.on.median:.2f}",
        f"{c.off.min:.2f}",
        f"{c.on.min:.2f}",
        f"{c.speedup:.2f}x",
        f"{query.at_least:g}x{missed}",
        f"{c.rows:,}",
        "equal" if c.equal else "DIFFERENT",
    )


def _markdown(report: dict[str, Any], compared: list[tuple[_tpch.Query, Comparison]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    facts = {**report["machine"], **report["versions"], "commit": report["commit"]}
    data = report["data"]
    how = (
        f"{report['date']}. TPC-H {data['table']}, {data['rows']:,} rows, "
        f"{data['bytes']:,} bytes of Parquet. One session, off and on "
        f"alternating, {report['runs']} timed runs each after a run of both that compares "
        "the answers; results go to the `noop` sink. Seconds of wall-clock time, median and "
        "minimum; the speed-up is of the medians."
    )
    return "\n".join(
        [
            f"# {report['suite']}",
            "",
            how,
            "",
            line(_HEADER),
            line(["---"] * len(_HEADER)),
            *(line(_row(*pair)) for pair in compared),
            "",
            "## Run on",
            "",
            *(f"- {key}: {value}" for key, value in facts.items()),
            *(f"- `{key}` = `{value}`" for key, value in report["confs"].items()),
            "",
        ]
    )
