# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import warnings

import latebloom
import pyspark
import pytest
from latebloom import _jvm, _session

KEY = "spark.latebloom.enabled"


@pytest.fixture(autouse=True)
def switch_not_set(spark):
    spark.conf.unset(KEY)
    yield
    spark.conf.unset(KEY)


def test_within_disabled_the_switch_is_off_and_afterwards_unset_again(spark):
    with latebloom.disabled(spark) as inside:
        assert inside is spark
        assert spark.conf.get(KEY) == "false"
    assert spark.conf.get(KEY, None) is None


@pytest.mark.parametrize("before", ["true", "false"])
def test_what_was_set_before_is_set_again(spark, before):
    spark.conf.set(KEY, before)
    with latebloom.enabled(spark):
        assert spark.conf.get(KEY) == "true"
        with latebloom.disabled(spark):
            assert spark.conf.get(KEY) == "false"
        assert spark.conf.get(KEY) == "true"
    assert spark.conf.get(KEY, None) == before


def test_an_error_within_the_block_restores_the_switch(spark):
    with pytest.raises(ZeroDivisionError), latebloom.disabled(spark):
        raise ZeroDivisionError
    assert spark.conf.get(KEY, None) is None


def test_each_session_has_its_own_switch(spark):
    other = spark.newSession()
    with latebloom.disabled(spark):
        assert other.conf.get(KEY, None) is None


def test_configuring_again_while_the_session_runs_is_harmless(spark):
    from pyspark.sql import SparkSession

    assert latebloom.configure(SparkSession.builder).getOrCreate() is spark


@pytest.mark.parametrize("switch", [latebloom.enabled, latebloom.disabled])
def test_a_session_without_the_extension_is_an_error_that_says_what_to_do(switch, session_without):
    with (
        pytest.raises(latebloom.ExtensionNotLoadedError, match="configure") as error,
        switch(session_without),
    ):
        pass
    assert "com.example.Other" in error.value.where


def test_a_session_with_the_jar_for_another_spark_is_not_switched(spark, monkeypatch):
    def another():
        raise latebloom.SparkVersionError("another jar", where="here", fix="attach its own")

    monkeypatch.setattr(_jvm, "require_line", another)
    with pytest.raises(latebloom.SparkVersionError, match="another jar"), latebloom.disabled(spark):
        pass
    assert spark.conf.get(KEY, None) is None


class SessionWith:
    """A session whose Spark was started with the extension among others."""

    version = pyspark.__version__

    class conf:
        @staticmethod
        def get(key, default=None):
            return "a.B, latebloom.LateBloomExtensions"


def test_an_extension_among_others_is_found():
    _session.require_extension(SessionWith())


@pytest.mark.parametrize("version", ["3.4.4", "4.10.0", "5.0.0"])
def test_a_spark_in_which_the_extension_does_nothing_is_an_error_that_names_it(version):
    session = SessionWith()
    session.version = version
    with pytest.raises(latebloom.SparkVersionError, match=f"needs Spark 3.5, .*, found {version}"):
        _session.require_extension(session)
    with (
        pytest.raises(latebloom.SparkVersionError, match=version),
        latebloom.enabled(session),
    ):
        pass


def test_a_jar_of_another_version_is_told_once_a_session(spark, monkeypatch):
    monkeypatch.setattr(latebloom, "__version__", "99.1.0")
    session = spark.newSession()
    with pytest.warns(UserWarning, match=r"and this package's is 99\.1\.0"):
        latebloom.confs(session)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        latebloom.confs(session)
        monkeypatch.undo()
        latebloom.confs(spark.newSession())
