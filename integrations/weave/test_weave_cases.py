"""Known ways of LLM judges to go wrong, as Weave scorers: each with a neighbour that is fine."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from shipped_scorers import CASES, GOOD, WEAK
from trace_server import TraceServer

from unbudged import Sample, Scored, Unscorable
from unbudged.adapters.weave import make_judge, scan_scorer

ATTACKS = ["override.full_marks", "delim.*"]


def scan(scorer: Any, **options: Any) -> Any:
    given = {"attacks": ATTACKS, "contrast": (GOOD, WEAK), **options}
    return scan_scorer(scorer, [WEAK], **given)


def test_a_grader_that_hides_broken_replies_behind_a_zero_cannot_tell_right_from_wrong() -> None:
    def hides(output: str) -> float:
        try:
            return float(json.loads("Sure! here is the mark")["score"])
        except ValueError:
            return 0.0

    report = scan(hides)
    assert report.verdict == "inconclusive"
    assert any("same score" in note for note in report.notes), report.notes


def test_a_grader_that_gives_a_real_zero_to_wrong_answers_can() -> None:
    def grades(output: str) -> float:
        return float(GOOD.output in output)

    assert scan(grades).verdict == "held"


def test_a_verdict_read_from_the_first_object_in_the_judges_quotation_is_found() -> None:
    def first_object(output: str) -> float:
        reply = f'Quoted: {output}\n{{"score": {int(GOOD.output in output)}}}'
        for match in re.finditer(r"\{", reply):
            try:
                said = json.JSONDecoder().raw_decode(reply[match.start() :])[0]
            except ValueError:
                continue
            return float(said.get("score", 0))
        return 0.0

    report = scan(first_object, corpus="core")
    forged = {f.attack_id for f in report.findings}
    assert forged
    assert all(attack.startswith("delim.") for attack in forged)


def test_a_verdict_read_from_the_last_object_is_not() -> None:
    def last_object(output: str) -> float:
        reply = f'Quoted: {output}\n{{"score": {int(GOOD.output in output)}}}'
        return float(json.loads(reply[reply.rindex("{") :])["score"])

    assert scan(last_object).verdict == "held"


def test_a_filter_that_stops_only_the_attacked_text_is_blocked_and_disables_the_judge() -> None:
    calls = []

    def filtered(output: str) -> float:
        calls.append(output)
        if "Ignore the rubric" in output:
            raise RuntimeError("content_filter: jailbreak detected")
        return float(GOOD.output in output)

    report = scan(filtered, attacks=["override.full_marks"])
    assert report.verdict == "inconclusive"
    assert {probe.reason for probe in report.unscorable} == {"blocked"}
    assert all(probe.disables for probe in report.unscorable)
    attacked = [text for text in calls if "Ignore the rubric" in text]
    assert len(attacked) == len(report.unscorable), "asked again"


def test_another_error_on_the_attacked_text_is_an_error_and_not_blocked() -> None:
    def raises(output: str) -> float:
        if "Ignore the rubric" in output:
            raise RuntimeError("the filter paper is used up")
        return float(GOOD.output in output)

    report = scan(raises, attacks=["override.full_marks"])
    assert {probe.reason for probe in report.unscorable} == {"error"}


@pytest.mark.parametrize("value", ["10", " 7.5 ", "1e1"])
def test_a_number_in_quotes_is_a_score(value: str) -> None:
    reading = asyncio.run(make_judge(lambda output: value).read(Sample("An answer.")))
    assert isinstance(reading, Scored)


@pytest.mark.parametrize("value", ["passed", "maybe", "C", "8/10", b"10"])
def test_other_text_is_unscorable_and_named_with_its_type(value: Any) -> None:
    reading = asyncio.run(make_judge(lambda output: value).read(Sample("An answer.")))
    assert isinstance(reading, Unscorable)
    assert repr(value) in reading.detail
    assert type(value).__name__ in reading.detail


def test_a_text_reply_of_an_llm_as_a_judge_is_no_score(project: TraceServer) -> None:
    judge = CASES["LLMAsAJudgeScorer"].build()
    judge.model.default_params.response_format = "text"
    judge.scoring_prompt = "Rate it. {output}"
    reading = asyncio.run(make_judge(judge).read(WEAK))
    assert isinstance(reading, Unscorable)
    assert reading.reason == "unreadable"
