# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import latebloom
import pytest
from latebloom import _data as generated
from latebloom._names import EXTENSION, EXTENSIONS_KEY
from latebloom_bench import (
    Measured,
    Query,
    Request,
    Suite,
    Variant,
    _bench,
    _other,
    _run,
    _sides,
)
from latebloom_bench.tables import _data

QUERIES = (
    Query("open", "select * from orders where status = 'open'"),
    Query("hour", "select date_format(timestamp_seconds(id), 'HH') h from orders"),
)


@pytest.fixture
def measured(spark, orders, tmp_path):
    """Runs the queries off, and then in a session of these jars and settings."""

    def measure(jars, confs):
        suite = Suite("s", "", QUERIES, None, scale=1, master="local[1]", memory="512m")
        data = _data.Directory(orders.parent)
        plan = _run.Plan(suite, QUERIES, (Variant(),), data, 1, 1, generated.Cache(tmp_path))
        done, problems, told = _run.Run(), [], []
        _run.run(plan, spark, [_sides.OFF], None, told.append, done)
        _other.measure(plan, _other.checked(jars, confs), told.append, done, problems)
        return done.results, problems

    return measure


def test_an_extension_is_compared_and_measured_in_a_session_of_its_own(measured):
    confs = {
        EXTENSIONS_KEY: EXTENSION,
        "spark.sql.session.timeZone": "Asia/Tokyo",
        "spark.sql.extension": "misspelt",
    }
    (opened, hour), problems = measured(str(latebloom.jar_path()), confs)
    assert [s.side for s in opened.sides] == ["off", "other"]
    assert opened.sides[1].answer == "equal"
    assert len(opened.sides[1].seconds) == 1
    assert hour.sides[1].answer == "DIFFERENT"
    assert len(problems) == 1 and "registers spark.sql.extension: is it misspelt" in problems[0]


@pytest.mark.parametrize(
    ("confs", "said"),
    [
        ({EXTENSIONS_KEY: "no.such.Extension"}, "none of its jars has the class no.such.Extension"),
        ({EXTENSIONS_KEY: "java.lang.String"}, "the class java.lang.String is no extension"),
        ({"spark.sql.shuffle.partitions": "few"}, "spark.sql.shuffle.partitions"),
        ({"spark.driver.memory": "much"}, "the session failed: "),
    ],
)
def test_a_session_that_is_not_what_was_asked_for_is_named(measured, confs, said):
    results, problems = measured(str(latebloom.jar_path()), confs)
    assert [len(result.sides) for result in results] == [1, 1]
    assert len(problems) == 1 and problems[0].startswith("other: ") and said in problems[0]


def test_a_missing_jar_is_named_before_anything_runs(tmp_path, capsys):
    about, problems = {}, []
    request = Request(tmp_path, tmp_path, jars=f"{latebloom.jar_path()},{tmp_path}/no.jar")
    assert _bench._other_side(request, {}, about, problems) is None
    assert problems == [f"other: there is no jar {tmp_path}/no.jar"]
    assert "--jars" in capsys.readouterr().err
    assert not about


@pytest.mark.parametrize("there", ["{}", "file:{}", "file://{}", "{},{}", "hdfs://elsewhere/x.jar"])
def test_jars_are_paths_or_addresses(there):
    jars = there.format(latebloom.jar_path(), latebloom.jar_path())
    assert _other.checked(jars, {"spark.jars": "a.jar"})["spark.jars"] == f"a.jar,{jars}"


def test_an_answer_is_judged_by_the_baselines_digest():
    def judged(base, other):
        return _other._judged(Measured("off", "", *base), Measured("other", "", *other)).answer

    assert judged(("1", "r"), ("1", "s")) == "equal"
    assert judged(("1", "r"), ("2", "r")) == "rounded"
    assert judged(("1", ""), ("2", "")) == "DIFFERENT"


def test_the_report_names_jars_without_their_folders_and_settings():
    said = _other.about("/a/b/one.jar,two.jar", {"k": "v"})
    assert said.endswith("with one.jar, two.jar, k=v")
