# SPDX-License-Identifier: Apache-2.0
"""Compares answers: exactly between Sparks, by rounded aggregates across engines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Engines round averages and quotients of decimals at different places.
_TOLERANCE = 1e-4

Summary = Sequence[Any]


def summary_sql(df: DataFrame, sql: str) -> str:
    """A query, in SQL of both engines, for the row count and one figure per column.

    The figure is the sum of numbers, the sum of the lengths of strings, or else the number of
    non-null values.
    """
    from pyspark.sql.types import NumericType, StringType

    figures = ["count(*)"]
    for i, column in enumerate(df.schema.fields):
        if isinstance(column.dataType, NumericType):
            figures.append(f"sum(cast(c{i} as double))")
        elif isinstance(column.dataType, StringType):
            figures.append(f"sum(length(c{i}))")
        else:
            figures.append(f"count(c{i})")
    names = ", ".join(f"c{i}" for i in range(len(df.columns)))
    return f"select {', '.join(figures)} from ({sql}) as answer({names})"


def alike(one: Summary, other: Summary) -> bool:
    """Whether two summaries agree within the tolerance."""
    return len(one) == len(other) and all(map(_close, one, other))


def _close(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    a, b = float(one), float(other)
    return (math.isnan(a) and math.isnan(b)) or math.isclose(
        a, b, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE
    )
