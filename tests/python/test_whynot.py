# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re

import latebloom
import pytest
from latebloom import __main__ as cli


@pytest.fixture
def small(spark, tmp_path):
    path = str(tmp_path / "small")
    spark.range(30).selectExpr("id", "id % 5 k").write.parquet(path)
    return path


def test_a_query_that_is_taken_whole_has_no_causes(spark, orders):
    answer = latebloom.whynot(spark.read.parquet(str(orders)).where("id < 9"))
    assert len(answer) == 0
    assert "all that it could" in str(answer)
    assert answer.to_dict() == {"causes": []}


def test_scans_left_to_spark_come_with_the_most_bytes_first(spark, orders, small, tmp_path):
    spark.range(9).write.csv(str(tmp_path / "texts"))
    texts = spark.read.schema("id long").csv(str(tmp_path / "texts"))
    big, little = spark.read.parquet(str(orders)), spark.read.parquet(small)
    answer = latebloom.whynot(little.select("id").union(texts).union(big.select("id")))
    assert [c.part for c in answer] == ["scan"] * 3
    assert [c.code for c in answer] == ["no-filter", "no-filter", "format-not-read"]
    assert answer.causes[0].bytes == orders.stat().st_size
    assert "csv" in answer.causes[2].reason
    assert re.match(r"\d+ kB  scan ", str(answer).splitlines()[2].lstrip())
    assert "format-not-read" in answer._repr_html_()


def test_the_root_cause_of_a_scan_is_that_of_its_predicate(spark, orders):
    (cause,) = latebloom.whynot(spark.read.parquet(str(orders)).where("rand() < 0.5"))
    assert (cause.part, cause.code) == ("scan", "non-deterministic")


def test_a_predicate_that_stays_above_the_scan_is_a_cause(spark, orders):
    (cause,) = latebloom.whynot(
        spark.read.parquet(str(orders)).where("id < 9").where("rand() < 0.5")
    )
    assert (cause.part, cause.code) == ("predicate", "non-deterministic")
    assert cause.of.startswith("(rand()")


def test_joins_and_orders_are_causes_with_the_bytes_below_them(spark, orders, small):
    big, little = spark.read.parquet(str(orders)), spark.read.parquet(small)
    joined = big.where("price > 5").join(little.withColumnRenamed("id", "i"), big.id == little.k)
    answer = latebloom.whynot(joined.orderBy("price").limit(3))
    parts = {c.part: c for c in answer}
    assert {"join", "order"} <= set(parts)
    assert parts["join"].bytes > orders.stat().st_size
    assert parts["order"].code.startswith("top-k-")
    assert json.loads(json.dumps(answer.to_dict()))["causes"][0]["bytes"]


def test_the_command_answers_in_json(monkeypatch, spark, capsys, orders):
    from contextlib import nullcontext

    monkeypatch.setattr(cli._local, "local_session", lambda *_, **__: nullcontext(spark))
    assert cli.main(["whynot", "--json", "--view", f"o={orders}", "select id from o"]) == 0
    (cause,) = json.loads(capsys.readouterr().out)["causes"]
    assert cause["code"] == "no-filter"
