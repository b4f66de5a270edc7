# SPDX-License-Identifier: Apache-2.0
"""Programs that spark-submit starts on a standalone cluster, and the ways in which its driver and its
executors get LateBloom."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import _pages
import latebloom
import pytest
from latebloom import _names, _versions

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PAGE = ROOT / "docs" / "deploy" / "standalone.md"

QUERY = """
    select d.few, count(*) n, sum(f.id) ids, max(f.s) s from fact f join dim d on f.k = d.k
    where d.few < 3 and d.k < 2000 group by d.few order by d.few
"""
EXTENSION = {_names.EXTENSIONS_KEY: _names.EXTENSION}
CONFS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.latebloom.join.minScanBytes": "0",
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a fact table of eight files and its dimension."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path_factory.mktemp("tables")
    for part in range(8):
        ids = range(part * 10_000, (part + 1) * 10_000)
        texts = [f"text {i * 7919 % 1000003}" for i in ids]
        (folder / "fact").mkdir(exist_ok=True)
        pq.write_table(
            pa.table({"id": ids, "k": [i % 20_000 for i in ids], "s": texts}),
            folder / "fact" / f"{part}.parquet",
        )
    (folder / "dim").mkdir()
    keys = range(20_000)
    pq.write_table(
        pa.table({"k": keys, "few": [k % 10 for k in keys]}), folder / "dim" / "0.parquet"
    )
    return folder


class Submitted:
    """Runs spark-submit, as from a shell, with a cluster's master.

    Attributes:
        tables: the folder of the tables.
        folder: an empty one.
    """

    def __init__(self, master: str, tables: Path, folder: Path) -> None:
        self.master = master
        self.tables = tables
        self.folder = folder

    def run(
        self, confs: dict[str, str], *options: str, program: list[str]
    ) -> subprocess.CompletedProcess[str]:
        home = _versions.spark_home()
        assert home is not None
        command = [str(home / "bin" / "spark-submit"), "--master", self.master, *options]
        for key, value in {**CONFS, **confs}.items():
            command += ["--conf", f"{key}={value}"]
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYSPARK_", "SPARK_"))}
        environment = {
            **kept,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
        }
        return subprocess.run(
            [*command, *program],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            timeout=180,
        )

    def asked(self, confs: dict[str, str], *options: str, more: str = "") -> dict[str, Any]:
        """What program.py prints of a query, whose answer is the same off and on, and not empty."""
        done = self.run(confs, *options, program=self.program(more))
        assert done.returncode == 0, done.stderr[-5000:]
        told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        assert told["off"] == told["on"]
        assert len(told["on"]) == 3
        assert "LateScan" in told["plan"] and "JoinFilters: [" in told["plan"], told["plan"]
        return told

    def fails(self, confs: dict[str, str], *options: str) -> str:
        """How program.py fails."""
        done = self.run(confs, *options, program=self.program())
        assert done.returncode != 0, done.stdout
        return done.stderr

    def program(self, *more: str) -> list[str]:
        return [str(HERE / "program.py"), str(self.tables), QUERY, *filter(None, more)]


@pytest.fixture
def submit(master: str, tables: Path, tmp_path: Path) -> Submitted:
    return Submitted(master, tables, tmp_path)


@pytest.fixture(scope="module")
def jar() -> Path:
    return latebloom.jar_path()


def repository(folder: Path, jar: Path) -> tuple[Path, str]:
    """A Maven repository with the jar, as ``dev/release`` makes one, and the jar's coordinates."""
    build = _versions.build_at_hand()
    name = f"latebloom-spark-{build.spark}_{build.scala}"
    version = _versions.of_jar(latebloom.__version__)
    at = folder / "maven" / "io" / "github" / "latebloom" / name / version
    at.mkdir(parents=True)
    shutil.copy(jar, at / f"{name}-{version}.jar")
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{of}</version><scope>{scope}</scope></dependency>"
        for group, artifact, of, scope in (
            ("org.scala-lang", "scala-library", f"{build.scala}.0", "compile"),
            ("org.apache.spark", f"spark-sql_{build.scala}", f"{build.spark}.0", "provided"),
        )
    )
    (at / f"{name}-{version}.pom").write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        f"<groupId>io.github.latebloom</groupId><artifactId>{name}</artifactId>"
        f"<version>{version}</version><dependencies>{dependencies}</dependencies></project>"
    )
    return folder / "maven", f"io.github.latebloom:{name}:{version}"


def test_packages_bring_the_jar_and_a_properties_file_attaches_it(
    submit: Submitted, jar: Path
) -> None:
    """The file with all lines in force that are comments: the defaults."""
    maven, coordinates = repository(submit.folder, jar)
    # No other repository is asked: Spark would ask Maven Central first.
    settings = submit.folder / "ivysettings.xml"
    settings.write_text(
        '<ivysettings><settings defaultResolver="none"/><resolvers><filesystem name="none">'
        f'<artifact pattern="{submit.folder}/none/[artifact]"/></filesystem></resolvers>'
        "</ivysettings>"
    )
    text = (ROOT / "conf" / "latebloom.conf").read_text(encoding="utf-8")
    named = re.sub(r"^# (spark\.latebloom\.[\w.]+ \S*)$", r"\1", text, flags=re.MULTILINE)
    assert named.count("\nspark.latebloom.") > 20
    file = submit.folder / "all.conf"
    file.write_text(named, encoding="utf-8")
    submit.asked(
        {"spark.jars.ivySettings": str(settings), "spark.jars.ivy": f"{submit.folder}/ivy"},
        *("--packages", coordinates, "--repositories", maven.as_uri()),
        *("--properties-file", str(file)),
    )


def test_in_cluster_mode_a_worker_runs_the_driver(submit: Submitted, jar: Path) -> None:
    """Spark has it for JVM programs alone on a standalone cluster."""
    home = _versions.spark_home()
    assert home is not None
    classes = submit.folder / "classes"
    compiler = ["javac", "--release", "17", "-cp", f"{home}/jars/*", "-d", str(classes)]
    subprocess.run([*compiler, str(HERE / "Program.java")], check=True, capture_output=True)
    with ZipFile(submit.folder / "program.jar", "w") as packed:
        packed.write(classes / "Program.class", "Program.class")
    report = submit.folder / "report.txt"
    done = submit.run(
        # Spark 4.3 lets executors look for such a driver at the machine's own address.
        {**EXTENSION, "spark.driver.bindAddress": "0.0.0.0"},
        *("--deploy-mode", "cluster", "--jars", str(jar), "--class", "Program"),
        program=[str(submit.folder / "program.jar"), str(submit.tables), QUERY, str(report)],
    )
    assert done.returncode == 0, done.stderr[-5000:]
    end = time.monotonic() + 90
    while not report.exists() and time.monotonic() < end:
        time.sleep(0.1)
    assert report.exists(), done.stderr[-5000:]
    off, on, plan = report.read_text(encoding="utf-8").split("\n", 2)
    assert off == on
    assert on.count("text") == 3
    assert "LateScan" in plan and "JoinFilters: [" in plan, plan


def test_executors_come_and_go_with_dynamic_allocation(submit: Submitted, jar: Path) -> None:
    """The jar lies where every executor finds it, as in an image: none is sent."""
    told = submit.asked(
        {
            **EXTENSION,
            "spark.driver.extraClassPath": str(jar),
            "spark.executor.extraClassPath": str(jar),
            "spark.dynamicAllocation.enabled": "true",
            "spark.dynamicAllocation.shuffleTracking.enabled": "true",
            "spark.dynamicAllocation.shuffleTracking.timeout": "1s",
            "spark.dynamicAllocation.executorIdleTimeout": "1s",
            "spark.dynamicAllocation.maxExecutors": "2",
        },
        more="--idle",
    )
    assert told["executors"] > told["lost"] > 0


def test_executors_without_the_jar_are_an_error_with_the_remedy(
    submit: Submitted, jar: Path
) -> None:
    told = submit.fails({**EXTENSION, "spark.driver.extraClassPath": str(jar)})
    # Spark says so, or, if its own attempts were over before, the log.
    assert re.search(r"executor \d on 127\.0\.0\.\d cannot load a class of its task, and", told)
    assert f"{jar.name}: pass that with --jars (spark.jars)" in told


def test_executors_with_another_jar_are_an_error_with_both_and_the_remedy(
    submit: Submitted, jar: Path
) -> None:
    other = submit.folder / "other.jar"
    with ZipFile(jar) as before, ZipFile(other, "w", ZIP_STORED) as after:
        build = before.read("latebloom/build.txt").decode().strip()
        for entry in before.infolist():
            content = before.read(entry)
            if entry.filename == "latebloom/build.txt":
                content = content.replace(b"sources ", b"sources f00")
            after.writestr(entry, content)
    told = submit.fails(
        {**EXTENSION, "spark.executor.extraClassPath": str(other)}, "--jars", str(jar)
    )
    assert f"the driver runs LateBloom {build}, and this executor LateBloom" in told
    assert f"from {other.as_uri().replace('file://', 'file:')}: give both the same jar." in told


def test_the_commands_of_the_page_run_and_print_what_it_shows(
    master: str, tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MASTER", master)
    work = tmp_path / "work"
    work.mkdir()
    shutil.copytree(tables / "fact", work / "sales.parquet")
    told = _pages.run([PAGE], tmp_path)[PAGE.name]
    assert len(told) == len(list(_pages.blocks(PAGE))) > 1
    for block in told:
        where = f"{block['where']}\n{block['text']}"
        assert block["error"] is None, f"{where}\n{block['error']}"
        if block["shown"] is not None:
            assert _pages.matches(block["shown"], block["printed"]), (
                f"{where}\nprinted\n{block['printed']}\nand the page shows\n{block['shown']}"
            )
