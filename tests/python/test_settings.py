# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from latebloom import _settings


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch, tmp_path, no_pyspark_environment):
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))


def defaults(tmp_path, text):
    (tmp_path / "spark-defaults.conf").write_text(text, encoding="utf-8")
    return dict(_settings.outside_settings().below)


def submitted(monkeypatch, arguments):
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments)
    return dict(_settings.outside_settings().above)


def test_without_file_and_variable_nothing_is_set():
    assert _settings.outside_settings() == _settings.Settings({}, {})


def test_a_line_of_the_file_is_cut_at_its_first_blank_colon_or_equals_sign(tmp_path):
    text = (
        "spark.a 1\n  spark.b\t= x = y  \nspark.c:z\nspark.d=p q\n"
        "\n# spark.e 1\nother.f 1\nspark.g\nspark.h é\n"
    )
    assert defaults(tmp_path, text) == {
        "spark.a": "1",
        "spark.b": "x = y",
        "spark.c": "z",
        "spark.d": "p q",
        "spark.g": "",
        "spark.h": "é",
    }


def test_spark_reads_a_file_the_same_way(spark, tmp_path):
    file = tmp_path / "some.conf"
    file.write_text("spark.a 1\n spark.b =x = y \nspark.c:z\nspark.d\tp q\n# spark.e 1\nspark.g\n")
    utils = spark.sparkContext._jvm.org.apache.spark.util.Utils
    read = utils.getPropertiesFromFile(str(file))
    known, entries = {}, read.iterator()
    while entries.hasNext():
        entry = entries.next()
        known[entry._1()] = entry._2()
    assert _settings._properties(file) == known


def test_the_file_is_that_of_spark_home_where_no_directory_is_named(monkeypatch, tmp_path):
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text("spark.a 1\n")
    monkeypatch.delenv("SPARK_CONF_DIR")
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    assert _settings.outside_settings().below == {"spark.a": "1"}


@pytest.mark.parametrize(
    ("arguments", "above"),
    [
        ("--conf spark.a=1 pyspark-shell", {"spark.a": "1"}),
        ("-c spark.a=x=y pyspark-shell", {"spark.a": "x=y"}),
        ("--conf=spark.a=1 --conf 'spark.b=p q' x", {"spark.a": "1", "spark.b": "p q"}),
        ("--conf spark.a=1 --conf spark.a=2 x", {"spark.a": "2"}),
        ("--jars a.jar,b.jar x", {"spark.jars": "a.jar,b.jar"}),
        ("--jars=a.jar x", {"spark.jars": "a.jar"}),
        ("--master local[2] --name n x", {}),
        ("--conf", {"": ""}),
    ],
)
def test_arguments_are_read_as_spark_submit_does(monkeypatch, arguments, above):
    assert submitted(monkeypatch, arguments) == above


def test_a_properties_file_takes_the_place_of_the_defaults(monkeypatch, tmp_path):
    defaults(tmp_path, "spark.a 1\nspark.b 1\n")
    (tmp_path / "mine.conf").write_text("spark.a 2\n")
    for joined in ("=", " "):
        submitted(monkeypatch, f"--properties-file{joined}{tmp_path}/mine.conf x")
        assert _settings.outside_settings().below == {"spark.a": "2"}
    submitted(monkeypatch, f"--properties-file {tmp_path}/none.conf x")
    assert _settings.outside_settings().below == {}
