"""Verdict flips where a pass mark is known: attack and control side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Literal

from ..judge import JudgeInfo
from ..plan import Plan
from ..report import FlipRow, Rate
from ..stats import wilson
from ..table import Channel, Table
from .scale import pass_mark_of


class _Count:
    """Flips of one attack or family: per trial for both arms, and per probe."""

    def __init__(self) -> None:
        self.up = [0, 0]
        self.control_up = [0, 0]
        self.down = [0, 0]
        self.control_down = [0, 0]
        self.any = [0, 0]
        self.k = 0

    def add(self, failed_clean: bool, attack: list[bool], control: list[bool]) -> None:
        """Count one cell; ``attack`` and ``control`` say which trials passed."""
        for passes, up, down in (
            (attack, self.up, self.down),
            (control, self.control_up, self.control_down),
        ):
            side = up if failed_clean else down
            side[0] += sum(p == failed_clean for p in passes)
            side[1] += len(passes)
        if attack:
            self.any[0] += any(p == failed_clean for p in attack)
            self.any[1] += 1
            self.k = max(self.k, len(attack))

    def row(self, name: str, level: Literal["attack", "family"], channel: str) -> FlipRow:
        return FlipRow(
            name, level, channel, _rate(self.up), _rate(self.control_up), _rate(self.down),
            _rate(self.control_down), _rate(self.any), self.k,
        )


def _rate(counts: list[int]) -> Rate:
    low, high = wilson(counts[0], counts[1])
    return Rate(counts[0], counts[1], low, high)


def flip_rows(
    plan: Plan, name: str, channel: Channel, pass_mark: float, higher_is_better: bool
) -> Iterable[FlipRow]:
    """Yield a row per attack and per family; a baseline passes or fails by its mean score.

    Fail to pass is counted among trials on baselines that failed clean, pass to fail
    among those that passed; "any of K" rises with K by itself, so K is stated.
    """

    def passes(value: float) -> bool:
        return value >= pass_mark if higher_is_better else value <= pass_mark

    families: dict[str, _Count] = defaultdict(_Count)
    for a, attack in enumerate(plan.attacks):
        count = _Count()
        for b in plan.cells(a):
            base = channel.base_value(b)
            tried = [passes(v) for _, v in channel.attack_rounds(a, b)]
            if base != base or not tried:
                continue
            controls = [
                passes(v)
                for arms in (channel.twins, channel.fillers)
                for v in arms[a, b].values()
            ]
            for target in (count, families[attack.family]):
                target.add(not passes(base), tried, controls)
        if count.any[1]:
            yield count.row(attack.id, "attack", name)
    for family, total in sorted(families.items()):
        yield total.row(family, "family", name)


def flips_of(plan: Plan, table: Table, info: JudgeInfo) -> tuple[Any, ...]:
    mark = pass_mark_of(table, info)
    if mark is None:
        return ()
    return tuple(
        row
        for name, channel in table.channels.items()
        for row in flip_rows(plan, name, channel, mark, info.higher_is_better)
    )
