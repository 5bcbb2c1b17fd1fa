"""A scan as plain data: what its readings are readings of, and what deciding them needs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from ..core.corpus import Attack, Family
from ..core.decide import Settings
from ..core.judge import JudgeInfo
from ..core.plan import make_plan
from ..core.sample import Sample
from ..core.search import Search
from ..errors import UsageError
from ..version import VERSION

if TYPE_CHECKING:
    from ..prepare import Prepared

#: what must be the same for a reading to mean the same, and what to call it
IDENTITY = {
    "version": "unbudged version",
    "target": "target",
    "attacks": "corpus or choice of attacks",
    "baselines": "baselines",
    "contrast": "contrast",
    "seed": "seed",
    "separator": "separator",
    "placement": "placement",
    "key": "key",
    "search": "search for the strongest attack",
}

def describe(scan: Prepared, target: str, versions: Mapping[str, str]) -> dict[str, str]:
    """Return a scan as texts by name, all that ``rebuild`` and ``differs`` look at."""
    plan, info = scan.plan, scan.judge.info
    good, bad = scan.contrast or ((), ())
    whole: dict[str, Any] = {
        "version": VERSION,
        "target": target,
        "attacks": [asdict(attack) for attack in plan.attacks],
        "baselines": _samples(plan.baselines),
        "contrast": [_samples(good), _samples(bad)],
        "seed": plan.seed,
        "separator": plan.separator,
        "placement": plan.placement,
        "key": scan.options.get("key"),
        "families": [asdict(family) for family in plan.families.values()],
        "text_only": plan.text_only,
        "corpus": plan.corpus,
        "notes": plan.notes,
        "settings": asdict(scan.settings),
        "options": scan.options,
        "info": {field.name: getattr(info, field.name) for field in fields(info)},
        "max_calls": scan.max_calls,
        "versions": dict(versions),
        "search": asdict(scan.search) if scan.search is not None else None,
        "remarks": scan.remarks,
    }
    return {name: json.dumps(value, default=_shown) for name, value in whole.items()}


def _shown(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, value))
    return repr(value)


def _samples(samples: Iterable[Sample]) -> list[dict[str, Any]]:
    return [
        {field.name: getattr(sample, field.name) for field in fields(sample)}
        for sample in samples
    ]


def differs(old: Mapping[str, str], new: Mapping[str, str]) -> str | None:
    """Return what makes two scans different ones, as a clause, or None."""
    for name, words in IDENTITY.items():
        if old.get(name) == new[name]:
            continue
        was, now = (json.loads(value) for value in (old.get(name) or "null", new[name]))
        if isinstance(now, (list, dict)) or isinstance(was, (list, dict)):
            return f"its {words} differ from this scan's"
        return f"its {words} is {was!r}, this scan's {now!r}"
    return None


def rebuild(kept: Mapping[str, str]) -> Prepared:
    """Return the scan without its target; raises UsageError when a part is missing."""
    from ..prepare import Prepared

    try:
        said = {name: json.loads(value) for name, value in kept.items()}
        good, bad = (tuple(map(_sample, side)) for side in said["contrast"])
        plan = make_plan(
            [Attack(**row) for row in said["attacks"]],
            list(map(_sample, said["baselines"])),
            {row["name"]: Family(**row) for row in said["families"]},
            seed=said["seed"], separator=said["separator"], placement=said["placement"],
            text_only=said["text_only"], corpus=tuple(said["corpus"]), filled=True,
            notes=tuple(said.get("notes", ())),
        )
        settings = Settings(**{**said["settings"], "scale": _pair(said["settings"]["scale"])})
        info = JudgeInfo(
            **{**said["info"], "scale": _pair(said["info"]["scale"]),
               "labels": tuple(said["info"]["labels"])}
        )
        return Prepared(
            plan, Gone(info), settings, said["options"], said["max_calls"],
            (good, bad) if good or bad else None,
            search=_search(said["search"]), remarks=tuple(said["remarks"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"the journal lacks a part: {type(error).__name__}: {error}") from error


class Gone:
    """The judge of a scan that is only read again: it cannot be called."""

    def __init__(self, info: JudgeInfo) -> None:
        self.info = info

    async def read(self, sample: Sample) -> Any:
        """Raise: nothing calls it."""
        raise AssertionError("a saved scan makes no calls")


def _sample(row: dict[str, Any]) -> Sample:
    return Sample(**{**row, "context": tuple(row["context"])})


def _search(said: dict[str, Any] | None) -> Search | None:
    if said is None:
        return None
    lists = {name: tuple(said[name]) for name in ("attacks", "looked", "held")}
    return Search(said["calls"], **lists)


def _pair(value: Any) -> tuple[float, float] | None:
    return None if value is None else (value[0], value[1])
