"""Load a target and its baselines from ``path/to/file.py[:name]`` or ``package.module:name``."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from .core.forked import children_leave
from .core.sample import Sample
from .errors import TargetError, UnbudgedError, UsageError

DEFAULT_NAME = "target"


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a target's module holds; ``baselines`` is None when it defines none."""

    target: Any
    baselines: tuple[Sample, ...] | None
    place: str


class NotFound(TargetError):
    """There is no such module."""


def load_target(spec: str) -> Loaded:
    """Run the module ``spec`` names and return its target and ``baselines``.

    Loading runs code: the same trust as a conftest.py. The file's folder (for a module
    the working directory) goes first on ``sys.path``, as for a script. Raises
    TargetError when the module cannot be loaded or lacks the name, UsageError when its
    baselines cannot be used. KeyboardInterrupt passes.
    """
    place, name, is_file = _split(spec)
    shown = os.path.basename(place) if is_file else place
    try:
        with children_leave():
            module = _run_file(place) if is_file else _import(place)
    except (NotFound, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise TargetError(_at_import(shown, error)) from error
    try:
        target = _find(module, name, shown)
        _look_at(target)
        baselines = getattr(module, "baselines", None)
        return Loaded(
            target,
            None if baselines is None else read_baselines(baselines, f"baselines in {shown}"),
            shown,
        )
    except (UnbudgedError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise TargetError(
            f"{shown} raises when its target or baselines are looked at{_line(error)}:"
            f" {_describe(error)}"
        ) from error


def located(spec: str) -> str:
    """Return ``spec`` with the whole path of its file: the same target from any folder.

    Raises TargetError where there is no such file.
    """
    place, name, is_file = _split(spec)
    return f"{os.path.abspath(place)}:{name}" if is_file else spec


def _look_at(target: Any) -> None:
    """Ask for what a scan will ask an object for: a property of the user's may raise anything."""
    for name in ("read", "info", "score", "__name__", "__call__", "__wrapped__", "__signature__"):
        getattr(target, name, None)


def _split(spec: str) -> tuple[str, str, bool]:
    """Return (file or module, name of the target, whether it is a file)."""
    place, name = spec, DEFAULT_NAME
    head, colon, tail = spec.rpartition(":")
    # C:\x.py and C:/x.py have one colon, and it is not ours.
    drive = len(head) == 1 and head.isalpha() and (tail.startswith(("\\", "/")) or _is_py(tail))
    if colon and not os.path.isfile(spec) and not drive:
        place, name = head, tail
        if not all(part.isidentifier() for part in name.split(".")):
            raise TargetError(f"{spec}: {name!r} after the colon is not a Python name")
    if not place:
        raise TargetError(f"{spec!r} names no file: give path/to/file.py or package.module:name")
    if os.path.isdir(place):
        raise TargetError(f"{place} is a directory: name the Python file in it")
    if os.path.isfile(place):
        return place, name, True
    if os.path.exists(place):
        raise TargetError(f"{place} is not a regular file")
    if _is_py(place) or "/" in place or "\\" in place:
        raise TargetError(f"no such file: {place}")
    if not all(part.isidentifier() for part in place.split(".")):
        raise TargetError(f"no such file or module: {place}")
    return place, name, False


def _is_py(place: str) -> bool:
    return place.lower().endswith(".py")


def _run_file(path: str) -> ModuleType:
    import hashlib
    from importlib.machinery import SourceFileLoader
    from importlib.util import module_from_spec, spec_from_file_location

    real = os.path.realpath(path)
    stem = "".join(c if c.isalnum() else "_" for c in os.path.splitext(os.path.basename(path))[0])
    digest = hashlib.sha256(os.fsencode(real)).hexdigest()[:12]
    name = f"unbudged_target_{stem}_{digest}"
    loader = SourceFileLoader(name, os.path.abspath(path))
    spec = spec_from_file_location(name, loader.path, loader=loader)
    assert spec is not None  # a loader was given
    # Compiled here and not by the loader: no bytecode is left beside the user's file, and
    # a file edited twice within a second is never read from a stale one.
    code = loader.source_to_code(loader.get_data(loader.path), loader.path)
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look their module up by name
    sys.path.insert(0, os.path.dirname(real))
    try:
        exec(code, module.__dict__)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return sys.modules.get(name, module)


def _import(name: str) -> ModuleType:
    from importlib import import_module

    sys.path.insert(0, os.getcwd())
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        # Only when the name itself is missing; a module missing further in is its own error.
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            hint = f"; is it {name}.py?" if os.path.isfile(f"{name}.py") else ""
            raise NotFound(f"no such file or module: {name}{hint}") from error
        raise


def _at_import(shown: str, error: BaseException) -> str:
    if isinstance(error, SystemExit):
        said = f": {error.code}" if isinstance(error.code, str) else ""
        return f"{shown} calls sys.exit when it is loaded{said}"
    if isinstance(error, UnbudgedError):
        return f"{shown}: {error}"
    if isinstance(error, SyntaxError):
        where = os.path.basename(error.filename or shown)
        line = f", line {error.lineno}" if error.lineno else ""  # none where the file has NUL bytes
        return f"{where}{line}: {type(error).__name__}: {error.msg}"
    if isinstance(error, ImportError) and (extra := _missing_extra(error.name)):
        return f"{shown}: {extra}"
    line = _line(error)
    return f"{shown} raises when it is loaded{line}: {_describe(error)}"


def _missing_extra(module: str | None) -> str:
    """Return the sentence for a framework that is not installed, "" for anything else."""
    from importlib import import_module

    # by name: what adapters need is theirs to know, and lies further out
    extras = import_module("unbudged.adapters.extras")
    for name, extra in extras.EXTRAS.items():
        if module == extra.module:
            try:
                extras.check_extra(name)
            except UnbudgedError as error:
                return str(error)
    return ""


def _line(error: BaseException) -> str:
    """Return where the loaded code raised: the deepest frame outside the import machinery."""
    trace, found = error.__traceback__, ""
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        if filename != __file__ and not filename.startswith("<frozen"):
            found = f" ({os.path.basename(filename)}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return found


def _describe(error: BaseException) -> str:
    try:
        text = str(error).strip()
    except Exception:  # noqa: BLE001 an exception may fail at its own text
        text = ""
    first = text.splitlines()[0][:300] if text else ""
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def _find(module: ModuleType, name: str, shown: str) -> Any:
    found: Any = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise TargetError(f"{shown} has no {name!r}{_hint(module, name, shown)}") from None
    return found


def _hint(module: ModuleType, name: str, shown: str) -> str:
    import difflib

    held = getattr(module, "__dict__", {})  # a module may have put another object in its place
    names = [n for n, v in held.items() if not n.startswith("_") and callable(v)]
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    home = getattr(module, "__name__", None)
    own = [n for n in names if getattr(held[n], "__module__", None) == home]
    if own:
        return f"; it has {', '.join(own[:5])}: name one after a colon"
    return f"; define it, or name another object after a colon ({shown}:name)"


def read_baselines(value: object, place: str) -> tuple[Sample, ...]:
    """Return strings and Samples as Samples, in the order given.

    Raises UsageError naming ``place`` and position for anything else and for a blank
    answer. An empty list is returned as it is: baselines may come from elsewhere.
    """
    if isinstance(value, (str, Sample)):
        raise UsageError(f"{place}: a list is needed, this is a single {type(value).__name__}")
    if not isinstance(value, (list, tuple)):
        raise UsageError(f"{place}: a list of strings or Samples is needed, not {_a(value)}")
    return tuple(_sample(item, f"{place}, entry {n}") for n, item in enumerate(value, 1))


def _sample(item: object, place: str) -> Sample:
    if isinstance(item, str):
        item = Sample(item)
    if not isinstance(item, Sample):
        raise UsageError(f"{place}: a string or a Sample is needed, not {_a(item)}")
    if not isinstance(item.output, str):
        raise UsageError(f"{place}: output must be a string, not {_a(item.output)}")
    if not item.output.strip():
        raise UsageError(f"{place}: the answer is blank")
    return item


def _a(value: object) -> str:
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
