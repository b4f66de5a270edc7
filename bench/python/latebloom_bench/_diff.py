# SPDX-License-Identifier: Apache-2.0
"""Compares two reports of one suite: changes beyond the scatter of the runs."""

from __future__ import annotations

from dataclasses import dataclass

from latebloom._render import table

from latebloom_bench._report import Measured, Report, Result, beyond_noise

_HEADER = ("variant", "query", "side", "before", "after", "change")


@dataclass(frozen=True)
class Change:
    """One side of one query, in both reports."""

    variant: str
    query: str
    before: Measured
    after: Measured

    @property
    def ratio(self) -> float:
        """Median after over median before: above 1 it became slower."""
        return self.after.median / self.before.median


@dataclass(frozen=True)
class Diff:
    """The differences between two reports.

    Attributes:
        slower: sides that became slower, the worst first.
        faster: sides that became faster, the best first.
        steady: how many changed within the scatter of the runs.
        only: names that only one report has.
        subject: the side whose slowdown is a regression; the others show the machine's own changes.
    """

    slower: tuple[Change, ...]
    faster: tuple[Change, ...]
    steady: int
    only: tuple[str, ...]
    subject: str

    @property
    def regressed(self) -> bool:
        """Whether the side that the suite is about became slower somewhere."""
        return any(change.after.side == self.subject for change in self.slower)

    def __str__(self) -> str:
        rows = [
            (
                c.variant,
                c.query,
                c.after.side,
                f"{c.before.median:.3f}",
                f"{c.after.median:.3f}",
                f"{c.ratio:.2f}x",
            )
            for c in (*self.slower, *self.faster)
        ]
        parts = [table(_HEADER, rows, right=(3, 4, 5))] if rows else []
        parts += [
            f"{len(self.slower)} slower, {len(self.faster)} faster, {self.steady} within noise"
        ]
        parts += [f"only in one: {name}" for name in self.only]
        return "\n".join(parts)


def diff(before: Report, after: Report) -> Diff:
    """Compares the sides that both reports timed.

    A time has changed if no run of one report lies between those of the other, and the medians are
    three percent apart (ten, if one of them is of a single run).
    """
    old, new = _timed(before), _timed(after)
    changed = []
    steady = 0
    for key in (key for key in old if key in new):
        one, other = old[key], new[key]
        if beyond_noise(one.seconds, other.seconds):
            changed.append(Change(key[0], key[1], one, other))
        else:
            steady += 1
    changed.sort(key=lambda c: c.ratio)
    return Diff(
        slower=tuple(c for c in reversed(changed) if c.ratio > 1),
        faster=tuple(c for c in changed if c.ratio < 1),
        steady=steady,
        only=tuple(", ".join(key) for key in sorted(old.keys() ^ new.keys())),
        subject=after.subject,
    )


def _timed(report: Report) -> dict[tuple[str, str, str], Measured]:
    def sides(result: Result) -> list[Measured]:
        return [side for side in result.sides if side.seconds]

    return {(r.variant, r.query, s.side): s for r in report.results for s in sides(r)}
