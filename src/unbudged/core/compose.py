"""Combinations of attacks: a strong payload, encoded, wrapped and put in another place.

No model writes them: the parts are shipped or the user's own, the choice is the seed's.
"""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .choosing import ranked
from .corpus import Attack, Family, Placement
from .encoding import encode
from .slots import asks

COMPOSED = 24
SOURCES = 8
#: how the payload is hidden, None as it is; what a wrap says stays readable
HIDDEN = (None, "base64", "rot13", "leet", "spaced", "url", "cyrillic", "zero_width", "reversed")
PLACES: tuple[Placement, ...] = ("suffix", "prefix", "middle")
FAMILY = Family(
    "composition",
    "composed.",
    "Wraps, encodes and places the strongest payloads of other families.",
    "Apply the fixes of the parts named in the payload's id: keep the answer in a message of its"
    " own as data, decode nothing in it, and read the mark from the judge's own checked output"
    " alone.",
)
_FILE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "corpora", "wraps.yaml")


class Wrap(NamedTuple):
    """What is said before and after a payload."""

    id: str
    before: str
    after: str


def read_wraps() -> tuple[Wrap, ...]:
    """Return the shipped wraps."""
    import yaml

    with open(_FILE, encoding="utf-8") as file:
        rows = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return tuple(Wrap(**row) for row in rows)


def compositions(
    attacks: Sequence[Attack], families: Mapping[str, Family], seed: int = 0,
    count: int = COMPOSED,
) -> tuple[Attack, ...]:
    """Return ``count`` combinations of the strongest payloads, fewer where there are fewer.

    The strongest as published, before any call: which of them move this judge is not yet
    known. The sources are ``_sources``, times wraps, encodings and places; every part comes
    up about equally often. The same seed and attacks give the same combinations; none
    repeats the text of an attack.
    """
    rng = random.Random(f"{seed}:compose")
    strongest = _sources(attacks, families)
    axes: list[list[Any]] = [strongest, list(read_wraps()), list(HIDDEN), list(PLACES)]
    taken = {attack.text for attack in attacks}
    made: dict[str, Attack] = {}
    tries = 0
    while strongest and len(made) < count and tries < 20 * count:
        if not tries % 24:
            for axis in axes:
                rng.shuffle(axis)
        source, wrap, hidden, place = (axis[tries % len(axis)] for axis in axes)
        tries += 1
        attack = _composed(source, wrap, hidden, place)
        if attack.text not in taken:
            taken.add(attack.text)
            made.setdefault(attack.id, attack)
    return tuple(made.values())


def _sources(attacks: Sequence[Attack], families: Mapping[str, Family]) -> list[Attack]:
    """Return the payloads to combine: plain text of its own (no encoding, no question in it,
    not in the answer's place).

    The first of each of the ``SOURCES`` strongest families that name a source, and all of
    those that name none, payloads of the user's own: nothing says which of them is strong.
    """
    published: dict[str, Attack] = {}
    own: list[Attack] = []
    for i in ranked(attacks, families):
        attack = attacks[i]
        plain = attack.encoding is None and attack.placement != "replace" and attack.lang == "en"
        ours = attack.goal_mark is None  # else its slots are not ours to encode
        if plain and ours and len(attack.text) >= 30 and not asks(attack):
            family = families.get(attack.family)
            if family is not None and family.source:
                published.setdefault(attack.family, attack)
            else:
                own.append(attack)
    return [*list(published.values())[:SOURCES], *own]


def _composed(source: Attack, wrap: Wrap, hidden: str | None, place: Placement) -> Attack:
    said = source.text if hidden is None else encode(source.text, hidden)
    parts = (source.id, wrap.id, hidden or "plain", place)
    return Attack(
        id=f"{FAMILY.prefix}{'+'.join(parts)}",
        family=FAMILY.name,
        text=f"{wrap.before}{said}{wrap.after}",
        note=f"{source.id}, {hidden or 'not encoded'}, in the wrap {wrap.id}, as {place}.",
        placement=place,
        plain=None if hidden is None else source.text,
        encoding=hidden,
        source=source.source,
    )
