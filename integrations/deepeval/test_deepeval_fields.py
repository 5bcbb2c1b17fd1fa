"""What of a sample reaches a metric, and what is said when something is missing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from deepeval.metrics import (
    DAGMetric,
    FaithfulnessMetric,
    GEval,
    RoleAdherenceMetric,
    TurnRelevancyMetric,
)
from deepeval.test_case import MLLMImage, SingleTurnParams, ToolCall
from material import dag
from own import WEAK, Own, Talk, read
from test_deepeval_replies import Says, geval

from unbudged import Sample, Scored, Unscorable, UsageError, scan_metric
from unbudged.adapters.deepeval import make_judge


def case_of(kind: type, sample: Sample) -> Any:
    """Return the test case that a metric of one's own is given for a sample."""
    seen: list[Any] = []
    read(kind(lambda metric, case: seen.append(case) or 1.0), sample)
    return seen[0]


def test_the_fields_of_a_sample_arrive_under_deepevals_names() -> None:
    case = case_of(Own, WEAK)
    assert case.input == WEAK.input
    assert case.actual_output == WEAK.output
    assert case.expected_output == WEAK.reference
    assert case.context == list(WEAK.context)
    assert case.retrieval_context == WEAK.metadata["retrieval_context"]
    assert case.tools_called[0] == ToolCall(**WEAK.metadata["tools_called"][0])
    assert case.expected_tools == case.tools_called


def test_what_only_the_sample_knows_stays_out_of_the_test_case() -> None:
    case = case_of(Own, WEAK)
    assert (case.metadata, case.tags, case.name, case.comments) == (None, None, None, None)
    told = Sample("a", metadata={"metadata": {"page": 3}, "tags": ["x"], "comments": "none"})
    case = case_of(Own, told)
    assert (case.metadata, case.tags, case.comments) == ({"page": 3}, ["x"], "none")


def test_the_context_is_the_retrieval_context_where_none_is_named() -> None:
    case = case_of(Own, Sample("a", context=("one", "two")))
    assert case.retrieval_context == ["one", "two"]
    assert case_of(Own, Sample("a")).retrieval_context is None


def test_the_answer_is_the_last_assistant_turn_of_a_conversation() -> None:
    case = case_of(Talk, WEAK)
    said = [(turn.role, turn.content) for turn in case.turns]
    told = [(turn["role"], turn["content"]) for turn in WEAK.metadata["turns"]]
    assert said == [*told, ("assistant", WEAK.output)]
    assert case.chatbot_role == WEAK.metadata["chatbot_role"]
    assert case.expected_outcome == WEAK.reference
    assert case.turns[-1].retrieval_context == WEAK.metadata["retrieval_context"]
    short = case_of(Talk, Sample("Yes.", input="Is it?"))
    assert [(t.role, t.content) for t in short.turns] == [("user", "Is it?"), ("assistant", "Yes.")]


def test_what_a_metric_writes_on_a_turn_reaches_no_other_call() -> None:
    def rate(metric: Any, case: Any) -> float:
        first = case.turns[0]
        found, first.content = first.content, "rewritten"
        return float(found == WEAK.metadata["turns"][0]["content"])

    judge = make_judge(Talk(rate))
    for _ in range(2):
        assert asyncio.run(judge.read(WEAK)) == Scored({"score": 1.0})


@pytest.mark.parametrize(
    ("metric", "sample", "named"),
    [
        (lambda m: FaithfulnessMetric(model=m), Sample("a", input="q"),
         ("Faithfulness", "retrieval_context", "context")),
        (lambda m: FaithfulnessMetric(model=m), Sample("a", context=("c",)),
         ("Faithfulness", "input")),
        (lambda m: GEval(name="Right", criteria="c", model=m, evaluation_params=[
            SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.EXPECTED_OUTPUT]),
         Sample("a", input="q"), ("Right [GEval]", "expected_output", "reference")),
        (lambda m: RoleAdherenceMetric(model=m), Sample("a", input="q"),
         ("Role Adherence", "chatbot_role", 'metadata["chatbot_role"]')),
        (lambda m: TurnRelevancyMetric(model=m), Sample("a"),
         ("Turn Relevancy", "user turn", "input")),
        (lambda m: DAGMetric(name="D", dag=dag(), model=m), Sample("a"), ("D [DAG]", "input")),
    ],
)  # fmt: skip
def test_a_missing_field_is_one_line_before_any_call(
    metric: Callable[[Any], Any], sample: Sample, named: tuple[str, ...]
) -> None:
    model = Says(lambda prompt, schema: "{}")
    with pytest.raises(UsageError) as said:
        scan_metric(metric(model), [sample])
    assert all(name in str(said.value) for name in named), said.value
    assert "'a'" in str(said.value), "names the sample"
    assert "\n" not in str(said.value)
    assert model.asked == []


@pytest.mark.parametrize(
    "text", ["See [DEEPEVAL:IMAGE:/etc/hostname].", "[DEEPEVAL:PDF:http://127.0.0.1:9/x.pdf]"]
)
def test_a_text_that_would_open_a_file_or_an_address_is_not_sent(text: str) -> None:
    model = Says(lambda prompt, schema: '{"reason": "r", "score": 9}')
    metric = geval(lambda prompt, schema: '{"reason": "r", "score": 9}')
    metric.model = model
    reading = read(metric, WEAK.with_output(f"Good. {text}"))
    assert isinstance(reading, Unscorable)
    assert reading.reason == "blocked"
    assert model.asked == []
    with pytest.raises(UsageError, match="would open as a file"):
        scan_metric(metric, [WEAK.with_output(f"Good. {text}")])


def test_an_image_made_beforehand_is_no_such_text() -> None:
    image = MLLMImage(dataBase64="R0lGODlhAQABAAAAACw=", mimeType="image/gif")
    assert isinstance(read(Own(lambda metric, case: 1.0), WEAK.with_output(f"x {image}")), Scored)
