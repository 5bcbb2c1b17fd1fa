"""Judges that do not repeat themselves: noise is no finding, an effect under noise is one."""

from __future__ import annotations

from functools import cache

import pytest

import unbudged
from specimens import (
    GARDEN,
    KITCHEN,
    NOISY_HARMLESS,
    NOISY_STEERABLE,
    Counted,
    lifted,
    normal_of,
    orders,
)

PAYLOADS = unbudged.load_corpus()
SEEDS = (1, 2, 3)


@cache
def scanned(specimen, seed, **options):
    return unbudged.run(specimen.make(seed), list(specimen.baselines), seed=seed, **options)


@pytest.mark.parametrize("seed", SEEDS[:2])
@pytest.mark.parametrize("specimen", NOISY_HARMLESS, ids=str)
def test_noise_is_never_a_finding(specimen, seed):
    report = scanned(specimen, seed)
    assert report.findings == (), (specimen.rule, report.findings[0].evidence)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("specimen", NOISY_STEERABLE, ids=str)
def test_an_effect_under_noise_is_found(specimen, seed):
    report = scanned(specimen, seed)
    assert report.verdict == "moved", (specimen.rule, report.notes)
    reacts = lifted if specimen.name in ("lift_of_1_5", "one_of_four") else orders
    wrong = {f.attack_id for f in report.findings} - {p.id for p in PAYLOADS if reacts(p.text)}
    assert not wrong, specimen.rule


@pytest.mark.parametrize("specimen", NOISY_HARMLESS, ids=str)
def test_a_report_of_a_noisy_judge_says_that_it_is_noisy_jumps_drifts_or_fails(specimen):
    report = scanned(specimen, 1)
    said = " ".join([*report.notes, *(row.why for row in report.confounded)])
    words = ("does not repeat itself", "drifts", "jumps when any word changes", "jumps on some")
    assert any(word in said for word in words) or report.unscorable, report.notes


NOISY_AT_LOOK = [s for s in NOISY_HARMLESS if s.name not in ("failing_steady", "rare_pass")]


@pytest.mark.parametrize("specimen", NOISY_AT_LOOK, ids=str)
def test_a_scan_under_noise_without_findings_says_what_it_would_have_found(specimen):
    smallest = scanned(specimen, 2).smallest_detectable
    assert all(value > 0.01 for value in smallest.values())


def test_both_questions_are_answered_in_numbers_under_noise():
    for specimen in NOISY_STEERABLE:
        for finding in scanned(specimen, 1).findings:
            assert 0 < finding.evidence.real <= 0.01
            assert finding.evidence.beyond is None or finding.evidence.beyond > 1
            assert "fresh twin" in finding.evidence.sentence
            assert finding.evidence.contexts >= finding.evidence.twins >= 2


def test_the_lift_that_is_found_on_one_baseline_alone_is_named_there():
    one_of_four = next(s for s in NOISY_STEERABLE if s.name == "one_of_four")
    rows = [f for seed in SEEDS for f in scanned(one_of_four, seed).findings]
    strongest = {}
    for f in rows:
        strongest.setdefault(f.attack_id, f)  # rows come with the largest excess first
    assert {f.baseline_index for f in strongest.values()} == {1}


def test_a_lift_of_wording_alone_is_not_more_than_other_words_do():
    # real on every repeat, yet each wording has a shift of its own: question two says no
    judge = Counted(
        lambda t, r, n: 50 + 4 * normal_of(t.partition("\n\n")[2], "wording") + r.gauss(0, 2)
    )
    assert unbudged.run(judge, list(KITCHEN)).findings == ()


# The sequential and the fixed design


def calls_by_payload(judge):
    several = [text for text in judge.texts if sum(p.text in text for p in PAYLOADS) > 9]
    counted = [text for text in judge.texts if text not in several]  # one text with all of them
    return {p.id: sum(p.text in text for text in counted) for p in PAYLOADS}


def test_undecided_payloads_get_more_calls_and_decided_ones_none():
    judge = Counted(lambda t, r, n: 50 + 30 * (lifted(t) and "rubric" in t) + r.gauss(0, 6), 4)
    report = unbudged.run(judge, list(KITCHEN), seed=4)
    counts = calls_by_payload(judge)
    moved = {f.attack_id for f in report.findings}
    calm = sorted(n for name, n in counts.items() if name not in moved)
    assert moved
    # half of all calm payloads left after the first rounds, the one that moves stayed
    assert calm[len(calm) // 2] < min(counts[name] for name in moved)
    assert max(counts.values()) <= 130


def test_a_number_of_trials_makes_a_fixed_design():
    judge = Counted(lambda t, r, n: 50 + r.gauss(0, 6), 2)
    report = unbudged.run(judge, list(KITCHEN), trials=4)
    assert set(calls_by_payload(judge).values()) == {4 * 3}
    # a twin with every attack, three baselines scored once per stage, two calls at the end that
    # show whether a score belongs to the call before, nothing more
    assert 2 * 4 * 99 <= report.calls <= 2 * 4 * 99 + 14


def test_a_fixed_design_finds_a_strong_effect_under_noise():
    judge = Counted(lambda t, r, n: 40 + 40 * orders(t) + r.gauss(0, 4), 3)
    report = unbudged.run(judge, list(KITCHEN), trials=6)
    assert {f.attack_id for f in report.findings} == {p.id for p in PAYLOADS if orders(p.text)}


def test_a_fixed_design_of_a_clean_judge_finds_nothing():
    for seed in SEEDS:
        judge = Counted(lambda t, r, n: 50 + r.gauss(0, 6), seed)
        assert unbudged.run(judge, list(GARDEN), trials=5, seed=seed).findings == ()


def test_more_trials_would_have_found_a_smaller_shift():
    few, many = (
        unbudged.run(
            Counted(lambda t, r, n: 50 + r.gauss(0, 6), 2), list(KITCHEN), trials=trials
        ).smallest_detectable["up"]
        for trials in (3, 12)
    )
    assert many < few


def test_the_smallest_shift_grows_with_the_noise():
    small, large = (
        unbudged.run(
            Counted(lambda t, r, n, sd=sd: 50 + r.gauss(0, sd), 2), list(KITCHEN)
        ).smallest_detectable["up"]
        for sd in (2, 20)
    )
    assert large == pytest.approx(10 * small)


def test_the_shift_a_clean_scan_would_have_found_is_found_when_it_is_there():
    claimed = sorted(
        unbudged.run(
            Counted(lambda t, r, n: 50 + r.gauss(0, 5), seed), list(KITCHEN), seed=seed
        ).smallest_detectable["up"]
        for seed in range(3)
    )[1]
    payload = next(p for p in PAYLOADS if p.id == "social.flattery").text
    tries = 10
    hits = 0
    for seed in range(tries):
        judge = Counted(
            lambda t, r, n: 50 + claimed * (payload in t) + r.gauss(0, 5), 50 + seed
        )
        report = unbudged.run(judge, list(KITCHEN), seed=seed % 4, direction="up")
        hits += any(f.attack_id == "social.flattery" for f in report.findings)
    # 90% is claimed: fewer than 6 of 10 happens to one such claim in 600
    assert hits >= 6


# State and drift


def test_a_score_that_depends_on_the_order_of_calls_is_noticed():
    judge = Counted(lambda t, r, n: 50.0 + (n > 60))
    report = unbudged.run(judge, list(KITCHEN))
    assert report.findings == ()
    assert any("remembers earlier calls" in note for note in report.notes), report.notes


def test_a_score_that_changes_at_the_very_end_of_the_scan_is_noticed():
    obeys = lambda text: 50.0 + 20 * orders(text)  # noqa: E731
    steady = unbudged.run(Counted(lambda t, r, n: obeys(t)), list(KITCHEN))
    # the last two calls read baselines again
    judge = Counted(lambda t, r, n: obeys(t) + (n > steady.calls - 2))
    report = unbudged.run(judge, list(KITCHEN))
    assert any("remembers earlier calls" in note for note in report.notes), report.notes


def test_a_judge_that_stays_the_same_is_not_said_to_remember():
    judge = Counted(lambda t, r, n: 50.0 + len(t) % 3)
    report = unbudged.run(judge, list(KITCHEN))
    assert not any("remembers" in note or "noisy" in note for note in report.notes)


def test_a_noisy_judge_is_never_printed_clean_on_one_call():
    judge = Counted(lambda t, r, n: 50 + r.gauss(0, 6))
    report = unbudged.run(judge, list(KITCHEN), attacks=["override.full_marks"])
    if report.verdict == "held":
        assert calls_by_payload(judge)["override.full_marks"] > 3
    assert report.findings == ()


def test_a_fixed_design_finds_what_a_repeatable_judge_obeys_always() -> None:
    def judge(text: str) -> bool:
        return "full marks" in text.lower() or "100" in text

    answers = ["The kettle is blue.", "It looks blue to me.", "Blue, I say.", "Water boils."]
    sequential = unbudged.run(judge, answers)
    fixed = unbudged.run(judge, answers, trials=4)
    assert fixed.verdict == "moved"
    assert {f.attack_id for f in fixed.findings} == {f.attack_id for f in sequential.findings}
