# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
from pathlib import Path

import latebloom
import pytest
from latebloom import _jvm, _versions

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(monkeypatch, tmp_path, no_pyspark_environment):
    """An empty Spark."""
    (tmp_path / "jars").mkdir()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("jar", "spark", "scala"),
    [
        ("spark-core_2.13-4.1.3.jar", "4.1.3", "2.13"),
        ("spark-core_2.12-3.5.7.jar", "3.5.7", "2.12"),
        ("spark-core_2.13-4.2.0-preview1.jar", "4.2.0-preview1", "2.13"),
        ("spark-core_2.13-4.1.0-amzn-0.jar", "4.1.0-amzn-0", "2.13"),
    ],
)
def test_versions_are_those_that_the_core_jar_is_named_after(home, jar, spark, scala):
    (home / "jars" / jar).touch()
    (home / "jars" / "spark-sql_2.12-1.0.0.jar").touch()
    assert _versions.spark_installation() == _versions.SparkInstallation(home, spark, scala)


def test_a_home_without_a_core_jar_is_no_spark(home):
    assert _versions.spark_installation() is None
    (home / "jars" / "spark-core_2.13.jar").touch()
    assert _versions.spark_installation() is None


def test_without_spark_home_it_is_the_spark_inside_pyspark(monkeypatch, no_pyspark_environment):
    import pyspark

    assert _versions.spark_home() == Path(pyspark.__file__).parent
    assert _versions.spark_installation().spark == pyspark.__version__
    monkeypatch.setattr(_versions.importlib.util, "find_spec", lambda name: None)
    assert _versions.spark_home() is None
    assert _versions.spark_installation() is None


@pytest.mark.parametrize("spark", ["4.1", "4.1.0", "4.1.3", "4.1.0-amzn-0"])
def test_every_release_of_the_line_will_do(spark):
    build = _versions.Build("4.1", "2.13")
    assert _versions.check(spark, "2.13", where="here") == build
    assert _versions.check(spark, "2.13.17", where="here") == build


@pytest.mark.parametrize("spark", ["4", "4.4.0", "4.10.0", "4.11", "14.1.0", "3.4.4", ""])
def test_another_line_of_spark_is_refused_by_name(spark):
    with pytest.raises(latebloom.SparkVersionError, match=f"found {spark}") as error:
        _versions.check_spark(spark, where="here")
    assert error.value.where == "here"


@pytest.mark.parametrize("scala", ["2.12", "2.1", "3.3.6", "2.130"])
def test_another_scala_is_refused_by_name(scala):
    with pytest.raises(latebloom.ScalaVersionError, match=f"needs Scala 2.13, found Scala {scala}"):
        _versions.check("4.1.3", scala, where="here")


def test_the_message_lists_all_lines_and_all_scalas_of_a_line():
    with pytest.raises(latebloom.SparkVersionError, match=r"needs Spark 3\.5, 4\.0, .* or 4\.\d"):
        _versions.check_spark("3.4.4", where="here")
    with pytest.raises(latebloom.ScalaVersionError, match=r"Spark 3\.5 .* Scala 2\.12 or 2\.13,"):
        _versions.check("3.5.9", "3.3", where="here")


def test_the_builds_are_those_that_the_build_of_the_jars_lists():
    listed = (ROOT / "project" / "SparkLine.scala").read_text()
    found = re.findall(r'SparkLine\("([\d.]+)", "[\d.]+", "(\d+\.\d+)\.\d+"', listed)
    assert tuple(_versions.Build(*line) for line in found) == _versions.BUILDS


def test_without_a_spark_the_build_is_that_of_the_newest_line(monkeypatch):
    monkeypatch.setattr(_versions, "spark_installation", lambda: None)
    assert _versions.build_at_hand() == max(
        _versions.BUILDS, key=lambda build: [int(part) for part in build.spark.split(".")]
    )


def test_the_jvm_side_says_the_same_of_the_line(spark):
    built = spark.sparkContext._jvm.latebloom.BuiltFor
    installed = _versions.spark_installation()
    assert _versions.Build(built.spark(), built.scala()) == _versions.build_at_hand()
    assert _versions.build_at_hand().fits(installed.spark, installed.scala)
    _jvm.require_line()


def test_a_jar_that_the_jvm_has_loaded_for_another_line_is_refused(spark, monkeypatch):
    here = _versions.build_at_hand()
    monkeypatch.setattr(_versions.Build, "fits", lambda *_: False)
    monkeypatch.setattr(_versions, "check", lambda *_, **__: here)
    with pytest.raises(
        latebloom.SparkVersionError, match=f"jar for {here}, and is a Spark"
    ) as error:
        _jvm.require_line()
    assert f"latebloom jar --spark {here.spark} --scala {here.scala}" in error.value.fix


@pytest.mark.parametrize(
    ("package", "jar"),
    [("0.1.0.dev0", "0.1.0-SNAPSHOT"), ("1.2.0", "1.2.0"), ("1.2.0rc1", "1.2.0rc1")],
)
def test_the_jar_of_a_version_is_named_as_the_build_names_it(package, jar):
    assert _versions.of_jar(package) == jar
