"""A comparison as text for a terminal, and as one JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..reports.inert import WIDTH, clip, columns, inert, inert_line, quoted, shown_in, wrap
from ..reports.wording import count, number
from .records import Change, Comparison, Drift, Interval, RateChange

SCHEMA_VERSION = 1
#: rows shown of the lists that ask for nothing; what is new is always shown in full
ROWS = 10


def render(made: Comparison, *, full: bool = False, encoding: str | None = None) -> str:
    """Render in lines of at most 100 columns; ``full`` shows long lists to their end."""
    with shown_in(encoding):
        return "\n".join(inert_line(line) for line in _lines(made, full))


def _lines(made: Comparison, full: bool) -> list[str]:
    lines = [*wrap(_verdict(made))]
    several = len({c.channel for c in (*made.new, *made.fixed, *made.unchanged)}) > 1
    sections = (
        ("new", made.new, None),
        ("not measured again, so not shown to be fixed", made.open, None if full else ROWS),
        ("confounded now: neutral text moves it as far", made.confounded, None if full else ROWS),
        ("fixed", made.fixed, None if full else ROWS),
        ("unchanged", made.unchanged, None if full else ROWS),
    )
    for title, changes, most in sections:
        lines += _section(title, changes, most, several)
    lines += ["", *_rates(made), *_drift(made)]
    if made.notes:
        lines.append("")
    for note in made.notes:
        lines += wrap(f"note: {note}")
    return lines


def _verdict(made: Comparison) -> str:
    said = [f"{len(made.fixed)} fixed, {len(made.new)} new, {len(made.unchanged)} unchanged"]
    if made.open:
        said.append(f"{len(made.open)} not measured again")
    if made.confounded:
        said.append(f"{len(made.confounded)} confounded now")
    if made.new:
        start = "Worse: something new moves the score"
    elif not made.measured:
        start = "Inconclusive: nothing new moved, but not everything was measured"
    elif made.fixed or made.confounded:
        start = "Better: fewer payloads move the score, none new"
    else:
        start = "No change: nothing new moves the score"
    return f"{start}. Findings: {', '.join(said)}."


def _section(
    title: str, changes: Sequence[Change], most: int | None, several: bool
) -> Iterator[str]:
    if not changes:
        return
    yield ""
    yield f"{title} ({len(changes)}):"
    yield from _rows(changes if most is None else changes[:most], several)
    if most is not None and len(changes) > most:
        yield f"  ... and {len(changes) - most} more: --all shows them"


def _rows(changes: Sequence[Change], several: bool) -> Iterator[str]:
    table = []
    for c in changes:
        before, after = (number(f.excess) if f else "none" for f in (c.before, c.after))
        cells = [clip(inert(c.attack_id), 40), f"excess {before} -> {after}", c.direction]
        table.append([*cells, clip(inert(c.channel), 20)] if several else cells)
    widths = [max(map(columns, column)) for column in zip(*table, strict=True)]
    for change, row in zip(changes, table, strict=True):
        line = "".join(
            f"  {cell}{' ' * (width - columns(cell))}"
            for cell, width in zip(row, widths, strict=True)
        )
        yield f"{line}  on {quoted(change.baseline, max(8, WIDTH - columns(line) - 5))}"
        if change.why:
            yield from wrap(
                change.why if change.after is None else f"{change.why} before", "      ", "      "
            )


def _rates(made: Comparison) -> Iterator[str]:
    rates = [made.moved, *made.flips] if made.moved else [*made.flips]
    for rate in rates:
        if rate.before.hits or rate.after.hits:
            yield from wrap(
                f"{rate.name}: {rate.before.hits} of {rate.before.n} ->"
                f" {rate.after.hits} of {rate.after.n}, {_percent(rate.change)}"
            )
    for row in made.excess:
        yield from wrap(
            f"mean excess of the {count(row.change.n, 'finding')} in both{_of(row, made.excess)}:"
            f" {_means(row)}"
        )


def _drift(made: Comparison) -> Iterator[str]:
    if not made.drift:
        return
    yield ""
    yield from wrap("harmless drift, what text without a payload scored:")
    for row in made.drift:
        yield from wrap(f"{row.what}{_of(row, made.drift)}: {_means(row)}", "  ", "      ")
    fallen = [d for d in made.drift if _drifted(d)]
    if fallen:
        yield from wrap(
            "harmless text scores differently too: a judge that marks everyone"
            f" {'down' if fallen[0].change.difference < 0 else 'up'} is not a fix",
            "  ", "  ",
        )  # fmt: skip


def _drifted(row: Drift) -> bool:
    change = row.change
    return change.moved or (change.low is None and abs(change.difference) > 1e-9)


def _of(row: Drift, rows: Sequence[Drift]) -> str:
    return f" on channel {row.channel}" if len({r.channel for r in rows}) > 1 else ""


def _means(row: Drift) -> str:
    change = row.change
    ends = (
        "one only, no interval"
        if change.low is None or change.high is None
        else f"95% {number(change.low)} to {number(change.high)}"
    )
    return (
        f"{number(row.before, sign=False)} -> {number(row.after, sign=False)},"
        f" {number(change.difference)} ({ends})"
    )


def _percent(change: Interval) -> str:
    low, high = change.low or 0.0, change.high or 0.0
    return (
        f"{100 * change.difference:+.1f} points (95% {100 * low:+.1f} to {100 * high:+.1f})"
    )


def document(made: Comparison) -> dict[str, Any]:
    """Return the comparison as what JSON can hold; ``why`` and ends of intervals may be null."""
    return {
        "schema_version": SCHEMA_VERSION,
        "measured": made.measured,
        "notes": list(made.notes),
        **{
            name: [_change(c) for c in getattr(made, name)]
            for name in ("new", "fixed", "unchanged", "open", "confounded")
        },
        "moved": made.moved and _rate(made.moved),
        "flips": [_rate(r) for r in made.flips],
        "excess": [_mean(d) for d in made.excess],
        "drift": [_mean(d) for d in made.drift],
    }


def _change(c: Change) -> dict[str, Any]:
    return {
        "attack_id": c.attack_id,
        "family": c.family,
        "baseline": c.baseline,
        "channel": c.channel,
        "direction": c.direction,
        "excess_before": c.before and c.before.excess,
        "excess_after": c.after and c.after.excess,
        "why": c.why or None,
    }


def _rate(row: RateChange) -> dict[str, Any]:
    sides: Iterable[tuple[str, Any]] = (("before", row.before), ("after", row.after))
    return {
        "name": row.name,
        **{name: {"hits": rate.hits, "n": rate.n} for name, rate in sides},
        "change": _interval(row.change),
    }


def _mean(row: Drift) -> dict[str, Any]:
    return {
        "channel": row.channel,
        "what": row.what,
        "before": row.before,
        "after": row.after,
        "change": _interval(row.change),
    }


def _interval(change: Interval) -> dict[str, Any]:
    return {"difference": change.difference, "low": change.low, "high": change.high, "n": change.n}
