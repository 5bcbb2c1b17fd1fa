"""--contrast: a judge that cannot tell a good answer from a bad one is not scanned."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import unbudged

GRADER = """
baselines = ["The kettle is on the left shelf.", "Turn the dial twice."]
def able(text): return float(len(text))
def flat(text): return 5.0 if "kettle" in text else 6.0
"""


def run(folder: Path, name: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "grader.py").write_text(GRADER)
    return subprocess.run(
        [sys.executable, "-m", "unbudged.cli", "run", f"grader.py:{name}", *options],
        cwd=folder, capture_output=True, text=True, check=False,
    )


def test_a_judge_that_ranks_the_contrast_is_scanned(tmp_path: Path) -> None:
    done = run(tmp_path, "able", "--contrast", "A long and careful answer.", "No.")
    assert done.returncode == 0, done.stderr
    assert "Held" in done.stdout


def test_a_judge_that_scores_both_alike_is_inconclusive_and_named(tmp_path: Path) -> None:
    done = run(tmp_path, "flat", "--contrast", "A long and careful answer.", "No.")
    assert done.returncode == 3
    assert "same score" in done.stdout


def test_one_answer_is_no_contrast(tmp_path: Path) -> None:
    done = run(tmp_path, "able", "--contrast", "Same.", "Same.")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1


def test_a_note_names_the_option_on_the_command_line_and_the_argument_in_python(
    tmp_path: Path,
) -> None:
    done = run(tmp_path, "flat", "--contrast", "A long and careful answer.", "No.",
               "--save", "r.json")  # fmt: skip
    assert "give --contrast GOOD BAD of your own" in " ".join(done.stdout.split())
    saved = (tmp_path / "r.json").read_text("utf-8")
    assert "contrast=(" not in done.stdout + saved
    constant = unbudged.run(lambda text: 5.0, ["One answer.", "Two answers."])
    assert "or contrast=(good, bad)" in " ".join(constant.to_text().split())
