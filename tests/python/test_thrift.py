# SPDX-License-Identifier: Apache-2.0
"""A JDBC client of a real Thrift server, as ``docs/connect.md`` starts it."""

from __future__ import annotations

import subprocess

import latebloom
import pyspark
import pytest
from _servers import HOME, PATIENCE, Server, environment
from latebloom import _connect

pytestmark = pytest.mark.skipif(
    not list(HOME.glob("jars/spark-hive-thriftserver_*.jar")),
    reason="this Spark has no Thrift server",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    main = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
    jar = str(latebloom.jar_path())
    started = Server(
        main,
        "spark.hive.server2.thrift.port",
        tmp_path_factory.mktemp("thrift"),
        *("--driver-class-path", jar, "--jars", jar),
        *("--conf", f"spark.sql.extensions={_connect.EXTENSION}"),
        *("--conf", "spark.sql.extendedExplainProviders=latebloom.inspect.LateBloomExplain"),
    )
    with started:
        yield started.await_answer()


@pytest.fixture
def beeline(server, tmp_path):
    """The lines that a session of its own prints."""

    def session(*statements):
        file = tmp_path / "statements.sql"
        file.write_text("".join(f"{statement};\n" for statement in statements))
        url = f"jdbc:hive2://127.0.0.1:{server.port}"
        options = ("--outputformat=tsv2", "--silent=true", "-n", "anyone")
        ran = subprocess.run(
            [str(HOME / "bin" / "beeline"), *options, "-u", url, "-f", str(file)],
            capture_output=True,
            text=True,
            check=False,
            env=environment(),
            timeout=PATIENCE,
        )
        assert ran.returncode == 0, ran.stderr[-2000:] + server.log()[-2000:]
        return [line for line in ran.stdout.splitlines() if line.strip()]

    return session


def test_a_jdbc_client_asks_what_was_taken_and_why_not(beeline):
    beeline("CREATE TABLE orders USING parquet AS SELECT id, id % 9 state FROM range(9000)")
    # The end of the first session closes the class loader that has the jars of --jars.
    query = "SELECT id FROM orders WHERE state = 3"
    lines = beeline(
        f"SELECT part, applied, code FROM latebloom_explain('{query}')",
        "SELECT part, code FROM latebloom_whynot('SELECT id FROM orders')",
        f"SELECT part, rows_out FROM latebloom_profile('{query}') WHERE part = 'query'",
        f"EXPLAIN {query}",
        f"SELECT 'rows', count(*) FROM ({query})",
    )
    assert {"scan\ttrue\tNULL", "scan\tno-filter", "query\t1000", "rows\t1000"} <= set(lines)
    plan = "\n".join(lines)
    assert "LateScan parquet" in plan
    # Spark 3.5 asks no extension for its part of EXPLAIN.
    assert ("Extended Information (LateBloom)" in plan) != pyspark.__version__.startswith("3.5.")
