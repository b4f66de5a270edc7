# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import latebloom
import pytest
from latebloom import _jvm

APPLIED = {
    "node": "LateScan parquet",
    "table": "orders",
    "format": "parquet",
    "applied": True,
    "code": "",
    "reason": "",
    "fix": "",
    "filterColumns": ["status", "id"],
    "scanFilters": ["status = 'open'", "id < 9"],
    "joinFilters": ["id IN order_id (broadcast)"],
    "topRows": [],
    "residual": [
        {"conjunct": "rand() < 0.5", "code": "RANDOM", "reason": "it is", "fix": "leave it"}
    ],
    "payload": ["comment"],
    "bytes": 1_500_000,
}
DECLINED = {
    **APPLIED,
    "node": "Scan parquet",
    "applied": False,
    "code": "NO_FILTER",
    "reason": "nothing filters this scan",
    "fix": "add a <filter>",
    "filterColumns": [],
    "scanFilters": [],
    "joinFilters": [],
    "topRows": [],
    "residual": [],
    "payload": [],
}


@pytest.fixture
def answered(monkeypatch, spark):
    def explain_as(*scans, joins=(), orders=()):
        plan = "== Physical Plan ==\nthe plan\n"
        answer = json.dumps({"plan": plan, "scans": scans, "joins": joins, "orders": orders})
        monkeypatch.setattr(_jvm, "explain", lambda df: answer)
        return latebloom.explain(spark.range(1))

    return explain_as


def test_an_applied_scan_shows_its_columns_and_predicates_in_order(answered):
    assert str(answered(APPLIED)).splitlines() == [
        "== Physical Plan ==",
        "the plan",
        "",
        "== LateBloom ==",
        "LateScan parquet  orders",
        "  filter columns: status, id",
        "  scan filters:   status = 'open' AND id < 9",
        "  join filter:    id IN order_id (broadcast)",
        "  residual:       rand() < 0.5  [RANDOM] it is",
        "  payload:        comment",
    ]


def test_a_scan_shows_the_rows_that_it_was_planned_with(answered):
    explanation = answered({**APPLIED, "planned": 1234})
    assert (
        "  planned with:   1,234 rows, as an earlier scan counted" in str(explanation).splitlines()
    )
    assert explanation.to_dict()["scans"][0]["planned"] == 1234


def test_a_table_that_the_node_is_named_after_is_shown_once(answered):
    scan = {**APPLIED, "node": "LateScan parquet db.orders", "table": "db.orders"}
    assert "LateScan parquet db.orders" in str(answered(scan)).splitlines()


def test_an_order_with_a_limit_shows_whether_its_rows_are_searched_first(answered):
    applied = {
        "node": "TakeOrderedAndProject",
        "on": "id DESC NULLS LAST",
        "applied": True,
        "code": None,
        "reason": None,
        "fix": None,
    }
    declined = {
        **applied,
        "applied": False,
        "code": "TOO_SMALL",
        "reason": "it is small",
        "fix": "let it be",
    }
    searched = {**APPLIED, "topRows": ["the first 3 rows"]}
    told = answered(searched, orders=[applied, declined])
    assert str(told).splitlines()[-5:] == [
        "  payload:        comment",
        "TakeOrderedAndProject, first rows by id DESC NULLS LAST",
        "  search:         before the other columns are read",
        "TakeOrderedAndProject, first rows by id DESC NULLS LAST",
        "  search:         none  [TOO_SMALL] it is small",
    ]
    assert "  first rows:     the first 3 rows" in str(told)
    assert [o.applied for o in told.orders] == [True, False]
    assert told.orders[1].code == "TOO_SMALL" and told.orders[0].fix == ""


def test_a_side_of_a_join_shows_its_filters_or_why_it_has_none(answered):
    applied = {
        "node": "SortMergeJoin Inner",
        "on": "id",
        "of": "id in sales, items",
        "applied": True,
        "code": None,
        "reason": None,
        "fix": None,
        "filters": ["id IN order_id (shuffle)"],
    }
    declined = {
        **applied,
        "on": "order_id",
        "of": "order_id in orders",
        "applied": False,
        "code": "join-cycle",
        "reason": "it goes round",
        "fix": "leave it",
        "filters": [],
    }
    explanation = answered(APPLIED, joins=[applied, declined])
    assert str(explanation).splitlines()[-4:] == [
        "SortMergeJoin Inner, keys of id in sales, items",
        "  join filter:    id IN order_id (shuffle)",
        "SortMergeJoin Inner, keys of order_id in orders",
        "  join filter:    none  [join-cycle] it goes round",
    ]
    assert [join.applied for join in explanation.joins] == [True, False]


def test_a_declined_scan_shows_code_reason_and_fix(answered):
    lines = str(answered(DECLINED)).splitlines()
    assert "  left to Spark:  [NO_FILTER] nothing filters this scan" in lines
    assert "  to do:          add a <filter>" in lines


def test_decisions_that_spark_printed_are_not_repeated(spark, orders):
    explanation = latebloom.explain(spark.read.parquet(str(orders)).where("id < 9"))
    assert str(explanation).count("filter columns:") == 1


def test_a_plan_without_scans_says_so(answered):
    assert "no file scan" in str(answered())


def test_html_is_escaped_and_to_dict_is_json(answered):
    explanation = answered(APPLIED, DECLINED)
    assert "&lt;filter&gt;" in explanation._repr_html_()
    scans = json.loads(json.dumps(explanation.to_dict()))["scans"]
    assert [scan["applied"] for scan in scans] == [True, False]
    assert scans[0]["filter_columns"] == ["status", "id"]


def test_a_filter_over_parquet_becomes_a_late_scan(spark, orders):
    df = spark.read.parquet(str(orders)).where("status = 'open' and id < 9")
    (scan,) = latebloom.explain(df).scans
    assert scan.applied
    assert scan.node.startswith("LateScan")
    assert set(scan.filter_columns) == {"status", "id"}
    assert scan.scan_filters
    assert "comment" in scan.payload


def test_the_plan_follows_the_current_switch_and_not_the_first_one(spark, orders):
    df = spark.read.parquet(str(orders)).where("id < 9")
    assert "LateScan" in latebloom.explain(df).plan
    with latebloom.disabled(spark):
        assert "LateScan" not in latebloom.explain(df).plan
    assert "LateScan" in latebloom.explain(df).plan


def test_a_scan_that_stays_sparks_says_why(spark, orders):
    with latebloom.disabled(spark):
        (scan,) = latebloom.explain(spark.read.parquet(str(orders)).where("id < 9")).scans
    assert not scan.applied
    assert scan.code
    assert scan.reason


def test_explain_does_not_run_the_query(spark, orders):
    failing = spark.read.parquet(str(orders)).selectExpr("raise_error('ran')")
    assert latebloom.explain(failing).plan
