# SPDX-License-Identifier: Apache-2.0
"""The queries of ``tests/sql``, off and on, over every form in which their tables are written."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import _queries
import _tables
import pyarrow.parquet as pq
import pytest
from _files import TABLES, Variant
from _pair import Pair, exact_rows, run
from _queries import Generator, Query

# Of a variant that is not ``full``, one in so many queries; and random queries for each variant.
SAMPLED = 8
RANDOM = 6


@dataclass(frozen=True)
class Case:
    table: str
    variant: Variant

    def queries(self) -> list[Query]:
        rng = random.Random(self.variant.name)
        chosen = [
            query
            for file in _queries.files()
            if self.table in file.tables
            for query in file.queries
            if self.variant.full or rng.randrange(SAMPLED) == 0
        ]
        if self.table in ("mixed", "flat"):
            generator = Generator(self.variant.name)
            chosen += [generator.query() for _ in range(RANDOM)]
        return chosen


CASES = [Case(table, variant) for table, variants in TABLES.items() for variant in variants]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keys") / "keys.parquet"
    pq.write_table(_tables.keys(), path)
    return path


def failures(pair: Pair, queries: list[Query]) -> list[str]:
    """What is wrong, query by query; two run at a time."""
    with ThreadPoolExecutor(2) as pool:
        answers = pool.map(lambda query: pair.check(query.sql, query.expect), queries)
        return [wrong for wrong in answers if wrong]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.table}-{c.variant.name}")
def test_same_answers_off_and_on(
    case: Case,
    pair_of: Callable[..., Pair],
    files_of: Callable[[Variant, str], Path],
    keys: Path,
) -> None:
    pair = pair_of(case.variant.confs)
    pair.files(case.variant.format, "t", files_of(case.variant, case.table))
    pair.parquet("keys", keys)
    queries = case.queries()
    if case.variant.expect:
        queries = [
            Query(query.sql, case.variant.expect if query.expect == "late" else "either")
            for query in queries
        ]
    wrong = failures(pair, queries)
    assert not wrong, f"{len(wrong)} of {len(queries)} queries\n\n" + "\n\n".join(wrong[:6])


def test_an_unordered_limit_gives_rows_that_pass(
    pair_of: Callable[..., Pair], files_of: Callable[[Variant, str], Path]
) -> None:
    """Which rows is Spark's to choose: they must be among those that pass, and as many."""
    variant = next(v for v in TABLES["mixed"] if v.name == "arrow_split")
    pair = pair_of(variant.confs)
    pair.parquet("t", files_of(variant, "mixed"))
    everything = set(exact_rows(run(pair.off, "select id, s, mode from t where low < 3")))
    for limit in (1, 2, 63, 64, 65, 100_000):
        some = list(
            exact_rows(run(pair.on, f"select id, s, mode from t where low < 3 limit {limit}"))
        )
        assert len(some) == len(set(some)) == min(limit, len(everything))
        assert everything.issuperset(some)
