# SPDX-License-Identifier: Apache-2.0
"""Clients of real Spark Connect servers, which the tests start."""

from __future__ import annotations

import subprocess
import sys
import warnings
from contextlib import ExitStack, contextmanager

import latebloom
import pytest
from _servers import HOME, PATIENCE, Server, without_spark
from latebloom import _connect

KEY = "spark.latebloom.enabled"
EXTENSION = f"spark.sql.extensions={_connect.EXTENSION}"
PROVIDER = "spark.sql.extendedExplainProviders=latebloom.inspect.LateBloomExplain"

pytestmark = pytest.mark.skipif(
    not list(HOME.glob("jars/spark-connect_*.jar")),
    reason="this Spark has its Connect server in a separate package",
)


def server(folder, *options):
    main = "org.apache.spark.sql.connect.service.SparkConnectServer"
    return Server(main, "spark.connect.grpc.binding.port", folder, *options)


def address_of(started):
    """Where a server answers, once it does."""
    return f"sc://127.0.0.1:{started.await_answer().port}"


@contextmanager
def client(address):
    """A session of its own, beside the one with a JVM that other tests of this process use."""
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(address).create()
    try:
        yield session
    finally:
        session.stop()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("connect")
    options = ("--jars", str(latebloom.jar_path()), "--conf", EXTENSION, "--conf", PROVIDER)
    with server(folder, *options) as started:
        yield address_of(started)


@pytest.fixture(scope="module")
def remote(address):
    with client(address) as session:
        yield session


@pytest.fixture
def table(remote, orders):
    return remote.read.parquet(str(orders))


def views(session):
    return [table.name for table in session.catalog.listTables()]


def test_explain_shows_that_the_late_scan_takes_the_work(table, remote):
    told = latebloom.explain(table.where("id < 9"))
    (scan,) = told.scans
    assert scan.applied
    assert scan.node.startswith("LateScan")
    assert scan.filter_columns == ("id",)
    assert "LateScan" in str(told)
    assert views(remote) == []


def test_the_switch_works_and_the_answers_are_equal(table, remote):
    from pyspark.sql.connect import functions

    query = table.where(functions.col("comment").contains("77")).orderBy("id")
    with latebloom.disabled(remote):
        assert remote.conf.get(KEY) == "false"
        (scan,) = latebloom.explain(query).scans
        assert (scan.applied, scan.code) == (False, "disabled")
        off = query.collect()
    with latebloom.enabled(remote):
        (scan,) = latebloom.explain(query).scans
        assert scan.applied
        assert query.collect() == off
    assert len(off) == sum("77" in str(i) for i in range(50_000))
    assert remote.conf.get(KEY) == "true"


def test_whynot_has_the_reasons_with_the_most_bytes_first(table, orders):
    (cause,) = latebloom.whynot(table.where("id < 9").where("rand() < 0.5"))
    assert (cause.part, cause.code) == ("predicate", "non-deterministic")
    (cause,) = latebloom.whynot(table.select("id"))
    assert (cause.part, cause.code) == ("scan", "no-filter")
    assert cause.bytes == orders.stat().st_size
    assert cause.fix
    assert len(latebloom.whynot(table.where("id < 9"))) == 0


def test_profile_runs_the_query_and_shows_what_its_scan_did(table):
    told = latebloom.profile(table.where("id < 900 and status = 'open'"))
    assert told.rows == 300
    (scan,) = told.scans
    assert scan.metric("numOutputRows") == 300
    assert scan.steps[-1].left == 300
    assert {"id", "status"} <= set(scan.scan.filter_columns)
    assert told.seconds > 0


def test_a_query_that_has_ended_is_profiled_by_its_number(table, remote):
    table.where("id < 600 and status = 'open'").collect()
    newest = remote.sql("select * from latebloom_queries()").first()
    assert (newest.scans, newest.taken) == (1, 1)
    past = latebloom.profile(execution_id=newest.execution_id, spark=remote)
    assert past.rows is None
    (scan,) = past.scans
    assert scan.metric("numOutputRows") == 200
    assert scan.steps[-1].left == 200
    assert {column.name for column in scan.columns} == {"id", "status", "price", "comment"}
    now = latebloom.profile(table.where("id < 600 and status = 'open'"))
    assert [step.name for step in past.scans[0].steps] == [s.name for s in now.scans[0].steps]
    assert "LateScan" in past.explanation.plan
    rows = remote.sql(f"select * from latebloom_profile({newest.execution_id})").collect()
    assert {row.part for row in rows} == {"query", "scan", "step", "visits", "column"}
    with pytest.raises(latebloom.LateBloomError, match="nothing is known of query 123456") as error:
        latebloom.profile(execution_id=123456, spark=remote)
    assert error.value.where.startswith("application local-")
    with pytest.raises(Exception, match="Nothing is known of query 123456"):
        remote.sql("select * from latebloom_profile(123456)").collect()


def test_compare_finds_equal_answers_and_what_the_scan_did(table, remote):
    compared = latebloom.compare(table.where("comment like '%77%'"), runs=1)
    assert compared.equal
    assert compared.rows == sum("77" in str(i) for i in range(50_000))
    assert [scan.node.split()[0] for scan in compared.scans] == ["LateScan"]
    assert compared.total("rowsFiltered") + compared.total("rowsPruned") == 50_000 - compared.rows
    assert views(remote) == []


def test_confs_have_their_values_in_this_session(remote):
    remote.conf.set("spark.latebloom.scan.pageCacheBytes", "1m")
    try:
        assert latebloom.confs(remote)["spark.latebloom.scan.pageCacheBytes"].value == "1m"
    finally:
        remote.conf.unset("spark.latebloom.scan.pageCacheBytes")


def test_the_cache_is_that_of_the_server_and_can_be_cleared(table, remote):
    latebloom.cache(remote).clear()
    assert latebloom.cache(remote).lookups == 0
    table.where("id = 77").collect()
    assert latebloom.cache(remote).lookups == 1
    latebloom.cache(remote).clear()
    assert latebloom.cache(remote).lookups == 0


def test_two_columns_of_one_name_are_no_obstacle(table):
    told = latebloom.explain(table.where("id < 9").selectExpr("id a", "status a"))
    assert [scan.applied for scan in told.scans] == [True]


def test_a_query_that_fails_leaves_no_view(table, remote):
    failing = table.where("id < 9").selectExpr("raise_error('on purpose')")
    with pytest.raises(Exception, match="on purpose"):
        latebloom.profile(failing)
    assert views(remote) == []


def test_any_client_asks_through_sql(remote, orders):
    query = f"select id from parquet.`{orders}` where id < 9 and rand() < 0.5"
    (row,) = remote.sql("select * from latebloom_whynot(:q)", args={"q": query}).collect()
    assert (row.part, row.code) == ("predicate", "non-deterministic")
    assert remote.sql("select * from latebloom_version()").collect()[0].spark == remote.version


def test_a_server_of_another_version_is_told_once_a_session(address, monkeypatch):
    monkeypatch.setattr(latebloom, "__version__", "99.1.0")
    with client(address) as session:
        with pytest.warns(UserWarning, match=r"and this client's is 99\.1\.0"):
            latebloom.confs(session)
        assert warned(session) == []


def test_a_server_of_the_same_version_is_not_worth_a_word(address):
    with client(address) as session:
        assert warned(session) == []


def warned(session):
    """The warnings of a question."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert len(latebloom.confs(session).entries) > 9
    return [warning for warning in told if warning.category is UserWarning]


def test_servers_that_lack_something_say_what_to_add(tmp_path):
    (tmp_path / "bare").mkdir()
    (tmp_path / "jarless").mkdir()
    with ExitStack() as stack:
        bare = stack.enter_context(server(tmp_path / "bare"))
        jarless = stack.enter_context(server(tmp_path / "jarless", "--conf", EXTENSION))
        session = stack.enter_context(client(address_of(bare)))
        with pytest.raises(latebloom.ExtensionNotLoadedError) as error:
            latebloom.explain(session.range(1))
        assert "start the server with --jars" in error.value.fix and EXTENSION in error.value.fix
        session = stack.enter_context(client(address_of(jarless)))
        with (
            pytest.raises(latebloom.JarNotFoundError, match="SQL functions") as error,
            latebloom.disabled(session),
        ):
            pass
        assert "start the server with --jars" in error.value.fix


def program(text, **settings):
    """A program of a user, in a process of its own: its last line, and what it says on stderr."""
    ran = subprocess.run(
        [sys.executable, "-W", "always", "-c", text],
        capture_output=True,
        text=True,
        check=False,
        env={**without_spark(), "SPARK_LOCAL_IP": "127.0.0.1", **settings},
        timeout=PATIENCE,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    return ran.stdout.splitlines()[-1], ran.stderr


def test_a_program_with_nothing_but_a_client_compares(address, orders):
    said, _ = program(
        f"""
import latebloom
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.remote({address!r}).getOrCreate()
df = spark.read.parquet({str(orders)!r}).where(F.col("id") < 9)
print(latebloom.explain(df).scans[0].applied, latebloom.compare(df, runs=1).rows)
"""
    )
    assert said == "True 9"


def test_configure_starts_a_local_server_with_latebloom_and_without_false_alarms():
    said, errors = program(
        """
import latebloom
from pyspark.sql import SparkSession
builder = SparkSession.builder.remote("local[1]").config("spark.latebloom.enabled", "false")
spark = latebloom.configure(builder).getOrCreate()
print(latebloom.confs(spark)["spark.latebloom.enabled"].value)
spark.stop()
""",
        # PySpark's own way to a free port.
        SPARK_TESTING="1",
    )
    assert said == "false"
    assert "CANNOT_MODIFY" not in errors
