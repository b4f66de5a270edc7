# SPDX-License-Identifier: Apache-2.0
"""What Spark planned a query with, beside what came when it ran."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import latebloom

from latebloom_bench._jvm import planned_joins

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Estimates:
    """One query's plan, made after the same query has run.

    Attributes:
        joins: before it runs.
        broadcasts: those of them that broadcast a side.
        filtered: scans with a condition of their own.
        q_errors: of each of those whose rows were known and that no join filter thins out: the rows
            planned with over the rows that came, or the other way round, whichever is larger.
    """

    joins: int = 0
    broadcasts: int = 0
    filtered: int = 0
    q_errors: tuple[float, ...] = ()


def estimates(spark: SparkSession, sql: str) -> Estimates:
    """Plans a query, and runs it once more if rows were known, to see what its scans return."""
    df = spark.sql(sql)
    joins, broadcasts = planned_joins(df)
    scans = [scan for scan in latebloom.explain(df).scans if scan.scan_filters]
    known = any(scan.planned is not None for scan in scans)
    return Estimates(
        joins,
        broadcasts,
        len(scans),
        tuple(
            _q_error(ran.scan.planned, ran.metric("numOutputRows"))
            for ran in (latebloom.profile(df).scans if known else ())
            if ran.scan.planned is not None and not ran.scan.join_filters
        ),
    )


def _q_error(planned: int, came: int) -> float:
    one, other = max(planned, 1), max(came, 1)
    return max(one / other, other / one)


def told(pairs: Sequence[tuple[Estimates, Estimates]]) -> str:
    """The difference of two sides' plans, a pair a query, in sentences; empty without any."""
    if not pairs:
        return ""
    base, subject = zip(*pairs)
    more = [other.broadcasts - one.broadcasts for one, other in pairs]
    errors = [error for of in subject for error in of.q_errors]
    median = f"{statistics.median(errors):.2f}" if errors else "unknown"
    return (
        f"Of {sum(of.joins for of in subject):,} joins {sum(of.broadcasts for of in subject):,} are "
        f"planned with a broadcast, {sum(of.broadcasts for of in base):,} of "
        f"{sum(of.joins for of in base):,} on the baseline's side: more of them in "
        f"{sum(n > 0 for n in more)} queries, fewer in {sum(n < 0 for n in more)}. Of "
        f"{sum(of.filtered for of in subject):,} scans with a condition the rows were known before "
        f"for {len(errors):,} without a join filter, with a median q-error of {median}."
    )
