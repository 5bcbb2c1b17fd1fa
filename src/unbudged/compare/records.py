"""The records of a comparison; its texts are derived from them."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.report import Finding, Rate


@dataclass(frozen=True, slots=True)
class Interval:
    """A difference, AFTER less BEFORE, with its 95% interval; no ends where one value is all.

    ``n`` counts the pairs the difference is a mean of, or the smaller number of trials.
    """

    difference: float
    low: float | None
    high: float | None
    n: int

    @property
    def moved(self) -> bool:
        """True when the interval leaves 0 out."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@dataclass(frozen=True, slots=True)
class Change:
    """A probe that is a finding in one of the reports at least; ``why`` is said of some."""

    attack_id: str
    family: str
    baseline: str
    channel: str
    direction: str
    before: Finding | None
    after: Finding | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class RateChange:
    """A rate in both reports and how it changed."""

    name: str
    before: Rate
    after: Rate
    change: Interval


@dataclass(frozen=True, slots=True)
class Drift:
    """What harmless text scored in both reports: means over the baselines both have.

    ``what`` is "baselines" (the answers as given) or "controls" (neutral text added).
    """

    channel: str
    what: str
    before: float
    after: float
    change: Interval


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed between two reports of comparable scans.

    ``open`` are findings of BEFORE that AFTER neither found nor measured as held;
    ``confounded`` those that neutral text now moves as far. ``moved`` is the share of
    probes that are findings, ``excess`` the change of the excess by channel over probes
    found in both. ``measured`` is False when AFTER left anything undecided or unscored.
    """

    notes: tuple[str, ...]
    fixed: tuple[Change, ...]
    new: tuple[Change, ...]
    unchanged: tuple[Change, ...]
    open: tuple[Change, ...]
    confounded: tuple[Change, ...]
    moved: RateChange | None
    flips: tuple[RateChange, ...]
    excess: tuple[Drift, ...]
    drift: tuple[Drift, ...]
    measured: bool
