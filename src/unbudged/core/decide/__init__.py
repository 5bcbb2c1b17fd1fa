"""The rules: a pure function from what was read to what it means and what to read next."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import chain

from ..plan import Call, Plan
from ..table import Channel, Seen, Table
from .controls import controls_move, twins_disagree
from .foreseen import hard_calls, most_calls, noisy_calls
from .lanes import Lane, lanes
from .opening import (
    all_silent,
    base_again,
    calm_calls,
    least_calls,
    opening,
    read_again,
    survey,
    surveyed,
)
from .rounds import rounds
from .rules import Kind, Moved, Outcome, Settings, Shown
from .still import still
from .wanted import Group, Groups, Packed

__all__ = [
    "Decision", "Moved", "Outcome", "Settings", "Shown", "calm_calls", "decide", "hard_calls",
    "least_calls", "most_calls", "noisy_calls", "repeats_itself",
]


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rules want next (no ``groups`` means done) and what they say so far."""

    groups: Groups
    outcomes: dict[str, Outcome]


def repeats_itself(channel: Channel, tolerance: float) -> bool:
    """Tell whether every text that was read again, byte for byte, scored the same again."""
    return all(
        max(row.values()) - min(row.values()) <= tolerance for row in channel.base if len(row) > 1
    ) and not any(abs(first - second) > tolerance for first, second in channel.again)


def decide(plan: Plan, table: Table, settings: Settings, last: bool = False) -> Decision:
    """Look at the table and return the decision. Pure: the same table, the same decision.

    ``last`` says that no further call will be made, whatever is still wanted; only then
    are all cells of every finding worked out.
    """
    missing = opening(plan, table.seen)
    if missing:
        return Decision(missing, {})
    if all_silent(plan, table):
        return Decision((), {})
    noisy = {n: not repeats_itself(c, settings.tolerance) for n, c in table.channels.items()}
    if not all(noisy.values()) and not settings.trials and not surveyed(plan, table.seen):
        return Decision(survey(plan, table.seen), {})
    outcomes: dict[str, Outcome] = {}
    for name, channel in table.channels.items():
        outcomes[name] = _channel(plan, table, name, channel, settings, noisy[name], last)
    fresh = _fresh([o.groups for o in outcomes.values()], table.seen)
    if not fresh:
        fresh = _fresh([_kind_calls(outcomes)], table.seen)
    if not fresh and not _closed(table):
        fresh = tuple(base_again(plan, 3, table.seen))
    if not fresh and not last:
        return decide(plan, table, settings, last=True)
    return Decision(fresh, outcomes)


def _fresh(wanted: list[Groups], seen: Seen) -> Groups:
    """Return the groups of all channels one after another, no call twice and none made."""
    first = wanted[0] if wanted else ()
    if isinstance(first, Packed) and all(first == other for other in wanted[1:]):
        return first  # holds each call once, and none that was made
    made: set[Call] = set()
    fresh: list[Group] = []
    for group in chain.from_iterable(wanted):
        left = tuple(call for call in group if call not in seen and call not in made)
        made.update(left)
        if left:
            fresh.append(left)
    return tuple(fresh)


def _closed(table: Table) -> bool:
    """Tell whether the last thing read was a baseline, so that a drift would show."""
    return table.seen.last is not None and table.seen.last.arm == "base"


def _channel(
    plan: Plan, table: Table, name: str, channel: Channel, settings: Settings, noisy: bool,
    last: bool,
) -> Outcome:
    moving = noisy or controls_move(channel, settings.tolerance)
    some = lanes(plan, channel, together=not moving and not settings.trials)
    jumps = []
    if len(some) > 1 and not noisy:
        jumps = [twins_disagree(lane.channel, settings.tolerance) for lane in some]
    decided = []
    for i, lane in enumerate(some):
        if jumps:
            moving = controls_move(lane.channel, settings.tolerance)
            lane = lane._replace(jumps_beside=any(jumps[:i] + jumps[i + 1 :]))
        decided.append(_lane(plan, table, name, lane, settings, noisy, moving, last))
    return decided[0] if len(decided) == 1 else _joined(plan, name, some, decided)


def _lane(
    plan: Plan, table: Table, name: str, lane: Lane, settings: Settings, noisy: bool,
    moving: bool, last: bool,
) -> Outcome:
    count = len(table.channels)
    if not noisy and not settings.trials:
        outcome = still(plan, lane, name, table.seen, settings, count, moving, last)
        if outcome.kind != "jumpy":
            return outcome
        doubtful = [g for g in read_again(plan, lane) if g[0] not in table.seen]
        if doubtful:
            return Outcome(groups=tuple(doubtful), kind="jumpy", final=False)
    return rounds(plan, lane, name, table.seen, settings, count, noisy or bool(settings.trials))


def _joined(plan: Plan, name: str, some: list[Lane], decided: list[Outcome]) -> Outcome:
    """Return what is known of all lanes of a channel; its kind is that of the unsteadiest."""
    kinds: tuple[Kind, ...] = ("noisy", "jumpy", "shaped", "still")
    groups = [g for outcome in decided for g in outcome.groups]
    random.Random(f"{plan.seed}:{name}:{len(groups)}").shuffle(groups)
    jumpy = [place for lane, o in zip(some, decided, strict=True) if o.kind == "jumpy"
             for place in lane.placements]
    return Outcome(
        groups=tuple(groups),
        moved=tuple(sorted((m for o in decided for m in o.moved), key=lambda m: m.attack)),
        confounded=tuple(s for o in decided for s in o.confounded),
        undecided=tuple(s for o in decided for s in o.undecided),
        kind=next(kind for kind in kinds if any(o.kind == kind for o in decided)),
        smallest=max((o.smallest for o in decided if o.smallest is not None), default=None),
        final=all(o.final for o in decided),
        jumpy_at=tuple(jumpy) if len(jumpy) < len(some) else (),
    )


def _kind_calls(outcomes: dict[str, Outcome]) -> Groups:
    """Return texts that ask for nothing for each payload that moved, on its strongest cell:
    even ones about marking, odd ones the payload's own words in another order."""
    wanted: list[Group] = []
    for outcome in outcomes.values():
        for moved in outcome.moved:
            b, steady = moved.cells[0].baseline, moved.steady
            for k in range(2 if steady else 6):
                wanted.append((Call("marking", moved.attack, b, k, 0 if steady else k),))
    return tuple(dict.fromkeys(wanted))
