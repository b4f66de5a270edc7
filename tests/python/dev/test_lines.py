# SPDX-License-Identifier: Apache-2.0
"""The lists of Spark's lines, and how commands choose one."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from latebloom import _versions

ROOT = Path(__file__).parents[3]


def rows():
    """Of each line in dev/_lines: pyspark's release and the newest Python."""
    lines = (ROOT / "dev" / "_lines").read_text().splitlines()
    return {row[0]: row[1:] for row in map(str.split, lines) if row and not row[0].startswith("#")}


def refused(*arguments, **environment):
    done = subprocess.run(
        [str(ROOT / "dev" / "sbt"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", **environment},
    )
    assert done.returncode == 1
    return done.stderr


def test_each_line_with_a_jar_has_a_pyspark_of_its_own_to_run_with():
    assert list(rows()) == list(dict.fromkeys(build.spark for build in _versions.BUILDS))
    for line, (pyspark, _) in rows().items():
        assert _versions.check_spark(pyspark, where="dev/_lines")[0].spark == line


def test_the_default_line_of_commands_is_that_of_the_build():
    listed = (ROOT / "project" / "SparkLine.scala").read_text()
    (default,) = re.findall(r'val default: SparkLine = all\.find\(_\.name == "([\d.]+)"\)', listed)
    assert f"\ndefault_line={default}\n" in (ROOT / "dev" / "_setup").read_text()


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("--spark", "3.4"), "Spark 3.4:"),
        (("--spark", "4.0", "--scala", "2.12"), "Spark 4.0 with Scala 2.12:"),
        (("compile", "--spark", "5"), "Spark 5:"),
    ],
)
def test_a_line_without_a_jar_is_refused_and_the_others_are_listed(arguments, found):
    said = refused(*arguments)
    assert f"no jar for {found}" in said
    assert "--spark 3.5 --scala 2.12, --spark 3.5 --scala 2.13, --spark 4.0" in said


def test_the_line_of_the_environment_holds_unless_another_is_named():
    assert "Spark 3.3:" in refused(LATEBLOOM_SPARK="3.3")
    assert "Spark 3.4:" in refused("--spark", "3.4", LATEBLOOM_SPARK="3.5", LATEBLOOM_SCALA="2.13")
