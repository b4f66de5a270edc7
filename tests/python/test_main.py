# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import nullcontext

import latebloom
import pytest
from latebloom import __main__ as cli


def test_jar_prints_the_path_that_the_package_gives(capsys):
    assert cli.main(["jar"]) == 0
    assert capsys.readouterr().out == f"{latebloom.jar_path()}\n"


@pytest.fixture
def session_at_hand(monkeypatch, spark):
    """Commands use the tests' session in place of one of their own."""
    monkeypatch.setattr(cli._local, "local_session", lambda *_, **__: nullcontext(spark))


def test_explain_answers_in_json(session_at_hand, capsys, orders):
    assert (
        cli.main(["explain", "--json", "--view", f"o={orders}", "select 1 from o where id < 9"])
        == 0
    )
    (scan,) = json.loads(capsys.readouterr().out)["scans"]
    assert scan["applied"]


def test_compare_prints_the_answer_and_the_times(command, orders):
    done = command(
        *("compare", "--runs", "1", "--view", f"o={orders}", "select * from o where id < 9"),
        *("--master", "local[1]", "--conf", "spark.sql.adaptive.enabled=false"),
    )
    assert done.returncode == 0, done.stderr
    assert "equal, 9 rows" in done.stdout
    assert "LateScan" in done.stdout


@pytest.mark.parametrize("command", ["explain", "compare"])
def test_a_file_that_is_no_parquet_is_named_and_no_stack_trace_is_shown(
    session_at_hand, capsys, tmp_path, command
):
    bad = tmp_path / "bad.parquet"
    bad.write_text("not a parquet file, but longer than a footer")
    assert cli.main([command, "--view", f"o={bad}", "select * from o"]) == 2
    said = capsys.readouterr().err
    assert "bad.parquet" in said
    assert "at org.apache" not in said


def test_a_file_whose_pages_are_damaged_is_named(session_at_hand, spark, capsys, tmp_path, orders):
    # The footer is whole: only the run can find out.
    content = bytearray(orders.read_bytes())
    content[4:100_000] = bytes(99_996)
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(content)
    assert cli.main(["compare", "--view", f"o={damaged}", "select * from o where id < 9"]) == 2
    # Spark 3.5 itself, whose answer is asked for first, does not name the file of a broken page.
    told = "Failed to read" if spark.version.startswith("3.5.") else "damaged.parquet"
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("select nothing", "UNRESOLVED_COLUMN"),
        ("select * from nowhere", "TABLE_OR_VIEW_NOT_FOUND"),
        ("selec", "PARSE_SYNTAX_ERROR"),
    ],
)
def test_sql_that_spark_refuses_is_reported_in_sparks_words(session_at_hand, capsys, sql, said):
    assert cli.main(["explain", sql]) == 2
    assert said in capsys.readouterr().err


def test_a_view_of_a_missing_path_is_an_error_that_names_it(session_at_hand, capsys, tmp_path):
    view = f"o={tmp_path}/none.parquet"
    assert cli.main(["explain", "--view", view, "select * from o"]) == 2
    assert "none.parquet" in capsys.readouterr().err


@pytest.mark.parametrize("master", ["nonsense", "local[x]"])
def test_a_session_that_does_not_come_up_says_with_which_settings(command, master):
    done = command("explain", "select 1", "--master", master)
    assert done.returncode == 2, done.stderr
    assert f"where: the session's settings (master {master}, memory 4g)" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["explain", "select 1", "--view", "nothing"], "name=value"),
        (["compare", "select 1", "--runs", "0"], "whole number from 1 up"),
        ([], "required"),
    ],
)
def test_a_wrong_request_says_what_is_expected(capsys, arguments, said):
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err


def test_a_setting_that_spark_cannot_read_is_named(command, orders):
    done = command(
        *("compare", "--view", f"o={orders}", "select * from o"),
        *("--conf", "spark.sql.shuffle.partitions=few"),
    )
    assert done.returncode == 2
    # In Spark 4: The value 'few' in the config "spark.sql.shuffle.partitions" ...
    assert re.search(r"(few.*spark\.sql\.shuffle\.partitions|partitions.*few)", done.stderr)
    assert "Traceback" not in done.stderr


def test_without_the_benchmarks_the_error_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "latebloom_bench._cli", None)
    assert cli.main(["bench", "--help"]) == 2
    assert "pip install 'latebloom[bench]'" in capsys.readouterr().err


def test_no_other_command_imports_the_benchmarks():
    code = (
        "import sys; from latebloom import __main__ as cli; cli.main(['jar'])\n"
        "print([name for name in sys.modules if name.startswith('latebloom_bench')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
