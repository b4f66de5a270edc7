# SPDX-License-Identifier: Apache-2.0
"""Adds LateBloom to a session that is about to be built."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

from latebloom import _connect, _jvm, _versions
from latebloom._errors import (
    ExtensionLoadedLateError,
    SparkVersionError,
    UnsupportedSessionError,
)
from latebloom._jar import build_of, jar_path
from latebloom._names import EXPLAINER, EXPLAINERS_KEY, EXTENSION, EXTENSIONS_KEY, JARS_KEY, split
from latebloom._settings import outside_settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CLASS_PATH_KEY = "spark.driver.extraClassPath"
_MODE_KEY = "spark.api.mode"


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Adds the extension, its jar and its EXPLAIN provider to ``builder``, and returns it.

    Keeps existing settings of the builder, ``spark-defaults.conf``, ``PYSPARK_SUBMIT_ARGS`` and
    spark-submit, and appends to them. Calling it twice changes nothing.

    Raises:
        JarNotFoundError: the package carries no jar.
        SparkVersionError: there is no jar for the Spark on disk, or the settings name a jar for
            another Spark.
        ScalaVersionError: there is a jar for this Spark, but not for the Scala it is built with.
        ExtensionLoadedLateError: a session already runs without LateBloom, or the JVM was started
            without the jar. Static settings can no longer be added.
        UnsupportedSessionError: the builder connects to a Spark Connect server, which has its
            own settings.
    """
    options: dict[str, str] = getattr(builder, "_options")  # noqa: B009
    _refuse_connect(options)
    _versions.build_at_hand()
    running = _jvm.settings()
    if _jvm.has_context():
        registered = (running or {}).get(EXTENSIONS_KEY, "")
        if EXTENSION not in split(registered):
            raise ExtensionLoadedLateError(
                "a Spark session already runs in this process, without LateBloom",
                where=f"{EXTENSIONS_KEY} = {registered!r}",
                fix="call spark.stop() first"
                if _jvm.can_load_extension()
                else "restart this Python, and call latebloom.configure(builder) before the first "
                "getOrCreate(): the JVM was started without the jar",
            )
        return builder
    if _remote(options) or "connect" in (options.get(_MODE_KEY), os.environ.get("SPARK_API_MODE")):
        _silence_connect(builder)
    if running is None:
        _add_before_start(builder, options)
    else:
        _add_to_running_jvm(builder, {**running, **options})
    return builder


def _add_before_start(builder: SparkSession.Builder, options: Mapping[str, str]) -> None:
    outside = outside_settings()
    # spark-submit prefers PYSPARK_SUBMIT_ARGS to the builder's jars: a value there would hide ours,
    # so the user must change it.
    if JARS_KEY in outside.above and not _has_jar(outside.above):
        raise ExtensionLoadedLateError(
            "PYSPARK_SUBMIT_ARGS names jars, which override the builder's, without LateBloom's",
            where=f"PYSPARK_SUBMIT_ARGS = {os.environ.get('PYSPARK_SUBMIT_ARGS')!r}",
            fix=f"add {jar_path()} to the jars there",
        )
    known = {**outside.below, **outside.above, **options}
    if not _has_jar({**known, **outside.above}):
        _append(builder, known, JARS_KEY, str(jar_path()))
    _append(builder, known, EXTENSIONS_KEY, EXTENSION)
    _append(builder, known, EXPLAINERS_KEY, EXPLAINER)


def _add_to_running_jvm(builder: SparkSession.Builder, known: Mapping[str, str]) -> None:
    if not _jvm.can_load_extension():
        raise ExtensionLoadedLateError(
            "Spark's JVM already runs and was started without LateBloom's jar",
            where=f"{JARS_KEY} = {known.get(JARS_KEY, '')!r}",
            fix=f"pass --jars {jar_path()} to spark-submit, or restart this Python",
        )
    _jvm.require_line()
    _append(builder, known, EXTENSIONS_KEY, EXTENSION)
    _append(builder, known, EXPLAINERS_KEY, EXPLAINER)


def _append(builder: SparkSession.Builder, known: Mapping[str, str], key: str, entry: str) -> None:
    entries = split(known.get(key, ""))
    builder.config(key, ",".join(entries if entry in entries else [*entries, entry]))


def _has_jar(known: Mapping[str, str]) -> bool:
    """Whether the settings name LateBloom's jar: the one for this Spark."""
    paths = split(known.get(JARS_KEY, "")) + known.get(_CLASS_PATH_KEY, "").split(os.pathsep)
    named = [(path, build) for path in paths if (build := build_of(path)) is not None]
    needed = _versions.build_at_hand()
    for path, build in named:
        if build != needed:
            raise SparkVersionError(
                f"the settings name LateBloom's jar for {build}, and this is {needed}",
                where=path,
                fix=f"name {jar_path()} in its place, or leave it to latebloom.configure",
            )
    return bool(named)


def _refuse_connect(options: Mapping[str, str]) -> None:
    remote = _remote(options)
    if remote.startswith("sc://"):
        raise UnsupportedSessionError(
            "a Spark Connect client cannot add an extension to its server",
            where=f"spark.remote = {remote!r}",
            fix=f"{_connect.ATTACH}; all of latebloom but configure then works from the client",
        )


def _remote(options: Mapping[str, str]) -> str:
    return options.get("spark.remote", os.environ.get("SPARK_REMOTE", ""))


def _silence_connect(builder: SparkSession.Builder) -> None:
    """Lets a builder with ``remote("local...")`` tell no failures that did not happen.

    Such a builder starts a Spark Connect server with its settings, then sets them in the client's
    session once more, and warns of all that only a start can set, although the server has it.
    """
    build = builder.getOrCreate

    def quietly() -> SparkSession:
        with warnings.catch_warnings():
            for key in (JARS_KEY, EXTENSIONS_KEY):
                told = rf"(?s).*CANNOT_MODIFY\w*CONFIG.*\"{re.escape(key)}\""
                warnings.filterwarnings("ignore", told, UserWarning)
            return build()

    builder.getOrCreate = quietly  # type: ignore[method-assign]
