"""Option values that click has no type for."""

from __future__ import annotations

import math
import re

import click

from .samples import FIELDS

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_SCALE = re.compile(rf"\s*({_NUMBER})\s*-\s*({_NUMBER})\s*")
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\r": "\r", "\\\\": "\\"}


class Scale(click.ParamType):
    """Two numbers with a hyphen between, such as 1-10, 0-1 or -1-1; the lower first."""

    name = "low-high"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        match = _SCALE.fullmatch(str(value))
        if match is None:
            self.fail(f"{value!r} is not two numbers as in 1-10", param, ctx)
        low, high = float(match[1]), float(match[2])
        if not (low < high and math.isfinite(low) and math.isfinite(high)):
            self.fail(f"{value!r}: the first number must be the lower one", param, ctx)
        return low, high


class Column(click.ParamType):
    """A field of a sample and the column that holds it, such as output=answer."""

    name = "field=name"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        field, equals, name = str(value).partition("=")
        if not equals or not name or field not in FIELDS:
            self.fail(
                f"{value!r} is not FIELD=NAME with FIELD one of {', '.join(FIELDS)}", param, ctx
            )
        return field, name


def separator(value: str) -> str:
    r"""Return the text between answer and payload: ``\n``, ``\t``, ``\r``, ``\\`` are escapes."""
    return re.sub(r"\\[ntr\\]", lambda match: _ESCAPES[match[0]], value)
