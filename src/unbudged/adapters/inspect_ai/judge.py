"""The judge made of an Inspect AI scorer: each call on its own, every failure a reading."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from inspect_ai.log._samples import sample_active
from inspect_ai.log._transcript import Transcript, _transcript, transcript
from inspect_ai.model import get_model
from inspect_ai.model._cache import epoch as cache_epoch
from inspect_ai.model._model import _model_roles, active_model_context_var
from inspect_ai.util import Store
from inspect_ai.util._store import _subtask_store

from ...core.judge import JudgeInfo, Reading, Unscorable
from ...core.reading import read_error, told
from ...core.sample import Sample
from ...core.samples import Pairs, load_samples
from ...errors import TargetError, UsageError
from . import sight
from .shipped import PACKAGE, check_fields, facts_of
from .state import make_state, make_target
from .value import read_score

# Raised to end a sample or a whole eval, never to say something about an answer.
_ENDS = ("LimitExceededError", "TerminateSampleError", "TerminateTaskError")

# A model that was asked in an earlier scan may still hold connections of that scan's event
# loop; each goes with the one call that meets it.
_STALE = "Event loop is closed"
_STALE_MOST = 12


class InspectJudge:
    """Read scores from a scorer as the framework's own evaluation would call it.

    Every call gets a state, a store and a transcript of its own. The same text read
    again counts as the next epoch, so that Inspect's response cache does not make
    repeated trials one. Inside a running eval its logs, roles and usage stay in force.
    """

    def __init__(
        self, scorer: Any, *, version: str, key: str | None, scale: tuple[float, float] | None,
        pass_mark: float | None, model: Any = None, model_roles: Mapping[str, Any] | None = None,
        values: Mapping[str, float] | None = None,
    ) -> None:  # fmt: skip
        info = getattr(scorer, "__registry_info__", None)
        name = str(getattr(info, "name", "") or getattr(scorer, "__name__", type(scorer).__name__))
        facts = facts_of(name, getattr(scorer, "__registry_params__", {}))
        plain = values is None and key is None
        self.info = JudgeInfo(
            name=name.removeprefix(PACKAGE),
            scale=scale if scale is not None else facts.scale if plain else None,
            pass_mark=pass_mark if pass_mark is not None else facts.pass_mark if plain else None,
            is_async=True,
            labels=_labels(facts.labels, values) if key is None else (),
        )
        self.versions = {"inspect_ai": version}
        self.costs: dict[str, float] = {}
        self._scorer, self._key, self._values = scorer, key, values
        self._name, self._needs, self._kind = name, facts.needs, facts.kind
        self._model, self._roles = model, dict(model_roles or {})
        self._binds = model is not None or bool(model_roles)
        self._reads: dict[tuple[str, str | None], int] = {}
        self._watch = True  # until a preflight shows that no model is asked

    def check(self, samples: tuple[Sample, ...]) -> None:
        """Raise UsageError naming scorer and field when a sample lacks what it needs."""
        check_fields(self._name, self._needs, samples)

    def samples(self) -> Pairs:
        """Return the built-in samples that fit what the scorer asks of an answer."""
        return load_samples(self._kind)

    async def read(self, sample: Sample) -> Reading:
        """Call the scorer once; what it raises is a reading, save what ends an eval."""
        epoch = self._epoch(sample)
        for _ in range(_STALE_MOST):
            try:
                with _Alone(self, epoch) as events:
                    target = make_target(sample)
                    score = await self._scorer(await make_state(sample, target, epoch), target)
            except UsageError:
                raise
            except (Exception, SystemExit) as error:  # noqa: BLE001 what it raises is a reading
                failed: BaseException = error
                if not (isinstance(error, RuntimeError) and str(error) == _STALE):
                    return self._failed(error)
            else:
                reading = read_score(score, self._key, self._values)
                if isinstance(reading, Unscorable):
                    return sight.refused(events) or reading
                return _with_calls(reading, events)
        return self._failed(failed)

    async def preflight(self, samples: tuple[Sample, ...]) -> int:
        """Call the scorer once with a word of ours in the answer, and see where it arrives.

        Raises TargetError when there is no model to ask, or when the answer reaches
        neither the model nor the scorer. Any other failure is left to the scan.
        """
        sample = samples[0].with_output(f"{samples[0].output} {sight.WORD}")
        touched: set[str] = set()
        failed: BaseException | None = None
        with _Alone(self, self._epoch(sample)) as events:
            try:
                target, kind = make_target(sample), sight.watched(touched)
                state = await make_state(sample, target, cache_epoch.get(), kind)
                touched.clear()
                await self._scorer(state, target)
            except (Exception, SystemExit) as error:  # noqa: BLE001 the scan will say
                failed = error
        if failed is not None:
            self._failed(failed)
        asked = [e for e in events if e.event == "model"]
        self._watch = bool(asked)
        sight.check(self.info.name, sample, asked, touched, failed)
        return 1

    def _epoch(self, sample: Sample) -> int:
        mark = (sample.output, sample.input)
        self._reads[mark] = count = self._reads.get(mark, 0) + 1
        return count

    def _models(self) -> list[tuple[Any, Any]]:
        """Return the variables behind ``get_model()`` with the user's models as their values."""
        bound: list[tuple[Any, Any]] = []
        if self._model is not None:
            # not the memoised one: its connections may belong to a loop that is closed
            if isinstance(self._model, str):
                self._model = get_model(self._model, memoize=False)
            bound.append((active_model_context_var, self._model))
        if self._roles:
            self._roles = {
                role: get_model(m, memoize=False) if isinstance(m, str) else m
                for role, m in self._roles.items()
            }
            bound.append((_model_roles, self._roles))
        return bound

    def _seen(self, events: list[Any]) -> None:
        """Learn from what a call outside an eval left in its transcript."""
        self._watch = self._watch or bool(events)
        self._count(events)

    def _count(self, events: list[Any]) -> None:
        for event in events:
            usage = getattr(getattr(event, "output", None), "usage", None)
            if event.event != "model" or usage is None or getattr(event, "cache", None) == "read":
                continue
            for name in ("input_tokens", "output_tokens", "total_tokens", "total_cost"):
                if number := getattr(usage, name, None):
                    self.costs[name] = self.costs.get(name, 0) + number

    def _failed(self, error: BaseException) -> Reading:
        kind = type(error).__name__
        if kind in _ENDS:
            raise error
        if kind == "PrerequisiteError":
            if sample_active() is not None:
                raise error
            raise TargetError(f"{self.info.name}: {_plain(getattr(error, 'message', error))}")
        if isinstance(error, ValueError) and str(error).startswith("No model specified"):
            raise TargetError(
                f"{self.info.name} asks a model and there is none: pass model='provider/name',"
                " or set INSPECT_EVAL_MODEL"
            )
        attempt = getattr(error, "last_attempt", None)  # tenacity's RetryError hides the cause
        cause = attempt.exception() if attempt is not None else None
        reading = read_error(cause or error)
        if "Timeout" in kind or "Timeout" in type(cause).__name__:
            return Unscorable("timeout", reading.detail)
        return reading


class _Alone:
    """Give one call its own store and epoch and, outside an eval, transcript and models."""

    __slots__ = ("_before", "_epoch", "_events", "_inside", "_judge", "_tokens")

    def __init__(self, judge: InspectJudge, epoch: int) -> None:
        self._judge, self._epoch = judge, epoch
        self._events: list[Any] = []
        self._tokens: list[tuple[Any, Any]] = []
        self._inside = sample_active() is not None

    def __enter__(self) -> list[Any]:
        judge, tokens = self._judge, self._tokens
        if self._inside:
            self._before = len(transcript().events)
        else:
            bound = judge._models() if judge._binds else ()
            own = Transcript() if judge._watch else None
            self._before = 0
            tokens.append((_transcript, _transcript.set(own)))
            for variable, value in bound:
                tokens.append((variable, variable.set(value)))
        tokens.append((_subtask_store, _subtask_store.set(Store())))
        tokens.append((cache_epoch, cache_epoch.set(self._epoch)))
        return self._events

    def __exit__(self, *_: object) -> None:
        own = _transcript.get()
        if own is not None:
            self._events += list(own.events)[self._before :]
        for variable, token in self._tokens:
            variable.reset(token)
        if self._events and not self._inside:
            self._judge._seen(self._events)


def _with_calls(reading: Reading, events: list[Any]) -> Reading:
    """Return a score with the model, temperature and usage of the calls behind it."""
    calls = [event for event in events if event.event == "model"]
    usage: dict[str, float] = {}
    for event in calls:
        for name in ("input_tokens", "output_tokens", "total_tokens", "total_cost"):
            used = getattr(getattr(getattr(event, "output", None), "usage", None), name, None)
            if used:
                usage[name] = usage.get(name, 0) + used
    models = list(dict.fromkeys(event.model for event in calls))
    heat = {getattr(getattr(event, "config", None), "temperature", None) for event in calls}
    return told(
        reading, model=", ".join(models) or None,
        temperature=heat.pop() if len(heat) == 1 else None, usage=usage,
    )


def _labels(known: tuple[str, ...], values: Mapping[str, float] | None) -> tuple[str, ...]:
    """Return the grades worst first: the user's own by what each is worth, or the shipped ones."""
    if values is None:
        return known
    return tuple(sorted(values, key=lambda grade: values[grade]))


def _plain(message: Any) -> str:
    """Return the framework's message for a terminal as one line of plain text."""
    return " ".join(re.sub(r"\[/?[a-z][a-z ]*\]", "", str(message)).split())[:300]
