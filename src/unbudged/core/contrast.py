"""Is the judge alive and able to tell: strong answers against weak ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .judge import JudgeInfo, Reading, Scored

Alive = Literal["able", "dead", "constant", "saturated", "inverted"]

#: how a note asks for answers that a judge must rank, to one who calls from Python
CONTRAST = "contrast=(good, bad)"
SAYS: dict[Alive, str] = {
    "able": "the judge ranks the strong answers above the weak ones",
    "dead": "the judge scored none of the strong or weak answers: nothing about it was measured",
    "constant": (
        "the judge gives strong and weak answers the same score: it tells nothing apart;"
        f" if it looks for something they do not have, give {CONTRAST} of your own"
    ),
    "saturated": (
        "the judge gives strong and weak answers the best score there is: give"
        f" {CONTRAST} and baselines that it marks down"
    ),
    "inverted": "the judge ranks weak answers above strong ones",
}


def tell(good: Sequence[Reading], bad: Sequence[Reading], info: JudgeInfo) -> Alive:
    """Name the state of a judge from its readings of strong and weak answers.

    Several channels: able when any one of them tells the two apart.
    """
    names = sorted({n for r in (*good, *bad) if isinstance(r, Scored) for n in r.values})
    if not names or not any(_column(good, n) and _column(bad, n) for n in names):
        return "dead"
    states = [_one(_column(good, n), _column(bad, n), info) for n in names]
    order: tuple[Alive, ...] = ("able", "constant", "saturated", "inverted")
    return next((state for state in order if state in states), "dead")


def _column(readings: Sequence[Reading], name: str) -> list[float]:
    return [r.values[name] for r in readings if isinstance(r, Scored) and name in r.values]


def _one(good: list[float], bad: list[float], info: JudgeInfo) -> Alive:
    if not good or not bad:
        return "dead"
    sign = 1.0 if info.higher_is_better else -1.0
    lift = sign * (sum(good) / len(good) - sum(bad) / len(bad))
    if len({*good, *bad}) == 1:
        end = None if info.scale is None else info.scale[1 if info.higher_is_better else 0]
        return "saturated" if end is not None and good[0] == end else "constant"
    return "able" if lift > 0 else "inverted" if lift < 0 else "constant"
