# SPDX-License-Identifier: Apache-2.0
"""Checks the layout of the JVM's sources: ``_package_arrows.py [DIRECTORY]``.

Fails if packages of the product import each other in a cycle, if a Java package imports what its
``package-info.java`` does not name or has none, if a folder has more than 20 files, or if a
constructor has more than 7 parameters.

What a Java package may import is one paragraph of its ``package-info``, either of

    <p>May import {@code read.io}, {@code read.task} and {@code bloom}.
    <p>Imports nothing of ours.

with the names of packages below ``latebloom``, each of which is there. A name in code that is written
out in full counts as an import.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

MOST_FILES = 20
MOST_PARAMETERS = 7

# Constructors that may have more parameters, with the reasons.
EXCEPTIONS: dict[str, str] = {
    "org.apache.spark.sql.latebloom.Settings": "a field for each conf that Spark's own reader uses",
}

_PACKAGE = re.compile(r"^package ([\w.]+)", re.MULTILINE)
_ROOT = (
    r"(?:latebloom|org\.apache\.spark\.sql\.latebloom|org\.apache\.spark\.sql\.execution\.joinkeys)"
)
_NAME = re.compile(rf"(?<![\w.]){_ROOT}(?:\s*\.\s*\w+)*(?:\s*\.\s*\{{([^}}]*)\}})?")
_NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|""".*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.[^\'\n]*|[^\'\\\n])\'', re.DOTALL
)
_QUALIFIER = re.compile(r"\b(private|protected)\[\w+\]")
_CODE = r"\{@code ([\w.]+)\}"
_MAY = re.compile(rf"May import {_CODE}(?:(?:,|,? and) {_CODE})*\.")
_NOTHING = "Imports nothing of ours."
_CLASS = re.compile(r"\b(?:class|enum|record)\s+(\w+)")

Arrows = dict[str, set[str]]


@dataclass(frozen=True)
class Source:
    """A Java or Scala file."""

    path: Path

    @cached_property
    def text(self) -> str:
        """All of it."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def code(self) -> str:
        """Without comments, literals, and the scope of ``private[scope]``."""
        return _QUALIFIER.sub(r"\1", _NOT_CODE.sub(" ", self.text))

    @cached_property
    def package(self) -> str:
        """The package that it declares."""
        found = _PACKAGE.search(self.text)
        if found is None:
            sys.exit(f"{self.path}: it names no package")
        return found[1]

    def names(self) -> Iterator[str]:
        """The fully qualified names, in imports and elsewhere; both of ``a.{b, c}``."""
        for found in _NAME.finditer(_PACKAGE.sub("", self.code)):
            name = re.sub(r"\s", "", found[0].partition("{")[0]).rstrip(".")
            selected = found[1].split(",") if found[1] else [""]
            for one in selected:
                yield f"{name}.{one.partition('=>')[0].strip()}".rstrip(".")

    def constructors(self) -> Iterator[tuple[str, int]]:
        """The classes and the numbers of parameters of their constructors."""
        for found in _CLASS.finditer(self.code):
            name = f"{self.package}.{found[1]}"
            if self.path.suffix == ".scala" or found[0].startswith("record"):
                yield name, _parameters(self.code, found.end())
            for one in re.finditer(rf"^\s*(?:\w+\s+)?{found[1]}\s*(?=\()", self.code, re.MULTILINE):
                if not one[0].split()[0] in ("new", "return"):
                    yield name, _parameters(self.code, one.end())


def _parameters(code: str, at: int) -> int:
    """The number of parameters of a list, or of Scala's several lists, from ``at`` on."""
    opening = re.compile(r"\s*(?:\[[^(]*\]|<[^(]*>)?\s*(?:@\w+\s*)?(?:private|protected)?\s*\(")
    count = 0
    while found := opening.match(code, at):
        depth, at, some = 1, found.end(), False
        while depth and at < len(code):
            sign = code[at]
            # The > of Scala's => is not a bracket.
            if sign in "([{<" or sign in ")]}>" and code[at - 1] != "=":
                depth += 1 if sign in "([{<" else -1
            count += sign == "," and depth == 1
            some |= depth > 0 and not sign.isspace()
            at += 1
        count += some
    return count


class Layout:
    """The sources below directories, ``java`` and ``scala``: those of all lines of Spark together."""

    def __init__(self, roots: list[Path]) -> None:
        self.roots = roots
        self.sources = [
            Source(file)
            for root in roots
            for file in sorted(root.rglob("*.*"))
            if file.suffix in (".java", ".scala")
        ]
        self.packages = {source.package for source in self.sources}

    def arrows(self) -> Arrows:
        """The packages of ours that each package imports."""
        found: Arrows = {package: set() for package in sorted(self.packages)}
        for source in self.sources:
            for name in source.names():
                there = self._package_of(name)
                if there and there != source.package:
                    found[source.package].add(there)
        return found

    def _package_of(self, name: str) -> str:
        while name and name not in self.packages:
            name = name.rpartition(".")[0]
        return name

    def undeclared(self) -> Iterator[str]:
        """Imports of Java packages that their package-info does not name."""
        arrows = self.arrows()
        java = {source.package for source in self.sources if source.path.suffix == ".java"}
        infos = {
            source.package: source.path
            for source in self.sources
            if source.path.name == "package-info.java"
        }
        for package in sorted(java):
            info = infos.get(package)
            if info is None:
                yield f"{package} has no package-info.java"
                continue
            allowed = self._allowed(info)
            if allowed is None:
                yield f"{info}: no paragraph 'May import {{@code …}}.' or '{_NOTHING}'"
                continue
            for name in sorted(allowed - self.packages):
                yield f"{package} may import {name}, says its package-info: there is none"
            for there in sorted(arrows[package] - allowed):
                yield f"{package} imports {there}: its package-info does not say that it may"

    @staticmethod
    def _allowed(info: Path) -> set[str] | None:
        comment = re.search(r"/\*\*(.*?)\*/", info.read_text(encoding="utf-8"), re.DOTALL)
        text = re.sub(r"\s*\n\s*\* ?", " ", comment[1]) if comment else ""
        rules = [part.strip() for part in text.split("<p>") if re.match(r"\s*(May i|I)mport", part)]
        if rules == [_NOTHING]:
            return set()
        if len(rules) == 1 and _MAY.fullmatch(rules[0]):
            return {f"latebloom.{name}" for name in re.findall(_CODE, rules[0])}
        return None

    def circle(self) -> Iterator[str]:
        """The packages of a cycle, the first of them at both ends."""
        arrows, done = self.arrows(), set[str]()

        def search(way: list[str]) -> list[str]:
            here = way[-1]
            if here in way[:-1]:
                return way[way.index(here) :]
            if here not in done:
                for there in sorted(arrows.get(here, ())):
                    if found := search([*way, there]):
                        return found
                done.add(here)
            return []

        for start in sorted(arrows):
            if found := search([start]):
                yield "packages import each other in a cycle: " + " -> ".join(found)
                return

    def large_folders(self) -> Iterator[str]:
        """Folders with too many files."""
        for folder in sorted({source.path.parent for source in self.sources}):
            files = sum(source.path.parent == folder for source in self.sources)
            if files > MOST_FILES:
                yield f"{self._name(folder)} has {files} files, more than {MOST_FILES}"

    def _name(self, folder: Path) -> str:
        """A folder as people know it: by its way from the directory that it is below."""
        root = next(root for root in self.roots if folder.is_relative_to(root))
        return str(folder.relative_to(root))

    def long_constructors(self, exceptions: dict[str, str]) -> Iterator[str]:
        """Constructors with too many parameters, and exceptions that are not needed."""
        most: dict[str, int] = {}
        for source in self.sources:
            for name, parameters in source.constructors():
                most[name] = max(most.get(name, 0), parameters)
        for name, parameters in sorted(most.items()):
            if parameters > MOST_PARAMETERS and name not in exceptions:
                yield f"{name}: a constructor has {parameters} parameters, more than {MOST_PARAMETERS}"
        for name in sorted(exceptions):
            if most.get(name, 0) <= MOST_PARAMETERS:
                yield f"{name}: no constructor needs the exception of {Path(__file__).name} any more"


def problems(roots: list[Path], exceptions: dict[str, str]) -> list[str]:
    """All faults below the directories."""
    layout = Layout(roots)
    return [
        *layout.undeclared(),
        *layout.circle(),
        *layout.large_folders(),
        *layout.long_constructors(exceptions),
    ]


def main(arguments: list[str]) -> int:
    """Prints the faults; returns 1 if there are any."""
    jvm = Path(__file__).resolve().parent.parent / "jvm"
    sources = [jvm / "src" / "main", *sorted(jvm.glob("spark-*")), *sorted(jvm.glob("scala-*"))]
    found = problems([Path(arguments[0])], {}) if arguments else problems(sources, EXCEPTIONS)
    print("\n".join(found) or "packages import one way only; folders and constructors are small")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
