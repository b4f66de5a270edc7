# SPDX-License-Identifier: Apache-2.0
"""Calls to the JVM that only the benchmarks make."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from latebloom._jvm import classic, named, query_execution, setting

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def shuffled(df: DataFrame) -> int:
    """Bytes that the shuffles of ``df``'s plan wrote when an action ran it."""
    find = named("py4j.reflection.ReflectionUtil").classForName
    exchange = find("org.apache.spark.sql.execution.exchange.ShuffleExchangeLike")
    return sum(
        int(node.metrics().apply("shuffleBytesWritten").value())
        for node in _nodes(query_execution(df).executedPlan())
        if exchange.isInstance(node)
    )


def planned_joins(df: DataFrame) -> tuple[int, int]:
    """The joins that a query is planned with, before it runs, and how many are by broadcast."""
    nodes = [node.nodeName() for node in _nodes(query_execution(df).executedPlan())]
    joins = [name for name in nodes if name.endswith("Join")]
    return len(joins), sum(name.startswith("Broadcast") for name in joins)


def _nodes(plan: Any) -> Iterator[Any]:
    nodes = named("latebloom.inspect.PlanNodes").all(plan).iterator()
    while nodes.hasNext():
        yield nodes.next()


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
