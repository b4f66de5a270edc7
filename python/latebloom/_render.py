# SPDX-License-Identifier: Apache-2.0
"""Text and HTML of the values that the package returns."""

from __future__ import annotations

import html
from collections.abc import Sequence

Row = Sequence[str]


def table(header: Row, rows: Sequence[Row], *, right: Sequence[int] = ()) -> str:
    """Columns aligned with spaces, to the right if their index is in ``right``."""
    lines = [header, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]

    def aligned(line: Row) -> str:
        cells = (
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths))
        )
        return "  ".join(cells).rstrip()

    return "\n".join([aligned(header), "  ".join("-" * w for w in widths), *map(aligned, rows)])


def html_table(header: Row, rows: Sequence[Row], *, caption: str = "") -> str:
    """The same table for a notebook; every cell is escaped."""
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_text(text: str) -> str:
    """Preformatted text for a notebook."""
    return f"<pre>{html.escape(text)}</pre>"


def size(value: float) -> str:
    """Bytes at a useful precision."""
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 10 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def amount(value: int, kind: str) -> str:
    """A value of one of Spark's kinds of metrics: ``sum``, ``size``, ``timing`` or ``nsTiming``."""
    if kind == "size":
        return size(value)
    if kind == "timing":
        return seconds(value / 1e3)
    return seconds(value / 1e9) if kind == "nsTiming" else f"{value:,}"


def seconds(value: float) -> str:
    """A duration at a useful precision."""
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.2f} s"
