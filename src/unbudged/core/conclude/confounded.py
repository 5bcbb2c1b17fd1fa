"""What moved with its twins: shown and explained, not counted."""

from __future__ import annotations

from ..decide import Shown
from ..decide.rules import fillers_of
from ..plan import Plan
from ..report import Confounded
from ..table import Table
from .shared import Shared


def confounded_of(plan: Plan, table: Table, shown: Shown, shared: Shared) -> Confounded:
    a, b = shown.attack, shown.baseline or 0
    attack, channel = plan.attacks[a], table.channels[shown.channel]
    base = channel.base_value(b)

    def shift(values: list[float]) -> float:
        return shared[sum(values) / len(values) - base] if values else 0.0

    return Confounded(
        attack.id, attack.family, plan.baselines[b].output, shared.given[b], shown.channel,
        shift(channel.attacks_read(a, b)),
        shift(channel.fillers.all((a, b)) or fillers_of(plan, channel, a, b)),
        shift(channel.twins.all((a, b))),
        shown.why,
    )
