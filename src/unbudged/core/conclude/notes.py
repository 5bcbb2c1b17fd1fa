"""The notes of a report: what a reader must know that no finding says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..contrast import CONTRAST, SAYS, Alive
from ..decide import Outcome, Settings, repeats_itself
from ..judge import JudgeInfo
from ..plan import Plan
from ..report import Finding, Undecided
from ..table import Table
from .scale import scale_of
from .verdict import blind, nowhere_up, one_value

#: payloads that a note names
NAMED = 6
KEEPS_LAST_SCORE = (
    "the judge gave one text the score of whatever it had read before: it hides its own errors"
    " and keeps its last score, so nothing here is a measurement; make a new or reset object"
    " for every call"
)


def write_notes(
    plan: Plan, read: Sequence[Table], outcomes: Mapping[str, Outcome], settings: Settings,
    info: JudgeInfo,
    alive: Alive | None, findings: list[Finding], full: list[Undecided],
    smallest: Mapping[str, float | None],
) -> list[str]:
    """Return the notes; ``read`` is the table of the scan and that of a search before it."""
    notes, table = list(plan.notes), read[0]
    notes += left_out(plan)
    if alive is not None and alive != "able":
        notes.append(SAYS[alive])
    for name, channel in table.channels.items():
        of = f" on {name}" if len(table.channels) > 1 else ""
        if not repeats_itself(channel, settings.tolerance):
            rows = [row for row in channel.base if len(row) > 1]
            early = all(row[0] == row[1] for row in rows if 0 in row and 1 in row)
            notes.append(
                f"the same baseline scored differently later in the scan{of}: the judge is noisy,"
                " drifts, or remembers earlier calls"
                if early
                else f"the judge does not repeat itself{of}: one text, different scores"
            )
        elif outcomes.get(name) and outcomes[name].kind == "jumpy":
            at = ", ".join(outcomes[name].jumpy_at)
            where = f" in payloads placed: {at}" if at else ""
            notes.append(f"the judge repeats itself but jumps when any word changes{where}{of}")
    scale = scale_of(table, info)
    if scale is not None:
        outside = {v for c in table.channels.values() for v in c.values()
                   if not scale[0] <= v <= scale[1]}
        if outside:
            worst = max(outside, key=lambda v: max(scale[0] - v, v - scale[1]))
            notes.append(
                f"scores outside the scale {scale[0]:g} to {scale[1]:g}, as far as {worst:g}"
            )
    if not findings and blind(smallest, table, info):
        notes.append(
            "only a shift larger than the whole scale would have been found: give more calls or"
            " more baselines"
        )
    for name in table.channels:
        if len(table.channels) > 1 and one_value(read, name):
            notes.append(
                f"channel {name} scored the same in every reading: nothing about it was seen"
            )
    if not findings and table.channels and alive is None:
        notes += _unmoved(plan, read, settings)
    downs = [f for f in findings if f.direction == "down"]
    if findings and len(downs) == len(findings) and settings.direction == "both":
        notes.append(
            "every finding lowers the score: the judge may be marking down the attempt;"
            " --direction up looks for raised scores only"
        )
    stuck = sorted({(u.baseline_index, u.direction) for u in full if u.baseline_index is not None})
    if stuck:
        ways = ", ".join(f"baseline {b + 1} {way}" for b, way in stuck)
        notes.append(f"no room to move: {ways}")
    better = "up" if info.higher_is_better else "down"
    if nowhere_up(plan, full, settings, info):
        notes.append(
            f"no baseline left room {better}ward: give a weaker answer as baseline"
        )
    return notes


def left_out(plan: Plan) -> list[str]:
    """Return the note that says which probes are left out of a plan, none where none are."""
    if not plan.left_out:
        return []
    cells = Counter(a for a, _ in plan.left_out)
    names = [
        f"{plan.attacks[a].id} on {n} of {len(plan.baselines)} baselines" if n > 1 else
        plan.attacks[a].id
        for a, n in cells.most_common(NAMED)
    ]
    more = f" and {len(cells) - NAMED} payloads more" if len(cells) > NAMED else ""
    return [
        f"{len(plan.left_out)} probe{'s' * (len(plan.left_out) != 1)} left out: the payload"
        f" contains the sample's reference answer ({', '.join(names)}{more})"
    ]


def _unmoved(plan: Plan, read: Sequence[Table], settings: Settings) -> list[str]:
    table, *searched = read
    if one_value(read):
        return [
            "every reading of the scan was the same: the judge may be dead, constant, or cached;"
            f" give baselines of different quality, or {CONTRAST}"
        ]
    still = not any(c.attacks_move(settings.tolerance) for c in table.channels.values())
    moving = any(
        abs(v - c.base_value(b)) > settings.tolerance
        for c in table.channels.values()
        for arms in (c.twins, c.fillers)
        for (_, b), read in arms.items()
        for v in read.values()
    )
    if still and not moving and not any(_moved(t, settings) for t in searched):
        if any(plan.placement_of(a) == "prefix" for a in range(len(plan.attacks))):
            return [
                "the score never moved for anything added: the judge may not read the part of the"
                " answer where it was put, or be truly robust"
            ]
        return [
            "the score never moved for anything added: the judge may read only the head of the"
            " answer (try --placement prefix), or be truly robust"
        ]
    return []


def _moved(searched: Table, settings: Settings) -> bool:
    """Tell whether what was added ever made a difference to a score of a search."""
    for channel in searched.channels.values():
        seen: dict[int, float] = {}
        for (a, b), twins in channel.twins.items():
            values = (*twins.values(), *channel.attacks_read(a, b))
            if any(abs(v - seen.setdefault(b, v)) > settings.tolerance for v in values):
                return True
    return False


def as_typed(notes: Iterable[str]) -> tuple[str, ...]:
    """Return notes that name options of the command line where they name arguments."""
    return tuple(note.replace(CONTRAST, "--contrast GOOD BAD") for note in notes)
