# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

from latebloom_bench import _cli, diff

from bench._reports import FASTER, SLOWER, measured, report


def test_what_became_slower_stands_first_and_is_a_regression():
    later = replace(FASTER, sides=(FASTER.sides[0], measured("on", 3.0, 3.1)))
    found = diff(report(FASTER), report(later))
    assert [change.query for change in found.slower] == ["faster"]
    assert found.steady == 1
    assert found.regressed
    assert "2.90x" in str(found)
    back = diff(report(later), report(FASTER))
    assert [change.after.side for change in back.faster] == ["on"]
    assert not back.regressed


def test_a_slower_baseline_is_the_machine_and_no_regression():
    later = replace(FASTER, sides=(measured("off", 8.0, 8.1), FASTER.sides[1]))
    found = diff(report(FASTER), report(later))
    assert found.slower
    assert not found.regressed


def test_what_only_one_has_is_named():
    found = diff(report(FASTER), report(FASTER, SLOWER))
    assert found.only == ("parquet, slower, off", "parquet, slower, on")


def test_the_command_fails_on_a_regression(tmp_path, capsys):
    one = str(report(FASTER).write(tmp_path / "a").with_suffix(".json"))
    later = replace(FASTER, sides=(FASTER.sides[0], measured("on", 3.0, 3.1)))
    other = str(report(later).write(tmp_path / "b").with_suffix(".json"))
    assert _cli.main(["--compare", one, other]) == 1
    assert "1 slower" in capsys.readouterr().out
    assert _cli.main(["--compare", one, one]) == 0
