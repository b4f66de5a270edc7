# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from dataclasses import asdict

import latebloom
import pytest


def test_the_funnel_leads_from_the_row_groups_to_the_output(spark, orders):
    df = spark.read.parquet(str(orders)).where("status = 'open' and comment like '%7%'")
    told = latebloom.profile(df)
    rows = sum(i % 3 == 0 and "7" in str(i) for i in range(50_000))
    assert told.rows == rows
    assert told.seconds > 0
    (scan,) = told.scans
    assert scan.scan.applied
    first, *filters, last = scan.steps
    assert (first.rows, first.left) == (50_000, 50_000)
    assert sorted(f.name.split()[-1] for f in filters) == ["'7')", "'open')"]
    assert min(f.left for f in filters) == rows
    assert max(f.rows for f in filters) == 50_000
    assert all(f.seconds > 0 for f in filters)
    assert last.left == rows
    assert scan.metric("numOutputRows") == rows
    assert scan.metric("bytesFetched") > 0
    assert scan.metric("unknown") == 0


def test_it_shows_as_text_html_json_and_a_table(spark, orders):
    df = spark.read.parquet(str(orders)).where("status < 'o' and id < 9")
    told = latebloom.profile(df)
    text = str(told)
    assert "LateScan" in text
    assert "rows of the row groups that were opened" in text
    assert "status &lt; &#x27;o&#x27;" in told._repr_html_()
    answer = json.loads(json.dumps(told.to_dict()))
    assert answer["rows"] == told.rows
    assert answer["scans"][0]["metrics"]["numOutputRows"] == told.rows
    steps = told.to_df()
    assert list(steps.columns) == ["scan", "table", "step", "rows", "left", "seconds"]
    assert len(steps) == len(told.scans[0].steps)


def test_each_column_has_what_was_decoded_and_skipped_of_it(spark, orders):
    told = latebloom.profile(spark.read.parquet(str(orders)).where("price < 7").select("comment"))
    (scan,) = told.scans
    assert told.rows == 49
    comment, price = sorted(scan.columns, key=lambda column: column.name)
    assert (comment.name, comment.read_as) == ("comment", "payload")
    assert (comment.decoded, comment.by_spark, comment.skipped) == (49, 0, 49_951)
    assert (price.name, price.read_as) == ("price", "filter")
    assert price.decoded + price.skipped == 50_000
    assert scan.metric("valuesDecoded") == comment.decoded + price.decoded
    assert scan.metric("valuesSkipped") == comment.skipped + price.skipped
    (visits,) = scan.visits
    assert visits.row_groups == 1
    assert visits.kind in ("late", "eager")
    assert visits.code in ("few-rows-pass", "most-rows-pass", "saves-no-request")
    lines = [line.split() for line in str(told).splitlines()]
    assert ["comment", "payload", "49", "0", "49,951"] in lines
    assert str(visits) in str(told)
    assert "<td>49,951</td>" in told._repr_html_()
    answer = told.to_dict()["scans"][0]
    assert answer["visits"] == [asdict(visits)]
    frame = told.to_df("columns")
    assert list(frame.columns)[2:] == ["column", "read_as", "decoded", "by_spark", "skipped"]
    assert frame.set_index("column").loc["comment", "skipped"] == 49_951
    with pytest.raises(ValueError, match="steps, columns"):
        told.to_df("rows")
    assert min(answer["columns"], key=lambda c: c["name"]) == asdict(comment)


def test_text_has_the_columns_of_a_wide_table_with_the_most_values(spark, tmp_path):
    columns = [f"id + {i} c{i}" for i in range(40)]
    spark.range(1000).selectExpr("id % 10 n", *columns).coalesce(1).write.parquet(
        str(tmp_path / "wide")
    )
    told = latebloom.profile(spark.read.parquet(str(tmp_path / "wide")).where("n = 3"))
    (scan,) = told.scans
    assert len(scan.columns) == 41
    lines = [" ".join(line.split()) for line in str(told).splitlines()]
    assert "30 more columns 3,000 0 27,000" in lines
    assert "c9 payload 100 0 900" in lines
    assert not [line for line in lines if line.startswith("c10 ")]


def test_scans_that_stay_sparks_say_why(spark, orders):
    told = latebloom.profile(spark.read.parquet(str(orders)).where("rand() < 0.9"))
    (scan,) = told.scans
    assert scan.steps == ()
    assert scan.metric("numOutputRows") == 50_000
    assert [c.code for c in told.whynot] == ["non-deterministic"]
    assert "left to Spark" in str(told)
    assert "[nothing-pushable]" in str(scan)


def test_what_became_of_join_filters(spark, orders, tmp_path):
    path = str(tmp_path / "keys")
    spark.range(0, 50_000, 1000).selectExpr("id k", "id % 7 g").write.parquet(path)
    big, few = spark.read.parquet(str(orders)), spark.read.parquet(path).where("g = 3")
    with_small = {"spark.latebloom.join.minScanBytes": "0"}
    for key, value in with_small.items():
        spark.conf.set(key, value)
    try:
        told = latebloom.profile(big.join(few, big.id == few.k).select("comment"))
    finally:
        for key in with_small:
            spark.conf.unset(key)
    fact = next(s for s in told.scans if s.outcomes)
    assert any("keys" in outcome for outcome in fact.outcomes)
    assert any("IN" in step.name for step in fact.steps)
    assert told.rows == fact.metric("numOutputRows")


def test_a_limit_runs_as_few_tasks_as_when_it_is_collected(spark, orders):
    told = latebloom.profile(spark.read.parquet(str(orders)).where("id > 5").limit(3))
    assert told.rows == 3
    told = latebloom.profile(spark.read.parquet(str(orders)).orderBy("price").limit(4))
    assert told.rows == 4
