# SPDX-License-Identifier: Apache-2.0
"""Checks what ``dev/release`` built: ``_check_release.py DIST VERSION``."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

# Of a jar in the wheel, and of all else in it.
MOST_BYTES = 1_000_000
MOST_OTHER_BYTES = 100_000
JAVA_17 = 61
OURS = (
    "META-INF/",
    "latebloom/",
    "org/apache/spark/sql/latebloom/",
    "org/apache/spark/sql/execution/joinkeys/",
)
GROUP = "io.github.latebloom"
_LINE = re.compile(r'SparkLine\("([\d.]+)", "[\d.]+", "(\d+\.\d+)\.\d+"')
_PUBLISHED = (".jar", ".pom", "-sources.jar", "-javadoc.jar")
_POM = "{http://maven.apache.org/POM/4.0.0}"

_wrong: list[str] = []


def expect(right: bool, what: str) -> None:
    """Records a fault."""
    if not right:
        _wrong.append(what)


def contents(jar: bytes) -> dict[str, int]:
    """The checksums of a jar's entries: the wheel stores its jar uncompressed."""
    return {entry.filename: entry.CRC for entry in ZipFile(io.BytesIO(jar)).infolist()}


def lines(root: Path) -> list[tuple[str, str]]:
    """The lines of Spark that there is a jar for, with their Scala, such as ("3.5", "2.12")."""
    return _LINE.findall((root / "project" / "SparkLine.scala").read_text())


def artifact(spark: str, scala: str) -> str:
    """Maven's name of the jar for a line."""
    return f"latebloom-spark-{spark}_{scala}"


def check_wheels(folder: Path, version: str, built: dict[str, bytes]) -> None:
    """Each has its version; the product's has the jars, by their names, and no benchmarks."""
    names = sorted(file.name for file in folder.glob("*.whl"))
    expected = [
        f"latebloom-{version}-py3-none-any.whl",
        f"latebloom_bench-{version}-py3-none-any.whl",
    ]
    expect(names == expected, f"wheels: {names}, not {expected}")
    for name in names:
        wheel = ZipFile(folder / name)
        entries = wheel.namelist()
        package = name.partition("-")[0]
        (metadata,) = (entry for entry in entries if entry.endswith(".dist-info/METADATA"))
        expect(
            f"\nVersion: {version}\n" in wheel.read(metadata).decode(), f"{name}: another version"
        )
        strange = [e for e in entries if not e.startswith((f"{package}/", f"{package}-{version}."))]
        expect(not strange, f"{name}: {strange}")
        if package == "latebloom":
            check_jars_of_wheel(name, wheel, built)
            rest = sum(e.compress_size for e in wheel.infolist() if not e.filename.endswith(".jar"))
            expect(rest < MOST_OTHER_BYTES, f"{name}: {rest:,} bytes beside the jars")
            expect("latebloom/py.typed" in entries, f"{name}: no py.typed")
            for legal in ("LICENSE", "NOTICE"):
                found = any(entry.endswith(f".dist-info/licenses/{legal}") for entry in entries)
                expect(found, f"{name}: no {legal}")


def check_jars_of_wheel(name: str, wheel: ZipFile, built: dict[str, bytes]) -> None:
    """One a line, each as Maven has it, and small."""
    jars = {
        entry.filename.rpartition("/")[2]: entry
        for entry in wheel.infolist()
        if entry.filename.endswith(".jar")
    }
    expect(sorted(jars) == sorted(built), f"{name}: jars {sorted(jars)}, not {sorted(built)}")
    for jar in sorted(jars.keys() & built.keys()):
        size = jars[jar].compress_size
        expect(size < MOST_BYTES, f"{name}: {jar} has {size:,} bytes, not below {MOST_BYTES:,}")
        same = contents(wheel.read(jars[jar])) == contents(built[jar])
        expect(same, f"{name}: another {jar} than Maven's")


def check_jar(content: bytes, spark: str, scala: str, version: str) -> None:
    """Our classes alone, for Java 17, of one line, with a licence and a version."""
    jar = ZipFile(io.BytesIO(content))
    strange = [name for name in jar.namelist() if not _is_ours(name)]
    expect(not strange, f"the jar has {strange}")
    # The constants are in the class as they are: a short text and its length.
    knows = jar.read("latebloom/BuiltFor.class")
    for constant in (spark, scala):
        text = len(constant).to_bytes(2, "big") + constant.encode()
        expect(text in knows, f"the jar for {spark}, Scala {scala}, does not know {constant}")
    build = jar.read("latebloom/build.txt").decode()
    said = f"{version} for Spark {spark}, Scala {scala} (sources "
    expect(build.startswith(said), f"the jar for {spark}, Scala {scala}, says it is {build}")
    newer = [
        name
        for name in jar.namelist()
        if name.endswith(".class") and int.from_bytes(jar.read(name)[6:8], "big") > JAVA_17
    ]
    expect(not newer, f"classes for a later Java than 17: {newer}")
    for legal in ("META-INF/LICENSE", "META-INF/NOTICE"):
        expect(legal in jar.namelist(), f"the jar has no {legal}")
    manifest = jar.read("META-INF/MANIFEST.MF").decode()
    expect(
        f"Implementation-Version: {version}" in manifest, "the jar's manifest has another version"
    )


def _is_ours(name: str) -> bool:
    """Whether an entry is below one of our packages, or a folder on the way there."""
    return name.startswith(OURS) or (
        name.endswith("/") and any(one.startswith(name) for one in OURS)
    )


def check_pom(pom: Path, name: str, version: str) -> None:
    """The coordinates, and no dependency but the Scala library."""
    root = ElementTree.parse(pom).getroot()
    found = tuple(root.findtext(_POM + part) for part in ("groupId", "artifactId", "version"))
    expect(found == (GROUP, name, version), f"the POM's coordinates: {found}")
    brought = {
        one.findtext(_POM + "artifactId")
        for one in root.iter(_POM + "dependency")
        if one.findtext(_POM + "scope") in (None, "compile", "runtime")
    }
    expect(brought <= {"scala-library"}, f"the POM brings {brought}")


def main(dist: Path, version: str) -> int:
    """Prints the built files, or their faults."""
    # Maven's name of a development version.
    maven = version.partition(".dev")[0] + "-SNAPSHOT" * (".dev" in version)
    group = dist / "maven" / Path(*GROUP.split("."))
    built = {}
    for spark, scala in lines(Path(__file__).parents[1]):
        name = artifact(spark, scala)
        stem = group / name / maven / f"{name}-{maven}"
        files = [stem.with_name(stem.name + end) for end in _PUBLISHED]
        missing = [file.name for file in files if not file.is_file()]
        expect(not missing, f"{stem.parent}: no {missing}")
        if not missing:
            built[f"{stem.name}.jar"] = files[0].read_bytes()
            check_jar(built[f"{stem.name}.jar"], spark, scala, maven)
            check_pom(files[1], name, maven)
    check_wheels(dist / "python", version, built)
    if _wrong:
        print("\n".join(_wrong), file=sys.stderr)
        return 1
    for file in sorted(
        [*(dist / "python").iterdir(), *group.rglob("*.jar"), *group.rglob("*.pom")]
    ):
        print(f"{file.stat().st_size:>10,}  {file}")
    print(f"checked: version {version}, {len(built)} jars of {GROUP}:{artifact('*', '*')}:{maven}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
