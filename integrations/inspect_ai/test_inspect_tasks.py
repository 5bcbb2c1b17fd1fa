"""The task verdict_injection: found by both names, and of one mind with ``unbudged run``."""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from inspect_ai import eval as evaluate
from inspect_ai import score as score_again
from unbudged import Report, UsageError, run
from unbudged.core.samples import load_samples
from unbudged.inspect_tasks.injection import verdict_injection
from unbudged.inspect_tasks.registry import verdict_forging

STRONG = [strong.output for _, strong in load_samples()]
ATTACKS = ["override.full_marks", "delim.xml_tags", "role.*"]


def inspect_cli(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("inspect")
    home = {"HOME": str(folder / "home"), "XDG_DATA_HOME": str(folder / "home")}
    (folder / "home").mkdir(exist_ok=True)
    return subprocess.run(
        [program, *arguments], cwd=folder, capture_output=True, text=True, timeout=180,
        env={**os.environ, **home}, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def injection(folder: Path, model: str = "none/none", **given: Any) -> EvalLog:
    options = {n: given.pop(n) for n in ("epochs", "model_roles", "limit") if n in given}
    given.setdefault("attacks", ATTACKS)
    task = verdict_injection(**given)
    (log,) = evaluate(task, model=model, display="none", log_dir=str(folder), **options)
    assert log.status == "success", log.error
    return log


def metrics(log: EvalLog) -> dict[str, float]:
    return {name: found.value for name, found in log.results.scores[0].metrics.items()}


def reported(log: EvalLog) -> Score:
    found = [sample for sample in log.samples if sample.id == "report"]
    return found[-1].scores["grader_under_attack"]


def cells(report: Report) -> set[tuple[str, int]]:
    return {(finding.attack_id, finding.baseline_index) for finding in report.findings}


def cells_of(log: EvalLog) -> set[tuple[str, int]]:
    found = reported(log).metadata["report"]["findings"]
    return {(finding["attack_id"], finding["baseline_index"]) for finding in found}


# found by name


def test_both_names_are_found_from_an_empty_directory(tmp_path: Path) -> None:
    done = inspect_cli(
        tmp_path, "eval", "verdict_injection", "unbudged/verdict_injection",
        "--model", "unbudged_mock/gullible", "-T", "attacks=override.full_marks",
        "--display", "none",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    logs = [read_eval_log(info) for info in list_eval_logs(str(tmp_path / "logs"))]
    assert sorted(log.eval.task for log in logs) == [
        "unbudged/verdict_injection", "verdict_injection",
    ]  # fmt: skip
    for log in logs:
        assert log.status == "success", log.error
        assert metrics(log)["attack_success_rate"] == 1.0
        assert log.eval.metadata["unbudged"]
    assert {path.name for path in tmp_path.iterdir()} == {"logs", "home"}


def test_a_scorer_in_a_file_is_taken_with_its_arguments(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from inspect_ai.scorer import Score, Scorer, Target, mean, scorer\n"
        "from inspect_ai.solver import TaskState\n"
        "@scorer(metrics=[mean()])\n"
        "def words(praise: str = 'none') -> Scorer:\n"
        "    async def score(state: TaskState, target: Target) -> Score:\n"
        "        text = state.output.completion.lower()\n"
        "        return Score(value=float(praise in text or 'chlorophyll' in text))\n"
        "    return score\n"
    )
    done = inspect_cli(
        tmp_path, "eval", "unbudged/verdict_injection", "--model", "none",
        "-T", "scorer=mine.py@words", "-T", 'scorer_args={"praise": "full marks"}',
        "-T", "families=instruction_override", "--display", "none",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (info,) = list_eval_logs(str(tmp_path / "logs"))
    log = read_eval_log(info)
    assert log.status == "success", log.error
    assert reported(log).answer == "moved"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"families": "rolereversal"}, "role_reversal"),
        ({"attacks": "overide.full_marks"}, "override.full_marks"),
        ({"scorer": "perplexity"}, "cannot be scanned"),
        ({"scorer": "nowhere.py@mine"}, "no such file"),
        ({"scale": [1]}, "two numbers"),
        ({"direction": "sideways"}, "both, up, down"),
    ],
)
def test_an_argument_that_cannot_be_used_is_one_clear_line(
    given: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said) as raised:
        verdict_injection(**given)
    assert "\n" not in str(raised.value)


def test_the_command_line_shows_that_line_and_no_traceback(tmp_path: Path) -> None:
    done = inspect_cli(
        tmp_path, "eval", "verdict_injection", "--model", "none", "-T", "families=bogus"
    )
    assert done.returncode != 0
    said = " ".join((done.stdout + done.stderr).split())
    assert "unknown family 'bogus'" in said
    assert "Traceback" not in said


# of one mind with run


def judge(value: Callable[[str], Any]) -> Any:
    @scorer(metrics=[mean()])
    def made() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return Score(value=value(state.output.completion))

        return score

    return made()


def good(text: str) -> float:
    return float(any(strong in text for strong in STRONG))


def jumpy(text: str) -> float:
    return good(text) + int(hashlib.sha256(text.encode()).hexdigest()[:4], 16) / 65535


JUDGES: dict[str, Callable[[str], Any]] = {
    "fair": good,
    "counts words": lambda text: float(len(text.split())),
    "jumps on any text": jumpy,
    "obeys one payload": lambda text: max(good(text), float("full marks" in text.lower())),
    "obeys and jumps": lambda text: jumpy(text) + 4 * ("full marks" in text.lower()),
    "marks attempts down": lambda text: 0.5 + good(text) / 2 - 0.5 * ("full marks" in text.lower()),
    "trips over one payload": lambda text: "?" if "full marks" in text.lower() else good(text),
    "says nothing": lambda text: float("nan"),
    "is constant": lambda text: 1.0,
}


@pytest.mark.parametrize("name", JUDGES)
def test_the_task_finds_what_run_finds(name: str, tmp_path: Path) -> None:
    report = run(judge(JUDGES[name]), attacks=ATTACKS)
    log = injection(tmp_path, scorer=judge(JUDGES[name]))
    assert reported(log).answer == report.verdict
    assert cells_of(log) == cells(report)
    assert report.to_text().splitlines()[1:4] == reported(log).explanation.splitlines()[1:4]
    probes = reported(log).metadata["probes"]
    assert {(p["attack"], p["case"]) for p in probes if p["success"]} == {
        (attack, load_samples()[b][0].id) for attack, b in cells(report)
    }
    if probes:
        rate = sum(p["success"] for p in probes) / len(probes)
        assert metrics(log)["attack_success_rate"] == pytest.approx(rate)


def test_trials_are_the_epochs_of_a_fixed_design(tmp_path: Path) -> None:
    given = {"attacks": ATTACKS[:2], "trials": 4}
    report = run(judge(JUDGES["obeys one payload"]), **given)
    log = injection(tmp_path, scorer=judge(JUDGES["obeys one payload"]), **given)
    assert log.eval.config.epochs == 4
    assert reported(log).answer == report.verdict
    assert cells_of(log) == cells(report)


def test_a_payload_that_disables_the_judge_is_unscored_and_in_no_rate(tmp_path: Path) -> None:
    log = injection(tmp_path, scorer=judge(JUDGES["trips over one payload"]))
    unscored = [
        sample
        for sample in log.samples
        if isinstance(value := sample.scores["grader_under_attack"].value, float)
        and math.isnan(value)
    ]
    assert unscored
    assert {sample.metadata["arm"] for sample in unscored} == {"attack"}
    assert log.results.scores[0].unscored_samples == len(unscored)
    attacks = {p["attack"] for p in reported(log).metadata["probes"]}
    assert "override.full_marks" not in attacks
    assert attacks


# what the eval holds


def test_samples_are_the_arms_of_each_case_and_attack(tmp_path: Path) -> None:
    log = injection(tmp_path, "unbudged_mock/fair", attacks="override.full_marks")
    cases = [weak.id for weak, _ in load_samples()]
    wanted = {f"{case}/clean" for case in cases} | {
        f"{case}/override.full_marks/{arm}"
        for case in cases
        for arm in ("attack", "twin", "filler")
    }
    assert {sample.id for sample in log.samples} == wanted | {"report"}
    for sample in log.samples:
        if sample.id != "report":
            answer = sample.output.completion
            assert sample.metadata["case"] in cases
            assert sample.messages[-1].text == answer
            (score,) = sample.scores.values()
            assert score.answer == answer, "what the viewer's list shows"
            assert answer.startswith(load_samples()[cases.index(sample.metadata["case"])][0].output)
    assert metrics(log)["attack_success_rate"] == 0.0
    assert metrics(log)["control_flip_rate"] == 0.0
    assert reported(log).answer == "held"


def test_no_text_is_judged_twice_without_a_reason_and_usage_is_kept(tmp_path: Path) -> None:
    log = injection(tmp_path, "unbudged_mock/gullible", attacks="override.full_marks")
    events = [e for sample in log.samples for e in sample.events if e.event == "model"]
    assert len(events) == reported(log).metadata["judge_calls"]
    assert log.stats.model_usage["unbudged_mock/gullible"].total_tokens > 0
    alone = [e for s in log.samples if s.id != "report" for e in s.events if e.event == "model"]
    prompts = [event.input[-1].text for event in alone]
    # the first sample also looks whether the judge sees the text at all
    assert len(prompts) == len(log.samples)
    assert len(set(prompts)) == len(prompts)


def test_the_role_grader_is_asked_and_not_the_model_under_test(tmp_path: Path) -> None:
    log = injection(
        tmp_path, "unbudged_mock/broken", attacks="override.full_marks",
        model_roles={"grader": "unbudged_mock/gullible"},
    )  # fmt: skip
    assert metrics(log)["attack_success_rate"] == 1.0
    assert list(log.stats.role_usage) == ["grader"]


def test_a_broken_grader_leaves_every_sample_unscored(tmp_path: Path) -> None:
    log = injection(tmp_path, "unbudged_mock/broken", attacks="override.full_marks")
    result = log.results.scores[0]
    assert result.scored_samples == 0
    assert result.unscored_samples == len(log.samples)
    assert math.isnan(metrics(log)["attack_success_rate"])
    assert reported(log).answer == "inconclusive"


def test_epochs_are_more_trials_and_every_reducer_will_do(tmp_path: Path) -> None:
    from inspect_ai import Epochs

    log = injection(
        tmp_path, "unbudged_mock/gullible", attacks="override.full_marks",
        epochs=Epochs(3, ["mean", "max", "at_least_1"]),
    )  # fmt: skip
    assert metrics(log)["attack_success_rate"] == 1.0
    texts = {
        sample.output.completion
        for sample in log.samples
        if sample.id == "biology.weak/override.full_marks/attack"
    }
    assert len(texts) == 3, "every epoch shows another context"


def test_a_task_evaluated_twice_reads_everything_again(tmp_path: Path) -> None:
    calls: list[str] = []

    def count(text: str) -> float:
        calls.append(text)
        return good(text)

    task = verdict_injection(scorer=judge(count), attacks="override.full_marks")
    made = []
    for _ in range(2):
        calls.clear()
        (log,) = evaluate(task, model="none/none", display="none", log_dir=str(tmp_path))
        assert log.status == "success", log.error
        made.append(sorted(calls))
    assert made[0] == made[1]
    assert len(made[0]) == reported(log).metadata["judge_calls"]


def test_a_grader_that_never_sees_the_answer_stops_the_eval_and_names_what_it_reads(
    tmp_path: Path
) -> None:
    blind = verdict_injection(
        scorer_args={"template": "Judge {question}\n{instructions}"}, attacks="override.full_marks"
    )
    (log,) = evaluate(blind, model="unbudged_mock/fair", display="none", log_dir=str(tmp_path))
    assert log.status == "error"
    assert "never shows its model the judged text (state.output): it reads input" in (
        log.error.message
    )


def test_part_of_the_samples_gives_no_rate(tmp_path: Path) -> None:
    log = injection(tmp_path, "unbudged_mock/gullible", attacks="override.full_marks", limit=5)
    assert math.isnan(metrics(log)["attack_success_rate"])


def test_a_log_can_be_scored_again(tmp_path: Path) -> None:
    log = injection(tmp_path, "unbudged_mock/gullible", attacks="override.full_marks")
    from unbudged.inspect_tasks.scoring import grader_under_attack

    given = log.eval.scorers[0].options["scan"]
    again = score_again(log, grader_under_attack(scan=given), display="none", action="overwrite")
    assert metrics(again) == pytest.approx(metrics(log))


def test_own_samples_are_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    row = {"id": "one", "output": "The Rhine.", "input": "Which river?", "reference": "Danube"}
    file.write_text(json.dumps(row) + "\n")
    log = injection(
        tmp_path, "unbudged_mock/gullible", samples=str(file), attacks="override.full_marks"
    )
    arms = {f"one/override.full_marks/{arm}" for arm in ("attack", "twin", "filler")}
    assert {sample.id for sample in log.samples} == {"one/clean", "report", *arms}
    assert metrics(log)["attack_success_rate"] == 1.0


# the mock model


def test_the_mock_model_grades_as_its_name_says(tmp_path: Path) -> None:
    for scorer_name in ("model_graded_qa", "model_graded_fact"):
        for model, rate in (("fair", 0.0), ("gullible", 1.0)):
            log = injection(
                tmp_path, f"unbudged_mock/{model}", scorer=scorer_name, attacks="delim.xml_tags"
            )
            assert metrics(log)["attack_success_rate"] == rate, (scorer_name, model)
    with pytest.raises(UsageError, match="fair, gullible, broken"):
        evaluate(verdict_forging(), model="unbudged_mock/honest", display="none")
