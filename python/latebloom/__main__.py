# SPDX-License-Identifier: Apache-2.0
"""The command line, ``latebloom``: see :func:`main`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from latebloom import __version__, _completion, _demo, _doctor, _jvm, _local, _past
from latebloom._advise import DEFAULT_LEAST, advise
from latebloom._arguments import above_zero, add_cache, add_runs, at_least_one, pair
from latebloom._compare import compare
from latebloom._confs import confs
from latebloom._errors import LateBloomError
from latebloom._explain import explain
from latebloom._jar import jar_path
from latebloom._profile import profile
from latebloom._whynot import whynot

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_BENCH = "bench"

_Command = Callable[[argparse.Namespace], int]


class _Answer(Protocol):
    def to_dict(self) -> dict[str, Any]: ...


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status.

    0 means success, 1 a failed check, 2 an invalid request, 130 an interruption.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if words[:1] == [_BENCH]:
            return _bench(words[1:])
        options = _parser().parse_args(words)
        return int(options.run(options))
    except LateBloomError as error:
        print(f"latebloom: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("latebloom: interrupted", file=sys.stderr)
        return 130


def _answered(ask: Callable[[DataFrame], _Answer]) -> _Command:
    """A command that shows what the package answers about a query."""

    def run(options: argparse.Namespace) -> int:
        with _frame(options) as df:
            _show(ask(df), options)
        return 0

    return run


def _profile(options: argparse.Namespace) -> int:
    if (options.sql is None) == (options.event_log is None):
        raise LateBloomError(
            "profile takes a query, or an event log",
            where="the command line",
            fix='latebloom profile "SELECT ...", or latebloom profile --event-log FILE',
        )
    if options.event_log is None:
        return _answered(profile)(options)
    if options.execution_id is None:
        _show(_past.logged(Path(options.event_log)), options)
    else:
        log = options.event_log
        _show(profile(event_log=log, execution_id=options.execution_id), options)
    return 0


def _advise(options: argparse.Namespace) -> int:
    _show(advise(options.event_log, options.least), options)
    return 0


def _compare(options: argparse.Namespace) -> int:
    with _frame(options) as df:
        compared = compare(df, options.runs)
        _show(compared, options)
    return 0 if compared.equal else 1


def _confs(options: argparse.Namespace) -> int:
    with _local.local_session("confs", master="local[1]", memory="1g") as spark:
        _show(confs(spark), options)
    return 0


def _jar(options: argparse.Namespace) -> int:
    print(jar_path(options.spark, options.scala))
    return 0


def _complete(options: argparse.Namespace) -> int:
    print(_completion.script(_parser(), options.shell), end="")
    return 0


def _run_doctor(options: argparse.Namespace) -> int:
    return _doctor.doctor()


def _run_demo(options: argparse.Namespace) -> int:
    return _demo.demo(options.cache, scale=options.scale, runs=options.runs)


def _bench(words: Sequence[str]) -> int:
    """Passes the command's arguments to the separate package of the benchmarks."""
    try:
        from latebloom_bench._cli import main as run
    except ImportError as error:
        raise LateBloomError(
            f"the benchmarks, or their dependencies, are not installed: {error}",
            where="this Python's environment",
            fix="pip install 'latebloom[bench]' of the same version, or run ./dev/bench in a checkout",
        ) from None
    return run(words)


@contextmanager
def _frame(options: argparse.Namespace) -> Iterator[DataFrame]:
    with _local.local_session(
        options.command, master=options.master, confs=dict(options.conf)
    ) as spark:
        try:
            for name, path in options.view:
                _local.view(spark, name, path)
            yield spark.sql(options.sql)
        except Exception as error:
            said = _jvm.failure(error)
            if said is None:
                raise
            raise LateBloomError(
                f"Spark says: {said}", where=options.sql, fix="correct the SQL or the --view"
            ) from None


def _show(answer: _Answer, options: argparse.Namespace) -> None:
    print(json.dumps(answer.to_dict(), indent=2) if options.json else answer)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="latebloom", description="LateBloom for Apache Spark, from the command line."
    )
    parser.add_argument("--version", action="version", version=f"latebloom {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name: str, run: _Command, about: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=about, description=about)
        added.set_defaults(run=run)
        return added

    demo = command("demo", _run_demo, "Run six TPC-H queries off and on, and show the gain.")
    demo.add_argument(
        "--scale", type=at_least_one, default=1, help="TPC-H scale factor, default: %(default)s"
    )
    add_cache(demo)
    add_runs(demo)

    command("doctor", _run_doctor, "Check Java, Spark, the jar and a session.")

    for name, run, about in (
        ("explain", _answered(explain), "Show a query's plan and the decision about each scan."),
        ("whynot", _answered(whynot), "Show what a query leaves to Spark, and why."),
        (
            "profile",
            _profile,
            "Show what each scan of a query did: of one that it runs once, or of a log.",
        ),
        ("compare", _compare, "Run a query off and on: same answer, and how much faster?"),
    ):
        query = command(name, run, about)
        past = name == "profile"
        query.add_argument("sql", help="the query, as Spark SQL", nargs="?" if past else None)
        if past:
            query.add_argument(
                "--event-log",
                metavar="PATH",
                help="instead of SQL: the event log of an application with LateBloom; lists its queries",
            )
            query.add_argument(
                "--execution-id", type=int, metavar="ID", help="the query of the log to show"
            )
        query.add_argument(
            "--view",
            type=pair,
            action="append",
            default=[],
            metavar="NAME=PATH",
            help="query the Parquet, ORC, Delta, Iceberg, CSV or JSON table at PATH by NAME (repeatable)",
        )
        query.add_argument(
            "--conf",
            type=pair,
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help="a Spark setting (repeatable)",
        )
        query.add_argument("--master", default="local[*]", help="default: %(default)s")
        query.add_argument("--json", action="store_true", help="answer in JSON")
        if name == "compare":
            add_runs(query)

    advised = command(
        "advise", _advise, "Say which queries of a Spark without LateBloom would gain."
    )
    advised.add_argument(
        "--event-log",
        required=True,
        metavar="PATH",
        help="an event log of Spark, or a directory of them",
    )
    advised.add_argument(
        "--least",
        type=above_zero,
        default=DEFAULT_LEAST,
        metavar="TIMES",
        help="the least expected speed-up to name, default: %(default)s",
    )
    advised.add_argument("--json", action="store_true", help="answer in JSON")

    # For the list of commands only: main never reaches this with it.
    commands.add_parser(_BENCH, help="Measure a suite of queries off and on; report it.")

    shown = command("confs", _confs, "List the extension's settings.")
    shown.add_argument("--json", action="store_true", help="answer in JSON")

    jar = command("jar", _jar, "Print the path of the jar, for spark-submit --jars.")
    jar.add_argument(
        "--spark", metavar="LINE", help="for this Spark, such as 3.5; default: the one installed"
    )
    jar.add_argument("--scala", metavar="VERSION", help="built for this Scala, 2.12 or 2.13")

    completed = command(
        "completion", _complete, "Print a script that completes this command in a shell."
    )
    completed.add_argument("shell", choices=_completion.SHELLS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
