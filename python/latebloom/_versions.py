# SPDX-License-Identifier: Apache-2.0
"""Finds the installed Spark and Scala without importing pyspark or starting a JVM."""

from __future__ import annotations

import importlib.util
import os
import re
from dataclasses import dataclass
from pathlib import Path

from latebloom._errors import ScalaVersionError, SparkVersionError

SPARK = "4.1"
SCALA = "2.13"

_CORE_JAR = re.compile(r"spark-core_(?P<scala>\d+\.\d+)-(?P<spark>\d+\.\d+\.\d+\S*)\.jar")
_INSTALL = (
    "pip install 'latebloom[spark]' installs the right one; unset SPARK_HOME if it names another"
)


@dataclass(frozen=True)
class SparkInstallation:
    """A Spark on disk: its home and the versions in the names of its jars."""

    home: Path
    spark: str
    scala: str


def spark_home() -> Path | None:
    """The Spark that pyspark would start: ``SPARK_HOME``, else the one inside pyspark."""
    home = os.environ.get("SPARK_HOME")
    if home:
        return Path(home)
    spec = importlib.util.find_spec("pyspark")
    return Path(spec.origin).parent if spec and spec.origin else None


def spark_installation() -> SparkInstallation | None:
    """The Spark on disk, or None (a Connect-only client)."""
    home = spark_home()
    if home is None:
        return None
    for jar in sorted((home / "jars").glob("spark-core_*.jar")):
        match = _CORE_JAR.fullmatch(jar.name)
        if match:
            return SparkInstallation(home, match["spark"], match["scala"])
    return None


def check(spark: str, scala: str, *, where: str) -> None:
    """Raises unless the jar was built for these versions.

    Raises:
        SparkVersionError: not a Spark 4.1.
        ScalaVersionError: not Scala 2.13.
    """
    check_spark(spark, where=where)
    if not _is(scala, SCALA):
        raise ScalaVersionError(
            f"LateBloom needs a Spark built for Scala {SCALA}, found Scala {scala}",
            where=where,
            fix=_INSTALL,
        )


def check_spark(spark: str, *, where: str) -> None:
    """Raises SparkVersionError where the jar would refuse to do anything, too."""
    if not _is(spark, SPARK):
        raise SparkVersionError(
            f"LateBloom needs Spark {SPARK}, found {spark}", where=where, fix=_INSTALL
        )


def _is(version: str, line: str) -> bool:
    return version == line or version.startswith(line + ".")
