# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import subprocess
import sys

import latebloom
import pytest
from latebloom import __main__ as cli
from latebloom import _advise, _eventlog

SQL = "org.apache.spark.sql.execution.ui.SparkListener"


def scan(identity, **metadata):
    return {
        "nodeName": "Scan parquet db.facts",
        "simpleString": "FileScan parquet db.facts",
        "metadata": {
            "Format": "Parquet",
            "ReadSchema": "struct<k:int,price:decimal(12,2),note:string,m:map<int,string>>",
            "DataFilters": "[isnotnull(k#1), (k#1 = 3)]",
            **metadata,
        },
        "metrics": [
            {"name": "number of output rows", "accumulatorId": identity, "metricType": "sum"},
            {"name": "scan time", "accumulatorId": identity + 1, "metricType": "timing"},
        ],
        "children": [],
    }


def node(name, child, rows=None, text=""):
    metrics = [{"name": "number of output rows", "accumulatorId": rows, "metricType": "sum"}]
    return {
        "nodeName": name,
        "simpleString": text,
        "metadata": {},
        "metrics": metrics if rows else [],
        "children": child if isinstance(child, list) else [child],
    }


def log(plan, values, *, seconds=10.0, error="", application="nightly"):
    """The lines of a log of one query, whose one task has all metrics."""
    updates = [{"ID": i, "Update": str(v), "Metadata": "sql"} for i, v in values.items()]
    events = [
        {"Event": "SparkListenerLogStart", "Spark Version": "4.1.3"},
        {"Event": "SparkListenerApplicationStart", "App Name": application},
        {
            "Event": f"{SQL}SQLExecutionStart",
            "executionId": 7,
            "description": "select  1",
            "time": 1000,
            "sparkPlanInfo": node("Scan OneRowRelation", []),
        },
        {
            "Event": f"{SQL}SQLAdaptiveExecutionUpdate",
            "executionId": 7,
            "sparkPlanInfo": plan,
        },
        {
            "Event": "SparkListenerJobStart",
            "Job ID": 0,
            "Stage IDs": [4],
            "Properties": {"spark.sql.execution.id": "7"},
        },
        {
            "Event": "SparkListenerTaskEnd",
            "Stage ID": 4,
            "Task Info": {"Accumulables": updates},
            "Task Metrics": {"Executor Run Time": int(seconds * 1000)},
        },
        {
            "Event": f"{SQL}SQLExecutionEnd",
            "executionId": 7,
            "time": 1000 + int(seconds * 1000),
            "errorMessage": error,
        },
    ]
    return "".join(json.dumps(e, separators=(",", ":")) + "\n" for e in events)


def filtered(rows_id=10):
    return node("WholeStageCodegen (1)", node("Project", node("Filter", scan(1), rows_id)))


def test_a_scan_whose_filter_drops_nearly_all_is_named_with_its_evidence(tmp_path):
    (tmp_path / "app-1").write_text(log(filtered(), {1: 1_000_000, 2: 9000, 10: 20}))
    answer = latebloom.advise(tmp_path)
    assert answer.queries == 1
    (advice,) = answer
    assert (advice.application, advice.id, advice.seconds) == ("nightly", 7, 10.0)
    assert advice.speedup > 2
    (finding,) = advice.findings
    assert (finding.scan, finding.rows, finding.left) == ("db.facts", 1_000_000, 20)
    assert "db.facts: 0.00% of 1,000,000 rows pass its filter" in str(answer)
    assert "select 1" in answer._repr_html_()
    assert json.loads(json.dumps(answer.to_dict()))["queries"] == 1


def test_a_scan_whose_rows_are_all_needed_is_not(tmp_path):
    (tmp_path / "app-1").write_text(log(filtered(), {1: 1_000_000, 2: 9000, 10: 1_000_000}))
    assert len(latebloom.advise(tmp_path)) == 0
    (advice,) = latebloom.advise(tmp_path, least=1)
    assert advice.speedup == pytest.approx(1)


def test_what_a_join_drops_after_a_shuffle_counts(tmp_path):
    def joined(name, text):
        side = node("Exchange", node("ColumnarToRow", scan(1)))
        return node(name, [node("Sort", side), node("Exchange", scan(30))], 20, text)

    values = {1: 50_000_000, 2: 9000, 20: 10, 30: 10}
    inner = joined("SortMergeJoin(skew=false)", "SortMergeJoin [k#1], [k#2], Inner")
    (tmp_path / "app-1").write_text(log(inner, values, seconds=60))
    (advice,) = latebloom.advise(tmp_path)
    assert advice.findings[0].joined == 10
    assert advice.findings[0].left == 50_000_000
    outer = joined("SortMergeJoin(skew=false)", "SortMergeJoin [k#1], [k#2], LeftOuter")
    (tmp_path / "app-1").write_text(log(outer, values, seconds=60))
    assert len(latebloom.advise(tmp_path)) == 0


def exchange(child, records):
    told = node("Exchange", child)
    label = "shuffle records written"
    told["metrics"] = [{"name": label, "accumulatorId": records, "metricType": "sum"}]
    return told


def merged(left, right, rows, kind):
    sides = [node("Sort", exchange(left, 40)), node("Sort", exchange(right, 41))]
    return node("SortMergeJoin", sides, rows, f"SortMergeJoin [k#1], [k#2], {kind}")


def seconds_saved(tmp_path, plan, values):
    """What a scan of 1,000 rows saves whose stage takes ten seconds, none of them for reading."""
    (tmp_path / "app-1").write_text(log(plan, {1: 1000, 2: 0, **values}))
    (advice,) = latebloom.advise(tmp_path, least=0)
    return {f.rows: f.seconds for f in advice.findings}[1000]


def test_a_stage_is_spared_by_the_part_of_its_records_that_is_dropped(tmp_path):
    values = {30: 10, 40: 900, 41: 100}
    sides = (scan(1), scan(30))
    in_scan = 10 * _advise._IN_SCAN
    none_left = seconds_saved(tmp_path, merged(*sides, 20, "Inner"), {**values, 20: 0})
    assert none_left == pytest.approx(in_scan + 10 * 0.9)
    all_left = seconds_saved(tmp_path, merged(*sides, 20, "Inner"), {**values, 20: 1000})
    assert all_left == pytest.approx(0)
    # Rows that are left cost more than those that are dropped.
    half = seconds_saved(tmp_path, merged(*sides, 20, "LeftSemi"), {**values, 20: 500})
    assert 0 < half < none_left / 4


@pytest.mark.parametrize(
    ("kind", "passes"),
    [("LeftOuter", True), ("LeftAnti", True), ("RightOuter", False), ("FullOuter", False)],
)
def test_keys_reach_a_scan_through_joins_that_keep_its_rows(tmp_path, kind, passes):
    below = merged(scan(1), scan(30), 20, kind)
    inner = node("BroadcastHashJoin", [below, scan(50)], 21, "BroadcastHashJoin [k], [k], Inner")
    saved = seconds_saved(tmp_path, inner, {20: 1000, 21: 0, 30: 9, 40: 1000, 41: 0, 50: 9})
    assert saved == pytest.approx(10 * (1 + _advise._IN_SCAN) if passes else 0)


def test_a_build_side_is_judged_by_its_own_filter(tmp_path):
    built = node("BroadcastExchange", node("Filter", scan(1), 10))
    joined = node("BroadcastHashJoin", [scan(30), built], 20, "BroadcastHashJoin [k], [k], Inner")
    assert seconds_saved(tmp_path, joined, {10: 1000, 20: 0, 30: 9}) == pytest.approx(0)


def test_a_reused_scan_must_spare_rows_in_each_place(tmp_path):
    plan = node("Union", [node("Filter", scan(1), 10), node("Filter", scan(1), 11)])
    for kept in ({10: 0, 11: 1000}, {10: 1000, 11: 0}):
        assert seconds_saved(tmp_path, plan, kept) == pytest.approx(0)


def test_a_reused_scan_counts_once(tmp_path):
    plan = node("Union", [filtered(), node("ReusedExchange", filtered())])
    (tmp_path / "app-1").write_text(log(plan, {1: 1_000_000, 2: 9000, 10: 20}))
    (advice,) = latebloom.advise(tmp_path)
    assert len(advice.findings) == 1


def test_queries_that_failed_and_other_formats_are_left_out(tmp_path):
    values = {1: 1_000_000, 2: 9000, 10: 20}
    (tmp_path / "app-1").write_text(log(filtered(), values, error="it broke"))
    assert latebloom.advise(tmp_path).queries == 0
    csv = node("Filter", scan(1, Format="CSV"), 10)
    (tmp_path / "app-1").write_text(log(csv, values))
    assert len(latebloom.advise(tmp_path, least=1)) == 0


def test_logs_of_all_forms_are_read(tmp_path):
    import zstandard

    text = log(filtered(), {1: 1_000_000, 2: 9000, 10: 20}).encode()
    (tmp_path / "app-1.inprogress").write_bytes(text[:-20])
    packed = zstandard.compress(text[:1000]) + zstandard.compress(text[1000:])
    (tmp_path / "app-2.zstd").write_bytes(packed)
    rolling = tmp_path / "eventlog_v2_app-3"
    rolling.mkdir()
    (rolling / "appstatus_app-3").touch()
    half = text.index(b"\n", 900) + 1
    (rolling / "events_10_app-3").write_bytes(text[half:])
    (rolling / "events_2_app-3").write_bytes(text[:half])
    assert [q.id for q in _eventlog.queries(tmp_path)] == [7, 7]
    assert latebloom.advise(rolling).queries == 1


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("log", "something else\n", "not an event log"),
        ("log.lz4", "", "compressed by lz4"),
        (None, "", "there is no event log"),
    ],
)
def test_what_is_no_log_is_named_with_a_remedy(tmp_path, capsys, name, content, said):
    if name:
        (tmp_path / name).write_text(content)
    assert cli.main(["advise", "--event-log", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert str(tmp_path) in told


def test_the_log_of_a_plain_spark_names_the_selective_query(tmp_path, capsys, orders):
    program = f"""
from pyspark.sql import SparkSession
spark = (SparkSession.builder.master("local[1]").appName("plain")
    .config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", {str(tmp_path)!r})
    .config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1").getOrCreate())
rows = spark.read.parquet({str(orders)!r})
rows.where("status = 'open' and id = 9").write.format("noop").mode("overwrite").save()
rows.write.format("noop").mode("overwrite").save()
spark.stop()
"""
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, timeout=300)
    found = {
        f.left: f
        for q in _eventlog.queries(tmp_path)
        if (advice := _advise.of(q)) is not None
        for f in advice.findings
    }
    assert set(found) == {1, 50_000}
    # Of pages that Spark itself does not skip.
    assert 1 < found[1].rows < 50_000
    assert found[1].seconds > found[50_000].seconds
    assert cli.main(["advise", "--json", "--least", "1", "--event-log", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["queries"] == 2
