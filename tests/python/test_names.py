# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import latebloom
import pytest
from latebloom import _jvm, _names


@pytest.mark.parametrize(
    ("value", "entries"),
    [
        ("", []),
        (" , ,", []),
        ("a.B", ["a.B"]),
        (" a.B ,c.D,, e.F", ["a.B", "c.D", "e.F"]),
    ],
)
def test_a_setting_is_split_at_commas_and_what_is_blank_is_no_entry(value, entries):
    assert _names.split(value) == entries


@pytest.mark.parametrize("name", [_names.EXTENSION, _names.EXPLAINER, _names.INSPECTOR])
def test_the_jar_has_the_classes_of_these_names(spark, name):
    assert _jvm.can_load(name)


@pytest.fixture
def explaining(spark):
    """A Spark that asks extensions for their part of EXPLAIN: from 4.0 on."""
    if spark.version.startswith("3.5."):
        pytest.skip("Spark 3.5 asks no extension for its part of EXPLAIN")
    return spark


@pytest.mark.parametrize("key", [_names.EXTENSIONS_KEY, _names.JARS_KEY])
def test_spark_has_settings_of_these_names(spark, key):
    assert _jvm.setting(key) is not None


def test_spark_has_the_setting_of_those_who_explain(explaining):
    assert _jvm.setting(_names.EXPLAINERS_KEY) is not None


def test_the_extension_has_the_switch_of_this_name(spark):
    assert latebloom.confs(spark)[_names.ENABLED_KEY].type == "boolean"


def test_explain_prints_the_decisions_under_the_title_that_is_looked_for(explaining, orders):
    df = explaining.read.parquet(str(orders)).where("id < 9")
    plan = df._jdf.queryExecution().explainString(
        _jvm.named("org.apache.spark.sql.execution.ExplainMode").fromString("formatted")
    )
    assert _names.EXPLAINED in plan
