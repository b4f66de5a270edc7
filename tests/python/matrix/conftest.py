# SPDX-License-Identifier: Apache-2.0
"""The sessions and files that the differential tests share."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import _files
import latebloom
import pytest
from _pair import Pair
from pyspark.sql import SparkSession

FilesOf = Callable[[_files.Variant, str], Path]

# What makes many queries of few rows cheaper: see ShortQueries in jvm/testkit.
_SHORT_QUERIES = {
    "spark.sql.artifact.isolation.enabled": "false",
    "spark.sql.ui.explainMode": "simple",
    "spark.broadcast.blockSize": "64k",
    "spark.buffer.pageSize": "128k",
    "spark.broadcast.checksum": "false",
    "spark.broadcast.compress": "false",
    "spark.shuffle.compress": "false",
}


@pytest.fixture(scope="session")
def matrix_spark(tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    """One application with the extension attached as users attach it, through ``spark.jars``."""
    # Spark's Python side logs each error that a query ends with, and many of ours must end with one.
    logging.getLogger("SQLQueryContextLogger").disabled = True
    return (
        SparkSession.builder.master("local[2]")
        .appName("matrix")
        .config(map=_SHORT_QUERIES)
        .config("spark.jars", str(latebloom.jar_path()))
        .config("spark.sql.extensions", "latebloom.LateBloomExtensions")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "2g")
        # The same queries come again over each variant: keep what was compiled for them, and
        # compile quickly rather than well, as each runs for milliseconds.
        .config("spark.sql.codegen.cache.maxEntries", "5000")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .config("spark.sql.shuffle.partitions", "2")
        # A damaged file can run Spark's own reader out of memory, which must not end the JVM.
        .config("spark.executor.killOnFatalError.depth", "0")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "OFF")
        .getOrCreate()
    )


@pytest.fixture(scope="session")
def files_of(matrix_spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> FilesOf:
    """Where a variant's files are; written when first asked for."""
    root = tmp_path_factory.mktemp("matrix")
    written: dict[tuple[str, str], Path] = {}

    def folder(variant: _files.Variant, table: str) -> Path:
        key = (table, variant.name)
        if key not in written:
            path = root / table / variant.name
            variant.write(matrix_spark, path)
            written[key] = path
        return written[key]

    return folder


@pytest.fixture
def pair_of(matrix_spark: SparkSession) -> Callable[..., Pair]:
    """Makes a pair of sessions, off and on, with more confs."""
    return lambda confs=None: Pair.of(matrix_spark, confs)
