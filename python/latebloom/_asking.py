# SPDX-License-Identifier: Apache-2.0
"""Who answers for a session: its JVM, or the server that it is a client of."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol

from latebloom import _connect, _jvm

if TYPE_CHECKING:
    from types import ModuleType

    from pyspark.sql import DataFrame, SparkSession


class Answers(Protocol):
    """The questions, which the modules ``_jvm`` and ``_connect`` put in their own ways.

    Answers are JSON text.
    """

    @property
    def ATTACH(self) -> str:
        """How to start a session of this kind with LateBloom."""

    def require(self, spark: SparkSession) -> None:
        """Raises unless the extension answers."""

    def version(self, spark: SparkSession) -> str:
        """Versions of the jar, of Spark and of Scala."""

    def confs(self, spark: SparkSession) -> str:
        """The extension's confs in this session."""

    def cache(self, spark: SparkSession) -> str:
        """What scans remember."""

    def clear_cache(self, spark: SparkSession) -> None:
        """Forgets it."""

    def explain(self, df: DataFrame) -> str:
        """The plan of ``df``, and all decisions."""

    def metrics(self, df: DataFrame) -> str:
        """The metrics of each LateScan of ``df``, on which an action ran before."""

    def profile(self, df: DataFrame) -> str:
        """Runs ``df``, and tells all decisions and what its scans did."""

    def report(self, spark: SparkSession, execution_id: int) -> str | None:
        """What a profile tells, but for rows, of a query that has ended; None if nothing is known."""

    def functions(self) -> ModuleType:
        """Spark's functions that make columns for this kind of session."""


def of(spark: SparkSession) -> Answers:
    """Who answers for ``spark``."""
    return _connect if _connect.is_client(spark) else _jvm


def active() -> SparkSession | None:
    """The active session of this process, of a JVM or else of Spark Connect; None without one."""
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession()
    # Without the packages of a client there is none to look for.
    connected = sys.modules.get("pyspark.sql.connect.session")
    if found is None and connected is not None:
        found = connected.SparkSession.getActiveSession()
    return found


def require(spark: SparkSession) -> None:
    """Raises unless the extension answers, in a session that can be asked."""
    if _connect.is_client(spark) or getattr(spark, "_jsparkSession", None) is not None:
        of(spark).require(spark)
