"""What every rule shares: the settings of a scan and the shape of a decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..plan import Call, Plan
from ..table import Channel

Way = Literal["up", "down"]
Kind = Literal["silent", "still", "shaped", "jumpy", "noisy"]
SIGN: dict[Way, float] = {"up": 1.0, "down": -1.0}
ECHOED = "the words it has in common with the baselines or a reference move the score as far"


@dataclass(frozen=True, slots=True)
class Settings:
    """The part of a scan's options that decides: ``alpha`` is the false-alarm rate of
    the whole scan, ``tolerance`` absolute in score units, ``trials`` pairs per cell of
    a fixed design or None for the sequential one."""

    tolerance: float = 1e-9
    alpha: float = 0.01
    direction: Literal["both", "up", "down"] = "both"
    scale: tuple[float, float] | None = None
    trials: int | None = None

    @property
    def ways(self) -> tuple[Way, ...]:
        return ("up", "down") if self.direction == "both" else (self.direction,)


@dataclass(frozen=True, slots=True)
class CellMove:
    """One cell of a payload that moved: scores of attack, nearest control and baseline."""

    baseline: int
    attack: float
    control: float
    base: float

    @property
    def excess(self) -> float:
        return abs(self.attack - self.control)


@dataclass(frozen=True, slots=True)
class Moved:
    """A payload that moved one channel in one direction, and why that is believed."""

    attack: int
    channel: str
    way: Way
    cells: tuple[CellMove, ...]
    real: float
    beyond: float | None
    contexts: int
    twins: int
    sentence: str
    steady: bool  # the judge repeats itself and gives texts of one shape one score


@dataclass(frozen=True, slots=True)
class Shown:
    """A probe to show without counting it, or one that stays open: where and why."""

    attack: int
    baseline: int | None
    channel: str
    way: Way | Literal["both"]
    why: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the rules say of one channel so far, and the calls they still want.

    ``groups`` are made in order, the calls of one group next to each other.
    ``smallest`` is the least shift, in score units, found with 90% probability. Not
    ``final``: no payload was decided yet, this stage's readings come first. ``jumpy_at``
    names the placements at which the judge jumps where it does so at some only.
    """

    groups: tuple[tuple[Call, ...], ...] = ()
    moved: tuple[Moved, ...] = ()
    confounded: tuple[Shown, ...] = ()
    undecided: tuple[Shown, ...] = ()
    kind: Kind = "still"
    smallest: float | None = None
    final: bool = True
    jumpy_at: tuple[str, ...] = ()


def fillers_of(plan: Plan, channel: Channel, a: int, b: int) -> list[float]:
    """Return the scores of filler in a cell; where none was read, those of the filler
    nearest in length in the same place on the same baseline."""
    own = [v for (_, r), v in channel.fillers.get((a, b), {}).items() if r == 0]
    if own:
        return own
    size, where = len(plan.attacks[a].text), plan.placement_of(a)
    near: list[tuple[int, int]] = [
        (abs(len(plan.attacks[other].text) - size), other)
        for other, baseline in channel.fillers
        if baseline == b
        and plan.placement_of(other) == where
        and any(r == 0 for _, r in channel.fillers[other, b])
    ]
    if not near:
        return []
    _, other = min(near)
    return [v for (_, r), v in channel.fillers[other, b].items() if r == 0]


def singles(plan: Plan, calls: list[Call], salt: str) -> tuple[tuple[Call, ...], ...]:
    """Return every call as a group of its own, in an order the seed decides."""
    return tuple((call,) for call in plan.shuffled(calls, salt))
