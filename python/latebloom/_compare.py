# SPDX-License-Identifier: Apache-2.0
"""The same query off and on: is the answer the same, and what did it cost?"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from latebloom import _asking
from latebloom._digest import Digest, digest_query, has_floating_column, to_digest
from latebloom._render import amount, html_text, seconds, table
from latebloom._session import disabled, enabled, require_extension, without_cache

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DEFAULT_RUNS = 3

_Side = TypeVar("_Side")

# Of the metrics that are not counts.
_KINDS = {
    **dict.fromkeys(("bytesFetched", "bytesAvoided", "peakMemory", "filesSize"), "size"),
    **dict.fromkeys(("metadataTime", "pruningTime", "scanTime"), "timing"),
    **dict.fromkeys(("fetchTime", "filterTime", "payloadTime"), "nsTiming"),
}


@dataclass(frozen=True)
class Times:
    """Wall-clock seconds of each run, in the order of the runs."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median in seconds."""
        return statistics.median(self.seconds)

    @property
    def min(self) -> float:
        """Fastest run in seconds."""
        return min(self.seconds)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and dicts, ready for JSON."""
        return {"seconds": list(self.seconds), "median": self.median, "min": self.min}


@dataclass(frozen=True)
class ScanMetrics:
    """Metrics of one LateScan by key, in Spark's units: counts, bytes, milliseconds, nanoseconds."""

    node: str
    values: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and dicts, ready for JSON."""
        return {"node": self.node, **self.values}


@dataclass(frozen=True)
class Comparison:
    """One query run with LateBloom off and on.

    Attributes:
        equal: the same rows, in any order.
        rounded: equal only once floating-point columns were rounded to ten digits.
        off_digest: row count and digest of Spark's own answer.
        on_digest: row count and digest of the answer with LateBloom.
        off: times of Spark alone; result rows go to Spark's ``noop`` sink.
        on: times with LateBloom.
        scans: metrics of each LateScan in the run with LateBloom; empty if there was none.
    """

    equal: bool
    rounded: bool
    off_digest: Digest
    on_digest: Digest
    off: Times
    on: Times
    scans: tuple[ScanMetrics, ...]

    @property
    def rows(self) -> int:
        """Row count of Spark's own answer."""
        return self.off_digest.rows

    @property
    def speedup(self) -> float:
        """Median time off over median time on: above 1 LateBloom was faster."""
        return self.off.median / self.on.median

    def total(self, metric: str) -> int:
        """A metric summed over the scans, 0 if none has it."""
        return sum(scan.values.get(metric, 0) for scan in self.scans)

    def __str__(self) -> str:
        answer = f"equal, {self.rows} rows" if self.equal else "DIFFERENT"
        if self.equal and self.rounded:
            answer += " (floating-point columns to ten digits)"
        if not self.equal:
            answer += f"\n    off: {self.off_digest}\n    on:  {self.on_digest}"
        times = table(
            ("", "median", "min", "runs"),
            [
                (name, seconds(t.median), seconds(t.min), str(len(t.seconds)))
                for name, t in (("off", self.off), ("on", self.on))
            ],
            right=(1, 2, 3),
        )
        lines = [f"answer:   {answer}", f"speed-up: {self.speedup:.2f}x", times]
        for scan in self.scans:
            counted = [(k, amount(v, _KINDS.get(k, "sum"))) for k, v in scan.values.items() if v]
            lines += ["", table((scan.node, "value"), counted, right=(1,))]
        if not self.scans:
            lines += ["", "no LateScan in the plan: latebloom.explain(df) says why"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and dicts, ready for JSON."""
        return {
            "equal": self.equal,
            "rounded": self.rounded,
            "rows": self.rows,
            "speedup": self.speedup,
            "off": {"digest": str(self.off_digest), **self.off.to_dict()},
            "on": {"digest": str(self.on_digest), **self.on.to_dict()},
            "scans": [scan.to_dict() for scan in self.scans],
        }


def compare(df: DataFrame, runs: int = DEFAULT_RUNS) -> Comparison:
    """Runs ``df`` with LateBloom off and on, and compares answers and times.

    First both answers are digested inside Spark (which also warms up both sides), then each side is
    timed ``runs`` times, alternating, with the results going to Spark's ``noop`` sink. Each run is as
    a first one: it uses nothing that earlier queries found (see :func:`latebloom.cache`). The order
    of rows is not compared. A query with an undetermined answer (``LIMIT`` without ``ORDER BY``,
    ``rand()``) may differ from run to run with or without LateBloom. Over Spark Connect the metrics
    of the scans are those of one run more.

    Raises:
        ValueError: ``runs`` is below one.
        ExtensionNotLoadedError: the session runs without the extension.
        UnsupportedSessionError: the session is neither of a local JVM nor of Spark Connect; nothing
            is run then.
    """
    if runs < 1:
        raise ValueError(f"runs is {runs}: at least one run is needed to compare times")
    spark = df.sparkSession
    require_extension(spark)
    _asking.of(spark).require(spark)
    with without_cache(spark):
        return _compared(df, runs)


def _compared(df: DataFrame, runs: int) -> Comparison:
    spark = df.sparkSession
    with disabled(spark):
        off_digest = to_digest(digest_query(df))
    with enabled(spark):
        digested = digest_query(df)
        on_digest = to_digest(digested)
        scans = tuple(map(_scan_metrics, json.loads(_asking.of(spark).metrics(digested))))

    equal = off_digest == on_digest
    rounded = not equal and off_digest.rows == on_digest.rows and has_floating_column(df)
    if rounded:
        with disabled(spark):
            off_digest = to_digest(digest_query(df, approximate=True))
        with enabled(spark):
            on_digest = to_digest(digest_query(df, approximate=True))
        equal = off_digest == on_digest

    off, on = _times(df, runs)
    return Comparison(equal, rounded, off_digest, on_digest, off, on, scans)


def in_turns(sides: Sequence[_Side], rounds: int) -> Iterator[_Side]:
    """Every side once a round. Who went last goes first next, so that none always finds warm caches."""
    order = list(sides)
    for _ in range(rounds):
        yield from order
        order.reverse()


def _times(df: DataFrame, runs: int) -> tuple[Times, Times]:
    off: list[float] = []
    on: list[float] = []
    sides = [(disabled, off), (enabled, on)]
    for switch, taken in in_turns(sides, runs):
        with switch(df.sparkSession):
            start = time.perf_counter()
            df.write.format("noop").mode("overwrite").save()
            taken.append(time.perf_counter() - start)
    return Times(tuple(off)), Times(tuple(on))


def _scan_metrics(scan: dict[str, Any]) -> ScanMetrics:
    return ScanMetrics(scan["node"], {key: int(v) for key, v in scan.items() if key != "node"})
