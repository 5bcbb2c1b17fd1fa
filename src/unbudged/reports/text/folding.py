"""Which findings the terminal report shows of a long list: of every family its strongest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count as counting

from ...core.report import Finding
from ..inert import clip, inert, wrap
from ..wording import count, signed

#: rows of a family shown before it is folded
OF_FAMILY = 3
#: rows shown in all; a scan of the core payloads with six baselines has at most 198
ROWS = 200
#: attacks named in the line that stands for those folded away
NAMED = 6

Row = tuple[int, Finding]


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of one attack that are shown, each with its number in the whole list.

    ``attack`` are all findings of the attack; ``left`` those of its family that are not
    shown, told after the last part of the family.
    """

    rows: tuple[Row, ...]
    attack: Sequence[Finding]
    left: tuple[Finding, ...] = ()


def folded(
    groups: Sequence[Sequence[Finding]], *, by_family: bool, full: bool, more: str
) -> tuple[list[Part], list[str]]:
    """Return the findings to show, and a line that counts those that are not.

    ``groups`` are the findings by attack in the order of the whole list, which is that of
    what is shown. ``by_family``: a family of more than ``OF_FAMILY`` rows keeps those of its
    strongest attack and what is new in it. ``full`` keeps all there are, else ``ROWS``.
    """
    numbers = counting(1)
    numbered = [tuple((next(numbers), f) for f in group) for group in groups]
    parts = [Part(rows, [f for _, f in rows]) for rows in numbered]
    if by_family and not full:
        families: dict[str, list[Part]] = {}
        for part in parts:
            families.setdefault(part.attack[0].family, []).append(part)
        kept = (part for family in families.values() for part in _strongest(family))
        parts = sorted(kept, key=lambda part: part.rows[0][0])
    shown = 0
    for place, part in enumerate(parts):
        shown += len(part.rows)
        if not full and place and shown > ROWS:
            left = [f for p in parts[place:] for f in (*(f for _, f in p.rows), *p.left)]
            attacks = count(len({f.attack_id for f in left}), "attack")
            said = f"  ... and {count(len(left), 'finding')} of {attacks} more: {more}"
            return parts[:place], [said]
    return parts, []


def _strongest(family: Sequence[Part]) -> Iterator[Part]:
    every = [row for part in family for row in part.rows]
    if len(every) <= OF_FAMILY:
        yield from family
        return
    top = sorted(family[0].rows, key=lambda row: (-row[1].excess, row[0]))[:OF_FAMILY]
    wanted = {n for n, _ in top} | {n for n, f in every if f.new}
    left = tuple(f for n, f in every if n not in wanted)
    if len(left) == 1 and left[0].attack_id == family[0].attack[0].attack_id:
        wanted, left = {n for n, _ in every}, ()  # a line for it would be as long as it is
    kept = [
        Part(rows, part.attack)
        for part in family
        if (rows := tuple(row for row in part.rows if row[0] in wanted))
    ]
    yield from kept[:-1]
    yield Part(kept[-1].rows, kept[-1].attack, left)


def left_line(left: Sequence[Finding], more: str) -> list[str]:
    """Return the line that stands for the findings of a family that are not shown."""
    strongest: dict[str, Finding] = {}
    for f in left:
        if f.attack_id not in strongest or f.excess > strongest[f.attack_id].excess:
            strongest[f.attack_id] = f
    names = [f"{clip(inert(f.attack_id), 40)} {signed(f)}" for f in strongest.values()]
    if len(names) > NAMED:
        others = count(len(names) - NAMED + 1, "other attack")
        names = [*names[: NAMED - 1], others]
    said = f"... and {len(left)} more of {inert(left[0].family)} ({', '.join(names)}): {more}"
    return wrap(said, "  ", "      ")
