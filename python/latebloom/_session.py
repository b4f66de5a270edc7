# SPDX-License-Identifier: Apache-2.0
"""The master switch of a running session, for the length of a block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from latebloom import _asking, _versions
from latebloom._errors import ExtensionNotLoadedError
from latebloom._names import ENABLED_KEY, EXTENSION, EXTENSIONS_KEY, NOTHING_REMEMBERED, split

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def enabled(spark: SparkSession) -> Iterator[SparkSession]:
    """Plans with LateBloom within the block, and restores the switch afterwards.

    A plan keeps its choice: only DataFrames that are run or explained for the first time within the
    block are planned anew.

    Raises:
        ExtensionNotLoadedError: the session runs without the extension.
        SparkVersionError: the session's Spark is unsupported, or its jar is for another Spark.
        JarNotFoundError: the session names the extension, but runs without its jar.
    """
    with _switched(spark, "true"):
        yield spark


@contextmanager
def disabled(spark: SparkSession) -> Iterator[SparkSession]:
    """Plans as Spark alone does within the block, and restores the switch afterwards.

    See :func:`enabled`.
    """
    with _switched(spark, "false"):
        yield spark


def require_extension(spark: SparkSession) -> None:
    """Raises unless the session was built with LateBloom in a supported Spark.

    Raises:
        ExtensionNotLoadedError: the session does not name the extension.
        SparkVersionError: the session's Spark is unsupported, or its jar is for another Spark.
        JarNotFoundError: the session names the extension, but its JVM did not find the class, or
            its server does not know the SQL functions.

    Warns:
        UserWarning: once a session, if its JVM, or its Spark Connect server, has another version of
            LateBloom.
    """
    registered = spark.conf.get(EXTENSIONS_KEY, "") or ""
    if EXTENSION not in split(registered):
        raise ExtensionNotLoadedError(
            "this session runs without LateBloom",
            where=f"{EXTENSIONS_KEY} = {registered!r}",
            fix=_asking.of(spark).ATTACH,
        )
    _versions.check_spark(spark.version, where="the session")
    _asking.require(spark)


@contextmanager
def without_cache(spark: SparkSession) -> Iterator[None]:
    """Uses nothing within the block that earlier queries found, so that each run is a first one."""
    with ExitStack() as stack:
        for key, value in NOTHING_REMEMBERED.items():
            stack.enter_context(_set(spark, key, value))
        yield


@contextmanager
def _switched(spark: SparkSession, value: str) -> Iterator[None]:
    require_extension(spark)
    with _set(spark, ENABLED_KEY, value):
        yield


@contextmanager
def _set(spark: SparkSession, key: str, value: str) -> Iterator[None]:
    # None if the session does not set it: then the block's end must unset it again.
    before = spark.conf.get(key, None)
    spark.conf.set(key, value)
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(key)
        else:
            spark.conf.set(key, before)
