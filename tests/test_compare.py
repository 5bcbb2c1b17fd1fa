"""Comparing two reports: what is fixed, new, unchanged, open, and what drifted beside it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import unbudged
from reports_made import finding, report
from unbudged.compare import compare, marked
from unbudged.compare.intervals import mean_difference, rate_difference
from unbudged.compare.text import document, render
from unbudged.core.report import (
    BaselineScore,
    Confounded,
    FlipRow,
    Rate,
    Undecided,
    UnscorableProbe,
)
from unbudged.errors import UsageError

ANSWER = "Please restart the router."


def made(*findings, **changes):
    return report(findings=findings, **changes)


def test_findings_are_matched_whatever_their_order_and_number():
    old = made(finding(attack_id="a"), finding(attack_id="b", excess=3.0))
    now = made(finding(attack_id="c"), finding(attack_id="b", excess=5.0, baseline_index=7))
    found = compare(old, now)
    assert [c.attack_id for c in found.fixed] == ["a"]
    assert [c.attack_id for c in found.new] == ["c"]
    [same] = found.unchanged
    assert (same.before.excess, same.after.excess) == (3.0, 5.0)


def test_the_other_direction_or_channel_is_another_finding():
    old = made(finding(), channels=("score", "tone"))
    for change in ({"direction": "down"}, {"channel": "tone"}):
        found = compare(old, made(finding(**change), channels=("score", "tone")))
        assert (len(found.fixed), len(found.new)) == (1, 1)


GONE = [
    ({"undecided": (Undecided("role.admin", "x", None, None, "score", "both", "w"),)}, "undecided"),
    ({"undecided": (Undecided("role.admin", "x", ANSWER, 0, "score", "up", "w"),)}, "undecided"),
    ({"undecided": (Undecided("*", "*", ANSWER, 0, "score", "up", "at 1"),)}, "no room to move"),
    (
        {"unscorable": (UnscorableProbe("role.admin", "x", ANSWER, 0, "attack", "error", "x"),)},
        "unscorable",
    ),
    (
        {"unscorable": (UnscorableProbe(None, None, ANSWER, 0, "baseline", "error", "x"),)},
        "unscorable",
    ),
    ({"verdict": "inconclusive"}, "the scan is inconclusive"),
    ({"attacks": {"role.other": "x"}}, "its payload was not scanned"),
    ({"direction": "down"}, "only moves down were looked for"),
]


@pytest.mark.parametrize(("changes", "why"), GONE, ids=[why for _, why in GONE])
def test_what_was_not_measured_again_is_never_fixed(changes, why):
    found = compare(made(finding()), made(**changes))
    assert found.fixed == ()
    assert [c.why for c in found.open] == [why]
    assert not found.measured


def test_an_undecided_probe_elsewhere_leaves_a_fix_a_fix_but_not_all_measured():
    other = Undecided("role.other", "x", None, None, "score", "both", "w")
    found = compare(made(finding()), made(undecided=(other,)))
    assert len(found.fixed) == 1
    assert not found.measured


def test_a_baseline_that_was_dropped_is_not_fixed():
    rows = (BaselineScore(ANSWER, 0, None, {}, 1), BaselineScore("Other.", 1, None, {}, 1))
    old = made(finding(baseline="Other.", baseline_index=1), baselines=rows)
    found = compare(old, made(baselines=rows[:1]))
    assert [c.why for c in found.open] == ["its baseline was not scanned"]
    assert "baselines of BEFORE that AFTER does not have: 1" in found.notes


def test_a_finding_that_neutral_text_now_matches_is_confounded_not_fixed():
    row = Confounded("role.admin", "x", ANSWER, 0, "score", 5.0, 0.0, 5.0, "why")
    found = compare(made(finding()), made(confounded=(row,)))
    assert (len(found.fixed), len(found.confounded), found.measured) == (0, 1, True)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"corpus": ("extended",)}, "corpus core before, extended after"),
        ({"baselines": (BaselineScore("Other.", 0, None, {}, 1),)}, "share no baseline"),
        ({"channels": ("tone",)}, "channels score before, tone after"),
        ({"settings": {"scale": [0, 10]}}, "scale not given before, 0, 10 after"),
        ({"settings": {"placement": "prefix"}}, "placement not given before, prefix after"),
        ({"settings": {"attacks": ["role.*"]}}, "attacks not given before"),
    ],
)
def test_reports_of_different_scans_are_refused(changes, says):
    with pytest.raises(UsageError, match=f"not comparable: .*{says}"):
        compare(made(), made(**changes))


def test_a_scale_read_back_from_json_is_the_same_scale():
    found = compare(made(settings={"scale": [0.0, 1.0]}), made(settings={"scale": (0.0, 1.0)}))
    assert found.notes == ()


def test_what_differs_without_being_an_obstacle_is_said():
    found = compare(made(), made(seed=3, tolerance=0.5, attack_count=40, versions={"x": "2"}))
    assert found.notes == (
        "tolerance 1e-09 before, 0.5 after",
        "seed 0 before, 3 after",
        "33 attacks before, 40 after: the corpus changed",
        "x none before, 2 after",
    )


def rate(hits: int, n: int) -> Rate:
    return Rate(hits, n, 0.0, 1.0)


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [
        # Newcombe 1998, Stat. Med. 17, table II, method 10
        ((48, 80), (56, 70), 0.0524, 0.3339),
        ((3, 10), (9, 10), 0.1705, 0.8090),
        ((2, 7), (6, 7), 0.0582, 0.8062),
        ((0, 29), (5, 56), -0.0381, 0.1926),
        ((0, 10), (10, 10), 0.6075, 1.0),
    ],
)
def test_the_interval_of_a_difference_of_rates_is_the_published_one(one, other, low, high):
    found = rate_difference(rate(*one), rate(*other))
    assert found.difference == pytest.approx(other[0] / other[1] - one[0] / one[1])
    assert (round(found.low, 4), round(found.high, 4)) == pytest.approx((low, high), abs=1e-4)


def test_no_trials_have_no_difference():
    assert rate_difference(rate(0, 0), rate(1, 3)) is None


def test_the_interval_of_a_mean_difference_agrees_with_scipy():
    stats = pytest.importorskip("scipy.stats")
    pairs = [(1.0, 3.0), (2.0, 2.5), (0.0, 4.0), (5.0, 4.0)]
    found = mean_difference(pairs)
    changes = [b - a for a, b in pairs]
    low, high = stats.t.interval(0.95, 3, sum(changes) / 4, stats.sem(changes))
    assert found.low == pytest.approx(low, rel=0.02)
    assert found.high == pytest.approx(high, rel=0.02)
    assert mean_difference([(1.0, 4.0)]).low is None


def flips(fail_to_pass: Rate, controls: Rate) -> tuple[FlipRow, ...]:
    none = rate(0, 30)
    row = FlipRow("f", "family", "score", fail_to_pass, controls, none, none, none, 3)
    return (row, replace(row, level="attack", name="f.one"))


def test_flip_rates_of_payloads_and_controls_are_compared_families_only():
    old = made(finding(), flips=flips(rate(20, 30), rate(0, 30)))
    found = compare(old, made(finding(), flips=flips(rate(5, 30), rate(1, 30))))
    first, second = found.flips[:2]
    assert (first.name, first.before.hits, first.after.hits) == ("fail to pass, payloads", 20, 5)
    assert first.change.high < 0
    assert (second.name, second.after.hits) == ("fail to pass, controls", 1)
    text = render(found)
    assert "fail to pass, payloads: 20 of 30 -> 5 of 30, -50.0 points (95% -66.9 to " in text


def test_a_judge_that_marks_everyone_down_is_told_from_a_fix():
    answers = ["I reset it.", "The badge expired, I have extended it by a year.", "Ask the owner."]

    def soft(text: str) -> float:
        return len(text.split("\n")[0]) + (50.0 if "full marks" in text else 0.0)

    def strict(text: str) -> float:
        return min(soft(text), 60.0) * 0.0 + len(text.split("\n")[0]) - 40.0

    found = compare(unbudged.run(soft, answers), unbudged.run(strict, answers))
    assert found.fixed
    assert not found.new
    drift = {d.what: d.change.difference for d in found.drift}
    assert drift == {"baselines": pytest.approx(-40.0), "controls": pytest.approx(-40.0)}
    text = render(found)
    assert text.startswith("Better: ")
    assert "harmless drift" in text
    assert "a judge that marks everyone down is not a fix" in " ".join(text.split())


def test_a_real_fix_shows_no_drift():
    answers = ["I reset it.", "The badge expired, I have extended it by a year.", "Ask the owner."]

    def judge(payoff: float):
        def target(text: str) -> float:
            return len(text.split("\n")[0]) + (payoff if "full marks" in text else 0.0)

        return target

    found = compare(unbudged.run(judge(50.0), answers), unbudged.run(judge(0.0), answers))
    assert found.fixed
    assert {d.change.difference for d in found.drift} == {0.0}
    assert "is not a fix" not in render(found)
    halved = compare(unbudged.run(judge(50.0), answers), unbudged.run(judge(25.0), answers))
    assert not halved.fixed
    [excess] = halved.excess
    assert (excess.before, excess.after, excess.change.difference) == (50.0, 25.0, -25.0)
    assert "mean excess of the " in render(halved)


def test_the_mean_score_of_controls_is_that_of_the_texts_the_judge_saw():
    seen = []

    def target(text: str) -> float:
        seen.append(text)
        return float(len(text))

    made_report = unbudged.run(target, ["A first answer.", "A second, longer answer."])
    for row in made_report.baselines:
        own = [t for t in seen if t.startswith(row.baseline) and t != row.baseline]
        assert row.control_readings > 0
        lengths = sorted(map(len, own))
        assert lengths[0] <= row.controls["score"] <= lengths[-1]
        assert math.isfinite(row.controls["score"])


def test_new_findings_of_the_ratchet_are_those_with_another_place_answer_or_attack():
    known = made(finding())
    assert [f.new for f in marked(made(finding(excess=99.0)), known).findings] == [False]
    for change in ({"attack_id": "x"}, {"baseline": "y"}, {"placement": "prefix"}):
        assert [f.new for f in marked(made(finding(**change)), known).findings] == [True]


NASTY = "\x1b[31m\n::error::x \u202e ##[error]"


@pytest.mark.parametrize("side", ["before", "after"])
def test_no_payload_or_answer_acts_on_a_terminal_through_a_comparison(side):
    row = BaselineScore(NASTY, 0, None, {"score": 1.0, NASTY: 2.0}, 1)
    bad = made(
        finding(attack_id=NASTY, baseline=NASTY, channel=NASTY),
        baselines=(row,), channels=("score", NASTY),
    )  # fmt: skip
    plain = made(baselines=(row,), channels=("score", NASTY), target=NASTY)
    pair = (bad, plain) if side == "before" else (plain, bad)
    text = render(compare(*pair))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "##[" not in text
    assert all(len(line) <= 100 for line in text.split("\n"))


def test_long_lists_are_folded_but_never_what_is_new():
    many = [finding(attack_id=f"a.{n:03}") for n in range(40)]
    fixed = render(compare(made(*many), made()))
    assert "... and 30 more: --all shows them" in fixed
    assert render(compare(made(*many), made()), full=True).count("a.0") == 40
    assert render(compare(made(), made(*many))).count("a.0") == 40


def test_the_document_of_a_comparison_is_strict_json():
    import json

    found = compare(made(finding()), made(finding(attack_id="b")))
    said = json.loads(json.dumps(document(found), allow_nan=False))
    assert [c["attack_id"] for c in said["new"]] == ["b"]
    assert said["new"][0]["excess_before"] is None
    assert said["moved"]["change"]["difference"] == 0.0
