# SPDX-License-Identifier: Apache-2.0
"""The builds that LateBloom has a jar for, and the Spark on disk, found without starting it."""

from __future__ import annotations

import importlib.util
import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latebloom._errors import ScalaVersionError, SparkVersionError

_CORE_JAR = re.compile(r"spark-core_(?P<scala>\d+\.\d+)-(?P<spark>\d+\.\d+\.\d+\S*)\.jar")
_INSTALL = "pip install 'latebloom[spark]' brings one; unset SPARK_HOME if it names another"


@dataclass(frozen=True)
class Build:
    """The versions that a jar is built for: a line of Spark, such as 4.1, and a line of Scala."""

    spark: str
    scala: str

    def __str__(self) -> str:
        return f"Spark {self.spark}, Scala {self.scala}"

    @property
    def options(self) -> str:
        """The options of ``latebloom jar`` that choose this build."""
        return f"--spark {self.spark} --scala {self.scala}"

    def fits(self, spark: str, scala: str | None = None) -> bool:
        """Whether ``spark``, and ``scala`` where it is given, are versions of these lines."""
        return _is(spark, self.spark) and (scala is None or _is(scala, self.scala))


def _is(version: str, line: str) -> bool:
    return version == line or version.startswith(line + ".")


# As in project/SparkLine.scala. Oldest line first; within a line, PySpark's own Scala first.
BUILDS = (
    Build("3.5", "2.12"),
    Build("3.5", "2.13"),
    Build("4.0", "2.13"),
    Build("4.1", "2.13"),
    Build("4.2", "2.13"),
    Build("4.3", "2.13"),
)
NEWEST = BUILDS[-1]


@dataclass(frozen=True)
class SparkInstallation:
    """A Spark on disk: its home and the versions in the names of its jars."""

    home: Path
    spark: str
    scala: str


def of_jar(version: str) -> str:
    """The version of the jar that belongs to a version of this package (see build.sbt)."""
    return re.sub(r"\.dev\d+$", "-SNAPSHOT", version)


def another(jar: str) -> str | None:
    """The version of the jar that belongs to this package, if ``jar`` is the version of another."""
    from latebloom import __version__

    needed = of_jar(__version__)
    # Classes that were never packed into a jar have no version.
    return None if jar in (needed, "development") else needed


def warn_of_another(jar: str, whose: str, ours: str, fix: str) -> None:
    """Warns if the version of ``whose`` jar is not the one that belongs to ``ours``, this package."""
    needed = another(jar)
    if needed:
        warnings.warn(
            f"{whose} LateBloom is {jar}, and {ours} is {needed}: answers may lack what the other "
            f"knows.\n  to do: {fix}",
            stacklevel=3,
        )


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


def check(spark: str, scala: str, *, where: str) -> Build:
    """The build for a Spark of these versions.

    Raises:
        SparkVersionError: LateBloom has no jar for this line of Spark.
        ScalaVersionError: it has one for the line, built for another Scala.
    """
    builds = check_spark(spark, where=where)
    for build in builds:
        if build.fits(spark, scala):
            return build
    scalas = _either([build.scala for build in builds])
    raise ScalaVersionError(
        f"for Spark {builds[0].spark} LateBloom needs Scala {scalas}, found Scala {scala}",
        where=where,
        fix=_INSTALL,
    )


def check_spark(spark: str, *, where: str) -> tuple[Build, ...]:
    """The builds for the line of a Spark of this version, one for each Scala.

    Raises:
        SparkVersionError: LateBloom has no jar for that line.
    """
    builds = tuple(build for build in BUILDS if build.fits(spark))
    if not builds:
        lines = list(dict.fromkeys(build.spark for build in BUILDS))
        raise SparkVersionError(
            f"LateBloom needs Spark {_either(lines)}, found {spark}", where=where, fix=_INSTALL
        )
    return builds


def _either(versions: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(versions[:-1]), versions[-1])))


def build_at_hand() -> Build:
    """The build for the Spark on disk, or the newest build if there is none.

    Raises:
        SparkVersionError: LateBloom has no jar for that line of Spark.
        ScalaVersionError: it has one for the line, built for another Scala.
    """
    found = spark_installation()
    return check(found.spark, found.scala, where=str(found.home)) if found else NEWEST
