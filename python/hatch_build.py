# SPDX-License-Identifier: Apache-2.0
"""Refuses to build a wheel without a jar: it would install, and then attach nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class JarRequired(BuildHookInterface[Any]):
    """Runs before a wheel is built. An editable install finds the jar once it is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raises unless the package has a jar."""
        jars = Path(self.root, "latebloom", "jars")
        if version == "standard" and not any(jars.glob("*.jar")):
            raise RuntimeError(
                f"latebloom: there is no jar to put into the wheel\n  where: {jars}\n"
                "  fix: build one with ./dev/sbt package in a checkout, or wheels with all jars with "
                "./dev/release --dry-run"
            )
