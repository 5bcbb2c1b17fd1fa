"""Write docs/reference.md from docstrings and from the options of commands; --check compares."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference.md"
HEAD = """# Reference

Written by `python ci/reference.py` from the docstrings and from the commands themselves.
"""
GROUPS = {
    "Scan": ("run", "arun", "assert_unbudged", "scan_metric", "scan_scorer"),
    "What goes in": ("Sample", "Judge", "JudgeInfo", "Scored", "Unscorable"),
    "What comes out": ("Report", "Finding", "Progress"),
    "Payloads": ("load_corpus", "Attack", "Family"),
    "Errors": ("UnbudgedError", "UsageError", "CorpusError", "TargetError", "Interrupted"),
}
#: records found in a report that have no public name of their own
PARTS = (
    "Evidence", "Confounded", "Undecided", "UnscorableProbe", "BaselineScore", "FlipRow", "Rate",
)  # fmt: skip
ADAPTERS = {
    "deepeval": "scan_metric",
    "inspect_ai": "scan_scorer",
    "weave": "scan_scorer",
}


def prose(text: str | None, name: str) -> str:
    """Return a docstring as Markdown: literals with single backticks, no line starts a list."""
    if not text or not text.strip():
        raise SystemExit(f"reference: {name} has no docstring")
    return inspect.cleandoc(text).replace("``", "`").replace("\n* ", "\n\\* ")


def default(value: Any) -> str:
    if value is dataclasses.MISSING or isinstance(value, (bool, int, float, str, tuple)):
        return repr(value)
    return "None" if value is None else "..."


def parameters(function: Any) -> str:
    """Return a signature, one line where it fits."""
    parts, starred = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in ("self", "_is_async"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            parts.append("*")
        prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(
            parameter.kind, ""
        )
        starred = starred or prefix == "*"
        part = f"{prefix}{parameter.name}"
        if parameter.default is not parameter.empty:
            part += f"={default(parameter.default)}"
        parts.append(part)
    return ", ".join(parts)


def call(name: str, function: Any) -> str:
    text = f"{name}({parameters(function)})"
    if len(text) > 96:
        inside = textwrap.fill(text[len(name) + 1 : -1], 92)
        text = f"{name}(\n{textwrap.indent(inside, '    ')}\n)"
    return f"```text\n{text}\n```"


def functions(cls: type) -> Iterator[tuple[str, Any]]:
    for name, member in vars(cls).items():
        shown = inspect.isfunction(member) or isinstance(member, property)
        if shown and not name.startswith("_"):
            yield name, member


def record(cls: Any) -> Iterator[str]:
    if dataclasses.is_dataclass(cls):
        yield "| Field | Type | Default |\n|---|---|---|"
        for field in dataclasses.fields(cls):
            kind = str(field.type).replace("|", "\\|")
            value = ""
            if field.default is not dataclasses.MISSING:
                value = f"`{default(field.default)}`"
            elif field.default_factory is not dataclasses.MISSING:
                value = f"`{field.default_factory()!r}`"
            yield f"| `{field.name}` | `{kind}` | {value} |"
    for name, member in functions(cls):
        known = f"{cls.__name__}.{name}"
        if isinstance(member, property) and member.fget and not member.fget.__doc__:
            yield f"\n`{name}`: a `{member.fget.__annotations__['return']}`."
        elif isinstance(member, property):
            yield f"\n`{name}`: {prose(member.__doc__, known)}"
        else:
            yield f"\n`{name}({parameters(member)})`: {prose(member.__doc__, known)}"


def entry(name: str, thing: Any) -> Iterator[str]:
    yield f"\n### {name}\n"
    if not inspect.isclass(thing):
        yield f"{call(name, thing)}\n\n{prose(thing.__doc__, name)}"
        return
    yield prose(thing.__doc__, name)
    if not issubclass(thing, Exception):
        body = "\n".join(record(thing))
        if body:
            yield f"\n{body}"


def adapters() -> Iterator[str]:
    """Yield the functions of the adapters; none of them imports its framework for this."""
    from importlib import import_module

    yield "\n## Adapters\n"
    yield "Each needs its extra installed: `deepeval`, `inspect` or `weave`."
    for name, function in ADAPTERS.items():
        module = import_module(f"unbudged.adapters.{name}")
        yield from entry(f"unbudged.adapters.{name}.{function}", getattr(module, function))


def commands() -> Iterator[str]:
    import click

    from unbudged.cli.command import cli

    yield "\n## Commands"

    def walk(command: click.Command, path: str) -> Iterator[str]:
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                found = command.get_command(context, name)
                assert found is not None  # it was just listed
                yield from walk(found, f"{path} {name}")
            return
        words = [f"[{p.human_readable_name}]" if not p.required else p.human_readable_name
                 for p in command.params if isinstance(p, click.Argument)]  # fmt: skip
        yield f"\n### {' '.join([path, *words])}\n"
        yield prose(command.help or command.callback.__doc__, path).replace("\b\n", "")
        options = [p for p in command.params if isinstance(p, click.Option) and not p.hidden]
        if options:
            yield "\n| Option | What it does |\n|---|---|"
        for option in options:
            names = "`, `".join([*option.opts, *option.secondary_opts])
            metavar = ""
            if not option.is_flag:
                choices = getattr(option.type, "choices", None)
                metavar = f" {'|'.join(map(str, choices)) if choices else option.metavar or ''}"
            shown = f"`{names}{metavar.rstrip()}`".replace("|", "\\|")
            yield f"| {shown} | {(option.help or '').replace('|', chr(92) + '|')} |"

    yield from walk(cli, "unbudged")


def plugin() -> Iterator[str]:
    from unbudged import pytest_plugin

    yield "\n## pytest\n"
    yield f"`@pytest.mark.{pytest_plugin._MARK.replace(': ', '`: ', 1)}."
    for name in ("unbudged_scan", "unbudged_part"):
        fixture = getattr(pytest_plugin, name)
        wrapped = getattr(fixture, "_fixture_function", None) or fixture.__wrapped__
        yield f"\n### {name}\n\n{prose(wrapped.__doc__, name)}"


def document() -> str:
    """Return the page as it should be now."""
    import unbudged
    from unbudged.core import report
    from unbudged.prepare import plan_scan

    named = {name for names in GROUPS.values() for name in names} | {"__version__"}
    more = tuple(name for name in unbudged.__all__ if name not in named)
    groups = {**GROUPS, "More": more} if more else GROUPS
    parts = [HEAD]
    for title, names in groups.items():
        parts.append(f"\n## {title}")
        for name in names:
            parts += entry(name, getattr(unbudged, name))
            if name == "run":
                parts.append(f"\n{prose(plan_scan.__doc__, 'plan_scan')}")
        if title == "What comes out":
            for name in PARTS:
                parts += entry(name, getattr(report, name))
    parts += [*adapters(), *commands(), *plugin()]
    return "\n".join(line.rstrip() for line in "\n".join(parts).splitlines()) + "\n"


def main() -> int:
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(document(), encoding="utf-8", newline="\n")
        return 0
    if PAGE.read_text("utf-8") == document():
        return 0
    print("docs/reference.md is stale: run python ci/reference.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
