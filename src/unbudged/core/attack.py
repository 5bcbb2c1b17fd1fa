"""Attacks and families: their records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Placement = Literal["suffix", "prefix", "middle", "replace", "repeat", "weave", "inlay"]
PLACEMENTS: tuple[Placement, ...] = (
    "suffix", "prefix", "middle", "replace", "repeat", "weave", "inlay",
)  # fmt: skip
ENCODINGS = (
    "base64", "rot13", "leet", "spaced", "url",
    "cyrillic", "zero_width", "rlo", "fullwidth", "combining",
    "hex", "reversed", "html", "escapes", "tags", "variation",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of attack: what it tries, what a judge's owner should change, what was measured.

    ``source`` names papers and issues, ``figures`` what they measured, where published.
    ``strength`` is the largest share of cases that a published payload of this kind won
    (0 to 1), as ``figures`` says; None where nothing of the sort was published.
    """

    name: str
    prefix: str
    what_it_tries: str
    fix: str
    source: str | None = None
    figures: str | None = None
    strength: float | None = None


@dataclass(frozen=True, slots=True)
class Attack:
    """One payload, byte for byte as its YAML holds it.

    ``plain`` and ``encoding`` say what an encoded payload encodes and how, so that
    its twin can be the same encoding of other words. ``goal_mark`` is set on payloads from
    the files of other tools, in which none of our slots is filled: it is the text that
    stands for what the payload asks for, "" where there is none.
    """

    id: str
    family: str
    text: str
    note: str = ""
    placement: Placement = "suffix"
    lang: str = "en"
    plain: str | None = None
    encoding: str | None = None
    source: str | None = None
    licence: str | None = None
    goal_mark: str | None = None
