# SPDX-License-Identifier: Apache-2.0
"""A session and its first query, in a process of its own: prints its seconds and its answer.

Its arguments: ``latebloom`` or another word, a Parquet file, and a query of the view ``lineitem`` that
gives a number.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence

WITH = "latebloom"


def main(arguments: Sequence[str]) -> None:
    """Runs it."""
    side, path, query = arguments
    start = time.perf_counter()
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("first query").master("local[2]")
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    if side == WITH:
        import latebloom

        latebloom.configure(builder)
    spark = builder.getOrCreate()
    spark.read.parquet(path).createOrReplaceTempView("lineitem")
    rows = spark.sql(query).collect()[0][0]
    print(json.dumps([time.perf_counter() - start, rows]))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
