# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

import latebloom
import pyspark
import pytest
from latebloom import _doctor, _versions


def test_doctor_finds_all_well(command):
    done = command("doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["ok"] * 5


@pytest.fixture
def java(monkeypatch, tmp_path):
    """A function that puts a Java of some version, which only tells it, into JAVA_HOME."""

    def put(version):
        program = tmp_path / "bin" / "java"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-09-16' >&2\n")
        program.chmod(0o755)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    return put


def spark_of(monkeypatch, line):
    monkeypatch.setattr(_versions, "build_at_hand", lambda: _versions.Build(line, "2.13"))


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("3.5", "17.0.15"),
        ("4.1", "17.0.15"),
        ("4.1", "21.0.8"),
        ("4.2", "21"),
        ("4.2", "25.0.2"),
        ("4.3", "25"),
    ],
)
def test_a_java_that_the_spark_runs_on_is_fine(monkeypatch, java, line, version):
    spark_of(monkeypatch, line)
    java(version)
    assert _doctor._java() == f'version "{version}"'


@pytest.mark.parametrize("version", ["1.8.0_462", "11.0.28", "16"])
def test_a_java_that_is_too_old_for_the_jar_is_refused(monkeypatch, java, version):
    spark_of(monkeypatch, "3.5")
    java(version)
    with pytest.raises(latebloom.LateBloomError, match="Spark 3.5 needs Java 17 to 22, found 1"):
        _doctor._java()


@pytest.mark.parametrize("line", ["3.5", "4.0", "4.1"])
def test_a_java_on_which_the_spark_does_not_start_is_refused(monkeypatch, java, line):
    spark_of(monkeypatch, line)
    java("25.0.2")
    with pytest.raises(
        latebloom.LateBloomError, match=rf"Spark {line} needs Java 17 to 22, found 25"
    ) as error:
        _doctor._java()
    assert "put a Java 17 first on the PATH" in error.value.fix


def test_doctor_without_spark_says_what_to_install(monkeypatch):
    monkeypatch.setattr(_versions, "spark_home", lambda: None)
    with pytest.raises(latebloom.LateBloomError, match=r"pip install 'latebloom\[spark\]'"):
        _doctor._spark()


# Set-ups that are broken in one way each, as the environment of a command.


def of_spark(tmp_path, jar):
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / jar).touch()
    return {"SPARK_HOME": str(tmp_path)}


def no_java(tmp_path):
    return {"JAVA_HOME": str(tmp_path)}


def old_java(tmp_path):
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'openjdk version \"11.0.28\" 2025-07-15' >&2\n")
    program.chmod(0o755)
    return {"JAVA_HOME": str(tmp_path)}


def no_spark(tmp_path):
    return {"SPARK_HOME": str(tmp_path)}


def old_spark(tmp_path):
    return of_spark(tmp_path, "spark-core_2.13-3.4.4.jar")


def other_scala(tmp_path):
    return of_spark(tmp_path, "spark-core_2.12-4.1.3.jar")


def other_pyspark(tmp_path):
    another = "4.0.5" if pyspark.__version__.startswith("3.5.") else "3.5.7"
    return of_spark(tmp_path, f"spark-core_2.13-{another}.jar")


def no_jar(tmp_path):
    package = Path(latebloom.__file__).parent
    shutil.copytree(package, tmp_path / "latebloom", ignore=shutil.ignore_patterns("*.jar"))
    return {"PYTHONPATH": str(tmp_path)}


def malformed_conf(tmp_path):
    (tmp_path / "spark-defaults.conf").write_text("spark.latebloom.enabled maybe\n")
    return {"SPARK_CONF_DIR": str(tmp_path)}


def switched_off(tmp_path):
    (tmp_path / "spark-defaults.conf").write_text("spark.latebloom.enabled false\n")
    return {"SPARK_CONF_DIR": str(tmp_path)}


def older_jar(tmp_path):
    """A Spark that has the jar of an earlier LateBloom among its own."""
    home = _versions.spark_home()
    (tmp_path / "jars").mkdir()
    for kind in (home, home / "jars"):
        for entry in kind.iterdir():
            copy = tmp_path / entry.relative_to(home)
            if not copy.exists():
                copy.symlink_to(entry)
    ours = latebloom.jar_path()
    with (
        zipfile.ZipFile(ours) as new,
        zipfile.ZipFile(tmp_path / "jars" / "latebloom-old.jar", "w") as old,
    ):
        for name in new.namelist():
            content = new.read(name)
            if name == "META-INF/MANIFEST.MF":
                stated = rb"(Implementation-Version: )\S+"
                content, changed = re.subn(stated, rb"\g<1>0.0.9", content)
                assert changed == 1
            old.writestr(name, content)
    return {"SPARK_HOME": str(tmp_path)}


def no_local_directory(tmp_path):
    (tmp_path / "file").touch()
    return {"SPARK_LOCAL_DIRS": str(tmp_path / "file" / "below")}


@pytest.mark.parametrize(
    ("broken", "failed", "said"),
    [
        (no_spark, "Spark", "there is no Spark"),
        (old_spark, "Spark", r"needs Spark 3.5, 4.0.*, found 3\.4\.4"),
        (other_scala, "Spark", r"for Spark 4.1 LateBloom needs Scala 2.13, found Scala 2.12"),
        (
            other_pyspark,
            "Spark",
            r"pyspark is .*, and the Spark that it would start is (3\.5\.7|4\.0\.5)",
        ),
        (no_java, "Java", "install a Java 17"),
        (old_java, "Java", "needs Java 17 .*found 11"),
        (no_jar, "jar", r"jar for Spark .* is missing.*\./dev/sbt .* package"),
        (malformed_conf, "session", r"a query fails: .*spark\.latebloom\.enabled"),
        (older_jar, "session", r"has loaded LateBloom 0\.0\.9.*latebloom-old\.jar"),
        (no_local_directory, "session", "the JVM ended .*SPARK_LOCAL_DIRS"),
        (switched_off, "session", r"does not read a file: \[disabled\]"),
    ],
)
def test_doctor_names_what_is_broken_and_what_to_do(command, tmp_path, broken, failed, said):
    done = command("doctor", **broken(tmp_path))
    assert done.returncode == 1
    last = done.stdout.partition("FAILED")[2]
    assert last.split()[0] == f"{failed}:", done.stdout + done.stderr
    assert re.search(said, last, re.DOTALL), last
    assert re.search(r"to do: \S", last), last
    assert "Traceback" not in done.stdout + done.stderr
