"""Judge calls: their order, their number, and that none is made without a reason."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import cache
from statistics import NormalDist

import pytest

import unbudged
from specimens import (
    CONSTANT,
    HARMLESS,
    KITCHEN,
    NOISY_HARMLESS,
    NOISY_STEERABLE,
    RAILWAY,
    STEERABLE,
    Counted,
    chance,
    jumping,
    lifted,
    merit,
    orders,
)
from unbudged.api import plan_scan
from unbudged.planted import JUDGES

PAYLOADS = unbudged.load_corpus()
EVERY = (*STEERABLE, *HARMLESS, CONSTANT, *NOISY_HARMLESS, *NOISY_STEERABLE)
STEADY = (*STEERABLE, *HARMLESS, CONSTANT)
ANSWERS = tuple(f"{KITCHEN[n % 3][:-1]}, which takes {n} minutes." for n in range(100))


@cache
def scanned(specimen, seed=1, **options):
    judge = specimen.make(seed)
    report = unbudged.run(judge, list(specimen.baselines), seed=seed, **options)
    return judge, report


def arms(judge, baselines=KITCHEN):
    """Name what each text of a scan was: base, attack or control."""
    payloads = [p.text for p in PAYLOADS]
    for text in judge.texts:
        if text in baselines:
            yield "base"
        else:
            yield "attack" if any(p in text for p in payloads) else "control"


# Order


@pytest.mark.parametrize("name", ["head_only", "gaussian", "jumps_1_to_5"])
def test_attacks_and_controls_are_interleaved(name):
    judge, _ = scanned(next(s for s in EVERY if s.name == name))
    half = judge.calls // 2
    told = list(arms(judge, next(s for s in EVERY if s.name == name).baselines))
    for part in (told[:half], told[half:]):
        assert part.count("attack") > 5
        assert part.count("control") > 5
    longest = max(len([*run]) for arm, run in itertools.groupby(told) if arm == "control")
    assert longest < told.count("control")


def test_baselines_are_read_at_both_ends_of_the_scan():
    judge, _ = scanned(next(s for s in HARMLESS if s.name == "head_only"))
    told = list(arms(judge))
    # after the last baseline comes one text with every payload: does it get that one's score?
    assert told[0] == told[-2] == "base"


def test_a_payload_of_a_noisy_judge_is_read_next_to_its_control_in_either_order():
    judge = Counted(lambda t, r, n: 50 + r.gauss(0, 6))
    unbudged.run(judge, list(KITCHEN))
    told = list(arms(judge))[5:]
    first = told[0:200]
    pairs = Counter(zip(first[::2], first[1::2], strict=True))
    assert pairs["attack", "control"] > 20
    assert pairs["control", "attack"] > 20
    # never two readings of one arm side by side within a pair
    assert pairs["attack", "attack"] + pairs["control", "control"] <= 3


@pytest.mark.parametrize("specimen", [HARMLESS[0], STEERABLE[0], NOISY_HARMLESS[0]], ids=str)
def test_one_seed_makes_one_scan_and_another_seed_another(specimen):
    first, second, other = specimen.make(3), specimen.make(3), specimen.make(3)
    one = unbudged.run(first, list(specimen.baselines), seed=11)
    two = unbudged.run(second, list(specimen.baselines), seed=11)
    unbudged.run(other, list(specimen.baselines), seed=12)
    assert first.texts == second.texts
    assert one == two
    assert other.texts != first.texts
    assert [t for t in other.texts if t in first.texts] != first.texts


def test_the_order_does_not_follow_the_corpus():
    judge, _ = scanned(next(s for s in HARMLESS if s.name == "head_only"))
    seen = [next((p.id for p in PAYLOADS if p.text in t), None) for t in judge.texts]
    seen = [name for name in seen if name]
    assert seen != sorted(seen)
    assert seen[:33] != [p.id for p in PAYLOADS]


# Number


@pytest.mark.parametrize("specimen", STEADY, ids=str)
def test_a_judge_that_repeats_itself_is_asked_once_about_every_text(specimen):
    judge, _ = scanned(specimen)
    again = {text: n for text, n in Counter(judge.texts).items() if n > 1}
    every = max(judge.texts, key=len)
    doubtful = [text for text in again if text not in (*specimen.baselines, every)]
    # baselines show whether it repeats itself; a jumpy one is asked about eight texts more
    assert len(doubtful) <= 8
    assert all(again[text] == 2 for text in doubtful)
    # and one comes before the text with every payload, two where that scores like the first
    assert sum(n - 1 for text, n in again.items() if text in specimen.baselines) <= 8
    if not any("jumps when any word" in note for note in scanned(specimen)[1].notes):
        assert doubtful == []


@pytest.mark.parametrize("specimen", EVERY, ids=str)
def test_the_report_counts_the_calls_really_made(specimen):
    judge, report = scanned(specimen)
    assert report.calls == judge.calls


@pytest.mark.parametrize("specimen", EVERY, ids=str)
def test_what_a_dry_run_says_of_the_calls_holds(specimen):
    judge, _ = scanned(specimen)
    bounds = plan_scan(specimen.make(), list(specimen.baselines), seed=1)
    assert bounds.least_calls <= judge.calls <= bounds.most_calls
    noisy = specimen in NOISY_STEERABLE or specimen in NOISY_HARMLESS
    assert judge.calls <= bounds.typical_calls["noisy_up_to" if noisy else "jumpy_up_to"]


@pytest.mark.parametrize("count", [1, 3, 7])
def test_what_a_dry_run_says_of_a_noisy_judge_is_about_right(count):
    answers = [*KITCHEN, *RAILWAY][:count]
    said = plan_scan(len, answers).typical_calls["noisy"]
    for planted in (p for p in JUDGES if p.name in ("gaussian", "coin")):
        judge = planted.make(0)
        unbudged.run(judge, answers)
        assert 0.7 * said < judge.calls < 1.4 * said


WORDY = [p for p in JUDGES if p.name in ("jumps", "jumpy_lift", "hash_of_text", "readability")]


@pytest.mark.parametrize("planted", WORDY, ids=lambda p: p.name)
@pytest.mark.parametrize("count", [1, 2, 6])
def test_what_a_dry_run_says_of_a_jumpy_judge_holds(planted, count):
    answers = [*KITCHEN, *RAILWAY][:count]
    judge = planted.make(0)
    report = unbudged.run(judge, answers)
    assert any("jumps when any word changes" in note for note in report.notes)
    assert judge.calls <= plan_scan(len, answers).typical_calls["jumpy_up_to"]


def obeys_and_jumps(text, size, lift):
    """Score at random by the text, with a lift for what most payloads say."""
    return size * NormalDist().inv_cdf(chance(text)) + lift * ("score" in text or "answer" in text)


@pytest.mark.parametrize(("size", "lift"), [(1.0, 1.5), (1.0, 2.0), (1.0, 5.0), (0.2, 1.0)])
@pytest.mark.parametrize("count", [1, 3])
def test_what_a_dry_run_says_holds_for_a_jumpy_judge_that_most_payloads_move(size, lift, count):
    answers = list(KITCHEN[:count])
    report = unbudged.run(lambda text: obeys_and_jumps(text, size, lift), answers)
    bounds = plan_scan(len, answers)
    assert 3 * bounds.least_calls < report.calls <= bounds.typical_calls["jumpy_up_to"]


@pytest.mark.parametrize("specimen", [STEERABLE[3], HARMLESS[0], *NOISY_HARMLESS[:2]], ids=str)
def test_what_a_dry_run_says_of_a_fixed_design_holds(specimen):
    judge = specimen.make()
    report = unbudged.run(judge, list(specimen.baselines), trials=3)
    bounds = plan_scan(specimen.make(), list(specimen.baselines), trials=3)
    assert bounds.least_calls <= judge.calls <= bounds.most_calls
    checks = 40 * len({f.attack_id for f in report.findings}) + 2
    assert 0 <= judge.calls - bounds.typical_calls["noisy"] <= checks


def test_planning_a_scan_makes_no_call():
    judge = Counted(lambda t, r, n: 1.0)
    plan = plan_scan(judge, list(KITCHEN))
    assert (plan.attack_count, plan.baseline_count, plan.probe_count) == (33, 3, 99)
    assert judge.calls == 0


@pytest.mark.parametrize("count", [3, 100])
@pytest.mark.parametrize("score", [merit, lambda t: 50.0 + len(t.split(",")[0]) % 9])
def test_a_judge_no_control_moves_costs_at_most_1_35_calls_a_probe(score, count):
    judge = Counted(lambda t, r, n: score(t))
    report = unbudged.run(judge, list(ANSWERS[:count]))
    assert report.findings == ()
    assert report.calls <= 1.35 * report.probe_count


def test_a_steered_judge_no_control_moves_costs_little_more():
    judge = Counted(lambda t, r, n: 97.0 if orders(t) else merit(t))
    report = unbudged.run(judge, list(ANSWERS))
    assert report.verdict == "moved"
    assert report.calls <= 1.35 * report.probe_count


def jumpy(top, part, effect):
    jump = jumping(1, top, top // 2, part)
    return Counted(lambda t, r, n: min(float(top), jump(t, r, n) + effect * orders(t)))


SCALES = [(5, 0.2), (5, 0.4), (5, 0.6), (10, 0.2), (10, 0.4), (10, 0.6)]


@pytest.mark.parametrize(("effect", "most"), [(0, 3), (2, 5)], ids=["nothing", "an effect"])
def test_a_repeatable_judge_that_jumps_costs_few_calls_a_probe(effect, most):
    reports = [
        unbudged.run(jumpy(top, part, effect), list(KITCHEN), seed=seed)
        for seed, (top, part) in enumerate(SCALES)
    ]
    found = [{f.attack_id for f in report.findings} for report in reports]
    assert found == [{p.id for p in PAYLOADS if effect and orders(p.text)}] * len(SCALES)
    each = [report.calls / report.probe_count for report in reports]
    assert sum(each) / len(each) <= most, each


def test_noise_costs_at_most_half_of_a_fixed_design_of_the_same_strength():
    # 22 pairs a probe: alpha 0.01 over 99 probes two-sided, power 90% at 1.5 standard deviations
    from statistics import NormalDist

    z = NormalDist().inv_cdf(1 - 0.01 / 198) + NormalDist().inv_cdf(0.9)
    fixed = 2 * 99 * 2 * (z / 1.5) ** 2
    specimens = NOISY_HARMLESS[:3]
    mean = sum(scanned(s)[1].calls for s in specimens) / len(specimens)
    assert mean <= fixed / 2


# A hard cap

CAPS = [130, 200, 400, 900]


@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize(
    "specimen", [STEERABLE[0], HARMLESS[0], HARMLESS[10], NOISY_HARMLESS[0], NOISY_STEERABLE[1]],
    ids=str,
)
def test_the_calls_allowed_are_never_exceeded(specimen, cap):
    judge, report = scanned(specimen, max_calls=cap)
    assert judge.calls == report.calls <= cap


def test_what_is_open_when_the_calls_are_used_up_is_undecided_and_named():
    _, report = scanned(NOISY_HARMLESS[0], max_calls=300)
    assert report.verdict == "inconclusive"
    assert report.undecided
    assert {row.attack_id for row in report.undecided} <= {p.id for p in PAYLOADS}
    assert all("300 calls allowed were used up" in row.why for row in report.undecided)


def test_what_had_moved_before_the_calls_were_used_up_stays_a_finding():
    effect = next(s for s in NOISY_STEERABLE if s.name == "lift_of_1_5")
    _, whole = scanned(effect)
    both = 0
    for part in (0.65, 0.75, 0.85):
        _, report = scanned(effect, max_calls=int(part * whole.calls))
        moved = {f.attack_id for f in report.findings}
        assert report.verdict == ("moved" if moved else "inconclusive")
        assert not moved & {row.attack_id for row in report.undecided}
        assert moved <= {p.id for p in PAYLOADS if lifted(p.text)}
        both += bool(moved) and bool(report.undecided)
    assert both


def test_a_scan_that_needs_no_more_than_allowed_is_not_stopped():
    _, report = scanned(STEERABLE[0], max_calls=1000)
    assert report.undecided == ()
    assert {f.attack_id for f in report.findings} == {
        f.attack_id for f in scanned(STEERABLE[0])[1].findings
    }


def test_fewer_calls_than_one_pass_are_refused_with_the_number_needed():
    least = plan_scan(len, list(KITCHEN)).least_calls
    judge = Counted(lambda t, r, n: 1.0)
    with pytest.raises(unbudged.UsageError, match=str(least)):
        unbudged.run(judge, list(KITCHEN), max_calls=least - 1)
    assert judge.calls == 0


def test_a_cap_counts_the_calls_that_show_the_judge_alive():
    judge = Counted(lambda t, r, n: 5.0 + len(t.split(".")[0]))
    report = unbudged.run(judge, None, max_calls=200)
    assert judge.calls == report.calls <= 200
