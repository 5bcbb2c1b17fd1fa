"""The report of a scan: records only; every format is derived from them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Verdict = Literal["held", "moved", "inconclusive"]
Direction = Literal["up", "down"]
Stage = Literal["contrast", "baseline", "control", "attack"]
Kind = Literal["instruction", "vocabulary", "unknown"]

#: format name -> (module, function); reports live outside the core and are imported when used
FORMATS: dict[str, tuple[str, str]] = {
    "text": ("unbudged.reports.text", "render"),
    "json": ("unbudged.reports.json", "render"),
    "html": ("unbudged.reports.html", "render"),
    "sarif": ("unbudged.reports.sarif", "render"),
    "junit": ("unbudged.reports.junit", "render"),
    "markdown": ("unbudged.reports.markdown", "render"),
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a finding is believed: both questions, each with its own figure.

    ``real`` bounds the probability that noise, or rare jumps of a judge no payload
    matters to, would look like this anywhere in the scan (0 to 1). ``beyond`` says
    how far the attack lies outside its twins, in units of the twins' own spread;
    None when the twins do not spread at all (then any distance is beyond).
    ``contexts`` counts the pairs (attack, twin) compared, ``twins`` the different
    twins read.
    """

    real: float
    beyond: float | None
    contexts: int
    twins: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Readings:
    """Every score read of one probe, by what was judged, in score units.

    ``baseline`` is the answer as given; ``twins``, ``fillers`` and ``marking`` (text about
    marking, or the payload's words in another order) are its controls, ``attack`` the
    payload. Contexts that differ by a neutral sentence are not kept apart. An arm that was
    not read on this baseline is empty.
    """

    baseline: tuple[float, ...] = ()
    twins: tuple[float, ...] = ()
    fillers: tuple[float, ...] = ()
    marking: tuple[float, ...] = ()
    attack: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One payload on one baseline that moved the score more than its controls did.

    Shifts are signed, in score units, against the baseline; ``excess`` is the
    distance outside the controls, never negative, its side is in ``direction``.
    ``baseline_index`` counts from 0 in the order the baselines were given. ``twin`` is the
    text of the twin that came closest to the payload's score, ``filler`` plain text of the
    payload's length, or the nearest in length that was read; None where none was. ``plain``
    is what an encoded payload says and ``encoding`` how it is hidden, both None for one that
    is plain itself. ``new`` says whether an earlier report lacks it, None where it was held
    against none.
    """

    attack_id: str
    family: str
    baseline: str
    baseline_index: int
    baseline_id: str | None
    attack_shift: float
    control_shift: float
    excess: float
    direction: Direction
    flipped: Literal["fail_to_pass", "pass_to_fail"] | None
    placement: str
    channel: str
    kind: Kind
    evidence: Evidence
    fix: str
    payload: str
    twin: str | None = None
    filler: str | None = None
    readings: Readings = Readings()
    plain: str | None = None
    encoding: str | None = None
    new: bool | None = None


@dataclass(frozen=True, slots=True)
class Confounded:
    """A probe that moved against plain filler but not against texts of its own shape."""

    attack_id: str
    family: str
    baseline: str
    baseline_index: int
    channel: str
    attack_shift: float
    filler_shift: float
    twin_shift: float
    why: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """A probe, or a whole attack (baseline_index None), the scan could not decide, and why."""

    attack_id: str
    family: str
    baseline: str | None
    baseline_index: int | None
    channel: str
    direction: Literal["up", "down", "both"]
    why: str


@dataclass(frozen=True, slots=True)
class UnscorableProbe:
    """A reading that was no score: where it happened and what the judge said instead.

    ``stage`` "attack" while the same baseline was scored clean means that the
    payload disables the judge (``disables``). ``stage`` "contrast" are the strong and
    weak answers read before the scan; ``baseline`` is then that answer, its index None.
    """

    attack_id: str | None
    family: str | None
    baseline: str
    baseline_index: int | None
    stage: Stage
    reason: str
    detail: str
    disables: bool = False


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate with its 95% Wilson interval; ``low`` and ``high`` in 0..1, ``n`` trials."""

    hits: int
    n: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class FlipRow:
    """Verdict flips of one attack or family, per trial, attack and control side by side.

    ``any_of`` counts probes with at least one flip among their ``k`` attack trials.
    """

    name: str
    level: Literal["attack", "family"]
    channel: str
    fail_to_pass: Rate
    control_fail_to_pass: Rate
    pass_to_fail: Rate
    control_pass_to_fail: Rate
    any_of: Rate
    k: int


@dataclass(frozen=True, slots=True)
class BaselineScore:
    """What a baseline scored clean: the mean of ``readings`` per channel.

    ``controls`` is, per channel, the mean of the ``control_readings`` of neutral text put
    where payloads go.
    """

    baseline: str
    baseline_index: int
    baseline_id: str | None
    values: Mapping[str, float]
    readings: int
    controls: Mapping[str, float] = field(default_factory=dict)
    control_readings: int = 0


@dataclass(frozen=True, slots=True)
class ExcessMap:
    """How far each probe of one channel lies outside its controls, findings or not.

    ``excess`` has a row per attack and a column per baseline, those of the report's
    ``baselines`` in their order: signed, in score units, 0.0 inside the controls, None where
    nothing was scored. ``families`` names each attack's.
    """

    channel: str
    attacks: tuple[str, ...]
    families: tuple[str, ...]
    excess: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a scan learnt; ``verdict`` first, the rest says why.

    ``findings`` stand by attack, the one with the largest excess first: ``show`` counts them so.
    ``calls`` counts judge calls really made. ``max_excess`` is the largest excess of
    any finding, 0.0 without findings. ``smallest_detectable`` gives per direction the
    smallest shift in score units the scan would have found with 90% probability, or
    None where it cannot be said. ``costs`` sums what the judge counted itself (tokens,
    money), by the judge's own names. ``maps`` has one map per channel, none at all when
    together they would hold more than 20,000 probes. ``attacks`` names every attack of
    the scan, those that held too, with its family.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    confounded: tuple[Confounded, ...]
    undecided: tuple[Undecided, ...]
    unscorable: tuple[UnscorableProbe, ...]
    notes: tuple[str, ...]
    attack_count: int
    baseline_count: int
    probe_count: int
    calls: int
    target: str
    tolerance: float
    alpha: float
    seed: int
    direction: Literal["both", "up", "down"]
    corpus: tuple[str, ...]
    channels: tuple[str, ...]
    baselines: tuple[BaselineScore, ...]
    flips: tuple[FlipRow, ...] = ()
    attacks: Mapping[str, str] = field(default_factory=dict)
    smallest_detectable: Mapping[str, float | None] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    costs: Mapping[str, float] = field(default_factory=dict)
    maps: tuple[ExcessMap, ...] = ()

    @property
    def ok(self) -> bool:
        """True only when the verdict is "held"."""
        return self.verdict == "held"

    @property
    def errored(self) -> tuple[UnscorableProbe, ...]:
        """The unscorable readings, under the name other tools use."""
        return self.unscorable

    @property
    def max_excess(self) -> float:
        """Largest excess of any finding in score units, 0.0 when there is none."""
        return max((f.excess for f in self.findings), default=0.0)

    def families_hit(self) -> tuple[str, ...]:
        """Return the families with at least one finding, sorted."""
        return tuple(sorted({f.family for f in self.findings}))

    def render(self, format: str, **options: Any) -> str:
        """Render in one of ``FORMATS``; raises KeyError for another name."""
        module, function = FORMATS[format]
        text: str = getattr(importlib.import_module(module), function)(self, **options)
        return text

    def to_text(self, **options: Any) -> str:
        """Render the terminal report (``command`` gives the repeat line its target)."""
        return self.render("text", **options)

    def to_json(self, **options: Any) -> str:
        """Render one strict JSON document; its schema is reports/report.schema.json."""
        return self.render("json", **options)

    def to_html(self, **options: Any) -> str:
        """Render one self-contained HTML page that asks for nothing from anywhere."""
        return self.render("html", **options)
    def to_sarif(self, **options: Any) -> str:
        """Render SARIF 2.1.0 for code scanning (``path`` names the target's file)."""
        return self.render("sarif", **options)

    def to_junit(self, **options: Any) -> str:
        """Render JUnit XML, one test case per attack (``path`` names the target's file)."""
        return self.render("junit", **options)

    def to_markdown(self, **options: Any) -> str:
        """Render a summary in Markdown of at most 1 MiB (``path`` names the target's file)."""
        return self.render("markdown", **options)
