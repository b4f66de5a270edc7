# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from latebloom import LateBloomError
from latebloom_bench._data import Directory


def test_tables_of_a_directory_are_found_or_missed_by_name(cache, orders):
    there = Directory(orders.parent)
    assert there.names() == ["orders"]
    assert there.table("orders", 1, cache) == orders
    with pytest.raises(LateBloomError, match=r"no lineitem\.parquet"):
        there.table("lineitem", 1, cache)
