"""The row a scorer would find in a Weave dataset, made from a Sample."""

from __future__ import annotations

import inspect
from types import UnionType
from typing import Any, Union, get_args, get_origin

from ...core.sample import Sample
from ...errors import TargetError, UsageError
from .wire import texts_in

#: column names people use, by the Sample field that holds the same thing
_NAMES = {
    "input": ("input", "question", "query", "user_input", "prompt", "instruction"),
    "reference": (
        "reference", "target", "expected", "expected_output", "expected_answer", "ground_truth",
        "gold", "answer", "correct_answer", "reference_answer", "label",
    ),
    "context": ("context", "contexts", "documents", "passages", "retrieved_contexts"),
}  # fmt: skip
_FIELDS = {name: field for field, names in _NAMES.items() for name in names}
#: names that, as an optional argument, more often hold a setting of the scorer than a column
_SETTINGS = ("prompt", "instruction", "answer", "label")
_LISTS = ("contexts", "documents", "passages", "retrieved_contexts")
_OUTPUTS = ("output", "model_output")


class Columns:
    """Which columns a scorer reads, and where a Sample has them."""

    def __init__(self, name: str, scorer: Any, op: Any) -> None:
        self.name, self._scorer, self.op = name, scorer, op
        parameters = dict(inspect.signature(op).parameters)
        parameters.pop("self", None)
        self.hints = _hints(op)
        self.output = next((n for n in _OUTPUTS if n in parameters), "output")
        named = {
            n: p.default is p.empty
            for n, p in parameters.items()
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and n not in _OUTPUTS
        }
        self.takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        self.mapping: dict[str, str] = getattr(scorer, "column_map", None) or {}
        self.strict = getattr(scorer, "column_map", None) is not None
        self.prompted = placeholders(scorer)
        for asked in self.prompted - set(_OUTPUTS):
            named.setdefault(asked, True)
        self.named = named

    def row(self, sample: Sample) -> dict[str, Any]:
        """Return the row: the sample's metadata, its fields, and those under the names asked."""
        row: dict[str, Any] = {
            name: value
            for name, value in (
                ("input", sample.input), ("reference", sample.reference), ("id", sample.id),
                ("context", self._context(sample, "context")),
            )
            if value is not None
        }  # fmt: skip
        row.update(sample.metadata)
        for parameter, required in self.named.items():
            column = self.mapping.get(parameter, parameter)
            if column != parameter and parameter not in sample.metadata:
                row.pop(parameter, None)  # or Weave would never look the mapped column up
            if column in row or (not required and parameter in _SETTINGS):
                continue
            value = self._field(sample, column, parameter)
            if value is None and column != parameter:
                value = self._field(sample, parameter, parameter)
            if value is not None:
                row[column] = value
        return row

    def check(self, sample: Sample, place: str, output: Any) -> None:
        """Raise UsageError naming the first column a sample lacks."""
        row = self.row(sample)
        for parameter, required in self.named.items():
            column = self.mapping.get(parameter, parameter)
            given = column in row or (self.takes_all and not self.strict and column == "inputs")
            if required and not given:
                raise UsageError(
                    f"{self.name} needs {parameter!r}, which {place} lacks: give"
                    f" {_where(column, parameter)}"
                )
        from weave.flow.scorer import prepare_scorer_op_args

        try:
            op, arguments = prepare_scorer_op_args(self._scorer, row, output)
            signature = inspect.signature(op)
            mine = {"self": self._scorer} if "self" in signature.parameters else {}
            signature.bind(**{**arguments, **mine})
        except Exception as error:
            said = " ".join(str(error).split())
            raise UsageError(f"{self.name} cannot be called with {place}: {said}") from error

    def _field(self, sample: Sample, name: str, parameter: str) -> Any:
        field = _FIELDS.get(name.casefold())
        if field == "context":
            return self._context(sample, parameter)
        return getattr(sample, field) if field else None

    def _context(self, sample: Sample, parameter: str) -> Any:
        """Return the passages as one text, or as a list where the scorer asks for one."""
        if not sample.context:
            return None
        hint = self.hints.get(parameter)
        if hint is None or hint is Any:
            as_list = parameter.casefold() in _LISTS
        else:
            as_list = not _takes(hint, str) and _takes(hint, list)
        return list(sample.context) if as_list else "\n\n".join(sample.context)


def refuse_what_reads_no_text(columns: Columns, output_key: str | None) -> None:
    """Raise TargetError when the scorer's own annotation says its output is no text."""
    hint = columns.hints.get(columns.output)
    if output_key is not None or hint is None or hint is Any or _takes(hint, str):
        return
    shape = next((kind.__name__ for kind in (dict, list) if _takes(hint, kind)), None)
    if shape is None and hasattr(hint, "model_fields"):
        shape = hint.__name__
    if shape is not None:
        raise TargetError(
            f"{columns.name} reads {columns.output} as a {shape}, not as text: it cannot be"
            " scanned unless the text is one entry of a dict (output_key)"
        )


def refuse_what_never_shows_it(columns: Columns) -> None:
    """Raise TargetError when a prompt template has no place for the judged text."""
    if columns.prompted and columns.output not in columns.prompted:
        reads = ", ".join(sorted(columns.prompted))
        raise TargetError(
            f"{columns.name} never shows the judged text to its judge: its prompt reads {reads},"
            f" not {columns.output}"
        )


def placeholders(scorer: Any) -> set[str]:
    """Return the names an LLM-as-a-judge prompt fills in; empty for scorers without one."""
    prompt = getattr(scorer, "scoring_prompt", None)
    if isinstance(prompt, str):
        texts = [prompt]
    else:
        texts = list(texts_in(getattr(prompt, "messages", None)))
    from string import Formatter

    names = set()
    for text in texts:
        try:
            names |= {field for _, field, _, _ in Formatter().parse(text) if field}
        except ValueError:  # a stray brace: the first call will say so
            return set()
    return {name.split(".")[0].split("[")[0] for name in names}


def _where(column: str, parameter: str) -> str:
    field = _FIELDS.get(column.casefold()) or _FIELDS.get(parameter.casefold())
    in_metadata = f"Sample.metadata[{column!r}]"
    return f"Sample.{field} (or {in_metadata})" if field else in_metadata


def _hints(op: Any) -> dict[str, Any]:
    from typing import get_type_hints

    try:
        return get_type_hints(getattr(op, "resolve_fn", op))
    except Exception:  # noqa: BLE001 a name that is not there: then nothing is known
        return {}


def _takes(hint: Any, kind: type) -> bool:
    """Tell whether an annotation admits a type: itself or within a union."""
    if hint in (Any, object) or get_origin(hint) is kind:
        return True
    if isinstance(hint, type) and get_origin(hint) is None:
        return hint is kind or (kind is not str and issubclass(hint, kind))
    outer = get_origin(hint)
    if outer in (Union, UnionType):
        return any(_takes(part, kind) for part in get_args(hint))
    # Sequence[str] takes a list and Mapping[str, str] a dict; neither means one text
    return isinstance(outer, type) and kind is not str and issubclass(kind, outer)
