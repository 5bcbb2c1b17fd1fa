"""From what the user passed to a scan ready to start: every check before any judge call."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from .arguments import (
    Baselines,
    check_choosing,
    check_keeping,
    check_options,
    names,
    pick_attacks,
    read_baselines,
    read_contrast,
)
from .calling.options import Calling, check_calling
from .core.choosing import affordable, left_out, ranked, told
from .core.corpus import Attack, read_corpus
from .core.decide import Settings, calm_calls, hard_calls, least_calls, most_calls, noisy_calls
from .core.judge import Judge, JudgeInfo
from .core.memory import CALLS_LEAST, CALLS_MOST
from .core.plan import Plan, make_plan
from .core.sample import Sample
from .core.search import Search, full_cost, searchable, split
from .core.slots import Slots
from .core.target import make_judge
from .errors import UsageError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from .calling.remote import FromFile
    from .progress import Progress

# framework's import name -> our adapter; imported by name, only when the framework is there
ADAPTERS: dict[str, str] = {
    "deepeval": "unbudged.adapters.deepeval",
    "inspect_ai": "unbudged.adapters.inspect_ai",
    "weave": "unbudged.adapters.weave",
}

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
            return self.search.calls + least_calls(self.tested(0)) + self.contrast_calls
        return least_calls(self.plan) + self.contrast_calls

    @property
    def most_calls(self) -> int:
        """Judge calls no scan with these options exceeds."""
        most = most_calls(self.plan, self.settings) + 3 * self.contrast_calls + CALLS_MOST
        if self.search is not None:
            most += self.search.calls
        return most if self.max_calls is None else min(most, self.max_calls)

    @property
    def typical_calls(self) -> dict[str, int]:
        """Judge calls by what the judge turns out to be, none above ``most_calls``.

        About so many while nothing moves it, for one that repeats itself ("deterministic")
        and one that does not ("noisy"); "jumpy_up_to" is what hardly any scan of a judge
        exceeds that jumps when a word changes, "noisy_up_to" of a noisy one that payloads
        move.
        """
        plan = self.plan if self.search is None else self.tested(0)
        around = self.contrast_calls + (0 if self.search is None else self.search.calls)
        if self.settings.trials:
            calm = noisy = hard_calls(plan, self.settings, noisy=True) + around
        else:
            calm, noisy = self.least_calls, noisy_calls(plan) + around
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
        )

    @property
    def contrast_calls(self) -> int:
        """Judge calls that show whether the judge is alive, made before the scan."""
        return sum(map(len, self.contrast)) if self.contrast else 0


def plan_scan(
    target: Any,
    baselines: Baselines | None = None,
    tolerance: float = 1e-9,
    families: Sequence[str] | None = None,
    *,
    corpus: Any = "core",
    attacks: Sequence[str] | None = None,
    compose: bool = False,
    budget: int | None = None,
    worst: bool = False,
    alpha: float = 0.01,
    trials: int | None = None,
    max_calls: int | None = None,
    seed: int = 0,
    direction: Literal["both", "up", "down"] = "both",
    scale: tuple[float, float] | None = None,
    pass_mark: float | None = None,
    contrast: tuple[Any, Any] | None = None,
    placement: str | None = None,
    goal: str | None = None,
    separator: str = "\n\n",
    key: str | None = None,
    concurrency: int | None = None,
    timeout: float | None = None,
    retries: int = 2,
    rate: float | None = None,
    isolate: bool = False,
    executor: Executor | None = None,
    journal: str | os.PathLike[str] | None = None,
    explanations: bool = True,
    progress: Callable[[Progress], object] | None = None,
    _is_async: bool | None = None,
    _source: FromFile | None = None,
    _alarm: Callable[[str], object] | None = None,
    _told: Mapping[str, Any] | None = None,
) -> Prepared:
    """Check every argument and plan the scan without a judge call; raises UsageError.

    ``tolerance`` is absolute, in score units (1e-9: floating-point sums of one text may
    differ in the last bits, 0 would call that a move); ``families`` full names, default
    all. ``corpus`` is a shipped name, a YAML file or folder, a file of payloads in one of
    the formats ``load_corpus`` lists, or several; ``attacks`` ids or globs;
    ``compose`` adds combinations of the strongest ones; ``budget`` judge calls
    choose the attacks: as many as a scan in which nothing moves can score for it, families
    first; ``worst`` spends them (default: what looking at each takes) on a search for the
    strongest attack and scans that one alone, on texts the search did not read;
    ``alpha`` the false-alarm rate of the whole scan, in (0, 0.5]; ``trials``
    pairs per probe of a fixed design, default sequential; ``max_calls`` a hard cap, at
    least one pass over attacks and baselines;
    ``direction`` "both", "up" or "down"; ``scale`` (lowest, highest) score;
    ``pass_mark`` the least score that passes; ``contrast`` (good, bad) answers the
    judge must rank; ``placement`` "suffix", "prefix", "middle", "replace" (the whole
    answer), "repeat" (behind every sentence), "weave" (word by word between the answer's)
    or "inlay" (within its words) for every payload; ``goal`` what payloads with a slot
    for it ask for; ``separator`` between answer and payload; ``key`` one channel of a judge
    that returns several.

    None of the rest changes a result of a judge that repeats itself: ``concurrency`` calls
    in flight (default one, or one a worker of ``executor``); ``timeout`` seconds a call;
    ``retries`` further attempts after an error that may pass; ``rate`` calls a second;
    ``isolate`` runs the target in worker processes that can be killed; ``executor`` is any
    ``concurrent.futures.Executor``; ``journal`` a file that keeps every reading and
    continues a scan cut off; ``explanations`` whether it keeps what the judge said;
    ``progress`` is called with a ``Progress`` after every reading.
    """
    check_options(
        tolerance, alpha, trials, max_calls, seed, direction, scale, pass_mark, separator, key
    )
    check_calling(concurrency, timeout, retries, rate, isolate, executor)
    check_keeping(journal, explanations, progress)
    check_choosing(compose, budget, worst)
    families, attacks = names("families", families), names("attacks", attacks)
    judge = judge_of(target, key=key, scale=scale, pass_mark=pass_mark, is_async=_is_async)
    chosen = read_corpus(corpus, families)
    everything, known = chosen.attacks, dict(chosen.families)
    if compose:
        from .core.compose import FAMILY, compositions

        everything += compositions(everything, known, seed)
        known[FAMILY.name] = FAMILY
    picked = pick_attacks(everything, attacks)
    pair = None
    if baselines is None:
        built_in = _samples_of(judge)
        samples = [weak for weak, _ in built_in]
        pair = (tuple(strong for _, strong in built_in), tuple(samples))
    else:
        samples = read_baselines(baselines)
    if contrast is not None:
        pair = read_contrast(contrast, getattr(judge, "text_only", False))
    def planned(some: Sequence[Attack]) -> Plan:
        return make_plan(
            some, samples, known, seed=seed, separator=separator, placement=placement,
            text_only=getattr(judge, "text_only", False), corpus=tuple(chosen.names),
            slots=_slots(judge.info, goal), notes=chosen.notes,
        )

    plan = planned(picked)
    search: Search | None = None
    remarks: tuple[str, ...] = ()
    out: dict[str, int] = {}
    around = CALLS_LEAST + (sum(map(len, pair)) if pair else 0)
    if worst:
        search = _search(plan, budget)
    elif budget is not None:
        cells = [len(plan.cells(a)) for a in range(len(picked))]
        kept = affordable(
            picked, known, cells, lambda n, probes: around + calm_calls(n, probes, len(samples)),
            budget,
        )
        if not kept:
            raise UsageError(
                f"budget={budget} is too few: one attack on {_many(len(samples), 'baseline')}"
                f" takes {around + calm_calls(1, min(cells), len(samples))} calls or more"
            )
        if len(kept) < len(picked):
            out = left_out(picked, kept)
            remarks = (told(picked, kept, budget),)
            plan = planned([picked[i] for i in kept])
    check = getattr(judge, "check", None)
    if check is not None:
        check((*samples, *(s for side in pair or () for s in side)))
    info = judge.info
    settings = Settings(tolerance, alpha, direction, info.scale, trials)
    options = {
        "families": list(families) if families else None,
        "attacks": list(attacks) if attacks else None,
        "compose": compose, "budget": budget, "worst": worst, "left_out": out,
        "trials": trials, "max_calls": max_calls, "placement": placement, "goal": goal,
        "separator": separator, "key": key, "scale": list(info.scale) if info.scale else None,
        "pass_mark": info.pass_mark, **(_told or {}),
    }
    scan = Prepared(
        plan, judge, settings, options, max_calls, pair,
        Calling(concurrency, timeout, retries, rate, isolate, executor, _source, _alarm),
        None if journal is None else os.fspath(journal), explanations, progress, target,
        search=search, remarks=remarks,
    )
    if max_calls is not None and max_calls < scan.least_calls:
        raise UsageError(
            f"max_calls={max_calls} is too few: one pass over attacks and baselines takes"
            f" {scan.least_calls} calls"
        )
    return scan


def _search(plan: Plan, budget: int | None) -> Search:
    """Plan the search for the strongest attack; raises UsageError when there is none to make."""
    looked, held = split(len(plan.baselines), plan.seed)
    order = searchable(plan, ranked(plan.attacks, plan.families), looked)
    held_too = set(searchable(plan, order, held))
    order = [a for a in order if a in held_too]
    if len(order) < 2:
        raise UsageError(
            "worst=True chooses among attacks: fewer than two have a fresh text to be tested on"
        )
    calls = full_cost(len(order)) if budget is None else budget
    while len(order) > 1 and full_cost(len(order)) > calls:
        order.pop()
    if len(order) < 2:
        raise UsageError(f"budget={budget} is too few: a search takes {full_cost(2)} calls or more")
    return Search(calls, tuple(order), looked, held)


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' * (count != 1)}"


def find_adapter(target: Any) -> str | None:
    """Return the module of the adapter that recognises an object, None for none.

    Only adapters whose framework is already imported are asked: nothing is imported
    that the object's own class did not import before.
    """
    for framework, module in ADAPTERS.items():
        if framework in sys.modules:
            from importlib import import_module

            if import_module(module).recognises(target):
                return module
    return None


def built_in_samples(target: Any) -> tuple[tuple[Sample, Sample], ...]:
    """Return the pairs (weak, strong answer) a framework's object is scanned with by default."""
    return _samples_of(judge_of(target))


def _samples_of(judge: Judge) -> tuple[tuple[Sample, Sample], ...]:
    from .core.samples import load_samples

    pairs: tuple[tuple[Sample, Sample], ...] = getattr(judge, "samples", load_samples)()
    return pairs


def judge_of(
    target: Any, *, key: str | None = None, scale: tuple[float, float] | None = None,
    pass_mark: float | None = None, is_async: bool | None = None,
) -> Judge:
    """Return the neutral judge of a target: itself, an adapter's, or one of a callable."""
    if not isinstance(target, type) and isinstance(getattr(target, "info", None), JudgeInfo):
        judge: Judge = target
        return judge
    module = find_adapter(target)
    if module is not None:
        from importlib import import_module

        judge = import_module(module).make_judge(target, key=key, scale=scale, pass_mark=pass_mark)
        return judge
    return make_judge(target, key=key, scale=scale, pass_mark=pass_mark, is_async=is_async)


def _slots(info: JudgeInfo, goal: str | None) -> Slots:
    if goal is not None and not (isinstance(goal, str) and goal.strip()):
        raise UsageError(f"goal must be an order such as 'award full marks', not {goal!r}")
    scale = info.scale if info.scale is None or info.higher_is_better else info.scale[::-1]
    known = Slots(scale=scale, labels=info.labels)
    return known if goal is None else replace(known, goal=goal)
