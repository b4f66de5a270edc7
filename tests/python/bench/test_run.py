# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
from dataclasses import replace
from types import SimpleNamespace

import latebloom
import pytest
from latebloom import _data as generated
from latebloom._errors import LateBloomError
from latebloom_bench import Query, Suite, Variant, _run, _sides
from latebloom_bench.tables import _data
from latebloom_bench.tables._generated import Generated, Made

PARQUET = (Variant(),)


@pytest.fixture
def measured(spark, orders, tmp_path):
    """Runs queries over the table ``orders``, once each, and returns the results by name."""

    def measure(*queries, sides=(_sides.OFF, _sides.ON), duck=None, variants=PARQUET, **suite):
        data = _data.Directory(orders.parent)
        suite = Suite("s", "", queries, data, scale=1, variants=variants, **suite)
        plan = _run.Plan(suite, queries, variants, data, 1, 1, generated.Cache(tmp_path))
        done = _run.Run()
        _run.run(plan, spark, sides, duck, lambda text: None, done)
        assert done.complete
        return done

    return measure


def side(done, index, name):
    return next(s for s in done.results[index].sides if s.side == name)


def test_off_and_on_are_compared_and_measured(measured):
    done = measured(Query("open", "select * from orders where status = 'open'"))
    assert done.results[0].rows == 16_667
    on = side(done, 0, "on")
    assert on.answer == "equal"
    assert on.digest == side(done, 0, "off").digest
    assert len(on.seconds) == len(on.cpu) == 1
    assert on.scan["rowsFiltered"] + on.scan["rowsPruned"] == 50_000 - 16_667
    assert set(done.data) == {"orders"}


def test_a_suite_may_plan_its_queries_only(measured, spark):
    jobs = spark.sparkContext.statusTracker().getJobIdsForGroup
    before = len(jobs())
    query = Query("open", "select * from orders where status = 'open'")
    done = measured(query, only_planned=True)
    # Reading the table's schema takes a job.
    assert len(jobs()) <= before + 1
    assert done.results[0].rows is None
    assert not side(done, 0, "on").answer
    assert len(side(done, 0, "on").seconds) == 1


def test_executions_are_described_for_advice(measured, spark):
    query = Query("open", "select * from orders where status = 'open'")
    measured(query, advised=True)
    executions = spark._jsparkSession.sharedState().statusStore().executionsList()
    told = [executions.apply(i).description() for i in range(executions.size())]
    assert told.count("off: open") == told.count("on: open") == 1
    assert spark.sparkContext.getLocalProperty("spark.job.description") is None


def test_orc_is_made_of_the_parquet_table(measured):
    variant = Variant("orc", format="orc")
    done = measured(Query("all", "select count(*) from orders"), variants=(variant,))
    assert side(done, 0, "on").answer == "equal"
    assert set(done.data) == {"orders (orc)"}


def test_a_failing_query_is_named_and_the_rest_goes_on(measured):
    done = measured(Query("bad", "select nothing from orders"), Query("good", "table orders"))
    assert side(done, 0, "off").answer == "failed"
    assert "UNRESOLVED_COLUMN" in side(done, 0, "on").problem
    assert side(done, 1, "on").answer == "equal"


def test_a_missing_table_is_named_and_the_rest_goes_on(measured):
    done = measured(
        Query("bad", "table lineitem", tables=("lineitem",)),
        Query("good", "table orders", tables=("orders",)),
    )
    assert "no lineitem.parquet" in side(done, 0, "on").problem
    assert side(done, 1, "on").answer == "equal"


def test_a_table_that_the_disk_has_no_room_for_is_named_and_the_rest_goes_on(
    spark, tmp_path, monkeypatch
):
    columns = lambda rows, start, stop: {"a": range(start, stop)}
    data = Generated({"small": Made(10, columns, 8), "large": Made(10, columns, 1000)})
    queries = tuple(Query(name, f"table {name}", tables=(name,)) for name in ("large", "small"))
    free = SimpleNamespace(free=generated._SPARE + 1000)
    monkeypatch.setattr(generated.shutil, "disk_usage", lambda path: free)
    suite = Suite("s", "", queries, data, scale=1)
    plan = _run.Plan(suite, queries, PARQUET, data, 1, 1, generated.Cache(tmp_path))
    done = _run.Run()
    _run.run(plan, spark, (_sides.OFF, _sides.ON), None, lambda text: None, done)
    assert "the disk has 1.0 left" in side(done, 0, "on").problem
    assert side(done, 1, "on").answer == "equal"
    assert [path.name for path in (tmp_path / "generated-sf1").iterdir()] == ["small.parquet"]


def test_a_different_answer_is_seen(measured):
    # A side whose confs change the answer stands in for an extension with a bug.
    bug = _sides.SparkSide("on", "", {"spark.sql.caseSensitive": "true"})
    query = Query("q", "select ID from orders")
    assert side(measured(query, sides=(_sides.OFF, bug)), 0, "on").answer == "failed"
    other = _sides.SparkSide("on", "", {"spark.sql.session.timeZone": "Asia/Tokyo"})
    query = Query("q", "select date_format(timestamp_seconds(id), 'HH') h from orders")
    assert side(measured(query, sides=(_sides.OFF, other)), 0, "on").answer == "DIFFERENT"


def test_an_open_answer_is_compared_by_its_row_count(measured):
    done = measured(Query("q", "select rand() from orders limit 7", settled=False))
    assert side(done, 0, "on").answer == "equal"
    assert side(done, 0, "on").digest.startswith("7 rows")


def test_sums_of_doubles_may_differ_in_their_last_bits(measured, monkeypatch):
    real, salt = _run.to_digest, iter(range(100))
    monkeypatch.setattr(
        _run,
        "digest_query",
        lambda df, approximate=False: df.limit(0) if approximate else df.limit(next(salt) + 1),
    )
    monkeypatch.setattr(_run._jvm, "metrics", lambda df: "[]")
    monkeypatch.setattr(_run, "to_digest", lambda df: real(_real_digest_query(df)))
    done = measured(Query("q", "select price from orders"))
    assert side(done, 0, "on").answer == "rounded"


_real_digest_query = _run.digest_query


def test_two_columns_of_one_name_are_measured(measured):
    done = measured(Query("q", "select id, id from orders where id < 10"))
    assert side(done, 0, "on").seconds


def test_confs_are_afterwards_as_they_were(measured, spark, set_confs):
    key = "spark.sql.autoBroadcastJoinThreshold"
    before = set_confs(spark)
    measured(Query("q", "table orders", confs={key: "-1"}))
    assert set_confs(spark) == before


def test_duckdb_answers_alike(measured):
    pytest.importorskip("duckdb")
    sql = "select status, count(*) n, avg(price) p from orders where id > 7 group by status"
    done = measured(Query("q", sql), duck=_sides.Duck(1))
    duck = side(done, 0, "duckdb")
    assert duck.answer == "alike"
    assert len(duck.seconds) == 1


def test_a_query_that_duckdb_refuses_is_named_and_the_others_are_measured(measured):
    pytest.importorskip("duckdb")
    done = measured(Query("q", "select java_method('x', 'y') from orders"), duck=_sides.Duck(1))
    assert side(done, 0, "duckdb").answer == "failed"
    done = measured(Query("q", "select bit_count(id) from orders"), duck=_sides.Duck(1))
    assert side(done, 0, "on").answer == "equal"


def test_sides_take_turns_in_going_first(measured, monkeypatch):
    order = []
    real = _run._Bench._run

    def noting(self, side, query):
        order.append(side.name)
        return real(self, side, query)

    monkeypatch.setattr(_run._Bench, "_run", noting)
    monkeypatch.setattr(_run.Plan, "__init__", _with_runs(_run.Plan.__init__, 3))
    measured(Query("q", "table orders"))
    assert order == ["off", "on", "on", "off", "off", "on"]


def _with_runs(init, runs):
    def changed(self, *given):
        init(self, *given)
        object.__setattr__(self, "runs", runs)

    return changed


def test_a_suite_may_ask_how_its_queries_are_planned(measured, spark):
    latebloom.cache(spark).clear()
    sql = (
        "select f.id from (select * from orders where status = 'open') f "
        "join (select * from orders where id < 100) d on f.id = d.id"
    )
    threshold = {"spark.sql.autoBroadcastJoinThreshold": "20000"}
    sides = (_sides.ON, _sides.PLANNED, _sides.OFF)
    done = measured(Query("q", sql, confs=threshold), sides=sides, estimated=True)
    on, planned, off = (side(done, 0, s.name).estimates for s in sides)
    assert (on.joins, on.broadcasts, on.filtered, on.q_errors) == (1, 0, 2, ())
    assert (planned.joins, planned.broadcasts, planned.filtered) == (1, 1, 2)
    assert planned.q_errors == (1.0, 1.0)
    assert (off.joins, off.broadcasts, off.filtered) == (1, 0, 0)


def test_a_side_may_follow_the_query_of_the_day_before_and_nothing_older(measured, spark, orders):
    # A file that has just been written is not remembered.
    os.utime(orders, (1_700_000_000, 1_700_000_000))
    sql = "select id from orders where status = 'open' and id < {}"
    query = Query("q", sql.format(900), before=sql.format(1000))
    measured(query, sides=(_sides.ON, _sides.NEXT_DAY))
    assert latebloom.cache(spark).hits == 1
    # Without it the run had nothing to begin with.
    measured(replace(query, before="select 1"), sides=(_sides.ON, _sides.NEXT_DAY))
    assert latebloom.cache(spark).hits == 0


def test_a_failure_while_estimating_is_named_and_the_others_are_measured(measured, monkeypatch):
    def failing(spark, sql):
        raise LateBloomError("no plan", where="a test", fix="none")

    monkeypatch.setattr(_run, "estimates", failing)
    done = measured(Query("q", "table orders"), Query("r", "table orders"), estimated=True)
    assert len(done.results) == 2
    on = side(done, 1, "on")
    assert on.answer == "failed" and "no plan" in on.problem and on.estimates is None
