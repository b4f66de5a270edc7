# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import latebloom
import pytest
from latebloom import _doctor, _versions


def test_doctor_finds_all_well(command):
    done = command("doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["ok"] * 5


def test_doctor_without_java_says_what_to_install(command, tmp_path):
    done = command("doctor", JAVA_HOME=str(tmp_path))
    assert done.returncode == 1
    assert "FAILED  Java" in done.stdout
    assert "install a Java 17" in done.stdout


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


def test_doctor_with_another_spark_says_so_before_it_starts(command, tmp_path):
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.13-3.4.4.jar").touch()
    done = command("doctor", SPARK_HOME=str(tmp_path))
    assert done.returncode == 1
    assert "needs Spark 3.5, 4.0" in done.stdout
    assert "found 3.4.4" in done.stdout


def test_doctor_without_spark_says_what_to_install(monkeypatch):
    monkeypatch.setattr(_versions, "spark_home", lambda: None)
    with pytest.raises(latebloom.LateBloomError, match=r"pip install 'latebloom\[spark\]'"):
        _doctor._spark()
