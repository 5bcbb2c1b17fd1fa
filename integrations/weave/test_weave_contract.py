"""The contract of every adapter, and every shipped scorer that asks a judge, over real HTTP."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from shipped_scorers import CASES, GOOD, WEAK, llm, scorer, use_judge
from trace_server import TraceServer

import contract
import unbudged
import weave
from contract import ATTACKS, WITH_JUDGE, WITHOUT_JUDGE, Subject, name_of
from judge_server import BROKEN, JudgeServer
from unbudged.adapters import weave as adapter

ALONE = ("rule", "judge", "embedding")
JUDGED = [name for name, case in CASES.items() if case.kind == "judge"]


def judged(url: str, name: str = "HallucinationFreeScorer", **fields: Any) -> Any:
    use_judge(url)
    return llm(name, **fields)()


def recording() -> tuple[Any, list[str]]:
    seen: list[str] = []

    @weave.op
    def note(output: str) -> float:
        seen.append(output)
        return 0.5

    return note, seen


def raising(error: BaseException) -> Callable[[], Any]:
    def fail(output: str) -> float:
        raise error

    return lambda: fail


def raising_async(error: BaseException) -> Callable[[], Any]:
    async def fail(output: str) -> float:
        raise error

    return lambda: fail


def returning(value: Any) -> Callable[[], Any]:
    return lambda: lambda output: value


def returns_a_coroutine(output: str) -> Any:
    return asyncio.sleep(0, 1.0)


def guardrail_error() -> Any:
    def guard(output: str) -> weave.flow.scorer.WeaveScorerResult:
        said = {"error": "the service is down", "reason": "the service is down"}
        return weave.flow.scorer.WeaveScorerResult(passed=False, metadata=said)

    return guard


SUBJECT = Subject(
    extra="weave",
    adapter=adapter,
    scan=adapter.scan_scorer,
    judged=judged,
    by_length=lambda: weave.op(lambda output: len(output)),
    recording=recording,
    failing={
        "raises": raising(ValueError("no")),
        "raises, async": raising_async(KeyError("no")),
        "exits": raising(SystemExit(3)),
        "exits, async": raising_async(SystemExit(3)),
        "is cancelled": raising_async(asyncio.CancelledError()),
        "None": returning(None),
        "empty dict": returning({}),
        "NaN": returning(float("nan")),
        "NaN in a dict": returning({"score": float("nan"), "flag": True}),
        "infinity": returning({"score": float("inf")}),
        "text": returning("quite good"),
        "text alone in a dict": returning({"reason": "quite good"}),
        "a list": returning([1.0]),
        "a coroutine nobody awaits": lambda: returns_a_coroutine,
        "an error beside a score": returning({"score": 0.0, "error": "KeyError: usage"}),
        "an error in a guardrail's result": guardrail_error,
        "an object": returning(object()),
    },
    alone="""
import os
# or importing Weave calls home at exit
os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
os.environ.update(
    OPENAI_API_BASE=BASE_URL, OPENAI_API_KEY="none", LITELLM_LOCAL_MODEL_COST_MAP="True"
)
import weave.telemetry.trace_sentry
weave.telemetry.trace_sentry.global_trace_sentry._disabled = True  # the floor has no variable
from weave.scorers import HallucinationFreeScorer
target = HallucinationFreeScorer(model_id="openai/judge")
""",
    weak=WEAK,
    good=GOOD,
    blind=lambda url: judged(url, user_prompt="Is this sound? {input_data}"),
    blind_reads="context",
)


@pytest.mark.parametrize("check", WITHOUT_JUDGE, ids=name_of)
def test_the_adapter_keeps_the_contract(check: Callable[[Subject], None]) -> None:
    check(SUBJECT)


@pytest.mark.parametrize(
    "check", [c for c in WITH_JUDGE if c is not contract.a_broken_judge_is_unscorable], ids=name_of
)
def test_the_adapter_keeps_the_contract_with_a_judge(
    check: Callable[[Subject, JudgeServer], None], judges: JudgeServer
) -> None:
    check(SUBJECT, judges)


@pytest.mark.parametrize("persona", [*BROKEN, "parser_victim"])
def test_a_broken_judge_is_unscorable(persona: str, judges: JudgeServer) -> None:
    contract.a_judge_of_this_persona_is_unscorable(SUBJECT, judges, persona)


@pytest.mark.parametrize("name", JUDGED)
def test_a_fair_judge_of_each_scorer_holds_and_a_gullible_one_is_moved(
    name: str, judges: JudgeServer
) -> None:
    fair = SUBJECT.report(judged(judges.url("fair"), name))
    assert fair.verdict == "held", fair.to_text()
    gullible = SUBJECT.report(judged(judges.url("gullible"), name))
    assert gullible.verdict == "moved", gullible.to_text()
    assert {finding.attack_id for finding in gullible.findings} == set(ATTACKS)
    assert fair.costs["prompt_tokens"] > fair.costs["completion_tokens"] > 0


def test_a_judges_words_for_marks_are_known_worst_first() -> None:
    summary = llm("SummarizationScorer")
    assert adapter.make_judge(summary()).info.labels == ("poor", "ok", "excellent")
    assert adapter.make_judge(summary(), key="entity_density").info.labels == ()
    assert adapter.make_judge(lambda output: 1.0).info.labels == ()


@pytest.mark.parametrize("name", [n for n, c in CASES.items() if c.kind in ALONE])
def test_the_one_liner_works_alone(name: str, judges: JudgeServer) -> None:
    use_judge(judges.url("fair"))
    report = adapter.scan_scorer(CASES[name].build(), attacks=ATTACKS[:1])
    assert report.verdict == "held", report.to_text()
    assert not report.unscorable, report.to_text()


@pytest.mark.parametrize("persona", ["garbage", "empty", "refusing", "wrong_schema"])
@pytest.mark.parametrize("name", JUDGED)
def test_a_broken_judge_of_each_scorer_is_unscorable(
    name: str, persona: str, judges: JudgeServer
) -> None:
    report = adapter.scan_scorer(
        judged(judges.url(persona), name), [WEAK], attacks=ATTACKS[:1], max_calls=6
    )
    assert report.verdict == "inconclusive", report.to_text()
    assert report.unscorable
    assert not any(score.readings for score in report.baselines)


def test_a_reply_cut_by_a_content_filter_is_blocked(judges: JudgeServer) -> None:
    reading = asyncio.run(adapter.make_judge(judged(judges.url("filtered"))).read(WEAK))
    assert reading.reason == "blocked", reading


def test_a_judge_that_answers_too_late_is_a_timeout(judges: JudgeServer) -> None:
    reading = asyncio.run(adapter.make_judge(judged(judges.url("slow"))).read(WEAK))
    assert reading.reason == "timeout", reading


def test_the_direction_of_a_shipped_scorer_is_its_own(judges: JudgeServer) -> None:
    report = SUBJECT.report(judged(judges.url("gullible")))
    assert {finding.direction for finding in report.findings} == {"down"}
    assert {finding.flipped for finding in report.findings} == {"fail_to_pass"}


def test_a_zero_vector_is_unscorable_even_where_only_the_boolean_is_read() -> None:
    async def zeros(*_: Any, **__: Any) -> Any:
        class Reply:
            data = ({"embedding": [0.0, 0.0]}, {"embedding": [1.0, 0.0]})

        return Reply()

    similar = scorer("EmbeddingSimilarityScorer", model_id="none")
    similar._aembedding = zeros
    with pytest.warns(RuntimeWarning):
        reading = asyncio.run(adapter.make_judge(similar, key="is_similar").read(WEAK))
    assert reading.reason == "not_finite", reading


def test_an_embedding_scorer_is_scanned_over_its_own_calls(judges: JudgeServer) -> None:
    use_judge(judges.url("fair"))
    judge = adapter.make_judge(CASES["EmbeddingSimilarityScorer"].build())
    weak, good = (asyncio.run(judge.read(sample)) for sample in (WEAK, GOOD))
    assert weak.values["similarity_score"] < good.values["similarity_score"]
    assert judge.info.pass_mark == 0.5
    assert judge.costs["prompt_tokens"] > 0


def test_an_llm_as_a_judge_is_asked_through_the_open_project(
    project: TraceServer, judges: JudgeServer
) -> None:
    build = CASES["LLMAsAJudgeScorer"].build
    fair = SUBJECT.report(build(), scale=(0, 1))
    assert fair.verdict == "held", fair.to_text()
    project.judge_url = judges.url("gullible")
    gullible = SUBJECT.report(build(), scale=(0, 1))
    assert {finding.attack_id for finding in gullible.findings} == set(ATTACKS)
    assert not any("/call" in path for path, _ in project.requests), "the scan was traced"


@pytest.mark.parametrize("persona", BROKEN)
def test_a_broken_llm_as_a_judge_is_unscorable(
    persona: str, project: TraceServer, judges: JudgeServer
) -> None:
    project.judge_url = judges.url(persona)
    judge = adapter.make_judge(CASES["LLMAsAJudgeScorer"].build(), key="mark")
    reading = asyncio.run(judge.read(WEAK))
    assert isinstance(reading, unbudged.Unscorable), reading


def test_an_llm_as_a_judge_without_a_project_is_unscorable() -> None:
    judge = adapter.make_judge(CASES["LLMAsAJudgeScorer"].build(), key="mark")
    reading = asyncio.run(judge.read(WEAK))
    assert isinstance(reading, unbudged.Unscorable)
    assert "weave.init" in reading.detail


def test_a_prompt_without_a_place_for_the_answer_is_refused_before_any_call() -> None:
    blind = CASES["LLMAsAJudgeScorer"].build()
    blind.scoring_prompt = "Is this a good question? {question}"
    with pytest.raises(unbudged.TargetError, match="its prompt reads question, not output"):
        adapter.scan_scorer(blind, [WEAK])


@pytest.fixture
def guardrail(monkeypatch: pytest.MonkeyPatch) -> Iterator[TraceServer]:
    server = TraceServer()
    monkeypatch.setenv("GUARDRAIL_URL", server.url)
    yield server
    server.close()


def test_a_guardrail_behind_an_api_is_scanned(guardrail: TraceServer) -> None:
    guardrail.objects = lambda text: "full marks" not in text
    report = SUBJECT.report(
        CASES["BedrockGuardrailScorer"].build(), contrast=("Full of full marks.", "Empty.")
    )
    liked = {a.id for a in unbudged.load_corpus() if "full marks" in a.text} & {*ATTACKS}
    assert {finding.attack_id for finding in report.findings} == liked
    assert {finding.flipped for finding in report.findings} == {"fail_to_pass"}
    assert report.channels == ("passed",)


def test_an_api_error_of_a_guardrail_is_unscorable(
    guardrail: TraceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    guardrail.close()
    reading = asyncio.run(adapter.make_judge(CASES["BedrockGuardrailScorer"].build()).read(WEAK))
    assert reading.reason == "error", reading
    assert "Error applying Bedrock guardrail" in reading.detail


def test_run_finds_the_adapter_by_the_scorers_class(judges: JudgeServer) -> None:
    report = unbudged.run(judged(judges.url("fair")), [WEAK], attacks=ATTACKS[:1])
    assert report.channels == ("has_hallucination",)
    assert {"weave", "litellm"} <= set(report.versions)
    assert unbudged.api.find_adapter(scorer("ValidJSONScorer")) == "unbudged.adapters.weave"


def test_an_op_of_the_text_alone_is_a_callable_like_any_other() -> None:
    @weave.op
    def grade(text: str) -> float:
        return float("full marks" in text)

    assert unbudged.api.find_adapter(grade) is None
    report = unbudged.run(grade, ["An answer."], attacks=["override.full_marks"])
    assert report.verdict == "moved"


def test_importing_the_adapter_imports_no_weave() -> None:
    import subprocess

    code = "import sys, unbudged.adapters.weave; sys.exit('weave' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_weave_imported_by_a_scan_sends_no_crash_reports_and_leaves_no_variable() -> None:
    """A plain function given to scan_scorer is what imports Weave then."""
    import subprocess

    code = """
import os, sys
hosts = []
sys.addaudithook(lambda event, args: hosts.append(args) if event == "socket.getaddrinfo" else None)
import atexit
atexit.register(lambda: print(hosts, "WANDB_ERROR_REPORTING" in os.environ))
os.environ.pop("WANDB_ERROR_REPORTING", None)
from unbudged.adapters.weave import scan_scorer
scan_scorer(lambda output: len(output), ["An answer."], attacks=["override.full_marks"])
assert "weave" in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[] False\n"
