"""--contrast: a judge that cannot tell a good answer from a bad one is not scanned."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
