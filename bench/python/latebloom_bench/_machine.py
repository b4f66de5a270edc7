# SPDX-License-Identifier: Apache-2.0
"""The machine and the versions of a measurement, without which no figure means anything."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latebloom._confs import confs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Prefixes of confs that can change a time; their values hold neither paths nor host names, except
# those of _LOCAL.
_TELLING = ("spark.sql.", "spark.master", "spark.driver.memory")
_LOCAL = ("spark.sql.warehouse.dir",)


def describe(spark: SparkSession) -> dict[str, Any]:
    """Machine, versions, commit and confs of a run in ``spark``."""
    settings = {row.key: row.value for row in spark.sql("set").collect()}
    here = host()
    return {
        **here,
        "versions": {**here["versions"], "spark": spark.version},
        "confs": {
            **{conf.key: conf.value for conf in confs(spark)},
            **{
                key: settings[key]
                for key in sorted(settings)
                if key.startswith(_TELLING) and key not in _LOCAL
            },
        },
    }


def host() -> dict[str, Any]:
    """Machine, versions and commit, of a run without a session."""
    return {
        "machine": {
            "cpu": _cpu(),
            "cores": os.cpu_count(),
            "memoryGiB": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
            "os": f"{platform.system()} {platform.release()} {platform.machine()}",
        },
        "versions": {
            "latebloom": _package("latebloom"),
            "python": platform.python_version(),
            "java": _java(),
            "tpchgen-cli": _package("tpchgen-cli"),
        },
        "commit": _commit(),
        "confs": {},
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else "java"
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    return (answer.stderr or answer.stdout).splitlines()[0]


def _package(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    here = str(Path(__file__).parent)

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", here, *words], capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    try:
        commit = git("rev-parse", "HEAD")
        return commit + (" with changes" if commit and git("status", "--porcelain") else "")
    except OSError:
        return ""
