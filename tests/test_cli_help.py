"""The help fits a screen and the errors say what to do."""

from __future__ import annotations

import re

import pytest

from command import one_line, unbudged, write
from unbudged.cli.command import cli, run
from unbudged.cli.help import COMMON, SECTIONS

COMMANDS = ["compare", "corpus", "doctor", "publish", "report", "run", "show", "validate"]


@pytest.mark.parametrize("columns", [80, 100, 200])
@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)], ids=str)
def test_the_help_of_every_command_fits_a_screen(command, columns):
    done = unbudged(*command, "--help", env={"COLUMNS": str(columns)})
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= min(columns, 100)


def test_the_help_of_run_shows_an_example_that_runs(tmp_path):
    text = unbudged("run", "--help").stdout
    example = re.search(r"^Example: unbudged (.+)$", text, re.M)[1].split()
    write(tmp_path, "baselines = ['a b', 'c']\ndef grade(text): return len(text[:3])", "judge.py")
    done = unbudged(*example, "--dry-run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Exit code: 0 held, 1 findings" in text


def test_help_all_shows_every_option_once():
    text = unbudged("run", "--help-all").stdout
    shown = re.findall(r"^  (?:-\w, )?--([a-z-]+)", text, re.M)
    assert sorted(shown) == sorted(set(shown))
    flags = {opt[2:] for p in run.params for opt in p.opts if opt.startswith("--")} | {"help"}
    assert set(shown) == flags
    assert "[tool.unbudged]" in text


def test_every_option_the_help_names_is_there():
    names = {p.name for p in run.params} | {"help", "help_all"}
    assert names >= COMMON
    assert {name for listed in SECTIONS.values() for name in listed} <= names


def test_every_command_is_listed_with_a_whole_sentence():
    text = unbudged("--help").stdout
    listed = dict(re.findall(r"^  (\w+)  +(\S.+\.)$", text, re.M))
    assert list(listed) == COMMANDS
    assert not [said for said in listed.values() if said.endswith("...")]
    assert cli.list_commands(None) == COMMANDS  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run"], "`python -m unbudged.cli run --help`"),
        (["run", "x.py", "--famly", "a"], "--help-all`"),
        (["compare", "a.json"], "`python -m unbudged.cli compare --help`"),
        (["comapre"], "no command 'comapre': did you mean 'compare'?"),
        (["nowhere"], "(known: compare, corpus, doctor,"),
    ],
)
def test_a_command_typed_wrongly_is_told_where_to_look(arguments, says):
    one_line(unbudged(*arguments), says)


def test_no_argument_at_all_shows_the_commands():
    done = unbudged()
    assert done.returncode == 2
    assert "Commands:" in done.stdout + done.stderr
