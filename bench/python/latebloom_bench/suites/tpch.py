# SPDX-License-Identifier: Apache-2.0
"""All 22 queries of TPC-H, with the substitution parameters of its validation run."""

from __future__ import annotations

from importlib.resources import files

from latebloom._data import Tpch

from latebloom_bench._suite import NO_BROADCAST, Query, Suite, Variant, tables_in

VARIANTS = (
    Variant("parquet"),
    Variant("parquet, no broadcast", confs=NO_BROADCAST),
    Variant("orc", format="orc"),
    Variant("orc, no broadcast", format="orc", confs=NO_BROADCAST),
)

# At scale 10, two tasks that sort the rest of lineitem for q04 need more than 4 GiB.
MEMORY = "8g"
_DATA = Tpch("128MB")


def _query(number: int) -> Query:
    text = files("latebloom_bench").joinpath("tpch", f"q{number:02}.sql").read_text("utf-8")
    sql = text.partition("\n")[2].strip()
    return Query(f"q{number:02}", sql, tables=tables_in(sql, _DATA.names()))


QUERIES = tuple(map(_query, range(1, 23)))
SUITE = Suite(
    "tpch",
    "TPC-H's 22 queries, on Parquet and ORC, with joins as Spark decides and without broadcasts.",
    QUERIES,
    _DATA,
    scale=1,
    variants=VARIANTS,
    memory=MEMORY,
)
