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
