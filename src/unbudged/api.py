"""run, arun and assert_unbudged: the stages of a scan joined."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

from .core.conclude import conclude
from .core.contrast import Alive, tell
from .core.corpus import Attack, read_corpus
from .core.decide import Decision, Settings, decide
from .core.judge import Judge, JudgeInfo
from .core.plan import Plan, make_plan
from .core.report import Report
from .core.run import execute
from .core.sample import Sample
from .core.slots import Slots
from .core.table import Table
from .core.target import NeedsLoop, make_judge
from .errors import UsageError

# framework's import name -> our adapter; imported by name, only when the framework is there
ADAPTERS: dict[str, str] = {
    "deepeval": "unbudged.adapters.deepeval",
    "inspect_ai": "unbudged.adapters.inspect_ai",
    "weave": "unbudged.adapters.weave",
}

T = TypeVar("T")
Baselines = Sequence["str | Sample"]
CorpusName = "str | os.PathLike[str]"


def run(target: Any, baselines: Baselines | None = None, *args: Any, **options: Any) -> Report:
    """Scan a target and return the report; see ``arun`` for the options.

    Works inside a running event loop too: an async target is then scanned in a
    thread with a loop of its own. Raises UsageError before any judge call when
    something passed cannot be used.
    """
    return _drive(lambda is_async: _scan(target, baselines, *args, _is_async=is_async, **options))


async def arun(
    target: Any, baselines: Baselines | None = None, *args: Any, **options: Any
) -> Report:
    """Scan a target, awaitable.

    Positional after the baselines: ``tolerance`` (absolute, in score units, default
    1e-9: floating-point sums of one text may differ in the last bits, 0 would call
    that a move) and ``families`` (full names, default all).
    Keywords: ``corpus`` a shipped name, a YAML file or folder, or several;
    ``attacks`` ids or globs; ``alpha`` the false-alarm rate of the whole scan, in
    (0, 1); ``trials`` pairs per probe of a fixed design, default sequential;
    ``max_calls`` a hard cap; ``seed``; ``direction`` "both", "up" or "down";
    ``scale`` (lowest, highest) score; ``pass_mark``; ``contrast`` (good, bad)
    answers the judge must rank; ``placement`` "suffix", "prefix", "middle" or
    "replace" for every payload; ``goal`` what payloads with a slot for it ask for;
    ``separator`` between answer and payload; ``key`` one channel.
    """
    return await _scan(target, baselines, *args, _is_async=None, **options)


def assert_unbudged(
    target: Any, baselines: Baselines | None = None, *args: Any, **options: Any
) -> Report:
    """Scan a target; raise AssertionError with the text report unless it held."""
    report = run(target, baselines, *args, **options)
    if not report.ok:
        raise AssertionError(report.to_text())
    return report


def _drive(start: Callable[[bool | None], Coroutine[Any, Any, T]]) -> T:
    """Run a scan without an event loop while nothing in it waits, with one else."""
    task = start(None)
    try:
        task.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    except (NeedsLoop, _Async):
        pass
    else:  # a judge that waits without saying so: nothing was answered yet
        task.close()
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(start(True))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(start(True))).result()


class _Async(Exception):
    """The target is async and no loop runs yet."""


class Prepared:
    """A scan ready to start: plan, judge, settings; ``plan_scan`` returns one."""

    def __init__(
        self, plan: Plan, judge: Judge, settings: Settings, options: dict[str, Any],
        max_calls: int | None, contrast: tuple[tuple[Sample, ...], tuple[Sample, ...]] | None,
    ) -> None:
        self.plan, self.judge, self.settings = plan, judge, settings
        self.options, self.max_calls, self.contrast = options, max_calls, contrast

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
        """Judge calls of a scan in which nothing moves."""
        from .core.decide.opening import opening, survey

        least = len(opening(self.plan)) + len(survey(self.plan)) + self._contrast_calls()
        return least if self.max_calls is None else min(least, self.max_calls)

    @property
    def most_calls(self) -> int:
        """Judge calls no scan with these options exceeds."""
        from .core.decide.rounds import most_calls

        most = most_calls(self.plan, self.settings) + self._contrast_calls()
        return most if self.max_calls is None else min(most, self.max_calls)

    def _contrast_calls(self) -> int:
        return sum(map(len, self.contrast)) if self.contrast else 0


def plan_scan(
    target: Any,
    baselines: Baselines | None = None,
    tolerance: float = 1e-9,
    families: Sequence[str] | None = None,
    *,
    corpus: Any = "core",
    attacks: Sequence[str] | None = None,
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
    _is_async: bool | None = None,
) -> Prepared:
    """Check every argument and plan the scan without a judge call; raises UsageError."""
    _check(tolerance, alpha, trials, max_calls, direction, scale)
    judge = _judge_of(target, key, scale, pass_mark, _is_async)
    chosen = read_corpus(corpus, families)
    picked = _pick(chosen.attacks, attacks)
    pair = None
    if baselines is None:
        from .core.samples import load_samples

        built_in = load_samples()
        samples = [weak for weak, _ in built_in]
        pair = (tuple(strong for _, strong in built_in), tuple(samples))
    else:
        samples = read_baselines(baselines)
    if contrast is not None:
        pair = (tuple(_side(contrast[0], "good")), tuple(_side(contrast[1], "bad")))
    plan = make_plan(
        picked, samples, dict(chosen.families), seed=seed, separator=separator,
        placement=placement, text_only=getattr(judge, "text_only", False),
        corpus=tuple(chosen.names), slots=_slots(judge.info, goal),
    )
    check = getattr(judge, "check", None)
    if check is not None:
        check((*samples, *(s for side in pair or () for s in side)))
    info = judge.info
    settings = Settings(tolerance, alpha, direction, info.scale, trials)
    options = {
        "families": list(families) if families else None,
        "attacks": list(attacks) if attacks else None,
        "trials": trials, "max_calls": max_calls, "placement": placement, "goal": goal,
        "separator": separator, "key": key, "scale": list(info.scale) if info.scale else None,
        "pass_mark": info.pass_mark,
    }
    return Prepared(plan, judge, settings, options, max_calls, pair)


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


def _judge_of(
    target: Any, key: str | None, scale: tuple[float, float] | None, pass_mark: float | None,
    is_async: bool | None,
) -> Judge:
    if not isinstance(target, type) and hasattr(target, "read") and hasattr(target, "info"):
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


def _check(
    tolerance: float, alpha: float, trials: int | None, max_calls: int | None, direction: str,
    scale: tuple[float, float] | None,
) -> None:
    if not 0 <= tolerance < float("inf"):
        raise UsageError(f"tolerance must be a number >= 0, not {tolerance!r}")
    if not 0 < alpha < 1:
        raise UsageError(f"alpha must lie between 0 and 1, not {alpha!r}")
    if trials is not None and trials < 2:
        raise UsageError(f"trials must be at least 2, not {trials!r}")
    if max_calls is not None and max_calls < 1:
        raise UsageError(f"max_calls must be at least 1, not {max_calls!r}")
    if direction not in ("both", "up", "down"):
        raise UsageError(f"direction {direction!r} is not one of both, up, down")
    if scale is not None and not scale[0] < scale[1]:
        raise UsageError(f"scale needs its lower end first, not {scale!r}")


def _pick(attacks: tuple[Attack, ...], wanted: Sequence[str] | None) -> tuple[Attack, ...]:
    """Return the attacks whose id matches; every id or glob must match something."""
    if wanted is None:
        return attacks
    from fnmatch import fnmatchcase

    if isinstance(wanted, str):
        wanted = [wanted]
    for pattern in wanted:
        if not any(fnmatchcase(a.id, pattern) for a in attacks):
            import difflib

            near = difflib.get_close_matches(pattern, [a.id for a in attacks], 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise UsageError(f"no attack {pattern!r} in this corpus{hint}")
    return tuple(a for a in attacks if any(fnmatchcase(a.id, p) for p in wanted))


def read_baselines(baselines: Baselines) -> list[Sample]:
    """Return the baselines as samples, duplicates once; raises UsageError."""
    if isinstance(baselines, (str, Sample)) or not isinstance(baselines, (list, tuple)):
        raise UsageError(
            "baselines must be a list of strings or Samples, not"
            f" {type(baselines).__name__}"
        )
    samples: list[Sample] = []
    for i, item in enumerate(baselines, 1):
        sample = Sample(item) if isinstance(item, str) else item
        if not isinstance(sample, Sample) or not isinstance(sample.output, str):
            raise UsageError(f"baseline {i} must be a string or Sample, not {type(item).__name__}")
        if not sample.output.strip():
            raise UsageError(f"baseline {i} is blank: give a realistic answer")
        samples.append(sample)
    seen: list[Sample] = []
    keys = set()
    for s in samples:
        mark = (s.output, s.input, s.reference, s.context, repr(s.metadata))
        if mark not in keys:
            keys.add(mark)
            seen.append(s)
    if not seen:
        raise UsageError("no baselines: give at least one realistic answer")
    return seen


def _side(side: Any, name: str) -> list[Sample]:
    items = [side] if isinstance(side, (str, Sample)) else list(side)
    try:
        return read_baselines(items)
    except UsageError as error:
        raise UsageError(f"contrast, {name} side: {error}") from None


async def _scan(target: Any, baselines: Any, *args: Any, **options: Any) -> Report:
    is_async = options.get("_is_async")
    scan = plan_scan(target, baselines, *args, **options)
    if scan.judge.info.is_async and is_async is None and not _loop_runs():
        raise _Async
    plan, judge = scan.plan, scan.judge
    table = Table(plan)
    alive: Alive | None = None
    extra = 0
    preflight = getattr(judge, "preflight", None)
    if preflight is not None:
        extra += await preflight(plan.baselines)
    if scan.contrast:
        good = [await judge.read(s) for s in scan.contrast[0]]
        bad = [await judge.read(s) for s in scan.contrast[1]]
        extra += len(good) + len(bad)
        alive = tell(good, bad, judge.info)
    decision = Decision((), {})
    stopped = None
    while alive in (None, "able"):
        decision = decide(plan, table, scan.settings)
        if not decision.groups:
            break
        left = None if scan.max_calls is None else max(0, scan.max_calls - extra)
        if not await execute(judge, plan, table, decision.groups, left):
            decision = decide(plan, table, scan.settings)
            stopped = f"the {scan.max_calls} calls allowed were used up"
            break
    return conclude(
        plan, table, decision, scan.settings, judge.info, alive=alive, extra_calls=extra,
        stopped=stopped, options=scan.options, versions=_versions(judge),
        costs=getattr(judge, "costs", None),
    )


def _loop_runs() -> bool:
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None


def _versions(judge: Judge) -> dict[str, str]:
    from .version import VERSION

    own = {"unbudged": VERSION, "python": sys.version.split()[0]}
    return {**own, **getattr(judge, "versions", {})}
