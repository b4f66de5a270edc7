# SPDX-License-Identifier: Apache-2.0
"""A local session for the command line: quiet, without ports open to others."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from latebloom import _jvm
from latebloom._configure import configure
from latebloom._errors import LateBloomError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def local_session(
    name: str,
    *,
    master: str = "local[*]",
    memory: str = "4g",
    confs: Mapping[str, str] | None = None,
    latebloom: bool = True,
) -> Iterator[SparkSession]:
    """A session, with LateBloom unless excluded, for the length of the block."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise LateBloomError(
            "pyspark is not installed",
            where="this Python's environment",
            fix="pip install 'latebloom[spark]'",
        ) from None

    builder = SparkSession.builder.appName(f"latebloom {name}").master(master)
    builder = builder.config("spark.driver.memory", memory)
    builder = builder.config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    # Spark's 200 suit a cluster: here they would cost more than a small query.
    builder = builder.config("spark.sql.shuffle.partitions", "4")
    for key, value in (confs or {}).items():
        builder = builder.config(key, value)
    if latebloom:
        configure(builder)
    interrupt = signal.getsignal(signal.SIGINT)
    spark = _started(builder, f"the session's settings (master {master}, memory {memory})")
    try:
        # Failures are raised here with their reasons: the log would repeat them with stack traces.
        spark.sparkContext.setLogLevel("FATAL")
        yield spark
    finally:
        spark.stop()
        # PySpark's own handler cancels jobs through the session, which no longer exists.
        signal.signal(signal.SIGINT, interrupt)


def _started(builder: SparkSession.Builder, where: str) -> SparkSession:
    try:
        # PySpark hangs on a session with a setting that Spark cannot read.
        refused = _jvm.malformed(getattr(builder, "_options"))  # noqa: B009
        if refused is None:
            return builder.getOrCreate()
    except Exception as error:
        if _jvm.has_ended(error):
            raise LateBloomError(
                "the JVM ended while it started the session",
                where=where,
                fix="mend what it printed above, such as a local directory that it cannot write "
                "(SPARK_LOCAL_DIRS)",
            ) from None
        refused = _jvm.failure(error)
        if refused is None:
            raise
    raise LateBloomError(refused, where=where, fix="correct the master, the memory or the --conf")


def parquet_view(spark: SparkSession, name: str, path: str | Path) -> None:
    """Registers the Parquet file or directory at ``path`` as the view ``name``."""
    view(spark, name, str(path), "parquet")


def view(spark: SparkSession, name: str, path: str, source: str = "") -> None:
    """Registers the file or directory at ``path``, of the format ``source``, as the view ``name``.

    Without a format it follows from the path: directories with a ``_delta_log`` are Delta Lake, those
    with Iceberg's metadata Iceberg, ``.orc``, ``.csv`` and ``.json`` files what they say, anything else
    Parquet.
    """
    spark.read.format(source or _source(path)).load(path).createOrReplaceTempView(name)


# The first of which a directory has a file says what it is.
_SUFFIXES = {".parquet": "parquet", ".orc": "orc", ".csv": "csv", ".json": "json"}


def _source(path: str) -> str:
    directory = Path(path)
    if (directory / "_delta_log").is_dir():
        return "delta"
    if any(directory.glob("metadata/*.metadata.json")):
        return "iceberg"
    if not directory.is_dir():
        return _SUFFIXES.get(directory.suffix, "parquet")
    for suffix, source in _SUFFIXES.items():
        if any(directory.rglob(f"*{suffix}")):
            return source
    return "parquet"
