# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import latebloom
import pytest

ROOT = Path(__file__).parents[2]


def python(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, **options
    )


def built(project, out):
    pip = ("-m", "pip", "wheel", "--no-deps", "--no-build-isolation")
    done = python(*pip, "--wheel-dir", str(out), str(project))
    assert done.returncode == 0, done.stderr
    (wheel,) = out.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built(ROOT / "python", tmp_path_factory.mktemp("wheel"))


def test_the_wheel_carries_the_built_jars_the_type_marker_and_the_licence(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    jars = [name for name in names if name.endswith(".jar")]
    assert f"latebloom/jars/{latebloom.jar_path().name}" in jars
    # One for each line that was built here; dev/release builds all, and checks that they are there.
    assert sorted(jars) == sorted(
        f"latebloom/jars/{jar.name}" for jar in latebloom.jar_path().parent.glob("*.jar")
    )
    assert "latebloom/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_a_wheel_without_a_jar_is_refused(tmp_path):
    bare = tmp_path / "python"
    shutil.copytree(ROOT / "python", bare, ignore=shutil.ignore_patterns("*.jar", "__pycache__"))
    pip = ("-m", "pip", "wheel", "--no-deps", "--no-build-isolation")
    done = python(*pip, "--wheel-dir", str(tmp_path / "out"), str(bare))
    assert done.returncode != 0
    assert "there is no jar to put into the wheel" in done.stdout + done.stderr
    assert not list(tmp_path.glob("out/*.whl"))


def test_the_wheel_says_what_it_is(wheel):
    archive = zipfile.ZipFile(wheel)
    (name,) = (n for n in archive.namelist() if n.endswith("METADATA"))
    told = archive.read(name).decode()
    for field in ("Summary: ", "Author: ", "License-Expression: ", "Classifier: ", "Keywords: "):
        assert f"\n{field}" in told, field
    assert "\nDescription-Content-Type: text/markdown\n" in told
    described = told.partition("\n\n")[2]
    assert "latebloom.configure(SparkSession.builder)" in described
    # Each extra that a user could want is named.
    extras = set(re.findall(r"^Provides-Extra: (.+)$", told, re.MULTILINE)) - {"dev", "docs"}
    assert extras == set(re.findall(r"latebloom\[(\w+)\]", described))


def test_the_wheel_is_small_and_measures_nothing(wheel):
    # Ours alone, without a dependency. The bound was a megabyte a jar until keys of joins excluded
    # files, and half a megabyte more until SQL functions, the tab of the Spark UI and skip indexes
    # came; it is there to notice what was packed by mistake, not to forbid features.
    entries = zipfile.ZipFile(wheel).infolist()
    jars = [entry for entry in entries if entry.filename.endswith(".jar")]
    assert [jar.filename for jar in jars if jar.compress_size >= 2_000_000] == []
    assert wheel.stat().st_size - sum(jar.compress_size for jar in jars) < 100_000
    assert not [entry.filename for entry in entries if "bench" in entry.filename]


def test_the_benchmarks_wheel_carries_the_queries_and_has_the_same_version(wheel, tmp_path):
    measuring = built(ROOT / "bench" / "python", tmp_path)
    assert "latebloom_bench/tpch/q22.sql" in zipfile.ZipFile(measuring).namelist()
    assert measuring.name.split("-")[1] == wheel.name.split("-")[1] == latebloom.__version__


def test_an_installed_wheel_gives_its_own_jar(wheel, tmp_path):
    target = tmp_path / "site"
    done = python("-m", "pip", "install", "--no-deps", "--target", str(target), str(wheel))
    assert done.returncode == 0, done.stderr
    # -I keeps this checkout and the environment out of sight.
    code = (
        f"import sys; sys.path.insert(0, {str(target)!r})\n"
        "import latebloom; print(latebloom.jar_path())"
    )
    shown = python("-I", "-c", code, cwd=tmp_path).stdout.strip()
    assert Path(shown) == target / "latebloom" / "jars" / latebloom.jar_path().name
    assert zipfile.ZipFile(shown).namelist()


def test_importing_the_package_imports_neither_pyspark_nor_py4j():
    code = "import sys, latebloom; print({'pyspark', 'py4j'} & set(sys.modules))"
    assert python("-c", code).stdout.strip() == "set()"


def test_every_public_name_exists_and_has_a_docstring():
    for name in latebloom.__all__:
        public = getattr(latebloom, name)
        assert name == "__version__" or public.__doc__
