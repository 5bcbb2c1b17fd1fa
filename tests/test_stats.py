"""The mathematics of the rules, against scipy, plain definitions and simulation."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from unbudged.core.stats import e_bh, jump_bound, log_mean, log_wealth, t_quantile, wilson


@pytest.mark.parametrize("n", [1, 2, 7, 30, 400])
def test_the_wilson_interval_is_scipys(n):
    for hits in {0, 1, n // 3, n - 1, n}:
        theirs = scipy_stats.binomtest(hits, n).proportion_ci(0.95, "wilson")
        assert wilson(hits, n) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_a_rate_without_trials_may_be_anything():
    assert wilson(0, 0) == (0.0, 1.0)


def test_no_hit_reaches_down_to_0_and_all_hits_up_to_1_exactly():
    assert wilson(0, 9)[0] == 0.0
    assert wilson(9, 9)[1] == 1.0


@pytest.mark.parametrize("dof", [1, 2, 3, 4, 5, 7, 12, 30, 99, 400])
def test_the_student_quantile_is_scipys_within_a_hundredth(dof):
    for p in (0.75, 0.9, 0.975, 0.995, 1 - 0.01 / 66, 1 - 0.01 / 400):
        assert t_quantile(p, dof) == pytest.approx(scipy_stats.t.ppf(p, dof), rel=0.01)


def test_the_student_quantile_never_falls_below_the_normal_one():
    # a limit below the normal one would promise more than any number of twins can
    for dof in range(1, 200):
        assert t_quantile(1 - 0.01 / 66, dof) >= scipy_stats.norm.ppf(1 - 0.01 / 66)


@pytest.mark.parametrize("calm", [0, 10, 60])
@pytest.mark.parametrize("n", [5, 9])
@pytest.mark.parametrize("wins", [1, 3, 5])
def test_the_jump_bound_is_the_worst_case_over_all_jump_rates(wins, n, calm):
    rates = np.linspace(0, 1, 5001)
    worst = (scipy_stats.binom.sf(wins - 1, n, rates) * (1 - rates) ** calm).max()
    # the search is over a grid, so it may fall short of the supremum by a little
    assert jump_bound(wins, n, calm) == pytest.approx(worst, rel=0.02)


def test_the_jump_bound_says_nothing_without_a_win():
    assert jump_bound(0, 9, 500) == 1.0


def test_the_jump_bound_holds_for_a_judge_that_jumps_at_its_worst_rate():
    wins, n, calm = 3, 3, 30
    rate, rng = n / (n + calm), random.Random(4)
    seen = sum(
        all(rng.random() < rate for _ in range(n))
        and not any(rng.random() < rate for _ in range(calm))
        for _ in range(100_000)
    )
    assert seen / 100_000 <= jump_bound(wins, n, calm) + 3 * math.sqrt(1e-4 / 100_000)


def test_more_wins_and_more_calm_controls_are_more_convincing():
    assert jump_bound(4, 9, 50) > jump_bound(5, 9, 50) > jump_bound(5, 9, 80)
    assert jump_bound(4, 5, 50) < jump_bound(4, 9, 50)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=12))
def test_the_mean_of_logs_is_the_log_of_the_mean(logs):
    plain = math.log(math.fsum(map(math.exp, logs)) / len(logs))
    assert log_mean(logs) == pytest.approx(plain, abs=1e-9)


def test_the_mean_of_logs_survives_what_exp_does_not():
    assert log_mean([2000.0, 2000.0]) == pytest.approx(2000.0)
    assert log_mean([-2000.0, -2000.0]) == pytest.approx(-2000.0)


def plain_e_bh(values, alpha):
    """Reject the k largest of m for the largest k whose k-th largest is at least m/(alpha k)."""
    m = len(values)
    ranked = sorted(range(m), key=lambda i: values[i], reverse=True)
    ks = [k for k in range(1, m + 1) if values[ranked[k - 1]] >= m / (alpha * k)]
    return set(ranked[: max(ks)]) if ks else set()


@given(st.lists(st.floats(-3, 14), min_size=1, max_size=20, unique=True),
       st.sampled_from([0.01, 0.05, 0.3]))
def test_e_bh_rejects_what_its_definition_rejects(logs, alpha):
    assert e_bh(logs, alpha) == plain_e_bh([math.exp(v) for v in logs], alpha)


def test_e_bh_rejects_together_what_none_could_alone():
    level = math.log(2 / (0.01 * 2)) + 0.01
    assert e_bh([level, level], 0.01) == {0, 1}
    assert e_bh([level, -1.0], 0.01) == set()


NULLS = {
    "gaussian": lambda r: r.gauss(0, 1),
    "cauchy": lambda r: math.tan(math.pi * (r.random() - 0.5)),
    "coin": lambda r: r.choice((-1, 0, 0, 1)),
    "rare": lambda r: r.choice((-1, 1)) if r.random() < 0.05 else 0,
    "of many sizes": lambda r: r.choice((-1, 1)) * r.choice((0.01, 1, 100)),
}
MANY = 6000


@pytest.fixture(scope="module", params=sorted(NULLS))
def paths(request):
    """E-values after 1, 2, … 24 differences, of many judges that no payload matters to."""
    rng, draw = random.Random(7), NULLS[request.param]
    found = []
    for _ in range(MANY // 6):
        differences = [draw(rng) for _ in range(24)]
        found.append([log_wealth(differences[:n], 1.3) for n in range(1, 25)])
    return found


@pytest.mark.parametrize("draw", NULLS.values(), ids=NULLS)
def test_an_e_value_averages_at_most_one_where_signs_are_a_coin(draw):
    # all sign patterns of given sizes: the mean over them is the expectation, exactly
    rng = random.Random(3)
    for _ in range(6):
        sizes = [abs(draw(rng)) for _ in range(8)]
        wealth = [
            math.exp(log_wealth([s * d for s, d in zip(signs, sizes, strict=True)], 1.3))
            for signs in itertools.product((-1, 1), repeat=8)
        ]
        # a lost bet leaves a thousandth, so the mean may pass 1 by at most that per bet
        assert math.fsum(wealth) / len(wealth) <= 1 + 1e-9


def test_an_e_value_seldom_passes_its_limit_whenever_one_looks(paths):
    for limit in (5, 20):
        crossed = sum(max(path) >= math.log(limit) for path in paths)
        # Ville: at most 1/limit of the paths ever get there
        assert wilson(crossed, len(paths), 3)[0] <= 1 / limit


def test_an_e_value_grows_where_the_differences_have_a_side():
    rng = random.Random(5)
    grown = [log_wealth([rng.gauss(1.5, 1) for _ in range(30)], 1.4) for _ in range(200)]
    assert sorted(grown)[20] > math.log(66 / 0.01)


def test_equal_scores_are_no_evidence():
    assert log_wealth([0.0] * 50, 1.0) == pytest.approx(0.0)


def test_evidence_of_one_side_speaks_against_the_other():
    up = [1.0, 2.0, 0.5, 1.5]
    assert log_wealth(up, 1.0) > 0 > log_wealth([-d for d in up], 1.0)


def test_one_wild_difference_proves_nothing():
    # a single difference, however large, doubles the stake at most
    assert log_wealth([1e12], 1.0) <= math.log(2) + 1e-9
