"""What every rule shares: the settings of a scan and the shape of a decision."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, overload

from ..plan import Call, Plan
from ..table import Channel
from .wanted import Group, Groups

Way = Literal["up", "down"]
Kind = Literal["silent", "still", "shaped", "jumpy", "noisy"]
SIGN: dict[Way, float] = {"up": 1.0, "down": -1.0}
ECHOED = "the words it has in common with the baselines or a reference move the score as far"

SHAPED = "moves against plain filler, and so do texts of its own shape"
ALIKE = 0.2  # filler so much longer or shorter than the payload still says what length does


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


class CellMoves(Sequence[CellMove]):
    """Many cells of one payload, as numbers: a report may hold half a million of them."""

    __slots__ = ("_attack", "_base", "_baseline", "_control")

    def __init__(self) -> None:
        self._baseline = array("I")
        self._attack, self._control, self._base = array("d"), array("d"), array("d")

    def extend(
        self, cells: Sequence[int], attack: Sequence[float],
        control: Sequence[float] | Mapping[int, float], base: Sequence[float],
    ) -> None:
        """Add cells, their scores found by baseline."""
        self._baseline.extend(cells)
        self._attack.extend([attack[b] for b in cells])
        self._control.extend([control[b] for b in cells])
        self._base.extend([base[b] for b in cells])

    @overload
    def __getitem__(self, i: int) -> CellMove: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[CellMove, ...]: ...
    def __getitem__(self, i: int | slice) -> CellMove | tuple[CellMove, ...]:
        if isinstance(i, slice):
            return tuple(self[j] for j in range(*i.indices(len(self))))
        return CellMove(self._baseline[i], self._attack[i], self._control[i], self._base[i])

    def __iter__(self) -> Iterator[CellMove]:
        return map(CellMove, self._baseline, self._attack, self._control, self._base)

    def __len__(self) -> int:
        return len(self._baseline)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Moved:
    """A payload that moved one channel in one direction, and why that is believed."""

    attack: int
    channel: str
    way: Way
    cells: Sequence[CellMove]
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


class ShownCells(Sequence[Shown]):
    """Many probes of one channel to show, as numbers; the few reasons there are, once each."""

    __slots__ = ("_attack", "_baseline", "_channel", "_reason", "_reasons")

    def __init__(self, channel: str, shown: Iterable[Shown] = ()) -> None:
        self._channel = channel
        self._attack, self._baseline, self._reason = array("I"), array("q"), array("I")
        self._reasons: dict[tuple[Way | Literal["both"], str], int] = {}
        for one in shown:
            self.add(one.attack, one.baseline, one.way, one.why)

    def add(
        self, attack: int, baseline: int | None, way: Way | Literal["both"], why: str
    ) -> None:
        self._attack.append(attack)
        self._baseline.append(-1 if baseline is None else baseline)
        self._reason.append(self._reasons.setdefault((way, why), len(self._reasons)))

    @overload
    def __getitem__(self, i: int) -> Shown: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Shown, ...]: ...
    def __getitem__(self, i: int | slice) -> Shown | tuple[Shown, ...]:
        if isinstance(i, slice):
            return tuple(self[j] for j in range(*i.indices(len(self))))
        way, why = tuple(self._reasons)[self._reason[i]]
        b = self._baseline[i]
        return Shown(self._attack[i], None if b < 0 else b, self._channel, way, why)

    def __iter__(self) -> Iterator[Shown]:
        reasons, channel = tuple(self._reasons), self._channel
        for a, b, reason in zip(self._attack, self._baseline, self._reason, strict=True):
            yield Shown(a, None if b < 0 else b, channel, *reasons[reason])

    def __len__(self) -> int:
        return len(self._attack)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the rules say of one channel so far, and the calls they still want.

    ``groups`` are made in order, the calls of one group next to each other.
    ``smallest`` is the least shift, in score units, found with 90% probability. Not
    ``final``: no payload was decided yet, this stage's readings come first. ``jumpy_at``
    names the placements at which the judge jumps where it does so at some only.
    """

    groups: Groups = ()
    moved: tuple[Moved, ...] = ()
    confounded: Sequence[Shown] = ()
    undecided: tuple[Shown, ...] = ()
    kind: Kind = "still"
    smallest: float | None = None
    final: bool = True
    jumpy_at: tuple[str, ...] = ()


def fillers_of(plan: Plan, channel: Channel, a: int, b: int) -> list[float]:
    """Return the scores of filler in a cell; where none was read, those of the filler
    nearest in length in the same place on the same baseline."""
    own = channel.fillers.unchanged((a, b))
    if own:
        return own
    near = _nearest(plan, channel, a, b)
    return channel.fillers.unchanged((near[1], b)) if near else []


def alike(plan: Plan, channel: Channel, a: int, b: int) -> bool:
    """Tell whether a payload's filler, or some about as long, was read on a baseline."""
    near = _nearest(plan, channel, a, b)
    return near is not None and near[0] <= ALIKE * len(plan.attacks[a].text)


def _nearest(plan: Plan, channel: Channel, a: int, b: int) -> tuple[int, int] | None:
    """Return by how many characters the filler nearest in length differs, and whose it is."""
    filled = channel.filled.get(b)
    if not filled:
        return None
    size, where = len(plan.attacks[a].text), plan.placement_of(a)
    near = (
        (abs(len(plan.attacks[other].text) - size), other)
        for other in filled
        if plan.placement_of(other) == where
    )
    return min(near, default=None)


def padding(value: float, filler: float, base: float) -> float:
    """Return how far a payload's score must lie from filler's not to be padding: half of what
    either moved. Two texts of one length rarely have as many words."""
    return max(abs(value - base), abs(filler - base)) / 2


def singles(plan: Plan, calls: list[Call], salt: str) -> tuple[Group, ...]:
    """Return every call as a group of its own, in an order the seed decides."""
    return tuple((call,) for call in plan.shuffled(calls, salt))
