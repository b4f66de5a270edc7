# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import latebloom
import pytest
from latebloom import _jvm

KEY = "spark.latebloom.enabled"


def test_every_conf_is_listed_with_key_default_type_and_meaning(spark):
    found = latebloom.confs(spark)
    assert KEY in [conf.key for conf in found]
    for conf in found:
        assert conf.key.startswith("spark.latebloom.")
        assert conf.doc
        assert conf.type


def test_the_value_is_the_one_of_the_session(spark):
    assert latebloom.confs(spark)[KEY].value == "true"
    with latebloom.disabled(spark):
        changed = latebloom.confs(spark)[KEY]
    assert (changed.value, changed.default) == ("false", "true")


def test_keys_are_sorted(spark):
    keys = [conf.key for conf in latebloom.confs(spark)]
    assert keys == sorted(keys)


@pytest.fixture
def two(monkeypatch, spark):
    entries = [
        {"key": "spark.latebloom.b", "default": "1", "value": "2", "type": "int", "doc": "<b>"},
        {"key": "spark.latebloom.a", "default": "x", "value": "x", "type": "string", "doc": "A."},
    ]
    monkeypatch.setattr(_jvm, "confs", lambda spark: json.dumps(entries))
    return latebloom.confs(spark)


def test_text_names_the_default_only_where_the_value_differs(two):
    assert str(two).splitlines() == [
        "spark.latebloom.a = x",
        "    A.",
        "spark.latebloom.b = 2   (default: 1)",
        "    <b>",
    ]


def test_html_escapes_what_it_shows(two):
    assert "&lt;b&gt;" in two._repr_html_()
    assert "<b>" not in two._repr_html_()


def test_to_dict_is_json(two):
    assert json.loads(json.dumps(two.to_dict()))["confs"][0]["key"] == "spark.latebloom.a"


def test_an_unknown_key_is_a_key_error(two):
    with pytest.raises(KeyError):
        two["spark.latebloom.c"]
