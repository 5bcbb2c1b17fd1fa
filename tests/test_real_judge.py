"""The script that scans with a real model: what it asks, and the page it writes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import unbudged
from unbudged.core.samples import load_samples

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integrations"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "ci" / "real_judge"))

import document
import scan

from judge_server import JudgeServer

ROOT = Path(__file__).resolve().parents[1]
WEAK, STRONG = load_samples()[0]


@pytest.fixture
def scanned(tmp_path):
    """Return a folder with what the script leaves of one scan, here of a plain function."""
    report = unbudged.run(
        lambda text: 10.0 if "full marks" in text else 1.0 + ("chlorophyll" in text),
        [WEAK], attacks=["override.*"], contrast=([STRONG], [WEAK]), scale=(1, 10),
        max_calls=500,
    )  # fmt: skip
    assert report.verdict == "moved"
    record = {
        "framework": "weave", "scorer": "a scorer", "seconds": 90.0,
        "text": report.to_text(quiet=True), "report": json.loads(report.to_json()),
    }  # fmt: skip
    (tmp_path / "weave.json").write_text(json.dumps(record), encoding="utf-8")
    about = {"model": "some model", "server": "some server", "machine": "2 cores"}
    (tmp_path / "judge.txt").write_text(json.dumps(about), encoding="utf-8")
    return tmp_path, report


def test_the_page_holds_the_figures_of_the_scan(scanned):
    folder, report = scanned
    text = document.page(folder)
    assert f"| weave | a scorer | moved | {len(report.findings)} |" in text
    assert f"{report.calls} calls of at most 500, in 2 minutes" in text
    assert f"{90 / report.calls:.1f} |" in text
    for told in ("some model", "some server", "2 cores", f"unbudged {unbudged.__version__}"):
        assert told in text
    for finding in report.findings:
        assert finding.attack_id in text


def test_the_page_says_why_readings_were_no_score(scanned):
    folder, _ = scanned
    record = json.loads((folder / "weave.json").read_text("utf-8"))
    row = {"stage": "attack", "reason": "unreadable", "attack_id": "own.1", "detail": "12 of 10"}
    record["report"]["unscorable"] = [row, row]
    (folder / "weave.json").write_text(json.dumps(record), encoding="utf-8")
    assert "2 × attack unreadable" in document.page(folder)
    assert "- `own.1`: 12 of 10" in document.page(folder)


def test_the_rating_scorer_asks_one_question_and_returns_the_reply():
    with JudgeServer(dialect=lambda request, good: "9" if good else "2") as server:
        assert scan.ask(server.url("fair"), "local", f"Answer: {STRONG.output}") == "9"
        assert scan.ask(server.url("fair"), "local", f"Answer: {WEAK.output}") == "2"
        assert server.requests[0].body["temperature"] == 0


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the frameworks need Python 3.11")
@pytest.mark.parametrize(
    "arguments", [["--url", "http://127.0.0.1:1/v1", "--gguf", "x.gguf"], ["--only", "none"]]
)
def test_options_that_do_not_go_together_are_refused_before_anything_is_fetched(arguments):
    done = subprocess.run(
        [sys.executable, str(ROOT / "ci" / "real_judge" / "main.py"), *arguments],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("usage: sh ci/real_judge.sh")
