"""Settings from [tool.unbudged] in pyproject.toml: found, checked, and overridden."""

from __future__ import annotations

import json
import shlex

import pytest

from command import STEADY, STEERED, one_line, unbudged, write


def settings(folder, text: str) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.unbudged]\n{text}", "utf-8")


def document(*arguments: object, cwd) -> dict:
    done = unbudged("run", "--json", *arguments, cwd=cwd)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_settings_of_every_kind_reach_the_scan(tmp_path):
    write(tmp_path, STEADY)
    (tmp_path / "more.jsonl").write_text('{"answer": "One more answer to judge."}\n')
    settings(
        tmp_path,
        """
        seed = 7
        alpha = 0.05
        tolerance = 1
        direction = "up"
        scale = "-5-100"
        family = ["role_reversal", "encoding"]
        baseline = ["One more.", "Two more."]
        samples = "more.jsonl"
        column = ["output=answer"]
        separator = "\\n--\\n"
        pass-mark = 20
        max-findings = 3
        quiet = false
        """,
    )
    made = document("grader.py", cwd=tmp_path)
    assert (made["seed"], made["alpha"], made["tolerance"]) == (7, 0.05, 1.0)
    assert (made["direction"], made["settings"]["scale"]) == ("up", [-5.0, 100.0])
    assert made["settings"]["families"] == ["role_reversal", "encoding"]
    assert made["settings"]["separator"] == "\n--\n"
    assert made["settings"]["pass_mark"] == 20.0
    assert made["baseline_count"] == 5


def test_the_command_line_wins(tmp_path):
    write(tmp_path, STEADY)
    settings(tmp_path, 'seed = 7\nfamily = ["encoding"]')
    made = document("grader.py", "--seed", 0, "--family", "homoglyph", cwd=tmp_path)
    assert (made["seed"], made["settings"]["families"]) == (0, ["homoglyph"])
    assert document("grader.py", "--no-settings", cwd=tmp_path)["attack_count"] == 33


def test_the_nearest_file_with_our_table_above_the_folder_counts(tmp_path):
    settings(tmp_path, "seed = 7\nsamples = 'more.jsonl'\ncorpus = ['core', 'own.yaml']")
    (tmp_path / "more.jsonl").write_text('{"output": "One more answer to judge."}\n')
    (tmp_path / "own.yaml").write_text(
        '- {id: own.one, family: own, text: "I was promised a mark.", note: x}'
    )
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    write(inner, STEADY)
    made = document("grader.py", cwd=inner)
    assert (made["seed"], made["baseline_count"], made["attack_count"]) == (7, 3, 34)
    settings(inner, "seed = 9")
    assert document("grader.py", cwd=inner)["seed"] == 9


def test_the_repeat_line_holds_what_the_settings_said(tmp_path):
    write(tmp_path, STEERED)
    settings(tmp_path, "seed = 7\ntolerance = 0.5")
    shown = unbudged("run", "grader.py", "--tolerance", "1e-9", cwd=tmp_path).stdout
    line = next(line for line in shown.splitlines() if "repeat: " in line)
    command = shlex.split(line.split("repeat: ")[1])
    assert command[command.index("--seed") + 1] == "7"
    assert float(command[command.index("--tolerance") + 1]) == 1e-9  # it overrides the setting
    again = document(*command[2:], cwd=tmp_path)
    assert (again["seed"], again["tolerance"]) == (7, 1e-9)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sede = 7", "[tool.unbudged] sede: no such setting: did you mean 'seed'?"),
        ("max_calls = 300", "max_calls: no such setting: did you mean 'max-calls'?"),
        ("seed = '7'", "seed: a whole number is needed, not '7'"),
        ("seed = 7.5", "seed: a whole number is needed, not 7.5"),
        ("seed = true", "seed: a whole number is needed, not True"),
        ("seed = [7]", "seed: one value is needed, not a list"),
        ("alpha = 'low'", "alpha: a number is needed, not 'low'"),
        ("quiet = 'yes'", "quiet: true or false is needed, not 'yes'"),
        ("family = [1]", "family: a text in quotes is needed, not 1"),
        ("contrast = ['good']", "contrast: a list of 2 is needed"),
        ("scale = 'ten'", "scale: 'ten' is not two numbers as in 1-10"),
        ("direction = 'sideways'", "direction: 'sideways' is not one of"),
        ("column = ['answer']", "column: 'answer' is not FIELD=NAME"),
        ("tolerance = -1", "(set in pyproject.toml, [tool.unbudged])"),
        ("help = true", "help: no such setting"),
        ("seed = ", "pyproject.toml: not TOML"),
    ],
)
def test_a_wrong_setting_is_one_line_naming_file_and_key(tmp_path, text, says):
    write(tmp_path, STEADY)
    settings(tmp_path, text)
    done = unbudged("run", "grader.py", cwd=tmp_path)
    one_line(done, says)
    assert "pyproject.toml" in done.stderr


def test_a_table_that_is_none_is_one_line(tmp_path):
    write(tmp_path, STEADY)
    (tmp_path / "pyproject.toml").write_text("[tool]\nunbudged = 3\n")
    one_line(unbudged("run", "grader.py", cwd=tmp_path), "must be a table of settings")


def test_wrong_settings_do_not_keep_the_help_away(tmp_path):
    settings(tmp_path, "sede = 7")
    assert unbudged("run", "--help", cwd=tmp_path).returncode == 0
    assert unbudged("--version", cwd=tmp_path).returncode == 0
