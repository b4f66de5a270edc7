# SPDX-License-Identifier: Apache-2.0
"""One local session for all Python tests, and small Parquet tables to query."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import latebloom
import pytest
from latebloom import _data

# Many short queries, each with its own classes: Java's optimising compiler never pays. As in build.sbt.
os.environ.setdefault(
    "SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=512m"
)


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    from pyspark.sql import SparkSession

    scratch = tmp_path_factory.mktemp("spark")
    session = (
        latebloom.configure(SparkSession.builder)
        .master("local[2]")
        .appName("latebloom tests")
        .config("spark.driver.memory", "1g")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", str(scratch / "warehouse"))
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def set_confs():
    """The confs that are set in a session, by their keys."""

    def of(session):
        return {row.key: row.value for row in session.sql("set").collect()}

    return of


@pytest.fixture
def no_pyspark_environment(monkeypatch):
    """The variables that decide which Spark is found and how it is configured, unset."""
    for name in list(os.environ):
        if name in ("SPARK_HOME", "SPARK_CONF_DIR", "SPARK_REMOTE") or name.startswith("PYSPARK_"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def orders(tmp_path_factory) -> Path:
    """A Parquet file of 50,000 rows: id 0.., a status of three values, and a long comment."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path_factory.mktemp("data") / "orders.parquet"
    ids = range(50_000)
    table = pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "status": [("open", "held", "done")[i % 3] for i in ids],
            "price": [i / 7 for i in ids],
            "comment": [f"order {i} " + "x" * 40 for i in ids],
        }
    )
    pq.write_table(table, path, write_page_index=True, data_page_size=8192)
    return path


@pytest.fixture
def command():
    """The command line as a user runs it: in its own process, and so with its own session."""

    def run(*arguments, **environment):
        return subprocess.run(
            [sys.executable, "-m", "latebloom", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **environment},
            timeout=300,
        )

    return run


@pytest.fixture
def cache(tmp_path):
    """An empty cache of generated data."""
    return _data.Cache(tmp_path)


@pytest.fixture
def session_without():
    """A session whose Spark was started without the extension."""

    class SessionWithout:
        class conf:
            @staticmethod
            def get(key, default=None):
                return "com.example.Other"

    return SessionWithout()
