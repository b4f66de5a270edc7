# SPDX-License-Identifier: Apache-2.0
"""Delta tables for the suites, written by Delta Lake itself, and a session that can read them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from latebloom._data import Cache

from latebloom_bench.tables._data import size_of
from latebloom_bench.tables._written import Written

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
class Deltas(Written):
    """Tables of Delta Lake; deletion vectors delete rows."""

    def written(self, spark: SparkSession, name: str, parquet: Path, cache: Cache) -> Path:
        """The table beside the Parquet file."""
        layout = self.layout(name)
        inside = parquet.parent.relative_to(cache.root)

        def convert(target: Path) -> None:
            written = layout.rows(spark, parquet).write.format("delta")
            if layout.deleted:
                written = written.option("delta.enableDeletionVectors", "true")
            written.save(str(target))
            if layout.deleted:
                spark.sql(f"delete from delta.`{target}` where {layout.is_deleted()}")

        return cache.made(
            f"{inside}/{name}-of-{parquet.stem}.delta", size_of(parquet) * 1.5, convert
        )
