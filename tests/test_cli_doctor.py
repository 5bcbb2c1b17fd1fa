"""`unbudged doctor`: what is installed, what is too old, what a target is read as."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from command import STEADY, one_line, unbudged, write
from unbudged.adapters.extras import EXTRAS
from unbudged.version import VERSION


def rows(text: str) -> dict[str, str]:
    return {line.split()[0]: " ".join(line.split()[1:]) for line in text.splitlines() if line}


def installed(folder: Path, name: str, version: str) -> dict[str, str]:
    """Put the metadata of a distribution where Python finds it; the environment that does."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return {"PYTHONPATH": str(folder)}


def test_it_names_python_unbudged_and_every_framework(tmp_path):
    done = unbudged("doctor", cwd=tmp_path)
    said = rows(done.stdout)
    assert said["python"].startswith(sys.version.split()[0])
    assert said["unbudged"].startswith(VERSION)
    assert {extra.distribution for extra in EXTRAS.values()} <= said.keys()
    assert said["settings"] == "none"
    assert done.stderr == ""


@pytest.mark.parametrize("name", EXTRAS)
def test_a_framework_is_in_order_or_too_old_or_missing_with_the_pip_line(tmp_path, name):
    extra = EXTRAS[name]
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    old = unbudged("doctor", env=installed(tmp_path / "old", extra.distribution, "0.0.1"))
    assert old.returncode == 1
    shown = " ".join(old.stdout.split())
    assert f"{extra.distribution} 0.0.1 is installed, unbudged needs {extra.floor}" in shown
    assert f'pip install "unbudged[{name}]" --upgrade' in shown
    new = unbudged("doctor", env=installed(tmp_path / "new", extra.distribution, "999.1"))
    assert rows(new.stdout)[extra.distribution] == f"999.1, needs {extra.floor} or newer"


def test_settings_in_use_are_named(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.unbudged]\nseed = 3\n")
    said = rows(unbudged("doctor", cwd=tmp_path).stdout)["settings"]
    assert said == "pyproject.toml: seed"


KINDS = {
    "a function": STEADY,
    "an object with .score(text) (Grader)": """
        class Grader:
            async def score(self, text): raise SystemError("called")
        target = Grader()
    """,
    "a judge of your own (Own)": """
        import unbudged
        class Own:
            info = unbudged.JudgeInfo("mine", scale=(0, 5), pass_mark=3, higher_is_better=False)
            async def read(self, sample): raise SystemError("called")
        target = Own()
        baselines = ["One."]
    """,
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_target_is_named_as_what_it_is_read_as_and_never_called(tmp_path, kind):
    write(tmp_path, KINDS[kind])
    done = unbudged("doctor", "grader.py", cwd=tmp_path)
    assert done.stderr == ""
    assert f"grader.py is read as {kind}, called " in done.stdout
    said = rows(done.stdout)
    if "own" in kind:
        assert said["scale"] == "0 to 5"
        assert said["pass"] == "mark 3"
        assert said["better"] == "lower"
    else:
        assert said["scale"] == "unknown"
    assert said["async"] == ("yes" if "object" in kind else "no")


def test_a_target_that_cannot_be_used_is_one_line(tmp_path):
    write(tmp_path, "def target(a, b): return 1")
    one_line(unbudged("doctor", "grader.py", cwd=tmp_path), "(a, b)")
    one_line(unbudged("doctor", "none.py", cwd=tmp_path), "no such file: none.py")
