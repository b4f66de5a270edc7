# SPDX-License-Identifier: Apache-2.0
"""Completion of the command ``latebloom`` in a shell."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from latebloom._errors import LateBloomError

SHELLS = ("bash", "zsh", "fish")

# The arguments, by their names in a namespace, that are paths of files or directories.
_PATHS = ("event_log", "cache")


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """A script for one of :data:`SHELLS` that completes commands, options and paths.

    Raises:
        LateBloomError: the package that writes such scripts is not installed.
    """
    try:
        import shtab
    except ImportError as error:
        raise LateBloomError(
            f"shtab, which writes completions, is not installed: {error}",
            where="this Python's environment",
            fix="pip install 'latebloom[cli]'",
        ) from None
    for action in _actions(parser):
        if action.dest in _PATHS:
            # shtab reads it there.
            setattr(action, "complete", shtab.FILE)  # noqa: B010
    return str(shtab.complete(parser, shell=shell)).rstrip() + "\n"


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
