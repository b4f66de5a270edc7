# SPDX-License-Identifier: Apache-2.0
"""Iceberg tables for the suites, written by Iceberg itself, and a session that can read them."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from latebloom._data import Cache

from latebloom_bench.tables._data import size_of
from latebloom_bench.tables._written import Written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_RELEASE = "1.11.0"
_LINES = {"3.5": "3.5_2.12", "4.0": "4.0_2.13", "4.1": "4.1_2.13"}
_CATALOG = "made"


def confs() -> dict[str, str]:
    """The settings with which a session has Iceberg; Spark fetches it when it starts."""
    try:
        line = ".".join(version("pyspark").split(".")[:2])
    except PackageNotFoundError:
        line = ""
    artifact = f"iceberg-spark-runtime-{_LINES.get(line, _LINES['4.1'])}"
    return {
        "spark.jars.packages": f"org.apache.iceberg:{artifact}:{_RELEASE}",
        "spark.sql.extensions": (
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        ),
        f"spark.sql.catalog.{_CATALOG}": "org.apache.iceberg.spark.SparkCatalog",
        f"spark.sql.catalog.{_CATALOG}.type": "hadoop",
    }


@dataclass(frozen=True)
class Icebergs(Written):
    """Tables of Apache Iceberg; position deletes delete rows."""

    def written(self, spark: SparkSession, name: str, parquet: Path, cache: Cache) -> Path:
        """The table, in a folder for all of Iceberg: its metadata name its files with their paths."""
        layout = self.layout(name)
        inside = re.sub(r"\W", "_", str(parquet.parent.relative_to(cache.root)))
        warehouse = cache.root.resolve() / "iceberg"
        known = re.sub(r"\W", "_", f"{name}_of_{parquet.stem}")
        path = warehouse / inside / known
        spark.conf.set(f"spark.sql.catalog.{_CATALOG}.warehouse", str(warehouse))

        def convert(target: Path) -> None:
            # What an interrupted run has left.
            shutil.rmtree(path, ignore_errors=True)
            table = f"{_CATALOG}.{inside}.{known}"
            writer = layout.rows(spark, parquet).writeTo(table).using("iceberg")
            for key, value in (
                ("write.distribution-mode", "none"),
                ("write.delete.mode", "merge-on-read"),
                ("write.parquet.compression-codec", "snappy"),
            ):
                writer = writer.tableProperty(key, value)
            writer.create()
            if layout.deleted:
                spark.sql(f"delete from {table} where {layout.is_deleted()}")
            target.write_text(str(path))

        cache.made(f"iceberg/{inside}-{known}.written", size_of(parquet) * 1.5, convert)
        return path
