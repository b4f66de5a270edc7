# SPDX-License-Identifier: Apache-2.0
"""One query, run by Spark alone and with LateBloom, and the comparison of the two."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyspark
from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.errors import PySparkException

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ENABLED = "spark.latebloom.enabled"

IS_SPARK_3 = pyspark.__version__.startswith("3.")

# Spark 3.5 calls an error's condition its class, and always collects a list without empty batches.
CONDITION = "getErrorClass" if IS_SPARK_3 else "getCondition"
COLLECTED = {} if IS_SPARK_3 else {"empty_list_if_zero_records": False}

UNREADABLE = ("org.apache.spark.SparkException:_LEGACY_ERROR_TEMP_2064",)

# Spark 4.1.3 with pushdown is not always right itself. Its row-group filters take -0.0 and 0.0 for
# two values and replace the bytes of a literal that is not UTF-8, so that rows that pass are lost;
# and with a page index its delta decoders lose their place. With ORC, IN with a NULL is an error and
# NaN compares as it does in Java. Without these it decides by Filter.
PLAINLY = {
    "spark.sql.parquet.filterPushdown": "false",
    "spark.sql.orc.filterPushdown": "false",
    "parquet.filter.columnindex.enabled": "false",
}

# What a LateScan counts, by metric name; any of the first seven says that it took the work.
WORK = (
    "rowGroupsPruned",
    "rowGroupsSkipped",
    "rowGroupsLate",
    "rowGroupsEager",
    "rowGroupsAnswered",
    "splitsRemembered",
    "splitsIndexed",
)
VECTORIZED = "spark.sql.parquet.enableVectorizedReader"
NOT_VECTORIZED = "Unsupported encoding: BYTE_STREAM_SPLIT"
LEFT_TO_SPARK = ("filesEncrypted", "filesAcid", "filesTooLarge", "filesArchived")
COUNTED = (*WORK, "rowsFiltered", "valuesDecoded", *LEFT_TO_SPARK)


@dataclass(frozen=True)
class Failure:
    """An error, as the chain of its causes: class and, where Spark gives one, error condition."""

    chain: tuple[str, ...]
    message: str

    @property
    def kind(self) -> tuple[str, ...]:
        """The conditions of the chain: what a user would search for, without our own frames."""
        return tuple(link for link in self.chain if ":" in link)


@dataclass(frozen=True)
class Answer:
    """A query's result, and the facts about scans in its plan."""

    batches: tuple[pa.RecordBatch, ...]
    schema: str
    failure: Failure | None
    plan: str
    late_scans: int = 0
    counted: dict[str, int] = field(default_factory=dict)
    declined: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        return sum(batch.num_rows for batch in self.batches)


def run(session: SparkSession, sql: str) -> Answer:
    """The query's answer as Arrow data, which keeps NaNs, zeros' signs and bytes as they are."""
    try:
        frame = session.sql(sql)
        plan = frame._jdf.queryExecution().executedPlan()
    except (PySparkException, Py4JError) as error:
        return Answer((), "", failure_of(error), "")
    try:
        batches = tuple(frame._collect_as_arrow(**COLLECTED))
        failure = None
    except (PySparkException, Py4JError) as error:
        batches, failure = (), failure_of(error)
    late, counted, declined = _scans(plan)
    schema = frame._jdf.schema().json()
    return Answer(batches, schema, failure, plan.toString(), late, counted, declined)


def failure_of(error: Exception) -> Failure:
    """The chain of causes of an error that came from the JVM."""
    link: Any = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    if link is None:
        raise error
    throwable = SparkContext._jvm.java.lang.Class.forName("org.apache.spark.SparkThrowable")
    chain, messages = [], []
    while link is not None and len(chain) < 12:
        name = link.getClass().getName()
        condition = (getattr(link, CONDITION)() or "") if throwable.isInstance(link) else ""
        chain.append(f"{name}:{condition}" if condition else name)
        messages.append(link.getMessage() or "")
        link = link.getCause()
    return Failure(tuple(chain), "\n".join(messages))


def _scans(plan: Any) -> tuple[int, dict[str, int], tuple[str, ...]]:
    """The number of LateScans, their metrics, and why other file scans are Spark's."""
    late, counted, declined = 0, dict.fromkeys(COUNTED, 0), []
    decisions = SparkContext._jvm.latebloom.decision.Decision
    for node in _nodes(plan):
        if node.nodeName().startswith("LateScan"):
            late += 1
            metrics = node.metrics()
            for name in COUNTED:
                counted[name] += metrics.apply(name).value()
        elif node.nodeName().startswith("Scan "):
            decision = decisions.of(node)
            declined.append(decision.get().why().code() if decision.isDefined() else "")
    return late, counted, tuple(declined)


def _nodes(plan: Any) -> Iterator[Any]:
    """Every node of a physical plan, through adaptive plans, stages and reused exchanges."""
    yield plan
    kind = plan.getClass().getSimpleName()
    if kind == "AdaptiveSparkPlanExec":
        yield from _nodes(plan.executedPlan())
    elif kind.endswith("QueryStageExec"):
        yield from _nodes(plan.plan())
    elif kind == "LateAggregateExec":
        yield from _nodes(plan.scan())
    children = plan.children()
    for i in range(children.size()):
        yield from _nodes(children.apply(i))


def difference(off: Answer, on: Answer) -> str | None:
    """How the two answers differ, in words; None if they agree."""
    if (off.failure is None) != (on.failure is None):
        failed, which = (off, "off") if off.failure else (on, "on")
        assert failed.failure is not None
        return f"only the run with the extension {which} failed: {_short(failed.failure)}"
    if off.failure and on.failure:
        # Spark 3.5 does not name the file if a reader fails when it is made, and ours are made later.
        named = IS_SPARK_3 and not off.failure.kind
        if off.failure.kind != on.failure.kind and not (named and on.failure.kind == UNREADABLE):
            return f"other errors\n  off: {_short(off.failure)}\n  on:  {_short(on.failure)}"
        return None
    if off.schema != on.schema:
        return f"other schemas\n  off: {off.schema}\n  on:  {on.schema}"
    if _same_buffers(off.batches, on.batches):
        return None
    missing = Counter(exact_rows(off))
    missing.subtract(exact_rows(on))
    lost = [(row, n) for row, n in missing.items() if n > 0]
    extra = [(row, -n) for row, n in missing.items() if n < 0]
    if not lost and not extra:
        return None
    lines = [f"other rows: {off.rows} off, {on.rows} on"]
    lines += [f"  lost {n}x {_cut(row)}" for row, n in lost[:4]]
    lines += [f"  extra {n}x {_cut(row)}" for row, n in extra[:4]]
    return "\n".join(lines)


def _short(failure: Failure) -> str:
    return " <- ".join(failure.chain) + ": " + failure.message[:400]


def _cut(row: tuple[Any, ...]) -> str:
    text = repr(row)
    return text if len(text) < 500 else text[:500] + " ..."


def _same_buffers(a: tuple[pa.RecordBatch, ...], b: tuple[pa.RecordBatch, ...]) -> bool:
    """Whether the batches are the same bytes, in the same order; a quick yes, never a no."""
    return len(a) == len(b) and all(
        x.serialize().to_pybytes() == y.serialize().to_pybytes() for x, y in zip(a, b, strict=True)
    )


def exact_rows(answer: Answer) -> Iterator[tuple[Any, ...]]:
    """The rows as tuples that can be compared, counted and hashed."""
    for batch in answer.batches:
        yield from zip(*(_exact(column) for column in batch.columns), strict=True)


def _exact(array: pa.Array) -> list[Any]:
    """Hashable values that are equal exactly when Spark's are the same bits."""
    kind = array.type
    if pa.types.is_struct(kind):
        fields = [_exact(field) for field in array.flatten()]
        valid = array.is_valid().to_pylist()
        return [v if ok else None for ok, v in zip(valid, zip(*fields, strict=True), strict=True)]
    if pa.types.is_map(kind):
        entries = list(zip(_exact(array.keys), _exact(array.items), strict=True))
        return _split(array, entries)
    if pa.types.is_list(kind):
        return _split(array, _exact(array.values))
    if pa.types.is_string(kind):
        return array.view(pa.binary()).to_pylist()
    if pa.types.is_float64(kind):
        return array.view(pa.int64()).to_pylist()
    if pa.types.is_float32(kind):
        return array.view(pa.int32()).to_pylist()
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return array.view(pa.int64()).to_pylist()
    if pa.types.is_date32(kind):
        return array.view(pa.int32()).to_pylist()
    return array.to_pylist()


def _split(array: Any, values: list[Any]) -> list[Any]:
    starts = array.offsets.to_pylist()
    valid = array.is_valid().to_pylist()
    return [tuple(values[starts[i] : starts[i + 1]]) if ok else None for i, ok in enumerate(valid)]


@dataclass(frozen=True)
class Pair:
    """Two sessions of one application that differ in the extension's master switch only.

    A third, ``plain``, has the extension off and with it the shortcuts of Spark's own reader; a
    fourth, ``rowwise``, has the extension off and reads with Spark's older reader, which knows an
    encoding that the other does not.
    """

    off: SparkSession
    on: SparkSession
    plain: SparkSession
    rowwise: SparkSession

    @property
    def sessions(self) -> tuple[SparkSession, ...]:
        return self.off, self.on, self.plain, self.rowwise

    @staticmethod
    def of(spark: SparkSession, confs: dict[str, str] | None = None) -> Pair:
        pair = Pair(*(spark.newSession() for _ in range(4)))
        for session in pair.sessions:
            settings = {
                **(confs or {}),
                ENABLED: "true" if session is pair.on else "false",
            }
            if session is pair.plain:
                settings |= PLAINLY
            if session is pair.rowwise:
                settings[VECTORIZED] = "false"
            for key, value in settings.items():
                session.conf.set(key, value)
        return pair

    def view(self, name: str, make: Any) -> None:
        """Gives the frame that ``make(session)`` reads a name in all sessions."""
        for session in self.sessions:
            frame: DataFrame = make(session)
            frame.createOrReplaceTempView(name)

    def parquet(self, name: str, path: object, **options: str) -> None:
        self.files("parquet", name, path, **options)

    def files(self, kind: str, name: str, path: object, **options: str) -> None:
        self.view(
            name,
            lambda session: session.read.options(**options).format(kind).load(str(path)),
        )

    def check(self, sql: str, expect: str = "late") -> str | None:
        """The fault of the query's answer or plan, in words; None if there is none.

        ``expect`` is ``late`` (a LateScan took the work), ``spark`` with the code of a reason (no
        LateScan, and that reason on a scan), ``either``, or a text that the plan must show.
        """
        off, on = run(self.off, sql), run(self.on, sql)
        if off.failure and NOT_VECTORIZED in off.failure.message:
            off = run(self.rowwise, sql)
        wrong = difference(off, on)
        if wrong and difference(run(self.plain, sql), on) is None:
            wrong = None
        wrong = wrong or _unexpected(off, on, expect)
        if wrong is None:
            return None
        plan = re.sub(r"(?m)^", "    ", on.plan[:3000])
        return f"{sql}\n  {wrong}\n  plan with the extension on:\n{plan}"


def _unexpected(off: Answer, on: Answer, expect: str) -> str | None:
    if off.late_scans:
        return "a LateScan with the extension off"
    if expect == "either" or on.failure:
        return None
    if expect.startswith("spark "):
        if on.late_scans:
            return "a LateScan where Spark's own scan was expected"
        code = expect.removeprefix("spark ")
        return None if code in on.declined else f"reasons {on.declined}, expected {code!r}"
    if expect != "late":
        return None if expect in on.plan else f"the plan does not say {expect!r}"
    if not on.late_scans:
        return "no LateScan: the query tests nothing"
    if not any(on.counted[name] for name in (*WORK, *LEFT_TO_SPARK)):
        return f"a LateScan that did nothing: {on.counted}"
    return None
