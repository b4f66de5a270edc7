# SPDX-License-Identifier: Apache-2.0
"""``dev/_package_arrows.py`` on sources with deliberate faults."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "dev" / "_package_arrows.py"
NOTHING = "Imports nothing of ours."


class Sources:
    """Sources below a directory; ``a`` imports nothing, ``b`` may import ``a``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.package("a", NOTHING)
        self.package("b", "May import {@code a}.")

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def package(self, name: str, rule: str) -> None:
        self.write(
            f"java/latebloom/{name}/package-info.java",
            f"/**\n * Some sentence.\n *\n * <p>{rule}\n */\npackage latebloom.{name};\n",
        )
        self.java(name, "One", "")

    def java(self, package: str, name: str, imported: str, body: str = "") -> None:
        lines = f"package latebloom.{package};\n{imported}\nfinal class {name} {{\n{body}\n}}\n"
        self.write(f"java/latebloom/{package}/{name}.java", lines)

    def scala(self, package: str, text: str) -> None:
        self.write(f"scala/latebloom/{package}/Two.scala", f"package latebloom.{package}\n{text}\n")

    def check(self) -> list[str]:
        command = [sys.executable, str(SCRIPT), str(self.root)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert not done.stderr, done.stderr
        lines = done.stdout.splitlines()
        assert done.returncode == (0 if lines[0].startswith("packages import one way") else 1)
        return lines if done.returncode else []


@pytest.fixture
def sources(tmp_path):
    return Sources(tmp_path)


def test_what_is_declared_may_be_imported(sources):
    sources.java("b", "Two", "import latebloom.a.One;\nimport static latebloom.a.One.*;")
    assert sources.check() == []


@pytest.mark.parametrize(
    ("imported", "body"),
    [
        ("import latebloom.b.One;", ""),
        ("import latebloom.b.*;", ""),
        ("import static latebloom.b.One.made;", ""),
        ("", "  latebloom.b.One one;"),
        ("", "  Object one = new latebloom\n      .b.One();"),
    ],
)
def test_an_import_that_is_not_declared_fails(sources, imported, body):
    sources.java("a", "Two", imported, body)
    (problem,) = sources.check()
    assert problem.startswith("latebloom.a imports latebloom.b: its package-info does not say")


def test_comments_texts_and_scopes_are_no_imports(sources):
    quoted = '// latebloom.b.One\n/* latebloom.b.One */ String s = "latebloom.b.One \\" ";'
    sources.java("a", "Two", "", quoted + "\n/** {@link latebloom.b.One} */ char c = '\"';")
    sources.scala("a", 'private[latebloom] object Two { val t = """latebloom.b."One""" }')
    assert sources.check() == []


@pytest.mark.parametrize(
    "imported",
    [
        "import latebloom.d.Two",
        "import latebloom.{a, d}",
        "import latebloom.d.{One => Other,\n  Two}",
        "import latebloom.d._",
        "object Two { val other = latebloom.d.Two }",
    ],
)
def test_a_circle_fails_and_is_shown(sources, imported):
    sources.scala("d", "import latebloom.c.Two")
    sources.scala("c", imported)
    (problem,) = sources.check()
    assert problem.endswith("in a cycle: latebloom.c -> latebloom.d -> latebloom.c")


def test_a_package_without_package_info_fails(sources):
    sources.java("c", "One", "")
    assert sources.check() == ["latebloom.c has no package-info.java"]


@pytest.mark.parametrize(
    "rule",
    [
        "May import {@code a} with its rooms.",
        "May import {@code a} and the rooms below.",
        "May import a.",
        "Reads files.",
        f"{NOTHING}\n * <p>May import {{@code a}}.",
    ],
)
def test_a_rule_that_is_no_list_of_names_fails(sources, rule):
    sources.package("c", rule)
    (problem,) = sources.check()
    assert "no paragraph 'May import" in problem


def test_a_rule_that_goes_over_lines_is_read(sources):
    sources.package("c", "May import {@code\n * a},\n * {@code b}.")
    sources.java("c", "Two", "import latebloom.b.One;")
    assert sources.check() == []


def test_a_package_that_is_named_and_not_there_fails(sources):
    sources.package("c", "May import {@code a} and {@code gone}.")
    (problem,) = sources.check()
    assert problem.startswith("latebloom.c may import latebloom.gone")


def test_a_folder_of_more_than_twenty_files_fails(sources):
    for i in range(18):
        sources.java("a", f"More{i}", "")
    assert sources.check() == []
    sources.java("a", "Last", "")
    assert sources.check() == ["java/latebloom/a has 21 files, more than 20"]


@pytest.mark.parametrize(
    ("parameters", "many"),
    [
        ("Map<String, List<int[]>> a, int b, int c, int d, int e, int f, int g", False),
        ("int a, int b, int c, int d, int e, int f, int g, int h", True),
    ],
)
def test_a_constructor_of_more_than_seven_parameters_fails(sources, parameters, many):
    said = ["latebloom.a.Two: a constructor has 8 parameters, more than 7"] if many else []
    sources.java("a", "Two", "", f"  private Two({parameters}) throws IOException {{}}")
    assert sources.check() == said
    sources.java("a", "Two", "", f"}}\nrecord Two<T>({parameters}) {{")
    assert sources.check() == said


@pytest.mark.parametrize(
    ("declared", "many"),
    [
        (
            "class Two[A](a: Map[Int, (A, Int)], b: (Int, Int) => A, c: Int)(d: Int, e: A, f: A)",
            False,
        ),
        (
            "final case class Two private (a: Int, b: Int, c: Int, d: Int)(e: Int, f: Int, g: Int, h: Int)",
            True,
        ),
    ],
)
def test_all_parameter_lists_of_scala_count(sources, declared, many):
    sources.scala("c", declared)
    said = ["latebloom.c.Two: a constructor has 8 parameters, more than 7"] if many else []
    assert sources.check() == said
