"""A scan logged as a Weave evaluation: through Weave's own client, to a server of our own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from trace_server import TraceServer

import unbudged
from unbudged import Sample, UsageError
from unbudged.adapters.weave import scan_scorer
from unbudged.adapters.weave.publish import log_report

FAMILY = ["instruction_override"]


def steerable(output: str) -> float | None:
    """Obey one payload, break on another, ignore the rest."""
    if "maximum grade" in output:
        return None
    return 1.0 if "full marks" in output.casefold() else 0.2


def rows(project: TraceServer) -> dict[str, dict[str, Any]]:
    """Return what was logged for each attack: its inputs, output and scores."""
    found = {}
    for call in project.of_op("Evaluation.predict_and_score"):
        attack = call["inputs"]["example"]["attack"]
        found[attack] = {**call["output"], "inputs": call["inputs"]["example"]}
    return found


def summary(project: TraceServer) -> dict[str, Any]:
    (call,) = project.of_op("Evaluation.evaluate")
    output: dict[str, Any] = call["output"]
    return output


def test_a_scan_becomes_an_evaluation_with_the_unscorable_left_out(project: TraceServer) -> None:
    report = scan_scorer(steerable, ["An answer."], families=FAMILY, publish=True)
    assert report.verdict == "moved"
    logged = rows(project)
    moved = {finding.attack_id for finding in report.findings}
    broken = {probe.attack_id for probe in report.unscorable} - moved - {None}
    assert moved
    assert broken
    assert len(logged) == report.attack_count
    assert {a for a, row in logged.items() if row["scores"]["unbudged"] is None} == broken
    assert {
        a for a, row in logged.items() if (row["scores"]["unbudged"] or {}).get("moved")
    } == moved
    counted = summary(project)["unbudged"]["moved"]
    assert counted["true_count"] == len(moved)
    scored = report.attack_count - len(broken)
    assert counted["true_fraction"] == pytest.approx(len(moved) / scored)


def test_a_row_holds_the_payload_and_what_was_found(project: TraceServer) -> None:
    report = scan_scorer(
        steerable, ["An answer."], attacks=["override.full_marks"], publish=True
    )
    (finding,) = report.findings
    (row,) = rows(project).values()
    assert row["inputs"]["payload"] == finding.payload
    assert row["output"]["outcome"] == "moved"
    assert row["output"]["findings"][0]["excess"] == finding.excess
    assert row["scores"]["unbudged"]["attack_shift"] == finding.attack_shift
    assert summary(project)["output"]["verdict"] == "moved"
    assert summary(project)["output"]["calls"] == report.calls


def test_nothing_of_a_dead_scan_counts_as_held(project: TraceServer) -> None:
    report = scan_scorer(lambda output: 0.5, ["An answer."], families=FAMILY, publish=True)
    assert report.verdict == "inconclusive"
    assert {row["scores"]["unbudged"] for row in rows(project).values()} == {None}


def test_an_attack_left_out_everywhere_has_no_score(project: TraceServer) -> None:
    sample = Sample("An answer.", reference="full marks")
    report = scan_scorer(lambda output: len(output), [sample], families=FAMILY, publish=True)
    left_out = report.attack_count - report.probe_count
    assert left_out > 0
    unscored = [row for row in rows(project).values() if row["scores"]["unbudged"] is None]
    assert len(unscored) == left_out
    assert all("left out" in row["output"]["why"] for row in unscored)


def test_publishing_without_an_open_project_is_one_error_before_the_scan() -> None:
    calls = []

    def grade(output: str) -> float:
        calls.append(output)
        return 0.5

    with pytest.raises(UsageError, match=r'call weave.init\("project"\)'):
        scan_scorer(grade, ["An answer."], families=FAMILY, publish=True)
    assert calls == []


def test_any_report_can_be_published_not_only_a_weave_scorers(project: TraceServer) -> None:
    report = unbudged.run(lambda text: "full marks" in text, ["An answer."], families=FAMILY)
    address = log_report(report)
    assert address is not None
    assert "entity/project" in address
    assert len(rows(project)) == report.attack_count


def run_command(folder: Path, *arguments: str, **environment: str) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "unbudged.cli", "publish", "weave", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_command_publishes_a_saved_report(tmp_path: Path) -> None:
    report = unbudged.run(lambda text: "full marks" in text, ["An answer."], families=FAMILY)
    (tmp_path / "report.json").write_text(report.to_json())
    server = TraceServer()
    try:
        done = run_command(
            tmp_path, "report.json", "--project", "entity/project", "--name", "nightly",
            WF_TRACE_SERVER_URL=server.url, WANDB_BASE_URL=server.url, WANDB_API_KEY="0" * 40,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        (address,) = done.stdout.splitlines()
        assert "entity/project" in address
        assert len(rows(server)) == report.attack_count
        (evaluation,) = server.of_op("Evaluation.evaluate")
        assert evaluation["display_name"] == "nightly"
    finally:
        server.close()
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "the report report.json cannot be read: No such file"),
        ("{", "not a report"),
        ('{"schema_version": 0}', "schema version 0"),
    ],
)
def test_a_report_that_is_none_is_one_line_and_exit_code_two(
    content: str | None, said: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "report.json").write_text(content)
    done = run_command(tmp_path, "report.json", "--project", "entity/project")
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_project_that_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    report = unbudged.run(lambda text: len(text), ["An answer."], attacks=["override.full_marks"])
    (tmp_path / "report.json").write_text(report.to_json())
    nowhere = "http://127.0.0.1:9"
    done = run_command(
        tmp_path, "report.json", "--project", "entity/project",
        WF_TRACE_SERVER_URL=nowhere, WANDB_BASE_URL=nowhere, WANDB_API_KEY="0" * 40,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == ""
    assert "weave.init('entity/project') failed" in done.stderr.splitlines()[-1]
