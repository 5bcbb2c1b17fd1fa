"""How metrics are called: their standard, their state, their direction, what they look at."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import pytest
from deepeval.metrics import (
    BaseMetric,
    DAGMetric,
    ExactMatchMetric,
    GEval,
    SummarizationMetric,
)
from deepeval.metrics.dag import (
    BinaryJudgementNode,
    DeepAcyclicGraph,
    NonBinaryJudgementNode,
    VerdictNode,
)
from deepeval.test_case import SingleTurnParams
from material import dag
from models import HttpModel
from own import WEAK, Own, read
from shipped import SHIPPED
from test_deepeval_replies import Says, geval

from judge_server import JudgeServer
from unbudged import (
    Sample,
    Scored,
    TargetError,
    Unscorable,
    run,
    scan_metric,
)
from unbudged.adapters.deepeval import make_judge, recognises
from unbudged.core.samples import load_samples

PARAMS = [SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT]


# one standard for every text


def steps_model() -> Says:
    made: list[int] = []

    def reply(prompt: str, schema: Any) -> str:
        if schema.__name__ == "Steps":
            made.append(1)
            return json.dumps({"steps": [f"Look at draft {len(made)}."]})
        mark = 8 if "draft 1." in prompt else 3
        if schema.__name__ == "BinaryJudgementVerdict":
            return json.dumps({"verdict": True, "reason": "r"})
        return json.dumps({"reason": "r", "score": mark})

    return Says(reply)


async def ten(judge: Any) -> list[Any]:
    texts = [f"Answer number {n}" for n in range(10)]
    return list(await asyncio.gather(*(judge.read(WEAK.with_output(text)) for text in texts)))


def test_evaluation_steps_are_made_once_and_judge_every_text() -> None:
    model = steps_model()
    metric = GEval(name="Sound", criteria="Be right.", evaluation_params=PARAMS, model=model)
    readings = asyncio.run(ten(make_judge(metric)))
    assert model.asked.count("Steps") == 1
    assert {reading.values["score"] for reading in readings} == {0.8}
    assert metric.evaluation_steps is None, "the user's own object stays as it was"


def test_steps_of_a_geval_inside_a_graph_are_made_once() -> None:
    model = steps_model()
    inner = GEval(name="Sound", criteria="Be right.", evaluation_params=PARAMS, model=model)
    node = BinaryJudgementNode(
        criteria="Is it an answer?",
        evaluation_params=PARAMS,
        children=[VerdictNode(verdict=False, score=0), VerdictNode(verdict=True, child=inner)],
    )
    graph = DeepAcyclicGraph(root_nodes=[node])
    judge = make_judge(DAGMetric(name="D", dag=graph, model=model))
    readings = [asyncio.run(judge.read(WEAK.with_output(text))) for text in ("a", "b", "c")]
    assert [reading.values["score"] for reading in readings] == [0.8, 0.8, 0.8]
    assert model.asked.count("Steps") == 1


def test_questions_about_a_text_are_made_once_for_each_text() -> None:
    def reply(prompt: str, schema: Any) -> str:
        return json.dumps({
            "Truths": {"truths": ["t"]}, "Claims": {"claims": ["c"]},
            "Verdicts": {"verdicts": [{"verdict": "yes"}]},
            "Questions": {"questions": ["Is it?"]}, "Answers": {"answers": ["yes"]},
        }[schema.__name__])  # fmt: skip

    model = Says(reply)
    judge = make_judge(SummarizationMetric(model=model))
    for text in ("one", "two", "three"):
        asyncio.run(judge.read(Sample(text, input="The first text.")))
    assert model.asked.count("Questions") == 1
    asyncio.run(judge.read(Sample("one", input="The second text.")))
    assert model.asked.count("Questions") == 2


# no state from call to call


def test_a_graph_gives_twenty_at_once_what_it_gives_them_alone() -> None:
    async def slowly(prompt: str, schema: Any) -> str:
        odd = any(f"number {n}." in prompt for n in range(1, 20, 2))
        await asyncio.sleep(0.002 if odd else 0.006)
        return json.dumps({"verdict": odd, "reason": "r"})

    class Slow(Says):
        async def a_generate(self, prompt: str, schema: Any = None) -> Any:
            return await slowly(prompt, schema)

    judge = make_judge(DAGMetric(name="D", dag=dag(), model=Slow(lambda *_: "")))

    async def twenty() -> list[Any]:
        texts = [f"Answer number {n}." for n in range(20)]
        return list(await asyncio.gather(*(judge.read(WEAK.with_output(t)) for t in texts)))

    assert [reading.values["score"] for reading in asyncio.run(twenty())] == [0.0, 1.0] * 10


def test_metrics_inside_a_metric_are_copied_with_it() -> None:
    class Both(BaseMetric):
        def __init__(self, parts: list[Any]) -> None:
            self.parts, self.threshold = parts, None

        async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> None:
            for part in self.parts:
                await part.a_measure(test_case)
                await asyncio.sleep(0.001)
            self.score = sum(part.score for part in self.parts)

    judge = make_judge(Both([Own(lambda m, case: len(case.actual_output)) for _ in range(2)]))

    async def all_at_once() -> list[Any]:
        return list(await asyncio.gather(*(judge.read(Sample("x" * n)) for n in range(1, 20))))

    readings = asyncio.run(all_at_once())
    assert [reading.values["score"] for reading in readings] == [2.0 * n for n in range(1, 20)]


def test_an_error_on_one_text_is_not_the_next_texts_error() -> None:
    def rate(metric: Any, case: Any) -> float:
        if metric.error is None and "{" in case.actual_output:
            metric.error = "bad reply"
        return metric.score if metric.error else float("42" in case.actual_output)

    judge = make_judge(Own(rate, threshold=None))
    texts = [asyncio.run(judge.read(Sample(text))) for text in ("42", "{", "17", "42")]
    assert texts[0] == texts[3] == Scored({"score": 1.0})
    assert isinstance(texts[1], Unscorable)
    assert texts[2] == Scored({"score": 0.0})


def test_the_users_metric_is_left_as_it_was_and_its_model_is_the_one_asked() -> None:
    model = Says(lambda prompt, schema: '{"reason": "r", "score": 9}')
    metric = geval(None)
    metric.model = model
    metric.score, metric.error, metric.reason = 0.3, "an old error", "an old reason"
    before = dict(vars(metric))
    assert read(metric) == Scored({"score": 0.9}, True, "r")
    assert vars(metric) == before
    assert model.asked == ["ReasonScore"]


def test_what_a_call_appends_to_a_list_is_gone_with_it() -> None:
    metric = Own(lambda m, case: m.seen.append(1) or float(len(m.seen)), threshold=None)
    metric.seen = []
    judge = make_judge(metric)
    readings = [asyncio.run(judge.read(Sample("a"))) for _ in range(3)]
    assert readings == [Scored({"score": 1.0})] * 3
    assert metric.seen == []


# how it is called


class OnlyMeasure(BaseMetric):
    threshold = None

    def measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float:
        import threading

        assert threading.current_thread() is not threading.main_thread()
        self.score = 0.25
        return self.score


class NotYet(OnlyMeasure):
    async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float:
        raise NotImplementedError("use measure")


@pytest.mark.parametrize("kind", [OnlyMeasure, NotYet])
def test_a_metric_without_a_measure_runs_in_a_thread(kind: type) -> None:
    assert read(kind()) == Scored({"score": 0.25})
    assert not hasattr(asyncio, "_nest_patched")


def test_a_metric_with_neither_is_refused() -> None:
    with pytest.raises(TargetError, match="neither measure nor a_measure"):
        make_judge(type("Empty", (BaseMetric,), {})())


def test_a_class_is_refused_with_what_to_give_instead() -> None:
    with pytest.raises(TargetError, match=r"give an object, as in ExactMatchMetric\("):
        make_judge(ExactMatchMetric)
    assert not recognises(ExactMatchMetric)
    assert recognises(ExactMatchMetric())
    assert not recognises("text")


def test_what_a_metric_prints_goes_to_standard_error(capfd: Any) -> None:
    read(Own(lambda metric, case: print("loud") or 1.0))
    print("after")
    out, err = capfd.readouterr()
    assert out == "after\n"
    assert "loud" in err


def test_an_interrupt_stops_the_scan_and_a_metrics_own_cancelling_does_not() -> None:
    def interrupt(metric: Any, case: Any) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read(Own(interrupt))

    def cancel(metric: Any, case: Any) -> float:
        raise asyncio.CancelledError

    if sys.version_info >= (3, 11):
        assert isinstance(read(Own(cancel)), Unscorable)

    async def stopped() -> None:
        class Slow(Own):
            async def a_measure(self, test_case: Any) -> Any:
                await asyncio.sleep(5)

        task = asyncio.create_task(make_judge(Slow(lambda *_: 1.0)).read(WEAK))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(stopped())


def test_a_scan_works_inside_a_running_loop() -> None:
    async def inside() -> Any:
        metric = Own(lambda m, case: min(1.0, len(case.actual_output) / 500))
        return run(metric, [WEAK], attacks=["override.full_marks"])

    assert asyncio.run(inside()).calls > 3


# what the score means


class Lower(Own):
    def is_successful(self) -> bool:
        return self.score <= self.threshold


def test_direction_pass_mark_and_scale_are_read_from_the_metric() -> None:
    info = make_judge(Lower(lambda *_: 0.1, threshold=0.3)).info
    assert (info.higher_is_better, info.pass_mark, info.scale) == (False, 0.3, None)
    info = make_judge(ExactMatchMetric()).info
    assert (info.higher_is_better, info.pass_mark, info.scale) == (True, 1.0, (0.0, 1.0))
    info = make_judge(geval("{}"), scale=(0, 5), pass_mark=3).info
    assert (info.pass_mark, info.scale) == (3, (0, 5))
    assert make_judge(Own(lambda *_: 1.0, threshold=None)).info.pass_mark is None
    assert info.name == "Sound [GEval]"


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("AnswerRelevancyMetric", ("no", "yes")), ("FaithfulnessMetric", ("no", "yes")),
        ("BiasMetric", ("yes", "no")), ("PIILeakageMetric", ("yes", "no")),
        ("HallucinationMetric", ("no", "yes")), ("DAGMetric", ("false", "true")),
        ("GEval", ()), ("TaskCompletionMetric", ()), ("ExactMatchMetric", ()),
    ],
)  # fmt: skip
def test_the_words_of_a_judges_verdicts_are_known_worst_first(
    name: str, labels: tuple[str, ...]
) -> None:
    metric = SHIPPED[name].build("http://127.0.0.1:9/v1")
    assert make_judge(metric).info.labels == labels
    assert make_judge(Own(lambda *_: 1.0)).info.labels == ()


def test_the_verdicts_of_a_graph_of_ones_own_are_ranked_by_their_marks() -> None:
    node = NonBinaryJudgementNode(
        criteria="How good is the answer?", evaluation_params=PARAMS,
        children=[VerdictNode(verdict=word, score=mark) for word, mark in
                  (("Superb", 10), ("Poor", 0), ("Fair", 4))],
    )  # fmt: skip
    graph = DAGMetric(name="Own", dag=DeepAcyclicGraph(root_nodes=[node]), model=Says(print))
    assert make_judge(graph).info.labels == ("Poor", "Fair", "Superb")


def test_a_metric_of_ones_own_may_score_on_any_scale() -> None:
    assert read(Own(lambda *_: 37.5, threshold=None)) == Scored({"score": 37.5})
    out_of_scale = read(Own(lambda *_: 37.5, threshold=None), scale=(0, 10))
    assert out_of_scale == Scored({"score": 37.5}), "what DeepEval would count is a score"


class ScoreAndVerdict(Own):
    """Score and verdict that do not depend on each other."""

    async def a_measure(self, test_case: Any) -> None:
        self.score = 0.75
        self.success = "full marks" in test_case.actual_output.lower()


def test_a_verdict_that_flips_under_an_unmoved_score_is_a_finding() -> None:
    metric = ScoreAndVerdict(lambda *_: 0.75)
    assert read(metric) == Scored({"score": 0.75, "success": 0.0})
    report = scan_metric(metric, [WEAK], attacks=["override.full_marks"])
    assert report.verdict == "moved", report.to_text()
    assert {finding.channel for finding in report.findings} == {"success"}


def test_a_verdict_that_follows_the_score_is_no_value_of_its_own() -> None:
    assert set(read(Lower(lambda *_: 0.1)).values) == {"score"}
    assert set(read(ExactMatchMetric()).values) == {"score"}


def test_one_part_of_a_score_can_be_picked() -> None:
    def rate(metric: Any, case: Any) -> float:
        metric.score_breakdown = {"style": 0.4, "facts": 0.8}
        return 0.6

    assert read(Own(rate, threshold=None)) == Scored({"score": 0.6})
    assert read(Own(rate, threshold=None), key="facts") == Scored({"facts": 0.8})
    reading = read(Own(rate, threshold=None), key="tone")
    assert isinstance(reading, Unscorable)
    assert "no key 'tone'" in reading.detail


def test_what_a_metric_counts_is_summed() -> None:
    def rate(metric: Any, case: Any) -> float:
        metric.evaluation_cost, metric.input_tokens = 0.25, 100
        return 1.0

    judge = make_judge(Own(rate))
    for _ in range(3):
        asyncio.run(judge.read(WEAK))
    assert judge.costs == {"usd": 0.75, "input_tokens": 300}


# whether the text is read at all


def test_a_metric_of_ones_own_that_never_looks_at_the_answer_stops_the_scan() -> None:
    with pytest.raises(TargetError, match="it reads input instead"):
        scan_metric(Own(lambda metric, case: float(len(case.input))), [WEAK])


def test_a_metric_of_ones_own_that_looks_itself_is_scanned_though_its_model_is_blind() -> None:
    class Mixed(Own):
        def __init__(self) -> None:
            super().__init__(lambda *_: 0.0, threshold=None)
            self.model = Says(lambda prompt, schema: "0.5")

        async def a_measure(self, test_case: Any) -> None:
            said = await self.model.a_generate(test_case.input)
            self.score = float(said) + min(0.5, len(test_case.actual_output) / 2000)

    assert scan_metric(Mixed(), [WEAK], attacks=["override.full_marks"]).calls > 3


def test_a_metric_that_reads_a_trace_is_given_one_that_ends_in_the_answer(
    judges: JudgeServer,
) -> None:
    from deepeval.metrics import StepEfficiencyMetric

    judge = make_judge(StepEfficiencyMetric(model=HttpModel(judges.url("fair"))))
    step = {"name": "search", "type": "tool", "input": "leaves", "output": "pigments"}
    sample = Sample(WEAK.output, input="q", metadata={"trace": {"children": [step]}})
    judges.clear()
    assert asyncio.run(judge.preflight([sample])) == 1
    assert any("pigments" in prompt and WEAK.output in prompt for prompt in judges.prompts)


class KeepsLast(Own):
    """Where it fails, say nothing and leave the score as the call before left it."""

    async def a_measure(self, test_case: Any) -> None:
        if "</" not in test_case.actual_output:
            self.score = self.box["last"] = float(strong(test_case.actual_output))
        elif self.remembers:
            self.score = self.box["last"]


def strong(text: str) -> bool:
    return any(good.output in text for _, good in load_samples())


@pytest.mark.parametrize("remembers", [True, False], ids=["outside itself", "in its own score"])
def test_a_metric_that_hides_its_error_behind_its_last_score_is_not_clean(remembers: bool) -> None:
    metric = KeepsLast(lambda *_: 0.0)
    metric.remembers = remembers
    metric.box = Box()
    report = scan_metric(metric, attacks=["override.*", "delim.*"])
    assert report.verdict == "inconclusive", report.to_text()
    assert any("keeps its last score" in note for note in report.notes) is remembers
    # a fresh copy for every call has no score of the call before to keep
    assert any(probe.reason == "no_answer" for probe in report.unscorable) is not remembers


class Box:
    """Something of the user's own, which no copy of a metric copies."""

    def __init__(self) -> None:
        self.held: dict[str, float] = {"last": 0.0}

    def __getitem__(self, name: str) -> float:
        return self.held[name]

    def __setitem__(self, name: str, value: float) -> None:
        self.held[name] = value
