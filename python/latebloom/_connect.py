# SPDX-License-Identifier: Apache-2.0
"""What :mod:`latebloom._jvm` asks through py4j, asked over Spark Connect through SQL.

The extension on the server registers table functions. A DataFrame is named to them by a temporary
view, which lives for the length of the question.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakSet

from latebloom import _versions
from latebloom._errors import JarNotFoundError
from latebloom._names import EXTENSION, EXTENSIONS_KEY

if TYPE_CHECKING:
    from types import ModuleType

    from pyspark.sql import DataFrame, SparkSession

ATTACH = f"start the server with --jars $(latebloom jar) --conf {EXTENSIONS_KEY}={EXTENSION}"

# In Spark's errors for a table function that it does not know.
_UNKNOWN_FUNCTION = "UNRESOLVABLE_TABLE_VALUED_FUNCTION"

# The sessions whose server was asked for its version.
_known: WeakSet[SparkSession] = WeakSet()


def is_client(spark: object) -> bool:
    """Whether a session is one of Spark Connect."""
    return any(kind.__module__.startswith("pyspark.sql.connect.") for kind in type(spark).__mro__)


def require(spark: SparkSession) -> None:
    """Raises unless the server's extension answers; warns once if it is of another version.

    Raises:
        JarNotFoundError: the server names the extension, and does not know its table functions.
    """
    if spark not in _known:
        _versions.warn_of_another(
            json.loads(version(spark))["version"],
            "the server's",
            "this client's",
            f"pip install the client's version that the server has, or {ATTACH}",
        )
        _known.add(spark)


def version(spark: SparkSession) -> str:
    """As :func:`latebloom._jvm.version`, of the server."""
    from pyspark.errors import AnalysisException

    try:
        return _ask(spark, "version")
    except AnalysisException as error:
        if _UNKNOWN_FUNCTION not in str(error):
            raise
        raise JarNotFoundError(
            "the server names LateBloom's extension, but does not know its SQL functions: it found "
            "no jar, one for another Spark or Scala, or one of an earlier LateBloom",
            where=f"a Spark Connect server with Spark {spark.version}; its log has the reason",
            fix=ATTACH,
        ) from None


def confs(spark: SparkSession) -> str:
    """As :func:`latebloom._jvm.confs`."""
    return _ask(spark, "confs")


def cache(spark: SparkSession) -> str:
    """As :func:`latebloom._jvm.cache`, of the server."""
    return _ask(spark, "cache")


def clear_cache(spark: SparkSession) -> None:
    """As :func:`latebloom._jvm.clear_cache`, of the server."""
    spark.sql("SELECT * FROM latebloom_clear_cache()").collect()


def explain(df: DataFrame) -> str:
    """As :func:`latebloom._jvm.explain`."""
    with _view(df) as query:
        return _ask(df.sparkSession, "explain", query)


def metrics(df: DataFrame) -> str:
    """As :func:`latebloom._jvm.metrics`, of a run of its own: a client has no plan that ran."""
    scans = [scan for scan in json.loads(profile(df))["scans"] if scan["applied"]]
    return json.dumps(
        [
            {"node": scan["node"], **{m["key"]: m["value"] for m in scan["metrics"]}}
            for scan in scans
        ]
    )


def profile(df: DataFrame) -> str:
    """As :func:`latebloom._jvm.profile`."""
    with _view(df) as query:
        return _ask(df.sparkSession, "profile", query)


def report(spark: SparkSession, execution_id: int) -> str | None:
    """As :func:`latebloom._jvm.report`, of the server's application."""
    (row,) = spark.sql(f"SELECT json FROM latebloom_json('report', {int(execution_id)})").collect()
    return None if row.json is None else str(row.json)


def functions() -> ModuleType:
    """The functions that make columns of a client's DataFrames."""
    from pyspark.sql.connect import functions

    return functions


def _ask(spark: SparkSession, question: str, query: str | None = None) -> str:
    # Both are ours, and have no quotes.
    arguments = f"'{question}'" if query is None else f"'{question}', '{query}'"
    (row,) = spark.sql(f"SELECT json FROM latebloom_json({arguments})").collect()
    return str(row.json)


@contextmanager
def _view(df: DataFrame) -> Iterator[str]:
    """A query for the rows of ``df``, by a temporary view of the session."""
    name = f"latebloom_{uuid.uuid4().hex}"
    df.createOrReplaceTempView(name)
    try:
        yield f"SELECT * FROM {name}"
    finally:
        df.sparkSession.catalog.dropTempView(name)
