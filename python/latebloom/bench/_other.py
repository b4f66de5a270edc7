# SPDX-License-Identifier: Apache-2.0
"""Another Spark extension as a peer: a session of its own, in a process of its own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

from latebloom._errors import LateBloomError
from latebloom._local import local_session
from latebloom._names import ENABLED_KEY, JARS_KEY
from latebloom.bench._report import DIFFERENT, EQUAL, FAILED, ROUNDED, Measured, Result
from latebloom.bench._run import Plan, Run, failures, run
from latebloom.bench._sides import SparkSide

NAME = "other"


def about(jars: str, confs: Mapping[str, str]) -> str:
    """What the report says of the peer."""
    named = [jar.rpartition("/")[2] for jar in jars.split(",") if jar]
    settings = [f"{key}={value}" for key, value in confs.items()]
    return f"Spark in a session of its own, after the others, with {', '.join(named + settings)}"


def merged(
    plan: Plan, jars: str, confs: Mapping[str, str], results: Sequence[Result]
) -> list[Result]:
    """The results, each with the peer's measurements added.

    Raises:
        LateBloomError: the peer's session did not come up or died.
    """
    # A JVM reads its class path once, so a session with other jars needs a process of its own.
    trouble: tuple[type[Exception], ...] = (BrokenProcessPool, *failures())
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        try:
            measured = pool.submit(_measured, plan, jars, dict(confs)).result()
        except trouble as error:
            raise LateBloomError(
                f"the session with the other extension failed: {error}",
                where=about(jars, confs),
                fix="look at its output above, and try its --jars and --conf with spark-shell",
            ) from None
    return [
        replace(result, sides=(*result.sides, _judged(result.sides[0], other.sides[0])))
        for result, other in zip(results, measured, strict=True)
    ]


def _measured(plan: Plan, jars: str, confs: dict[str, str]) -> list[Result]:
    done = Run()
    settings = {**plan.suite.confs, **confs, **({JARS_KEY: jars} if jars else {})}
    side = SparkSide(NAME, "", {ENABLED_KEY: "false"})
    with local_session(
        f"bench {plan.suite.name} {NAME}",
        master=plan.suite.master,
        memory=plan.suite.memory,
        confs=settings,
    ) as spark:
        run(plan, spark, [side], None, lambda text: print(text, flush=True), done)
    return done.results


def _judged(base: Measured, other: Measured) -> Measured:
    if FAILED in (base.answer, other.answer):
        return other
    if base.digest == other.digest:
        return replace(other, answer=EQUAL)
    same = bool(base.rounded_digest) and base.rounded_digest == other.rounded_digest
    return replace(other, answer=ROUNDED if same else DIFFERENT)
