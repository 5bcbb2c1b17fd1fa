"""A scan ready to start, and how many judge calls it will make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..calling.options import Calling
from ..core.decide import Settings, hard_calls, least_calls, most_calls, noisy_calls
from ..core.judge import Judge
from ..core.memory import CALLS_MOST
from ..core.plan import Plan, make_plan
from ..core.sample import Sample
from ..core.search import Search


@dataclass(slots=True)
class Prepared:
    """A scan ready to start: plan, judge, settings; ``plan_scan`` returns one.

    ``versions`` are those of a saved scan; ``remarks`` are notes of the report;
    ``search`` is a search for the strongest attack, to be made first.
    """

    plan: Plan
    judge: Judge
    settings: Settings
    options: dict[str, Any]
    max_calls: int | None
    contrast: tuple[tuple[Sample, ...], tuple[Sample, ...]] | None
    calling: Calling = field(default_factory=Calling)
    journal: str | None = None
    explanations: bool = True
    progress: Callable[[Any], object] | None = None
    target: Any = None
    versions: dict[str, str] | None = None
    search: Search | None = None
    remarks: tuple[str, ...] = ()

    @property
    def attack_count(self) -> int:
        return len(self.plan.attacks)

    @property
    def baseline_count(self) -> int:
        return len(self.plan.baselines)

    @property
    def probe_count(self) -> int:
        return self.plan.probe_count

    @property
    def least_calls(self) -> int:
        """Judge calls of a scan in which nothing moves; ``max_calls`` allows at least these."""
        if self.search is not None:
            return self.search.cost + min(map(least_calls, self._tests())) + self.contrast_calls
        return least_calls(self.plan) + self.contrast_calls

    @property
    def most_calls(self) -> int:
        """Judge calls no scan with these options exceeds."""
        plans = [self.plan] if self.search is None else self._tests()
        most = max(most_calls(plan, self.settings) for plan in plans)
        most += 3 * self.contrast_calls + CALLS_MOST
        if self.search is not None:
            most += self.search.cost
        return most if self.max_calls is None else min(most, self.max_calls)

    @property
    def typical_calls(self) -> dict[str, int]:
        """Judge calls by what the judge turns out to be, none above ``most_calls``.

        About so many while nothing moves it, for one that repeats itself ("deterministic")
        and one that does not ("noisy"); "jumpy_up_to" is what hardly any scan of a judge
        exceeds that jumps when a word changes, "noisy_up_to" of a noisy one that payloads
        move.
        """
        plan = self.plan if self.search is None else max(self._tests(), key=least_calls)
        around = self.contrast_calls + (0 if self.search is None else self.search.cost)
        if self.settings.trials:
            calm = noisy = hard_calls(plan, self.settings, noisy=True) + around
        else:
            calm, noisy = least_calls(plan) + around, noisy_calls(plan) + around
        around += CALLS_MOST
        found = {
            "deterministic": calm,
            "noisy": max(calm, noisy),
            "jumpy_up_to": hard_calls(plan, self.settings, noisy=False) + around,
            "noisy_up_to": hard_calls(plan, self.settings, noisy=True) + around,
        }
        return {name: min(calls, self.most_calls) for name, calls in found.items()}

    def tested(self, place: int) -> Plan:
        """Return the plan of the test of one attack, by its place in the search."""
        plan, search = self.plan, self.search
        assert search is not None
        return make_plan(
            [plan.attacks[search.attacks[place]]], [plan.baselines[b] for b in search.held],
            plan.families, seed=plan.seed, separator=plan.separator, placement=plan.placement,
            text_only=plan.text_only, corpus=plan.corpus, filled=True, notes=plan.notes,
            chosen=search.held,
        )

    def _tests(self) -> list[Plan]:
        """Return a plan of the test for every size it may have, whichever attack wins."""
        plan, search = self.plan, self.search
        assert search is not None
        kinds = {
            (
                plan.placement_of(a),
                a in plan.asking,
                tuple(b for b in search.held if (a, b) in plan.left_out),
            ): place
            for place, a in enumerate(search.attacks)
        }
        return [self.tested(place) for place in kinds.values()]

    @property
    def contrast_calls(self) -> int:
        """Judge calls that show whether the judge is alive, made before the scan."""
        return sum(map(len, self.contrast)) if self.contrast else 0
