# SPDX-License-Identifier: Apache-2.0
"""The jar on Spark's own class path, where its classes share a loader with Spark's."""

from __future__ import annotations

import os
import subprocess
import sys

import latebloom

# A nested payload column goes through Spark's own reader, whose members are not all accessible from
# another loader: it must work from Spark's own as well.
QUERY = """
import sys
import latebloom
from pyspark.sql import SparkSession

jar, file = sys.argv[1:]
builder = SparkSession.builder.master("local[1]")
for key, value in {
    "spark.driver.extraClassPath": jar,
    "spark.driver.memory": "512m",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
}.items():
    builder = builder.config(key, value)
spark = latebloom.configure(builder).getOrCreate()
jvm = spark.sparkContext._jvm
ours = jvm.java.lang.Class.forName("latebloom.LateBloomExtensions")
print("jars", spark.conf.get("spark.jars", "none"))
print("shared", ours.getClassLoader().equals(spark._jsparkSession.getClass().getClassLoader()))
done = latebloom.compare(spark.read.parquet(file).where("id between 7 and 9"), 1)
print("compared", done.equal, done.rows, done.total("rowsFiltered"))
"""


def test_the_scan_works_from_the_class_path(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = tmp_path / "nested.parquet"
    columns = {"id": list(range(100)), "tags": [[str(i), None] for i in range(100)]}
    pq.write_table(pa.table(columns), file)
    command = [sys.executable, "-c", QUERY, str(latebloom.jar_path()), str(file)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["jars none", "shared True", "compared True 3 97"]
