# SPDX-License-Identifier: Apache-2.0
"""What ``latebloom advise`` expects of the queries of a run, by the event log of its baseline."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from latebloom._advise import DEFAULT_LEAST, advise

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from latebloom_bench._report import Result

# A query that gains so much should be named, and one that gains less than that should not.
GAINS, GAINS_LITTLE = 1.5, 1.1


def confs(folder: Path) -> dict[str, str]:
    """Settings of a session that writes its event log to a folder."""
    return {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": folder.resolve().as_uri(),
        "spark.eventLog.compress": "false",
    }


@contextmanager
def described(spark: SparkSession, side: str, query: str) -> Iterator[None]:
    """Gives the executions of a block a description by which :func:`expecting` finds them."""
    spark.sparkContext.setLocalProperty("spark.job.description", f"{side}: {query}")
    try:
        yield
    finally:
        # None, which the method's annotation does not know, removes it.
        spark.sparkContext.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]


def expecting(results: Sequence[Result], baseline: str, folder: Path) -> tuple[Result, ...]:
    """The results with the speed-ups that the event logs of a folder make ``advise`` expect."""
    found: dict[str, list[float]] = {}
    for advice in advise(folder, least=0):
        found.setdefault(advice.description, []).append(advice.speedup)
    return tuple(
        replace(r, expected=statistics.median(found.get(f"{baseline}: {r.query}", [1.0])))
        for r in results
    )


@dataclass(frozen=True)
class Quality:
    """How well the queries that ``advise`` names are those that gain.

    Attributes:
        named: how many it names.
        gaining: how many gain :data:`GAINS` or more.
        found: how many of these it names.
        idle: how many of the named gain less than :data:`GAINS_LITTLE`.
    """

    named: int
    gaining: int
    found: int
    idle: int

    def __str__(self) -> str:
        return (
            f"`latebloom advise` names {self.named} queries by the baseline's event log. Of the "
            f"{self.gaining} that run at least {GAINS}x as fast it names {self.found} "
            f"({_share(self.found, self.gaining)}). Of those that it names, {self.idle} "
            f"({_share(self.idle, self.named)}) gain less than {GAINS_LITTLE}x."
        )


def quality(results: Sequence[Result], baseline: str, subject: str) -> Quality | None:
    """Compares expected with measured speed-ups; None if nothing was expected."""
    pairs = [
        (r.expected, measured)
        for r in results
        if r.expected and (measured := r.speedup(subject, baseline)) is not None
    ]
    if not pairs:
        return None
    named = [measured for expected, measured in pairs if expected >= DEFAULT_LEAST]
    return Quality(
        named=len(named),
        gaining=sum(measured >= GAINS for _, measured in pairs),
        found=sum(measured >= GAINS for measured in named),
        idle=sum(measured < GAINS_LITTLE for measured in named),
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "none"
