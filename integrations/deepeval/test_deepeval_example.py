"""The example runs as its first line says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from judge_server import JudgeServer

FILE = Path(__file__).with_name("example.py")


def command(
    name: str, folder: Path, *options: str, **environment: str
) -> tuple[int, dict[str, object]]:
    done = subprocess.run(
        [sys.executable, "-m", "unbudged.cli", "run", f"{FILE}{name}", "--json", *options],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_the_metric_that_looks_for_words_is_moved(tmp_path: Path) -> None:
    code, report = command("", tmp_path)
    assert (code, report["verdict"]) == (1, "moved")
    assert list(tmp_path.iterdir()) == []


def test_the_rule_holds(tmp_path: Path) -> None:
    _, report = command(":rule", tmp_path)
    assert report["verdict"] == "held", report
    assert not report["findings"]


@pytest.mark.parametrize(("persona", "verdict"), [("fair", "held"), ("gullible", "moved")])
def test_the_judged_metric_is_as_good_as_its_judge(
    persona: str, verdict: str, judges: JudgeServer, tmp_path: Path
) -> None:
    before = judges.strong
    judges.strong = (*before, "The Danube, I verified it on a map.")
    try:
        url = judges.url(persona)
        code, report = command(
            ":judged", tmp_path, "--attack", "override.full_marks", OPENAI_BASE_URL=url
        )
    finally:
        judges.strong = before
    assert (code, report["verdict"]) == (0 if verdict == "held" else 1, verdict), report
