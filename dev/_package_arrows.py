# SPDX-License-Identifier: Apache-2.0
"""Fails on a circle between the packages of the product, and on an import that its package-info forbids."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

SOURCES = Path(__file__).parent.parent / "jvm" / "src" / "main"
OURS = r"latebloom|org\.apache\.spark\.sql\.latebloom|org\.apache\.spark\.sql\.execution\.joinkeys"
PACKAGE = re.compile(r"^package ([\w.]+)", re.MULTILINE)
IMPORT = re.compile(rf"^import (?:static )?((?:{OURS})(?:\.[a-z]\w*)*)\.[A-Z_{{]", re.MULTILINE)

Arrows = dict[str, set[str]]


def arrows() -> Arrows:
    """The packages of ours that each package imports."""
    found: Arrows = defaultdict(set)
    for file in sorted(SOURCES.rglob("*.*")):
        if file.suffix in (".java", ".scala"):
            text = file.read_text()
            match = PACKAGE.search(text)
            if match is None:
                sys.exit(f"{file}: no package")
            here = match[1]
            found[here] |= {there for there in IMPORT.findall(text) if there != here}
    return found


def circle(found: Arrows) -> list[str]:
    """The packages of a circle, the first of them at both ends; none if there is no circle."""
    done: set[str] = set()

    def search(way: list[str]) -> list[str]:
        here = way[-1]
        if here in way[:-1]:
            return way[way.index(here) :]
        if here not in done:
            for there in sorted(found.get(here, ())):
                if round_trip := search([*way, there]):
                    return round_trip
            done.add(here)
        return []

    for start in sorted(found):
        if round_trip := search([start]):
            return round_trip
    return []


def undeclared(found: Arrows) -> list[str]:
    """Imports of a Java package that its package-info does not allow by name."""
    problems = []
    for info in sorted(SOURCES.rglob("package-info.java")):
        here = ".".join(info.parent.relative_to(SOURCES / "java").parts)
        text = re.sub(r"\s*\n \* ?", " ", info.read_text())
        allowed = re.findall(r"\{@code ([a-z.]+)\}", text)
        rooms = "with its rooms" in text or "and its rooms" in text
        below = "rooms below" in text or "room below" in text
        for there in sorted(found.get(here, ())):
            name = there.removeprefix("latebloom.")
            inside = below and there.startswith((here.rsplit(".", 1)[0] + ".", here + "."))
            if not (name in allowed or inside or (rooms and name.startswith("read"))):
                problems.append(
                    f"{here} imports {there}: its package-info does not say that it may"
                )
    return problems


def main() -> int:
    found = arrows()
    problems = undeclared(found)
    if round_trip := circle(found):
        problems.append("packages import each other in a circle: " + " -> ".join(round_trip))
    print("\n".join(problems) or "packages import one way only")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
