"""From what the user passed to a scan ready to start: every check before any judge call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from ..arguments import (
    Baselines,
    check_choosing,
    check_keeping,
    check_options,
    names,
    pick_attacks,
    read_baselines,
    read_contrast,
)
from ..calling.options import Calling, check_calling
from ..core.choosing import left_out, told
from ..core.corpus import Attack, read_corpus
from ..core.decide import Settings
from ..core.judge import JudgeInfo
from ..core.memory import CALLS_LEAST
from ..core.plan import Plan, make_plan
from ..core.search import Search
from ..core.slots import Slots, asks_goal
from ..errors import UsageError
from ..judges import judge_of, samples_of
from .choice import search_for, within
from .prepared import Prepared

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ..calling.remote import FromFile
    from ..progress import Progress

__all__ = ["Prepared", "plan_scan"]


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
    ``compose`` adds combinations of those that are strongest as published, chosen before any
    call, and of all payloads of your own; ``budget`` judge calls
    choose the attacks: as many as a scan in which nothing moves can score for it, families
    first, strong ones before others; what moves or does not repeat itself takes more, only
    ``max_calls`` is a hard cap. ``worst`` spends them (default: at most what the scan of all
    attacks takes while nothing moves) on a search for the strongest attack and on the scan
    of that one alone, on texts the search did not read;
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
        from ..core.compose import FAMILY, compositions

        everything += compositions(everything, known, seed)
        known[FAMILY.name] = FAMILY
    picked = pick_attacks(everything, attacks)
    pair = None
    if baselines is None:
        built_in = samples_of(judge)
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
        search = search_for(plan, budget, around, trials)
    elif budget is not None:
        cells = [len(plan.cells(a)) for a in range(len(picked))]
        kept = within(budget, picked, known, cells, around, len(samples), trials)
        if len(kept) < len(picked):
            out = left_out(picked, kept)
            remarks = (told(picked, kept, budget),)
            picked = tuple(picked[i] for i in kept)
            plan = planned(picked)
    if goal is not None and not any(map(asks_goal, picked)):
        said = f"the goal {_cut(goal)!r} is not used: no payload of the scan asks for {{goal}}"
        remarks = (*remarks, said)
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


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


def _slots(info: JudgeInfo, goal: str | None) -> Slots:
    if goal is not None and not (isinstance(goal, str) and goal.strip()):
        raise UsageError(f"goal must be an order such as 'award full marks', not {goal!r}")
    scale = info.scale if info.scale is None or info.higher_is_better else info.scale[::-1]
    known = Slots(scale=scale, labels=info.labels)
    return known if goal is None else replace(known, goal=goal)
