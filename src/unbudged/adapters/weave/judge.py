"""The judge made of a Weave scorer: its row, its call as an Evaluation makes it, its reading."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from ...core.judge import JudgeInfo, Reading, Unscorable
from ...core.reading import told
from ...core.sample import Sample
from ...core.samples import Pairs
from ...errors import TargetError
from ..extras import check_extra
from .quiet import import_quietly
from .result import read_failure, read_result
from .row import Columns, refuse_what_never_shows_it, refuse_what_reads_no_text
from .shipped import known_of, pass_mark_of, samples_for
from .wire import Wire

#: two made-up words, one before and one after the judged text, to see whether either arrives
_CANARIES = ("Quillmarrow", "Brindlewick")


class WeaveJudge:
    """Read scores from a Weave scorer; ``make_judge`` builds it."""

    def __init__(
        self, scorer: Any, columns: Columns, info: JudgeInfo, wire: Wire,
        wanted: tuple[str, ...], needed: tuple[str, ...], output_key: str | None,
    ) -> None:  # fmt: skip
        from weave.flow.scorer import apply_scorer_async
        from weave.trace.context.call_context import tracing_disabled

        self.info, self.columns = info, columns
        self._scorer, self._wire, self._output_key = scorer, wire, output_key
        self._wanted, self._needed = wanted, needed
        self._apply, self._quiet = apply_scorer_async, tracing_disabled

    @property
    def costs(self) -> dict[str, float]:
        """Tokens, and US dollars where the scorer's client prices them."""
        return self._wire.costs

    @property
    def versions(self) -> dict[str, str]:
        """Weave's version, and LiteLLM's where the scorer's model is called through it."""
        found = {"weave": check_extra("weave")}
        if self._wire.tapped:
            from importlib.metadata import version

            found["litellm"] = version("litellm")
        return found

    async def read(self, sample: Sample) -> Reading:
        """Score one sample; whatever the scorer raises but KeyboardInterrupt is a reading."""
        with self._wire.exchange() as exchange, self._quiet():
            try:
                done = await self._apply(
                    self._scorer, self.columns.row(sample), self._shown(sample.output)
                )
            except (Exception, SystemExit) as error:  # noqa: BLE001
                reading: Reading = read_failure(error)
            except asyncio.CancelledError as error:
                if _we_are_cancelled():
                    raise
                reading = read_failure(error)
            else:
                reading = self._read(done.result)
        if isinstance(reading, Unscorable) and exchange.filtered:
            return Unscorable("blocked", f"a content filter cut the judge off; {reading.detail}")
        return told(
            reading, model=exchange.model, temperature=exchange.temperature, usage=exchange.usage
        )

    def check(self, samples: Sequence[Sample]) -> None:
        """Raise UsageError when a sample lacks a column the scorer needs, before any call."""
        refuse_what_never_shows_it(self.columns)
        for number, sample in enumerate(samples, 1):
            place = f"sample {sample.id or number}"
            self.columns.check(sample, place, self._shown(sample.output))

    def samples(self) -> Pairs:
        """Return the built-in samples that fit what the scorer asks of an answer."""
        return samples_for(self._scorer)

    async def preflight(self, samples: Sequence[Sample]) -> int:
        """Make one call to see whether the judged text reaches the model; return the calls made.

        Only scorers whose model calls can be watched are asked. Raises TargetError naming
        what the model is shown instead.
        """
        if not self._wire.tapped:
            return 0
        sample = samples[0]
        head, tail = _CANARIES
        with self._wire.exchange() as exchange:
            await self.read(sample.with_output(f"{head}. {sample.output} {tail}."))
        sent = exchange.text()
        if sent and head not in sent and tail not in sent:
            row = self.columns.row(sample)
            reads = [n for n, v in row.items() if isinstance(v, str) and v and v in sent]
            shown = f"it is shown {', '.join(reads)}" if reads else "it is shown none of the row"
            raise TargetError(
                f"the judged text never reaches the model of {self.info.name}: {shown}"
            )
        return 1

    def _shown(self, text: str) -> Any:
        return text if self._output_key is None else {self._output_key: text}

    def _read(self, result: Any) -> Reading:
        reading = read_result(result, self._wanted, self._needed, self.info.higher_is_better)
        if not (self._wanted or self._needed or isinstance(reading, Unscorable)):
            self._needed = tuple(reading.values)  # the channels are those of the first result
        return reading


def make_judge(
    target: Any,
    *,
    key: str | None = None,
    scale: tuple[float, float] | None = None,
    pass_mark: float | None = None,
    higher_is_better: bool | None = None,
    output_key: str | None = None,
) -> WeaveJudge:
    """Wrap a Weave scorer; see ``scan_scorer`` for the options.

    Raises MissingExtra for a Weave too old, TargetError for what Weave would not take as a
    scorer and for a scorer that cannot run here or reads no text.
    """
    check_extra("weave")
    import_quietly()
    scorer = _cast(target)
    op, name = _op_of(scorer)
    known = known_of(scorer)
    if known.refused:
        raise TargetError(f"{name} cannot be scanned: {known.refused}")
    columns = Columns(name, scorer, op)
    refuse_what_reads_no_text(columns, output_key)
    wire = Wire()
    info = JudgeInfo(
        name=name,
        scale=known.scale if scale is None else scale,
        pass_mark=pass_mark_of(scorer, known) if pass_mark is None else pass_mark,
        higher_is_better=known.higher_is_better if higher_is_better is None else higher_is_better,
        is_async=True,
        labels=known.labels if key in (None, *known.channels[:1]) else (),
    )
    wanted = known.channels if key is None else (key,)
    return WeaveJudge(wire.tap(scorer), columns, info, wire, wanted, known.channels, output_key)


def _cast(target: Any) -> Any:
    """Return what Weave makes of an object given as a scorer; raises TargetError."""
    from weave.flow.casting import cast_to_scorer

    if isinstance(target, type):
        raise TargetError(
            f"{target.__name__} is a class: give an object, as in {target.__name__}()"
        )
    try:
        return cast_to_scorer(target)
    except Exception as error:
        kind = type(target).__name__
        said = " ".join(str(error).split())
        raise TargetError(
            f"Weave takes a Scorer object, an op or a function as a scorer, not this {kind}: {said}"
        ) from error


def _op_of(scorer: Any) -> tuple[Any, str]:
    import inspect

    from weave.flow.scorer import get_scorer_attributes

    try:
        found = get_scorer_attributes(scorer)
    except Exception as error:
        raise TargetError(" ".join(str(error).split())) from error
    names = inspect.signature(found.score_op).parameters
    if "output" not in names and "model_output" not in names:
        raise TargetError(
            f"{found.scorer_name} takes no argument named output, in which Weave hands a scorer"
            f" the judged text; it takes {', '.join(names) or 'none'}"
        )
    return found.score_op, found.scorer_name


def _we_are_cancelled() -> bool:
    task = asyncio.current_task()
    cancelling = getattr(task, "cancelling", None)  # Python 3.11
    return cancelling is None or bool(cancelling())
