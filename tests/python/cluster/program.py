# SPDX-License-Identifier: Apache-2.0
"""Asks a query with LateBloom off and on: ``program.py TABLES QUERY [--idle]``.

Prints a line of JSON: the rows ``off`` and ``on``, the ``plan`` that ran with LateBloom, and how many
executors the application had (``executors``) and lost (``lost``). With ``--idle`` all executors leave
between the two: dynamic allocation takes them away, and starts others.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from pyspark.sql import SparkSession


def executors(spark: SparkSession, *, alive: bool) -> int:
    """How many executors run, or have run so far. The driver is one of those that are listed."""
    return spark.sparkContext._jsc.sc().statusStore().executorList(alive).size() - 1


def answer(spark: SparkSession, query: str, *, enabled: bool) -> tuple[list[list[Any]], str]:
    """The rows of a query, and the plan that gave them."""
    spark.conf.set("spark.latebloom.enabled", str(enabled).lower())
    df = spark.sql(query)
    rows = [list(row) for row in df.collect()]
    return rows, df._jdf.queryExecution().executedPlan().toString()


def main(tables: str, query: str, *options: str) -> None:
    """Prints what came of the query."""
    spark = SparkSession.builder.getOrCreate()
    for name in ("fact", "dim"):
        spark.read.parquet(f"{tables}/{name}").createOrReplaceTempView(name)
    off, _ = answer(spark, query, enabled=False)
    end = time.monotonic() + 60
    while "--idle" in options and executors(spark, alive=True):
        if time.monotonic() > end:
            sys.exit("the executors do not leave")
        time.sleep(0.1)
    on, plan = answer(spark, query, enabled=True)
    known = executors(spark, alive=False)
    lost = known - executors(spark, alive=True)
    print(json.dumps({"off": off, "on": on, "plan": plan, "executors": known, "lost": lost}))


if __name__ == "__main__":
    main(*sys.argv[1:])
