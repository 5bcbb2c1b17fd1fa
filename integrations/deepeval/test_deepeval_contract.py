"""The contract of every adapter, kept by DeepEval's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from deepeval.metrics import BaseMetric, ContextualRecallMetric, GEval
from deepeval.test_case import SingleTurnParams
from models import HttpModel

import contract
from contract import WITH_JUDGE, WITHOUT_JUDGE, Subject, name_of
from deepeval.models import LocalModel
from judge_server import JudgeServer
from unbudged import run
from unbudged.adapters import deepeval as adapter

PARAMS = [SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT]


class Plain(BaseMetric):
    """A metric of the user's own that asks no judge; ``rate`` says what it does."""

    def __init__(self, rate: Callable[[Plain, Any], Any], threshold: float = 0.5) -> None:
        self.rate, self.threshold = rate, threshold

    async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> Any:
        return self.measure(test_case)

    def measure(self, test_case: Any, *args: Any, **kwargs: Any) -> Any:
        self.score = self.rate(self, test_case)
        self.success = self.is_successful()
        return self.score

    def is_successful(self) -> bool:
        return self.score is not None and self.score >= self.threshold

    @property
    def __name__(self) -> str:
        return "Plain"


class SetsNothing(BaseMetric):
    async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float:
        return 0.9


def geval(model: Any, **options: Any) -> GEval:
    given = {"evaluation_steps": ["Compare the answer with the question."], **options}
    return GEval(name="Sound", evaluation_params=PARAMS, model=model, **given)


def native(url: str) -> LocalModel:
    return LocalModel(model="judge", base_url=url, api_key="none")


def by_length() -> Plain:
    return Plain(lambda self, case: len(case.actual_output) / 1000)


def recording() -> tuple[Plain, list[str]]:
    seen: list[str] = []

    def note(self: Plain, case: Any) -> float:
        seen.append(case.actual_output)
        return 0.5

    return Plain(note), seen


def raising(error: BaseException) -> Callable[[], Plain]:
    def fail(self: Plain, case: Any) -> float:
        raise error

    return lambda: Plain(fail)


def returning(value: Any) -> Callable[[], Any]:
    return lambda: SetsScore(value)


class SetsScore(Plain):
    """A metric that leaves a score of any kind and does not look at it."""

    def __init__(self, value: Any) -> None:
        super().__init__(lambda self, case: value)

    def is_successful(self) -> bool:
        return False


def leaving(name: str, value: Any) -> Callable[[], Plain]:
    def leave(self: Plain, case: Any) -> float:
        setattr(self, name, value)
        return 1.0

    return lambda: Plain(leave)


FAILING: dict[str, Callable[[], Any]] = {
    "raises ValueError": raising(ValueError("over\ntwo lines")),
    "raises KeyError": raising(KeyError("verdicts")),
    "raises TimeoutError": raising(TimeoutError()),
    "leaves Python": raising(SystemExit(3)),
    "sets error": leaving("error", "the judge\ncould not be read"),
    "sets skipped": leaving("skipped", True),
    "scores None": returning(None),
    "scores nan": returning(float("nan")),
    "scores inf": returning(float("inf")),
    "scores text": returning("yes"),
    "scores a list": returning([1.0]),
    "scores an empty dict": returning({}),
    "returns a score it does not keep": SetsNothing,
}

SUBJECT = Subject(
    extra="deepeval",
    adapter=adapter,
    scan=adapter.scan_metric,
    judged=lambda url: geval(HttpModel(url)),
    by_length=by_length,
    recording=recording,
    failing=FAILING,
    alone="""
from unbudged.adapters import deepeval as _
from deepeval.metrics import GEval
from deepeval.models import LocalModel
from deepeval.test_case import SingleTurnParams
target = GEval(
    name="Sound", evaluation_steps=["Compare the answer with the question."],
    evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT],
    model=LocalModel(model="judge", base_url=BASE_URL, api_key="none"),
)
""",
    blind=lambda url: ContextualRecallMetric(model=HttpModel(url)),
    blind_reads="retrieval_context",
)


@pytest.mark.parametrize("check", WITHOUT_JUDGE, ids=name_of)
def test_the_adapter_keeps_the_contract(check: Any) -> None:
    check(SUBJECT)


@pytest.mark.parametrize("check", WITH_JUDGE, ids=name_of)
def test_the_adapter_keeps_the_contract_with_a_judge(check: Any, judges: JudgeServer) -> None:
    check(SUBJECT, judges)


def test_run_finds_the_adapter_and_says_which_deepeval_it_was(judges: JudgeServer) -> None:
    report = run(geval(HttpModel(judges.url("fair"))), attacks=["override.full_marks"])
    assert report.verdict == "held", report.to_text()
    assert report.versions["deepeval"].count(".") == 2
    assert report.costs["model_calls"] >= report.calls
    assert report.baseline_count == 4, "the built-in samples are used"


@pytest.mark.parametrize(("persona", "verdict"), [("fair", "held"), ("gullible", "moved")])
def test_a_model_that_deepeval_ships_is_scanned_too(
    judges: JudgeServer, persona: str, verdict: str
) -> None:
    report = SUBJECT.report(geval(native(judges.url(persona))))
    assert report.verdict == verdict, report.to_text()


@pytest.mark.parametrize("persona", ["garbage", "empty", "refusing", "wrong_schema", "cut"])
def test_a_model_that_deepeval_ships_and_that_fails_is_unscorable(
    judges: JudgeServer, persona: str
) -> None:
    subject = replace(SUBJECT, judged=lambda url: geval(native(url)))
    contract.a_judge_of_this_persona_is_unscorable(subject, judges, persona)


def test_a_rate_limit_is_named_and_not_the_retry_around_it(judges: JudgeServer) -> None:
    judge = SUBJECT.judge(geval(native(judges.url("rate_limited"))))
    reading = contract._read(judge, SUBJECT.weak)
    assert "RateLimitError" in reading.detail, reading
    assert "RetryError" not in reading.detail, reading


def test_deepeval_imported_first_still_reports_nothing_home(judges: JudgeServer) -> None:
    first = replace(SUBJECT, alone=SUBJECT.alone.split("\n", 2)[2])
    assert first.alone.startswith("from deepeval")
    trace = contract.scan_alone(first, judges.url("fair"))
    assert trace.verdict == "held", trace
    assert trace.stdout == ""
    import deepeval

    if int(deepeval.__version__.split(".")[0]) >= 4:  # before, the import itself goes online
        assert set(trace.hosts) <= {f"127.0.0.1:{judges.port}"}, trace.hosts
        assert trace.files == []
