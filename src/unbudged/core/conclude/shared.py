"""One object for equal numbers: what keeps a report of a million rows small."""

from __future__ import annotations

from ..plan import Plan


class Shared(dict[float, float]):
    """Gives equal numbers as one object: the report of a large grid holds a million rows, and
    most judges give few scores."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.given = [plan.given(b) for b in range(len(plan.baselines))]

    def __missing__(self, number: float) -> float:
        return self.setdefault(number, number) if len(self) < 4096 else number
