# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from latebloom_bench.tables._generated import Generated, Layout, Made


def test_tables_are_written_as_their_layout_says(cache):
    pq = pytest.importorskip("pyarrow.parquet")
    at = lambda rows, start, stop: {"a": range(start, stop), "b": range(start, stop)}
    layout = Layout(dictionary=("a",), compression="zstd", group_rows=300, page_index=False)
    made = Generated({"t": Made(1000, at, 16, layout), "f": Made(10, at, 16, Layout(files=5))})
    one = made.table("t", 1, cache)
    file = pq.ParquetFile(one)
    assert [file.metadata.row_group(i).num_rows for i in range(4)] == [300, 300, 300, 100]
    coded, plain = (file.metadata.row_group(0).column(i) for i in (0, 1))
    assert coded.has_dictionary_page and not plain.has_dictionary_page
    assert coded.compression == "ZSTD" and not coded.has_offset_index
    assert pq.read_table(one)["b"].to_pylist() == list(range(1000))
    many = made.table("f", 1, cache)
    assert len(list(many.iterdir())) == 5
    assert sorted(pq.read_table(many)["b"].to_pylist()) == list(range(10))
