# SPDX-License-Identifier: Apache-2.0
"""Generated data: a cache that generates each entry once, and TPC-H by ``tpchgen-cli``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from latebloom._errors import LateBloomError

_SPARE = 2**30


def cache_directory() -> Path:
    """The default directory of generated data."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "latebloom"


@dataclass(frozen=True)
class Cache:
    """A directory of generated data."""

    root: Path

    def made(self, key: str, need: float, make: Callable[[Path], None]) -> Path:
        """The entry ``key``, which ``make`` writes on first use.

        Args:
            key: the entry's path under the cache.
            need: its approximate bytes; checked against the free disk space first.
            make: writes a file or directory to a given path.

        Raises:
            LateBloomError: the disk lacks the space.
        """
        entry = self.root / key
        if entry.exists():
            return entry
        entry.parent.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(entry.parent).free
        if free < need + _SPARE:
            raise LateBloomError(
                f"{key} takes about {need / 2**30:.1f} GiB, and the disk has {free / 2**30:.1f} left",
                where=str(self.root),
                fix="free space there, or choose another --cache or a smaller --scale",
            )
        # Written aside and then renamed: an interrupted run leaves no partial table under the name.
        with tempfile.TemporaryDirectory(dir=entry.parent, prefix="making-") as making:
            make(Path(making, entry.name))
            Path(making, entry.name).replace(entry)
        return entry


@dataclass(frozen=True)
class Tpch:
    """TPC-H's eight tables, with row groups of the given uncompressed size (``128MB``)."""

    row_group: str

    def names(self) -> Iterable[str]:
        """The tables, in arbitrary order."""
        return _SIZES

    def table(self, name: str, scale: float, cache: Cache) -> Path:
        """One table's Parquet file, generated on first use; scale factor 1 is six million lines."""

        def make(target: Path) -> None:
            command = [_generator(), "parquet", "-s", f"{scale:g}", "--tables", name]
            command += ["--row-group-bytes", self.row_group, "--quiet"]
            command += ["--output-dir", str(target.parent)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise LateBloomError(
                    f"tpchgen-cli failed: {done.stderr.strip() or done.stdout.strip()}",
                    where=str(cache.root),
                    fix="free space there, or choose another directory with --cache",
                )

        key = f"tpch-sf{scale:g}-{self.row_group}/{name}.parquet"
        return cache.made(key, _SIZES[name] * scale, make)


# Approximate bytes at scale factor 1.
_SIZES = {
    "customer": 14e6,
    "lineitem": 232e6,
    "nation": 4e3,
    "orders": 64e6,
    "part": 7e6,
    "partsupp": 45e6,
    "region": 2e3,
    "supplier": 1e6,
}


def _generator() -> str:
    beside = Path(sys.executable).parent / "tpchgen-cli"
    found = str(beside) if beside.is_file() else shutil.which("tpchgen-cli")
    if found is None:
        raise LateBloomError(
            "the TPC-H generator tpchgen-cli is not installed",
            where=f"{beside.parent} and the PATH",
            fix="pip install 'latebloom[demo]'",
        )
    return found
