"""The contract of every adapter, kept by Inspect AI's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, model_graded_qa, scorer
from inspect_ai.solver import TaskState

import unbudged
from contract import WITH_JUDGE, WITHOUT_JUDGE, Subject, name_of
from judge_server import JudgeServer
from unbudged.adapters import inspect_ai as adapter
from unbudged.adapters.extras import EXTRAS

CONFIG = GenerateConfig(max_retries=0, timeout=2, attempt_timeout=2)


def grader(url: str) -> Model:
    return get_model(
        "openai/judge", base_url=url, api_key="none", config=CONFIG, memoize=False,
        responses_api=False,
    )  # fmt: skip


def judged(url: str, **given: Any) -> Scorer:
    return model_graded_qa(model=grader(url), **given)


@scorer(metrics=[mean()])
def length() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=len(state.output.completion))

    return score


def recording() -> tuple[Scorer, list[str]]:
    seen: list[str] = []

    @scorer(metrics=[mean()])
    def note() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            assert state.messages[-1].text == state.output.completion
            seen.append(state.output.completion)
            return Score(value=0.5)

        return score

    return note(), seen


def doing(answer: Callable[[TaskState], Any]) -> Callable[[], Scorer]:
    @scorer(metrics=[mean()])
    def made() -> Scorer:
        async def score(state: TaskState, target: Target) -> Any:
            return answer(state)

        return score

    return made


def raising(error: BaseException) -> Callable[[], Scorer]:
    def fail(state: TaskState) -> Any:
        raise error

    return doing(lambda state: (state.output, fail(state)))


def giving(value: Any, **more: Any) -> Callable[[], Scorer]:
    return doing(lambda state: (state.output, Score(value=value, **more))[1])


def returning(value: Any) -> Callable[[], Scorer]:
    return doing(lambda state: (state.output, value)[1])


FAILING: dict[str, Callable[[], Any]] = {
    "raises ValueError": raising(ValueError("over\ntwo lines")),
    "raises IndexError": raising(IndexError("list index out of range")),
    "raises TimeoutError": raising(TimeoutError()),
    "leaves Python": raising(SystemExit(3)),
    "returns None": returning(None),
    "returns a bare number": returning(0.5),
    "returns a coroutine": doing(lambda state: (state.output, _later())[1]),
    "scores nan": giving(float("nan")),
    "scores inf": giving(float("inf")),
    "scores N": giving("N"),
    "scores an unknown word": giving("maybe"),
    "scores a letter off the scale": giving("B"),
    "scores an empty dict": giving({}),
    "scores a dict with None": giving({"truth": 1.0, "style": None}),
    "scores a dict with nan": giving({"truth": 1.0, "style": float("nan")}),
    "leaves itself unscored": doing(
        lambda state: (state.output, Score.unscored(reason="grader_failed", explanation="a\nb"))[1]
    ),
    "gives a number its grader failed at": giving(1.0, reason="grader_failed"),
}


class _later:
    """Something awaitable that nobody awaited."""

    def __await__(self) -> Any:
        yield


SUBJECT = Subject(
    extra="inspect",
    adapter=adapter,
    scan=adapter.scan_scorer,
    judged=judged,
    by_length=length,
    recording=recording,
    failing=FAILING,
    alone="""
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import model_graded_qa
target = model_graded_qa(model=get_model(
    "openai/judge", base_url=BASE_URL, api_key="none", responses_api=False,
    config=GenerateConfig(max_retries=0, timeout=5),
))
""",
    blind=lambda url: judged(
        url, template="Is this a good question: {question}\n{instructions}"
    ),
    blind_reads="input",
)


@pytest.mark.parametrize("check", WITHOUT_JUDGE, ids=name_of)
def test_contract(check: Callable[[Subject], None]) -> None:
    check(SUBJECT)


@pytest.mark.parametrize("check", WITH_JUDGE, ids=name_of)
def test_contract_with_a_judge(
    check: Callable[[Subject, JudgeServer], None], judge_server: JudgeServer
) -> None:
    judge_server.delay = 4.0
    check(SUBJECT, judge_server)


def test_run_takes_a_scorer_and_the_function_that_makes_one() -> None:
    for target in (length(), length):
        report = unbudged.run(target, ["an answer", "another answer of more words"])
        assert report.target.endswith("length")
        assert report.versions["inspect_ai"]
        assert report.verdict == "held", report.to_text()


def test_the_example_runs_and_tells_the_graders_apart() -> None:
    folder = Path(__file__).resolve().parent
    done = subprocess.run(
        [sys.executable, folder / "example.py"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "unbudged_mock/gullible: moved, largest excess 1",
        "unbudged_mock/fair: held, largest excess 0",
    ]


def test_the_floor_is_the_one_the_extra_names() -> None:
    floor = Path(__file__).with_name("floor.txt").read_text().split()
    assert f"inspect-ai=={EXTRAS['inspect'].floor}" in floor
