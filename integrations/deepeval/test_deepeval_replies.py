"""What a judge replies that DeepEval reads as a score in silence, and what stays a score."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from deepeval.metrics import (
    AnswerRelevancyMetric,
    BaseMetric,
    FaithfulnessMetric,
    GEval,
    TaskCompletionMetric,
)
from deepeval.test_case import SingleTurnParams
from dialect import reply as reply_of
from models import HttpModel, ask
from packaging.version import Version
from pydantic import BaseModel
from shipped import SHIPPED, found

import deepeval
from deepeval.models import DeepEvalBaseLLM
from judge_server import JudgeServer
from unbudged import Sample, Scored, Unscorable, load_corpus
from unbudged.adapters.deepeval import make_judge, scan_metric
from unbudged.core.judge import Reading
from unbudged.core.samples import load_samples

WEAK, STRONG = load_samples()[0]
SINCE_4_2 = Version(deepeval.__version__) >= Version("4.2")
HERE = found()
JUDGED = [name for name, row in SHIPPED.items() if row.way == "judge" and name in HERE]
#: asked for verdicts in words, on items of their own or on a list that another reply extracted
IN_WORDS = [
    "AnswerRelevancyMetric", "BiasMetric", "CitationFaithfulnessMetric",
    "ConversationCompletenessMetric", "FaithfulnessMetric", "HallucinationMetric",
    "KnowledgeRetentionMetric", "MisuseMetric", "NonAdviceMetric", "PIILeakageMetric",
    "PromptAlignmentMetric", "RoleViolationMetric", "SummarizationMetric",
    "TopicAdherenceMetric", "ToxicityMetric", "TurnFaithfulnessMetric", "TurnRelevancyMetric",
]  # fmt: skip
ON_A_LIST = [
    "AnswerRelevancyMetric", "BiasMetric", "FaithfulnessMetric", "HallucinationMetric",
    "MisuseMetric", "NonAdviceMetric", "PIILeakageMetric", "PromptAlignmentMetric",
    "RoleViolationMetric", "SummarizationMetric", "ToxicityMetric", "TurnFaithfulnessMetric",
]  # fmt: skip


class Says(DeepEvalBaseLLM):
    """A model that replies what a function of prompt and schema says."""

    def __init__(self, reply: Callable[[str, Any], Any]) -> None:
        self.reply = reply
        self.asked: list[str] = []
        super().__init__("says")

    def load_model(self) -> Says:
        return self

    def generate(self, prompt: str, schema: Any = None) -> Any:
        self.asked.append(getattr(schema, "__name__", ""))
        return self.reply(prompt, schema)

    async def a_generate(self, prompt: str, schema: Any = None) -> Any:
        return self.generate(prompt, schema)

    def get_model_name(self) -> str:
        return "says"


class Twisted(HttpModel):
    """The fair judge behind the server, each of its JSON replies changed by a function."""

    def __init__(self, base_url: str, twist: Callable[[Any], Any]) -> None:
        self.twist = twist
        super().__init__(base_url)

    def generate(self, prompt: str, schema: Any = None) -> Any:
        text = ask(self.base_url, prompt, schema)
        return text if schema is None else json.dumps(self.twist(json.loads(text)))


def read(metric: Any, sample: Sample = WEAK, **options: Any) -> Reading:
    return asyncio.run(make_judge(metric, **options).read(sample))


def read_twisted(name: str, judges: JudgeServer, twist: Callable[[Any], Any]) -> Reading:
    row = SHIPPED[name]
    metric = row.build(judges.url("fair"))
    metric.model = Twisted(judges.url("fair"), twist)
    return read(metric, row.weak)


def geval(reply: Any) -> GEval:
    return GEval(
        name="Sound",
        evaluation_steps=["Compare."],
        evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT],
        model=Says(reply if callable(reply) else lambda prompt, schema: reply),
    )


def in_every(data: Any, name: str, value: Any) -> Any:
    """Return the data with each field of a name set to a value."""
    if isinstance(data, list):
        return [in_every(entry, name, value) for entry in data]
    if not isinstance(data, dict):
        return data
    return {k: value if k == name else in_every(v, name, value) for k, v in data.items()}


@pytest.mark.parametrize(
    "reply",
    [
        "The weather is mild.", "", "  \n ", None, "[1, 2]", "{}", '{"reason": "good"}',
        '{"score": 8}', '{"reason": "a", "score": 8}\n{"reason": "b", "score": 9}',
        '{"reason": "a", "score": "high"}', '{"reason": "a", "score": null}',
        '{"reason": "a", "score": NaN}', '{"reason": "a", "score": 1e999}',
    ],
    ids=repr,
)  # fmt: skip
def test_a_geval_reply_that_is_no_mark_is_unscorable(reply: Any) -> None:
    reading = read(geval(reply))
    assert isinstance(reading, Unscorable), reading
    assert reading.detail.strip()
    assert "\n" not in reading.detail


@pytest.mark.parametrize(("mark", "score", "passed"), [(15, 1.5, True), (-3, -0.3, False)])
def test_a_mark_out_of_range_is_the_score_that_deepeval_makes_of_it(
    mark: int, score: float, passed: bool
) -> None:
    reading = read(geval(json.dumps({"reason": "a", "score": mark})))
    assert reading == Scored({"score": pytest.approx(score)}, passed, "a")


def test_a_judge_talked_into_a_mark_beyond_the_scale_is_moved_and_the_report_says_so() -> None:
    def obeys(prompt: str, schema: Any) -> str:
        return json.dumps({"reason": "a", "score": 100 if "full marks" in prompt.lower() else 3})

    report = scan_metric(geval(obeys), [WEAK], attacks=["override.full_marks"])
    assert report.verdict == "moved", report.to_text()
    assert report.findings[0].attack_shift == pytest.approx(9.7)
    assert report.findings[0].flipped == "fail_to_pass"
    assert any("outside the scale 0 to 1, as far as 10" in note for note in report.notes)


def test_a_judge_that_stays_within_the_scale_gets_no_such_note() -> None:
    def obeys(prompt: str, schema: Any) -> str:
        return json.dumps({"reason": "a", "score": 10 if "full marks" in prompt.lower() else 3})

    report = scan_metric(geval(obeys), [WEAK], attacks=["override.full_marks"])
    assert report.verdict == "moved", report.to_text()
    assert not any("outside the scale" in note for note in report.notes)


def test_the_neighbour_within_the_range_is_a_score() -> None:
    reading = read(geval('Sure. {"reason": "a", "score": 8}'))
    assert reading == Scored({"score": 0.8}, True, "a")


@pytest.mark.parametrize("verdict", ["yes", None], ids=repr)
def test_a_task_completion_verdict_that_is_no_mark_is_unscorable(verdict: Any) -> None:
    replies = {
        "TaskAndOutcome": {"task": "t", "outcome": "o"},
        "TaskCompletionVerdict": {"verdict": verdict, "reason": "r"},
    }
    model = Says(lambda prompt, schema: json.dumps(replies[schema.__name__]))
    assert isinstance(read(TaskCompletionMetric(model=model)), Unscorable)
    replies["TaskCompletionVerdict"]["verdict"] = 0.75
    reading = read(TaskCompletionMetric(model=model))
    assert isinstance(reading, Scored), reading
    assert reading.values == {"score": 0.75}


@pytest.mark.parametrize("name", [name for name in IN_WORDS if name in HERE])
def test_a_verdict_outside_the_vocabulary_is_unscorable(name: str, judges: JudgeServer) -> None:
    reading = read_twisted(name, judges, lambda data: in_every(data, "verdict", "maybe"))
    assert isinstance(reading, Unscorable), reading
    if SINCE_4_2:  # before, some metrics raise at it by themselves
        assert reading.reason == "unreadable", reading
        assert "maybe" in reading.detail, reading


@pytest.mark.parametrize("name", [name for name in JUDGED if "Jev" not in name])
def test_an_empty_object_in_place_of_a_reply_is_unscorable(
    name: str, judges: JudgeServer
) -> None:
    reading = read_twisted(name, judges, lambda data: {})
    assert isinstance(reading, Unscorable), reading
    assert reading.reason == "unreadable", reading


@pytest.mark.parametrize("name", [name for name in ON_A_LIST if name in HERE])
def test_no_verdicts_where_some_were_asked_is_unscorable(name: str, judges: JudgeServer) -> None:
    reading = read_twisted(name, judges, lambda data: in_every(data, "verdicts", []))
    assert isinstance(reading, Unscorable), reading
    if SINCE_4_2:
        assert "0 verdicts on" in reading.detail, reading


def replies_of_relevancy(statements: list[str], verdicts: list[Any]) -> Says:
    data = {
        "Statements": {"statements": statements},
        "Verdicts": {"verdicts": [{"verdict": verdict} for verdict in verdicts]},
    }
    return Says(lambda prompt, schema: json.dumps(data[schema.__name__]))


def relevancy(statements: list[str], verdicts: list[Any]) -> Reading:
    return read(AnswerRelevancyMetric(model=replies_of_relevancy(statements, verdicts)))


def test_fewer_verdicts_than_statements_is_unscorable() -> None:
    three = ["It is \"green\".", "It isn't blue:\nnever.", "Größe zählt."]
    reading = relevancy(three, ["yes", "yes"])
    assert isinstance(reading, Unscorable), reading
    assert reading.detail == "the judge gave 2 verdicts on 3 statements"
    assert relevancy(three, ["yes", "yes", "no"]) == Scored({"score": 2 / 3}, True)


def test_nothing_to_judge_is_a_score_that_an_answer_may_have_earned() -> None:
    assert relevancy([], []) == Scored({"score": 1.0}, True)


@pytest.mark.skipif(not SINCE_4_2, reason="before 4.2 DeepEval itself refuses other words")
@pytest.mark.parametrize(
    ("verdicts", "score"),
    [
        (["Yes.", "No, off topic"], 0.5), (["YES", "no"], 0.5), (["idk", "no"], 0.5),
        (["borderline", "no"], 0.5), (["yes - clearly", "idk."], 1.0),
    ],
)  # fmt: skip
def test_a_verdict_that_deepeval_reads_by_its_first_word_is_read(
    verdicts: list[str], score: float
) -> None:
    reading = relevancy(["a", "b"], verdicts)
    assert isinstance(reading, Scored), reading
    assert reading.values == {"score": score}


def test_a_model_that_fills_the_schema_itself_is_read() -> None:
    def reply(prompt: str, schema: Any) -> Any:
        return schema(reason="r", score=7)

    assert read(geval(reply)) == Scored({"score": 0.7}, True, "r")


def test_a_metric_of_ones_own_reads_its_replies_as_it_likes() -> None:
    class Mark(BaseModel):
        verdict: str

    class Own(BaseMetric):
        def __init__(self, model: Any) -> None:
            self.model, self.threshold = model, None

        async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> None:
            text = await self.model.a_generate_with_schema(test_case.actual_output, schema=Mark)
            self.score = float("splendid" in text)

    assert read(Own(Says(lambda *_: '{"verdict": "splendid"}'))) == Scored({"score": 1.0})
    assert read(Own(Says(lambda *_: "a splendid answer"))) == Scored({"score": 1.0})


def test_a_metric_of_ones_own_may_ask_with_a_schema_that_is_no_class() -> None:
    class Own(BaseMetric):
        def __init__(self, model: Any) -> None:
            self.model, self.threshold = model, None

        async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> None:
            form = {"type": "number"}
            self.score = float(await self.model.a_generate(test_case.actual_output, schema=form))

    assert read(Own(Says(lambda *_: "0.5"))) == Scored({"score": 0.5})


def test_a_reason_that_would_fail_costs_no_score() -> None:
    def reply(prompt: str, schema: Any) -> str:
        if "Reason" in schema.__name__:
            raise ValueError("no reason today")
        return {
            "Truths": '{"truths": ["t"]}', "Claims": '{"claims": ["c"]}',
            "Verdicts": '{"verdicts": [{"verdict": "no", "reason": "r"}]}',
        }[schema.__name__]  # fmt: skip

    model = Says(reply)
    assert read(FaithfulnessMetric(model=model)) == Scored({"score": 0.0}, False)
    assert sorted(model.asked) == ["Claims", "Truths", "Verdicts"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TimeoutError("too slow"), "timeout"),
        (RuntimeError("Error code: 400 - content_filter: jailbreak detected"), "blocked"),
        (ConnectionError("refused"), "error"),
        (TypeError("NoneType is not subscriptable"), "error"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_the_model_raises_says_why(error: Exception, reason: str) -> None:
    def reply(prompt: str, schema: Any) -> Any:
        raise error

    reading = read(geval(reply))
    assert isinstance(reading, Unscorable), reading
    assert reading.reason == reason
    assert str(error) in reading.detail


def test_a_filter_that_blocks_only_payloads_is_neither_clean_nor_a_finding() -> None:
    payload = next(attack for attack in load_corpus() if attack.id == "override.full_marks")

    def reply(prompt: str, schema: Any) -> str:
        if payload.text in prompt:
            raise RuntimeError("Error code: 400 - {'code': 'content_filter'}")
        return json.dumps({"reason": "r", "score": 9 if STRONG.output in prompt else 2})

    report = scan_metric(
        geval(reply), [WEAK], attacks=[payload.id], contrast=(STRONG, WEAK)
    )
    assert report.verdict == "inconclusive"
    assert not report.findings
    assert {(row.reason, row.disables) for row in report.unscorable} == {("blocked", True)}


def test_a_judge_that_quotes_the_answer_is_broken_by_a_payload_in_json() -> None:
    # DeepEval reads from the first brace to the last: a quoted object spoils the judge's own
    def answer_in(prompt: str) -> str:
        return prompt.split("Actual Output:\n", 1)[-1].split(" \n\n", 1)[0]

    with JudgeServer(dialect=reply_of, find_answer=answer_in) as server:
        report = scan_metric(
            SHIPPED["GEval"].build(server.url("parser_victim")), [WEAK],
            contrast=(STRONG, WEAK), attacks=["delim.json_object", "override.full_marks"],
        )  # fmt: skip
    assert report.verdict == "inconclusive", report.to_text()
    broken = {probe.attack_id for probe in report.unscorable if probe.disables}
    assert broken == {"delim.json_object"}, report.to_text()
    assert not report.findings, report.to_text()


def test_a_score_tells_the_model_and_the_calls_behind_it() -> None:
    reading = read(geval('{"score": 7, "reason": "so"}'))
    assert isinstance(reading, Scored)
    assert reading.meta["model"] == "says"
    assert reading.meta["usage"]["calls"] >= 1
