"""What a scan refuses before its first call: chances, counts, caps and contrasts of no use."""

from __future__ import annotations

import pytest

import unbudged
from specimens import KITCHEN, Counted, merit
from unbudged import Sample, UsageError
from unbudged.api import plan_scan
from unbudged.cli import main

STRONG, WEAK = "Bake it until the crust sounds hollow, for 40 minutes.", "Bake it."


def still():
    return Counted(lambda t, r, n: merit(t))


def refusal(baselines=KITCHEN, **options):
    """Return the one line a scan is refused with; no call was made."""
    judge = still()
    with pytest.raises(UsageError) as refused:
        unbudged.run(judge, None if baselines is None else list(baselines), **options)
    assert judge.calls == 0
    line = str(refused.value)
    assert line
    assert "\n" not in line
    return line


# alpha


@pytest.mark.parametrize("alpha", [0, 0.0, -0.01, 0.500001, 1, 5, float("nan"), float("inf")])
def test_an_alpha_outside_0_to_a_half_is_refused(alpha):
    assert repr(alpha) in refusal(alpha=alpha)
    assert "0.5" in refusal(alpha=alpha)


@pytest.mark.parametrize("alpha", [1e-9, 0.01, 0.5])
def test_an_alpha_up_to_a_half_is_taken(alpha):
    assert unbudged.run(still(), list(KITCHEN), alpha=alpha).alpha == alpha


# trials


@pytest.mark.parametrize("trials", [0, -1, 2.5, "3", float("nan")])
def test_trials_that_are_no_whole_number_of_at_least_1_are_refused(trials):
    assert refusal(trials=trials) == (
        f"trials must be a whole number from 1 to 1000000000, not {trials!r}"
    )


@pytest.mark.parametrize("baselines", [KITCHEN, KITCHEN[:1]], ids=["three", "one"])
@pytest.mark.parametrize("spread", [0, 6])
def test_one_trial_is_taken_and_what_it_cannot_tell_is_undecided(baselines, spread):
    judge = Counted(lambda t, r, n: merit(t) + r.gauss(0, spread))
    report = unbudged.run(judge, list(baselines), trials=1)
    assert report.verdict == "inconclusive"
    assert {row.attack_id for row in report.undecided} == {
        attack.id for attack in unbudged.load_corpus()
    }
    assert report.calls <= 2 * report.probe_count + 10


# max_calls


@pytest.mark.parametrize("cap", [0, -5, 200.5, "200"])
def test_a_cap_that_is_no_whole_number_of_at_least_1_is_refused(cap):
    assert refusal(max_calls=cap) == (
        f"max_calls must be a whole number from 1 to 1000000000, not {cap!r}"
    )


@pytest.mark.parametrize("baselines", [KITCHEN, KITCHEN[:1], None], ids=["three", "one", "own"])
@pytest.mark.parametrize("attacks", [None, ["role.*"]], ids=["all", "role"])
def test_a_cap_below_one_pass_is_refused_with_the_calls_needed(baselines, attacks):
    given = None if baselines is None else list(baselines)
    plan = plan_scan(len, given, attacks=attacks)
    line = refusal(baselines, attacks=attacks, max_calls=plan.least_calls - 1)
    assert f"max_calls={plan.least_calls - 1} " in line
    assert f"takes {plan.least_calls} calls" in line


def test_a_cap_of_one_pass_is_enough_where_nothing_moves():
    least = plan_scan(len, list(KITCHEN)).least_calls
    judge = still()
    report = unbudged.run(judge, list(KITCHEN), max_calls=least)
    assert (report.verdict, judge.calls) == ("held", least)


def test_the_calls_of_the_contrast_are_part_of_one_pass():
    alone = plan_scan(len, list(KITCHEN)).least_calls
    assert plan_scan(len, list(KITCHEN), contrast=(STRONG, WEAK)).least_calls == alone + 2
    assert str(alone + 2) in refusal(contrast=(STRONG, WEAK), max_calls=alone + 1)
    report = unbudged.run(
        Counted(lambda t, r, n: 50.0 + len(t.split(",")[0]) % 40), list(KITCHEN),
        contrast=(STRONG, WEAK), max_calls=alone + 2,
    )  # fmt: skip
    assert report.calls <= alone + 2


# contrast


@pytest.mark.parametrize(
    "contrast",
    [
        (STRONG, STRONG),
        (STRONG, [STRONG]),
        ([STRONG, WEAK], [WEAK, STRONG, WEAK]),
        (Sample(STRONG, id="good"), Sample(STRONG, id="bad")),
        # a function of the text cannot tell these apart
        (Sample(STRONG, input="How long?"), Sample(STRONG, input="How hot?")),
    ],
)
def test_a_contrast_of_equal_sides_is_refused(contrast):
    assert refusal(contrast=contrast) == (
        "contrast needs a good and a bad answer: both sides are the same"
    )


@pytest.mark.parametrize("contrast", [(STRONG,), (STRONG, WEAK, WEAK), STRONG, 3, (STRONG, 3)])
def test_a_contrast_that_is_no_pair_of_answers_is_refused(contrast):
    assert "contrast" in refusal(contrast=contrast)


def test_a_swapped_contrast_is_inconclusive_and_named_since_only_the_judge_can_tell():
    judge = Counted(lambda t, r, n: float(len(t)))
    report = unbudged.run(judge, list(KITCHEN), contrast=(WEAK, STRONG))
    assert report.verdict == "inconclusive"
    assert "the judge ranks weak answers above strong ones" in report.notes


# From the command line: one line, exit code 2


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "grader.py"
    path.write_text(
        "def target(text):\n    raise SystemExit('called')\n"
        f"baselines = {list(KITCHEN)!r}\n"
    )  # fmt: skip
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--alpha", "0.6"], "alpha"),
        (["--trials", "0"], "trials"),
        (["--budget", "9" * 20], "budget must be a whole number from 1 to 1000000000, not 99"),
        (["--max-calls", "9" * 20], "a whole number from 1 to 1000000000"),
        (["--scale", "0-1e400"], "1e400 is too large a number"),
        (["--scale", "1e400-2"], "1e400 is too large a number"),
        (["--scale", "5-1"], "the first number must be the lower one"),
        (["--timeout", "1e400"], "timeout must be a finite number above 0, not inf"),
        (["--tolerance", "1e400"], "tolerance must be a finite number of at least 0, not inf"),
        (["--max-calls", "30"], f"{plan_scan(len, list(KITCHEN)).least_calls} calls"),
    ],
)
def test_the_command_refuses_in_one_line_and_exits_with_2(module, capfd, arguments, says):
    with pytest.raises(SystemExit) as exit_:
        main(["run", module, *arguments])
    out, err = capfd.readouterr()
    assert exit_.value.code == 2
    assert out == ""
    assert says in err
    assert err.count("\n") == 1
