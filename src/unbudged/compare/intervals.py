"""Intervals for differences between two scans."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..core.report import Rate
from ..core.stats import t_quantile, wilson
from .records import Interval


def rate_difference(before: Rate, after: Rate) -> Interval | None:
    """Return the difference of two rates with its 95% interval; None without trials.

    Newcombe 1998, Stat. Med. 17, 873-890, method 10: each side as far from its rate as
    Wilson's interval is. It takes the two samples as independent; where the same probes
    were scored twice the true interval is narrower.
    """
    if not (before.n and after.n):
        return None
    p1, p2 = before.hits / before.n, after.hits / after.n
    low1, high1 = wilson(before.hits, before.n)
    low2, high2 = wilson(after.hits, after.n)
    difference = p2 - p1
    return Interval(
        difference,
        difference - math.hypot(p2 - low2, high1 - p1),
        difference + math.hypot(high2 - p2, p1 - low1),
        min(before.n, after.n),
    )


def mean_difference(pairs: Sequence[tuple[float, float]]) -> Interval:
    """Return the mean of (after - before) over pairs with its 95% interval, in score units.

    Student's t on the differences (Student 1908, Biometrika 6, 1-25); one pair alone has
    no interval.
    """
    differences = [after - before for before, after in pairs]
    n = len(differences)
    mean = math.fsum(differences) / n
    if n < 2:
        return Interval(mean, None, None, n)
    spread = math.sqrt(math.fsum((d - mean) ** 2 for d in differences) / (n - 1))
    half = t_quantile(0.975, n - 1) * spread / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, n)
