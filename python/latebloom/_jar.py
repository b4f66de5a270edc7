# SPDX-License-Identifier: Apache-2.0
"""The jars inside this package: one for each supported line of Spark and Scala version of it."""

from __future__ import annotations

import re
from pathlib import Path

from latebloom import _versions
from latebloom._errors import JarNotFoundError
from latebloom._versions import Build

_JARS = Path(__file__).parent / "jars"
_NAME = re.compile(r"latebloom-spark-(?P<spark>[\d.]+)_(?P<scala>[\d.]+)-\S+\.jar")


def jar_path(spark: str | None = None, scala: str | None = None) -> Path:
    """The extension's jar, as a value for ``spark.jars`` or ``spark-submit --jars``.

    Args:
        spark: a line or version of Spark, such as ``"3.5"`` or ``"4.1.3"``; by default the Spark
            that pyspark would start, or the newest supported line if there is none.
        scala: the Scala version that this Spark is built for; by default that of the Spark that
            pyspark would start, or the one that PySpark of the given line brings.

    Raises:
        SparkVersionError: the package has no jar for this Spark.
        ScalaVersionError: it has one for this Spark, but not for this Scala version.
        JarNotFoundError: the package was installed from a checkout that did not build the jar.
    """
    build = _build(spark, scala)
    found = sorted(_JARS.glob(f"latebloom-spark-{build.spark}_{build.scala}-*.jar"))
    if not found:
        raise JarNotFoundError(
            f"LateBloom's jar for {build} is missing from the Python package",
            where=str(_JARS),
            fix=f"in a checkout run ./dev/sbt {build.options} package, else install a latebloom wheel",
        )
    return found[-1]


def _build(spark: str | None, scala: str | None) -> Build:
    if spark is None:
        at_hand = _versions.build_at_hand()
        spark, scala = at_hand.spark, scala or at_hand.scala
    asked = "the Spark that was asked for"
    if scala is None:
        return _versions.check_spark(spark, where=asked)[0]
    return _versions.check(spark, scala, where=asked)


def build_of(jar: str) -> Build | None:
    """The build that the name of a LateBloom jar states; None for any other jar."""
    named = _NAME.fullmatch(jar.rpartition("/")[2])
    return Build(named["spark"], named["scala"]) if named else None
