# SPDX-License-Identifier: Apache-2.0
"""Shows where the scans of a query spent rows, bytes and time."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latebloom import _asking, _past, _whynot
from latebloom._errors import LateBloomError
from latebloom._explain import Explanation, to_explanation
from latebloom._render import seconds
from latebloom._scanned import Column, ScanProfile, Step, to_scan_profile
from latebloom._session import require_extension

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure
    from pyspark.sql import DataFrame, SparkSession


# What a DataFrame may be of: its own columns, and its rows of a scan.
_FRAMES: Mapping[str, tuple[tuple[str, ...], Callable[[ScanProfile], Sequence[Step | Column]]]] = {
    "steps": (("step", "rows", "left", "seconds"), lambda scan: scan.steps),
    "columns": (
        ("column", "read_as", "decoded", "by_spark", "skipped"),
        lambda scan: scan.columns,
    ),
}


@dataclass(frozen=True)
class Profile:
    """A query that was run.

    Attributes:
        seconds: wall-clock time of the run.
        rows: of the answer, which were counted and dropped; None of a query that had ended.
        scans: what each scan did, in plan order.
        whynot: what was left to Spark.
        explanation: the plan and all decisions.
    """

    seconds: float
    rows: int | None
    scans: tuple[ScanProfile, ...]
    whynot: _whynot.WhyNot
    explanation: Explanation

    def __str__(self) -> str:
        parts = [self._headline(), *map(str, self.scans)]
        if self.whynot.causes:
            parts.append(f"left to Spark:\n{self.whynot}")
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        left = f"<p>Left to Spark:</p>{self.whynot._repr_html_()}" if self.whynot.causes else ""
        scans = "".join(scan.to_html() for scan in self.scans)
        return f"<p>{self._headline()}</p>{scans}{left}"

    def _headline(self) -> str:
        rows = "" if self.rows is None else f", {self.rows:,} rows"
        return f"{seconds(self.seconds)}{rows}"

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and dicts, ready for JSON."""
        return {
            "seconds": self.seconds,
            "rows": self.rows,
            "scans": [scan.to_dict() for scan in self.scans],
            **self.whynot.to_dict(),
        }

    def to_df(self, of: str = "steps") -> pandas.DataFrame:
        """The steps of all scans, or their columns, as a pandas DataFrame.

        Args:
            of: ``steps``, a row a step, with the columns ``scan``, ``table``, ``step``, ``rows``,
                ``left`` and ``seconds``; or ``columns``, a row a column, with ``scan``, ``table``,
                ``column``, ``read_as``, ``decoded``, ``by_spark`` and ``skipped``.

        Raises:
            ValueError: ``of`` is neither.
            LateBloomError: pandas is not installed.
        """
        if of not in _FRAMES:
            raise ValueError(f"there is no table of {of!r}: choose one of {', '.join(_FRAMES)}")
        try:
            import pandas
        except ImportError:
            raise LateBloomError(
                "pandas is not installed",
                where="this Python's environment",
                fix="pip install pandas, or use to_dict()",
            ) from None
        names, parts = _FRAMES[of]
        rows = [
            (i, scan.scan.table, *astuple(part))
            for i, scan in enumerate(self.scans)
            for part in parts(scan)
        ]
        return pandas.DataFrame(rows, columns=["scan", "table", *names])

    def plot(self) -> Figure:
        """Draws the funnel of each scan: rows and time of its steps, bytes fetched and not fetched.

        Returns a figure of matplotlib, which a notebook shows and ``savefig`` writes; shows nothing
        itself. Rows are on a logarithmic axis, times are those of all tasks together. Colours of text
        and ground are those of matplotlib's style, such as ``dark_background``.

        Raises:
            LateBloomError: matplotlib is not installed.
        """
        try:
            from latebloom import _plot
        except ImportError as error:
            raise LateBloomError(
                f"matplotlib is not installed: {error}",
                where="this Python's environment",
                fix="pip install 'latebloom[plot]'",
            ) from None
        return _plot.funnels(self._headline(), self.scans)


def profile(
    df: DataFrame | None = None,
    *,
    execution_id: int | None = None,
    event_log: str | os.PathLike[str] | None = None,
    spark: SparkSession | None = None,
) -> Profile:
    """Tells what the scans of a query did.

    Args:
        df: a query, which is run once; its rows are dropped.
        execution_id: instead of ``df``, a query that has ended: its number in the SQL tab of the
            Spark UI. Of the application of ``spark``, which keeps the last 200, or of ``event_log``.
        event_log: an event log of Spark that an application with LateBloom has written.
        spark: a session of the application that ``execution_id`` is of, also one of Spark Connect;
            None for the active session.

    Raises:
        ExtensionNotLoadedError: the session runs without the extension.
        UnsupportedSessionError: the session is neither of a local JVM nor of Spark Connect.
        LateBloomError: no query is named, or more than one; nothing is known of it; the log cannot
            be read.
    """
    past = execution_id is not None or event_log is not None
    if (df is None) != past:
        raise LateBloomError(
            "profile takes a DataFrame, or a query that has ended",
            where="its arguments",
            fix="profile(df), profile(execution_id=3), or profile(event_log=FILE, execution_id=3)",
        )
    if df is not None:
        require_extension(df.sparkSession)
        return _profile(json.loads(_asking.of(df.sparkSession).profile(df.select("*"))))
    if event_log is not None:
        return _profile(_past.of_log(Path(event_log), execution_id))
    assert execution_id is not None
    return _profile(_past.of_application(execution_id, spark))


def _profile(told: dict[str, Any]) -> Profile:
    explanation = to_explanation(told)
    return Profile(
        seconds=told["seconds"],
        rows=told.get("rows"),
        scans=tuple(map(to_scan_profile, told["scans"])),
        whynot=_whynot.of(told),
        explanation=explanation,
    )
