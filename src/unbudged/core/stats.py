"""The mathematics of the rules: bounds, e-values and intervals. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

# Stakes of the mixture, per unit of the differences' typical size. Any fixed grid is
# valid; this one covers lifts from a third of the noise to far beyond it.
STAKES = (0.3, 0.8, 2.0, 8.0)


def wilson(hits: int, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Return the Wilson score interval of a rate (95% by default); (0, 1) for n = 0.

    Wilson 1927, J. Am. Stat. Assoc. 22, 209-212.
    """
    if n == 0:
        return 0.0, 1.0
    p = hits / n
    scale = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / scale
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale
    return (0.0 if hits == 0 else centre - half), (1.0 if hits == n else centre + half)


@lru_cache(maxsize=4096)
def jump_bound(wins: int, n: int, calm: int, then: tuple[int, int] = (0, 0)) -> float:
    """Bound the chance that a judge no payload matters to looks like this.

    Such a judge jumps on any fresh text with some unknown probability q, the same
    for attacks and controls: ``wins`` or more of ``n`` attack texts jump, ``then`` so
    many of so many more that were chosen for it, and none of ``calm`` control texts
    does. The bound is the supremum over q of P(Bin(n, q) >= wins) times the like for
    ``then`` times (1 - q)^calm; beyond 64 texts the tail is Chernoff's bound.
    """
    if wins + then[0] == 0:
        return 1.0
    if not calm:
        return 1.0

    def log_chance(log_q: float) -> float:
        q = math.exp(log_q)
        return _log_tail(wins, n, q) + _log_tail(*then, q) + calm * math.log1p(-q)

    low, high = math.log(1e-7), math.log(1 - 1e-9)  # one peak: golden-section search
    ratio = (math.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    at_a, at_b = log_chance(a), log_chance(b)
    for _ in range(44):
        if at_a < at_b:
            low, a, at_a = a, b, at_b
            b = low + ratio * (high - low)
            at_b = log_chance(b)
        else:
            high, b, at_b = b, a, at_a
            a = high - ratio * (high - low)
            at_a = log_chance(a)
    return min(1.0, math.exp(max(at_a, at_b)))


def _log_tail(wins: int, n: int, q: float) -> float:
    """Return log P(Bin(n, q) >= wins), an upper bound of it for n beyond 64."""
    if wins == 0:
        return 0.0
    if wins == n:
        return n * math.log(q)
    if n > 64:
        share = wins / n
        if share <= q:
            return 0.0
        return -n * (share * math.log(share / q) + (1 - share) * math.log((1 - share) / (1 - q)))
    chance = math.fsum(math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(wins, n + 1))
    return math.log(chance) if chance > 0 else -math.inf


def log_wealth(differences: Sequence[float], size: float) -> float:
    """Return the log of an e-value against "the differences are symmetric about 0".

    Each difference is bet on with the stake tanh(s |d| / size): the likelihood
    ratio of a symmetric law against the same law shifted, for a Gaussian shift of
    s * size (Robbins 1970; sign betting as in Ramdas et al. 2023, Stat. Sci. 38).
    Given the absolute values the signs are fair coins, so each product is a
    martingale whatever the noise, heavy tails included; the mean over ``STAKES``
    is one too. ``size`` > 0 must not depend on signs.
    """
    return _wealth(tuple(differences), size)


def log_most(pairs: int) -> float:
    """Return the log of the largest e-value ``log_wealth`` can reach with so many pairs."""
    return pairs * math.log1p(0.999)


@lru_cache(maxsize=8192)  # a scan asks again for every payload whenever one has new pairs
def _wealth(differences: tuple[float, ...], size: float) -> float:
    logs = []
    for stake in STAKES:
        total = 0.0
        for d in differences:
            if d:
                bet = min(math.tanh(stake * abs(d) / size), 0.999)  # never bet everything
                total += math.log1p(bet if d > 0 else -bet)
        logs.append(total)
    return log_mean(logs)


def log_mean(logs: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """Return log(sum of w_i exp(l_i)); equal weights summing to 1 by default."""
    top = max(logs)
    if weights is None:
        weights = [1 / len(logs)] * len(logs)
    return top + math.log(
        math.fsum(w * math.exp(v - top) for w, v in zip(weights, logs, strict=True))
    )


def e_bh(logs: Sequence[float], alpha: float, tests: int | None = None) -> set[int]:
    """Return the indices the e-BH procedure rejects at level alpha.

    Wang and Ramdas 2022, J. R. Stat. Soc. B 84, 822-852: with e-values in falling
    order reject the k largest for the largest k with e_(k) >= m / (alpha k). Under
    the global null the chance of any rejection is at most alpha, for any dependence.
    ``tests`` is m where these are a share of all: levels of several shares add up.
    """
    m = tests or len(logs)
    order = sorted(range(len(logs)), key=lambda i: -logs[i])
    keep = 0
    for k, i in enumerate(order, 1):
        if logs[i] >= math.log(m / (alpha * k)):
            keep = k
    return set(order[:keep])


def e_bh_adjusted(logs: Sequence[float], tests: int | None = None) -> list[float]:
    """Return for each e-value the least alpha at which e-BH rejects it, at most 1.

    min over k >= rank of m / (k e_(k)), the counterpart of a BH-adjusted p-value.
    """
    m = tests or len(logs)
    order = sorted(range(len(logs)), key=lambda i: logs[i])  # smallest e-value, last rank, first
    adjusted = [1.0] * len(logs)
    least = 1.0
    for passed, i in enumerate(order):
        rank = len(logs) - passed
        least = min(least, math.exp(min(0.0, math.log(m / rank) - logs[i])))
        adjusted[i] = least
    return adjusted


def t_quantile(p: float, dof: float) -> float:
    """Return the p quantile (0.5 <= p < 1) of Student's t with dof >= 1.

    Hill 1970, Comm. ACM 13, 619-620 (algorithm 396); relative error below 1% for
    the tails used here, checked against scipy in the tests.
    """
    from statistics import NormalDist

    tail = 2 * (1 - p)
    if dof < 1.5:
        return math.tan(math.pi * (p - 0.5))
    if dof < 2.5:
        return math.sqrt(2 / (tail * (2 - tail)) - 2)
    a = 1 / (dof - 0.5)
    b = 48 / (a * a)
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * math.sqrt(a * math.pi / 2) * dof
    x = d * tail
    y = x ** (2 / dof)
    if y > 0.05 + a:
        x = NormalDist().inv_cdf(tail / 2)
        y = x * x
        if dof < 5:
            c += 0.3 * (dof - 4.5) * (x + 0.6)
        c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        y = math.expm1(a * y * y)
    else:
        y = (
            (1 / (((dof + 6) / (dof * y) - 0.089 * d - 0.822) * (dof + 2) * 3) + 0.5 / (dof + 4))
            * y
            - 1
        ) * (dof + 1) / (dof + 2) + 1 / y
    return math.sqrt(dof * y)
