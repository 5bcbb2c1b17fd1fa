"""Whether two reports can be compared: what differs between the scans they tell of."""

from __future__ import annotations

from typing import Any

from ..core.report import Report

#: options that decide what was sent and on what scale: with another value, another scan
_SAME = ("families", "attacks", "placement", "goal", "separator", "scale", "key")
#: options that decide how it was measured: worth knowing, no obstacle
_SAID = ("trials", "max_calls", "pass_mark")


def obstacles(before: Report, after: Report) -> list[str]:
    """Return why two reports cannot be compared, a sentence each; none when they can."""
    found = []
    if before.corpus != after.corpus:
        found.append(_differs("corpus", before.corpus, after.corpus))
    for name in _SAME:
        one, other = before.settings.get(name), after.settings.get(name)
        if _plain(one) != _plain(other):
            found.append(_differs(name, one, other))
    if not set(before.channels) & set(after.channels) and before.channels and after.channels:
        found.append(_differs("channels", before.channels, after.channels))
    if not shared_baselines(before, after):
        found.append("they share no baseline")
    if "both" not in (before.direction, after.direction) and before.direction != after.direction:
        found.append(_differs("direction", before.direction, after.direction))
    return found


def remarks(before: Report, after: Report) -> list[str]:
    """Return what differs without being an obstacle, a sentence each."""
    said = []
    for name in ("target", "direction", "tolerance", "alpha", "seed"):
        one, other = getattr(before, name), getattr(after, name)
        if one != other:
            said.append(_differs(name, one, other))
    for name in _SAID:
        one, other = before.settings.get(name), after.settings.get(name)
        if one != other:
            said.append(_differs(name, one, other))
    if before.attack_count != after.attack_count:
        said.append(
            f"{before.attack_count} attacks before, {after.attack_count} after: the corpus changed"
        )
    texts = shared_baselines(before, after)
    for report, name, other in ((before, "BEFORE", "AFTER"), (after, "AFTER", "BEFORE")):
        only = len({b.baseline for b in report.baselines} - texts)
        if only:
            said.append(f"baselines of {name} that {other} does not have: {only}")
    for name in sorted(set(before.channels) ^ set(after.channels)):
        said.append(f"channel {name} is in one report only")
    for name in sorted(set(before.versions) | set(after.versions)):
        one, other = before.versions.get(name), after.versions.get(name)
        if one != other:
            said.append(_differs(name, one or "none", other or "none"))
    return said


def strangers(report: Report, known: Report) -> list[str]:
    """Return why no finding of a report may be one that ``known`` has, a sentence each."""
    said = []
    if known.findings and not shared_baselines(known, report):
        said.append("the two reports share no baseline, so every finding is new")
    if known.target != report.target:
        said.append(f"it tells of {_shown(known.target)}, this scan of {_shown(report.target)}")
    one, other = known.settings.get("scale"), report.settings.get("scale")
    if _plain(one) != _plain(other):
        said.append(_differs("scale", one, other))
    return said


def shared_baselines(before: Report, after: Report) -> set[str]:
    """Return the judged answers both reports have."""
    return {b.baseline for b in before.baselines} & {b.baseline for b in after.baselines}


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _differs(name: str, before: Any, after: Any) -> str:
    return f"{name} {_shown(before)} before, {_shown(after)} after"


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    if value is None:
        return "not given"
    return repr(value) if isinstance(value, str) and not value.isprintable() else str(value)
