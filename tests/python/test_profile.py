# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import latebloom


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
