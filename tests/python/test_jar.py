# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import subprocess
import sys

import latebloom
import pytest
from latebloom import _jar, _versions


@pytest.fixture
def jars(monkeypatch, tmp_path):
    """A package with a jar, an empty one, for each line."""
    for build in _versions.BUILDS:
        (tmp_path / f"latebloom-spark-{build.spark}_{build.scala}-1.0.jar").touch()
    monkeypatch.setattr(_jar, "_JARS", tmp_path)


@pytest.mark.usefixtures("jars")
@pytest.mark.parametrize("build", _versions.BUILDS, ids=str)
def test_each_line_and_each_scala_of_it_has_its_jar(build):
    name = f"latebloom-spark-{build.spark}_{build.scala}-1.0.jar"
    assert latebloom.jar_path(build.spark, build.scala).name == name
    assert latebloom.jar_path(build.spark + ".9", build.scala + ".18").name == name
    assert _jar.build_of(name) == build


@pytest.mark.usefixtures("jars")
def test_the_scala_is_that_of_pyspark_unless_another_is_asked_for():
    assert latebloom.jar_path("3.5").name == "latebloom-spark-3.5_2.12-1.0.jar"
    assert latebloom.jar_path("4.3").name == "latebloom-spark-4.3_2.13-1.0.jar"


@pytest.mark.usefixtures("jars")
def test_a_line_or_scala_without_a_jar_is_refused_by_name():
    with pytest.raises(latebloom.SparkVersionError, match=r"found 3\.4"):
        latebloom.jar_path("3.4")
    with pytest.raises(latebloom.ScalaVersionError, match=r"needs Scala 2\.13, found Scala 2\.12"):
        latebloom.jar_path("4.0", "2.12")


@pytest.mark.usefixtures("jars")
def test_by_default_it_is_the_jar_for_the_spark_at_hand(monkeypatch, tmp_path):
    home = tmp_path / "home"
    (home / "jars").mkdir(parents=True)
    (home / "jars" / "spark-core_2.13-3.5.9.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(home))
    assert latebloom.jar_path().name == "latebloom-spark-3.5_2.13-1.0.jar"


def test_a_jar_that_was_not_built_is_an_error_that_names_its_line(monkeypatch, tmp_path):
    monkeypatch.setattr(_jar, "_JARS", tmp_path)
    with pytest.raises(latebloom.JarNotFoundError, match=r"Spark 3\.5, Scala 2\.13") as error:
        latebloom.jar_path("3.5", "2.13")
    assert "./dev/sbt --spark 3.5 --scala 2.13 package" in error.value.fix


# The jar on Spark's own class path, where its classes share a loader with Spark's. A nested payload column goes through Spark's own reader, whose members are not all accessible from
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
