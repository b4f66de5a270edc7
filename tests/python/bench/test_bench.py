# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from latebloom_bench import load

psutil = pytest.importorskip("psutil")


@pytest.fixture
def bench(tmp_path):
    """Runs the command in its own process group, and interrupts it as a terminal does."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    n = 20_000
    numbers = {"l_orderkey": range(n), "l_partkey": range(n)}
    pq.write_table(pa.table(numbers), tmp_path / "lineitem.parquet")

    def run(until, *more):
        command = [sys.executable, "-m", "latebloom", "bench", "first-light", *more]
        command += ["--query", "partkey", "--query", "no-filter", "--query", "keeps-all"]
        command += ["--data", str(tmp_path), "--out", str(tmp_path / "out")]
        # Where the tests run in the background SIGINT is ignored, which a child would inherit.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        process = subprocess.Popen(
            [*command, "--cache", str(tmp_path / "cache")],
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        signal.signal(signal.SIGINT, before)
        told = []
        for line in process.stderr:
            told.append(line)
            if until in line:
                break
        started = psutil.Process(process.pid).children(recursive=True)
        os.killpg(process.pid, signal.SIGINT)
        told.append(process.communicate(timeout=120)[1])
        assert psutil.wait_procs(started, timeout=30)[1] == []
        text = "".join(told)
        assert process.returncode == 130, text
        assert "Traceback" not in text and "\tat " not in text, text
        return text

    return run


def test_an_interrupted_run_reports_what_was_measured(bench, tmp_path):
    session = ("--master", "local[1]", "--memory", "700m")
    assert "interrupted: writing what there is" in bench("[2/3]", "--runs", "30", *session)
    report = load(tmp_path / "out" / "first-light.json")
    assert not report.complete
    assert report.facts["confs"]["spark.master"] == "local[1]"
    assert report.facts["confs"]["spark.driver.memory"] == "700m"
    assert [result.query for result in report.results] == ["partkey"]
    assert "Interrupted" in (tmp_path / "out" / "first-light.md").read_text()
    assert not list((tmp_path / "out").glob(".*"))


def test_interrupted_in_the_other_extensions_session_it_keeps_the_two_sides(bench, tmp_path):
    text = bench("    other ", "--runs", "1", "--conf", "spark.sql.shuffle.partitions=2")
    report = load(tmp_path / "out" / "first-light.json")
    assert "interrupted" in text and not report.complete
    assert len(report.results) == 3
    assert all(result.speedup("on", "off") for result in report.results)


def test_interrupted_before_anything_was_measured_nothing_is_written(bench, tmp_path):
    assert "no report is written" in bench("[1/3]", "--runs", "200")
    assert not (tmp_path / "out").exists()
