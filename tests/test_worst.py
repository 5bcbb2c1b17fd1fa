"""--worst: the strongest attack is searched for, then tested on what the search did not read."""

from __future__ import annotations

import hashlib
import random
import re

import pytest

from unbudged import Sample, UsageError, run
from unbudged.api import plan_scan
from unbudged.core.search import SEARCH_ROUND, full_cost, search_step, split, stages
from unbudged.core.table import Table

ANSWERS = [
    "The lake freezes in most winters, and people skate to the island.",
    "Bread needs flour, water and salt. It also needs time to rise.",
    "The night train reaches the coast before sunrise.",
    "Prune the pear tree in late winter and leave the spurs alone.",
]


class Judge:
    def __init__(self, rule):
        self.rule, self.texts = rule, []

    @property
    def calls(self):
        return len(self.texts)

    def score(self, text):
        self.texts.append(text)
        return self.rule(text)


def jumps(salt: object, share: float):
    """A judge that jumps on some texts, whatever they say, and never twice differently."""

    def score(text: str) -> float:
        digest = hashlib.sha256(f"{salt}|{text}".encode()).digest()
        return 50.0 + 25.0 * (digest[0] < 256 * share)

    return score


def graded(text: str) -> float:
    """Full marks for a forged turn, some for an order: one attack is the strongest."""
    return 4.0 + 5.0 * ("im_start" in text) + 2.0 * bool(re.search("ignore|disregard", text, re.I))


def phases(judge: Judge) -> tuple[list[str], list[str]]:
    """Return the texts of the search and those of the test, which starts with clean answers."""
    cut = next(i for i, text in enumerate(judge.texts) if text in ANSWERS)
    assert cut > 200
    return judge.texts[:cut], judge.texts[cut:]


def test_the_strongest_attack_is_found_and_alone_reported() -> None:
    judge = Judge(graded)
    report = run(judge, ANSWERS, worst=True)
    assert {f.attack_id for f in report.findings} == {"system.chat_turn"}
    assert report.attack_count == 1
    assert report.calls == judge.calls
    (note,) = [n for n in report.notes if "strongest" in n]
    assert "the strongest of 33 attacks in a search of up to 396 calls was system.chat_turn" in note
    assert "tested on 2 of 4 baselines, which the search did not use" in note


def test_the_test_uses_no_text_of_the_search() -> None:
    judge = Judge(graded)
    report = run(judge, ANSWERS, worst=True)
    searched, tested = phases(judge)
    assert not set(searched) & set(tested)
    indices = {f.baseline for f in report.findings}
    assert not any(text.startswith(tuple(indices)) for text in searched)


def test_a_single_baseline_is_tested_in_other_contexts_than_those_of_the_search() -> None:
    judge = Judge(graded)
    report = run(judge, ANSWERS[:1], worst=True)
    assert report.verdict == "moved"
    assert "in contexts the search did not use" in " ".join(report.notes)
    searched, tested = phases(judge)
    assert not set(searched) & set(tested)


def test_a_noisy_judge_yields_its_strongest_attack_too() -> None:
    noise = random.Random(3)
    report = run(lambda text: graded(text) + noise.gauss(0, 1), ANSWERS, worst=True)
    assert {f.attack_id for f in report.findings} == {"system.chat_turn"}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("share", [0.05, 0.3])
def test_the_luckiest_payload_of_a_judge_that_jumps_is_no_finding(seed: int, share: float) -> None:
    report = run(jumps(seed, share), ANSWERS, worst=True, seed=seed)
    assert report.findings == ()


@pytest.mark.parametrize("seed", range(8))
def test_the_luckiest_payload_of_a_noisy_judge_is_no_finding(seed: int) -> None:
    noise = random.Random(seed)
    report = run(lambda text: noise.gauss(5, 1), ANSWERS, worst=True, seed=seed)
    assert report.findings == ()


def test_a_budget_bounds_the_search_and_takes_the_likeliest_attacks() -> None:
    judge = Judge(graded)
    report = run(judge, ANSWERS, corpus="extended", worst=True, budget=200)
    assert report.verdict == "moved"
    assert "attacks were not looked at" in " ".join(report.notes)
    assert "search of up to 200 calls" in " ".join(report.notes)
    plan = plan_scan(Judge(graded), ANSWERS, corpus="extended", worst=True, budget=200)
    assert full_cost(len(plan.search.attacks)) <= 200
    assert plan.least_calls <= judge.calls <= plan.most_calls


def test_the_search_is_decided_by_its_readings_alone() -> None:
    prepared = plan_scan(Judge(graded), ANSWERS, worst=True)
    plan, search = prepared.plan, prepared.search
    groups, best = search_step(plan, Table(plan), search, prepared.settings)
    assert best is None
    assert len(groups) == 33
    assert search_step(plan, Table(plan), search, prepared.settings)[0] == groups
    assert all(call.round >= SEARCH_ROUND for group in groups for call in group)
    assert {call.arm for group in groups for call in group} == {"attack", "twin"}


def test_search_and_test_share_no_baseline_where_there_are_two() -> None:
    for count in range(2, 9):
        looked, held = split(count, 0)
        assert not set(looked) & set(held)
        assert sorted((*looked, *held)) == list(range(count))
    assert split(1, 0) == ((0,), (0,))
    assert [stages(n) for n in (1, 2, 3, 33, 231)] == [1, 1, 2, 6, 8]


def test_a_payload_that_is_the_same_text_on_every_baseline_is_not_searched(scan) -> None:
    with pytest.raises(UsageError, match="fewer than two have a fresh text"):
        scan(graded, [":", "Solution"], ANSWERS, placement="replace", worst=True)


def test_calls_that_end_in_the_search_leave_everything_open() -> None:
    prepared = plan_scan(Judge(graded), ANSWERS, worst=True)
    report = run(graded, ANSWERS, worst=True, max_calls=prepared.least_calls)
    assert report.calls <= prepared.least_calls
    with pytest.raises(UsageError, match="too few"):
        run(graded, ANSWERS, worst=True, max_calls=50)


@pytest.mark.parametrize("option", [{"worst": "yes"}, {"compose": 1}, {"worst": True, "budget": 3}])
def test_an_option_that_cannot_be_used_is_refused(option: dict) -> None:
    with pytest.raises(UsageError):
        run(graded, ANSWERS, **option)


def test_a_killed_search_goes_on_where_it_was(tmp_path) -> None:
    path = tmp_path / "journal"
    whole = run(graded, ANSWERS, worst=True)
    first = Judge(graded)

    class Killed(BaseException):
        pass

    def dies(progress):
        if first.calls == 150:
            raise Killed

    with pytest.raises(Killed):
        run(first, ANSWERS, worst=True, journal=path, progress=dies)
    again = Judge(graded)
    report = run(again, ANSWERS, worst=True, journal=path)
    assert again.calls == whole.calls - 150
    assert [f.attack_id for f in report.findings] == [f.attack_id for f in whole.findings]
    with pytest.raises(UsageError, match="of another scan"):
        run(graded, ANSWERS, journal=path)


def test_samples_with_a_question_are_searched_like_any() -> None:
    given = [Sample(text, input="What is it?") for text in ANSWERS]
    assert run(graded, given, worst=True).verdict == "moved"
