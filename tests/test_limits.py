"""What the README says a scan will not tell: when one of these fails, the text must go."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

from unbudged import Sample, Scored, run
from unbudged.core.judge import JudgeInfo

ROOT = Path(__file__).parent.parent
BASELINES = ["A short answer.", "Another, longer answer that says more."]


def says(sentence: str):
    """Tie a test to the sentence of the README it pins."""

    def tie(test):
        test.says = sentence
        return test

    return tie


@pytest.fixture(autouse=True)
def _readme_still_says(request):
    """Fail when the sentence a test pins is not in the README any more."""
    assert request.function.says in " ".join((ROOT / "README.md").read_text("utf-8").split())


@says("with a clinical rubric comes back clean and is just as broken")
def test_a_clinical_rubric_passes_and_is_just_as_broken(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    import clinical_grader
    import naive_grader

    try:
        assert len(clinical_grader.CLINICAL_TERMS) == len(naive_grader.ACCESS_TERMS) == 8
        report = run(clinical_grader.target, clinical_grader.baselines)
        assert report.verdict == "held"
        for baseline in clinical_grader.baselines:
            told = " ".join((baseline, *clinical_grader.CLINICAL_TERMS))
            assert clinical_grader.target(told) == 100.0
        assert run(naive_grader.target, naive_grader.baselines).verdict == "moved"
    finally:
        del sys.modules["clinical_grader"], sys.modules["naive_grader"]


def first_line(text: str) -> float:
    line = text.split("\n")[0]
    return len(line) % 7 + 50.0 * ("full marks" in line)


@says("A grader that reads only the first line holds against everything appended")
def test_what_is_never_read_cannot_be_found():
    report = run(first_line, BASELINES)
    assert report.verdict == "held"
    assert any("--placement prefix" in note for note in report.notes)


def reward(text: str) -> float:
    digits = [word.strip(".") for word in text.split() if word.strip(".").isdigit()]
    return 1.0 if digits and digits[-1] == "84" else 0.0


@says("it is confounded, not found")
def test_a_grader_that_any_number_moves_is_confounded_not_found():
    report = run(reward, ["7 x 12 = 84", "7 + 12 = 19", "It comes to 84"])
    assert report.findings == ()
    assert report.confounded


class Recorder:
    """A judge that sees whole samples."""

    info = JudgeInfo(name="recorder")

    def __init__(self) -> None:
        self.seen: list[Sample] = []

    async def read(self, sample: Sample) -> Scored:
        self.seen.append(sample)
        return Scored({"score": float(len(sample.output.split("\n")[0]))})


@says("Only the answer is changed")
def test_only_the_answer_is_changed():
    given = [
        Sample("A short answer.", "Question one?", "Reference one", ("Context one",), "1"),
        Sample("Another, longer answer.", "Question two?", "Reference two", ("Context two",), "2"),
    ]
    judge = Recorder()
    run(judge, given)
    assert len({sample.output for sample in judge.seen}) > 66
    rest = {(s.input, s.reference, s.context, s.id) for s in judge.seen}
    assert rest == {(s.input, s.reference, s.context, s.id) for s in given}


@says("a verdict kept inside is not seen")
def test_a_verdict_kept_inside_is_not_seen():
    kept: list[bool] = []

    def target(text: str) -> float:
        kept.append("full marks" in text)
        return float(len(text.split("\n")[0]))

    report = run(target, BASELINES)
    assert True in kept
    assert report.verdict == "held"


def _run_one_that(ends: str, folder, *options: str) -> subprocess.CompletedProcess[bytes]:
    path = folder / "grader.py"
    path.write_text(f"import ctypes, os\nbaselines = ['a']\ndef target(text): {ends}\n")
    command = [sys.executable, "-m", "unbudged.cli", "run", str(path), *options]
    return subprocess.run(command, capture_output=True, timeout=120, check=False)


@says("A target that calls `os._exit` ends the scan with exit code 3 and a line that says so")
def test_a_target_that_ends_the_process_leaves_no_report_and_no_code_of_a_result(tmp_path):
    done = _run_one_that("os._exit(0)", tmp_path)
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"no result" in done.stderr


@says("Native code that ends the process does so with a code of its own, 0 included: `--isolate`")
def test_native_code_that_ends_the_process_leaves_no_report_unless_it_is_isolated(tmp_path):
    ends = "ctypes.CDLL(None)._exit(0)"
    done = _run_one_that(ends, tmp_path)
    assert (done.returncode, done.stdout) == (0, b"")
    assert _run_one_that(ends, tmp_path, "--isolate").returncode not in (0, 1)


def last_bit(size: float):
    """Return a scorer whose last bit alone reacts to a payload."""

    def target(text: str) -> float:
        return size + len(text.split("\n")[0]) + math.ulp(2 * size) * ("full marks" in text)

    return target


@says("It is not 0, because adding the same numbers in another order changes")
def test_a_tolerance_of_0_calls_the_last_bit_a_move_and_the_default_does_not():
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    assert run(last_bit(100.0), BASELINES, tolerance=0).verdict == "moved"
    assert run(last_bit(100.0), BASELINES).verdict == "held"


@says("Above 1e7 those last bits are larger than 1e-9")
def test_above_1e7_the_last_bit_is_larger_than_the_default_tolerance():
    assert math.ulp(1e7) > 1e-9
    assert run(last_bit(1e8), BASELINES).verdict == "moved"
    assert run(last_bit(1e8), BASELINES, tolerance=1e-6).verdict == "held"
