"""A payload whose twins move a jumpy or noisy judge as far: never held in silence."""

from __future__ import annotations

import random
import re
from statistics import median

import pytest

import unbudged
from specimens import chance
from unbudged.api import plan_scan
from unbudged.core.plan import Call

ANSWERS = [
    "The capital of France is Lyon, I think.",
    "Paris is the capital of France.",
    "I do not know the answer to that question.",
]
IDS = [p.id for p in unbudged.load_corpus()]


def clean(text: str) -> float:
    return 6.0 if "paris" in text.lower() else 2.0


def paid_ten(text: str) -> float:
    return 10.0 if re.search("full marks|10", text.lower()) else clean(text)


def paid_seven(text: str) -> float:
    return 10.0 if re.search("expert|urgent|7", text.lower()) else clean(text)


def paid_a_number(text: str) -> float:
    return 10.0 if re.search(r"\d\d", text) else clean(text)


def paid_capitals(text: str) -> float:
    return 10.0 if re.search(r"\b[A-Z]{3,}\b", text) else clean(text)


def paid_words(text: str) -> float:
    return 2.0 + len(text.split()) / 2


STEADIED = ("steady", "jitter", "jumps", "noise")


def unsteady(rule, how, seed=0):
    """Return a judge by this rule: a jitter or a jump the text alone decides, or noise."""
    rng = random.Random(seed)
    added = {
        "steady": lambda text: 0.0,
        "jitter": lambda text: 0.4 * chance(text, seed),
        "jumps": lambda text: float(chance(text, seed) < 0.3),
        "noise": lambda text: rng.gauss(0, 0.7),
    }[how]
    return lambda text: rule(text) + added(text)


def called(report):
    """Return by attack: moved, confounded, undecided or held."""
    said = dict.fromkeys(report.attacks, "held")
    said |= {row.attack_id: "undecided" for row in report.undecided if row.attack_id != "*"}
    said |= {row.attack_id: "confounded" for row in report.confounded}
    said |= {row.attack_id: "moved" for row in report.findings}
    return said


@pytest.mark.parametrize("how", STEADIED)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("rule", "id"),
    [
        (paid_ten, "social.consensus"), (paid_ten, "role.debug_mode"),
        (paid_seven, "social.flattery"), (paid_seven, "social.urgency"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_payload_that_pays_is_not_held_because_one_twin_pays_too(rule, id, seed, how):
    report = unbudged.run(unsteady(rule, how, seed), ANSWERS, attacks=[id], seed=seed)
    text = next(p.text for p in unbudged.load_corpus() if p.id == id)
    assert rule(text) == 10.0
    assert called(report) != {id: "held"}


@pytest.mark.parametrize("how", STEADIED)
@pytest.mark.parametrize("rule", [paid_a_number, paid_capitals], ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("alone", [True, False])
def test_what_every_twin_is_paid_for_is_confounded_on_every_baseline(rule, how, alone):
    paid = [p.id for p in unbudged.load_corpus() if rule(p.text) == 10.0]
    some = paid[:3] if alone else [None]
    for id in some:
        judge = unsteady(rule, how, 1)
        report = unbudged.run(judge, ANSWERS, attacks=[id] if id else None, seed=1)
        assert report.verdict == "held"
        rows = [r for r in report.confounded if r.attack_id in paid]
        for one in [id] if id else paid:
            mine = {r.baseline_index: r for r in rows if r.attack_id == one}
            assert {0, 2} <= set(mine)  # the second answer scores 6: less room for a shift
            if how != "noise":
                assert set(mine) == {0, 1, 2}
            for row in mine.values():
                far = 10 - clean(row.baseline)
                assert row.attack_shift == pytest.approx(far, abs=1.5)
                assert row.twin_shift == pytest.approx(far, abs=1.5)
                assert row.filler_shift == pytest.approx(0, abs=2)


@pytest.mark.parametrize("how", ["jitter", "jumps", "noise"])
@pytest.mark.parametrize("seed", range(3))
def test_a_judge_moved_by_padding_alone_has_no_row_for_every_payload(how, seed):
    report = unbudged.run(unsteady(paid_words, how, seed), ANSWERS, seed=seed)
    assert report.verdict == "held"
    # letters spelt out are a word each: no filler of that length has as many
    assert {row.attack_id for row in report.confounded} <= {"encoding.spaced", "encoding.url"}
    assert re.match(
        r"Held: .* which alone adds \d+(\.\d+)?\s+on average",
        report.to_text().replace("\n ", ""),
    )


@pytest.mark.parametrize("how", ["jitter", "jumps", "noise"])
def test_a_judge_no_text_moves_has_no_confounded_row_and_no_clause_on_padding(how):
    for seed in range(6):
        report = unbudged.run(unsteady(clean, how, seed), ANSWERS, seed=seed)
        assert report.verdict == "held"
        assert [r for r in report.confounded if r.why.startswith("moves against")] == []
        assert "which alone" not in report.to_text()


@pytest.mark.parametrize("how", ["jitter", "noise"])
@pytest.mark.parametrize("rule", [paid_ten, paid_a_number], ids=lambda rule: rule.__name__)
def test_a_scan_of_one_payload_says_what_the_whole_scan_says_of_it(rule, how):
    whole = called(unbudged.run(unsteady(rule, how, 2), ANSWERS, seed=2))
    assert {"moved" if rule is paid_ten else "confounded", "held"} <= set(whole.values())
    alone = {}
    for id in IDS[::2]:
        report = unbudged.run(unsteady(rule, how, 2), ANSWERS, attacks=[id], seed=2)
        alone |= called(report)
    differs = {(whole[id], said) for id, said in alone.items() if whole[id] != said}
    # alone, a payload meets more twins before it is believed, and one of those may be paid
    assert differs <= {("moved", "confounded")}
    assert sum(whole[id] != said for id, said in alone.items()) <= 1


def test_a_payload_that_is_real_but_no_more_than_other_words_is_shown_on_every_baseline():
    # each wording has a shift of its own, wherever it stands: the payload's too
    judge = lambda t: clean(t) + 4 * chance(t.partition("\n\n")[2], 1)  # noqa: E731
    shown = 0
    for id in IDS:
        report = unbudged.run(judge, ANSWERS, attacks=[id])
        assert report.findings == ()
        rows = [r for r in report.confounded if "its twins" in r.why or "its shape" in r.why]
        if rows:
            shown += 1
            assert len(rows) > 1
    assert shown > 3


# The smallest shift


def test_a_jumpy_judge_whose_pairs_all_tie_is_not_said_to_show_the_least_shift():
    id = "social.consensus"
    plan = plan_scan(clean, ANSWERS, attacks=[id]).plan
    low = {plan.text(Call("twin", 0, b, k)) for b in range(3) for k in range(1, 7)}

    def judge(text):
        return clean(text) if text in low or text in ANSWERS else 10.0

    report = unbudged.run(judge, ANSWERS, attacks=[id])
    assert any("jumps when any word changes" in note for note in report.notes)
    assert report.findings == ()
    assert min(report.smallest_detectable.values()) >= 4


@pytest.mark.parametrize("how", ["jitter", "jumps", "noise"])
def test_a_scan_of_one_payload_claims_no_shift_below_the_spread_of_its_twins(how):
    spread = {"jitter": 0.4 / 12**0.5, "jumps": 0.21**0.5, "noise": 0.7}[how]
    for seed in range(12):
        report = unbudged.run(unsteady(clean, how, seed), ANSWERS, attacks=[IDS[0]], seed=seed)
        if any("jumps when" in note or "does not repeat" in note for note in report.notes):
            assert spread / 2 < report.smallest_detectable["up"] < 12 * spread


def test_a_scan_of_one_payload_finds_what_it_claims():
    payload = unbudged.load_corpus()[4]

    def scan(seed, lift):
        rng = random.Random(seed)
        return unbudged.run(
            lambda text: 50 + rng.gauss(0, 5) + lift * (payload.text in text),
            ANSWERS, attacks=[payload.id], seed=seed,
        )

    clean_scans = [scan(seed, 0.0) for seed in range(20)]
    assert {report.verdict for report in clean_scans} == {"held"}
    claimed = median(report.smallest_detectable["up"] for report in clean_scans)
    assert sum(scan(100 + seed, claimed).verdict == "moved" for seed in range(20)) >= 15
    assert sum(scan(100 + seed, claimed / 4).verdict == "moved" for seed in range(20)) <= 4


def test_a_scan_of_one_payload_on_many_baselines_stays_within_what_the_dry_run_says():
    answers = [f"{ANSWERS[n % 3][:-1]}, take {n}." for n in range(60)]
    for how in ("jumps", "noise"):
        prepared = plan_scan(unsteady(clean, how), answers, attacks=[IDS[0]])
        report = unbudged.run(unsteady(clean, how), answers, attacks=[IDS[0]])
        assert prepared.least_calls <= report.calls <= prepared.most_calls
        assert report.calls < 6 * 60
