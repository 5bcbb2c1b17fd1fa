"""--budget: which attacks so many judge calls pay for, and what the report says of the others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from unbudged import UsageError, run
from unbudged.api import plan_scan
from unbudged.cli.command import cli
from unbudged.core.choosing import affordable, left_out, ranked, told
from unbudged.core.corpus import Attack, Family, load_families, read_corpus

ANSWERS = ["The lake freezes in most winters.", "Bread needs flour, water and salt."]
EXTENDED = read_corpus("extended")


def attack(id: str) -> Attack:
    return Attack(id, id.partition(".")[0], f"text of {id}")


def family(name: str, strength: float | None = None) -> Family:
    return Family(name, f"{name}.", "", "", strength=strength)


FEW = [attack(i) for i in ("a.1", "a.2", "a.3", "b.1", "c.1", "c.2")]
KNOWN = {"a": family("a"), "b": family("b", 0.4), "c": family("c", 0.9)}


class Judge:
    def __init__(self, rule=len):
        self.rule, self.calls = rule, 0

    def score(self, text):
        self.calls += 1
        return float(self.rule(text))


def test_every_family_comes_before_the_second_payload_of_any_and_strong_ones_first() -> None:
    order = [FEW[i].id for i in ranked(FEW, KNOWN)]
    assert order == ["c.1", "b.1", "a.1", "c.2", "a.2", "a.3"]


@pytest.mark.parametrize(
    ("budget", "kept"), [(1, "c.1"), (3, "a.1 b.1 c.1"), (5, "a.1 a.2 b.1 c.1 c.2")]
)
def test_a_budget_takes_the_order_as_far_as_it_goes(budget: int, kept: str) -> None:
    found = affordable(FEW, KNOWN, [1] * 6, lambda n, probes: probes, budget)
    assert [FEW[i].id for i in found] == kept.split()


def test_an_attack_on_more_baselines_costs_more() -> None:
    assert affordable(FEW, KNOWN, [5] * 6, lambda n, probes: probes, 9) == (4,)
    assert affordable(FEW, KNOWN, [5] * 6, lambda n, probes: probes, 4) == ()


def test_what_is_left_out_is_counted_by_family_and_whole_families_are_named() -> None:
    assert left_out(FEW, [3, 4]) == {"a": 3, "c": 1}
    assert "2 of 6 attacks chosen, 4 left out; nothing was tried of 1 families: a" in told(
        FEW, [3, 4], 9
    )
    assert told(FEW, [0, 3, 4], 9).endswith("none of them a whole family")


@pytest.mark.parametrize("budget", [20, 47, 100, 333])
def test_a_scan_in_which_nothing_moves_keeps_to_its_budget(budget: int) -> None:
    judge = Judge(lambda text: 5)
    report = run(judge, ANSWERS, corpus="extended", budget=budget)
    assert report.calls == judge.calls <= budget
    # and does not leave a family's worth of it unused
    assert budget - judge.calls < 8
    assert report.settings["budget"] == budget
    out = report.settings["left_out"]
    assert report.attack_count + sum(out.values()) == len(EXTENDED.attacks)
    assert any(f"a budget of {budget} calls: {report.attack_count} of" in n for n in report.notes)


def test_ninety_calls_reach_every_family_of_the_extended_corpus() -> None:
    plan = plan_scan(Judge(), ANSWERS, corpus="extended", budget=110).plan
    assert {a.family for a in plan.attacks} == set(EXTENDED.families)
    assert len(plan.attacks) < 50


def test_a_budget_for_everything_leaves_nothing_out_and_says_nothing() -> None:
    report = run(Judge(lambda text: text.startswith("The")), ANSWERS, budget=10_000)
    assert report.attack_count == 33
    assert report.settings["left_out"] == {}
    assert not any("budget" in note for note in report.notes)


def test_a_contrast_is_paid_for_out_of_the_budget() -> None:
    judge = Judge(lambda text: text.startswith("The"))
    report = run(judge, ANSWERS, contrast=("The a.", "No b."), budget=40)
    assert judge.calls == report.calls <= 40


@pytest.mark.parametrize(
    ("budget", "says"),
    [(0, "from 1 to"), (True, "from 1 to"), ("9", "from 1 to"), (5, "=5 is too few")],
)
def test_a_budget_that_buys_nothing_is_refused_before_any_call(budget: object, says: str) -> None:
    judge = Judge()
    with pytest.raises(UsageError, match=says):
        run(judge, ANSWERS, budget=budget)
    assert judge.calls == 0


@pytest.mark.parametrize("options", [{}, {"trials": 3}, {"corpus": "extended"}], ids=str)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_smallest_budget_the_refusal_names_is_enough(count: int, options: dict) -> None:
    answers = [*ANSWERS, "The night train is late."][:count]
    with pytest.raises(UsageError) as refusal:
        run(Judge(), answers, budget=1, **options)
    least = int(re.search(r"takes (\d+) calls", str(refusal.value))[1])
    judge = Judge(lambda text: 5)
    assert run(judge, answers, budget=least, **options).attack_count == 1
    assert judge.calls <= least
    with pytest.raises(UsageError):
        run(Judge(), answers, budget=least - 1, **options)


def test_a_scan_that_passes_its_budget_says_so() -> None:
    judge = Judge(lambda text: len(text.split()))
    report = run(judge, ANSWERS, budget=40)
    assert judge.calls > 40
    assert any(f"{judge.calls - 40} calls beyond the budget of 40:" in n for n in report.notes)
    calm = run(Judge(lambda text: 5), ANSWERS, budget=40)
    assert not any("beyond the budget" in n for n in calm.notes)


def test_the_command_line_says_what_a_budget_left_out(tmp_path: Path) -> None:
    target = tmp_path / "grader.py"
    target.write_text(
        "def target(text):\n    return float(text.startswith('The'))\n"
        f"baselines = {ANSWERS!r}\n",
        encoding="utf-8",
    )
    own = {"own_process": False}
    result = CliRunner().invoke(cli, ["run", str(target), "--budget", "40"], obj=own)
    assert "a budget of 40 calls:" in " ".join(result.output.split())
    assert result.exit_code == 0
    refused = CliRunner().invoke(cli, ["run", str(target), "--budget", "2"], obj=own)
    assert refused.exit_code == 2


def test_a_strength_is_a_figure_that_was_published() -> None:
    strong = {n: f for n, f in load_families("extended").items() if f.strength is not None}
    assert len(strong) >= 8
    for name, found in strong.items():
        shown = f"{found.strength:g}", f"{100 * found.strength:g}%", f"{100 * found.strength:g} "
        assert any(text in found.figures for text in shown), f"{name}: {found.strength}"


@pytest.mark.parametrize("value", ["1.5", "-1", "ten", "50%"])
def test_a_strength_that_is_no_share_is_refused_by_file_and_key(tmp_path: Path, value: str) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(f'family: x\nstrength: "{value}"\nattacks:\n  - {{id: x.1, text: a}}\n')
    says = r"own.yaml, line 2.*key 'strength': must be a share"
    with pytest.raises(UsageError, match=says):
        load_families(str(path))
