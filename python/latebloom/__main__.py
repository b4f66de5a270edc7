# SPDX-License-Identifier: Apache-2.0
"""The command line: ``latebloom demo | doctor | explain | compare | bench | confs | jar``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from latebloom import __version__, _demo, _doctor, _jvm, _local
from latebloom._compare import DEFAULT_RUNS, compare
from latebloom._confs import confs
from latebloom._errors import LateBloomError
from latebloom._explain import explain
from latebloom._jar import jar_path
from latebloom.bench import SUITES, Request, bench, diff, load
from latebloom.bench._bench import conclude
from latebloom.bench._sides import PEERS
from latebloom.bench._tpch import cache_directory
from latebloom.bench.suites import jmh

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SUITES = sorted([*SUITES, jmh.NAME])

_Command = Callable[[argparse.Namespace], int]


class _Answer(Protocol):
    def to_dict(self) -> dict[str, Any]: ...


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status.

    0 is well, 1 a failed check, 2 a wrong request, 130 interrupted.
    """
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except LateBloomError as error:
        print(f"latebloom: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("latebloom: interrupted", file=sys.stderr)
        return 130


def _explain(options: argparse.Namespace) -> int:
    with _frame(options) as df:
        _show(explain(df), options)
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
    print(jar_path())
    return 0


def _run_doctor(options: argparse.Namespace) -> int:
    return _doctor.doctor()


def _run_demo(options: argparse.Namespace) -> int:
    return _demo.demo(options.cache, scale=options.scale, runs=options.runs)


def _run_bench(options: argparse.Namespace) -> int:
    if options.compare:
        before, after = map(load, options.compare)
        found = diff(before, after)
        print(found)
        return 1 if found.regressed else 0
    if options.suite is None:
        raise LateBloomError(
            "no suite is named",
            where="latebloom bench",
            fix=f"choose of {', '.join(_SUITES)}, or --compare two reports",
        )
    if options.suite == jmh.NAME:
        return conclude(jmh.run(options.jmh), options.out)
    return bench(
        SUITES[options.suite],
        Request(
            cache=options.cache,
            out=options.out,
            data=options.data,
            queries=options.query,
            variants=options.variant,
            peers=options.peer,
            runs=options.runs,
            scale=options.scale,
            master=options.master,
            memory=options.memory,
            jars=options.jars,
            confs=dict(options.conf),
        ),
    )


@contextmanager
def _frame(options: argparse.Namespace) -> Iterator[DataFrame]:
    with _local.local_session(
        options.command, master=options.master, confs=dict(options.conf)
    ) as spark:
        try:
            for name, path in options.view:
                _local.parquet_view(spark, name, path)
            yield spark.sql(options.sql)
        except Exception as error:
            said = _jvm.failure(error)
            if said is None:
                raise
            raise LateBloomError(
                f"Spark says: {said}", where=options.sql, fix="mend the SQL or the --view"
            ) from None


def _show(answer: _Answer, options: argparse.Namespace) -> None:
    print(json.dumps(answer.to_dict(), indent=2) if options.json else answer)


def _pair(text: str) -> tuple[str, str]:
    name, found, value = text.partition("=")
    if not (name and found and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form name=value")
    return name, value


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return int(text)


def _above_zero(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above zero")
    return number


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

    demo = command("demo", _run_demo, "Run five TPC-H queries off and on, and show the gain.")
    demo.add_argument(
        "--scale", type=_at_least_one, default=1, help="TPC-H scale factor, default: %(default)s"
    )
    _add_cache(demo)
    _add_runs(demo)

    command("doctor", _run_doctor, "Check Java, Spark, the jar and a session.")

    for name, run, about in (
        ("explain", _explain, "Show a query's plan and what was decided for each scan."),
        ("compare", _compare, "Run a query off and on: same answer, and how much faster?"),
    ):
        query = command(name, run, about)
        query.add_argument("sql", help="the query, as Spark SQL")
        query.add_argument(
            "--view",
            type=_pair,
            action="append",
            default=[],
            metavar="NAME=PATH",
            help="call the Parquet file or directory PATH by NAME in the query (repeatable)",
        )
        query.add_argument(
            "--conf",
            type=_pair,
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help="a Spark setting (repeatable)",
        )
        query.add_argument("--master", default="local[*]", help="default: %(default)s")
        query.add_argument("--json", action="store_true", help="answer in JSON")
        if name == "compare":
            _add_runs(query)

    _add_bench(command("bench", _run_bench, "Measure a suite of queries off and on; report it."))

    shown = command("confs", _confs, "List the extension's settings.")
    shown.add_argument("--json", action="store_true", help="answer in JSON")

    command("jar", _jar, "Print the path of the jar, for spark-submit --jars.")
    return parser


def _add_bench(bench: argparse.ArgumentParser) -> None:
    def repeatable(flag: str, metavar: str, about: str, **more: Any) -> None:
        bench.add_argument(
            flag, action="append", default=[], metavar=metavar, help=f"{about} (repeatable)", **more
        )

    bench.add_argument("suite", nargs="?", choices=_SUITES)
    bench.add_argument("--scale", type=_above_zero, help="scale factor in place of the suite's")
    _add_cache(bench)
    _add_runs(bench)
    bench.add_argument(
        "--data", type=Path, metavar="DIR", help="use DIR's <table>.parquet, generate nothing"
    )
    repeatable("--query", "NAME", "only this query, or those that this shell pattern fits")
    repeatable("--variant", "NAME", "only this variant, or those that this shell pattern fits")
    repeatable("--peer", "NAME", f"measure as well: {', '.join(PEERS)}", choices=PEERS)
    bench.add_argument("--master", default="", help="Spark's master in place of the suite's")
    bench.add_argument(
        "--memory", default="", metavar="SIZE", help="the driver's memory in place of the suite's"
    )
    bench.add_argument(
        "--jars", default="", help="another extension's jars: it runs in a session of its own"
    )
    repeatable("--conf", "KEY=VALUE", "a setting of that session", type=_pair)
    bench.add_argument("--jmh", default="", metavar="ARGS", help="what suite jmh hands to JMH")
    bench.add_argument(
        "--out", type=Path, default=Path(), help="directory for the report, default: here"
    )
    bench.add_argument(
        "--compare",
        nargs=2,
        type=Path,
        metavar=("A.json", "B.json"),
        help="tell what changed from report A to B beyond noise; measures nothing",
    )


def _add_cache(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cache",
        type=Path,
        default=cache_directory(),
        help="where generated data is kept, default: %(default)s",
    )


def _add_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--runs",
        type=_at_least_one,
        default=DEFAULT_RUNS,
        help="timed runs of each side, default: %(default)s",
    )


if __name__ == "__main__":
    sys.exit(main())
