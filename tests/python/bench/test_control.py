# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from latebloom import LateBloomError
from latebloom_bench import _control


def test_sides_take_turns_and_who_went_last_goes_first():
    turns = []

    def side(name, seconds):
        def call():
            turns.append(name)
            return seconds, None if name == "plain" else 5

        return call

    sides = {"plain": side("plain", 1.0), "latebloom": side("latebloom", 1.5)}
    plain, with_it = _control._measured(sides, 3)
    warm = ["plain", "latebloom"]
    assert turns == warm + ["plain", "latebloom", "latebloom", "plain", "plain", "latebloom"]
    assert (plain.seconds, with_it.seconds) == ((1.0,) * 3, (1.5,) * 3)


def test_another_count_is_an_error():
    counted = iter([(1.0, 5), (1.0, 5), (1.0, 6)])
    with pytest.raises(LateBloomError, match="latebloom counted 6 rows, and 5 before"):
        _control._measured({"plain": lambda: (1.0, 5), "latebloom": lambda: next(counted)}, 3)


def test_the_first_query_of_a_process_is_timed_and_answered(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "lineitem.parquet"
    pq.write_table(pa.table({"l_partkey": range(500)}), path)
    seconds, rows = _control._session("latebloom", path)
    assert rows == 100
    assert seconds > 0


def test_a_session_that_fails_is_an_error_that_says_why(tmp_path):
    with pytest.raises(LateBloomError, match="PATH_NOT_FOUND"):
        _control._session("plain", tmp_path / "missing.parquet")
