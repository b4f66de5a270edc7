# SPDX-License-Identifier: Apache-2.0
"""What the control package costs: a session with its first query, and a profile of a query."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import latebloom
from latebloom._compare import in_turns
from latebloom._data import Cache, Tpch
from latebloom._errors import LateBloomError
from latebloom._local import local_session, parquet_view
from latebloom._names import NOTHING_REMEMBERED

from latebloom_bench import _first_query, _machine
from latebloom_bench._report import Measured, Report, Result
from latebloom_bench.tables import _lineitem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "control"
_PLAIN, _WITH = "plain", _first_query.WITH
_FIRST = "select count(*) n from lineitem where l_partkey < 100"
_PROFILED = (_lineitem.LIKE, _lineitem.DICTIONARY, _lineitem.QUANTITY, _lineitem.Q6)
# Of lineitem, of which the first query reads the small one.
_SMALL, _LARGE = 0.1, 10.0


def run(cache: Cache, runs: int, large: float | None = None) -> Report:
    """Measures both, side by side and in turns.

    Args:
        cache: where TPC-H's lineitem is generated.
        runs: timed runs of each side.
        large: scale factor of the table of the profiled queries, 10 if None.
    """
    started = datetime.now(timezone.utc).isoformat(timespec="seconds")
    lineitem = Tpch("128MB")
    first = _first(lineitem.table("lineitem", _SMALL, cache), runs)
    scale = large or _LARGE
    with local_session(f"bench {NAME}", master="local[2]") as spark:
        parquet_view(spark, "lineitem", lineitem.table("lineitem", scale, cache))
        # What a run found must not spare the next one its work.
        for key, value in NOTHING_REMEMBERED.items():
            spark.conf.set(key, value)
        facts = _machine.describe(spark)
        profiled = [_profiled(spark, query.name, query.sql, runs) for query in _PROFILED]
    return Report(
        suite=NAME,
        about="What the control package costs. First query: a process imports pyspark, starts a "
        "session of `local[2]` and counts the rows of a filter; the other one also imports latebloom "
        "and calls `configure`. Profile: a query runs with LateBloom into the `noop` sink, and by "
        f"`latebloom.profile(df)`. TPC-H's lineitem at scale {_SMALL:g} and {scale:g}.",
        date=started,
        runs=runs,
        scale=scale,
        complete=True,
        sides={_PLAIN: "without it", _WITH: "with it"},
        facts=facts,
        data={},
        results=(first, *profiled),
    )


def _first(path: Path, runs: int) -> Result:
    sides = _measured(
        {_PLAIN: partial(_session, _PLAIN, path), _WITH: partial(_session, _WITH, path)}, runs
    )
    return Result("first query", "session and first query", _FIRST, sides)


def _session(side: str, path: Path) -> tuple[float, int | None]:
    done = subprocess.run(
        # Not as a module of this package, which imports latebloom before the clock starts.
        [sys.executable, _first_query.__file__, side, str(path), _FIRST],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise LateBloomError(
            f"a session ended with status {done.returncode}: {done.stderr[-500:]}",
            where=f"side {side}",
            fix="mend what it says: latebloom doctor checks what a session needs",
        )
    seconds, rows = json.loads(done.stdout.splitlines()[-1])
    return seconds, rows


def _profiled(spark: SparkSession, name: str, sql: str, runs: int) -> Result:
    def plain() -> tuple[float, int | None]:
        df = spark.sql(sql)
        start = time.perf_counter()
        df.write.format("noop").mode("overwrite").save()
        return time.perf_counter() - start, None

    def profiled() -> tuple[float, int | None]:
        df = spark.sql(sql)
        start = time.perf_counter()
        rows = latebloom.profile(df).rows
        return time.perf_counter() - start, rows

    return Result("profile", name, sql, _measured({_PLAIN: plain, _WITH: profiled}, runs))


def _measured(
    sides: dict[str, Callable[[], tuple[float, int | None]]], runs: int
) -> tuple[Measured, ...]:
    """Seconds of each side after one run that warms up. Sides that count rows must agree."""
    rows = [count for call in sides.values() if (count := call()[1]) is not None]
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for name, call in in_turns(list(sides.items()), runs):
        took, counted = call()
        seconds[name].append(took)
        if counted not in (None, rows[0]):
            raise LateBloomError(
                f"{name} counted {counted:,} rows, and {rows[0]:,} before",
                where=f"suite {NAME}",
                fix="report it: the answers should be equal",
            )
    return tuple(Measured(name, seconds=tuple(seconds[name])) for name in sides)
