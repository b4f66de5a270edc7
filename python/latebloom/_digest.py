# SPDX-License-Identifier: Apache-2.0
"""A result's fingerprint: its rows as a multiset, computed inside Spark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from latebloom import _asking

if TYPE_CHECKING:
    from types import ModuleType

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType


@dataclass(frozen=True)
class Digest:
    """Row count and two order-free sums over a 64-bit hash of each row."""

    rows: int
    high: int
    low: int

    def __str__(self) -> str:
        return f"{self.rows} rows, {self.high & (2**64 - 1):016x}{self.low & (2**64 - 1):016x}"


def digest_query(df: DataFrame, *, approximate: bool = False) -> DataFrame:
    """The one-row query whose result :func:`to_digest` reads.

    Every column takes part, nested ones included; NaN equals NaN and -0.0 equals 0.0 in columns of
    a floating type, as in Spark's own comparisons. ``approximate`` keeps ten significant digits of
    these: a sum of doubles differs in its last bits with the order in which tasks finish.
    """
    F = _asking.of(df.sparkSession).functions()
    positional = df.toDF(*(f"c{i}" for i in range(len(df.columns))))
    parts = [
        part
        for field in positional.schema.fields
        for part in _hashed(F, F.col(field.name), field.dataType, approximate)
    ]
    row = F.xxhash64(*parts) if parts else F.lit(0).cast("bigint")
    hashed = positional.select(row.alias("h"))
    # Signed halves: their sums stay near zero, so that ANSI arithmetic does not overflow.
    high = F.shiftright("h", 32)
    low = F.col("h").bitwiseAND(0xFFFFFFFF) - F.lit(2**31)
    return hashed.agg(F.count(F.lit(1)), F.sum(high), F.sum(low))


def to_digest(run: DataFrame) -> Digest:
    """Runs a :func:`digest_query`."""
    rows, high, low = run.collect()[0]
    return Digest(rows, high or 0, low or 0)


def has_floating_column(df: DataFrame) -> bool:
    """Whether ``approximate`` makes a difference for ``df``."""
    return any(_is_floating(field.dataType) for field in df.schema.fields)


def _hashed(F: ModuleType, column: Column, kind: DataType, approximate: bool) -> list[Column]:
    # xxhash64 ignores nulls: without the flag (null, 1) and (1, null) would be the same row.
    absent = column.isNull()
    # By name: PySpark 3.5 has no variant.
    if kind.typeName() in ("array", "map", "struct", "variant"):
        # As text: a map has no hash, and xxhash64 would ignore nulls inside.
        return [column.cast("string"), absent]
    if approximate and _is_floating(kind):
        return [F.format_string("%.9e", (column + F.lit(0.0)).cast("double")), absent]
    return [column, absent]


def _is_floating(kind: DataType) -> bool:
    from pyspark.sql.types import DoubleType, FloatType

    return isinstance(kind, (DoubleType, FloatType))
