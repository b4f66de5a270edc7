# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import warnings

import latebloom
import pytest
from latebloom import _jar, _jvm, _names, _versions

EXTENSIONS = "spark.sql.extensions"
EXPLAINERS = "spark.sql.extendedExplainProviders"
JARS = "spark.jars"
HERE = _versions.Build("4.1", "2.13")
JAR = "latebloom-spark-4.1_2.13-9.9.9.jar"


class Builder:
    """As much of SparkSession.Builder as configure uses."""

    def __init__(self, **options):
        self._options = {key.replace("_", "."): value for key, value in options.items()}

    def config(self, key, value):
        self._options[key] = value
        return self


@pytest.fixture(autouse=True)
def fresh_process(monkeypatch, tmp_path, no_pyspark_environment):
    """No JVM, no settings outside of the builder, a Spark, and its jar in the package."""
    monkeypatch.setattr(_jvm, "has_context", lambda: False)
    monkeypatch.setattr(_jvm, "settings", lambda: None)
    monkeypatch.setattr(_jar, "_JARS", tmp_path / "jars")
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / JAR).touch()
    (tmp_path / "spark" / "jars").mkdir(parents=True)
    (tmp_path / "spark" / "jars" / "spark-core_2.13-4.1.3.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path / "conf"))
    (tmp_path / "conf").mkdir()


def configured(**options):
    builder = Builder(**options)
    assert latebloom.configure(builder) is builder
    return builder._options


def spark_defaults(tmp_path, text):
    (tmp_path / "conf" / "spark-defaults.conf").write_text(text)


def test_an_empty_builder_gets_extension_jar_and_explain_provider(tmp_path):
    assert configured() == {
        EXTENSIONS: _names.EXTENSION,
        EXPLAINERS: _names.EXPLAINER,
        JARS: str(tmp_path / "jars" / JAR),
    }


def test_what_the_builder_has_is_kept_and_comes_first():
    options = configured(
        spark_sql_extensions="a.B, c.D",
        spark_jars="/x.jar",
        spark_sql_extendedExplainProviders="e.F",
        spark_master="local[3]",
    )
    assert options[EXTENSIONS] == f"a.B,c.D,{_names.EXTENSION}"
    assert options[EXPLAINERS] == f"e.F,{_names.EXPLAINER}"
    assert options[JARS].split(",") == ["/x.jar", str(latebloom.jar_path())]
    assert options["spark.master"] == "local[3]"


def test_configuring_twice_changes_nothing():
    builder = Builder(spark_sql_extensions="a.B")
    latebloom.configure(builder)
    once = dict(builder._options)
    latebloom.configure(builder)
    assert builder._options == once


@pytest.mark.parametrize("separator", [" ", "=", " = ", "\t", ": "])
def test_spark_defaults_are_kept(tmp_path, separator):
    spark_defaults(tmp_path, f"# a comment\n\nspark.sql.extensions{separator}a.B\n")
    assert configured()[EXTENSIONS] == f"a.B,{_names.EXTENSION}"


def test_the_builder_wins_over_spark_defaults_as_it_does_in_spark(tmp_path):
    spark_defaults(tmp_path, "spark.sql.extensions a.B\n")
    options = configured(spark_sql_extensions="c.D")
    assert options[EXTENSIONS] == f"c.D,{_names.EXTENSION}"


@pytest.mark.parametrize(
    "arguments",
    [
        "--conf spark.sql.extensions=a.B pyspark-shell",
        "-c spark.sql.extensions=a.B pyspark-shell",
        "--conf=spark.sql.extensions=a.B pyspark-shell",
        "--master local --conf 'spark.sql.extensions=a.B' pyspark-shell",
    ],
)
def test_submit_arguments_are_kept(monkeypatch, arguments):
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments)
    assert configured()[EXTENSIONS] == f"a.B,{_names.EXTENSION}"


def test_a_properties_file_of_the_submit_arguments_is_read(monkeypatch, tmp_path):
    (tmp_path / "mine.conf").write_text("spark.sql.extensions a.B\n")
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--properties-file {tmp_path}/mine.conf x")
    assert configured()[EXTENSIONS] == f"a.B,{_names.EXTENSION}"


def test_a_latebloom_jar_that_is_there_already_is_not_added_again():
    options = configured(spark_jars=f"hdfs://there/{JAR}")
    assert options[JARS] == f"hdfs://there/{JAR}"


@pytest.mark.parametrize("other", [b for b in _versions.BUILDS if b != HERE], ids=str)
def test_a_latebloom_jar_for_another_spark_is_an_error_that_names_both(other):
    jar = f"latebloom-spark-{other.spark}_{other.scala}-0.1.0.jar"
    with pytest.raises(
        latebloom.SparkVersionError, match=f"jar for {other}, and this is {HERE}"
    ) as error:
        configured(spark_jars=f"/x.jar,/y/{jar}")
    assert error.value.where == f"/y/{jar}"
    assert str(latebloom.jar_path()) in error.value.fix


def test_a_jar_on_the_class_path_is_not_added_to_the_jars():
    options = configured(spark_driver_extraClassPath=f"/a.jar:/lib/{JAR}")
    assert JARS not in options


def test_jars_of_the_submit_arguments_would_hide_ours_and_are_refused(monkeypatch):
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--jars /x.jar pyspark-shell")
    with pytest.raises(latebloom.ExtensionLoadedLateError, match="PYSPARK_SUBMIT_ARGS") as error:
        configured()
    assert str(latebloom.jar_path()) in error.value.fix


def test_our_jar_among_those_of_the_submit_arguments_is_enough(monkeypatch):
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--jars /x.jar,/y/{JAR} pyspark-shell")
    options = configured()
    assert options[EXTENSIONS] == _names.EXTENSION
    assert JARS not in options


@pytest.mark.parametrize(
    ("jar_is_loaded", "fix"), [(True, r"spark\.stop\(\)"), (False, "restart this Python")]
)
def test_a_running_session_without_latebloom_is_an_error_that_says_what_to_do(
    monkeypatch, jar_is_loaded, fix
):
    monkeypatch.setattr(_jvm, "has_context", lambda: True)
    monkeypatch.setattr(_jvm, "can_load_extension", lambda: jar_is_loaded)
    monkeypatch.setattr(_jvm, "settings", lambda: {EXTENSIONS: "a.B"})
    with pytest.raises(latebloom.ExtensionLoadedLateError, match=fix) as error:
        configured()
    assert "a.B" in error.value.where


def test_a_running_session_with_latebloom_is_left_as_it_is(monkeypatch):
    monkeypatch.setattr(_jvm, "has_context", lambda: True)
    monkeypatch.setattr(_jvm, "settings", lambda: {EXTENSIONS: f"a.B,{_names.EXTENSION}"})
    assert configured() == {}


def test_under_spark_submit_the_settings_of_its_jvm_are_kept(monkeypatch):
    monkeypatch.setattr(_jvm, "settings", lambda: {EXTENSIONS: "a.B", JARS: f"/y/{JAR}"})
    monkeypatch.setattr(_jvm, "can_load_extension", lambda: True)
    monkeypatch.setattr(_jvm, "require_line", lambda: None)
    assert configured() == {
        EXTENSIONS: f"a.B,{_names.EXTENSION}",
        EXPLAINERS: _names.EXPLAINER,
    }


def test_under_spark_submit_without_the_jar_the_error_names_the_option(monkeypatch):
    monkeypatch.setattr(_jvm, "settings", dict)
    monkeypatch.setattr(_jvm, "can_load_extension", lambda: False)
    with pytest.raises(latebloom.ExtensionLoadedLateError, match="--jars"):
        configured()


def test_a_connect_client_is_refused():
    with pytest.raises(latebloom.UnsupportedSessionError, match="start the server"):
        configured(spark_remote="sc://there:15002")


def test_a_missing_jar_is_an_error_that_says_how_to_get_one(tmp_path):
    (tmp_path / "jars" / JAR).unlink()
    with pytest.raises(
        latebloom.JarNotFoundError, match=r"\./dev/sbt --spark 4\.1 --scala 2\.13 package"
    ):
        configured()


@pytest.mark.parametrize(
    ("core_jar", "error", "found"),
    [
        ("spark-core_2.12-3.4.4.jar", latebloom.SparkVersionError, "3.4.4"),
        ("spark-core_2.13-4.10.0.jar", latebloom.SparkVersionError, "4.10.0"),
        ("spark-core_2.12-4.1.3.jar", latebloom.ScalaVersionError, "2.12"),
    ],
)
def test_another_spark_or_scala_is_refused_before_it_starts(
    monkeypatch, tmp_path, core_jar, error, found
):
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "jars").mkdir(parents=True)
    (tmp_path / "home" / "jars" / core_jar).touch()
    with pytest.raises(error, match=found) as raised:
        configured()
    assert str(tmp_path / "home") in raised.value.where


@pytest.mark.parametrize("options", [{"spark_remote": "local[2]"}, {"spark_api_mode": "connect"}])
def test_a_local_server_is_configured_and_tells_no_false_failures_of_ours(options):
    class Local(Builder):
        """Warns of each setting once the server has it, as Spark does."""

        def getOrCreate(self):
            for key in self._options:
                warnings.warn(
                    f"Failed to set {key} due to [CANNOT_MODIFY_STATIC_CONFIG] Cannot modify the "
                    f'value of the static Spark config: "{key}". SQLSTATE: 46110',
                    stacklevel=1,
                )
            return "a session"

    builder = Local(spark_driver_host="here", **options)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert latebloom.configure(builder).getOrCreate() == "a session"
    said = " ".join(str(warning.message) for warning in told)
    assert "spark.driver.host" in said
    assert f'"{JARS}"' not in said and f'"{EXTENSIONS}"' not in said
    assert {JARS, EXTENSIONS} <= builder._options.keys()
