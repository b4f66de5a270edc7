# SPDX-License-Identifier: Apache-2.0
"""Checks what ``dev/release`` built: ``_check_release.py DIST VERSION``."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

MOST_BYTES = 1_000_000
JAVA_17 = 61
OURS = (
    "META-INF/",
    "latebloom/",
    "org/apache/spark/sql/latebloom/",
    "org/apache/spark/sql/execution/joinkeys/",
)
GROUP, ARTIFACT = "io.github.latebloom", "latebloom-spark-4.1_2.13"
_POM = "{http://maven.apache.org/POM/4.0.0}"

_wrong: list[str] = []


def expect(right: bool, what: str) -> None:
    """Notes what is wrong."""
    if not right:
        _wrong.append(what)


def contents(jar: bytes) -> dict[str, int]:
    """The checksums of a jar's entries: the wheel's is not deflated by itself."""
    return {entry.filename: entry.CRC for entry in ZipFile(io.BytesIO(jar)).infolist()}


def check_wheels(folder: Path, version: str, jar: bytes) -> None:
    """Each has its version; the product's has the jar and measures nothing."""
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
            size = (folder / name).stat().st_size
            expect(size < MOST_BYTES, f"{name}: {size:,} bytes, not below {MOST_BYTES:,}")
            jars = [entry for entry in entries if entry.endswith(".jar")]
            expect(len(jars) == 1, f"{name}: jars {jars}")
            same = all(contents(wheel.read(one)) == contents(jar) for one in jars)
            expect(same, f"{name}: another jar than Maven's")
            expect("latebloom/py.typed" in entries, f"{name}: no py.typed")
            for legal in ("LICENSE", "NOTICE"):
                found = any(entry.endswith(f".dist-info/licenses/{legal}") for entry in entries)
                expect(found, f"{name}: no {legal}")


def check_jar(content: bytes, version: str) -> None:
    """Our classes alone, for Java 17, with a licence and a version."""
    jar = ZipFile(io.BytesIO(content))
    strange = [name for name in jar.namelist() if not _is_ours(name)]
    expect(not strange, f"the jar has {strange}")
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


def check_pom(pom: Path, version: str) -> None:
    """The coordinates; and that nothing comes along but the Scala library."""
    root = ElementTree.parse(pom).getroot()
    found = tuple(root.findtext(_POM + part) for part in ("groupId", "artifactId", "version"))
    expect(found == (GROUP, ARTIFACT, version), f"the POM's coordinates: {found}")
    brought = {
        one.findtext(_POM + "artifactId")
        for one in root.iter(_POM + "dependency")
        if one.findtext(_POM + "scope") in (None, "compile", "runtime")
    }
    expect(brought <= {"scala-library"}, f"the POM brings {brought}")


def main(dist: Path, version: str) -> int:
    """Prints what was built, or what is wrong with it."""
    # Maven's name of a development version.
    maven = version.partition(".dev")[0] + "-SNAPSHOT" * (".dev" in version)
    folder = dist / "maven" / Path(*GROUP.split(".")) / ARTIFACT / maven
    stem = f"{ARTIFACT}-{maven}"
    missing = [
        name
        for name in (f"{stem}.jar", f"{stem}.pom", f"{stem}-sources.jar", f"{stem}-javadoc.jar")
        if not (folder / name).is_file()
    ]
    expect(not missing, f"{folder}: no {missing}")
    if not missing:
        jar = (folder / f"{stem}.jar").read_bytes()
        check_jar(jar, maven)
        check_pom(folder / f"{stem}.pom", maven)
        check_wheels(dist / "python", version, jar)
    if _wrong:
        print("\n".join(_wrong), file=sys.stderr)
        return 1
    for file in sorted(
        [*(dist / "python").iterdir(), *folder.glob("*.jar"), *folder.glob("*.pom")]
    ):
        print(f"{file.stat().st_size:>10,}  {file}")
    print(f"checked: version {version}, {GROUP}:{ARTIFACT}:{maven}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
