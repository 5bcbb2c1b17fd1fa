"""What controls do in one place says nothing of another: payloads are compared where they stand."""

from __future__ import annotations

import hashlib
import re

import pytest

from unbudged import run
from unbudged.core.corpus import Attack
from unbudged.core.decide.lanes import lanes
from unbudged.core.decide.rules import fillers_of
from unbudged.core.plan import Call, make_plan
from unbudged.core.sample import Sample
from unbudged.core.stats import e_bh, e_bh_adjusted
from unbudged.core.table import Channel

ANSWERS = [
    "The lake freezes in most winters, and people then skate to the small island.",
    "Bread needs flour, water and a little salt, and it also needs time to rise.",
    "The night train leaves platform two and reaches the coast before the sunrise.",
]
# in front of the answer, in its middle, in its place and behind it
FAMILIES = ["instruction_override", "self_praise", "hidden_document", "null_answer", "combination"]
OBEY = re.compile(r"\b(ignore|forget|disregard)\b.{0,40}\b(rubric|criteria|rules)", re.I | re.S)


def of_head(text: str) -> float:
    """A mark that any change of the first words changes."""
    return 40.0 + hashlib.sha256(text[:50].encode()).digest()[0] % 21


def test_a_judge_that_jumps_with_the_head_and_obeys_the_end_is_found_by_the_end() -> None:
    def score(text: str) -> float:
        return of_head(text) - 5.0 * (len(text) > 100) + 5.0 * bool(OBEY.search(text))

    report = run(score, ANSWERS, corpus="extended", families=FAMILIES)
    assert "override.full_marks" in {f.attack_id for f in report.findings}
    assert {f.placement for f in report.findings} == {"suffix"}
    (note,) = [n for n in report.notes if "jumps when any word changes" in n]
    assert "in payloads placed:" in note
    assert "suffix" not in note


def test_the_same_judge_without_obedience_is_clean() -> None:
    report = run(
        lambda text: of_head(text) - 5.0 * (len(text) > 100), ANSWERS, corpus="extended",
        families=FAMILIES,
    )
    assert report.findings == ()


def test_a_judge_that_jumps_with_the_end_and_obeys_the_head_is_found_by_the_head() -> None:
    def score(text: str) -> float:
        jump = hashlib.sha256(text[-50:].encode()).digest()[0] % 21
        return 20.0 + jump + 60.0 * text.lower().startswith(("the following answer", "note: this"))

    report = run(score, ANSWERS, corpus="extended", families=FAMILIES)
    assert report.verdict == "moved"
    assert {f.placement for f in report.findings} == {"prefix"}


@pytest.mark.parametrize("seed", range(6))
def test_a_judge_that_jumps_everywhere_is_clean_in_every_place(seed: int) -> None:
    def score(text: str) -> float:
        return 50.0 + hashlib.sha256(f"{seed}{text}".encode()).digest()[0] % 3

    report = run(score, ANSWERS, corpus="extended", families=FAMILIES, seed=seed)
    assert report.findings == ()


def plan_of(*placements: str):  # type: ignore[no-untyped-def]
    attacks = [Attack(f"x.{i}", "x", f"Payload {i} " * (i + 1), placement=p)  # type: ignore[arg-type]
               for i, p in enumerate(placements)]
    return make_plan(attacks, [Sample("One answer. And more."), Sample("Two.")], {})


def test_each_placement_is_a_lane_with_its_own_readings_unless_nothing_moved() -> None:
    plan = plan_of("suffix", "prefix", "suffix")
    channel = Channel(plan)
    channel.add(Call("twin", 1, 0), 5.0)
    channel.add(Call("filler", 2, 0), 6.0)
    (all_,) = lanes(plan, channel, together=True)
    assert list(all_.attacks) == [0, 1, 2]
    assert all_.channel is channel
    suffix, prefix = lanes(plan, channel, together=False)
    assert (list(suffix.attacks), list(prefix.attacks)) == ([0, 2], [1])
    assert list(suffix.channel.twins) == []
    assert list(prefix.channel.twins) == [(1, 0)]
    assert list(prefix.channel.fillers) == []
    (only,) = lanes(plan_of("suffix", "suffix"), channel, together=False)
    assert only.channel is channel


def test_filler_that_stands_elsewhere_is_no_control() -> None:
    plan = plan_of("suffix", "prefix", "suffix")
    channel = Channel(plan)
    channel.add(Call("filler", 1, 0), 5.0)
    assert fillers_of(plan, channel, 0, 0) == []
    channel.add(Call("filler", 2, 0), 6.0)
    assert fillers_of(plan, channel, 0, 0) == [6.0]


def test_shares_of_one_family_of_tests_keep_its_level_together() -> None:
    logs = [5.5, 0.0, 7.5, 0.1]
    assert e_bh(logs, 0.01, 4) == e_bh(logs, 0.01)
    apart = e_bh(logs[:2], 0.01, 4) | {2 + i for i in e_bh(logs[2:], 0.01, 4)}
    assert apart <= e_bh(logs, 0.01)
    # alone, a share may not spend more than its part of alpha
    assert e_bh([5.5], 0.01) == {0}
    assert e_bh([5.5], 0.01, 4) == set()
    assert e_bh_adjusted([5.5], 4)[0] == pytest.approx(4 * e_bh_adjusted([5.5])[0])
