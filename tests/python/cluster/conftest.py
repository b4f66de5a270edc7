# SPDX-License-Identifier: Apache-2.0
"""A cluster of two executors, each on a host of its own as far as Spark knows, on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import latebloom
import pytest
from latebloom import _versions
from pyspark.sql import SparkSession

CONFS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    # Many keys of a join filter are larger.
    "spark.driver.maxResultSize": "100k",
    # A task that takes long is soon tried on the other host.
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.minTaskRuntime": "2s",
    # An executor that is silent is soon lost.
    "spark.executor.heartbeatInterval": "1s",
    "spark.network.timeout": "12s",
    "spark.network.timeoutInterval": "2s",
    # One that is told to leave hands over what it shuffled.
    "spark.decommission.enabled": "true",
    "spark.storage.decommission.enabled": "true",
    "spark.storage.decommission.shuffleBlocks.enabled": "true",
    "spark.storage.decommission.replicationReattemptInterval": "1s",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.files.maxPartitionBytes": "200000",
    "spark.sql.files.openCostInBytes": "100000",
    "spark.latebloom.join.minScanBytes": "0",
    "spark.latebloom.join.patience": "1e9",
}


class Cluster:
    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.folder = folder

    def executors(self) -> list[int]:
        """The processes of the executors that run."""
        app = self.spark.sparkContext.applicationId
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
                except OSError:
                    continue
                backend = any(word.endswith("CoarseGrainedExecutorBackend") for word in words)
                if backend and app in words and words[0].endswith("java"):
                    found.append(int(entry.name))
        return sorted(found)

    def driver(self) -> int:
        """The process of the driver's JVM."""
        return int(self.spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())

    def await_executors(self, count: int = 2, seconds: float = 60) -> list[int]:
        """The executors, once so many have registered."""
        context = self.spark.sparkContext
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            # The driver is one of those that are counted.
            known = context._jsc.sc().getExecutorMemoryStatus().size() - 1
            if known == count == len(self.executors()):
                return self.executors()
            time.sleep(0.1)
        raise AssertionError(f"no {count} executors within {seconds} s: {self.executors()}")


# Each with a worker of one core. All of 127.0.0.0/8 is this machine.
HOSTS = ("127.0.0.1", "127.0.0.2")


@contextmanager
def daemon(name: str, log: Path, *arguments: str) -> Iterator[None]:
    """Within, a process of Spark's standalone cluster runs."""
    home = _versions.spark_home()
    environment = os.environ | {
        "SPARK_HOME": str(home),
        "SPARK_DAEMON_MEMORY": "256m",
        # Workers hand it on to executors: short lives need no second compiler.
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *arguments]
    with (
        log.open("wb") as output,
        subprocess.Popen(command, env=environment, stdout=output, stderr=output) as process,
    ):
        try:
            yield
        finally:
            process.terminate()


@contextmanager
def standalone(folder: Path) -> Iterator[str]:
    """The URL of a master that has a worker on each host."""
    with socket.socket() as free:
        free.bind((HOSTS[0], 0))
        port = free.getsockname()[1]
    url = f"spark://{HOSTS[0]}:{port}"
    with ExitStack() as running:
        at = ("--host", HOSTS[0], "--port", str(port), "--webui-port", "0")
        running.enter_context(daemon("master.Master", folder / "master.log", *at))
        for host in HOSTS:
            work = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder / f"work-{host}"))
            at = ("--host", host, "--webui-port", "0", *work, url)
            running.enter_context(daemon("worker.Worker", folder / f"worker-{host}.log", *at))
        yield url


@pytest.fixture(scope="session")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not os.access("/proc/self/cmdline", os.R_OK):
        pytest.skip("processes are looked up in /proc")
    with standalone(tmp_path_factory.mktemp("standalone")) as url:
        yield url


# It takes all cores of the workers: tests of other modules have them before it, and after.
@pytest.fixture(scope="module")
def cluster(master: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    builder = latebloom.configure(SparkSession.builder).master(master)
    for key, value in CONFS.items():
        builder = builder.config(key, value)
    builder = builder.config("spark.sql.warehouse.dir", str(folder / "warehouse"))
    builder = builder.config("spark.local.dir", str(folder / "local"))
    spark = builder.getOrCreate()
    made = Cluster(spark, folder)
    made.await_executors()
    fact = spark.range(0, 400_000, 1, 8).selectExpr(
        "id", "id % 100000 k", "concat('text ', id * 7919 % 1000003) s"
    )
    fact.write.parquet(str(folder / "fact"))
    spark.range(0, 100_000, 1, 1).selectExpr("id k", "id % 10 few").write.parquet(
        str(folder / "dim")
    )
    spark.range(0, 200_000, 1, 2).selectExpr(
        "if(id % 100 = 0, id, xxhash64(id)) id", "concat('wide ', id) s"
    ).write.parquet(str(folder / "wide"))
    for name in ("fact", "dim", "wide"):
        spark.read.parquet(str(folder / name)).createOrReplaceTempView(name)
    yield made
    spark.stop()
