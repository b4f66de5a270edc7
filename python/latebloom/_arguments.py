# SPDX-License-Identifier: Apache-2.0
"""Arguments of several commands, and their valid values."""

from __future__ import annotations

import argparse
from pathlib import Path

from latebloom._compare import DEFAULT_RUNS
from latebloom._data import cache_directory


def pair(text: str) -> tuple[str, str]:
    """A name and a value, of ``name=value``."""
    name, found, value = text.partition("=")
    if not (name and found and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form name=value")
    return name, value


def at_least_one(text: str) -> int:
    """A whole number from 1 up."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return int(text)


def above_zero(text: str) -> float:
    """A number above zero."""
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above zero")
    return number


def add_cache(parser: argparse.ArgumentParser) -> None:
    """Adds ``--cache``."""
    parser.add_argument(
        "--cache",
        type=Path,
        default=cache_directory(),
        help="cache of generated data, default: %(default)s",
    )


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Adds ``--runs``."""
    parser.add_argument(
        "--runs",
        type=at_least_one,
        default=DEFAULT_RUNS,
        help="timed runs of each side, default: %(default)s",
    )
