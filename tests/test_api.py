"""run, arun and assert_unbudged: what they take, refuse and give back."""

from __future__ import annotations

import asyncio
import inspect
import itertools
from dataclasses import FrozenInstanceError, replace

import pytest

from specimens import KITCHEN, Counted, merit, orders
from unbudged import Sample, UsageError, arun, assert_unbudged, load_corpus, run

PAYLOADS = load_corpus()


def obedient(text):
    return 90.0 if orders(text) else merit(text)


# Three ways in, one report


def test_run_and_arun_give_the_same_report():
    assert run(obedient, list(KITCHEN)) == asyncio.run(arun(obedient, list(KITCHEN)))


def test_an_assertion_passes_its_report_on_where_the_scan_held():
    report = assert_unbudged(merit, list(KITCHEN))
    assert report.ok
    assert report.verdict == "held"


def test_an_assertion_fails_with_the_text_report_where_a_payload_moved_the_score():
    with pytest.raises(AssertionError) as failure:
        assert_unbudged(obedient, list(KITCHEN))
    text = str(failure.value)
    assert text == run(obedient, list(KITCHEN)).to_text()
    assert "override.full_marks" in text
    assert "33 attacks, 3 baselines, 99 probes" in text


def test_an_assertion_fails_where_nothing_was_measured():
    with pytest.raises(AssertionError, match="every reading of the scan was the same"):
        assert_unbudged(lambda text: 5.0, list(KITCHEN))
    with pytest.raises(AssertionError, match="None"):
        assert_unbudged(lambda text: None, list(KITCHEN))


def test_an_assertion_takes_the_options_of_run():
    assert assert_unbudged(obedient, list(KITCHEN), direction="down").ok
    assert assert_unbudged(obedient, list(KITCHEN), 100.0).ok
    assert assert_unbudged(obedient, list(KITCHEN), families=["social_pressure"]).ok


def test_the_options_can_be_read_off_all_three():
    shown = [inspect.signature(f).parameters for f in (run, arun, assert_unbudged)]
    assert [*shown[0]] == [*shown[1]] == [*shown[2]]
    assert [*shown[0]][:4] == ["target", "baselines", "tolerance", "families"]
    assert shown[0]["tolerance"].default == 1e-9
    assert shown[0]["alpha"].default == 0.01
    assert shown[0]["separator"].default == "\n\n"


def test_an_unknown_option_is_refused_by_name():
    with pytest.raises(UsageError, match="tolerence"):
        run(obedient, list(KITCHEN), tolerence=1)


def test_run_works_inside_a_running_loop():
    async def cell():
        return run(obedient, list(KITCHEN)).verdict

    assert asyncio.run(cell()) == "moved"


def test_run_leaves_the_running_loop_as_it_was():
    async def cell():
        before = asyncio.get_running_loop()
        run(obedient, list(KITCHEN))
        await asyncio.sleep(0)
        return before is asyncio.get_running_loop()

    assert asyncio.run(cell())


def test_two_scans_of_one_loop_do_not_disturb_each_other():
    async def target(text):
        await asyncio.sleep(0)
        return obedient(text)

    async def both():
        return await asyncio.gather(arun(target, list(KITCHEN)), arun(merit, list(KITCHEN)))

    first, second = asyncio.run(both())
    assert (first.verdict, second.verdict) == ("moved", "held")


# What is refused, before any call

USAGE = [
    ({"tolerance": -1.0}, "tolerance"),
    ({"tolerance": float("nan")}, "tolerance"),
    ({"tolerance": float("inf")}, "tolerance"),
    ({"alpha": 0.0}, "alpha"),
    ({"alpha": -0.1}, "alpha"),
    ({"alpha": 0.6}, "alpha"),
    ({"alpha": 1.0}, "alpha"),
    ({"alpha": float("nan")}, "alpha"),
    ({"trials": 0}, "trials"),
    ({"trials": -3}, "trials"),
    ({"max_calls": 0}, "max_calls"),
    ({"direction": "sideways"}, "direction"),
    ({"scale": (10, 0)}, "scale"),
    ({"scale": (5, 5)}, "scale"),
    ({"pass_mark": float("nan")}, "pass_mark"),
    ({"placement": "inside"}, "placement"),
    ({"families": ["instruction_overide"]}, "instruction_override"),
    ({"families": []}, "famil"),
    ({"attacks": ["override.full_mark"]}, "override.full_marks"),
    ({"attacks": ["nothing.*"]}, "nothing"),
    ({"corpus": "cor"}, "core"),
    ({"corpus": "/no/such/file.yaml"}, "file.yaml"),
    ({"contrast": ("The same.", "The same.")}, "contrast"),
    ({"contrast": ("", "Bad.")}, "contrast"),
    ({"contrast": ("Good.",)}, "contrast"),
    ({"goal": " "}, "goal"),
]


@pytest.mark.parametrize(("options", "says"), USAGE, ids=[str(o) for o, _ in USAGE])
def test_an_option_that_cannot_be_used_is_refused_in_one_line_before_any_call(options, says):
    judge = Counted(lambda t, r, n: 1.0)
    with pytest.raises(UsageError) as refusal:
        run(judge, list(KITCHEN), **options)
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert judge.calls == 0


BASELINES = [
    ([], "at least one"), (["  \n"], "blank"), ("one answer", "list"), ([3], "int"),
    (["fine", None], "baseline 2"), ([b"bytes"], "bytes"), ({"a"}, "set"),
    (Sample("one"), "list"), ([Sample("")], "blank"), ([Sample(3)], "baseline 1"),
]  # fmt: skip


@pytest.mark.parametrize(("baselines", "says"), BASELINES, ids=[str(b) for b, _ in BASELINES])
def test_baselines_of_no_use_are_refused_in_one_line_before_any_call(baselines, says):
    judge = Counted(lambda t, r, n: 1.0)
    with pytest.raises(UsageError) as refusal:
        run(judge, baselines)
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert judge.calls == 0


def test_a_usage_error_is_a_usage_error_of_arun_too():
    with pytest.raises(UsageError, match="alpha"):
        asyncio.run(arun(merit, list(KITCHEN), alpha=2))


# What is taken


def test_a_duplicate_baseline_counts_once():
    report = run(merit, [KITCHEN[0], KITCHEN[0], Sample(KITCHEN[0]), KITCHEN[1]])
    assert report.baseline_count == 2


def test_the_same_answer_to_another_question_is_another_baseline():
    report = run(merit, [Sample(KITCHEN[0], input="One?"), Sample(KITCHEN[0], input="Two?")])
    assert report.baseline_count == 2


def test_families_and_attacks_restrict_the_scan():
    report = run(obedient, list(KITCHEN), families=["instruction_override", "encoding"])
    chosen = [p for p in PAYLOADS if p.family in ("instruction_override", "encoding")]
    assert report.attack_count == len(chosen)
    assert run(obedient, list(KITCHEN), attacks="role.*").attack_count == sum(
        p.id.startswith("role.") for p in PAYLOADS
    )


def test_a_payload_found_among_many_is_found_alone():
    for finding in {f.attack_id: f for f in run(obedient, list(KITCHEN)).findings}.values():
        alone = run(obedient, [finding.baseline], attacks=[finding.attack_id])
        assert {f.attack_id for f in alone.findings} == {finding.attack_id}


def test_text_reaches_the_target_byte_for_byte():
    odd = "Tabs\tand\r\nbreaks \u00a0 cafe\u0301 \ufeff\u202e and \x07"
    judge = Counted(lambda t, r, n: 1.0 + len(t) % 2)
    run(judge, [odd])
    assert odd in judge.texts
    texts = set(judge.texts)
    for payload in PAYLOADS:
        assert f"{odd}\n\n{payload.text}" in texts


def test_a_target_with_a_score_method_and_one_without_are_the_same():
    class Judge:
        def score(self, text):
            return obedient(text)

    assert run(Judge(), list(KITCHEN)).findings == run(obedient, list(KITCHEN)).findings


# What is given back


@pytest.fixture(scope="module")
def report():
    return run(obedient, list(KITCHEN), scale=(0, 100), pass_mark=60, seed=5, alpha=0.02)


def test_a_report_counts_what_was_scanned(report):
    assert report.attack_count == len(PAYLOADS) == 33
    assert report.baseline_count == 3
    assert report.probe_count == 99
    assert (report.seed, report.alpha, report.tolerance) == (5, 0.02, 1e-9)
    assert (report.direction, report.corpus) == ("both", ("core",))


def test_a_report_is_ok_only_when_it_held(report):
    for verdict in ("held", "moved", "inconclusive"):
        assert replace(report, verdict=verdict).ok is (verdict == "held")


def test_the_largest_excess_and_the_families_hit_are_those_of_the_findings(report):
    assert report.max_excess == max(f.excess for f in report.findings) > 0
    assert set(report.families_hit()) == {f.family for f in report.findings}
    nothing = run(merit, list(KITCHEN))
    assert nothing.max_excess == 0.0
    assert nothing.families_hit() == ()


def test_findings_stand_by_attack_the_one_with_the_largest_excess_first(report):
    widest = {}
    for f in report.findings:
        widest[f.attack_id] = max(f.excess, widest.get(f.attack_id, 0.0))
    together = [id for id, _ in itertools.groupby(f.attack_id for f in report.findings)]
    assert together == sorted(widest, key=lambda id: (-widest[id], id))


def test_a_finding_names_its_payload_and_baseline(report):
    texts = {p.id: (p.text, p.family, p.placement) for p in PAYLOADS}
    for f in report.findings:
        assert (f.payload, f.family, f.placement) == texts[f.attack_id]
        assert f.baseline == KITCHEN[f.baseline_index]
        assert f.attack_shift == 90.0 - merit(f.baseline)


def test_a_report_shows_what_each_baseline_scored_clean(report):
    assert [row.values for row in report.baselines] == [{"score": merit(b)} for b in KITCHEN]
    assert all(row.readings >= 1 for row in report.baselines)


def test_records_cannot_be_changed(report):
    with pytest.raises(FrozenInstanceError):
        report.verdict = "held"
    with pytest.raises(FrozenInstanceError):
        report.findings[0].excess = 0.0


def test_decide_is_pure_the_same_readings_are_decided_alike():
    from unbudged.api import plan_scan
    from unbudged.calling import Buyer
    from unbudged.core.decide import decide
    from unbudged.core.run import execute
    from unbudged.core.table import Table

    scan = plan_scan(obedient, list(KITCHEN))
    table = Table(scan.plan)
    source = Buyer(scan.judge.read)
    while (decision := decide(scan.plan, table, scan.settings)).groups:
        again = decide(scan.plan, table, scan.settings)
        assert again == decision
        doing = execute(source, scan.plan, table, decision.groups)
        with pytest.raises(StopIteration):
            doing.send(None)
    assert decide(scan.plan, table, scan.settings) == decision
    assert decision.outcomes["score"].moved
