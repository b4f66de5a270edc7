# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from contextlib import contextmanager
from typing import ClassVar

import latebloom
import pytest
from latebloom import _compare, _digest


def digest(df, **options):
    return _digest.to_digest(_digest.digest_query(df, **options))


def rows(spark, schema, *values):
    return spark.createDataFrame(list(values), schema)


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
    assert "spark.latebloom.enabled" not in spark.conf.getAll


def test_over_spark_connect_the_error_comes_before_anything_runs():
    class Session:
        """A client's: all of a session but its JVM."""

        version = "4.1.3"

        class conf:
            getAll: ClassVar = {}

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
    monkeypatch.setattr(_compare._jvm, "metrics", lambda df: "[]")
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
    monkeypatch.setattr(_compare._jvm, "metrics", lambda df: "[]")
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


class TestDigest:
    def test_the_order_of_rows_does_not_matter(self, spark):
        ascending = spark.range(1000).orderBy("id")
        assert digest(ascending) == digest(ascending.orderBy("id", ascending=False))
        assert digest(ascending) == digest(ascending.repartition(7))

    def test_duplicates_count(self, spark):
        assert digest(rows(spark, "a int", (1,), (1,), (2,))) != digest(
            rows(spark, "a int", (1,), (2,), (2,))
        )

    def test_one_changed_value_among_many_is_seen(self, spark):
        changed = spark.range(1000).selectExpr("if(id = 500, -1, id) as id")
        assert digest(spark.range(1000)) != digest(changed)

    @pytest.mark.parametrize(
        ("schema", "one", "other"),
        [
            ("a int, b int", (None, 1), (1, None)),
            ("a int, b string", (1, ""), (1, None)),
            ("a array<int>", ([None, 1],), ([1, None],)),
            ("a array<int>", ([],), (None,)),
            ("a struct<x: int, y: int>", ((None, 1),), ((1, None),)),
            ("a map<string, int>", ({"k": 1},), ({"k": 2},)),
            ("a map<string, int>", ({"k": None},), ({},)),
            ("a boolean", (False,), (None,)),
        ],
    )
    def test_rows_that_differ_in_a_null_or_inside_are_told_apart(self, spark, schema, one, other):
        assert digest(rows(spark, schema, one)) != digest(rows(spark, schema, other))

    def test_every_nan_is_the_same_and_minus_zero_is_zero(self, spark):
        one = rows(spark, "a double, b float", (float("nan"), -0.0))
        other = rows(spark, "a double, b float", (-float("nan"), 0.0))
        assert digest(one) == digest(other)
        assert digest(one, approximate=True) == digest(other, approximate=True)

    def test_only_the_approximate_digest_forgives_the_last_bits_of_a_sum(self, spark):
        one = rows(spark, "a double", (0.1 + 0.2 + 0.3,))
        other = rows(spark, "a double", (0.3 + 0.2 + 0.1,))
        assert digest(one) != digest(other)
        assert digest(one, approximate=True) == digest(other, approximate=True)
        off = rows(spark, "a double", (0.601,))
        assert digest(one, approximate=True) != digest(off, approximate=True)

    def test_columns_of_one_name_all_take_part(self, spark):
        one = spark.sql("select 1 as a, 2 as a")
        other = spark.sql("select 1 as a, 3 as a")
        assert digest(one) != digest(other)

    def test_an_empty_result_and_one_without_columns_have_a_digest(self, spark):
        assert digest(spark.range(0)) == latebloom.Digest(0, 0, 0)
        assert digest(spark.range(3).select()).rows == 3

    def test_every_kind_of_column_has_a_hash(self, spark):
        everything = spark.sql(
            "select 1Y a, 1S b, 1 c, 1L d, 1F e, 1D f, 1.5BD g, 'x' h, X'00' i, true j,"
            " date'2020-01-01' k, timestamp'2020-01-01' l, timestamp_ntz'2020-01-01' m,"
            " interval 1 month n, interval 1 day o, parse_json('{}') p, null q,"
            " array(map('k', named_struct('x', X'01'))) r"
        )
        assert digest(everything).rows == 1
