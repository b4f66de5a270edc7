# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from types import SimpleNamespace

import latebloom
import pyspark
import pytest
from latebloom import _jvm, _names


def test_answers_are_json_text(spark, orders):
    df = spark.read.parquet(str(orders)).where("id < 9")
    df.collect()
    assert json.loads(_jvm.version(spark))["spark"] == spark.version
    assert {conf["key"] for conf in json.loads(_jvm.confs(spark))} >= {_names.ENABLED_KEY}
    assert json.loads(_jvm.explain(df))["scans"]
    (scan,) = json.loads(_jvm.metrics(df))
    assert scan["node"].startswith("LateScan")


def test_a_class_is_found_or_is_a_package_that_nobody_has(spark):
    assert _jvm.can_load_extension()
    assert _jvm.can_load("java.lang.String")
    assert not _jvm.can_load("latebloom.NoSuchClass")


def test_a_running_context_and_its_settings_are_seen(spark):
    assert _jvm.has_context()
    assert _jvm.settings()["spark.app.name"] == spark.sparkContext.appName


def test_the_first_value_that_spark_cannot_read_is_named(spark):
    good = {
        "spark.sql.shuffle.partitions": "3",
        "nobody.knows": "x",
        "spark.latebloom.enabled": "true",
    }
    assert _jvm.malformed(good) is None
    said = _jvm.malformed({**good, "spark.sql.shuffle.partitions": "few"})
    assert "spark.sql.shuffle.partitions" in said and "few" in said


def test_what_pyspark_has_made_an_exception_of_is_told_without_stack_traces(spark):
    failing = spark.range(3).selectExpr("assert_true(id < 1, 'too large')")
    with pytest.raises(Exception) as caught:
        failing.collect()
    said = _jvm.failure(caught.value)
    assert "too large" in said
    assert "\tat " not in said


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        (
            ["Job aborted", "[FAILED_READ_FILE] a.parquet", "no magic number"],
            "[FAILED_READ_FILE] a.parquet",
        ),
        (["[WRITE] w", "Job aborted", "[READ] r"], "[READ] r"),
        (["Job aborted", "no magic number"], "Job aborted"),
        (
            ["Job aborted: \tat a.B.c Driver stacktrace:", "Error reading a.parquet", "no magic"],
            "Error reading a.parquet",
        ),
        (
            ["Job aborted: \tat a.B.c Driver stacktrace:", None],
            "Job aborted: \tat a.B.c Driver stacktrace:",
        ),
        ([None, "[READ] r"], "[READ] r"),
    ],
)
def test_of_a_failed_call_the_innermost_cause_with_an_error_class_is_told(messages, told):
    from py4j.protocol import Py4JJavaError

    cause = None
    for message in reversed(messages):
        text, inner = message, cause
        cause = SimpleNamespace(
            getMessage=lambda text=text: text, getCause=lambda inner=inner: inner
        )
    error = Py4JJavaError.__new__(Py4JJavaError)
    error.java_exception = cause
    assert _jvm.failure(error) == told


def test_what_is_not_of_spark_has_nothing_to_say(spark):
    assert _jvm.failure(ValueError("mine")) is None


def test_a_client_without_a_jvm_is_refused_by_its_class():
    client = SimpleNamespace(version=pyspark.__version__)
    with pytest.raises(latebloom.UnsupportedSessionError, match="local JVM") as error:
        _jvm.require(client)
    assert "types.SimpleNamespace" in error.value.where


def test_a_jvm_without_the_jar_is_told_apart_from_one_with_it(spark, monkeypatch):
    assert _jvm.require(spark) is None
    monkeypatch.setattr(_names, "INSPECTOR", "latebloom.inspect.NoInspector")
    with pytest.raises(latebloom.JarNotFoundError, match="does not find the jar"):
        _jvm.require(spark)
