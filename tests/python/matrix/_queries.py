# SPDX-License-Identifier: Apache-2.0
"""The sources of queries: the files of ``tests/sql``, and a seeded generator."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

SQL = Path(__file__).parents[2] / "sql"


@dataclass(frozen=True)
class Query:
    sql: str
    expect: str = "late"


@dataclass(frozen=True)
class QueryFile:
    name: str
    tables: tuple[str, ...]
    queries: tuple[Query, ...]


def files() -> list[QueryFile]:
    return [_parse(path) for path in sorted(SQL.glob("*.sql"))]


def _parse(path: Path) -> QueryFile:
    tables: tuple[str, ...] = ()
    queries: list[Query] = []
    expect, lines = "late", []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("-- tables:"):
            tables = tuple(line.removeprefix("-- tables:").split())
        elif line.startswith("-- expect:"):
            expect = line.removeprefix("-- expect:").strip()
        elif not line.startswith("--") and line.strip():
            lines.append(line)
            if line.rstrip().endswith(";"):
                queries.append(Query("\n".join(lines).rstrip().removesuffix(";"), expect))
                expect, lines = "late", []
    assert tables and queries and not lines, f"{path.name}: no tables, no query, or no last ';'"
    return QueryFile(path.stem, tables, tuple(queries))


_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "<=>")

# Literals of each column of the mixed table: values that occur, that are near, that never occur.
_LITERALS: dict[str, tuple[str, ...]] = {
    "id": ("0", "17", "699", "700", "1200", "2399", "-1", "99999"),
    "flag": ("true", "false"),
    "i8": ("3Y", "-20Y", "127Y", "-128Y", "0Y"),
    "i16": ("7S", "-300S", "32767S", "0S", "250S"),
    "i32": ("17", "0", "-1", "2147483647", "4900", "-4900", "123"),
    "i64": ("0L", "-1L", "9223372036854775807L", "1000000000000L", "-1000000000000L"),
    "low": ("0", "3", "10", "20", "21", "-1"),
    "sorted": ("0", "5", "6", "7", "15", "23", "24"),
    "f32": ("0.0f", "-0.0f", "1.5f", "float('NaN')", "float('infinity')", "-480.5f"),
    "f64": ("0.0d", "-0.0d", "1.5d", "double('NaN')", "double('-infinity')", "480.5d"),
    "d": (
        "date'1970-01-01'",
        "date'1969-10-01'",
        "date'1970-04-01'",
        "date'0001-01-01'",
    ),
    "ts": (
        "timestamp'1970-01-01 00:00:00 UTC'",
        "timestamp'1969-12-25 03:00:00.000001 UTC'",
        "timestamp'1970-01-09 00:00:00.999999 UTC'",
    ),
    "ntz": (
        "timestamp_ntz'1970-01-01 00:00:00'",
        "timestamp_ntz'1969-12-25 03:00:00.000001'",
        "timestamp_ntz'1970-01-09 00:00:00.999999'",
    ),
    "dec9": ("0.00", "1.50", "9999999.99", "-9999999.99", "50.00"),
    "dec18": ("0.0000", "0.5000", "-0.5000", "99999999999999.9999"),
    "dec38": (
        "0.0000000000",
        "0.0000005000",
        "9999999999999999999999999999.9999999999",
    ),
    "mode": ("'AIR'", "''", "'MÜLL'", "'🦊'", "'nope'", "'AIR '"),
    "s": ("''", "'pending'", "'über'", "'naïve foxes'", "'zzz'"),
    "bin": ("X''", "X'00'", "X'80'", "X'FFFFFF'"),
    "one": ("'only'", "'else'"),
    "rare": ("0", "3", "9"),
    "runs": ("0", "3", "6", "9"),
    "none_i": ("1",),
    "none_s": ("'x'",),
}
_TEXT = ("mode", "s", "one", "none_s")
_PIECES = (
    "A",
    "R",
    "AIR",
    "e",
    "foxes",
    "pend",
    "ü",
    "北京",
    "🦊",
    "",
    " ",
    "only",
    "\\\\%",
    "\\\\_",
)


# Conditions that have no kernel: Spark's compiled expressions, on one column or on several.
_EXPRESSIONS = (
    "i32 % 3 <> 1",
    "length(s) > 12",
    "low + i32 > 3",
    "d < cast(ts as date)",
    "upper(mode) = 'AIR'",
    "substring(s, 2, 3) in ('end', 'ber', 'oxe')",
    "coalesce(none_i, low) = 3",
    "year(d) = 1970 and flag",
    "case when low > 10 then mode = 'AIR' else f64 > 0 end",
    "s = mode",
    "abs(dec9) > 50",
    "hex(bin) like '%F%'",
    "hour(ts) = 3",
    "i64 is null or low = 3",
    "nvl(s, mode) >= 'p'",
)


class Generator:
    """Random queries over the flat columns of the mixed table; the same for the same seed."""

    def __init__(self, seed: str) -> None:
        self._rng = random.Random(seed)

    def query(self) -> Query:
        rng = self._rng
        where = " and ".join(f"({self._condition()})" for _ in range(rng.choice((1, 1, 2, 3))))
        if rng.random() < 0.2:
            where += f" and ({rng.choice(_EXPRESSIONS)})"
        columns = rng.sample(list(_LITERALS), rng.randint(1, 5))
        shape = rng.random()
        if shape < 0.7:
            return Query(f"select {', '.join(columns)} from t where {where}", "either")
        if shape < 0.8:
            return Query(f"select * from t where {where}", "either")
        if shape < 0.9:
            counts = ", ".join(f"count({c})" for c in columns)
            return Query(f"select count(*), {counts} from t where {where}", "either")
        group = columns[0]
        return Query(
            f"select {group}, count(*), max(s) from t where {where} group by {group}",
            "either",
        )

    def _condition(self) -> str:
        """A condition on one column, or an OR of such on several."""
        rng = self._rng
        arms = [
            self._tree(rng.choice(list(_LITERALS)), 2) for _ in range(rng.choice((1, 1, 1, 2, 3)))
        ]
        if len(arms) > 1 and rng.random() < 0.3:
            arms[0] = f"{arms[0]} and {self._tree(rng.choice(list(_LITERALS)), 1)}"
        if len(arms) > 1 and rng.random() < 0.3:
            arms.append(rng.choice(_EXPRESSIONS))
        return " or ".join(f"({arm})" for arm in arms)

    def _tree(self, column: str, depth: int) -> str:
        """A condition over one column: AND, OR and NOT of leaves."""
        rng = self._rng
        pick = rng.random()
        if depth == 0 or pick < 0.5:
            return self._leaf(column)
        if pick < 0.65:
            return f"not ({self._tree(column, depth - 1)})"
        word = " and " if pick < 0.8 else " or "
        return word.join(f"({self._tree(column, depth - 1)})" for _ in range(2))

    def _leaf(self, column: str) -> str:
        rng = self._rng
        literal = rng.choice(_LITERALS[column])
        pick = rng.random()
        if column in _TEXT and pick < 0.35:
            return self._match(column)
        if pick < 0.6:
            return f"{column} {rng.choice(_COMPARISONS)} {literal}"
        if pick < 0.7:
            return f"{column} is {rng.choice(('', 'not '))}null"
        if pick < 0.8:
            return f"{column} between {literal} and {rng.choice(_LITERALS[column])}"
        values = [rng.choice(_LITERALS[column]) for _ in range(rng.randint(1, 14))]
        values += ["null"] * (rng.random() < 0.2)
        return f"{column} {rng.choice(('', 'not '))}in ({', '.join(values)})"

    def _match(self, column: str) -> str:
        rng = self._rng
        piece = rng.choice(_PIECES)
        if rng.random() < 0.3:
            plain = piece.replace("\\\\", "")
            return f"{rng.choice(('startswith', 'endswith', 'contains'))}({column}, '{plain}')"
        pattern = "".join(
            rng.choice((rng.choice(_PIECES), "%", "%", "_")) for _ in range(rng.randint(1, 5))
        )
        return f"{column} {rng.choice(('', 'not '))}like '{pattern}'"
