# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import platform
import subprocess
from pathlib import Path

import latebloom
import pyspark
from latebloom_bench import _machine


def test_a_run_is_described_by_machine_versions_commit_and_confs(spark):
    found = _machine.describe(spark)
    assert json.loads(json.dumps(found)) == found
    assert found["machine"]["cores"] == os.cpu_count()
    assert found["machine"]["memoryGiB"] > 0.1 and found["machine"]["cpu"]
    assert found["versions"]["python"] == platform.python_version()
    assert found["versions"]["spark"] == pyspark.__version__
    assert "version" in found["versions"]["java"]
    assert found["confs"]["spark.master"] == "local[2]"
    assert found["confs"]["spark.sql.shuffle.partitions"] == "2"
    assert {conf.key for conf in latebloom.confs(spark)} <= set(found["confs"])


def test_paths_and_host_names_stay_out(spark):
    text = json.dumps(_machine.describe(spark)["confs"])
    assert spark.conf.get("spark.sql.warehouse.dir") not in text
    for key in ("spark.driver.host", "spark.app.id", "spark.jars"):
        assert f'"{key}"' not in text


def test_a_conf_that_was_set_at_run_time_is_the_one_that_holds(spark):
    with latebloom.disabled(spark):
        assert _machine.describe(spark)["confs"]["spark.latebloom.enabled"] == "false"


def test_the_commit_is_that_of_the_checkout_or_none():
    here = str(Path(_machine.__file__).parent)
    done = subprocess.run(
        ["git", "-C", here, "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    assert _machine.host()["commit"].split(" ")[0] == done.stdout.strip()


def test_without_git_and_proc_there_is_still_a_description(monkeypatch):
    def none(*_, **__):
        raise OSError

    monkeypatch.setattr(_machine.Path, "read_text", none)
    monkeypatch.setattr(_machine.subprocess, "run", none)
    assert _machine._commit() == ""
    assert _machine._cpu()
    assert _machine._package("no-such-package") == "not installed"
