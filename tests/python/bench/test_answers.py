# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from decimal import Decimal

import pytest
from latebloom_bench import _answers

ROWS = (
    "values (1, 2.5D, 'ab', true, date'2020-01-01', 1.25BD),"
    " (null, -1.0D, null, null, null, 2.5BD), (3, 0.0D, 'c', false, date'2020-01-02', null)"
)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((1, 2.0, None), (1, 2.0, None), True),
        ((1, 2.0), (1, 2.00001), True),
        ((1, 2.0), (1, 2.1), False),
        ((1, None), (1, 0), False),
        ((1,), (1, 2), False),
        ((float("nan"),), (float("nan"),), True),
    ],
)
def test_summaries_agree_within_the_tolerance(one, other, expected):
    assert _answers.alike(one, other) is expected


def test_a_summary_has_the_row_count_and_a_figure_a_column(spark):
    df = spark.sql(ROWS)
    summary = spark.sql(_answers.summary_sql(df, ROWS)).collect()
    # Sums of numbers, lengths of text, and how many of the others are not null.
    assert [tuple(row) for row in summary] == [(3, 4.0, 1.5, 3, 2, 2, 3.75)]


def test_columns_of_one_name_each_have_their_figure(spark):
    sql = "select 1 a, 2 a, 'x' `odd name`"
    assert tuple(spark.sql(_answers.summary_sql(spark.sql(sql), sql)).head()) == (1, 1.0, 2.0, 1)


def test_duckdb_takes_the_same_text(spark):
    duckdb = pytest.importorskip("duckdb")
    sql = "select 7 a, 'abc' b, true c from (values (1), (2)) as t(x)"
    text = _answers.summary_sql(spark.sql(sql), sql)
    assert _answers.alike(duckdb.sql(text).fetchall()[0], tuple(spark.sql(text).head()))


def test_numbers_of_any_kind_are_compared():
    assert _answers.alike((Decimal("2.00001"), 3), (2.0, Decimal(3)))
