# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from latebloom import LateBloomError, _data


def test_what_is_there_is_not_made_again(cache):
    made = []
    for _ in range(2):
        cache.made("a/b", 1, lambda target: (made.append(target), target.write_text("x")))
    assert len(made) == 1
    assert (cache.root / "a" / "b").read_text() == "x"


def test_an_interrupted_making_leaves_nothing(cache):
    def half(target):
        target.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.made("a", 1, half)
    assert not list(cache.root.iterdir())


def test_a_disk_too_small_is_named_before_anything_is_made(cache):
    with pytest.raises(LateBloomError, match=r"tpcds-sf9999 takes about .* GiB"):
        cache.made("tpcds-sf9999", 1e18, lambda target: pytest.fail("made"))


def test_without_the_generator_the_error_says_what_to_install(monkeypatch, tmp_path, cache):
    monkeypatch.setattr(_data.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LateBloomError, match=r"pip install 'latebloom\[demo\]'"):
        _data.Tpch("64MB").table("lineitem", 1, cache)


def test_tpch_depends_on_scale_and_row_group_size(monkeypatch, cache):
    there = cache.root / "tpch-sf0.1-64MB" / "lineitem.parquet"
    there.parent.mkdir()
    there.touch()
    monkeypatch.setattr(_data, "_generator", lambda: pytest.fail("made again"))
    assert _data.Tpch("64MB").table("lineitem", 0.1, cache) == there
