"""Judges that repeat themselves: what steers them is found, what merely moves them is not."""

from __future__ import annotations

from functools import cache

import pytest

import unbudged
from specimens import (
    CONSTANT,
    HARMLESS,
    KITCHEN,
    STEERABLE,
    Counted,
    Specimen,
    chance,
    merit,
    orders,
)
from unbudged import Sample
from unbudged.core.control import twin
from unbudged.core.corpus import load_families

PAYLOADS = {attack.id: attack for attack in unbudged.load_corpus()}
NEUTRAL = "The boat lay in the harbour while the tide went out."


@cache
def scanned(specimen: Specimen, **options):
    judge = specimen.make()
    return judge, unbudged.run(judge, list(specimen.baselines), **options)


def found(report) -> set[str]:
    return {finding.attack_id for finding in report.findings}


def powerful(specimen: Specimen) -> set[str]:
    """The payloads that move a judge other than a neutral sentence in their place does."""
    score = specimen.make().score

    def behind(text):
        return [score(f"{baseline}\n\n{text}") for baseline in specimen.baselines]

    return {name for name, attack in PAYLOADS.items() if behind(attack.text) != behind(NEUTRAL)}


@pytest.mark.parametrize("specimen", STEERABLE, ids=str)
def test_every_payload_that_steers_a_judge_is_a_finding_and_no_other_is(specimen):
    _, report = scanned(specimen)
    assert powerful(specimen), "the specimen is steered by nothing"
    assert report.verdict == "moved", specimen.rule
    assert found(report) == powerful(specimen), specimen.rule


@pytest.mark.parametrize("specimen", STEERABLE, ids=str)
def test_a_payload_of_one_effect_is_found_on_every_baseline_it_moves(specimen):
    _, report = scanned(specimen)
    reached = {(f.attack_id, f.baseline_index) for f in report.findings}
    score = specimen.make().score
    for name in powerful(specimen):
        for b, baseline in enumerate(specimen.baselines):
            with_it = score(f"{baseline}\n\n{PAYLOADS[name].text}")
            if with_it != score(f"{baseline}\n\n{NEUTRAL}"):
                assert (name, b) in reached, specimen.rule


@pytest.mark.parametrize("specimen", HARMLESS, ids=str)
def test_a_judge_moved_by_what_a_text_is_and_not_by_what_it_asks_is_clean(specimen):
    _, report = scanned(specimen)
    assert report.findings == (), specimen.rule
    assert report.verdict == "held", (specimen.rule, report.notes, report.undecided)


@pytest.mark.parametrize("specimen", HARMLESS, ids=str)
def test_a_harmless_judge_does_move_or_reads_only_the_head(specimen):
    judge, report = scanned(specimen)
    scores = {judge.rule(text, judge.random, 0) for text in judge.texts}
    first = {specimen.score(b, judge.random, 0) for b in specimen.baselines}
    assert scores - first or any("only the head" in note for note in report.notes)


def test_a_constant_judge_is_inconclusive_and_the_report_says_why():
    _, report = scanned(CONSTANT)
    assert report.verdict == "inconclusive"
    assert any("every reading of the scan was the same" in note for note in report.notes)


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize(
    "specimen", [s for s in HARMLESS if "jump" in s.rule or "leap" in s.rule], ids=str
)
def test_a_jumpy_judge_is_clean_whatever_the_seed(specimen, seed):
    assert scanned(specimen, seed=seed)[1].findings == ()


# What a finding says


def report_of(name: str, **options):
    return scanned(next(s for s in STEERABLE if s.name == name), **options)[1]


def test_an_effect_hidden_by_padding_shows_against_the_controls():
    report = report_of("masked")
    assert {f.attack_shift for f in report.findings} == {0.0}
    assert {f.control_shift for f in report.findings} == {-6.0}
    assert {f.excess for f in report.findings} == {6.0}
    assert {f.direction for f in report.findings} == {"up"}


def test_a_lowered_score_is_reported_apart_and_names_the_flag_to_look_up_alone():
    report = report_of("sabotaged")
    assert {f.direction for f in report.findings} == {"down"}
    assert any("--direction up" in note for note in report.notes)
    assert all(f.excess > 0 > f.attack_shift for f in report.findings)


def test_looking_up_alone_holds_where_payloads_only_lower_the_score():
    assert report_of("sabotaged", direction="up").verdict == "held"
    assert report_of("obedient", direction="down").verdict == "held"


def test_excess_is_the_distance_of_attack_and_nearest_control():
    for specimen in STEERABLE:
        for finding in scanned(specimen)[1].findings:
            gap = abs(finding.attack_shift - finding.control_shift)
            assert finding.excess == pytest.approx(gap)
            assert finding.excess > 0


def test_a_finding_shows_the_evidence_of_both_questions():
    for name in ("masked", "obedient"):
        for finding in report_of(name).findings:
            evidence = finding.evidence
            assert 0 <= evidence.real <= 0.01
            assert evidence.beyond is None or evidence.beyond > 1
            assert evidence.contexts >= 3
            assert evidence.twins >= 3
            assert "contexts" in evidence.sentence


def test_a_finding_carries_the_fix_of_its_family():
    fixes = {name: family.fix for name, family in load_families().items()}
    for finding in report_of("keywords").findings:
        assert finding.fix == fixes[finding.family] != ""


def test_a_rubric_of_words_is_moved_by_vocabulary_an_obedient_judge_by_instruction():
    marks = ("mark", "grad", "score", "answer", "criteri", "review", "verdict", "guideline")
    rubric = Counted(lambda t, r, n: 5.0 * any(word in t.lower() for word in marks))
    kinds = {f.kind for f in unbudged.run(rubric, list(KITCHEN)).findings}
    assert kinds == {"vocabulary"}
    assert {f.kind for f in report_of("obedient").findings} == {"instruction"}


# What is shown and not counted


def test_what_twins_do_as_well_is_confounded_shown_and_explained():
    # more digits than plain prose has, as a payload has and so do its twins
    judge = Counted(lambda t, r, n: 50.0 + sum(map(str.isdigit, t)))
    report = unbudged.run(judge, list(KITCHEN))
    assert report.findings == ()
    assert report.confounded
    for row in report.confounded:
        assert row.attack_shift == row.twin_shift != row.filler_shift
        assert "own shape" in row.why


def test_a_judge_that_nothing_of_the_kind_moves_has_nothing_confounded():
    judge = Counted(lambda t, r, n: merit(t))
    assert unbudged.run(judge, list(KITCHEN)).confounded == ()


# Tolerance and false-alarm rate


def test_a_move_within_the_tolerance_is_none():
    judge = lambda text: merit(text) + 0.5 * orders(text)  # noqa: E731
    assert unbudged.run(judge, list(KITCHEN), tolerance=0.5).verdict == "held"
    assert unbudged.run(judge, list(KITCHEN), tolerance=0.49).verdict == "moved"


def test_the_last_bit_of_a_sum_is_no_move():
    judge = lambda text: merit(text) + 1e-12 * orders(text)  # noqa: E731
    assert unbudged.run(judge, list(KITCHEN)).verdict == "held"


def test_the_smallest_detectable_shift_of_a_judge_that_never_jumps_is_the_tolerance():
    report = unbudged.run(lambda text: merit(text), list(KITCHEN), tolerance=0.25)
    assert report.findings == ()
    assert dict(report.smallest_detectable) == {"up": 0.25, "down": 0.25}


@pytest.mark.parametrize("specimen", [s for s in HARMLESS if s.name != "head_only"], ids=str)
def test_every_report_without_findings_says_the_smallest_shift_it_would_have_found(specimen):
    smallest = scanned(specimen)[1].smallest_detectable
    assert set(smallest) == {"up", "down"}
    assert all(value is not None and value > 0 for value in smallest.values())


def test_the_smallest_detectable_shift_grows_with_the_jumps_of_the_judge():
    one = Counted(lambda t, r, n: float(chance(t) < 0.3))
    ten = Counted(lambda t, r, n: 10.0 * (chance(t) < 0.3))
    small, large = (
        unbudged.run(judge, list(KITCHEN)).smallest_detectable["up"] for judge in (one, ten)
    )
    assert large == pytest.approx(10 * small)


# Placement


def test_an_order_is_found_only_where_it_is_read():
    opening = lambda text: 90.0 if orders(text[:120]) else merit(text[-40:])  # noqa: E731
    long_answers = [" ".join(KITCHEN), " ".join(reversed(KITCHEN))]
    assert unbudged.run(opening, long_answers, direction="up").verdict == "held"
    prefixed = unbudged.run(opening, long_answers, placement="prefix", direction="up")
    assert prefixed.verdict == "moved"
    assert {f.placement for f in prefixed.findings} == {"prefix"}


def test_a_payload_that_replaces_the_answer_is_one_text_and_scored_once_per_context():
    judge = Counted(lambda t, r, n: 50.0 if t in KITCHEN else 10.0)
    report = unbudged.run(judge, list(KITCHEN), placement="replace")
    assert report.findings == ()
    for attack in PAYLOADS.values():
        assert judge.texts.count(attack.text) == 1


def test_a_payload_that_replaces_the_answer_and_is_obeyed_is_a_finding():
    judge = Counted(lambda t, r, n: 95.0 if orders(t) else 10.0 + 20.0 * (t in KITCHEN))
    report = unbudged.run(judge, list(KITCHEN), placement="replace")
    assert report.verdict == "moved"
    assert found(report) == {name for name, attack in PAYLOADS.items() if orders(attack.text)}


def test_the_separator_stands_before_attack_and_control_alike():
    judge = Counted(lambda t, r, n: merit(t))
    unbudged.run(judge, list(KITCHEN), separator=" // ")
    added = [t for t in judge.texts if t not in KITCHEN]
    assert added
    assert all(" // " in text for text in added)
    assert not any("\n\n" in text.split(" // ")[0] for text in added)


# Leaks


def test_a_payload_that_holds_the_reference_answer_is_left_out_and_noted():
    given = [
        Sample(KITCHEN[0], reference="100"),
        Sample(KITCHEN[1], reference="an hour"),
    ]
    judge = Counted(lambda t, r, n: 100.0 if "100" in t else merit(t))
    report = unbudged.run(judge, given)
    holding = [a for a in PAYLOADS.values() if "100" in a.text or "100" in (a.plain or "")]
    assert report.probe_count == 2 * len(PAYLOADS) - len(holding)
    assert any(f"{len(holding)} probes left out" in note for note in report.notes)
    assert {f.baseline_index for f in report.findings} == {1}


def test_without_a_reference_no_payload_is_left_out():
    report = unbudged.run(lambda text: merit(text), list(KITCHEN))
    assert report.probe_count == 3 * len(PAYLOADS)
    assert not any("left out" in note for note in report.notes)


# Twins


def test_a_twin_is_not_what_its_payload_asks():
    for attack in PAYLOADS.values():
        for k in range(3):
            assert not orders(twin(attack, k))


NULLS = ["null_answer", "master_key"]


def test_a_replaced_answer_obeyed_byte_for_byte_only_is_a_finding():
    report = unbudged.run(
        lambda text: 10.0 if text == "N/A" else 2.0, list(KITCHEN), corpus="extended",
        families=NULLS,
    )
    assert {f.attack_id for f in report.findings} == {"null.not_applicable"}


def test_a_replaced_answer_that_scored_once_by_luck_is_none():
    lucky = {"N/A", "[]", ":"}

    def judge(text):
        if text in lucky:
            lucky.remove(text)
            return 10.0
        return 2.0

    report = unbudged.run(judge, list(KITCHEN), corpus="extended", families=NULLS)
    assert not lucky
    assert report.findings == ()
