# SPDX-License-Identifier: Apache-2.0
"""All calls through py4j. The extension answers in JSON text, never in objects."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from latebloom import _names, _versions
from latebloom._errors import JarNotFoundError, SparkVersionError, UnsupportedSessionError

if TYPE_CHECKING:
    from types import ModuleType

    from pyspark.sql import DataFrame, SparkSession

ATTACH = "build it with latebloom.configure(SparkSession.builder), in a new process"

# Ends the message of a job that failed.
_STACK_TRACE = "Driver stacktrace:"

# The sessions whose jar was asked for its version.
_known: WeakSet[SparkSession] = WeakSet()


def require(spark: SparkSession) -> None:
    """Raises the errors of :func:`inspector`, before a query runs; warns once of another jar's version."""
    found = inspector(spark)
    if spark not in _known:
        _versions.warn_of_another(
            json.loads(found.version())["version"],
            "the JVM's",
            "this package's",
            "take the other jar out of spark.jars and of $SPARK_HOME/jars, and restart this Python",
        )
        _known.add(spark)


def version(spark: SparkSession) -> str:
    """JSON object: ``version`` (of the jar), ``spark`` and ``scala`` (of the JVM)."""
    return str(inspector(spark).version())


def confs(spark: SparkSession) -> str:
    """JSON list of the extension's confs in this session."""
    return str(inspector(spark).confs(classic(spark)))


def cache(spark: SparkSession) -> str:
    """JSON object: what scans remember, and what that has saved."""
    return str(inspector(spark).cache())


def clear_cache(spark: SparkSession) -> None:
    """Forgets what scans remember."""
    inspector(spark).clearCache()


def build_index(df: DataFrame, columns: list[str], into: str) -> str:
    """JSON object: what a build of a skip index of ``df``'s files did."""
    return str(inspector(df.sparkSession).buildIndex(query_execution(df), columns, into))


def list_index(spark: SparkSession, folder: str) -> str:
    """JSON list: the files that a folder has entries of."""
    return str(inspector(spark).listIndex(classic(spark), folder))


def drop_index(spark: SparkSession, folder: str, below: str | None) -> int:
    """Drops the entries of files below a path, or all; returns of how many files."""
    return int(inspector(spark).dropIndex(classic(spark), folder, below))


def explain(df: DataFrame) -> str:
    """JSON object: the plan of ``df`` and the decision about each of its scans."""
    return str(inspector(df.sparkSession).explain(query_execution(df)))


def metrics(df: DataFrame) -> str:
    """JSON list: the metrics of each LateScan of ``df``'s plan after an action."""
    return str(inspector(df.sparkSession).metrics(query_execution(df)))


def profile(df: DataFrame) -> str:
    """JSON object: runs ``df``, and tells what :func:`explain` does and what its scans did."""
    return "".join(inspector(df.sparkSession).profileInParts(query_execution(df)))


def report(spark: SparkSession, execution_id: int) -> str | None:
    """JSON object: what :func:`profile` says, but for rows, of a query that ended; None if unknown."""
    session = classic(spark)
    inspector(spark)
    found = named(_names.REPORTS).of(session, execution_id)
    return None if found is None else str(found)


def functions() -> ModuleType:
    """The functions that make columns of this JVM's DataFrames."""
    from pyspark.sql import functions

    return functions


def has_context() -> bool:
    """Whether a SparkContext runs in this process: static confs are fixed from then on."""
    from pyspark import SparkContext

    return SparkContext._active_spark_context is not None


def settings() -> dict[str, str] | None:
    """The confs of the running JVM (spark-submit's, or the context's), None without a JVM."""
    from pyspark import SparkConf, SparkContext

    context = SparkContext._active_spark_context
    if context is not None:
        return dict(context.getConf().getAll())
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        # spark-submit started the JVM before this Python: connect, so that its confs are seen.
        SparkContext._ensure_initialized()
    if jvm() is None:
        return None
    return dict(SparkConf().getAll())


def can_load_extension() -> bool:
    """Whether the running JVM finds the extension's class."""
    return can_load(_names.EXTENSION)


def can_load(name: str) -> bool:
    """Whether the running JVM finds a class."""
    from py4j.java_gateway import JavaClass

    return isinstance(named(name), JavaClass)


def loaded_from(spark: SparkSession) -> str:
    """Where the JVM found LateBloom's classes: a URL of a jar."""
    inspector(spark)
    find = named("py4j.reflection.ReflectionUtil").classForName
    source = find(_names.INSPECTOR).getProtectionDomain().getCodeSource()
    return str(source.getLocation()) if source else "the JVM's class path"


def malformed(confs: Mapping[str, str]) -> str | None:
    """Spark's error for the first of these values that it cannot read, before a session exists.

    Starts the JVM with these settings if none runs.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException

    SparkContext._ensure_initialized(conf=SparkConf().setAll(list(confs.items())))
    for key, value in confs.items():
        entry = setting(key)
        if entry is not None:
            try:
                entry.valueConverter().apply(value)
            # Once a session has run in this process, PySpark converts the error to its own class.
            except (Py4JJavaError, PySparkException) as error:
                return failure(error)
    return None


def failure(error: Exception) -> str | None:
    """Spark's message for a failed call, without stack traces; None if there is none."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    if isinstance(error, PySparkException):
        return str(error)
    if not isinstance(error, Py4JJavaError):
        return None
    # The causes lead from "job aborted" inwards; the innermost with an error class, such as
    # [FAILED_READ_FILE...], names the file. Spark 3.5 has few classes: there it is the first below
    # the message of the job, which repeats a task's stack trace.
    cause, said = error.java_exception, ""
    while cause is not None:
        message = cause.getMessage()
        if message and (message.startswith("[") or not said or _STACK_TRACE in said):
            said = str(message)
        cause = cause.getCause()
    return said or str(error.java_exception.toString())


def has_ended(error: Exception) -> bool:
    """Whether a call failed because no JVM answers any more."""
    from py4j.protocol import Py4JNetworkError

    return isinstance(error, (ConnectionError, Py4JNetworkError))


def setting(key: str) -> Any:
    """Spark's description of a setting, or None."""
    # The class registers its settings on first use.
    named("org.apache.spark.sql.internal.SQLConf").SHUFFLE_PARTITIONS()
    return named("org.apache.spark.internal.config.ConfigEntry").findEntry(key)


def inspector(spark: SparkSession) -> Any:
    """The extension's Inspector class in the JVM, which answers the calls of this file.

    Raises:
        UnsupportedSessionError: the session has no JVM.
        SparkVersionError: the session's Spark is unsupported, or its jar is for another Spark.
        JarNotFoundError: the JVM does not find the jar.
    """
    from py4j.java_gateway import JavaClass

    classic(spark)
    _versions.check_spark(spark.version, where="the session's JVM")
    found = named(_names.INSPECTOR)
    if not isinstance(found, JavaClass):
        raise JarNotFoundError(
            "this session names LateBloom's extension, but its JVM does not find the jar",
            where=f"spark.jars = {spark.conf.get('spark.jars', '')!r}",
            fix="start it with latebloom.configure(builder), or with --jars $(latebloom jar)",
        )
    require_line()
    return found


def require_line() -> None:
    """Raises SparkVersionError if the jar that the JVM has loaded is for another line of Spark."""
    spark = str(named("org.apache.spark.package").SPARK_VERSION())
    scala = str(named("scala.util.Properties").versionNumberString())
    built = named(_names.BUILT_FOR)
    build = _versions.Build(str(built.spark()), str(built.scala()))
    if not build.fits(spark, scala):
        needed = _versions.check(spark, scala, where="the JVM")
        raise SparkVersionError(
            f"the JVM has loaded LateBloom's jar for {build}, and is a Spark {spark} with Scala "
            f"{scala}: the jar adds nothing there",
            where=f"{_names.JARS_KEY}, or the class path",
            fix=f"start it with --jars $(latebloom jar {needed.options})",
        )


def classic(spark: SparkSession) -> Any:
    """The session in the JVM.

    Raises:
        UnsupportedSessionError: there is none.
    """
    session = getattr(spark, "_jsparkSession", None)
    if session is None:
        raise UnsupportedSessionError(
            "this call needs a session in a local JVM, or one of Spark Connect",
            where=f"a {type(spark).__module__}.{type(spark).__qualname__}",
            fix="pass a session of pyspark.sql, or a DataFrame of one",
        )
    return session


def query_execution(df: DataFrame) -> Any:
    """Spark's own object for a query: its plans, before and after it runs."""
    frame: Any = df
    return frame._jdf.queryExecution()


def jvm() -> Any:
    """All classes of the running JVM, as attributes; None without a JVM."""
    from pyspark import SparkContext

    return SparkContext._jvm


def named(name: str) -> Any:
    """The class of that name, or a package if there is none."""
    found = jvm()
    for part in name.split("."):
        found = getattr(found, part)
    return found
