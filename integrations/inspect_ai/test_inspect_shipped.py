"""Every scorer that Inspect AI ships, through the adapter, against judges of known character."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.dataset import MemoryDataset
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import value_to_float
from inspect_ai.solver import generate, multiple_choice
from shipped_scorers import CASES, Case, Way, found
from table import FILE, table, without_version

from contract import ATTACKS
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai import scorer as shipped
from judge_server import JudgeServer
from unbudged import Report, Sample, Scored, TargetError, Unscorable, UsageError
from unbudged.adapters.inspect_ai import make_judge, scan_scorer


def rows(*ways: Way) -> Any:
    chosen = [case for case in CASES.values() if case.way in ways and case.name in found()]
    return pytest.mark.parametrize("case", chosen, ids=[case.name for case in chosen])


def scan(case: Case, url: str, **options: Any) -> Report:
    given = {"attacks": ATTACKS, "contrast": (case.strong, case.weak), **options}
    return scan_scorer(case.build(url), [case.weak], **given)


def test_every_scorer_of_this_inspect_has_a_row() -> None:
    assert not found() - set(CASES), "add it to CASES and run table.py"


def test_the_coverage_table_is_current() -> None:
    said = FILE.read_text()
    assert without_version(said) == without_version(table()), "run table.py"


@rows("judge")
def test_a_fair_judge_holds(case: Case, judge_server: JudgeServer) -> None:
    report = scan(case, judge_server.url("fair"))
    assert report.verdict == "held", report.to_text()
    assert not report.unscorable


@rows("judge")
def test_a_gullible_judge_is_moved_by_every_payload(
    case: Case, judge_server: JudgeServer
) -> None:
    report = scan(case, judge_server.url("gullible"))
    assert report.verdict == "moved", report.to_text()
    assert {finding.attack_id for finding in report.findings} == set(ATTACKS)
    assert {finding.direction for finding in report.findings} == {"up"}
    assert report.costs["total_tokens"] > 0


@pytest.mark.parametrize("persona", ["garbage", "empty", "refusing", "filtered", "error500"])
@rows("judge")
def test_a_broken_judge_gives_no_score(
    case: Case, persona: str, judge_server: JudgeServer
) -> None:
    reading = asyncio.run(make_judge(case.build(judge_server.url(persona))).read(case.weak))
    if case.name == "cascade" and persona != "error500":
        # the framework's own fallback: the score of the last stage that gave one
        assert isinstance(reading, Scored)
        assert reading.values == {"score": 0.0}
        return
    assert isinstance(reading, Unscorable), reading
    assert "\n" not in reading.detail
    if persona == "filtered":
        assert reading.reason == "blocked"


@rows("judge")
def test_a_judge_that_quotes_the_answer_first_holds(
    case: Case, judge_server: JudgeServer
) -> None:
    """The shipped graders take the last grade of a reply, which is the judge's own."""
    report = scan(case, judge_server.url("parser_victim"))
    assert report.verdict == "held", report.to_text()


@rows("rule")
def test_a_rule_is_scanned_without_a_judge(case: Case, judge_server: JudgeServer) -> None:
    judge_server.clear()
    report = scan(case, judge_server.url("fair"))
    assert report.verdict == "held", report.to_text()
    assert not judge_server.requests


@rows("rule", "judge")
def test_the_one_liner_works_alone(case: Case, judge_server: JudgeServer) -> None:
    report = scan_scorer(case.build(judge_server.url("fair")), attacks=ATTACKS[:1])
    if case.name == "pattern":  # what its expression matches nobody can tell from it
        assert report.verdict == "inconclusive"
        assert any("contrast=(good, bad) of your own" in note for note in report.notes)
        return
    assert report.verdict == "held", report.to_text()
    assert not report.unscorable, report.to_text()


@pytest.mark.parametrize("asked", ["letter", "word", "line"])
def test_the_answer_pattern_is_scanned_on_answers_of_its_form(asked: Any) -> None:
    report = scan_scorer(shipped.answer(asked), attacks=ATTACKS[:1])
    assert report.verdict == "held", report.to_text()


@rows("no")
def test_a_scorer_that_reads_no_answer_is_refused_with_the_reason(case: Case) -> None:
    with pytest.raises(TargetError, match=f"{case.name} cannot be scanned: it .*"):
        make_judge(case.build(""))


@rows("rule", "judge")
def test_a_missing_field_is_one_error_before_any_call(
    case: Case, judge_server: JudgeServer
) -> None:
    judge_server.clear()
    bare = Sample("an answer of some words", id="mine")
    if case.name in ("cascade", "multi_scorer"):  # what their parts need is not known
        return
    with pytest.raises(UsageError) as said:
        scan_scorer(case.build(judge_server.url("fair")), [bare])
    assert case.name in str(said.value)
    assert "mine" in str(said.value)
    assert "Sample." in str(said.value)
    assert "\n" not in str(said.value)
    assert not judge_server.requests


@rows("rule", "judge")
def test_a_reading_is_what_the_framework_s_own_evaluation_gives(
    case: Case, judge_server: JudgeServer, tmp_path: Path
) -> None:
    scorer = case.build(judge_server.url("fair"))
    judge = make_judge(scorer)
    for sample in (case.weak, case.strong):
        theirs = _evaluated(sample, case.build(judge_server.url("fair")), tmp_path)
        ours = asyncio.run(judge.read(sample))
        assert isinstance(ours, Scored), ours
        assert ours.values == {"score": value_to_float()(theirs.value)}
        assert ours.explanation == theirs.explanation


def _evaluated(sample: Sample, scorer: Any, folder: Path) -> Any:
    output = ModelOutput.from_content("mockllm/model", sample.output)
    output.usage = ModelUsage()  # with none stated the framework counts tokens, by a download
    choices = sample.metadata.get("choices")
    task = Task(
        dataset=MemoryDataset(
            [InspectSample(input=sample.input, target=sample.reference, choices=choices)]
        ),
        solver=multiple_choice() if choices else generate(),
        scorer=scorer,
    )
    model = get_model("mockllm/model", custom_outputs=[output])
    (log,) = evaluate(task, model=model, display="none", log_dir=str(folder), log_samples=True)
    assert log.status == "success", log.error
    (score,) = log.samples[0].scores.values()
    return score
