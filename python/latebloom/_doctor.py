# SPDX-License-Identifier: Apache-2.0
"""``latebloom doctor``: checks everything that a session needs."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from latebloom import _jvm, _versions
from latebloom._confs import confs
from latebloom._errors import LateBloomError
from latebloom._explain import explain
from latebloom._jar import jar_path
from latebloom._local import local_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The jars need this.
_OLDEST_JAVA = 17
# The Hadoop of these lines calls Subject.getSubject, which works in Java only up to this version.
_NEWEST_JAVA = {"3.5": 22, "4.0": 22, "4.1": 22}


def doctor() -> int:
    """Prints a line per check; returns 0 if all pass, else 1."""
    checks: tuple[tuple[str, Callable[[], str]], ...] = (
        ("Python", _python),
        ("Spark", _spark),
        ("Java", _java),
        ("jar", _jar),
        ("session", _session),
    )
    for name, check in checks:
        try:
            print(f"ok      {name}: {check()}", flush=True)
        except LateBloomError as error:
            # Later checks depend on earlier ones: report only the first failure.
            print(f"FAILED  {name}: {error}")
            return 1
    return 0


def _python() -> str:
    return f"{platform.python_version()} ({sys.executable})"


def _java() -> str:
    """Java's version, if the Spark at hand, found by an earlier check, runs on it."""
    line = _versions.build_at_hand().spark
    newest = _NEWEST_JAVA.get(line)
    need = f"Java {_OLDEST_JAVA}" + (f" to {newest}" if newest else " or later")
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else "java"
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise LateBloomError(
            f"Java does not start: {error}",
            where=f"JAVA_HOME = {home!r}" if home else "the PATH",
            fix=f"install a Java {_OLDEST_JAVA} and put it on the PATH, or set JAVA_HOME",
        ) from None
    found = re.search(r'version "(\d+)[^"]*"', answer.stderr + answer.stdout)
    if found is None or not _OLDEST_JAVA <= int(found[1]) <= (newest or int(found[1])):
        raise LateBloomError(
            f"LateBloom in Spark {line} needs {need}, "
            f"found {found[1] if found else repr(answer.stderr)}",
            where=java,
            fix=f"put a Java {_OLDEST_JAVA} first on the PATH, or set JAVA_HOME to one",
        )
    return found[0]


def _spark() -> str:
    installation = _versions.spark_installation()
    if installation is None:
        raise LateBloomError(
            "there is no Spark",
            where=str(_versions.spark_home() or "this Python's environment"),
            fix="pip install 'latebloom[spark]'",
        )
    where = str(installation.home)
    _versions.check(installation.spark, installation.scala, where=where)
    _pyspark(installation)
    return f"{installation.spark}, Scala {installation.scala} ({where})"


def _pyspark(installation: _versions.SparkInstallation) -> None:
    """Raises if the Python side of Spark is of another line than the JVM side that it would start."""
    try:
        from pyspark import __version__ as python
    except ImportError:
        raise LateBloomError(
            "this Python has no pyspark",
            where=sys.executable,
            fix=f"pip install pyspark=={installation.spark}, "
            "or put $SPARK_HOME/python and the py4j in its lib on PYTHONPATH",
        ) from None
    if python.split(".")[:2] != installation.spark.split(".")[:2]:
        raise LateBloomError(
            f"pyspark is {python}, and the Spark that it would start is {installation.spark}",
            where=str(installation.home),
            fix=f"pip install pyspark=={installation.spark}, or unset SPARK_HOME",
        )


def _jar() -> str:
    return str(jar_path())


def _session() -> str:
    with local_session("doctor", master="local[1]", memory="1g") as spark:
        versions = json.loads(_jvm.version(spark))
        _versions.check(versions["spark"], versions["scala"], where="the session's JVM")
        needed = _versions.another(versions["version"])
        if needed:
            raise LateBloomError(
                f"the JVM has loaded LateBloom {versions['version']}, and this package is of {needed}",
                where=_jvm.loaded_from(spark),
                fix="take the other jar away, and keep the one of latebloom jar",
            )
        count = len(confs(spark).entries)
        _query(spark)
    return f"LateBloom {versions['version']} is loaded, with {count} confs, and reads a file"


def _query(spark: SparkSession) -> None:
    """Raises unless LateBloom reads a file, and finds the row that it has."""
    with tempfile.TemporaryDirectory(prefix="latebloom-") as scratch:
        path = str(Path(scratch, "numbers"))
        try:
            spark.range(1000).write.parquet(path)
            found = spark.read.parquet(path).where("id = 7")
            rows, scans = found.count(), explain(found).scans
        except Exception as error:
            said = _jvm.failure(error)
            if said is None:
                raise
            raise LateBloomError(
                f"a query fails: {said}",
                where="a Parquet file of a thousand numbers",
                fix="correct the setting, if it names one, in spark-defaults.conf; else report it",
            ) from None
    left = [f"[{scan.code}] {scan.reason}" for scan in scans if not scan.applied]
    if left or rows != 1:
        raise LateBloomError(
            f"LateBloom does not read a file: {left[0]}" if left else f"{rows} rows, and not 1",
            where="a Parquet file of a thousand numbers",
            fix=next((scan.fix for scan in scans if scan.fix), "report it"),
        )
