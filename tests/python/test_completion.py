# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from latebloom import __main__ as cli
from latebloom import _completion

# What readline does for TAB: the function that is registered for the command fills COMPREPLY.
_TAB = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMP_LINE="$*"
COMP_POINT=${#COMP_LINE}
COMPREPLY=()
function=$(complete -p latebloom | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$function" latebloom "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def script(tmp_path, capsys):
    def of(shell):
        assert cli.main(["completion", shell]) == 0
        file = tmp_path / f"latebloom.{shell}"
        file.write_text(capsys.readouterr().out)
        return file

    return of


@pytest.fixture
def completed(script, tmp_path):
    """What bash offers for the last of some words."""

    def after(*words):
        done = subprocess.run(
            ["bash", "-c", _TAB, "bash", str(script("bash")), "latebloom", *words],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        )
        assert done.stderr == ""
        return {line.strip() for line in done.stdout.splitlines() if line.strip()}

    return after


def test_bash_completes_commands_options_and_choices(completed):
    commands = completed("")
    assert {"profile", "whynot", "advise", "compare", "completion", "doctor"} <= commands
    assert completed("co") == {"compare", "confs", "completion"}
    assert {"--view", "--json", "--event-log"} <= completed("profile", "--")
    assert completed("profile", "--ev") == {"--event-log"}
    assert "--event-log" not in completed("whynot", "--")
    assert completed("completion", "") >= set(_completion.SHELLS)
    assert completed("completion", "z") == {"zsh"}


def test_bash_completes_paths_where_a_path_is_asked_for(completed, tmp_path):
    (tmp_path / "app-1.log").touch()
    assert "app-1.log" in completed("profile", "--event-log", "app")
    assert "app-1.log" not in completed("profile", "--execution-id", "app")


@pytest.mark.parametrize("shell", _completion.SHELLS)
def test_a_shell_reads_its_script(script, shell):
    file = script(shell)
    assert "latebloom" in file.read_text()
    if shutil.which(shell):
        subprocess.run([shell, "-n", file], check=True, capture_output=True)


def test_without_shtab_the_error_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["completion", "bash"]) == 2
    assert "pip install 'latebloom[cli]'" in capsys.readouterr().err


def test_another_shell_is_refused_with_those_there_are(capsys):
    with pytest.raises(SystemExit):
        cli.main(["completion", "tcsh"])
    said = capsys.readouterr().err
    assert all(shell in said for shell in _completion.SHELLS)
