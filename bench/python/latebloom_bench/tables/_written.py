# SPDX-License-Identifier: Apache-2.0
"""Tables that a table format writes for the suites, from those of a set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from latebloom._data import Cache

from latebloom_bench.tables._data import Data

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Layout:
    """How a table is written.

    Attributes:
        of: the table that it has the rows of; the table itself if empty.
        where: a condition on these rows; empty for all.
        files: how many files it has; 0 for as many as its Parquet file has splits.
        by: the column that its files are ranges of, if their number is given.
        deleted: percent of its rows that are deleted beside its files.
        key: columns whose hash says which rows these are.
    """

    of: str = ""
    where: str = ""
    files: int = 0
    by: str = ""
    deleted: int = 0
    key: str = ""

    def rows(self, spark: SparkSession, parquet: Path) -> DataFrame:
        """The rows of the table, distributed as its files."""
        rows = spark.read.parquet(str(parquet)).where(self.where or "true")
        return rows.repartitionByRange(self.files, self.by) if self.files else rows

    def is_deleted(self) -> str:
        """The condition on rows to delete."""
        return f"pmod(xxhash64({self.key}), 100) < {self.deleted}"


@dataclass(frozen=True)
class Written(ABC):
    """A set of tables, some of them in more than one layout."""

    tables: Data
    layouts: Mapping[str, Layout] = field(default_factory=dict)

    def names(self) -> Iterable[str]:
        """The tables of the set, and those with a layout."""
        return [
            *self.tables.names(),
            *(n for n in self.layouts if n not in self.tables.names()),
        ]

    def table(self, name: str, scale: float, cache: Cache) -> Path:
        """The Parquet file of the rows."""
        return self.tables.table(self.layout(name).of or name, scale, cache)

    def layout(self, name: str) -> Layout:
        """How a table of the set is written."""
        return self.layouts.get(name, Layout())

    @abstractmethod
    def written(self, spark: SparkSession, name: str, parquet: Path, cache: Cache) -> Path:
        """The table as the table format writes it, from its rows."""
