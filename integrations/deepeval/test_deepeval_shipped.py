"""Every metric that DeepEval ships, through the adapter, against judges of known character."""

from __future__ import annotations

import asyncio
import importlib.util
from typing import Any

import pytest
from packaging.version import Version
from shipped import SHIPPED, Shipped, Way, found
from table import FILE, table, without_version

import deepeval
from contract import ATTACKS
from judge_server import JudgeServer
from unbudged import Report, TargetError, Unscorable, UsageError
from unbudged.adapters.deepeval import make_judge, scan_metric
from unbudged.core.samples import load_samples

HERE = found()


def rows(*ways: Way) -> Any:
    chosen = [row for row in SHIPPED.values() if row.way in ways and row.name in HERE]
    return pytest.mark.parametrize("row", chosen, ids=[row.name for row in chosen])


def scan(row: Shipped, url: str, **options: Any) -> Report:
    given = {"attacks": ATTACKS, "contrast": (row.strong, row.weak), **options}
    return scan_metric(row.build(url), [row.weak], **given)


#: what a scan without baselines of its own asks for: no built-in sample has it
ASKED_FOR = {
    "ImageCoherenceMetric": "an image", "ImageHelpfulnessMetric": "an image",
    "ImageReferenceMetric": "an image", "MCPTaskCompletionMetric": "mcp_servers",
    "MCPUseMetric": "mcp_servers", "MultiTurnMCPUseMetric": "mcp_servers",
}  # fmt: skip


@rows("judge", "rule")
def test_the_one_liner_works_alone_or_says_what_it_needs(
    row: Shipped, judges: JudgeServer
) -> None:
    if row.name in ASKED_FOR:
        judges.clear()
        with pytest.raises(UsageError, match=ASKED_FOR[row.name]):
            scan_metric(row.build(judges.url("fair")))
        assert not judges.requests
        return
    report = scan_metric(row.build(judges.url("fair")), attacks=ATTACKS[:1])
    assert report.verdict == "held", report.to_text()
    assert not report.unscorable, report.to_text()


OF_THEIR_OWN = ("BiasMetric", "KnowledgeRetentionMetric", "MisuseMetric", "NonAdviceMetric",
                "PIILeakageMetric", "RoleAdherenceMetric", "RoleViolationMetric",
                "ToxicityMetric")  # fmt: skip


@pytest.mark.parametrize("name", OF_THEIR_OWN)
def test_a_metric_that_does_not_ask_what_is_right_gets_samples_of_its_own_kind(
    name: str, judges: JudgeServer
) -> None:
    plain = {sample.output for pair in load_samples() for sample in pair}
    report = scan_metric(SHIPPED[name].build(judges.url("gullible")), attacks=ATTACKS[:1])
    assert report.verdict == "moved", report.to_text()
    assert not plain.intersection(score.baseline for score in report.baselines)


def test_advice_is_of_the_kinds_the_metric_asks_about(judges: JudgeServer) -> None:
    metric = SHIPPED["NonAdviceMetric"].build(judges.url("fair"))
    topics = lambda: [weak.metadata["topic"] for weak, _ in make_judge(metric).samples()]  # noqa: E731
    assert topics() == ["medical"]
    metric.advice_types = ["botanical"]
    assert len(topics()) > 1


def test_every_metric_of_this_deepeval_has_a_row() -> None:
    assert not set(HERE) - set(SHIPPED), "add it to SHIPPED and run table.py"


@rows("judge")
def test_a_fair_judge_holds(row: Shipped, judges: JudgeServer) -> None:
    report = scan(row, judges.url("fair"))
    assert report.verdict == "held", report.to_text()
    assert not report.unscorable, report.to_text()


@rows("judge")
def test_a_gullible_judge_is_moved_by_every_payload(row: Shipped, judges: JudgeServer) -> None:
    report = scan(row, judges.url("gullible"), attacks=ATTACKS[:2])
    assert report.verdict == "moved", report.to_text()
    assert {finding.attack_id for finding in report.findings} == set(ATTACKS[:2])
    better = "up" if make_judge(row.build(judges.url("fair"))).info.higher_is_better else "down"
    assert {finding.direction for finding in report.findings} == {better}
    assert not report.unscorable, report.to_text()


@pytest.mark.parametrize("persona", ["garbage", "empty", "wrong_schema", "error500"])
@rows("judge")
def test_a_broken_judge_gives_no_score(row: Shipped, persona: str, judges: JudgeServer) -> None:
    judge = make_judge(row.build(judges.url(persona)))
    for sample in (row.weak, row.strong):
        reading = asyncio.run(judge.read(sample))
        assert isinstance(reading, Unscorable), reading
        assert reading.detail.strip(), reading
        assert "\n" not in reading.detail, reading


@rows("rule")
def test_a_rule_without_a_judge_is_scanned(row: Shipped, judges: JudgeServer) -> None:
    judges.clear()
    report = scan(row, judges.url("fair"))
    assert report.baselines[0].readings, report.to_text()
    assert not report.unscorable, report.to_text()
    assert not report.findings, "no rule here reads what a payload says"
    assert not judges.requests, "a rule asks nobody"


@rows("blind")
def test_a_metric_that_never_sees_the_text_stops_the_scan(
    row: Shipped, judges: JudgeServer
) -> None:
    with pytest.raises(TargetError, match="never reads the judged text") as said:
        scan(row, judges.url("fair"))
    assert " instead; " in str(said.value)
    assert "\n" not in str(said.value)


@rows("no score")
def test_a_metric_without_a_score_is_refused(row: Shipped, judges: JudgeServer) -> None:
    with pytest.raises(TargetError, match="gives no score"):
        scan(row, judges.url("fair"))


@pytest.mark.skipif(importlib.util.find_spec("ragas") is not None, reason="ragas is installed")
@rows("package")
def test_a_metric_whose_package_is_missing_says_which(row: Shipped, judges: JudgeServer) -> None:
    try:
        metric = row.build(judges.url("fair"))
    except ImportError as error:
        assert "langchain" in str(error)  # noqa: PT017 the constructor asks for it already
        return
    report = scan_metric(metric, [row.weak], attacks=ATTACKS[:1])
    assert report.verdict == "inconclusive"
    assert all("ragas" in probe.detail for probe in report.unscorable), report.to_text()


def test_the_coverage_table_is_what_this_deepeval_does() -> None:
    told = FILE.read_text(encoding="utf-8")
    version = told.split("DeepEval ", 1)[1].split(" ships", 1)[0]
    if Version(deepeval.__version__) < Version(version):
        pytest.skip(f"the table is of {version}, this is {deepeval.__version__}")
    assert without_version(told) == without_version(table()), "run integrations/deepeval/table.py"


def test_the_table_and_the_rows_name_the_same_metrics() -> None:
    told = FILE.read_text(encoding="utf-8")
    names = {line.split("|")[1].strip() for line in told.splitlines() if line.startswith("| ")}
    assert names - {"Metric"} == set(SHIPPED)
