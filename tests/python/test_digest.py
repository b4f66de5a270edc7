# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import latebloom
import pytest
from latebloom import _digest


def digest(df, **options):
    return _digest.to_digest(_digest.digest_query(df, **options))


def rows(spark, schema, *values):
    return spark.createDataFrame(list(values), schema)


def test_the_order_of_rows_does_not_matter(spark):
    ascending = spark.range(1000).orderBy("id")
    assert digest(ascending) == digest(ascending.orderBy("id", ascending=False))
    assert digest(ascending) == digest(ascending.repartition(7))


def test_duplicates_count(spark):
    assert digest(rows(spark, "a int", (1,), (1,), (2,))) != digest(
        rows(spark, "a int", (1,), (2,), (2,))
    )


def test_one_changed_value_among_many_is_seen(spark):
    changed = spark.range(1000).selectExpr("if(id = 500, -1, id) as id")
    assert digest(spark.range(1000)) != digest(changed)


@pytest.mark.parametrize(
    ("schema", "one", "other"),
    [
        ("a int, b int", (None, 1), (1, None)),
        ("a int, b string", (1, ""), (1, None)),
        ("a array<int>", ([None, 1],), ([1, None],)),
        ("a array<int>", ([],), (None,)),
        ("a struct<x: int, y: int>", ((None, 1),), ((1, None),)),
        ("a map<string, int>", ({"k": 1},), ({"k": 2},)),
        ("a map<string, int>", ({"k": None},), ({},)),
        ("a boolean", (False,), (None,)),
    ],
)
def test_rows_that_differ_in_a_null_or_inside_are_told_apart(spark, schema, one, other):
    assert digest(rows(spark, schema, one)) != digest(rows(spark, schema, other))


def test_every_nan_is_the_same_and_minus_zero_is_zero(spark):
    one = rows(spark, "a double, b float", (float("nan"), -0.0))
    other = rows(spark, "a double, b float", (-float("nan"), 0.0))
    assert digest(one) == digest(other)
    assert digest(one, approximate=True) == digest(other, approximate=True)


def test_only_the_approximate_digest_forgives_the_last_bits_of_a_sum(spark):
    one = rows(spark, "a double", (0.1 + 0.2 + 0.3,))
    other = rows(spark, "a double", (0.3 + 0.2 + 0.1,))
    assert digest(one) != digest(other)
    assert digest(one, approximate=True) == digest(other, approximate=True)
    off = rows(spark, "a double", (0.601,))
    assert digest(one, approximate=True) != digest(off, approximate=True)


def test_columns_of_one_name_all_take_part(spark):
    one = spark.sql("select 1 as a, 2 as a")
    other = spark.sql("select 1 as a, 3 as a")
    assert digest(one) != digest(other)


def test_an_empty_result_and_one_without_columns_have_a_digest(spark):
    assert digest(spark.range(0)) == latebloom.Digest(0, 0, 0)
    assert digest(spark.range(3).select()).rows == 3


def test_every_kind_of_column_has_a_hash(spark):
    # Spark 3.5 has no variants.
    variant = "null" if spark.version.startswith("3.5.") else "parse_json('{}')"
    everything = spark.sql(
        "select 1Y a, 1S b, 1 c, 1L d, 1F e, 1D f, 1.5BD g, 'x' h, X'00' i, true j,"
        " date'2020-01-01' k, timestamp'2020-01-01' l, timestamp_ntz'2020-01-01' m,"
        f" interval 1 month n, interval 1 day o, {variant} p, null q,"
        " array(map('k', named_struct('x', X'01'))) r"
    )
    assert digest(everything).rows == 1


def test_a_digest_is_text_of_one_length_whatever_its_sums():
    texts = [str(latebloom.Digest(7, high, low)) for high, low in ((0, 0), (-1, 2**40), (5, -9))]
    assert len(set(texts)) == len(set(map(len, texts))) * 3
    assert texts[0] == f"7 rows, {0:032x}"


def test_only_floating_columns_are_worth_rounding(spark):
    assert _digest.has_floating_column(spark.sql("select 1 a, 2F b"))
    assert not _digest.has_floating_column(spark.sql("select 1 a, 2.5BD b, array(1D) c"))
