# SPDX-License-Identifier: Apache-2.0
"""Another Spark extension as a peer, in its own session and process."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.parse import unquote, urlparse

from latebloom import _jvm
from latebloom._errors import LateBloomError
from latebloom._local import local_session
from latebloom._names import EXTENSIONS_KEY, JARS_KEY, split

from latebloom_bench._jvm import is_function, is_registered
from latebloom_bench._report import DIFFERENT, EQUAL, FAILED, ROUNDED, Measured, Result
from latebloom_bench._run import Plan, Progress, Run, failures, run, said
from latebloom_bench._sides import SparkSide

NAME = "other"
# Users choose the names of catalogs, which nobody registers.
_SQL, _CATALOG = "spark.sql.", "spark.sql.catalog."

Settings = Mapping[str, str]


def about(jars: str, confs: Mapping[str, str]) -> str:
    """The report's description of the peer."""
    named = [jar.rpartition("/")[2] for jar in split(jars)]
    settings = [f"{key}={value}" for key, value in confs.items()]
    return f"Spark in a session of its own, after the others, with {', '.join(named + settings)}"


def checked(jars: str, confs: Mapping[str, str]) -> Settings:
    """The settings of the peer's session.

    Raises:
        LateBloomError: a jar is missing. Spark would log that and run without it.
    """
    for jar in split(jars):
        url = urlparse(jar)
        if url.scheme in ("", "file", "local") and not Path(unquote(url.path)).is_file():
            raise LateBloomError(
                f"there is no jar {jar}",
                where=f"--jars {jars}",
                fix="name existing files, separated by commas",
            )
    named = [*split(confs.get(JARS_KEY, "")), *split(jars)]
    return {**confs, **({JARS_KEY: ",".join(named)} if named else {})}


def measure(
    plan: Plan, settings: Settings, progress: Progress, done: Run, problems: list[str]
) -> None:
    """Adds the peer's measurements to the results of ``done``, one after another.

    Adds to ``problems`` why the session does not start, or why it differs from the request.
    """
    # A JVM reads its class path once, so a session with other jars needs another process.
    spawn = multiprocessing.get_context("spawn")
    answers, telling = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_measured, args=(plan, settings, telling))
    process.start()
    telling.close()
    measured = 0
    try:
        while (told := answers.recv()) is not None:
            if isinstance(told, Result):
                base = done.results[measured]
                sides = (*base.sides, _judged(base.sides[0], told.sides[0]))
                done.results[measured] = replace(base, sides=sides)
                measured += 1
            else:
                problems.append(f"{NAME}: {told}")
                progress(problems[-1])
    except EOFError:
        problems.append(
            f"{NAME}: its process ended after {measured} of {len(done.results)} queries"
        )
    finally:
        process.terminate()
        process.join()


class _Telling(Run):
    """Passes each result on at once."""

    def __init__(self, telling: Connection) -> None:
        super().__init__()
        self._telling = telling

    def add(self, result: Result) -> None:
        super().add(result)
        self._telling.send(result)


def _measured(plan: Plan, settings: Settings, telling: Connection) -> None:
    """Sends :class:`Result` objects, problems as text, and None at the end."""
    # An interruption reaches the parent, too, which ends this process.
    with suppress(KeyboardInterrupt):
        try:
            _session(plan, settings, telling)
        except failures() as error:
            what = error.what if isinstance(error, LateBloomError) else said(error)
            telling.send(f"the session failed: {what}")
        telling.send(None)


def _session(plan: Plan, settings: Settings, telling: Connection) -> None:
    with local_session(
        f"bench {plan.suite.name} {NAME}",
        master=plan.suite.master,
        memory=plan.suite.memory,
        confs=settings,
        latebloom=False,
    ) as spark:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # Spark only logs a warning about a class that is no extension, and runs without it.
        for name in split(settings.get(EXTENSIONS_KEY, "")):
            if not _jvm.can_load(name):
                telling.send(f"{EXTENSIONS_KEY}: none of its jars has the class {name}")
                return
            if not is_function(name):
                telling.send(f"{EXTENSIONS_KEY}: the class {name} is no extension of Spark")
                return
        for key in _unregistered(settings):
            telling.send(f"neither Spark nor the extension registers {key}: is it misspelt?")
        side = SparkSide(NAME, "", latebloom=False)
        run(plan, spark, [side], None, _told, _Telling(telling))


def _unregistered(settings: Settings) -> list[str]:
    """The settings of Spark SQL that nobody has registered: Spark accepts any name."""
    return [
        key
        for key in settings
        if key.startswith(_SQL) and not key.startswith(_CATALOG) and not is_registered(key)
    ]


def _told(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _judged(base: Measured, other: Measured) -> Measured:
    if FAILED in (base.answer, other.answer):
        return other
    if base.digest == other.digest:
        return replace(other, answer=EQUAL)
    same = bool(base.rounded_digest) and base.rounded_digest == other.rounded_digest
    return replace(other, answer=ROUNDED if same else DIFFERENT)
