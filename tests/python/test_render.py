# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from xml.etree import ElementTree

import pytest
from latebloom import _render


def test_columns_are_as_wide_as_their_widest_cell_and_numbers_stand_to_the_right():
    text = _render.table(("query", "rows"), [("q1", "7"), ("a longer one", "12,345")], right=(1,))
    assert text.splitlines() == [
        "query           rows",
        "------------  ------",
        "q1                 7",
        "a longer one  12,345",
    ]


def test_no_line_ends_in_a_blank():
    text = _render.table(("a", "b"), [("x", ""), ("", "")])
    assert all(line == line.rstrip() for line in text.splitlines())


def test_a_table_without_rows_is_its_header():
    assert _render.table(("a", "bc"), []).splitlines() == ["a  bc", "-  --"]


def test_a_row_of_another_length_is_refused():
    with pytest.raises((ValueError, IndexError)):
        _render.table(("a", "b"), [("x",)])


def test_html_is_well_formed_and_shows_cells_as_they_are():
    cells = [("<b>", "a & b"), ('"', "'")]
    table = ElementTree.fromstring(_render.html_table(("x<y", "z"), cells, caption="<none>"))
    assert [cell.text for cell in table.iter("td")] == ["<b>", "a & b", '"', "'"]
    assert [cell.text for cell in table.iter("th")] == ["x<y", "z"]
    assert table.findtext("caption") == "<none>"
    assert ElementTree.fromstring(_render.html_table(("a",), [])).find("caption") is None
    assert ElementTree.fromstring(_render.html_text("a < b\n  c")).text == "a < b\n  c"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0004, "0 ms"), (0.0126, "13 ms"), (0.999, "999 ms"), (1, "1.00 s"), (75.256, "75.26 s")],
)
def test_a_duration_is_in_milliseconds_below_a_second(value, text):
    assert _render.seconds(value) == text
