# SPDX-License-Identifier: Apache-2.0
"""Executors that die, freeze, leave or run out of disk, and a driver that accepts little."""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Cluster
    from pyspark.sql import DataFrame, Row

# One in five rows takes a millisecond, so that there is time to do harm.
SLOW = """
    select count(*) n, sum(id) ids, max(s) s from (
      select f.id, f.s,
        java_method('java.lang.Thread', 'sleep', if(f.id % 100 < 20, 1L, 0L)) slept
      from fact f join dim d on f.k = d.k where d.few = 3 and d.k < 20000)
    where slept is not null
"""
LARGE_SHUFFLES = """
    select count(*), sum(length(s)) from (
      select s, row_number() over (partition by s order by id) n from fact f join dim d on f.k = d.k
      where d.few < 8)
    where n = 1
"""
MANY_KEYS = "select count(*), max(f.s) from fact f join wide w on f.id = w.id where w.s like '%7%'"


def frame_of(cluster: Cluster, sql: str, *, enabled: bool, broadcast: bool) -> DataFrame:
    conf = cluster.spark.conf
    conf.set("spark.latebloom.enabled", str(enabled).lower())
    conf.set("spark.sql.autoBroadcastJoinThreshold", "10m" if broadcast else "-1")
    df = cluster.spark.sql(sql)
    plan = df._jdf.queryExecution().executedPlan().toString()
    assert ("LateScan" in plan) == ("JoinFilters: [" in plan) == enabled, plan
    return df


def answer(cluster: Cluster, sql: str, *, enabled: bool, broadcast: bool) -> list[Row]:
    return frame_of(cluster, sql, enabled=enabled, broadcast=broadcast).collect()


def keys_gathered(df: DataFrame) -> list[int]:
    """How many keys each join filter of a query got, which has run."""
    plan = df.sparkSession._jvm.latebloom.inspect.PlanNodes.all(
        df._jdf.queryExecution().executedPlan()
    )
    nodes = [plan.apply(i) for i in range(plan.size())]
    found = [n for n in nodes if n.getClass().getSimpleName() == "KeysSubqueryExec"]
    return [node.metrics().apply("keys").value() for node in found]


@pytest.fixture(scope="module")
def expected(cluster: Cluster) -> list[Row]:
    """Spark's answer to the slow query."""
    return answer(cluster, SLOW, enabled=False, broadcast=True)


def meanwhile(
    run: Callable[[], list[Row]],
) -> tuple[threading.Thread, list[list[Row] | Exception]]:
    """Runs beside this thread; the list gets the rows, or the error."""
    ended: list[list[Row] | Exception] = []

    def body() -> None:
        try:
            ended.append(run())
        except Exception as error:  # noqa: BLE001 - it is what the test looks at
            ended.append(error)

    thread = threading.Thread(target=body, daemon=True)
    thread.start()
    return thread, ended


def begun(cluster: Cluster, thread: threading.Thread, tasks: int = 4) -> None:
    """Waits until so many tasks have ended while the query still runs."""
    tracker = cluster.spark.sparkContext.statusTracker()
    end = time.monotonic() + 60
    while time.monotonic() < end:
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        running = [s for s in stages if s and s.numActiveTasks > 0]
        if any(s.numCompletedTasks >= tasks for s in running):
            assert thread.is_alive()
            return
        time.sleep(0.02)
    raise AssertionError("no stage got so far")


def speculated(cluster: Cluster) -> int:
    """How many copies of slow tasks were started so far."""
    context = cluster.spark.sparkContext
    store = context._jsc.sc().statusStore()
    quantiles = context._gateway.new_array(context._jvm.double, 0)
    stages = store.stageList(None, False, False, quantiles, None)
    summaries = [
        store.speculationSummary(stages.apply(i).stageId(), stages.apply(i).attemptId())
        for i in range(stages.size())
    ]
    return sum(s.get().numTasks() for s in summaries if s.isDefined())


def ends(process: int, seconds: float = 60) -> None:
    """Waits until a process has ended."""
    end = time.monotonic() + seconds
    while Path(f"/proc/{process}").exists():
        assert time.monotonic() < end, "the executor stays"
        time.sleep(0.1)


def executors(cluster: Cluster, active: bool) -> list[Any]:
    """What Spark's status store says of its executors and the driver: of the active ones, or of all."""
    known = cluster.spark.sparkContext._jsc.sc().statusStore().executorList(active)
    return [known.apply(i) for i in range(known.size())]


def reasons_of_losses(cluster: Cluster) -> list[str]:
    """Why executors are no more, in the order in which they went."""
    gone = [e for e in executors(cluster, active=False) if e.removeTime().isDefined()]
    gone.sort(key=lambda e: e.removeTime().get().getTime())
    return [str(e.removeReason().getOrElse(None)).lower() for e in gone]


@contextmanager
def no_disk(processes: list[int], size: int) -> Iterator[None]:
    """Within, no file of the processes may grow above ``size`` bytes."""
    before = [resource.prlimit(pid, resource.RLIMIT_FSIZE) for pid in processes]
    for pid, (_, hard) in zip(processes, before, strict=True):
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        for pid, limits in zip(processes, before, strict=True):
            if Path(f"/proc/{pid}").exists():
                resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize(
    ("harm", "broadcast"),
    [(signal.SIGKILL, False), (signal.SIGSTOP, True), (signal.SIGPWR, False)],
    ids=["killed", "frozen", "decommissioned"],
)
def test_a_query_survives_an_executor(
    harm: signal.Signals, broadcast: bool, cluster: Cluster, expected: list[Row]
) -> None:
    """Spark rebuilds the lost executor's keys, broadcasts and shuffled rows, and its work counts
    once. The other executor runs copies of the frozen one's tasks, and takes over what one that is
    decommissioned has shuffled."""
    victim = cluster.await_executors()[0]
    df = frame_of(cluster, SLOW, enabled=True, broadcast=broadcast)
    copies = speculated(cluster)
    thread, ended = meanwhile(df.collect)
    begun(cluster, thread)
    os.kill(victim, harm)
    try:
        thread.join(120)
        assert ended == [expected]
        if harm == signal.SIGSTOP:
            assert speculated(cluster) > copies
        if harm == signal.SIGPWR:
            ends(victim)
            assert "decommission" in reasons_of_losses(cluster)[-1]
    finally:
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)


def finished_tasks(cluster: Cluster) -> dict[str, int]:
    """How many tasks each executor has ended well."""
    known = executors(cluster, active=True)
    return {e.id(): e.completedTasks() for e in known if e.id() != "driver"}


def unpack_libraries(cluster: Cluster, seconds: float = 120) -> None:
    """Lets each executor load what decompresses, a library that is unpacked to a file first, which takes
    a disk."""
    cluster.await_executors()
    load = "java_method('org.xerial.snappy.Snappy', 'getNativeLibraryVersion') v"
    before = finished_tasks(cluster)
    end = time.monotonic() + seconds
    while any(n == before.get(e, 0) for e, n in finished_tasks(cluster).items()):
        assert time.monotonic() < end, "an executor gets no task"
        cluster.spark.range(0, 16, 1, 16).selectExpr(load).collect()


def test_a_full_disk_is_the_same_error_as_sparks_and_no_error_after_it(
    cluster: Cluster,
) -> None:
    expected = answer(cluster, LARGE_SHUFFLES, enabled=False, broadcast=False)
    unpack_libraries(cluster)
    off = frame_of(cluster, LARGE_SHUFFLES, enabled=False, broadcast=False)
    on = frame_of(cluster, LARGE_SHUFFLES, enabled=True, broadcast=False)
    with no_disk([*cluster.await_executors(), cluster.driver()], 50_000):
        for df in (off, on):
            with pytest.raises(Exception, match="File too large"):
                df.collect()
    cluster.await_executors()
    # A new DataFrame: Spark itself keeps one whose shuffle has failed in that state.
    assert answer(cluster, LARGE_SHUFFLES, enabled=True, broadcast=False) == expected


def test_keys_that_the_driver_does_not_take_are_no_filter(cluster: Cluster) -> None:
    """The query itself has few rows for the driver: it must not fail for what helps it."""
    expected = answer(cluster, MANY_KEYS, enabled=False, broadcast=False)
    df = frame_of(cluster, MANY_KEYS, enabled=True, broadcast=False)
    assert df.collect() == expected
    assert keys_gathered(df) == [0]
