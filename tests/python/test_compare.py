# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from contextlib import contextmanager

import latebloom
import pyspark
import pytest
from latebloom import _compare, _jvm


def test_a_selective_query_gives_the_same_answer_and_its_metrics(spark, orders):
    df = spark.read.parquet(str(orders)).where("status = 'open' and comment like '%7%'")
    compared = latebloom.compare(df, runs=2)
    assert compared.equal
    assert not compared.rounded
    assert compared.rows == sum(i % 3 == 0 and "7" in str(i) for i in range(50_000))
    assert len(compared.off.seconds) == len(compared.on.seconds) == 2
    assert [scan.node.split()[0] for scan in compared.scans] == ["LateScan"]
    assert compared.total("rowsFiltered") + compared.total("rowsPruned") == 50_000 - compared.rows


def test_the_switch_is_afterwards_as_it_was(spark, orders):
    latebloom.compare(spark.read.parquet(str(orders)).where("id = 7"), runs=1)
    assert spark.conf.get("spark.latebloom.enabled", None) is None


def test_in_a_session_that_cannot_be_asked_the_error_comes_before_anything_runs():
    class Session:
        """All of a session but its JVM, and not of Spark Connect either."""

        version = pyspark.__version__

        class conf:
            @staticmethod
            def get(key, default=None):
                return "latebloom.LateBloomExtensions"

            @staticmethod
            def set(key, value):
                pass

            @staticmethod
            def unset(key):
                pass

    class Frame:
        sparkSession = Session()

        def __getattr__(self, name):
            raise AssertionError(f"the query was begun: {name}")

    with pytest.raises(latebloom.UnsupportedSessionError, match="in a local JVM"):
        latebloom.compare(Frame())


def test_a_query_without_a_scan_is_compared_and_says_that_there_was_none(spark, monkeypatch):
    monkeypatch.setattr(_jvm, "metrics", lambda df: "[]")
    compared = latebloom.compare(spark.range(5), runs=1)
    assert compared.equal
    assert "no LateScan" in str(compared)


def test_different_answers_are_seen(spark, monkeypatch):
    # A switch that changes the data stands in for an extension with a bug.
    view = "compare_under_test"

    def showing(query):
        @contextmanager
        def switch(session):
            session.sql(query).createOrReplaceTempView(view)
            shown.append(session.table(view))
            yield session

        return switch

    shown = []
    monkeypatch.setattr(_compare, "disabled", showing("select 1 a"))
    monkeypatch.setattr(_compare, "enabled", showing("select 2 a"))
    monkeypatch.setattr(_jvm, "metrics", lambda df: "[]")
    real = _compare.digest_query
    monkeypatch.setattr(_compare, "digest_query", lambda df, **o: real(shown[-1], **o))
    compared = latebloom.compare(spark.range(1), runs=1)
    assert not compared.equal
    assert "DIFFERENT" in str(compared)
    assert compared.to_dict()["equal"] is False


def test_runs_below_one_are_refused(spark):
    with pytest.raises(ValueError, match="runs is 0"):
        latebloom.compare(spark.range(1), runs=0)


def test_figures_come_from_the_runs():
    compared = latebloom.Comparison(
        equal=True,
        rounded=False,
        off_digest=latebloom.Digest(3, 1, -1),
        on_digest=latebloom.Digest(3, 1, -1),
        off=latebloom.Times((4.0, 2.0, 3.0)),
        on=latebloom.Times((1.0, 0.5, 2.0)),
        scans=(
            latebloom.ScanMetrics("LateScan", {"pagesRead": 2, "pagesSkipped": 1000}),
            latebloom.ScanMetrics("LateScan", {"pagesRead": 3}),
        ),
    )
    assert (compared.off.median, compared.off.min) == (3.0, 2.0)
    assert compared.speedup == 3.0
    assert compared.total("pagesRead") == 5
    assert compared.total("unknown") == 0
    text = str(compared)
    assert "speed-up: 3.00x" in text
    assert "1,000" in text
    assert "3.00x" in compared._repr_html_()
    assert json.loads(json.dumps(compared.to_dict()))["scans"][0]["pagesSkipped"] == 1000


def test_sides_take_turns_in_going_first(spark, monkeypatch):
    order = []

    def noting(name):
        @contextmanager
        def switch(session):
            order.append(name)
            yield session

        return switch

    monkeypatch.setattr(_compare, "disabled", noting("off"))
    monkeypatch.setattr(_compare, "enabled", noting("on"))
    _compare._times(spark.range(1), 3)
    assert order == ["off", "on", "on", "off", "off", "on"]
