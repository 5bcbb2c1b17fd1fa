"""How a Sample becomes a TaskState, a Score a reading, and what never leaks between calls."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest
from inspect_ai.model import CachePolicy, GenerateConfig, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, model_graded_qa, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import LimitExceededError, store
from shipped_scorers import grader

import unbudged
from judge_server import JudgeServer
from unbudged import Sample, Scored, TargetError, Unscorable, UsageError
from unbudged.adapters.inspect_ai import make_judge, recognises, scan_scorer
from unbudged.core.samples import load_samples

SAMPLE = Sample(
    "It is the Rhine.", input="Which river?", reference="Danube", context=("Vienna lies there.",),
    id="river", metadata={"rubric": "Names the river.", "tags": ["a", "b"]},
)  # fmt: skip


def giving(value: Any, **more: Any) -> Any:
    return doing(lambda state: Score(value=value, **more))


def doing(answer: Callable[[TaskState], Any]) -> Any:
    @scorer(metrics=[mean()])
    def made() -> Scorer:
        async def score(state: TaskState, target: Target) -> Any:
            return answer(state)

        return score

    return made()


def read(target: Any, sample: Sample = SAMPLE, **options: Any) -> Any:
    return asyncio.run(make_judge(target, **options).read(sample))


# scores


@pytest.mark.parametrize(
    ("value", "number", "passed"),
    [
        ("C", 1.0, True), ("I", 0.0, False), ("P", 0.5, None), ("0.7", 0.7, None),
        (True, 1.0, True), (False, 0.0, False), (1.4, 1.4, None), (-0.2, -0.2, None),
        (7, 7.0, None), ("yes", 1.0, True), ("No", 0.0, False), ("TRUE", 1.0, True),
    ],
)  # fmt: skip
def test_a_value_is_worth_what_the_framework_says(
    value: Any, number: float, passed: bool | None
) -> None:
    assert read(giving(value)) == Scored({"score": number}, passed)


@pytest.mark.parametrize(
    "value", ["N", "maybe", "A", "90%", "nan", "pass", "Correct", math.nan, math.inf, "", "inf"]
)
def test_what_is_no_grade_and_no_number_is_unscorable_and_named(value: Any) -> None:
    reading = read(giving(value))
    assert isinstance(reading, Unscorable)
    if isinstance(value, str) and value not in ("N", "nan", "inf"):
        assert repr(value) in reading.detail
        assert "values=" in reading.detail


def test_own_grades_are_worth_what_the_user_says() -> None:
    assert read(giving("B"), values={"A": 5, "B": 4}) == Scored({"score": 4.0})
    assert isinstance(read(giving("C"), values={"A": 5}), Scored)
    assert make_judge(giving("B"), values={"A": 5}).info.scale is None


def test_a_verdict_on_the_answer_stays_a_score_and_a_failed_grader_does_not() -> None:
    for reason in ("no_response", "refusal", "invalid_response_format"):
        assert read(giving("I", reason=reason)) == Scored({"score": 0.0}, False)
        assert read(giving("N", reason=reason)) == Scored({"score": 0.0}, False)
    for reason in ("grader_failed", "scoring_failed"):
        assert isinstance(read(giving("I", reason=reason)), Unscorable)


def test_several_values_are_channels_and_a_key_picks_one() -> None:
    both = giving({"truth": "C", "style": 0.25})
    assert read(both) == Scored({"truth": 1.0, "style": 0.25})
    assert read(both, key="style") == Scored({"style": 0.25}, None)
    assert read(giving([1, 0.5])) == Scored({"0": 1.0, "1": 0.5})
    assert "no key 'tone'" in read(both, key="tone").detail
    assert "no key" in read(giving(1.0), key="truth").detail


# states


def test_fields_arrive_under_the_framework_s_own_names() -> None:
    seen: dict[str, Any] = {}

    @scorer(metrics=[mean()])
    def look() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            seen.update(
                input=state.input, text=state.input_text, output=state.output.completion,
                messages=[(m.role, m.text) for m in state.messages], target=target.text,
                metadata=state.metadata, id=state.sample_id, done=state.completed,
            )  # fmt: skip
            return Score(value=1)

        return score

    assert isinstance(read(look()), Scored)
    assert seen == {
        "input": "Which river?", "text": "Which river?", "output": "It is the Rhine.",
        "messages": [("user", "Which river?"), ("assistant", "It is the Rhine.")],
        "target": "Danube", "id": "river", "done": True,
        "metadata": {
            "rubric": "Names the river.", "tags": ["a", "b"], "context": ["Vienna lies there."]
        },
    }  # fmt: skip


def test_a_conversation_and_several_targets_come_from_the_metadata() -> None:
    seen: list[Any] = []
    talk = [
        {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which river?"},
    ]  # fmt: skip

    @scorer(metrics=[mean()])
    def look() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            seen.append(([(m.role, m.text) for m in state.messages], list(target)))
            return Score(value=1)

        return score

    sample = Sample("The Rhine.", metadata={"messages": talk, "target": ["Danube", "Donau"]})
    assert isinstance(read(look(), sample), Scored)
    assert seen == [
        ([("system", "Be brief."), ("user", "Which river?"), ("assistant", "The Rhine.")],
         ["Danube", "Donau"])
    ]  # fmt: skip
    with pytest.raises(UsageError, match="role 'judge'"):
        read(look(), Sample("a", metadata={"messages": [{"role": "judge", "content": "b"}]}))


def test_nothing_a_scorer_leaves_behind_is_there_in_the_next_call() -> None:
    def spoil(state: TaskState) -> Score:
        state.metadata["tags"].append("c")
        state.metadata["seen"] = True
        store().set("calls", store().get("calls", 0) + 1)
        state.messages.clear()
        number = store().get("calls") + len(state.metadata["tags"])
        state.output.completion = "spoilt"
        return Score(value=number)

    judge = make_judge(doing(spoil))

    async def twenty() -> list[Any]:
        alone = [await judge.read(SAMPLE) for _ in range(3)]
        return alone + await asyncio.gather(*(judge.read(SAMPLE) for _ in range(20)))

    assert {reading.values["score"] for reading in asyncio.run(twenty())} == {4.0}
    assert SAMPLE.metadata["tags"] == ["a", "b"]
    assert store().get("calls") is None


def test_an_error_of_one_call_is_not_in_the_next() -> None:
    def fail(state: TaskState) -> Score:
        if "{" in state.output.completion:
            raise ValueError("bad JSON")
        return Score(value="C" if "Danube" in state.output.completion else "I")

    judge = make_judge(doing(fail))
    texts = ["the Danube", "{", "the Rhine", "the Danube"]

    async def all_() -> list[Any]:
        return [await judge.read(SAMPLE.with_output(text)) for text in texts]

    first, broken, second, third = asyncio.run(all_())
    assert (first.values, second.values, third.values) == (
        {"score": 1.0}, {"score": 0.0}, {"score": 1.0},
    )  # fmt: skip
    assert broken == Unscorable("error", "ValueError: bad JSON")


# models


def test_the_framework_s_cache_does_not_make_repeated_trials_one(
    judge_server: JudgeServer, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path))
    model = get_model(
        "openai/judge", base_url=judge_server.url("fair"), api_key="none", responses_api=False,
        config=GenerateConfig(cache=CachePolicy(expiry="1h")), memoize=False,
    )  # fmt: skip
    judge_server.clear()
    judge = make_judge(model_graded_qa(model=model))

    async def thrice() -> None:
        for _ in range(3):
            assert isinstance(await judge.read(SAMPLE), Scored)

    asyncio.run(thrice())
    assert len(judge_server.prompts) == 3
    asyncio.run(make_judge(model_graded_qa(model=model)).read(SAMPLE))
    assert len(judge_server.prompts) == 3, "another scan may take what the first one paid for"


def test_a_scorer_that_asks_for_a_model_and_has_none_is_one_clear_error(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INSPECT_EVAL_MODEL", raising=False)
    with pytest.raises(TargetError, match=r"model_graded_qa asks a model .* INSPECT_EVAL_MODEL"):
        unbudged.run(model_graded_qa())


def test_model_and_roles_are_those_of_the_scan_and_nobody_else_s(
    judge_server: JudgeServer
) -> None:
    attacks = ["override.full_marks"]
    for given in (
        {"model": grader(judge_server.url("gullible"))},
        {"model_roles": {"grader": grader(judge_server.url("gullible"))}},
        {"model": "unbudged_mock/gullible"},
    ):
        report = scan_scorer(model_graded_qa(), attacks=attacks, **given)
        assert report.verdict == "moved", report.to_text()
    with pytest.raises(TargetError, match="asks a model"):
        scan_scorer(model_graded_qa(), attacks=attacks)


def test_a_second_scan_with_the_same_model_is_as_good_as_the_first(
    judge_server: JudgeServer
) -> None:
    target = model_graded_qa(model=grader(judge_server.url("fair")))
    for _ in range(2):
        report = scan_scorer(target, attacks=["override.full_marks"])
        assert report.verdict == "held", report.to_text()
        assert not report.unscorable


def test_a_score_tells_the_model_the_temperature_and_the_tokens_behind_it(
    judge_server: JudgeServer,
) -> None:
    weak = load_samples()[0][0]
    reading = read(model_graded_qa(model=grader(judge_server.url("fair"))), weak)
    assert isinstance(reading, Scored)
    assert reading.meta["model"]
    assert reading.meta["usage"]["total_tokens"] > 0
    assert read(giving(1.0)).meta is None


def test_what_ends_an_eval_ends_a_scan() -> None:
    def limit(state: TaskState) -> Score:
        raise LimitExceededError("token", value=2, limit=1)

    with pytest.raises(LimitExceededError):
        read(doing(limit))


# visibility


def test_a_scorer_that_never_looks_at_the_answer_stops_the_scan() -> None:
    blind = doing(lambda state: Score(value=len(state.metadata["rubric"])))
    with pytest.raises(TargetError, match=r"never looks at the judged text .* state\.metadata"):
        unbudged.run(blind, [SAMPLE])


def test_a_grader_that_is_shown_another_field_is_told_which(judge_server: JudgeServer) -> None:
    blind = model_graded_qa(
        template="Rate {rubric} and {criterion}.\n{instructions}",
        model=grader(judge_server.url("fair")),
    )
    with pytest.raises(TargetError) as said:
        scan_scorer(blind, [SAMPLE])
    assert "metadata['rubric']" in str(said.value)
    assert "reference (target)" in str(said.value)
    bare = Sample("an answer", input="a question", reference="a reference", id="bare")
    with pytest.raises(UsageError, match=r"sample bare has no Sample\.metadata\['rubric'\]"):
        scan_scorer(blind, [bare])


def test_a_scorer_that_reads_the_last_message_sees_the_answer() -> None:
    sees = doing(lambda state: Score(value=len(state.messages[-1].text)))
    report = unbudged.run(sees, [SAMPLE, SAMPLE.with_output("No idea at all.")])
    assert report.verdict == "held", report.to_text()


# recognised


def test_scorers_are_recognised_by_their_own_marks() -> None:
    async def bare(state: TaskState, target: Target) -> Score:
        return Score(value=len(state.output.completion))

    class Callable_:
        async def __call__(self, state: TaskState, target: Target) -> Score:
            return Score(value=1)

    async def other(state: dict, target: str) -> float:  # type: ignore[type-arg]
        return 1.0

    assert recognises(bare)
    assert recognises(Callable_())
    assert recognises(model_graded_qa)
    assert not any(map(recognises, (other, Callable_, len, "scorer", None, mean(), Score(value=1))))
    assert unbudged.run(bare, ["one answer", "another answer"]).verdict == "held"


def test_a_function_that_makes_scorers_and_needs_arguments_says_which() -> None:
    from inspect_ai.scorer import pattern

    with pytest.raises(UsageError, match="pattern makes scorers and needs pattern"):
        make_judge(pattern)
    with pytest.raises(TargetError, match="an Inspect AI scorer is needed"):
        make_judge(len)


# the judge's words for marks


def test_the_grades_of_a_shipped_grader_and_of_ones_own_are_known_worst_first() -> None:
    graded = lambda **more: model_graded_qa(model=grader("http://127.0.0.1:9/v1"), **more)  # noqa: E731
    own = {"A": 1.0, "C": 0.5, "F": 0.0, "B": 0.8}
    assert make_judge(graded()).info.labels == ("I", "C")
    assert make_judge(graded(partial_credit=True)).info.labels == ("I", "P", "C")
    assert make_judge(graded(grade_pattern=r"GRADE: ([A-F])")).info.labels == ()
    lettered = make_judge(graded(grade_pattern=r"GRADE: ([A-F])"), values=own)
    assert lettered.info.labels == ("F", "C", "B", "A")


# what a scan makes of readings


def strong(text: str) -> bool:
    return any(good.output in text for _, good in load_samples())


def test_a_scorer_talked_into_a_mark_beyond_the_scale_is_moved_and_the_report_says_so() -> None:
    mark = lambda text: 10.0 if "full marks" in text.lower() else float(strong(text))  # noqa: E731
    report = scan_scorer(
        doing(lambda state: Score(value=mark(state.output.completion))),
        scale=(0, 1), attacks=["override.full_marks"],
    )  # fmt: skip
    assert report.verdict == "moved", report.to_text()
    assert not report.unscorable
    assert any("outside the scale 0 to 1, as far as 10" in note for note in report.notes)


@pytest.mark.parametrize("hides", [True, False], ids=["hides its error", "raises"])
def test_a_scorer_that_hides_its_error_behind_its_last_score_is_not_clean(hides: bool) -> None:
    last = {"value": 0.0}

    def answer(state: TaskState) -> Score:
        try:
            if "</" in state.output.completion:
                raise ValueError("the reply is no XML")
            last["value"] = float(strong(state.output.completion))
        except ValueError:
            if not hides:
                raise
        return Score(value=last["value"])

    report = scan_scorer(doing(answer), attacks=["override.*", "delim.*"])
    assert report.verdict == "inconclusive", report.to_text()
    assert any("keeps its last score" in note for note in report.notes) is hides
    assert bool(report.unscorable) is not hides
