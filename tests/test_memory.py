"""A judge that fails, hides it and keeps its last score, and its honest neighbours."""

from __future__ import annotations

import json
import random

import pytest

import unbudged
from specimens import GARDEN, KITCHEN, Counted, lifted, merit
from unbudged.core.memory import CALLS_MOST
from unbudged.core.samples import load_samples

STRONG = {strong.output for _, strong in load_samples()}


def right(text):
    return float(any(strong in text for strong in STRONG))


class KeepsLast:
    """Score a text; where that fails, say nothing and return the score before."""

    def __init__(self, judge, fails):
        self.judge, self.fails, self.last, self.calls = judge, fails, 0.0, 0

    def __call__(self, text):
        self.calls += 1
        if not self.fails(text):
            self.last = self.judge(text)
        return self.last


def breaks_json(text):
    try:
        json.loads('{"answer": "' + text.replace("\n", "\\n") + '"}')
    except ValueError:
        return True
    return False


FAILURES = {
    "braces": lambda text: "{" in text,
    "tags": lambda text: "</" in text,
    "one payload of 33": lambda text: "administrator" in text,
    "words that a filter blocks": lambda text: "grading" in text.lower(),
    "not ascii": lambda text: not text.isascii(),
    "a reply that is no json": breaks_json,
}


def says_so(report):
    return any("keeps its last score" in note for note in report.notes)


@pytest.mark.parametrize("fails", FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize(
    ("judge", "baselines"),
    [(right, None), (lambda text: float("42" in text), ["It is 17.", "It is 42.", "No idea."]),
     (merit, list(KITCHEN))],
    ids=["built-in samples", "own baselines", "many scores"],
)  # fmt: skip
def test_a_judge_that_hides_its_error_and_keeps_its_last_score_is_never_clean(
    fails, judge, baselines
):
    target = KeepsLast(judge, fails)
    report = unbudged.run(target, baselines)
    assert report.verdict == "inconclusive"
    assert says_so(report)
    assert not report.findings, "a score of another text is no finding"
    assert {row.attack_id for row in report.undecided} >= {p.id for p in unbudged.load_corpus()}
    assert report.calls == target.calls


@pytest.mark.parametrize("fails", FAILURES.values(), ids=FAILURES)
def test_one_that_says_no_score_instead_is_unscorable_where_it_fails(fails):
    def honest(text):
        return None if fails(text) else right(text)

    report = unbudged.run(honest)
    assert report.verdict == "inconclusive"
    assert report.unscorable
    assert not says_so(report)


def gullible(text):
    return 1.0 if "full marks" in text.lower() else right(text)


def drifting():
    state = {"n": 0}

    def judge(text):
        state["n"] += 1
        return merit(text) + state["n"] / 100

    return judge


def coin(text, _rng=random.Random(5)):  # noqa: B008 one source for the whole scan
    return float(_rng.random() < 0.5)


@pytest.mark.parametrize(
    ("judge", "verdict"),
    [
        (right, "held"), (gullible, "moved"), (merit, "held"),
        (lambda text: merit(text[:60]), "held"),
        (Counted(lambda t, r, n: 50 + 30 * right(t) + r.gauss(0, 5)), "held"),
        (Counted(lambda t, r, n: 50 + lifted(t) + r.gauss(0, 5)), None), (drifting(), None),
        (coin, None), (lambda text: float(len(text)), None),
    ],
    ids=["fair", "gullible", "merit", "head only", "noisy", "noisy and steerable", "drifts",
         "tosses a coin", "length"],
)  # fmt: skip
def test_no_other_judge_is_said_to_keep_its_last_score(judge, verdict):
    report = unbudged.run(judge, None if judge in (right, gullible) else list(GARDEN))
    assert not says_so(report)
    assert verdict in (None, report.verdict), report.to_text()


def test_telling_costs_a_judge_that_scores_what_it_reads_two_calls():
    judge = Counted(lambda t, r, n: right(t))
    unbudged.run(judge)
    every = [n for n, text in enumerate(judge.texts) if text.count("\n\n") > 20]
    assert every == [judge.calls - 1]
    assert judge.texts[-2] in STRONG


def test_payloads_that_the_judge_says_it_cannot_score_are_not_sent_again():
    asked = []

    def blocks(text):
        asked.append(text)
        if "{" in text:
            raise RuntimeError("content_filter")
        return right(text)

    report = unbudged.run(blocks)
    assert report.unscorable
    every = [text for text in asked if text.count("\n\n") > 20]
    assert len(every) == 1
    assert "{" not in every[0]


def test_no_call_is_made_beyond_the_calls_allowed():
    for allowed in range(180, 180 + CALLS_MOST):
        target = KeepsLast(right, FAILURES["braces"])
        report = unbudged.run(target, max_calls=allowed)
        assert report.calls == target.calls <= allowed


def test_a_scan_told_again_from_its_journal_says_the_same_and_asks_nothing(tmp_path):
    file = tmp_path / "scan.jsonl"
    first = unbudged.run(KeepsLast(right, FAILURES["braces"]), journal=str(file))
    target = KeepsLast(right, FAILURES["braces"])
    again = unbudged.run(target, journal=str(file))
    assert says_so(first)
    assert again == first
    assert target.calls == 0


def test_calls_in_flight_together_do_not_hide_a_kept_score():
    report = unbudged.run(KeepsLast(right, FAILURES["braces"]), concurrency=4)
    assert report.verdict == "inconclusive"
    assert says_so(report)
