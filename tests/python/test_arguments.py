# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from latebloom import _arguments


def test_a_pair_is_cut_at_its_first_equals_sign():
    assert _arguments.pair("k=v=w") == ("k", "v=w")


@pytest.mark.parametrize("text", ["", "k", "k=", "=v", "="])
def test_a_pair_has_a_name_and_a_value(text):
    with pytest.raises(argparse.ArgumentTypeError, match="name=value"):
        _arguments.pair(text)


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "one", "", "1e3"])
def test_what_is_no_whole_number_from_1_up_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="from 1 up"):
        _arguments.at_least_one(text)


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "1e6", "few", ""])
def test_what_is_no_number_above_zero_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="above zero"):
        _arguments.above_zero(text)


def test_numbers_are_taken_as_written():
    assert _arguments.at_least_one("12") == 12
    assert _arguments.above_zero("0.25") == 0.25


def test_without_the_flags_data_goes_to_the_users_cache_and_there_are_three_runs(
    monkeypatch, tmp_path
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    parser = argparse.ArgumentParser()
    _arguments.add_cache(parser)
    _arguments.add_runs(parser)
    given = parser.parse_args([])
    assert (given.cache, given.runs) == (tmp_path / "latebloom", 3)
    given = parser.parse_args(["--cache", "here", "--runs", "5"])
    assert (given.cache, given.runs) == (Path("here"), 5)
