"""Lanes: the payloads of one channel that are decided together, by where they are placed.

A judge that reads the head of an answer jumps with every word put before it and stands
still for all that is put behind: what controls do in one place says nothing of another.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import NamedTuple

from ..plan import Plan
from ..table import Channel


class Lane(NamedTuple):
    """Attacks by index, and the readings of a channel that are theirs.

    ``jumps_beside`` says that the judge jumps when words change in another lane.
    """

    attacks: Sequence[int]
    channel: Channel
    placements: tuple[str, ...]
    jumps_beside: bool = False


def lanes(plan: Plan, channel: Channel, together: bool) -> list[Lane]:
    """Return the lanes of a channel: one for each placement, or all payloads ``together``."""
    by_place: dict[str, list[int]] = {}
    for a in range(len(plan.attacks)):
        by_place.setdefault(plan.placement_of(a), []).append(a)
    if together or len(by_place) == 1:
        return [Lane(range(len(plan.attacks)), channel, tuple(by_place))]
    return [Lane(some, _part(channel, set(some)), (place,)) for place, some in by_place.items()]


def _part(channel: Channel, attacks: set[int]) -> Channel:
    part = copy.copy(channel)
    part.twins = channel.twins.only(attacks)
    part.fillers = channel.fillers.only(attacks)
    part.echoes = channel.echoes.only(attacks)
    part.filled = {b: of & attacks for b, of in channel.filled.items()}
    return part
