# SPDX-License-Identifier: Apache-2.0
"""A suite: queries, their tables, and the variants in which they run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeVar

from latebloom._errors import LateBloomError

from latebloom_bench._sides import OFF, ON, SparkSide

if TYPE_CHECKING:
    from latebloom._data import Cache

    from latebloom_bench.tables._data import Data

# Without broadcasts Spark plans sort-merge joins.
NO_BROADCAST = {"spark.sql.autoBroadcastJoinThreshold": "-1"}

_LAST_LIMIT = re.compile(r"\blimit\s+\d+\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Query:
    """One query, by its name in the report.

    Attributes:
        sql: the text, in the SQL that Spark and DuckDB share.
        at_least: the expected speed-up, 0 for none.
        tables: the views that it reads; empty for all of the suite's.
        chart: the line of the suite's selectivity plot to which it belongs.
        selectivity: the share of the rows that pass, its position on that line.
        seed: the figure that the source text of this query reports.
        confs: settings of this query besides the variant's.
        settled: False for a query whose text leaves its answer open, as ``LIMIT`` alone does: only
            its row count is compared.
        decided: True for a query whose order leaves no ties: its answer is compared as it is.
        before: the query that precedes it on a side that follows one.
    """

    name: str
    sql: str
    at_least: float = 0.0
    tables: tuple[str, ...] = ()
    chart: str = ""
    selectivity: float = 0.0
    seed: str = ""
    confs: Mapping[str, str] = field(default_factory=dict)
    settled: bool = True
    decided: bool = False
    before: str = ""

    @property
    def unlimited(self) -> str:
        """The text without its last ``LIMIT``: ties leave open which rows it keeps."""
        return self.sql if self.decided or not self.settled else _LAST_LIMIT.sub("", self.sql)


@dataclass(frozen=True)
class Variant:
    """One way to run all queries of a suite: the tables' format and file system, and confs."""

    name: str = "parquet"
    format: str = "parquet"
    scheme: str = "file"
    confs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Suite:
    """Queries over tables at a scale factor, and their session.

    Queries whose texts come from a tool in the cache are a function of the cache.
    ``needs_testkit``: the session needs the classes of ``jvm/testkit``. ``only_planned``: queries
    are planned and not run, so that there are no answers to compare. ``sides``: the baseline, then
    the measured side, then others. ``indexed``: columns of tables that a skip index is built of,
    which a side uses or not. ``advised``: the report compares the speed-ups with those that
    ``latebloom advise`` expects. ``estimated``: the report says how Spark plans the joins, and how
    near the sizes are that it plans with.
    """

    name: str
    about: str
    queries: Sequence[Query] | Callable[[Cache], Sequence[Query]]
    data: Data
    scale: float
    variants: tuple[Variant, ...] = (Variant(),)
    master: str = "local[2]"
    memory: str = "4g"
    confs: Mapping[str, str] = field(default_factory=dict)
    needs_testkit: bool = False
    only_planned: bool = False
    sides: tuple[SparkSide, ...] = (OFF, ON)
    indexed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    advised: bool = False
    estimated: bool = False

    def select(self, names: Sequence[str], cache: Cache) -> tuple[Query, ...]:
        """The queries of these names or shell patterns, all of them if there are none."""
        queries = self.queries(cache) if callable(self.queries) else self.queries
        return _select(self.name, "query", queries, names)

    def select_variants(self, names: Sequence[str]) -> tuple[Variant, ...]:
        """The variants of these names or shell patterns, all of them if there are none."""
        return _select(self.name, "variant", self.variants, names)


def tables_in(sql: str, names: Iterable[str]) -> tuple[str, ...]:
    """The tables that a query's text mentions."""
    return tuple(name for name in names if re.search(rf"\b{name}\b", sql))


_Named = TypeVar("_Named", Query, Variant)


def _select(
    suite: str, kind: str, of: Sequence[_Named], names: Sequence[str]
) -> tuple[_Named, ...]:
    known = {one.name: one for one in of}
    # By name first: a name may contain the characters of patterns.
    chosen = {
        name: (name,) if name in known else tuple(n for n in known if fnmatchcase(n, name))
        for name in names
    }
    unknown = [name for name in names if not chosen[name]]
    if unknown:
        raise LateBloomError(
            f"there is no {kind} {', '.join(unknown)}",
            where=f"suite {suite}",
            fix=f"choose one of {', '.join(known)}",
        )
    once = dict.fromkeys(name for name in names for name in chosen[name])
    return tuple(known[name] for name in once) if names else tuple(of)
