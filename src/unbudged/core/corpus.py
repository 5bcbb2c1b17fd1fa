"""Attacks and families: their records, and loading them from YAML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Placement = Literal["suffix", "prefix", "middle", "replace"]
PLACEMENTS: tuple[Placement, ...] = ("suffix", "prefix", "middle", "replace")


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of attack: what it tries and what a judge's owner should change."""

    name: str
    prefix: str
    what_it_tries: str
    fix: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Attack:
    """One payload, byte for byte as its YAML holds it.

    ``plain`` and ``encoding`` say what an encoded payload encodes and how, so that
    its twin can be the same encoding of other words.
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
