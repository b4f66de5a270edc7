# SPDX-License-Identifier: Apache-2.0
"""Calls to the JVM that only the benchmarks make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from latebloom._jvm import classic, named, query_execution, setting

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def shuffled(df: DataFrame) -> int:
    """Bytes that the shuffles of ``df``'s plan wrote when an action ran it."""
    find = named("py4j.reflection.ReflectionUtil").classForName
    exchange = find("org.apache.spark.sql.execution.exchange.ShuffleExchangeLike")
    nodes = named("latebloom.inspect.PlanNodes").all(query_execution(df).executedPlan()).iterator()
    written = 0
    while nodes.hasNext():
        node = nodes.next()
        if exchange.isInstance(node):
            written += int(node.metrics().apply("shuffleBytesWritten").value())
    return written


def drain(df: DataFrame) -> None:
    """Runs a query and counts its rows, without a sink."""
    query_execution(df).toRdd().count()


def plan(df: DataFrame) -> None:
    """Plans a query, as ``EXPLAIN`` would, and does not run it."""
    query_execution(df).executedPlan()


def process_id(spark: SparkSession) -> int:
    """The process ID of the session's JVM."""
    classic(spark)
    return int(named("java.lang.ProcessHandle").current().pid())


def store_counters(spark: SparkSession) -> tuple[int, int]:
    """Requests and bytes counted so far by the test kit's slow file system."""
    classic(spark)
    store = named("latebloom.testkit.SlowFileSystem")
    return int(store.requests()), int(store.bytes())


def is_function(name: str) -> bool:
    """Whether a class that the JVM finds is a function of one argument, as extensions are."""
    find = named("py4j.reflection.ReflectionUtil").classForName
    return bool(find("scala.Function1").isAssignableFrom(find(name)))


def is_registered(key: str) -> bool:
    """Whether Spark, or an extension through Spark, has registered a setting of that name."""
    return setting(key) is not None
