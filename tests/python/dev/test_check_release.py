# SPDX-License-Identifier: Apache-2.0
"""``dev/_check_release.py`` on releases with deliberate faults."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from latebloom import _versions

SCRIPT = Path(__file__).parents[3] / "dev" / "_check_release.py"
VERSION, MAVEN = "1.2.0.dev0", "1.2.0-SNAPSHOT"
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<groupId>io.github.latebloom</groupId><artifactId>{}</artifactId><version>{}</version></project>"""


def jar(build, **extra):
    """A jar for a line: as much of one as is checked."""
    content = io.BytesIO()
    with ZipFile(content, "w") as out:
        out.writestr("META-INF/MANIFEST.MF", f"Implementation-Version: {MAVEN}\n")
        out.writestr("META-INF/LICENSE", "Apache")
        out.writestr("META-INF/NOTICE", "LateBloom")
        texts = b"".join(
            b"\1" + len(text).to_bytes(2, "big") + text.encode()
            for text in (build.spark, build.scala)
        )
        out.writestr("latebloom/BuiltFor.class", b"\xca\xfe\xba\xbe\0\0\0\x3d" + texts)
        lines = f"Spark {build.spark}, Scala {build.scala}"
        out.writestr("latebloom/build.txt", f"{MAVEN} for {lines} (sources 0123456789ab)\n")
        for name, text in extra.items():
            out.writestr(name.replace("__", "/"), text)
    return content.getvalue()


class Release:
    """A release of all lines without a fault, to make one in."""

    def __init__(self, dist: Path) -> None:
        self.dist = dist
        self.jars = {build: jar(build) for build in _versions.BUILDS}
        self.of_wheel = dict(self.jars)
        self.more: dict[str, str] = {}

    def checked(self) -> subprocess.CompletedProcess[str]:
        for build, content in self.jars.items():
            name = f"latebloom-spark-{build.spark}_{build.scala}"
            folder = self.dist / "maven/io/github/latebloom" / name / MAVEN
            folder.mkdir(parents=True)
            for end in (".jar", "-sources.jar", "-javadoc.jar"):
                (folder / f"{name}-{MAVEN}{end}").write_bytes(content)
            (folder / f"{name}-{MAVEN}.pom").write_text(POM.format(name, MAVEN))
        python = self.dist / "python"
        python.mkdir()
        for package in ("latebloom", "latebloom_bench"):
            information = f"{package}-{VERSION}.dist-info"
            with ZipFile(
                python / f"{package}-{VERSION}-py3-none-any.whl", "w", ZIP_DEFLATED
            ) as out:
                out.writestr(f"{information}/METADATA", f"Name: x\nVersion: {VERSION}\n")
                out.writestr(f"{information}/licenses/LICENSE", "Apache")
                out.writestr(f"{information}/licenses/NOTICE", "LateBloom")
                out.writestr(f"{package}/py.typed", "")
                if package == "latebloom":
                    for build, content in self.of_wheel.items():
                        name = f"latebloom-spark-{build.spark}_{build.scala}-{MAVEN}.jar"
                        out.writestr(f"latebloom/jars/{name}", content)
                    for name, text in self.more.items():
                        out.writestr(name, text)
        return subprocess.run(
            [sys.executable, str(SCRIPT), str(self.dist), VERSION],
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def release(tmp_path):
    return Release(tmp_path)


NEWEST = _versions.NEWEST


def test_a_jar_for_each_line_passes(release):
    done = release.checked()
    assert done.returncode == 0, done.stderr
    assert f"{len(_versions.BUILDS)} jars" in done.stdout


def test_a_line_without_a_jar_is_named(release):
    del release.jars[NEWEST]
    done = release.checked()
    assert done.returncode == 1
    assert f"no ['latebloom-spark-{NEWEST.spark}_{NEWEST.scala}-{MAVEN}.jar'" in done.stderr


def test_a_wheel_without_a_lines_jar_is_a_fault(release):
    del release.of_wheel[NEWEST]
    assert "whl: jars [" in release.checked().stderr


def test_a_jar_that_was_built_for_another_line_is_a_fault(release):
    release.jars[NEWEST] = release.of_wheel[NEWEST] = jar(_versions.Build("4.2", "2.13"))
    said = release.checked().stderr
    assert f"for {NEWEST.spark}, Scala 2.13, does not know {NEWEST.spark}" in said
    assert f"for {NEWEST.spark}, Scala 2.13, says it is {MAVEN} for Spark 4.2, Scala 2.13" in said


def test_another_jar_in_the_wheel_than_in_maven_is_a_fault(release):
    release.of_wheel[NEWEST] = jar(NEWEST, latebloom__More="x")
    assert "than Maven's" in release.checked().stderr


def test_classes_of_others_in_a_jar_are_a_fault(release):
    release.jars[NEWEST] = release.of_wheel[NEWEST] = jar(NEWEST, com__example__A="x")
    assert "the jar has ['com/example/A']" in release.checked().stderr


def test_a_large_jar_and_a_large_rest_are_faults(release):
    release.of_wheel[NEWEST] = jar(NEWEST, latebloom__Big=os.urandom(1_000_000))
    release.more = {"latebloom/big.py": os.urandom(100_000).hex()}
    said = release.checked().stderr
    assert "not below 1,000,000" in said
    assert "bytes beside the jars" in said
