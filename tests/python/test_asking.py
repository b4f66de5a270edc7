# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from types import SimpleNamespace

from latebloom import _asking, _connect, _jvm


def client_of(module):
    return type("SparkSession", (), {"__module__": module})()


def test_a_session_with_a_jvm_is_asked_there(spark):
    assert _asking.of(spark) is _jvm
    assert _asking.require(spark) is None


def test_a_client_asks_its_server_and_so_does_one_of_a_class_below():
    client = client_of("pyspark.sql.connect.session")
    assert _asking.of(client) is _connect
    below = type("Mine", (type(client),), {"__module__": "elsewhere"})()
    assert _asking.of(below) is _connect


def test_what_cannot_be_asked_is_not_refused_before_it_is_asked():
    assert _asking.require(SimpleNamespace()) is None
    assert _asking.of(client_of("pyspark.sql.connector")) is _jvm


def test_both_answer_all_questions():
    questions = [name for name in vars(_asking.Answers) if not name.startswith("_")]
    assert "explain" in questions
    for name in questions:
        assert hasattr(_jvm, name) and hasattr(_connect, name)


def test_the_active_session_is_one_of_a_jvm_or_else_of_spark_connect(monkeypatch):
    import pyspark.sql

    ours, connected = object(), object()

    def active(session):
        return SimpleNamespace(SparkSession=SimpleNamespace(getActiveSession=lambda: session))

    monkeypatch.setitem(sys.modules, "pyspark.sql.connect.session", active(connected))
    monkeypatch.setattr(pyspark.sql, "SparkSession", active(ours).SparkSession)
    assert _asking.active() is ours
    monkeypatch.setattr(pyspark.sql, "SparkSession", active(None).SparkSession)
    assert _asking.active() is connected
    monkeypatch.delitem(sys.modules, "pyspark.sql.connect.session")
    assert _asking.active() is None
