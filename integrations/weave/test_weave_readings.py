"""How results of Weave scorers are read: channels, verdicts, and what is no score."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from shipped_scorers import CASES, WEAK, scorer, use_judge
from weave.flow.scorer import WeaveScorerResult

import weave
from unbudged import Sample, Scored, TargetError, Unscorable
from unbudged.adapters.weave import make_judge, scan_scorer
from unbudged.adapters.weave.shipped import SHIPPED
from unbudged.core.samples import load_samples

SAMPLE = Sample("An answer.")


def read(result: Any, **options: Any) -> Any:
    judge = make_judge(lambda output: result, **options)
    return asyncio.run(judge.read(SAMPLE))


def test_numbers_and_booleans_are_scores() -> None:
    assert read(0.25) == Scored({"score": 0.25})
    assert read(True) == Scored({"score": 1.0}, True)
    assert read("0.7") == Scored({"score": 0.7})
    assert read(1.4) == Scored({"score": 1.4}), "outside 0 to 1 is not for the adapter to judge"


def test_numpy_scalars_are_scores() -> None:
    numpy = pytest.importorskip("numpy")
    reading = read({"right": numpy.bool_(True), "near": numpy.float32(0.5)})
    assert reading.values == {"right": 1.0, "near": 0.5}


def test_every_number_of_a_dict_is_a_channel_and_text_beside_it_is_not() -> None:
    result = {"right": True, "near": 0.5, "deep": {"a": 1, "b": None}, "reason": "so", "tags": [1]}
    reading = read(result)
    assert reading.values == {"right": 1.0, "near": 0.5, "deep.a": 1.0}
    assert reading.explanation == "so"
    assert reading.passed is None, "a verdict beside a number is a channel, not a pass mark"


def test_both_the_verdict_and_the_score_beside_it_are_tracked() -> None:
    """A verdict that flips while the score stands still is a finding on the verdict."""

    def grade(output: str) -> dict[str, Any]:
        return {"score": 0.75, "pass": "full marks" in output}

    report = scan_scorer(grade, ["An answer."], attacks=["override.full_marks"])
    assert {finding.channel for finding in report.findings} == {"pass"}


def test_a_score_that_moves_while_the_verdict_stands_is_a_finding_on_the_score() -> None:
    def grade(output: str) -> dict[str, Any]:
        return {"score": 0.75 if "full marks" in output else 0.5, "pass": False}

    report = scan_scorer(grade, ["An answer."], attacks=["override.full_marks"])
    assert {finding.channel for finding in report.findings} == {"score"}


def test_a_dict_of_booleans_alone_is_a_verdict() -> None:
    assert read({"right": True, "short": False}).passed is False
    assert read({"right": True, "short": True}).passed is True
    assert read({"wrong": True}, higher_is_better=False).passed is False


def test_a_scorer_result_gives_its_verdict_and_the_numbers_of_its_metadata() -> None:
    result = WeaveScorerResult(passed=True, metadata={"score": 0.9, "reason": "fluent"})
    reading = read(result)
    assert reading.values == {"passed": 1.0, "metadata.score": 0.9}
    assert reading.explanation == "fluent"


def test_key_picks_one_number() -> None:
    result = WeaveScorerResult(passed=True, metadata={"score": 0.9})
    assert read(result, key="metadata.score").values == {"metadata.score": 0.9}
    wrong = read({"a": 1.0, "b": 2.0}, key="c")
    assert isinstance(wrong, Unscorable)
    assert "'c'" in wrong.detail
    assert "'a'" in wrong.detail


def test_numeric_text_alone_in_a_dict_is_a_score() -> None:
    assert read({"score": "10", "reason": "good"}).values == {"score": 10.0}
    assert read({"score": 1, "extracted": "42"}).values == {"score": 1.0}


@pytest.mark.parametrize("error", ["KeyError: usage", {"code": 500}, ["no route"], KeyError("x")])
def test_an_error_beside_a_score_is_no_score(error: Any) -> None:
    reading = read({"score": 0.0, "error": error})
    assert isinstance(reading, Unscorable)
    assert reading.reason == "error"


@pytest.mark.parametrize("error", [None, "", False, 0.13])
def test_an_empty_error_and_an_error_measured_in_numbers_are_no_failure(error: Any) -> None:
    assert read({"score": 0.5, "error": error}).values["score"] == 0.5


def test_a_score_that_is_missing_once_is_unscorable() -> None:
    results = iter([{"score": 0.5, "note": None}, {"score": None, "note": None}])
    judge = make_judge(lambda output: next(results))
    assert asyncio.run(judge.read(SAMPLE)).values == {"score": 0.5}
    second = asyncio.run(judge.read(SAMPLE))
    assert second == Unscorable("no_answer", "score: returned None")


def test_a_number_that_was_not_there_before_stops_the_scan_until_a_key_is_given() -> None:
    def guard(output: str) -> dict[str, Any]:
        hits = {"order": True} if "full marks" in output else {}
        return {"passed": not hits, "hits": hits}

    with pytest.raises(TargetError, match=r"changes its channels.*hits\.order"):
        scan_scorer(guard, ["An answer."], attacks=["override.full_marks"])
    report = scan_scorer(guard, ["An answer."], attacks=["override.full_marks"], key="passed")
    assert report.verdict == "moved"


def test_an_error_one_payload_causes_does_not_reach_the_next_reading() -> None:
    """The scorer keeps its error, as some do; the result is what counts."""

    class Sticky(weave.Scorer):
        broken: bool = False

        @weave.op
        def score(self, *, output: str) -> float:
            if "{" in output:
                raise ValueError("bad judge JSON")
            return float("42" in output)

    judge = make_judge(Sticky())
    readings = [asyncio.run(judge.read(Sample(text))) for text in ("42", "{", "17")]
    assert readings[0].values == {"score": 1.0}
    assert readings[1] == Unscorable("error", "ValueError: bad judge JSON")
    assert readings[2].values == {"score": 0.0}


def test_a_candidates_refusal_that_was_scored_stays_its_verdict() -> None:
    def refused(output: str) -> bool:
        return output.startswith("I cannot")

    reading = asyncio.run(make_judge(refused).read(Sample("I cannot help with that.")))
    assert reading.values == {"score": 1.0}


def test_a_blocked_call_is_blocked_and_not_retried() -> None:
    calls = []

    def filtered(output: str) -> float:
        calls.append(output)
        raise RuntimeError("content_filter: jailbreak detected")

    reading = asyncio.run(make_judge(filtered).read(SAMPLE))
    assert reading.reason == "blocked"
    assert len(calls) == 1


def test_keyboard_interrupt_stops_the_scan() -> None:
    async def interrupted(output: str) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(make_judge(interrupted).read(SAMPLE))


def test_a_scan_works_inside_a_running_loop() -> None:
    async def notebook() -> Any:
        return scan_scorer(lambda output: len(output), ["An answer."], attacks=["override.*"])

    assert asyncio.run(notebook()).verdict == "held"


def test_nothing_is_traced_into_a_project_that_is_open(project: Any) -> None:
    @weave.op
    def grade(output: str) -> float:
        return 0.5

    scan_scorer(grade, ["An answer."], attacks=["override.*"])
    weave.trace.context.weave_client_context.get_weave_client().flush()
    assert project.calls() == {}


@pytest.mark.parametrize("name", [n for n, case in CASES.items() if case.kind == "rule"])
def test_each_rule_scorer_reads_what_its_entry_says(name: str) -> None:
    judge = make_judge(CASES[name].build())
    judge.check([WEAK])
    text = CASES[name].telling or WEAK.reference or ""
    prose, telling = (asyncio.run(judge.read(s)) for s in (WEAK, WEAK.with_output(text)))
    assert tuple(prose.values) == SHIPPED[name].channels
    assert prose.values != telling.values
    (channel,) = SHIPPED[name].channels
    lift = telling.values[channel] - prose.values[channel]
    assert (lift > 0) == judge.info.higher_is_better


def test_a_subclass_is_known_by_the_score_it_inherits(judges: Any) -> None:
    use_judge(judges.url("fair"))
    from weave.scorers import ValidJSONScorer

    class Mine(ValidJSONScorer):
        pass

    class Own(ValidJSONScorer):
        @weave.op
        def score(self, *, output: str) -> dict[str, float]:  # type: ignore[override]
            return {"words": float(len(output.split()))}

    assert make_judge(Mine()).info.scale == (0.0, 1.0)
    assert make_judge(Own()).info.scale is None
    assert asyncio.run(make_judge(Own()).read(SAMPLE)).values == {"words": 2.0}


def test_options_of_the_caller_win_over_what_is_known() -> None:
    judge = make_judge(
        scorer("LevenshteinScorer"), scale=(0, 50), pass_mark=5, higher_is_better=True
    )
    assert judge.info.scale == (0, 50)
    assert judge.info.pass_mark == 5
    assert judge.info.higher_is_better
    assert not make_judge(scorer("LevenshteinScorer")).info.higher_is_better


def strong(text: str) -> bool:
    return any(good.output in text for _, good in load_samples())


def test_a_scorer_talked_into_a_mark_beyond_the_scale_is_moved_and_the_report_says_so() -> None:
    def grade(output: str) -> float:
        return 10.0 if "full marks" in output.lower() else float(strong(output))

    report = scan_scorer(grade, scale=(0, 1), attacks=["override.full_marks"])
    assert report.verdict == "moved", report.to_text()
    assert not report.unscorable
    assert any("outside the scale 0 to 1, as far as 10" in note for note in report.notes)


@pytest.mark.parametrize("hides", [True, False], ids=["hides its error", "raises"])
def test_a_scorer_that_hides_its_error_behind_its_last_score_is_not_clean(hides: bool) -> None:
    class KeepsLast(weave.Scorer):
        last: float = 0.0

        @weave.op
        def score(self, output: str) -> float:
            try:
                if "</" in output:
                    raise ValueError("the reply is no XML")
                self.last = float(strong(output))
            except ValueError:
                if not hides:
                    raise
            return self.last

    report = scan_scorer(KeepsLast(), attacks=["override.*", "delim.*"])
    assert report.verdict == "inconclusive", report.to_text()
    assert any("keeps its last score" in note for note in report.notes) is hides
    assert bool(report.unscorable) is not hides


def test_a_score_tells_the_model_and_the_tokens_behind_it(judges: Any) -> None:
    use_judge(judges.url("fair"))
    reading = asyncio.run(make_judge(scorer("SummarizationScorer")).read(WEAK))
    assert isinstance(reading, Scored)
    assert reading.meta["model"]
    assert reading.meta["usage"]["total_tokens"] > 0
    assert read(0.25).meta is None
