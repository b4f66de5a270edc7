# SPDX-License-Identifier: Apache-2.0
"""Delta tables for the suites, written by Delta Lake itself, and a session that can read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from latebloom._data import Cache

from latebloom_bench._data import Data, size_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The release that the tests use for each line of Spark that has one (project/SparkLine.scala).
_RELEASES = {
    "3.5": "io.delta:delta-spark_2.12:3.3.3",
    **{line: f"io.delta:delta-spark_{line}_2.13:4.4.0" for line in ("4.0", "4.1", "4.2")},
}


def confs() -> dict[str, str]:
    """The settings with which a session has Delta Lake; Spark fetches it when it starts."""
    try:
        line = ".".join(version("pyspark").split(".")[:2])
    except PackageNotFoundError:
        line = ""
    return {
        "spark.jars.packages": _RELEASES.get(line, _RELEASES["4.1"]),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        # Statistics of all columns that a query may filter by.
        "spark.databricks.delta.properties.defaults.dataSkippingNumIndexedCols": "32",
    }


@dataclass(frozen=True)
class Layout:
    """How a table is written.

    Attributes:
        of: the table that it has the rows of; the table itself if empty.
        where: a condition on these rows; empty for all.
        files: how many files it has; 0 for as many as its Parquet file has splits.
        by: the column that its files are ranges of, if their number is given.
        deleted: percent of its rows that deletion vectors delete.
        key: columns whose hash says which rows these are.
    """

    of: str = ""
    where: str = ""
    files: int = 0
    by: str = ""
    deleted: int = 0
    key: str = ""


@dataclass(frozen=True)
class Deltas:
    """A set of tables, some of them in more than one layout."""

    tables: Data
    layouts: Mapping[str, Layout] = field(default_factory=dict)

    def names(self) -> Iterable[str]:
        """The tables of the set, and those with a layout."""
        return [*self.tables.names(), *(n for n in self.layouts if n not in self.tables.names())]

    def table(self, name: str, scale: float, cache: Cache) -> Path:
        """The Parquet file of the rows."""
        return self.tables.table(self._layout(name).of or name, scale, cache)

    def as_delta(self, spark: SparkSession, name: str, parquet: Path, cache: Cache) -> Path:
        """The table as Delta Lake writes it, beside the Parquet one."""
        layout = self._layout(name)
        inside = parquet.parent.relative_to(cache.root)

        def convert(target: Path) -> None:
            rows = spark.read.parquet(str(parquet)).where(layout.where or "true")
            if layout.files:
                rows = rows.repartitionByRange(layout.files, layout.by)
            written = rows.write.format("delta")
            if layout.deleted:
                written = written.option("delta.enableDeletionVectors", "true")
            written.save(str(target))
            if layout.deleted:
                spark.sql(
                    f"delete from delta.`{target}`"
                    f" where pmod(xxhash64({layout.key}), 100) < {layout.deleted}"
                )

        return cache.made(
            f"{inside}/{name}-of-{parquet.stem}.delta", size_of(parquet) * 1.5, convert
        )

    def _layout(self, name: str) -> Layout:
        return self.layouts.get(name, Layout())
