# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from latebloom import LateBloomError
from latebloom import __main__ as command_line
from latebloom_bench import _cli


@pytest.mark.parametrize(
    ("arguments", "said"), [(["unknown"], "first-light"), (["micro", "--scale", "0"], "above zero")]
)
def test_a_wrong_request_says_what_is_expected(capsys, arguments, said):
    with pytest.raises(SystemExit) as stopped:
        _cli.main(arguments)
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err


def test_a_suite_is_asked_for():
    with pytest.raises(LateBloomError, match="first-light"):
        _cli.main([])


@pytest.mark.parametrize(
    ("flag", "choices"), [("--query", "like, partkey"), ("--variant", "parquet")]
)
def test_an_unknown_query_or_variant_is_refused_before_data_is_made(flag, choices, tmp_path):
    with pytest.raises(LateBloomError, match=f"choose one of {choices}"):
        _cli.main(["first-light", flag, "q99", "--cache", str(tmp_path)])
    assert not list(tmp_path.iterdir())


def test_a_suite_on_the_slow_store_says_what_it_needs(monkeypatch, tmp_path):
    monkeypatch.delenv("LATEBLOOM_TESTKIT_JAR", raising=False)
    with pytest.raises(LateBloomError, match="./dev/bench store"):
        _cli.main(["store", "--data", str(tmp_path)])


def test_the_command_line_of_latebloom_passes_its_arguments_on(capsys):
    with pytest.raises(SystemExit) as stopped:
        command_line.main(["bench", "--help"])
    assert stopped.value.code == 0
    assert "usage: latebloom bench" in capsys.readouterr().out
