# SPDX-License-Identifier: Apache-2.0
"""The sides that run a query: Spark alone, with LateBloom or with other settings, and DuckDB."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latebloom._errors import LateBloomError
from latebloom._names import ENABLED_KEY, INDEX_KEY, NOTHING_REMEMBERED, STATISTICS_KEY

from latebloom_bench import _jvm

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Cost:
    """The cost of one run.

    Attributes:
        seconds: wall-clock time.
        cpu: seconds of processor time of the engine's whole process, JIT and GC included.
        read: bytes that the process read through system calls, from files and their cache
            alike, shuffle files included; None if the operating system does not report them.
        requests: requests to a slow store, 0 for other file systems.
    """

    seconds: float
    cpu: float
    read: int | None
    requests: int = 0


@dataclass(frozen=True)
class SparkSide:
    """Runtime confs for the length of a query.

    ``latebloom`` tells whether the session has metrics of LateBloom's scans; ``follows``: before
    each run of a query the one that precedes it runs, and nothing older is remembered.
    """

    name: str
    about: str
    confs: Mapping[str, str] = field(default_factory=dict)
    latebloom: bool = True
    follows: bool = False


OFF = SparkSide("off", "Spark alone", {ENABLED_KEY: "false"})
# Runs repeat a query: what one of them found must not spare the next one its work.
ON = SparkSide(
    "on", "with LateBloom, nothing remembered", {ENABLED_KEY: "true", **NOTHING_REMEMBERED}
)
AGAIN = SparkSide(
    "again",
    "with LateBloom, which remembers what the same query found before",
    {ENABLED_KEY: "true", **dict.fromkeys(NOTHING_REMEMBERED, "true")},
)

NEXT_DAY = replace(
    AGAIN,
    name="next day",
    about="with LateBloom, which remembers what the query of the day before found",
    follows=True,
)

PLANNED = SparkSide(
    "planned",
    "with LateBloom, planned with the rows that the same query counted before",
    {ENABLED_KEY: "true", **NOTHING_REMEMBERED, STATISTICS_KEY: "true"},
)

WITHOUT_INDEX = SparkSide(
    "on",
    "with LateBloom, nothing remembered, without the skip index",
    {ENABLED_KEY: "true", **NOTHING_REMEMBERED, INDEX_KEY: "false"},
)
INDEXED = SparkSide(
    "indexed",
    "with LateBloom, nothing remembered, with a skip index",
    {ENABLED_KEY: "true", **NOTHING_REMEMBERED, INDEX_KEY: "true"},
)

_RUNTIME_FILTER = "spark.sql.optimizer.runtime.bloomFilter"
SPARK_PEERS = (
    SparkSide(
        "spark-rf",
        "Spark alone, its runtime Bloom filter forced on",
        {
            ENABLED_KEY: "false",
            f"{_RUNTIME_FILTER}.enabled": "true",
            f"{_RUNTIME_FILTER}.applicationSideScanSizeThreshold": "1MB",
            f"{_RUNTIME_FILTER}.creationSideThreshold": "1GB",
        },
    ),
    SparkSide(
        "orc-sarg",
        "Spark alone, ORC's own lazy filter on (orc.sarg.to.filter)",
        {ENABLED_KEY: "false", "orc.sarg.to.filter": "true"},
    ),
)
DUCKDB = "duckdb"
PEERS = (*(side.name for side in SPARK_PEERS), DUCKDB)


@contextmanager
def confs_set(spark: SparkSession, confs: Mapping[str, str]) -> Iterator[None]:
    """Sets runtime confs for the length of a block, and restores them afterwards."""
    before = {key: spark.conf.get(key, None) for key in confs}
    for key, value in confs.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            if old is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, old)


class Meter:
    """Reads a process's counters before and after a run.

    ``store`` returns the requests and bytes that a store has counted, which take precedence over
    the process's own.
    """

    def __init__(self, pid: int, store: Callable[[], tuple[int, int]] | None = None) -> None:
        import psutil

        self._process = psutil.Process(pid)
        self._store = store or (lambda: (0, 0))

    @contextmanager
    def measured(self) -> Iterator[list[Cost]]:
        """Yields a list that receives the :class:`Cost` of the block at its end."""
        taken: list[Cost] = []
        requests, stored = self._store()
        cpu, read, start = self._cpu(), self._read(), time.perf_counter()
        yield taken
        seconds = time.perf_counter() - start
        cpu, after = self._cpu() - cpu, self._read()
        read = None if read is None or after is None else after - read
        more_requests, more_stored = self._store()
        if more_requests > requests:
            read = more_stored - stored
        taken.append(Cost(seconds, cpu, read, more_requests - requests))

    def _cpu(self) -> float:
        times = self._process.cpu_times()
        return float(times.user + times.system)

    def _read(self) -> int | None:
        counters = getattr(self._process, "io_counters", None)
        read = getattr(counters(), "read_chars", None) if counters else None
        return None if read is None else int(read)


def spark_meter(spark: SparkSession, scheme: str) -> Meter:
    """A meter on the session's JVM, and on the slow store if it holds the tables."""
    store = partial(_jvm.store_counters, spark) if scheme == "slow" else None
    return Meter(_jvm.process_id(spark), store)


class Duck:
    """DuckDB over the same Parquet files, in this process."""

    def __init__(self, threads: int) -> None:
        try:
            import duckdb
        except ImportError:
            raise LateBloomError(
                "the peer duckdb is not installed",
                where="this Python's environment",
                fix="pip install 'latebloom[bench]'",
            ) from None
        self.version = str(duckdb.__version__)
        self._connection = duckdb.connect(config={"threads": threads})
        self._meter = Meter(os.getpid())

    def view(self, name: str, path: Path) -> None:
        """Registers a Parquet file, or all of a directory, as ``name``."""
        files = str(path / "**" / "*.parquet") if path.is_dir() else str(path)
        quoted = files.replace("'", "''")
        self._connection.execute(
            f"create or replace view {name} as select * from read_parquet('{quoted}')"
        )

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self._connection.execute(sql).fetchall()

    def run(self, sql: str) -> Cost:
        """Runs a query and discards its rows, in batches, without creating Python values."""
        with self._meter.measured() as taken:
            answer = self._connection.sql(sql)
            for _ in answer.to_arrow_reader() if answer else ():
                pass
        return taken[0]
