"""Option values that click has no type for."""

from __future__ import annotations

import math
import re

import click

from ..errors import UsageError
from .samples import FIELDS

#: what a column of --corpus is kept as, beside the fields of --samples
PAYLOAD = "payload"
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_SCALE = re.compile(rf"\s*({_NUMBER})\s*-\s*({_NUMBER})\s*")
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\r": "\r", "\\\\": "\\"}


def scale_bounds(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[float, float] | None:
    """Read two numbers with a hyphen between, such as 1-10, 0-1 or -1-1; the lower first."""
    if value is None:
        return None
    match = _SCALE.fullmatch(value)
    if match is None:
        raise click.BadParameter(f"{value!r} is not two numbers as in 1-10", ctx, param)
    low, high = float(match[1]), float(match[2])
    for end, text in ((low, match[1]), (high, match[2])):
        if not math.isfinite(end):
            raise click.BadParameter(f"{value!r}: {text} is too large a number", ctx, param)
    if low >= high:
        raise click.BadParameter(f"{value!r}: the first number must be the lower one", ctx, param)
    return low, high


def once(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> str | None:
    """Refuse an option that is given twice, where one of the two would be dropped in silence."""
    if len(value) > 1:
        given = ", ".join(value)
        raise click.BadParameter(f"given {len(value)} times, takes one: {given}", ctx, param)
    return value[0] if value else None


def finite(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse a number that is not finite."""
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value!r} is not a finite number", ctx, param)
    return value


def not_negative(ctx: click.Context, param: click.Parameter, value: int) -> int:
    """Refuse a number below 0."""
    if value < 0:
        raise click.BadParameter(f"{value} is below 0", ctx, param)
    return value


def columns(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    """Read fields of a sample and the columns that hold them, such as output=answer.

    A name alone is the column that holds a corpus's payloads.
    """
    found: dict[str, str] = {}
    for item in value:
        field, equals, name = item.partition("=")
        if item and not equals:
            field, equals, name = PAYLOAD, "=", item
        elif not equals or not name or field not in FIELDS:
            raise click.BadParameter(
                f"{item!r} is neither FIELD=NAME with FIELD one of {', '.join(FIELDS)}, nor the"
                " NAME of a corpus's column",
                ctx,
                param,
            )
        if field in found:
            what = "the corpus's column" if field == PAYLOAD else field
            raise click.BadParameter(f"{what} is mapped twice", ctx, param)
        found[field] = name
    return found


def with_columns(names: tuple[str, ...], column: str | None, hint: str = "") -> tuple[str, ...]:
    """Return the names of corpora, a column of payloads added where a format has columns.

    Raises UsageError, ending in ``hint``, when none of them has any.
    """
    if column is None:
        return names
    from ..core.foreign.names import COLUMNED, with_column

    named = tuple(with_column(name, column) for name in names)
    if named == names:
        raise UsageError(
            f"--column {column}: no corpus is {', '.join(COLUMNED[:-1])} or {COLUMNED[-1]}{hint}"
        )
    return named


def separator(value: str) -> str:
    r"""Return the text between answer and payload: ``\n``, ``\t``, ``\r``, ``\\`` are escapes."""
    return re.sub(r"\\[ntr\\]", lambda match: _ESCAPES[match[0]], value)
