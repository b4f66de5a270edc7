# SPDX-License-Identifier: Apache-2.0
"""Queries that have ended: in the Spark UI, by their number, in event logs, in the history server."""

from __future__ import annotations

import contextlib
import html
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import latebloom
import pyspark
import pytest
from latebloom import LateBloomError, _past

# Runs queries with a UI and an event log, and prints what it saw.
_APPLICATION = """
import json, sys, urllib.request
import latebloom
from pyspark.sql import SparkSession

orders, logs = sys.argv[1:]
spark = (
    latebloom.configure(SparkSession.builder)
    .master("local[2]")
    .config("spark.driver.memory", "1g")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.ui.port", "0")
    .config("spark.eventLog.enabled", "true")
    .config("spark.eventLog.dir", "file:" + logs)
    .config("spark.eventLog.compress", "false")
    .getOrCreate()
)
spark.read.parquet(orders).createOrReplaceTempView("orders")
spark.sql("select id from orders where status < 'e' and comment like '%<9>%'").collect()
spark.sql("select sum(price) from orders where status = 'open'").collect()
spark.sql("select count(*) from orders where rand() < 0.5").collect()
spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()

def page(path):
    return urllib.request.urlopen(spark.sparkContext.uiWebUrl + path, timeout=20).read().decode()

numbers = (1, 2, 999)
pages = {p: page(p) for p in ("/latebloom/", *(f"/latebloom/query/?id={n}" for n in numbers))}
pages["/latebloom/query/?id=<b>"] = page("/latebloom/query/?id=%3Cb%3E")
pages["sql"] = page("/SQL/execution/?id=1")
print("\\n" + json.dumps({"pages": pages, "profile": latebloom.profile(execution_id=1).to_dict()}))
"""


@pytest.fixture(scope="module")
def application(tmp_path_factory, orders):
    logs = tmp_path_factory.mktemp("logs")
    run = subprocess.run(
        [sys.executable, "-c", _APPLICATION, str(orders), str(logs)],
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return logs, json.loads(run.stdout.splitlines()[-1])


def test_a_query_is_profiled_by_its_number(spark, orders):
    df = spark.read.parquet(str(orders)).where("status = 'open'")
    now = latebloom.profile(df)
    reader = spark.read.parquet(str(orders)).where("status = 'held'")
    reader.collect()
    last = spark._jsparkSession.sharedState().statusStore().executionsList().last().executionId()
    past = latebloom.profile(execution_id=last)
    assert past.rows is None
    (scan,) = past.scans
    assert scan.scan.applied
    assert [s.left for s in scan.steps][::2] == [50_000, 16_667]
    assert scan.metric("numOutputRows") == 16_667
    assert [s.name for s in now.scans[0].steps] != [s.name for s in scan.steps]
    assert "rows" not in str(past).splitlines()[0]
    with pytest.raises(LateBloomError, match="nothing is known of query 123456"):
        latebloom.profile(execution_id=123456)
    with pytest.raises(LateBloomError, match="takes a DataFrame, or"):
        latebloom.profile()
    with pytest.raises(LateBloomError, match="takes a DataFrame, or"):
        latebloom.profile(df, execution_id=1)


def test_the_tab_shows_queries_and_their_funnels(application):
    _, told = application
    pages = told["pages"]
    everything = _text(pages["/latebloom/"])
    assert "Scans taken: 2 of 3" in everything
    # The root cause, as whynot names it.
    assert "non-deterministic" in everything
    assert "nothing-pushable" not in everything
    assert 'href="/latebloom/query/?id=1"' in pages["/latebloom/"]
    query = pages["/latebloom/query/?id=1"]
    assert "&lt;9&gt;" in query
    assert "<9>" not in query
    funnel = [row for row in re.findall(r"<tr>(.*?)</tr>", query, re.DOTALL) if "%" in row]
    assert _text(funnel[0]).split()[-3:] == ["50,000", "100.00", "%"]
    assert 'href="/SQL/execution/?id=1"' in query
    assert re.search(r"1 row groups read (late|eagerly): ", _text(pages["/latebloom/query/?id=2"]))
    columns = [_text(row).split() for row in re.findall(r"<tr>(.*?)</tr>", query, re.DOTALL)]
    assert ["id", "payload", "0", "0", "50,000"] in columns
    assert "No report of query 999" in _text(pages["/latebloom/query/?id=999"])
    assert "<b></p>" not in pages["/latebloom/query/?id=<b>"]


def test_the_plan_shows_no_metric_that_is_zero(application):
    _, told = application
    page = html.unescape(told["pages"]["sql"])
    # Since Spark 4.3 as JSON; before, as lines of the node's text.
    found = re.findall(r'"LateScan parquet ",.*?"metrics":\[(.*?)\]', page, re.DOTALL)
    if found:
        shown = dict(re.findall(r'"name":"(.*?)","value":"(.*?)"', found[0]))
    else:
        nodes = re.findall(r"LateScan parquet (.*?)\];", page, re.DOTALL)
        (node,) = [node for node in nodes if "rows dropped by scan filters" in node]
        shown = dict(line.split(": ", 1) for line in node.split("<br>") if ": " in line)
    assert shown["rows dropped by scan filters"] == "50,000"
    ours = shown.keys() - {"metadata time", "number of output rows"}
    assert not [name for name in ours if shown[name].strip() == "0"]


def test_an_event_log_tells_what_the_application_did(application, command):
    logs, told = application
    known = _past.logged(logs)
    assert [(q.scans, q.taken) for q in known.queries] == [(1, 1), (1, 1), (1, 0)]
    profile = latebloom.profile(event_log=logs, execution_id=1)
    there, past = told["profile"], json.loads(json.dumps(profile.to_dict()))
    # Spark counts it in the JVM; the log has it in milliseconds.
    assert past.pop("seconds") == pytest.approx(there.pop("seconds"), abs=0.01)
    assert past == there
    assert "LateScan" in profile.explanation.plan
    with pytest.raises(LateBloomError, match=r"several queries(.|\n)*collect"):
        latebloom.profile(event_log=logs)
    with pytest.raises(LateBloomError, match="no report of query 77"):
        latebloom.profile(event_log=logs, execution_id=77)
    listed = command("profile", "--event-log", str(logs))
    assert "1 of 1" in listed.stdout
    assert "0 of 1" in listed.stdout
    shown = command("profile", "--event-log", str(logs), "--execution-id", "1", "--json")
    assert json.loads(shown.stdout)["scans"] == there["scans"]


def test_a_log_without_reports_says_so(tmp_path, command):
    log = tmp_path / "app-1"
    log.write_text('{"Event":"SparkListenerApplicationStart","App Name":"a"}\n')
    with pytest.raises(LateBloomError, match="no report of LateBloom"):
        latebloom.profile(event_log=log)
    both = command("profile", "select 1", "--event-log", str(log))
    assert both.returncode == 2
    assert "takes a query, or an event log" in both.stderr


def test_the_history_server_has_the_tab(application):
    logs, _ = application
    jars = Path(pyspark.__file__).parent / "jars"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [
            *("java", "-cp", f"{jars}/*:{latebloom.jar_path()}"),
            f"-Dspark.history.fs.logDirectory=file:{logs}",
            f"-Dspark.history.ui.port={port}",
            "org.apache.spark.deploy.history.HistoryServer",
        ],
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        (app,) = [f.name for f in logs.iterdir() if f.name[0] != "."]
        _wait_for(
            "Scans taken: 2 of 3",
            f"http://127.0.0.1:{port}/history/{app.removeprefix('eventlog_v2_')}/latebloom/",
        )
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait()


def _wait_for(text: str, url: str) -> None:
    """Until the server has begun, and has read the log: till then it shows another page."""
    end = time.monotonic() + 90
    page = "no answer"
    while text not in _text(page):
        assert time.monotonic() < end, page
        time.sleep(0.5)
        with contextlib.suppress(OSError):
            page = urllib.request.urlopen(url, timeout=20).read().decode()


def _text(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).replace("&nbsp;", " ").split())
